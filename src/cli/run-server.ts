// One serving process: its parts wired together, from the first connection to a stop that drops no answer.
import { createApp } from "../http/app.ts";
import { answerCache } from "../http/cache.ts";
import { keyUses } from "../http/key-uses.ts";
import { openPages } from "../http/open-pages.ts";
import { overloadGuard } from "../http/overload.ts";
import { webPages } from "../http/page.ts";
import { type Count, failureLimit, rateLimit } from "../http/rate-limit.ts";
import { listen } from "../http/server.ts";
import type { Observe } from "../observe.ts";
import { CliFailure } from "./failure.ts";
import { logger } from "./log.ts";
import { openReadStore } from "./open.ts";
import type { ServeSettings } from "./serve-settings.ts";

/** Of a process that shares its port with others: what they count together. */
export interface Siblings {
  readonly keyCount: Count;
  readonly addressCount: Count;
}

/** Serves until a signal says stop. `onListening` is called with the address once calls are taken. */
export async function runServer(
  settings: ServeSettings,
  onListening: (address: string) => void,
  siblings: Siblings | null = null,
): Promise<void> {
  const log = logger(settings.log);
  const store = await openReadStore(settings.db, { replicas: settings.replicas });
  const metrics = await startMetrics(settings);
  const observe: Observe = (observation) => {
    log.observe(observation);
    metrics?.observe(observation);
  };
  const uses = keyUses(store, observe);
  let isStopping = false;
  const app = createApp({
    store,
    observe,
    used: uses.used,
    cache: answerCache(settings.cacheBytes),
    rateLimit: rateLimit(settings.requestsPerSecond, siblings?.keyCount),
    failureLimit: failureLimit(settings.requestsPerSecond, siblings?.addressCount),
    overload: overloadGuard(),
    corsOrigin: settings.corsOrigin,
    today: settings.today === null ? currentDay : () => settings.today!,
    openPages: openPages({
      store,
      isStopping: () => isStopping,
      page: webPages({ demo: settings.isDemo, today: settings.today }),
    }),
  });
  const { host, port, tls, addressOf } = settings;
  const reusePort = siblings !== null;
  const server = tryListen(host, port, () => listen(app, { host, port, tls, addressOf, reusePort }, observe));
  observe({ kind: "started", address: server.address });
  onListening(server.address);
  await stopSignal();
  isStopping = true;
  await server.stop();
  await metrics?.stop();
  await uses.stop();
  await store.close();
  log.flush();
}

function currentDay(): string {
  return new Date().toISOString().slice(0, 10);
}

async function startMetrics({ metricsPort }: ServeSettings) {
  if (metricsPort === null) return null;
  // Loaded only when asked for: it costs a tenth of the start.
  const { serveMetrics } = await import("./metrics.ts");
  return tryListen("127.0.0.1", metricsPort, () => serveMetrics("127.0.0.1", metricsPort), "--metrics-port");
}

function tryListen<T>(host: string, port: number, start: () => T, flag = "--port"): T {
  try {
    return start();
  } catch (error) {
    throw listenFailure(host, port, flag, error) ?? error;
  }
}

function listenFailure(host: string, port: number, flag: string, error: unknown): CliFailure | null {
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "EADDRINUSE":
      return new CliFailure(
        `Port ${port} is in use on ${host}: stop what listens there, or choose another with ${flag}`,
      );
    case "EACCES":
      return new CliFailure(
        `Port ${port} may not be listened on by this user: choose one above 1023 with ${flag}`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new CliFailure(`${host} is not an address of this machine: choose another with --host`);
    default:
      return null;
  }
}

/** Tells, by trying, that nothing else listens there: processes that share a port would not notice a stranger. */
export function requireFreePort({ host, port }: ServeSettings): void {
  const probe = tryListen(host, port, () => Bun.listen({ hostname: host, port, socket: { data() {} } }));
  probe.stop(true);
}

/** Resolves at the first SIGINT or SIGTERM, or when a parent is gone; a second signal ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once("SIGINT", () => process.exit(130));
      process.once("SIGTERM", () => process.exit(143));
      resolve();
    };
    process.once("disconnect", stop);
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
}
