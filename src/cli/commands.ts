// Every command with its options. `main.ts` runs it; help, completions and man pages are made from it.
import { Command } from "commander";
import { feedsCommand } from "./commands/access/feeds.ts";
import { keysCommand } from "./commands/access/keys.ts";
import { backupCommand } from "./commands/backup.ts";
import { companiesCommand } from "./commands/companies.ts";
import { copyCommand } from "./commands/copy.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { generateCommand } from "./commands/generate.ts";
import { importCommand } from "./commands/import.ts";
import { mapCommand } from "./commands/map.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { balancesCommand, workersCommand } from "./commands/people.ts";
import { completionsCommand } from "./commands/program/completions.ts";
import { openapiCommand } from "./commands/program/openapi.ts";
import { followCommand } from "./commands/remote/follow.ts";
import { healthcheckCommand } from "./commands/remote/healthcheck.ts";
import { mcpCommand } from "./commands/remote/mcp.ts";
import { restoreCommand } from "./commands/restore.ts";
import { serveCommand } from "./commands/serve.ts";

/** `rollcall` with all its subcommands. */
export function rollcallCommand(): Command {
  return new Command("rollcall")
    .description("Open, self-hosted, read-only access to a company's workers and their time off.")
    .option("-V, --version", "print version, commit and build")
    .showHelpAfterError("(add --help for the options and examples)")
    .addCommand(demoCommand())
    .addCommand(serveCommand())
    .addCommand(companiesCommand())
    .addCommand(keysCommand())
    .addCommand(feedsCommand())
    .addCommand(workersCommand())
    .addCommand(balancesCommand())
    .addCommand(importCommand())
    .addCommand(mapCommand())
    .addCommand(exportCommand())
    .addCommand(generateCommand())
    .addCommand(migrateCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(copyCommand())
    .addCommand(followCommand())
    .addCommand(doctorCommand())
    .addCommand(healthcheckCommand())
    .addCommand(mcpCommand())
    .addCommand(openapiCommand())
    .addCommand(completionsCommand())
    .addHelpText(
      "after",
      `
Examples:
  rollcall demo                                   try it on a made-up company
  rollcall companies create acme --name "Acme"    then: rollcall keys create --company acme
  rollcall import ./export --company acme         load a folder of files
  rollcall serve                                  serve ./rollcall.db at http://127.0.0.1:4010`,
    );
}
