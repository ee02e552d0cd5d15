// The command line: runs one subcommand and exits with 0 (done), 1 (the work failed) or 2 (wrong usage).
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { Command } from "commander";
import { version } from "../../package.json";
import { backupCommand, restoreCommand } from "./commands/backup.ts";
import { companiesCommand } from "./commands/companies.ts";
import { copyCommand } from "./commands/copy.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { generateCommand } from "./commands/generate.ts";
import { importCommand } from "./commands/import.ts";
import { keysCommand } from "./commands/keys.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { openapiCommand } from "./commands/openapi.ts";

import { serveCommand } from "./commands/serve.ts";
import { reportFailure } from "./failure.ts";
import { readBooleanFlags, requireAddresses } from "./options.ts";

// Stores, exports, backups and the demo's key hold people's data: only their owner may read the files.
process.umask(0o077);

const program = new Command("rollcall")
  .description("Open, self-hosted, read-only access to a company's workers and their time off.")
  .version(version)
  .showHelpAfterError("(add --help for the options and examples)")
  .hook("preAction", (_program, command) => {
    readBooleanFlags(command);
    requireAddresses(command);
    lowerPriority(command.name());
  })
  .addCommand(demoCommand())
  .addCommand(serveCommand())
  .addCommand(companiesCommand())
  .addCommand(keysCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(generateCommand())
  .addCommand(migrateCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(copyCommand())
  .addCommand(doctorCommand())
  .addCommand(openapiCommand())
  .addHelpText(
    "after",
    `
Examples:
  rollcall demo                                   try it on a made-up company
  rollcall companies create acme --name "Acme"    then: rollcall keys create --company acme
  rollcall import ./export --company acme         load a folder of files
  rollcall serve                                  serve ./rollcall.db at http://127.0.0.1:4010`,
  );

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
