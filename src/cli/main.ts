// The command line: runs one subcommand and exits with 0 (done), 1 (the work failed) or 2 (wrong usage).
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import type { Command } from "commander";
import { rollcallCommand } from "./commands.ts";
import { reportFailure } from "./failure.ts";
import { readBooleanFlags, requireAddresses, warnOfPasswords } from "./options.ts";
import { buildText, childNumber } from "./program.ts";

// Stores, exports, backups and the demo's key hold people's data: only their owner may read the files.
process.umask(0o077);

const program = (await rollcallCommand(process.argv.slice(2)))
  .hook("preAction", (_program, command) => {
    readBooleanFlags(command);
    requireAddresses(command);
    if (childNumber === null) warnOfPasswords(command);
    lowerPriority(command.name());
  })
  .on("option:version", () => {
    console.log(buildText());
    process.exit(0);
  });

/** Makes every command throw instead of exiting, so that one place chooses the exit code. */
function overrideExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    overrideExit(child);
  }
}

/** Commands that use a CPU for long. A server on the same machine goes first. */
const LONG = new Set(["import", "export", "generate", "migrate", "backup", "restore", "copy", "doctor"]);

/** Lowers the priority of a long command. On an idle machine it is as fast as before. */
function lowerPriority(command: string): void {
  if (!LONG.has(command)) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // The thread has ended, or the kernel forbids it: go on at the normal priority.
    }
  }
}

/** Linux has a priority for each thread, and Bun has started some; elsewhere a process has one. */
function threads(): number[] {
  return process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
}

overrideExit(program);
try {
  await program.parseAsync();
} catch (error) {
  // Exit at once: a failed command may have left a store open or a timer running.
  process.exit(reportFailure(error));
}
