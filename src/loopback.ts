// Hosts that mean this machine.
import { isIP } from "node:net";

const NAMES: ReadonlySet<string> = new Set(["localhost", "::1", "[::1]"]);

/** Whether a host means this machine, as options and URLs write it: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host) || (isIP(host) === 4 && host.startsWith("127."));
}
