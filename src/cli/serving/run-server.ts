// One serving process: wires its parts together, serves, and stops without losing a response.
import { AccessTokens } from "../../http/access-tokens.ts";
import { createApp } from "../../http/app.ts";
import { LONGEST_MS } from "../../http/computation.ts";
import { fairAdmission } from "../../http/middleware/admission.ts";
import { keyUses } from "../../http/middleware/auth.ts";
import { ResponseCache } from "../../http/middleware/cache.ts";
import { failureLimit, rateLimit } from "../../http/middleware/rate-limit.ts";
import { loggedError } from "../../http/problems.ts";
import { ProviderSignIn } from "../../http/provider-sign-in.ts";
import { publicRoutes, webPages } from "../../http/public/public-routes.ts";
import { listen, type StopTogether } from "../../http/server.ts";
import { STREAM_LIMITS } from "../../http/stream.ts";
import { visibilityCache } from "../../http/visibility.ts";
import { Waits } from "../../http/waits.ts";
import type { Observe } from "../../observe.ts";
import type { ReadStore } from "../../store/store.ts";
import { formatDay, utcDayOf } from "../../time/day.ts";
import { ReportedDifferences } from "../agreement.ts";
import { CliFailure } from "../failure.ts";
import { openReadStore } from "../open.ts";
import { childNumber, stopSignal } from "../program.ts";
import { logger } from "./log.ts";
import type { Counts, Metrics } from "./metrics.ts";
import type { ServeSettings } from "./settings.ts";
import { renewOnHangup } from "./tls.ts";
import { startTraces } from "./traces.ts";

/** The time of day of events under a fixed day. */
const NOON_MS = 12 * 3_600_000;

/** What a process shares with the other processes on its port. */
export interface Siblings {
  /** Resolves when the parent orders a stop or is gone. */
  readonly stopOrdered: Promise<void>;
  readonly stopTogether: StopTogether;
  /** This process's counts, which the parent serves with the others'; null if metrics are off. */
  readonly metrics: Metrics | null;
}

/** Calls `onListening` with the address when the server accepts connections. Serves until a signal, or until its promise resolves. */
export async function runServer(
  settings: ServeSettings,
  onListening: (address: string) => void | Promise<void>,
  siblings: Siblings | null = null,
): Promise<void> {
  const log = logger(settings.log);
  const store = await openReadStore(settings.db, {
    replicas: settings.replicas,
    onReplicaDown: (error) => log.observe({ kind: "replicaDown", error: loggedError(error, null) }),
  });
  const metrics = siblings === null ? await countForMetrics(settings, {}) : siblings.metrics;
  // All processes share the store: the first one reports it.
  if (metrics !== null && (childNumber === null || childNumber === "1"))
    reportStore(metrics, store, settings.backups);
  const metricsServer =
    siblings === null ? await listenForMetrics(settings, async () => [await metrics!.counts()]) : null;
  const observe: Observe = (observation) => {
    log.observe(observation);
    metrics?.observe(observation);
  };
  const accessLog =
    settings.accessLog === null
      ? null
      : (await import("./access-log.ts")).openAccessLog(settings.accessLog, observe);
  const traces = await startTraces(process.env);
  const uses = keyUses(store, observe);
  const waits = new Waits(store);
  const today = () => settings.today ?? formatDay(utcDayOf(Date.now()));
  let isStopping = false;
  const app = createApp({
    store,
    visible: visibilityCache(),
    observe,
    used: uses.used,
    cache: new ResponseCache(settings.cacheBytes),
    longestMs: LONGEST_MS,
    looked: accessLog?.looked ?? null,
    rateLimit: rateLimit(settings.requestsPerSecond),
    failureLimit: failureLimit(settings.requestsPerSecond),
    admission: fairAdmission(),
    waits,
    streamLimits: { ...STREAM_LIMITS, slowestBytesPerSecond: settings.streamRateBytes },
    corsOrigin: settings.corsOrigin,
    serverTiming: settings.serverTiming,
    traced: traces?.record ?? null,
    isTls: settings.tls !== null,
    basePath: settings.basePath,
    today,
    proxyAuth: settings.authProxy,
    signIn: settings.providerAuth === null ? null : new ProviderSignIn(settings.providerAuth),
    allowsFeeds: settings.allowsFeeds,
    accessTokens: settings.tokenAuth === null ? null : new AccessTokens(settings.tokenAuth),
    publicRoutes: publicRoutes({
      store,
      isStopping: () => isStopping,
      observe,
      page: webPages({
        demo: settings.isDemo,
        today: settings.today,
        signIn: settings.providerAuth !== null ? "provider" : settings.authProxy !== null ? "proxy" : null,
        proxySignOut: settings.proxySignOut,
        allowsFeeds: settings.allowsFeeds,
      }),
    }),
  });
  const { host, port, tls, addressOf, isTrustedPeer } = settings;
  const reusePort = siblings !== null;
  // Renewing a certificate needs a shared port, and the kernel does not refuse a shared port that is in use. So check here.
  if (siblings === null && tls !== null && port !== 0) requireFreePort(settings);
  const server = tryListen(host, port, () =>
    listen(
      app,
      { host, port, tls, addressOf, isTrustedPeer, basePath: settings.basePath, reusePort },
      observe,
    ),
  );
  // Before `onListening`, because its caller may send a signal at once.
  const stopped = siblings === null ? stopSignal() : siblings.stopOrdered;
  observe({ kind: "started", address: server.address });
  if (settings.tlsFiles !== null || accessLog === null)
    renewOnHangup(settings.tlsFiles, server.renew, observe);
  const done = Promise.race([stopped, onListening(server.address) ?? stopped]);
  done.catch(() => {}); // awaited below
  // Loaded after the listener is open, because no response needs it.
  const sender = settings.sendsEvents ? await startSender(store, observe, today, settings.today) : null;
  await done;
  isStopping = true;
  waits.stop();
  await Promise.all([server.stop(siblings?.stopTogether), sender?.stop()]);
  await metricsServer?.stop();
  await traces?.stop();
  await accessLog?.close();
  await uses.stop();
  await store.close();
  await log.flush();
}

/** Adds the figures of the store and of the folder of backups to the metrics. */
function reportStore(metrics: Metrics, store: ReadStore, backups: string | null): void {
  const differences = new ReportedDifferences();
  metrics.reportHooks(() => store.hooks.list());
  metrics.reportImports(
    (limit) => store.lastImports(limit),
    (companyIds) => differences.counts(store, companyIds),
  );
  if (backups !== null) metrics.reportBackups(backups);
}

/** `fixedToday`: the day of `--today`; null for the current one. */
async function startSender(
  store: ReadStore,
  observe: Observe,
  today: () => string,
  fixedToday: string | null,
) {
  const { EventSender } = await import("../../events/sender.ts");
  const calendarNowMs = () => (fixedToday === null ? Date.now() : Date.parse(fixedToday) + NOON_MS);
  return new EventSender({ store, observe, nowMs: Date.now, calendarNowMs, today });
}

// Listens on an address. A failure says what to do.

/** Serves metrics, if a port for them is set. */
export async function listenForMetrics(
  { metricsHost, metricsPort }: ServeSettings,
  counts: () => Promise<readonly Counts[]>,
) {
  if (metricsPort === null) return null;
  // Loaded only when needed: it takes a tenth of the start-up time.
  const { serveMetrics } = await import("./metrics.ts");
  return tryListen(
    metricsHost,
    metricsPort,
    () => serveMetrics(metricsHost, metricsPort, counts),
    "--metrics-",
  );
}

/** Counts for metrics, if a port for them is set. */
export async function countForMetrics(
  { metricsPort }: ServeSettings,
  labels: Readonly<Record<string, string>>,
) {
  if (metricsPort === null) return null;
  const { countMetrics } = await import("./metrics.ts");
  return countMetrics(labels);
}

/** Calls `start`, which listens. A failure names the options to change: `prefix` and "host" or "port". */
export function tryListen<T>(host: string, port: number, start: () => T, prefix = "--"): T {
  try {
    return start();
  } catch (error) {
    throw listenFailure(host, port, prefix, error) ?? error;
  }
}

function listenFailure(host: string, port: number, prefix: string, error: unknown): CliFailure | null {
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "EADDRINUSE":
      return new CliFailure(
        `Port ${port} is in use on ${host}: stop what listens there, or choose another with ${prefix}port`,
      );
    case "EACCES":
      return new CliFailure(
        `This user may not listen on port ${port}: choose one above 1023 with ${prefix}port`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new CliFailure(`${host} is not an address of this machine: choose another with ${prefix}host`);
    default:
      return null;
  }
}

/** Raises CliFailure if another program listens on the port. Processes that share a port would not notice. */
export function requireFreePort({ host, port }: ServeSettings): void {
  const probe = tryListen(host, port, () => Bun.listen({ hostname: host, port, socket: { data() {} } }));
  probe.stop(true);
}
