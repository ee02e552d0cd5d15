// Several processes on one port: the kernel spreads connections over them. One that ends unasked is started again.
import { UsageError } from "./failure.ts";
import { requireFreePort, runServer, stopSignal } from "./run-server.ts";
import type { ServeSettings } from "./serve-settings.ts";

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
    // Metrics have one port: the first process speaks for itself there.
    const mine = own === "1" ? settings : { ...settings, metricsPort: null };
    await runServer(mine, (address) => process.send?.({ address }), true);
    return;
  }
  if (settings.port === 0)
    throw new UsageError("--processes needs a port of its own: give --port, other than 0");
  requireFreePort(settings);
  await superviseChildren(settings.processes, onListening);
}

async function superviseChildren(count: number, onListening: (address: string) => void): Promise<void> {
  const children = new Map<number, Bun.Subprocess>();
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
      ipc: (message: { readonly address: string }) => {
        listening++;
        if (listening === count) onListening(message.address);
      },
      onExit: (_child, exitCode) => {
        children.delete(place);
        if (isStopping) return;
        if (performance.now() - startedAtMs < TOO_SOON_MS) failed(exitCode ?? 1);
        else start(place);
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
  if (typeof ended === "number") process.exitCode = ended;
}
