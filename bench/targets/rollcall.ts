// Rollcall as an operator starts it, but without the log, and without the rate limit of a key, which a load test exceeds.
import { join } from "node:path";
import { TODAY } from "../data/shape.ts";
import { type Running, type StartOptions, start } from "./process.ts";

export const ROLLCALL = join(import.meta.dir, "..", "..", "bin", "rollcall");

export interface RollcallOptions {
  readonly storePath: string;
  readonly port: number;
  /** Memory for cached responses in megabytes; the command's default is 64. */
  readonly cacheMegabytes: number;
  readonly apiKey: string;
  readonly processes?: number;
  readonly cores?: StartOptions["cores"];
}

export function startRollcall(options: RollcallOptions): Promise<Running> {
  const settings: Record<string, string> = {
    db: options.storePath,
    port: String(options.port),
    cache: String(options.cacheMegabytes),
    "rate-limit": "0",
    log: "problems",
    today: TODAY,
    ...(options.processes === undefined ? {} : { processes: String(options.processes) }),
  };
  return start({
    command: [
      ROLLCALL,
      "serve",
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ],
    address: `http://127.0.0.1:${options.port}`,
    readyPath: "/v1/workers?limit=1",
    headers: { "x-api-key": options.apiKey },
    ...(options.cores === undefined ? {} : { cores: options.cores }),
  });
}
