// rollcall backup --into: adds what changed to a folder of backups, once or for as long as it runs.
import type { Commits } from "../../store/engine.ts";
import { WritableBackupFolder } from "../../store/sqlite/backup/folder.ts";
import { type Recorded, recordPoint } from "../../store/sqlite/backup/points.ts";
import { Retention } from "../../store/sqlite/backup/retention.ts";
import { StoreRefusal, StoreUnavailable } from "../../store/store.ts";
import { CliFailure } from "../failure.ts";
import { storeAt } from "../open.ts";
import { instantText } from "../output.ts";
import { parseSpan } from "../parse.ts";
import { stopSignal } from "../program.ts";

export interface BackupIntoOptions {
  readonly db: string;
  readonly continuous?: boolean;
  readonly every: string;
  readonly keep: string;
  readonly json?: boolean;
}

/** How often old backups are removed, and how often it is noted that the store is still as in the last one. */
const SWEEP_MS = 3_600_000;
const NOTE_MS = 60_000;

export async function backUpInto(path: string, options: BackupIntoOptions): Promise<void> {
  const { db, continuous, every, keep, json } = options;
  const [everyMs, keepMs] = [parseSpan("--every", every), parseSpan("--keep", keep)];
  const { commits } = storeAt(db);
  if (commits === null) {
    throw new CliFailure(
      "--into is for the embedded store. PostgreSQL has its own: base backups and an archived log, for example with pgBackRest, or your provider's restore to a moment. --out works with both",
    );
  }
  await commits.mark(); // refuses a store that is missing, before the folder is made
  const folder = WritableBackupFolder.open(path);
  try {
    const recorder = new Recorder(folder, commits, keepMs, (recorded) => show(recorded, json));
    if (continuous) await follow(everyMs, () => recorder.look(Date.now()));
    else if (!(await recorder.look(Date.now()))) show(null, json);
  } finally {
    folder.close();
  }
}

function show(recorded: Recorded | null, json?: boolean): void {
  const [at, changed, bytes] = [
    instantText(recorded?.point.madeAtMs ?? null),
    recorded?.changed,
    recorded?.writtenBytes,
  ];
  if (json)
    console.log(
      JSON.stringify({
        at,
        changed: changed ?? 0,
        bytes: bytes ?? 0,
        digest: recorded?.point.digest ?? null,
      }),
    );
  else if (recorded === null) console.log("Nothing changed since the last backup.");
  else
    console.log(
      `${at}: ${changed} changed ${changed === 1 ? "company" : "companies"}, ${bytes} bytes written`,
    );
}

/** Looks again and again until SIGINT or SIGTERM. What fails the first time is raised; later it is said, and tried again. */
async function follow(everyMs: number, look: () => Promise<unknown>): Promise<void> {
  let isStopping = false;
  const stopped = stopSignal().then(() => {
    isStopping = true;
  });
  await look();
  let problem: string | null = null;
  for (;;) {
    await Promise.race([stopped, Bun.sleep(everyMs)]);
    if (isStopping) return;
    try {
      await look();
      if (problem !== null) console.error("rollcall: backups go on.");
      problem = null;
    } catch (error) {
      if (!(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
      if (error.message !== problem)
        console.error(`rollcall: not backed up: ${error.message}. It is tried again.`);
      problem = error.message;
    }
  }
}

class Recorder {
  readonly #folder: WritableBackupFolder;
  readonly #commits: Commits;
  readonly #retention: Retention;
  readonly #onRecorded: (recorded: Recorded) => void;
  /** As it was before the last look. */
  #mark = "";
  #sweptMs = Number.NEGATIVE_INFINITY;
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(
    folder: WritableBackupFolder,
    commits: Commits,
    keepMs: number,
    onRecorded: (recorded: Recorded) => void,
  ) {
    this.#folder = folder;
    this.#commits = commits;
    this.#retention = new Retention(folder, keepMs);
    this.#onRecorded = onRecorded;
  }

  /** Records what the store is, if it changed; now and then removes what is too old. Returns whether it had changed. */
  async look(nowMs: number): Promise<boolean> {
    const mark = await this.#commits.mark(); // before the snapshot: what is committed between is looked at again
    const recorded = mark === this.#mark ? null : await this.#record();
    this.#mark = mark;
    if (nowMs - this.#notedMs >= NOTE_MS) {
      this.#folder.noteSeen(this.#folder.points().at(-1)!, nowMs);
      this.#notedMs = nowMs;
    }
    if (nowMs - this.#sweptMs >= SWEEP_MS) {
      this.#retention.sweep(nowMs);
      this.#sweptMs = nowMs;
    }
    return recorded !== null;
  }

  async #record(): Promise<Recorded | null> {
    const recorded = await this.#commits.snapshot((contents, versions) =>
      recordPoint(this.#folder, contents, versions, Date.now()),
    );
    if (recorded !== null) this.#onRecorded(recorded);
    return recorded;
  }
}
