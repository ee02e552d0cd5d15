// The command: reads argv, runs one subcommand, ends with 0 (done), 1 (the work failed) or 2 (wrong usage).
import { Command, CommanderError } from "commander";
import { version } from "../../package.json";
import { StoreRefusal, StoreUnavailable } from "../store/store.ts";
import { readSwitches } from "./boolean-flags.ts";
import { backupCommand } from "./commands/backup.ts";
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
import { restoreCommand } from "./commands/restore.ts";
import { serveCommand } from "./commands/serve.ts";
import { CliFailure } from "./failure.ts";
import { requireAddresses } from "./open.ts";
import { lowerPriority } from "./serving/background.ts";

// Stores, exports, backups and the demo's key hold people's data: whatever is created is its owner's alone.
process.umask(0o077);

const program = new Command("rollcall")
  .description("Open, self-hosted, read-only access to a company's workers and their time off.")
  .version(version)
  .showHelpAfterError("(add --help for the options and examples)")
  .hook("preAction", (_program, command) => {
    readSwitches(command);
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

/** Every command throws instead of ending the process, so that one place decides how it ends. */
function overrideExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    overrideExit(child);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CliFailure) {
    console.error(`rollcall: ${error.message}`);
    return error.exitCode;
  }
  if (error instanceof StoreRefusal || error instanceof StoreUnavailable) {
    console.error(`rollcall: ${error.message}`);
    return 1;
  }
  console.error("rollcall: this is a fault of Rollcall, please report it:");
  console.error(error);
  return 1;
}

overrideExit(program);
try {
  await program.parseAsync();
} catch (error) {
  // At once: a failed command may have left a store open or a timer running.
  process.exit(exitCodeOf(error));
}
