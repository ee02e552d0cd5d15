// Several processes on one port: the kernel spreads connections over them. The parent restarts one that ends unexpectedly,
// shares the limits among them and serves the metrics of all. The children stop when their parent is gone.
import { UsageError } from "../failure.ts";
import { countForMetrics, listenForMetrics, requireFreePort } from "./listening.ts";
import { logger } from "./log.ts";
import type { Counts, Metrics } from "./metrics.ts";
import { runServer, type Siblings, stopSignal } from "./run-server.ts";
import type { ServeSettings } from "./settings.ts";
import { type PointsAsked, type PointsGranted, quotaBroker, sharedCount } from "./shared-limits.ts";

/** Set for a child only; its value is the child's number. */
const CHILD = "ROLLCALL_PROCESS";

/** A child that ends this soon after its start is not restarted: it would end again. */
const TOO_SOON_MS = 2000;

/** Serves with `settings.processes` processes until a signal stops them all. */
export async function serveOnProcesses(
  settings: ServeSettings,
  onListening: (address: string) => void,
): Promise<void> {
  const own = process.env[CHILD];
  if (own !== undefined) {
    const metrics = await countForMetrics(settings, { process: own });
    await runServer(settings, (address) => sendToParent({ address }), siblings(metrics));
    process.disconnect?.();
    return;
  }
  if (settings.port === 0) throw new UsageError("--processes needs a fixed port: give --port, other than 0");
  requireFreePort(settings);
  await superviseChildren(settings, onListening);
}

/** From a child to its parent: its address, once; a request for points of a limit; what it counted. */
type FromChild = { readonly address: string } | { readonly asked: PointsAsked } | { readonly counts: Counts };

/** From the parent to a child: points of a limit that it may spend; or a request for what it counted. */
type FromParent = { readonly granted: PointsGranted } | { readonly isScraped: true };

function sendToParent(message: FromChild): void {
  process.send?.(message);
}

/** In a child: the limits and metrics that it shares with the others. */
function siblings(metrics: Metrics | null): Siblings {
  const waiting = new Map<string, (granted: PointsGranted) => void>();
  const nameOf = ({ limit, name }: PointsAsked) => `${limit} ${name}`;
  process.on("message", async (message: FromParent) => {
    if ("isScraped" in message) {
      sendToParent({ counts: (await metrics?.counts()) ?? [] });
      return;
    }
    const { granted } = message;
    waiting.get(nameOf(granted))?.(granted);
    waiting.delete(nameOf(granted));
  });
  const ask = (asked: PointsAsked) =>
    new Promise<PointsGranted>((resolve) => {
      waiting.set(nameOf(asked), resolve); // one request per name at a time
      sendToParent({ asked });
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
  const send = (child: Bun.Subprocess, message: FromParent) => {
    try {
      child.send(message);
    } catch {
      // It has just ended; it will be restarted.
    }
  };
  const scraped = scrapes(children, (child) => send(child, { isScraped: true }));
  const metricsServer = await listenForMetrics(settings, scraped.counts);
  let isStopping = false;
  let listening = 0;
  let failed: (exitCode: number) => void = () => {};
  const failure = new Promise<number>((resolve) => {
    failed = resolve;
  });
  const start = (number: number): void => {
    const startedAtMs = performance.now();
    const child = Bun.spawn([process.execPath, ...process.argv.slice(1)], {
      env: { ...process.env, [CHILD]: String(number) },
      stdio: ["ignore", "inherit", "inherit"],
      ipc: async (message: FromChild, asking) => {
        if ("asked" in message) {
          const granted = await grant(message.asked);
          if (children.get(number) === asking) send(asking, { granted });
        } else if ("counts" in message) {
          scraped.receive(number, message.counts);
        } else {
          listening++;
          if (listening === count) onListening(message.address);
        }
      },
      onExit: ({ signalCode }, exitCode) => {
        children.delete(number);
        if (isStopping) return;
        if (performance.now() - startedAtMs < TOO_SOON_MS) {
          failed(exitCode ?? 1);
          return;
        }
        log.observe({ kind: "ended", process: number, ending: signalCode ?? exitCode ?? 1 });
        start(number);
      },
    });
    children.set(number, child);
  };
  for (let number = 1; number <= count; number++) start(number);
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

/** Asks each running child what it counted. `ask` sends the request to one; `receive` takes its reply. */
function scrapes<Child>(children: ReadonlyMap<number, Child>, ask: (child: Child) => void) {
  const waiting = new Map<number, ((counts: Counts) => void)[]>();
  const countsOf = (number: number, child: Child): Promise<Counts> => {
    const reply = new Promise<Counts>((resolve) => {
      waiting.set(number, [...(waiting.get(number) ?? []), resolve]);
    });
    ask(child);
    return Promise.race([reply, Bun.sleep(COUNTS_TIMEOUT_MS).then(() => [])]);
  };
  return {
    counts: () => Promise.all([...children].map(([number, child]) => countsOf(number, child))),
    receive(number: number, counts: Counts): void {
      for (const resolve of waiting.get(number) ?? []) resolve(counts);
      waiting.delete(number);
    },
  };
}
