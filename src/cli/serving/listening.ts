// Listens on an address. A failure says what to do.
import { CliFailure } from "../failure.ts";
import type { Counts } from "./metrics.ts";
import type { ServeSettings } from "./settings.ts";

/** Only programs on this machine may read metrics. */
const METRICS_HOST = "127.0.0.1";

/** Serves metrics, if a port for them is set. */
export async function listenForMetrics(
  { metricsPort }: ServeSettings,
  counts: () => Promise<readonly Counts[]>,
) {
  if (metricsPort === null) return null;
  // Loaded only when needed: it takes a tenth of the start-up time.
  const { serveMetrics } = await import("./metrics.ts");
  return tryListen(
    METRICS_HOST,
    metricsPort,
    () => serveMetrics(METRICS_HOST, metricsPort, counts),
    "--metrics-port",
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
      return new CliFailure(`This user may not listen on port ${port}: choose one above 1023 with ${flag}`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new CliFailure(`${host} is not an address of this machine: choose another with --host`);
    default:
      return null;
  }
}

/** Raises CliFailure if another program listens there. Processes that share a port would not notice it. */
export function requireFreePort({ host, port }: ServeSettings): void {
  const probe = tryListen(host, port, () => Bun.listen({ hostname: host, port, socket: { data() {} } }));
  probe.stop(true);
}
