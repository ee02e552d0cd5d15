// `--access-log`: a line of JSON for each read of personal data, apart from the operational log (docs/security.md, Who looked).
import { closeSync, openSync } from "node:fs";
import { pino } from "pino";
import type { Look } from "../../http/looks.ts";
import { loggedError } from "../../http/problems.ts";
import type { Observe } from "../../observe.ts";
import { CliFailure } from "../failure.ts";
import { within } from "../program.ts";

const FLUSH_TIMEOUT_MS = 5000;

export interface AccessLog {
  readonly looked: (look: Look) => void;
  /** Writes what is buffered, and closes the file. */
  close(): Promise<void>;
}

/** Opens the log, readable only by its owner, and again on SIGHUP (log rotation). Raises CliFailure; later failures go to `observe`. */
export function openAccessLog(path: string, observe: Observe): AccessLog {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw new CliFailure(`--access-log: ${(error as Error).message}: name a file that can be written to`); // openSync raises nothing else
  }
  const file = pino.destination({ dest: path, sync: false, mode: 0o600, periodicFlush: 1000 });
  file.on("error", (error: unknown) =>
    observe({ kind: "fault", requestId: null, traceId: null, error: loggedError(error, null) }),
  );
  const reopen = () => file.reopen();
  process.on("SIGHUP", reopen);
  return {
    looked: (look) => {
      file.write(`${JSON.stringify({ time: new Date().toISOString(), ...look })}\n`);
    },
    async close() {
      process.removeListener("SIGHUP", reopen);
      await within(FLUSH_TIMEOUT_MS, new Promise<void>((resolve) => file.flush(() => resolve())));
      file.destroy();
    },
  };
}
