// rollcall backup
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Commits, NewerStore } from "../../../store/engine.ts";
import {
  addToBackup,
  noteSeen,
  type Recorded,
  verifyBackup,
  writeBackup,
} from "../../../store/sqlite/backup/file.ts";
import { type BackupDescription, COUNTED } from "../../../store/sqlite/backup/format.ts";
import { StoreRefusal, StoreUnavailable } from "../../../store/store.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { storeAt } from "../../open.ts";
import { ownOption, parseSpan, StoreCommand, type StoreOptions } from "../../options.ts";
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
    .addOption(ownOption("--out <file>", "the file to write"))
    .addOption(ownOption("--overwrite", "replace an earlier backup"))
    .addOption(ownOption("--into <file>", "add the changes since the last time to a file"))
    .addOption(ownOption("--continuous", "with --into: keep running and add each change"))
    .addOption(ownOption("--every <time>", "with --continuous: how often to look").default("1s"))
    .addOption(
      ownOption("--keep <time>", "with --into: remove what was replaced longer ago than this").default("30d"),
    )
    .addOption(ownOption("--verify <file>", "read a file instead, and say whether it is undamaged"))
    .addHelpText(
      "after",
      [
        "",
        "Servers and imports may run meanwhile. A backup holds everything, including people's data and the digests of keys and",
        "feeds: keep it as safe as the store. It can be restored to a file or to PostgreSQL, wherever it came from.",
        "",
        "--out writes one file. It is read through once and verified before it gets its name. With --overwrite it replaces an",
        "earlier backup.",
        "",
        "--into is for the embedded store. The file holds the store as it was after each change. Rows that did not change are",
        "stored once. Each moment of the last --keep can be restored.",
        "",
        "--verify opens no store. It says what the backup holds, or exits with 1 if it is damaged, cut short or edited.",
        "",
        "Examples:",
        '  rollcall backup --out "/backups/rollcall-$(date +%F).backup"',
        "  rollcall backup --into /backups/rollcall.backup --continuous --keep 30d",
        "  rollcall backup --verify /backups/rollcall.backup",
        "  rollcall backup --db postgres://rollcall_reader@db.example.com/rollcall --out rollcall.backup",
      ].join("\n"),
    )
    .action(async (options: BackupOptions) => {
      const { db, out, into, verify, overwrite, json } = options;
      if (verify !== undefined) return printVerified(verify, json);
      if ((out === undefined) === (into === undefined))
        throw new UsageError(
          "name the file to write with --out, the one to add to with --into, or what to read with --verify",
        );
      if (into !== undefined) return backUpInto(into, options);
      if (options.continuous) throw new UsageError("--continuous adds to a file: name it with --into");
      await backUpTo(out!, db, overwrite, json);
    });
}

async function printVerified(file: string, json?: boolean): Promise<void> {
  const { last, ...verified } = await verifyBackup(file);
  const [first, seen] = [verified.firstMs, verified.seenMs].map(instantText);
  const since = verified.moments === 1 ? "" : `, and ${verified.moments - 1} earlier ones since ${first}`;
  print(
    json,
    { file, moments: verified.moments, first, seen, ...described(last) },
    `${file} is whole: a backup of ${instantText(last.madeAtMs)} with ${summary(last)}${since}.\nThe store was last seen unchanged at ${seen}.\nDigest: ${last.digest}`,
  );
}

async function backUpTo(out: string, db: string, overwrite?: boolean, json?: boolean): Promise<void> {
  if (existsSync(out) && overwrite !== true)
    throw new CliFailure(`${out} exists already: name another file, or replace it with --overwrite`);
  const made = await withProgress(
    () => "no backup was written",
    (show) =>
      storeAt(db).snapshot((contents) => writeBackup(contents, out, Date.now(), (rows) => show(rows, null))),
  );
  print(
    json,
    { file: out, ...described(made) },
    `Wrote ${out}: ${summary(made)}.\nIt was read through and its digest is right. To restore it: rollcall restore ${out}`,
  );
}

export function described({ madeAtMs, digest, rows }: BackupDescription) {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, rows[name]]));
  return { madeAt: instantText(madeAtMs), digest, rows: counts };
}

/** The contents of a backup in words: "companies 2, keys 3, workers 120". */
export function summary({ rows }: BackupDescription): string {
  return COUNTED.map((name) => `${name.replace("_", " ")} ${rows[name]}`).join(", ");
}

// --into: adds changes to a backup, once or continuously.

/** How often old moments are removed, and how often the backup records that the store is unchanged. */
const SWEEP_MS = 3_600_000;
const NOTE_MS = 60_000;

async function backUpInto(path: string, options: BackupIntoOptions): Promise<void> {
  const { db, continuous, every, keep, json } = options;
  const [everyMs, keepMs] = [parseSpan("--every", every), parseSpan("--keep", keep)];
  const { commits } = storeAt(db);
  if (commits === null) {
    throw new CliFailure(
      "--into is for the embedded store. PostgreSQL has its own: base backups and an archived log, for example with pgBackRest, or your provider's restore to a moment. --out works with both",
    );
  }
  await commits.mark(); // fails for a missing store, before the file is made
  const recorder = new Recorder(path, commits, keepMs, (recorded) => show(recorded, json));
  if (continuous) return follow(everyMs, () => recorder.look(Date.now()));
  await endedWhenInterrupted(
    () => "no backup was written",
    async () => {
      if (!(await recorder.look(Date.now()))) show(null, json);
    },
  );
}

function show(recorded: Recorded | null, json?: boolean): void {
  const at = instantText(recorded?.point.madeAtMs ?? null);
  const { changed, writtenBytes: bytes } = recorded ?? { changed: 0, writtenBytes: 0 };
  if (json) console.log(JSON.stringify({ at, changed, bytes, digest: recorded?.point.digest ?? null }));
  else if (recorded === null) console.log("Nothing changed since the last backup.");
  else
    console.log(
      `${at}: ${changed} changed ${changed === 1 ? "company" : "companies"}, ${bytes} bytes written`,
    );
}

/**
 * Calls `look` until a signal. A failure of the first call is raised; a later one is printed, and the call is repeated. Raises
 * CliFailure if repeating is no use: a supervisor then starts the command again, in its newer version.
 */
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
  /** The store's mark at the last look; null before the first. */
  #mark: string | null = null;
  #sweptMs = Number.NEGATIVE_INFINITY;
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly path: string,
    readonly commits: Commits,
    readonly keepMs: number,
    readonly onRecorded: (recorded: Recorded) => void,
  ) {}

  /** Records the store if it changed, and sometimes removes old moments. Returns whether the store had changed. */
  async look(nowMs: number): Promise<boolean> {
    const mark = await this.commits.mark(); // read before the snapshot, so that a commit between them is looked at next time
    let recorded: Recorded | null = null;
    if (mark !== this.#mark || nowMs - this.#sweptMs >= SWEEP_MS) {
      const create = this.#mark === null;
      recorded = await this.commits.snapshot((contents, versions) =>
        addToBackup(this.path, contents, versions, { nowMs: Date.now(), keepMs: this.keepMs, create }),
      );
      this.#sweptMs = nowMs;
    }
    if (recorded !== null) this.onRecorded(recorded);
    this.#mark = mark;
    if (nowMs - this.#notedMs >= NOTE_MS) {
      noteSeen(this.path, nowMs);
      this.#notedMs = nowMs;
    }
    return recorded !== null;
  }
}
