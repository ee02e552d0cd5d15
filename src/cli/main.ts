// The command line: a process that runs one subcommand.
import { constants, setPriority } from "node:os";
import { runCommand } from "./commands.ts";
import { noteUnwritten, printableLines, writeLine } from "./output.ts";

// Stores, exports, backups and the demo's key hold people's data: only their owner may read the files.
process.umask(0o077);

/** Commands that use a CPU for long. A server on the same machine goes first. */
const LONG = new Set([
  "import",
  "sync",
  "export",
  "generate",
  "migrate",
  "backup",
  "restore",
  "copy",
  "doctor",
]);

/** Lowers the priority of a long command. On an idle machine it is as fast as before. */
function lowerPriority(command: string): void {
  if (!LONG.has(command)) return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // The kernel forbids it: continue at the normal priority.
  }
}

// Bun's own console.log ignores a full disk: `rollcall keys create --quiet > file` would lose the key and exit with 0.
console.log = writeLine;
// Errors contain names of files, rows and companies, too.
const { error: printError } = console;
console.error = (value) => printError(printableLines(typeof value === "string" ? value : Bun.inspect(value)));
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => noteUnwritten(code));

const exitCode = await runCommand(process.argv.slice(2), (command) => lowerPriority(command.name()));
// Exit at once: a failed command may have left a store open or a timer running.
if (exitCode !== 0) process.exit(exitCode);
