// Several processes on one port: the kernel spreads connections over them. One that ends unasked is started again. They
// keep the limits together, through their parent, which also serves the metrics of all; they stop when it is gone.
import { UsageError } from "../failure.ts";
import { countForMetrics, listenForMetrics, requireFreePort } from "./listening.ts";
import { logger } from "./log.ts";
import type { Counts, Metrics } from "./metrics.ts";
import { runServer, type Siblings, stopSignal } from "./run-server.ts";
import type { ServeSettings } from "./settings.ts";
import { type PointsAsked, type PointsGranted, quotaBroker, sharedCount } from "./shared-limits.ts";

/** Tells a child that it is one; its value says which. */
const CHILD = "ROLLCALL_PROCESS";

/** A child that ends sooner than this after its start would only end again. */
const TOO_SOON_MS = 2000;

/** Serves on `settings.processes` processes until a signal says stop, which each of them then obeys. */
export async function serveOnProcesses(
  settings: ServeSettings,
  onListening: (address: string) => void,
): Promise<void> {
  const own = process.env[CHILD];
  if (own !== undefined) {
    const metrics = await countForMetrics(settings, { process: own });
    await runServer(settings, (address) => tellParent({ address }), siblings(metrics));
    process.disconnect?.();
    return;
  }
  if (settings.port === 0)
    throw new UsageError("--processes needs a port of its own: give --port, other than 0");
  requireFreePort(settings);
  await superviseChildren(settings, onListening);
}

/** What a child tells its parent: where it listens, once; then what it needs of a limit, and what it counted. */
type FromChild = { readonly address: string } | { readonly asked: PointsAsked } | { readonly counts: Counts };

/** What a parent tells its child: what it may spend of a limit; or that it wants to know what the child counted. */
type FromParent = { readonly granted: PointsGranted } | { readonly isScraped: true };

function tellParent(message: FromChild): void {
  process.send?.(message);
}

/** In a child: what it counts together with the others. */
function siblings(metrics: Metrics | null): Siblings {
  const waiting = new Map<string, (granted: PointsGranted) => void>();
  const nameOf = ({ limit, name }: PointsAsked) => `${limit} ${name}`;
  process.on("message", async (message: FromParent) => {
    if ("isScraped" in message) {
      tellParent({ counts: (await metrics?.counts()) ?? [] });
      return;
    }
    const { granted } = message;
    waiting.get(nameOf(granted))?.(granted);
    waiting.delete(nameOf(granted));
  });
  const ask = (asked: PointsAsked) =>
    new Promise<PointsGranted>((resolve) => {
      waiting.set(nameOf(asked), resolve); // each name is asked for once at a time
      tellParent({ asked });
    });
  return { keyCount: sharedCount("key", ask), addressCount: sharedCount("address", ask), metrics };
}

async function superviseChildren(
  settings: ServeSettings,
  onListening: (address: string) => void,
): Promise<void> {
  const { processes: count, requestsPerSecond } = settings;
  const grant = quotaBroker(requestsPerSecond, count);
  const log = logger(settings.log);
  const children = new Map<number, Bun.Subprocess>();
  const tell = (child: Bun.Subprocess, message: FromParent) => {
    try {
      child.send(message);
    } catch {
      // It has just ended: another one is started in its place.
    }
  };
  const scraped = scrapes(children, (child) => tell(child, { isScraped: true }));
  const metricsServer = await listenForMetrics(settings, scraped.counts);
  let isStopping = false;
  let listening = 0;
  let failed: (exitCode: number) => void = () => {};
  const failure = new Promise<number>((resolve) => {
    failed = resolve;
  });
  const start = (place: number): void => {
    const startedAtMs = performance.now();
    const child = Bun.spawn([process.execPath, ...process.argv.slice(1)], {
      env: { ...process.env, [CHILD]: String(place) },
      stdio: ["ignore", "inherit", "inherit"],
      ipc: async (message: FromChild, asking) => {
        if ("asked" in message) {
          const granted = await grant(message.asked);
          if (children.get(place) === asking) tell(asking, { granted });
        } else if ("counts" in message) {
          scraped.told(place, message.counts);
        } else {
          listening++;
          if (listening === count) onListening(message.address);
        }
      },
      onExit: ({ signalCode }, exitCode) => {
        children.delete(place);
        if (isStopping) return;
        if (performance.now() - startedAtMs < TOO_SOON_MS) {
          failed(exitCode ?? 1);
          return;
        }
        log.observe({ kind: "ended", process: place, ending: signalCode ?? exitCode ?? 1 });
        start(place);
      },
    });
    children.set(place, child);
  };
  for (let place = 1; place <= count; place++) start(place);
  const ended = await Promise.race([stopSignal(), failure]);
  isStopping = true;
  const left = [...children.values()];
  for (const child of left) child.kill("SIGTERM");
  await Promise.all(left.map((child) => child.exited));
  await metricsServer?.stop();
  log.flush();
  if (typeof ended === "number") process.exitCode = ended;
}

/** A child that has not sent its counts after this time is left out. */
const COUNTS_TIMEOUT_MS = 1000;

/** Asks each running child what it counted. `ask` sends the question to one; `told` takes its reply. */
function scrapes<Child>(children: ReadonlyMap<number, Child>, ask: (child: Child) => void) {
  const waiting = new Map<number, ((counts: Counts) => void)[]>();
  const countsOf = (number: number, child: Child): Promise<Counts> => {
    const told = new Promise<Counts>((resolve) => {
      waiting.set(number, [...(waiting.get(number) ?? []), resolve]);
    });
    ask(child);
    return Promise.race([told, Bun.sleep(COUNTS_TIMEOUT_MS).then(() => [])]);
  };
  return {
    counts: () => Promise.all([...children].map(([number, child]) => countsOf(number, child))),
    told(number: number, counts: Counts): void {
      for (const resolve of waiting.get(number) ?? []) resolve(counts);
      waiting.delete(number);
    },
  };
}
