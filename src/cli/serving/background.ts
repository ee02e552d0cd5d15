// Long work beside a running server gives way to it.
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Commands that keep a processor busy for long; nobody waits for them as callers wait for a server's answers. */
const LONG = new Set(["import", "export", "generate", "migrate", "backup", "restore", "copy", "doctor"]);

/** Lowers this process's priority where the command's work is long. On an idle machine that makes nothing slower. */
export function lowerPriority(command: string): void {
  if (!LONG.has(command)) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // A thread that has just ended, or a system that does not let us: then the work goes on as it is.
    }
  }
}

/** Linux keeps a priority for each thread, and the runtime has started some; elsewhere there is one for all. */
function threads(): number[] {
  return process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
}
