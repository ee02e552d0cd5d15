// rollcall restore
import { existsSync } from "node:fs";
import { Command } from "commander";
import { type BackupDescription, verifyBackup } from "../store/sqlite/backup-file.ts";
import { restoreInto } from "../store/sqlite/restore.ts";
import { described, refusePostgres, summary } from "./backup.ts";
import { CliFailure, UsageError } from "./failure.ts";
import { dbOption, isPostgres, option } from "./open.ts";
import { instantText, print } from "./output.ts";

interface RestoreOptions {
  readonly db: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description("Bring a backup back, into a store that is missing or in place of what a store holds.")
    .argument("<file>", "what rollcall backup wrote")
    .addOption(option("yes"))
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      [
        "",
        "The backup is read through first: one that was edited or cut short is refused and nothing changes. Servers need",
        "not be stopped; they answer from the restored data at once. Over a store that is there, its keys stay as they",
        "are now: a key that was revoked since the backup stays revoked. A damaged store is set aside, not deleted.",
        "",
        "Example:",
        "  rollcall restore /backups/rollcall-2026-03-01.backup --yes",
      ].join("\n"),
    )
    .action((file: string, options: RestoreOptions) => {
      if (isPostgres(options.db)) throw refusePostgres("restore", "pg_restore");
      const backup = verifyBackup(file);
      if (existsSync(options.db) && !options.yes) confirmReplacement(options.db, backup);
      const { setAside } = restoreInto(file, backup, options.db, () =>
        console.error("An import is running: waiting for it to end."),
      );
      const lines = [`Restored ${options.db} as of ${instantText(backup.madeAtMs)}: ${summary(backup)}.`];
      if (setAside !== null) {
        lines.push(`The damaged store is kept as ${setAside}: delete it when it is not needed any more.`);
      }
      print(options.json, { db: options.db, ...described(backup), setAside }, lines.join("\n"));
    });
}

function confirmReplacement(db: string, backup: BackupDescription): void {
  if (!process.stdin.isTTY) {
    throw new UsageError(`${db} is there already: add --yes to replace everything in it with the backup`);
  }
  const typed = prompt(
    `This replaces everything in ${db} with its state of ${instantText(backup.madeAtMs)}. Type yes to go on:`,
  );
  if (typed !== "yes") throw new CliFailure("Nothing was changed.");
}
