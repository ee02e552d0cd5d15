// Several processes on one port: the kernel spreads connections over them. The parent restarts one that ends unexpectedly or
// freezes, shares the limits among them and serves the metrics of all. The children stop when their parent is gone.
import { UsageError } from "../failure.ts";
import { childEnvironment, childNumber, sameCommand, stopSignal } from "../program.ts";
import { Children, type FromChild, sendToParent, siblings } from "./children.ts";
import { logger } from "./log.ts";
import { countForMetrics, listenForMetrics, requireFreePort, runServer } from "./run-server.ts";
import type { ServeSettings } from "./settings.ts";
import { quotaBroker } from "./shared-limits.ts";
import { renewOnHangup } from "./tls.ts";

/** A child that ends this soon after its start is not restarted: it would end again. */
const TOO_SOON_MS = 2000;

/** How often each child is asked to react, and how long it may take before it counts as frozen and is restarted. */
const BEAT_EVERY_MS = 2000;
const FROZEN_AFTER_MS = 10_000;

/** Serves with `settings.processes` processes until a signal stops them all. */
export async function serveOnProcesses(
  settings: ServeSettings,
  onListening: (address: string) => void,
): Promise<void> {
  if (childNumber !== null) {
    const metrics = await countForMetrics(settings, { process: childNumber });
    await runServer(settings, (address) => sendToParent({ address }), siblings(metrics));
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
  const { processes: count, requestsPerSecond } = settings;
  const grant = quotaBroker(requestsPerSecond, count);
  const log = logger(settings.log);
  const children = new Children();
  renewOnHangup(settings.tlsFiles, children.renewal, log.observe);
  const metricsServer = await listenForMetrics(settings, () => children.counts());
  let isStopping = false;
  let listening = 0;
  const failure = Promise.withResolvers<number>();
  const start = (number: number): void => {
    const startedAtMs = performance.now();
    const child = Bun.spawn(sameCommand(), {
      env: childEnvironment(number),
      stdio: ["ignore", "inherit", "inherit"],
      ipc: async (message: FromChild) => {
        if ("asked" in message) {
          children.grant(number, await grant(message.asked));
        } else if ("id" in message) {
          children.replied(message);
        } else {
          listening++;
          if (listening === count) onListening(message.address);
          killIfFrozen(children, number, child);
        }
      },
      onExit: ({ signalCode }, exitCode) => {
        children.ended(number);
        if (isStopping) return;
        if (performance.now() - startedAtMs < TOO_SOON_MS) {
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
  log.flush();
  if (typeof ended === "number") process.exitCode = ended;
}

/** Kills a child that does not react, so that it is restarted: the kernel would go on sending it connections. */
function killIfFrozen(children: Children, number: number, child: Bun.Subprocess): void {
  const timer = setInterval(async () => {
    if (child.exitCode !== null || child.signalCode !== null) clearInterval(timer);
    else if (!(await children.reacts(number, FROZEN_AFTER_MS))) child.kill("SIGKILL");
  }, BEAT_EVERY_MS);
  timer.unref();
}
