// Listens on an address. A failure says what to do.
import { CliFailure } from "../failure.ts";
import type { Counts } from "./metrics.ts";
import type { ServeSettings } from "./settings.ts";

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

/** Listens by `start`. A failure names the options to change: `prefix` with "host" and "port". */
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

/** Raises CliFailure if another program listens there. Processes that share a port would not notice it. */
export function requireFreePort({ host, port }: ServeSettings): void {
  const probe = tryListen(host, port, () => Bun.listen({ hostname: host, port, socket: { data() {} } }));
  probe.stop(true);
}
