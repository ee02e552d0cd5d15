// Taking an address to listen on, with a word on what to do where that fails.
import { CliFailure } from "../failure.ts";
import type { Counts } from "./metrics.ts";
import type { ServeSettings } from "./settings.ts";

/** Metrics are for who works on the machine. */
const METRICS_HOST = "127.0.0.1";

/** Serves metrics where a port for them is set. */
export async function listenForMetrics(
  { metricsPort }: ServeSettings,
  counts: () => Promise<readonly Counts[]>,
) {
  if (metricsPort === null) return null;
  // Loaded only when asked for: it costs a tenth of the start.
  const { serveMetrics } = await import("./metrics.ts");
  return tryListen(
    METRICS_HOST,
    metricsPort,
    () => serveMetrics(METRICS_HOST, metricsPort, counts),
    "--metrics-port",
  );
}

/** Counts where metrics are asked for. */
export async function countForMetrics(
  { metricsPort }: ServeSettings,
  labels: Readonly<Record<string, string>>,
) {
  if (metricsPort === null) return null;
  const { countMetrics } = await import("./metrics.ts");
  return countMetrics(labels);
}

export function tryListen<T>(host: string, port: number, start: () => T, flag = "--port"): T {
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
