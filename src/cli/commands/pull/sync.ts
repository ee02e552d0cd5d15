// rollcall sync: pulls and imports, once or repeatedly. Only one sync of a company runs at a time.
import { Database, SQLiteError } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { PRESET_PULL_FILES } from "../../../onboarding/presets/index.ts";
import { PullRefused } from "../../../pull/errors.ts";
import { onDisk } from "../../../pull/folder.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { pulledFolders, withWriteStore } from "../../open.ts";
import { ownOption, parseSpan } from "../../options.ts";
import { instantText } from "../../output.ts";
import { endedWhenInterrupted, stopSignal, version, within } from "../../program.ts";
import { checkCompany } from "../companies.ts";
import {
  commandText,
  type ImportCommandOptions,
  importCommand,
  importFailureOf,
  importFiles,
  mappingAt,
  noteFailure,
  printImport,
} from "../import.ts";
import { failureOf, type PullingOptions, prepare, pullInto, withPullingOptions } from "./pulling.ts";

/** A timer can wait at most 24.8 days. */
const MAX_EVERY_MS = 20 * 86_400_000;

/** Options that sync does not offer: it always prunes, and is never a dry run. */
const OPTIONS_FIXED_BY_SYNC: ReadonlySet<string | undefined> = new Set(["--dry-run", "--prune"]);

interface Options extends PullingOptions, ImportCommandOptions {
  readonly every?: string;
}

export function syncCommand(): Command {
  const command = withPullingOptions(
    new Command("sync").description(
      "Pull from an HR system's API, import it, and remove what the API no longer has.",
    ),
  ).addOption(ownOption("--every <duration>", "repeat until a signal, at this interval from start to start"));
  for (const option of importCommand().options)
    if (!OPTIONS_FIXED_BY_SYNC.has(option.long)) command.addOption(option);
  return command
    .addHelpText(
      "after",
      `
Examples:
  export BAMBOOHR_COMPANY=acme BAMBOOHR_KEY_FILE=/etc/rollcall/bamboohr.key
  rollcall sync bamboohr --company acme --strict                  once, as for cron
  rollcall sync bamboohr --company acme --strict --every 1h       until SIGTERM
  rollcall sync bamboohr --company acme --map acme.map.json       with the rules of policies
  rollcall sync ./hr.pull.json --company acme                     with hr.map.json beside it

Exit codes: 0 imported, 1 refused (nothing changed), 2 wrong usage, 3 imported except for rows in quarantine,
4 the API is away: try again later.
Pull files: docs/pull.md`,
    )
    .action(sync);
}

async function sync(file: string, options: Options): Promise<void> {
  const everyMs = options.every === undefined ? null : parseSpan("--every", options.every);
  if (everyMs !== null && (everyMs > MAX_EVERY_MS || everyMs < 1000))
    throw new UsageError("--every: is not between 1s and 20d");
  const map = options.map ?? mappingBeside(file);
  // Checked before the first request: a mistake is reported at once, and ends a repeated sync, too.
  await prepare(file, options);
  await mappingAt(map).catch((error: unknown) => {
    throw importFailureOf(error, options);
  });
  await withWriteStore(options.db, (store) => checkCompany(store, options.company));
  const root = pulledFolders(options.db);
  onDisk(root, () => mkdirSync(root, { recursive: true, mode: 0o700 }));
  const release = lock(join(root, `${options.company}.lock`), options.company);
  try {
    if (everyMs === null)
      process.exitCode = await syncOnce(file, { ...options, map }, join(root, options.company));
    else await repeat(everyMs, () => syncOnce(file, { ...options, map }, join(root, options.company)));
  } finally {
    release();
  }
}

/** Runs `run` at each interval. A start that falls within a longer run is skipped. The store records how each run ended. */
async function repeat(everyMs: number, run: () => Promise<unknown>): Promise<void> {
  let isStopped = false;
  const stopping = stopSignal().then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    const startedAtMs = performance.now(); // unlike the wall clock, it cannot be set
    console.error(`rollcall: ${instantText(Date.now())}: sync begins`);
    try {
      await run();
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      console.error(`rollcall: ${error.message}`);
    }
    const elapsedMs = performance.now() - startedAtMs;
    const dueAtMs = startedAtMs + Math.max(1, Math.ceil(elapsedMs / everyMs)) * everyMs;
    await within(dueAtMs - performance.now(), stopping);
  }
}

/** Returns the exit code. */
async function syncOnce(file: string, options: Options & { map: string }, into: string): Promise<number> {
  const about = { command: commandText(syncCommand(), [file], options), mapping: options.map, version };
  const { folder, today } = await endedWhenInterrupted(
    () => "nothing was imported",
    async () => {
      try {
        const prepared = await prepare(file, options);
        return { ...(await pullInto(into, prepared)), today: prepared.values.today };
      } catch (error) {
        if (error instanceof PullRefused) await noteFailure(options, about, error, error.reason);
        throw failureOf(error, "nothing was imported");
      }
    },
  );
  const discard = () => folder.discard();
  process.once("exit", discard);
  try {
    const ended = await importFiles(
      [folder.path],
      { ...options, prune: true },
      { command: about.command, today },
    );
    const code = printImport(ended, options);
    if (options.every !== undefined && ended.report !== null)
      console.error(
        `rollcall: ${instantText(Date.now())}: sync ended, and held the company for ${(ended.report.heldMs / 1000).toFixed(1)} s`,
      );
    folder.replace();
    return code;
  } catch (error) {
    throw failureOf(error, "the import has ended, but its folder was not kept");
  } finally {
    discard();
    process.removeListener("exit", discard);
  }
}

/** The mapping of a preset, by its name; or of `NAME.pull.json`, `NAME.map.json` beside it. */
function mappingBeside(file: string): string {
  if (PRESET_PULL_FILES.has(file)) return file;
  const stem = /^(.+)\.pull\.json$/.exec(file)?.[1];
  if (stem !== undefined) return `${stem}.map.json`;
  throw new UsageError(
    `--map is missing: only NAME.pull.json has its mapping beside it (NAME.map.json), and this is ${file}`,
  );
}

/** Locks the file until the returned function is called or the process ends, however it ends. */
function lock(path: string, company: string): () => void {
  const file = onDisk(path, () => new Database(path, { create: true }));
  try {
    file.run("pragma busy_timeout = 0");
    file.run("begin exclusive");
  } catch (error) {
    file.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY")
      throw new CliFailure(`another sync of ${company} is running: wait until it ends`);
    return onDisk(path, () => {
      throw error;
    });
  }
  return () => file.close();
}
