// Several processes on one port. The parent restarts a child that ends unexpectedly, and serves the metrics of all.
import { UsageError } from "../failure.ts";
import { childEnvironment, childNumber, sameCommand, stopSignal, within } from "../program.ts";
import { logger } from "./log.ts";
import type { Counts, Metrics } from "./metrics.ts";
import {
  countForMetrics,
  listenForMetrics,
  requireFreePort,
  runServer,
  type Siblings,
} from "./run-server.ts";
import type { ServeSettings } from "./settings.ts";

/** A child that ends this soon is not restarted, because it would end again. The same holds before any child has listened. */
const TOO_SOON_MS = 2000;

/** Serves with `settings.processes` processes until a signal stops them all. */
export async function serveOnProcesses(
  settings: ServeSettings,
  onListening: (address: string) => void,
): Promise<void> {
  if (childNumber !== null) {
    const metrics = await countForMetrics(settings, { process: childNumber });
    const steps = stopSteps();
    let listens = false;
    void steps.ordered.promise.then(() => {
      if (!listens) process.exit(); // no response is open, and the child may be waiting for a database
    });
    const onChildListening = (address: string) => {
      listens = true;
      sendToParent({ address });
    };
    await runServer(settings, onChildListening, siblings(metrics, steps));
    process.disconnect?.();
    return;
  }
  if (settings.port === 0) throw new UsageError("--processes needs a fixed port: give --port, other than 0");
  requireFreePort(settings);
  await superviseChildren(settings, onListening);
}

async function superviseChildren(
  settings: ServeSettings,
  onListening: (address: string) => void,
): Promise<void> {
  const { processes: count } = settings;
  const log = logger(settings.log);
  const children = new Children();
  // SIGHUP ends a server in a terminal, unless there is a certificate or an access log to open again.
  if (settings.tlsFiles !== null || settings.accessLog !== null || !process.stdin.isTTY)
    process.on("SIGHUP", () => children.renew());
  const metricsServer = await listenForMetrics(settings, () => children.counts());
  let isStopping = false;
  /** The numbers of children that have listened, even if they ended since. */
  const listened = new Set<number>();
  const failure = Promise.withResolvers<number>();
  const start = (number: number): void => {
    const startedAtMs = performance.now();
    const child = Bun.spawn(sameCommand(), {
      env: childEnvironment(number),
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (message: FromChild) => {
        if ("id" in message) {
          children.replied(message);
        } else if (!listened.has(number) && listened.add(number).size === count) {
          onListening(message.address);
        }
      },
      onExit: ({ signalCode }, exitCode) => {
        children.ended(number);
        if (isStopping) return;
        const mayRecover = listened.size > 0 || exitCode === null;
        if (performance.now() - startedAtMs < TOO_SOON_MS || !mayRecover) {
          failure.resolve(exitCode ?? 1);
          return;
        }
        log.observe({ kind: "ended", process: number, ending: signalCode ?? exitCode ?? 1 });
        start(number);
      },
    });
    children.started(number, child);
  };
  for (let number = 1; number <= count; number++) start(number);
  const ended = await Promise.race([stopSignal(), failure.promise]);
  isStopping = true;
  const left = children.running();
  await children.stop();
  await Promise.all(left.map((child) => child.exited));
  await metricsServer?.stop();
  await log.flush();
  if (typeof ended === "number") process.exitCode = ended;
}

// Messages between the parent of several serving processes and its children.

/** An order to a child. The last three are the steps of a stop: become idle, close the listener, send the last responses. */
type Order = "counts" | "renew" | "stop" | "close" | "release";

/** From the parent to a child: an order with its number. */
interface FromParent {
  readonly id: number;
  readonly order: Order;
}

/** From a child to its parent: first its address, then the end of each order. */
type FromChild = { readonly address: string } | { readonly id: number; readonly counts: Counts };

function sendToParent(message: FromChild): void {
  process.send?.(message);
}

/** In a child: from now on, it obeys the parent's orders. Returns what it shares with the other processes. */
function siblings(metrics: Metrics | null, steps: StopSteps): Siblings {
  process.on("message", async ({ id, order }: FromParent) => {
    const counts = order === "counts" ? ((await metrics?.counts()) ?? []) : [];
    await obey(order, steps);
    sendToParent({ id, counts });
  });
  return {
    metrics,
    stopOrdered: steps.ordered.promise,
    stopTogether: {
      areQuiet() {
        steps.quiet.resolve();
        return steps.mayClose.promise;
      },
      areClosed() {
        steps.closed.resolve();
        return steps.mayRelease.promise;
      },
    },
  };
}

type StopSteps = ReturnType<typeof stopSteps>;

/** In a child: the steps of a stop, which the parent orders. Signals, which may reach all processes, are ignored. */
function stopSteps() {
  const step = () => Promise.withResolvers<void>();
  const steps = { ordered: step(), quiet: step(), mayClose: step(), closed: step(), mayRelease: step() };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  process.once("disconnect", () => {
    for (const { resolve } of [steps.ordered, steps.mayClose, steps.mayRelease]) resolve();
  });
  return steps;
}

async function obey(order: Order, steps: StopSteps): Promise<void> {
  if (order === "stop") {
    steps.ordered.resolve();
    await steps.quiet.promise;
  }
  if (order === "close") {
    steps.mayClose.resolve();
    await steps.closed.promise;
  }
  if (order === "release") steps.mayRelease.resolve();
  // As if the signal had come to the child. A child that does not listen yet will read the new files anyway.
  if (order === "renew") process.emit("SIGHUP", "SIGHUP");
}

/** The metrics leave out a child that takes longer to send its counts. */
const COUNTS_TIMEOUT_MS = 1000;

/** Exceeds the time for which a child holds back its last responses. */
const STOP_STEP_TIMEOUT_MS = 5000;

/** In the parent: the running children by number, and the orders that they have not finished. */
class Children {
  readonly #running = new Map<number, Bun.Subprocess>();
  readonly #waiting = new Map<number, { readonly child: number; resolve(counts: Counts): void }>();
  #lastId = 0;

  started(number: number, child: Bun.Subprocess): void {
    this.#running.set(number, child);
  }

  /** Settles the orders of a child that ended. */
  ended(number: number): void {
    this.#running.delete(number);
    for (const [id, { child }] of this.#waiting) {
      if (child === number) this.replied({ id, counts: [] });
    }
  }

  running(): Bun.Subprocess[] {
    return [...this.#running.values()];
  }

  replied({ id, counts }: { readonly id: number; readonly counts: Counts }): void {
    this.#waiting.get(id)?.resolve(counts);
    this.#waiting.delete(id);
  }

  async counts(): Promise<Counts[]> {
    const replies = [...this.#running.keys()].map((number) =>
      within(COUNTS_TIMEOUT_MS, this.#ask(number, "counts")),
    );
    return (await Promise.all(replies)).map((counts) => counts ?? []);
  }

  /** Tells each child to renew its certificate. Each logs the outcome. */
  renew(): void {
    for (const number of this.#running.keys()) void this.#ask(number, "renew");
  }

  /** Stops all children in step. Kills a child that does not react. */
  async stop(): Promise<void> {
    for (const step of ["stop", "close", "release"] as const) {
      const orders = [...this.#running].map(async ([number, child]) => {
        const reply = await within(STOP_STEP_TIMEOUT_MS, this.#ask(number, step));
        if (reply === undefined) child.kill("SIGKILL");
      });
      await Promise.all(orders);
    }
  }

  #ask(number: number, order: Order): Promise<Counts> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, { child: number, resolve });
      try {
        this.#running.get(number)?.send({ id, order } satisfies FromParent);
      } catch {
        // The child has just ended, and will be restarted.
      }
    });
  }
}
