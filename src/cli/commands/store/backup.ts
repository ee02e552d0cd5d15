// rollcall backup
import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import { NewerStore, type Store, type StoreInFile } from "../../../store/engine.ts";
import {
  addToFolder,
  type BackupDescription,
  backupAt,
  backupsIn,
  COUNTED,
  DamagedBackup,
  isFolder,
  type KeptBackup,
  noteSeen,
  thinFolder,
  withBackup,
  writeBackup,
} from "../../../store/sqlite/backup.ts";
import { StoreRefusal, StoreUnavailable } from "../../../store/store.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { storeAt } from "../../open.ts";
import { parseSpan, StoreCommand, type StoreOptions } from "../../options.ts";
import { instantText, print } from "../../output.ts";
import { endedWhenInterrupted, stopSignal, within, withProgress } from "../../program.ts";

interface BackupIntoOptions extends StoreOptions {
  readonly continuous?: boolean;
  readonly every: string;
  readonly keep: string;
}

interface BackupOptions extends BackupIntoOptions {
  readonly out?: string;
  readonly into?: string;
  readonly verify?: string;
  readonly overwrite?: boolean;
}

export function backupCommand(): Command {
  return new StoreCommand("backup")
    .description("Write the store, its keys and its calendar feeds to a file, once or at each change.")
    .option("--out <file>", "the file to write")
    .option("--overwrite", "replace an earlier backup")
    .option("--into <folder>", "add a backup to a folder, if the store changed since the last one")
    .option("--continuous", "with --into: keep running and add one after each change")
    .option("--every <time>", "with --continuous: how often to look", "1s")
    .option("--keep <time>", "with --into: for how long the last backup of each day is kept", "30d")
    .option("--verify <path>", "read a backup or a folder of them, and say whether it is undamaged")
    .addHelpText(
      "after",
      `
Servers and imports may run meanwhile. A backup holds everything, including people's data and the digests of keys and
feeds: keep it as safe as the store. It can be restored to a file or to PostgreSQL, wherever it came from. It is read
and checked before it gets its name.

--into is for the embedded store. Each file in the folder is a whole backup, named after its time. Those of the last
24 hours are kept, and the last of each day (UTC) before that.

--verify opens no store. It says what the backup holds, or exits with 1 if one is damaged, cut short or edited.`,
    )
    .examples(
      'rollcall backup --out "/backups/rollcall-$(date +%F).backup"',
      "rollcall backup --into /backups/rollcall --continuous --keep 30d",
      "rollcall backup --verify /backups/rollcall",
      "rollcall backup --db postgres://rollcall_reader@db.example.com/rollcall --out rollcall.backup",
    )
    .action(async (options: BackupOptions) => {
      const { db, out, into, verify, overwrite, json } = options;
      if (verify !== undefined) return printVerified(verify, json);
      if ((out === undefined) === (into === undefined))
        throw new UsageError(
          "name the file to write with --out, the folder to add to with --into, or what to read with --verify",
        );
      if (into !== undefined) return backUpInto(into, options);
      if (options.continuous) throw new UsageError("--continuous adds to a folder: name it with --into");
      await backUpTo(out!, db, overwrite, json);
    });
}

async function printVerified(path: string, json?: boolean): Promise<void> {
  const backups = isFolder(path) ? backupsIn(path).map((backup) => backup.path) : [path];
  const newest = isFolder(path) ? backupAt(path).path : path;
  const whole: BackupDescription[] = [];
  const bad: string[] = [];
  for (const backup of backups) {
    try {
      whole.push(await withBackup(backup, async (_, description) => description));
    } catch (error) {
      if (backups.length === 1 || !(error instanceof DamagedBackup)) throw error;
      bad.push(backup);
    }
  }
  const last = whole.at(-1);
  if (bad.length > 0 || last === undefined) {
    const rest = last === undefined ? "" : `; the last whole one is of ${instantText(last.madeAtMs)}`;
    throw new CliFailure(`${bad.join(", ")}: damaged${rest}. Move what is damaged elsewhere`);
  }
  const first = instantText(whole[0]!.madeAtMs);
  // In a folder of backups, the newest file's time is when the store was last seen unchanged. Elsewhere, it may be the time of a copy.
  const seenMs = isFolder(path) ? Math.floor(statSync(newest).mtimeMs) : last.madeAtMs;
  const seen = instantText(Math.max(last.madeAtMs, seenMs));
  const since = whole.length === 1 ? "" : `, and ${whole.length - 1} earlier ones since ${first}`;
  print(
    json,
    { file: newest, moments: whole.length, first, seen, ...described(last) },
    `${newest} is whole: a backup of ${instantText(last.madeAtMs)} with ${summary(last)}${since}.\nThe store was last seen unchanged at ${seen}.`,
  );
}

async function backUpTo(out: string, db: string, overwrite?: boolean, json?: boolean): Promise<void> {
  if (existsSync(out) && overwrite !== true)
    throw new CliFailure(`${out} exists already: name another file, or replace it with --overwrite`);
  const made = await withProgress(
    () => "no backup was written",
    (show) => writeBackup(storeAt(db), out, { now: Date.now, onRows: (rows) => show(rows, null) }),
  );
  print(
    json,
    { file: out, ...described(made) },
    `Wrote ${out}: ${summary(made)}.\nIt was read through. To restore it: rollcall restore ${out}`,
  );
}

export function described({ madeAtMs, rows }: BackupDescription) {
  return { madeAt: instantText(madeAtMs), rows };
}

/** The contents of a backup in words: "companies 2, keys 3, workers 120". */
export function summary({ rows }: BackupDescription): string {
  return COUNTED.map((name) => `${name.replace("_", " ")} ${rows[name]}`).join(", ");
}

// --into: adds backups to a folder, once or continuously.

/** How often old backups are removed, and how often the newest file's time is updated while the store is unchanged. */
const THIN_MS = 3_600_000;
const NOTE_MS = 60_000;

/** A backup's name has this many digits of the digest of the store's state. */
const STATE_DIGITS = 12;

async function backUpInto(folder: string, options: BackupIntoOptions): Promise<void> {
  const { db, continuous, every, keep, json } = options;
  const [everyMs, keepMs] = [parseSpan("--every", every), parseSpan("--keep", keep)];
  const recorder = new Recorder(storeAt(db), folder, keepMs, (backup) => show(backup, json));
  if (continuous) return follow(everyMs, () => recorder.look(Date.now()));
  await endedWhenInterrupted(
    () => "no backup was written",
    async () => {
      if (!(await recorder.look(Date.now()))) show(null, json);
    },
  );
}

function show(backup: KeptBackup | null, json?: boolean): void {
  const file = backup?.path ?? null;
  const at = instantText(backup?.madeAtMs ?? null);
  const bytes = file === null ? 0 : statSync(file).size;
  if (json) console.log(JSON.stringify({ at, file, bytes }));
  else
    console.log(
      file === null ? "Nothing changed since the last backup." : `${at}: wrote ${file}, ${bytes} bytes`,
    );
}

/** Calls `look` until a signal. Raises a failure of the first call, and prints later ones. Raises CliFailure for a newer store. */
async function follow(everyMs: number, look: () => Promise<unknown>): Promise<void> {
  let isStopping = false;
  const stop = stopSignal().then(() => {
    isStopping = true;
  });
  await look();
  let problem: string | null = null;
  for (;;) {
    await within(everyMs, stop);
    if (isStopping) return;
    try {
      await look();
      if (problem !== null) console.error("rollcall: backups go on.");
      problem = null;
    } catch (error) {
      if (error instanceof NewerStore) throw new CliFailure(`backups have ended: ${error.message}`);
      if (!(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
      if (error.message !== problem)
        console.error(`rollcall: not backed up: ${error.message}. Trying again.`);
      problem = error.message;
    }
  }
}

class Recorder {
  readonly #store: StoreInFile;
  #hasLooked = false;
  #thinnedMs = Number.NEGATIVE_INFINITY;
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly store: Store,
    readonly folder: string,
    readonly keepMs: number,
    readonly onBackup: (backup: KeptBackup) => void,
  ) {
    if (store.file === null)
      throw new CliFailure(
        "--into is for the embedded store. PostgreSQL has its own: base backups and an archived log, for example with pgBackRest, or your provider's restore to a moment. --out works with both",
      );
    this.#store = store.file;
  }

  /** Adds a backup if the store changed, and removes old ones from time to time. Returns whether the store had changed. */
  async look(nowMs: number): Promise<boolean> {
    const mark = await this.#store.mark(); // read before the backup, so that the next call notices a commit between the two
    const state = new Bun.CryptoHasher("sha256").update(mark).digest("hex").slice(0, STATE_DIGITS);
    let last = backupsIn(this.folder).at(-1);
    if (last === undefined && this.#hasLooked)
      throw new StoreRefusal(
        `${this.folder} has no backups any more`,
        "bring them back, or start the command again to begin anew",
      );
    const hasChanged = last?.state !== state;
    if (hasChanged) {
      last = await addToFolder(this.store, this.folder, state, Date.now);
      this.onBackup(last);
    }
    this.#hasLooked = true;
    if (hasChanged || nowMs - this.#thinnedMs >= THIN_MS) {
      thinFolder(this.folder, nowMs, this.keepMs);
      this.#thinnedMs = nowMs;
    }
    if (nowMs - this.#notedMs >= NOTE_MS) {
      noteSeen(last!, nowMs);
      this.#notedMs = nowMs;
    }
    return hasChanged;
  }
}
