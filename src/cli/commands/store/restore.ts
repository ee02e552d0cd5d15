// rollcall restore
import type { Command } from "commander";
import type { AddedSecrets, ReplaceOutcome, Store } from "../../../store/engine.ts";
import { type BackupDescription, backupAt, isFolder, withBackup } from "../../../store/sqlite/backup.ts";
import { restoreContents } from "../../../store/transfer/copy.ts";
import { parseInstant } from "../../../time/instant.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { NEW_TABLES, storeAt } from "../../open.ts";
import {
  option,
  StoreCommand,
  type StoreOptions,
  type WaitOptions,
  waitingOf,
  waitOption,
} from "../../options.ts";
import { instantText, print } from "../../output.ts";
import { withProgress } from "../../program.ts";
import { described, summary } from "./backup.ts";

interface RestoreOptions extends StoreOptions, WaitOptions {
  readonly at?: number;
  readonly yes?: boolean;
}

export function restoreCommand(): Command {
  return new StoreCommand("restore")
    .description("Restore a backup to a new store, or replace what a store holds.")
    .argument("<backup>", "a file that rollcall backup wrote, or a folder of them")
    .option("--at <moment>", "of a folder: the moment to restore (default: the last one)", parseMoment)
    .addOption(waitOption())
    .addOption(option("yes"))
    .addHelpText(
      "after",
      `
The backup is verified first: one that was edited or cut short is refused, and nothing changes. Servers need not
stop; they serve the restored data at once. An existing store keeps its keys and calendar feeds as they are now: a key
that was revoked since the backup stays revoked. Keys that it does not have come from the backup. A damaged store is
moved aside, not deleted. A backup of a file can be restored to PostgreSQL, and the other way round.

A folder of rollcall backup --into holds many backups. --at restores the last one up to that time, without anything
that was committed later.`,
    )
    .examples(
      "rollcall restore /backups/rollcall-2026-03-01.backup --yes",
      "rollcall restore /backups/rollcall --at 2026-03-01T06:00:00Z --yes",
      "rollcall restore rollcall.backup --db postgres://rollcall_owner@db.example.com/rollcall",
    )
    .action(async (path: string, options: RestoreOptions) => {
      if (options.at !== undefined && !isFolder(path))
        throw new UsageError(`--at is for a folder of backups, and ${path} is not a folder`);
      let isCommitting = false;
      const outcome = () =>
        isCommitting
          ? "the restore was about to end: rollcall companies list shows whether it did"
          : "nothing was restored";
      await withProgress(outcome, (show, clear) =>
        withBackup(isFolder(path) ? backupAt(path, options.at).path : path, async (contents, backup) => {
          const store = storeAt(options.db);
          const wasThere = await store.exists();
          if (wasThere && !options.yes) confirmReplacement(store.shownAddress, backup);
          const replaced = await store.replace(async (transaction) => {
            isCommitting = false; // `replace` may begin again
            await restoreContents(transaction, contents, (rows) => show(rows, null));
            isCommitting = true;
          }, waitingOf(options));
          clear();
          printRestored(store, backup, wasThere, replaced, options.json);
        }),
      );
    });
}

function printRestored(
  store: Store,
  backup: BackupDescription,
  wasThere: boolean,
  { quarantine, added }: ReplaceOutcome,
  json?: boolean,
): void {
  const db = store.shownAddress;
  const lines = [`Restored ${db} as of ${instantText(backup.madeAtMs)}: it holds ${summary(backup)}.`];
  if (quarantine !== null) {
    lines.push(`The damaged store is now ${quarantine}: delete it when you no longer need it.`);
  } else if (wasThere) {
    lines.push("The store's keys and calendar feeds of these companies stay as they were.");
  }
  lines.push(...addedText(added));
  print(json, { db, ...described(backup), quarantine, fromBackup: added }, lines.join("\n"));
  if (!wasThere && store.isOnServer) console.error(NEW_TABLES);
}

/** Warns of keys and feeds from the backup. Any that were revoked after the backup work again. */
function addedText({ keys, feeds }: AddedSecrets): string[] {
  const ofKeys = { count: keys, noun: "key", list: "rollcall keys list" };
  const ofFeeds = { count: feeds, noun: "calendar feed", list: "rollcall feeds list" };
  const some = [ofKeys, ofFeeds].filter(({ count }) => count > 0);
  if (some.length === 0) return [];
  const counts = some.map(({ count, noun }) => `${count} ${noun}${count === 1 ? "" : "s"}`).join(" and ");
  return [
    `From the backup came ${counts}: if any was revoked since then, revoke it again (${some.map(({ list }) => list).join(", ")}).`,
  ];
}

function parseMoment(text: string): number {
  const atMs = parseInstant(text);
  if (atMs !== null) return atMs;
  throw new UsageError(`--at: "${text}" is not a moment: write for example 2026-03-01T06:00:00Z`);
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
