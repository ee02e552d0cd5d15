// rollcall backup
import { Command, Option } from "commander";
import { withSnapshot } from "../../store/postgres/backup/backup.ts";
import { backUp } from "../../store/sqlite/backup/backup.ts";
import { backUpContents } from "../../store/sqlite/backup/backup-contents.ts";
import type { BackupDescription } from "../../store/sqlite/backup/backup-file.ts";
import { FACT_KINDS } from "../../store/tables.ts";
import { dbOption, isPostgres, option } from "../open.ts";
import { instantText, print } from "../output.ts";
import { showProgress } from "../progress.ts";

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
        "through once more before it takes its name. A backup that is there under this name is replaced. The file is of",
        "the same kind whatever the store is, and can be restored into either.",
        "",
        "Examples:",
        '  rollcall backup --out "/backups/rollcall-$(date +%F).backup"',
        "  rollcall backup --db postgres://rollcall_reader@db.example.com/rollcall --out rollcall.backup",
      ].join("\n"),
    )
    .action(async (options: BackupOptions) => {
      const made = isPostgres(options.db)
        ? await backUpPostgres(options.db, options.out)
        : backUp(options.db, options.out, Date.now());
      print(
        options.json,
        { file: options.out, ...described(made) },
        `Wrote ${options.out}: ${summary(made)}.\nIt was read through and its digest fits. To bring it back: rollcall restore ${options.out}`,
      );
    });
}

async function backUpPostgres(db: string, out: string): Promise<BackupDescription> {
  const progress = showProgress();
  try {
    return await withSnapshot(db, (contents) =>
      backUpContents(contents, out, Date.now(), (rows) => progress.show(rows, null)),
    );
  } finally {
    progress.clear();
  }
}

const COUNTED = ["companies", "keys", ...FACT_KINDS] as const;

export function described({ madeAtMs, digest, rows }: BackupDescription) {
  const counts = Object.fromEntries(COUNTED.map((table) => [table, rows[table] ?? 0]));
  return { madeAt: instantText(madeAtMs), digest, rows: counts };
}

/** What a backup holds, in words: "companies 2, keys 3, workers 120". */
export function summary({ rows }: BackupDescription): string {
  return COUNTED.map((table) => `${table.replace("_", " ")} ${rows[table] ?? 0}`).join(", ");
}
