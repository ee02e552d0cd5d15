// rollcall sync: pulls and imports, once or again and again. Nothing overlaps: one sync of a company at a time.

import { Database } from "bun:sqlite";
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
import { commandText, type ImportCommandOptions, importCommand, noteFailure, runImport } from "../import.ts";
import { failureOf, type PullingOptions, prepare, pullInto, withPullingOptions } from "./pulling.ts";

/** The longest that a timer can be set to is 24.8 days. */
const MAX_EVERY_MS = 20 * 86_400_000;

/** Options of an import that a sync decides: it prunes, and keeps the outcome. */
const OPTIONS_FIXED_BY_SYNC: ReadonlySet<string | undefined> = new Set(["--dry-run", "--prune"]);

interface Options extends PullingOptions, ImportCommandOptions {
  readonly every?: string;
}

export function syncCommand(): Command {
  const command = withPullingOptions(
    new Command("sync").description(
      "Pull from an HR system's API and import it, removing what it has no longer.",
    ),
  ).addOption(
    ownOption(
      "--every <duration>",
      "do it again and again until a signal ends it, counted from start to start",
    ),
  );
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
    throw new UsageError("--every: is below a second or above 20d");
  const map = options.map ?? mappingBeside(file);
  await prepare(file, options); // mistakes end it at once, also with --every
  await withWriteStore(options.db, (store) => checkCompany(store, options.company));
  const root = pulledFolders(options.db);
  onDisk(root, () => mkdirSync(root, { recursive: true, mode: 0o700 }));
  const release = lock(join(root, `${options.company}.lock`), options.company);
  try {
    if (everyMs === null)
      process.exitCode = await syncOnce(file, { ...options, map }, join(root, options.company));
    else await again(everyMs, () => syncOnce(file, { ...options, map }, join(root, options.company)));
  } finally {
    release();
  }
}

/** Runs from start to start. A run that takes longer than that is followed by the next one that is due. How a run ended is in the store. */
async function again(everyMs: number, run: () => Promise<unknown>): Promise<void> {
  let isStopped = false;
  const stopping = stopSignal().then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    const startedAtMs = performance.now(); // somebody may set the clock
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
async function syncOnce(file: string, options: Options & { map: string }, place: string): Promise<number> {
  const about = { command: commandText(syncCommand(), [file], options), mapping: options.map, version };
  const { folder, today } = await endedWhenInterrupted(
    () => "nothing was imported",
    async () => {
      try {
        const prepared = await prepare(file, options);
        return { ...(await pullInto(place, prepared)), today: prepared.values.today };
      } catch (error) {
        if (error instanceof PullRefused) await noteFailure(options, about, error, error.reason);
        throw failureOf(error, "nothing was imported");
      }
    },
  );
  const discard = () => folder.discard();
  process.once("exit", discard);
  try {
    const code = await runImport(
      [folder.path],
      { ...options, prune: true },
      { command: about.command, today },
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

/** The mapping of a preset has its name; that of a file stands beside it. */
function mappingBeside(file: string): string {
  if (PRESET_PULL_FILES.has(file)) return file;
  const stem = /^(.+)\.pull\.json$/.exec(file)?.[1];
  if (stem !== undefined) return `${stem}.map.json`;
  throw new UsageError(
    `--map is missing: ${file} is not called …pull.json, so no mapping beside it is known`,
  );
}

/** Holds the file until the returned function is called, or the process ends however it does. */
function lock(path: string, company: string): () => void {
  const file = onDisk(path, () => new Database(path, { create: true }));
  try {
    file.run("pragma busy_timeout = 0");
    file.run("begin exclusive");
  } catch {
    file.close();
    throw new CliFailure(`another sync of ${company} is running: wait for its end`);
  }
  return () => file.close();
}
