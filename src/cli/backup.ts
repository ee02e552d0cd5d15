// rollcall backup
import { Command, Option } from "commander";
import { backUp } from "../store/sqlite/backup.ts";
import type { BackupDescription } from "../store/sqlite/backup-file.ts";
import { UsageError } from "./failure.ts";
import { dbOption, isPostgres, option } from "./open.ts";
import { instantText, print } from "./output.ts";

interface BackupOptions {
  readonly db: string;
  readonly out: string;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command("backup")
    .description("Write a copy of the store and its keys into one file, while others serve and import.")
    .addOption(new Option("--out <file>", "the file to write").env("ROLLCALL_OUT").makeOptionMandatory())
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      [
        "",
        "The file holds everything, people's data and the digests of keys: keep it as safe as the store. It is read",
        "through once more before it takes its name. A backup that is there under this name is replaced.",
        "",
        "Example:",
        '  rollcall backup --out "/backups/rollcall-$(date +%F).backup"',
      ].join("\n"),
    )
    .action((options: BackupOptions) => {
      if (isPostgres(options.db)) throw refusePostgres("backup", "pg_dump");
      const made = backUp(options.db, options.out, Date.now());
      print(
        options.json,
        { file: options.out, ...described(made) },
        `Wrote ${options.out}: ${summary(made)}.\nIt was read through and its digest fits. To bring it back: rollcall restore ${options.out}`,
      );
    });
}

export function refusePostgres(command: string, tool: string): UsageError {
  return new UsageError(
    `rollcall ${command} is for the embedded store: for PostgreSQL use ${tool}, or rollcall copy to a file and that file here`,
  );
}

export function described(backup: BackupDescription) {
  const { madeAtMs, digest, rows } = backup;
  return { madeAt: instantText(madeAtMs), digest, rows };
}

/** What a backup holds, in words: "2 companies, 3 keys, 120 workers". */
export function summary({ rows }: BackupDescription): string {
  const { companies = 0, keys = 0, ...facts } = rows;
  const parts = [
    `${companies} ${companies === 1 ? "company" : "companies"}`,
    `${keys} ${keys === 1 ? "key" : "keys"}`,
  ];
  for (const [table, count] of Object.entries(facts)) parts.push(`${count} ${table.replace("_", " ")}`);
  return parts.join(", ");
}
