// rollcall backup · restore
import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { withSnapshot } from "../../store/postgres/backup/backup.ts";
import { postgresStoreExists, restorePostgres } from "../../store/postgres/backup/restore.ts";
import { backUp } from "../../store/sqlite/backup/backup.ts";
import { backUpContents, withBackupContents } from "../../store/sqlite/backup/backup-contents.ts";
import { type BackupDescription, verifyBackup } from "../../store/sqlite/backup/backup-file.ts";
import { restoreInto } from "../../store/sqlite/backup/restore.ts";
import { FACT_KINDS } from "../../store/tables.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { isPostgres, NEW_TABLES, shownDb } from "../open.ts";
import { dbOption, option } from "../options.ts";
import { instantText, print, showProgress } from "../output.ts";

interface BackupOptions {
  readonly db: string;
  readonly out: string;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command("backup")
    .description("Write the store and its keys to one file. Servers and imports may run meanwhile.")
    .addOption(new Option("--out <file>", "the file to write").env("ROLLCALL_OUT").makeOptionMandatory())
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      [
        "",
        "The file holds everything, including people's data and the digests of keys: keep it as safe as the store. It is",
        "read through once and verified before it gets its name. An earlier backup of the same name is replaced. Every",
        "backup can be restored to a file or to PostgreSQL, wherever it came from.",
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
        `Wrote ${options.out}: ${summary(made)}.\nIt was read through and its digest is right. To restore it: rollcall restore ${options.out}`,
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

function described({ madeAtMs, digest, rows }: BackupDescription) {
  const counts = Object.fromEntries(COUNTED.map((table) => [table, rows[table] ?? 0]));
  return { madeAt: instantText(madeAtMs), digest, rows: counts };
}

/** What a backup holds, in words: "companies 2, keys 3, workers 120". */
function summary({ rows }: BackupDescription): string {
  return COUNTED.map((table) => `${table.replace("_", " ")} ${rows[table] ?? 0}`).join(", ");
}

interface RestoreOptions {
  readonly db: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description("Restore a backup to a new store, or replace what a store holds.")
    .argument("<file>", "a file that rollcall backup wrote")
    .addOption(option("yes"))
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      [
        "",
        "The backup is verified first: one that was edited or cut short is refused, and nothing changes. Servers need not",
        "stop; they serve the restored data at once. An existing store keeps its keys as they are now: a key that was",
        "revoked since the backup stays revoked. A damaged store is moved aside, not deleted. A backup of a file can be",
        "restored to PostgreSQL, and the other way round.",
        "",
        "Examples:",
        "  rollcall restore /backups/rollcall-2026-03-01.backup --yes",
        "  rollcall restore rollcall.backup --db postgres://rollcall_owner@db.example.com/rollcall",
      ].join("\n"),
    )
    .action(async (file: string, options: RestoreOptions) => {
      const backup = verifyBackup(file);
      const wasThere = await isThere(options.db);
      if (wasThere && !options.yes) confirmReplacement(shownDb(options.db), backup);
      const db = shownDb(options.db);
      const quarantine = await restored(file, backup, options.db);
      const lines = [`Restored ${db} as of ${instantText(backup.madeAtMs)}: it holds ${summary(backup)}.`];
      if (quarantine !== null) {
        lines.push(`The damaged store is now ${quarantine}: delete it when you no longer need it.`);
      } else if (wasThere) {
        lines.push("The keys of the store stay as they were.");
      }
      print(options.json, { db, ...described(backup), quarantine }, lines.join("\n"));
      if (!wasThere && isPostgres(options.db)) console.error(NEW_TABLES);
    });
}

async function isThere(db: string): Promise<boolean> {
  return isPostgres(db) ? postgresStoreExists(db) : existsSync(db);
}

/** Returns where a damaged store was moved to; null if none was in the way. */
async function restored(file: string, backup: BackupDescription, db: string): Promise<string | null> {
  const onWait = () => console.error("An import is running: waiting for it to end.");
  if (!isPostgres(db)) return restoreInto(file, backup, db, onWait).quarantine;
  const progress = showProgress();
  try {
    await withBackupContents(file, (contents) =>
      restorePostgres(db, contents, onWait, (rows) => progress.show(rows, null)),
    );
  } finally {
    progress.clear();
  }
  return null;
}

function confirmReplacement(db: string, backup: BackupDescription): void {
  if (!process.stdin.isTTY) {
    throw new UsageError(`${db} exists already: add --yes to replace everything in it with the backup`);
  }
  const typed = prompt(
    `This replaces everything in ${db} with the backup of ${instantText(backup.madeAtMs)}. Type yes to continue:`,
  );
  if (typed !== "yes") throw new CliFailure("Nothing was changed.");
}
