// rollcall backup · restore
import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import type { Store } from "../../store/engine.ts";
import {
  type BackupDescription,
  verifyBackup,
  withBackup,
  writeBackup,
} from "../../store/sqlite/backup/backup.ts";
import { FACT_KINDS } from "../../store/tables.ts";
import { restoreContents } from "../../store/transfer/restore.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { NEW_TABLES, storeAt } from "../open.ts";
import { dbOption, option } from "../options.ts";
import { instantText, print, showProgress } from "../output.ts";

interface BackupOptions {
  readonly db: string;
  readonly out?: string;
  readonly verify?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command("backup")
    .description("Write the store and its keys to one file. Servers and imports may run meanwhile.")
    .addOption(new Option("--out <file>", "the file to write").env("ROLLCALL_OUT"))
    .addOption(new Option("--overwrite", "replace an earlier backup").env("ROLLCALL_OVERWRITE"))
    .addOption(new Option("--verify <file>", "read a backup through instead, and say if it is whole"))
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      [
        "",
        "The file holds everything, including people's data and the digests of keys: keep it as safe as the store. It is",
        "read through once and verified before it gets its name. With --overwrite it replaces an earlier backup. Every",
        "backup can be restored to a file or to PostgreSQL, wherever it came from.",
        "",
        "--verify opens no store. It says what the backup holds, or exits with 1 if the file is damaged, cut short or edited.",
        "",
        "Examples:",
        '  rollcall backup --out "/backups/rollcall-$(date +%F).backup"',
        "  rollcall backup --verify /backups/rollcall-2026-03-01.backup",
        "  rollcall backup --db postgres://rollcall_reader@db.example.com/rollcall --out rollcall.backup",
      ].join("\n"),
    )
    .action(async ({ db, out, verify, overwrite, json }: BackupOptions) => {
      if (verify !== undefined) return printVerified(verify, json);
      if (out === undefined)
        throw new UsageError("name the file to write with --out, or one to read with --verify");
      if (existsSync(out) && overwrite !== true)
        throw new CliFailure(`${out} exists already: name another file, or replace it with --overwrite`);
      const made = await backUp(storeAt(db), out);
      print(
        json,
        { file: out, ...described(made) },
        `Wrote ${out}: ${summary(made)}.\nIt was read through and its digest is right. To restore it: rollcall restore ${out}`,
      );
    });
}

async function printVerified(file: string, json?: boolean): Promise<void> {
  const backup = await verifyBackup(file);
  print(
    json,
    { file, ...described(backup) },
    `${file} is whole: a backup of ${instantText(backup.madeAtMs)} with ${summary(backup)}.\nDigest: ${backup.digest}`,
  );
}

async function backUp(store: Store, out: string): Promise<BackupDescription> {
  const progress = showProgress();
  try {
    return await store.snapshot((contents) =>
      writeBackup(contents, out, Date.now(), (rows) => progress.show(rows, null)),
    );
  } finally {
    progress.clear();
  }
}

const COUNTED = ["companies", "keys", ...FACT_KINDS] as const;

function described({ madeAtMs, digest, rows }: BackupDescription) {
  const counts = Object.fromEntries(COUNTED.map((table) => [table, rows[table]]));
  return { madeAt: instantText(madeAtMs), digest, rows: counts };
}

/** What a backup holds, in words: "companies 2, keys 3, workers 120". */
function summary({ rows }: BackupDescription): string {
  return COUNTED.map((table) => `${table.replace("_", " ")} ${rows[table]}`).join(", ");
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
      const backup = await verifyBackup(file);
      const store = storeAt(options.db);
      const db = store.shownAddress;
      const wasThere = await store.exists();
      if (wasThere && !options.yes) confirmReplacement(db, backup);
      const quarantine = await restoreInto(store, file);
      const lines = [`Restored ${db} as of ${instantText(backup.madeAtMs)}: it holds ${summary(backup)}.`];
      if (quarantine !== null) {
        lines.push(`The damaged store is now ${quarantine}: delete it when you no longer need it.`);
      } else if (wasThere) {
        lines.push("The keys of the store stay as they were.");
      }
      print(options.json, { db, ...described(backup), quarantine }, lines.join("\n"));
      if (!wasThere && store.hasReaderRole) console.error(NEW_TABLES);
    });
}

/** Returns where a damaged store was moved to; null if none was in the way. */
async function restoreInto(store: Store, file: string): Promise<string | null> {
  const onWait = () => console.error("An import is running: waiting for it to end.");
  const progress = showProgress();
  try {
    return await withBackup(file, async (contents) => {
      const { quarantine } = await store.replace(
        (transaction) => restoreContents(transaction, contents, (rows) => progress.show(rows, null)),
        onWait,
      );
      return quarantine;
    });
  } finally {
    progress.clear();
  }
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
