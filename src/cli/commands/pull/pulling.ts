// What pull and sync share: their options, and how one pull runs.
import type { Command } from "commander";
import { JsonFileMistakes } from "../../../json-file.ts";
import { PRESET_PULL_FILES } from "../../../onboarding/presets/index.ts";
import { PullRefused, UpstreamAway } from "../../../pull/errors.ts";
import { PulledFolder } from "../../../pull/folder.ts";
import { pull } from "../../../pull/pull.ts";
import { type LoadedPullFile, readPullFile } from "../../../pull/pull-file.ts";
import type { PullRecord } from "../../../pull/record.ts";
import { type PullValues, readVariables } from "../../../pull/template.ts";
import type { Clock } from "../../../pull/upstream.ts";
import { parseDay, utcDayOf } from "../../../time/day.ts";
import { CliFailure } from "../../failure.ts";
import { ownOption, parseDate } from "../../options.ts";
import { showProgress } from "../../output.ts";
import { version } from "../../program.ts";

/** The exit code if the API is unavailable and a later attempt may succeed. */
const EXIT_AWAY = 4;

export class AwayFailure extends CliFailure {
  override readonly name = "AwayFailure";
  override readonly exitCode = EXIT_AWAY;
}

export const CLOCK: Clock = { now: Date.now, sleep: Bun.sleep, random: Math.random };

export interface PullingOptions {
  readonly base?: string;
  readonly today?: string;
}

export function withPullingOptions(command: Command): Command {
  return command
    .argument(
      "<file>",
      `a pull file (JSON), or the name of a preset: ${[...PRESET_PULL_FILES.keys()].join(", ")}`,
    )
    .addOption(ownOption("--base <url>", "the API's address, in place of the one in the pull file"))
    .addOption(
      ownOption(
        "--today <date>",
        "the day that {today} stands for, YYYY-MM-DD (default: the current day, UTC)",
      ),
    );
}

export interface Prepared {
  readonly pullFile: LoadedPullFile;
  readonly values: PullValues;
}

/** Reads a pull file and the variables that it names. Raises CliFailure with every mistake. */
export async function prepare(file: string, options: PullingOptions): Promise<Prepared> {
  const today =
    options.today === undefined ? utcDayOf(Date.now()) : parseDay(parseDate("--today", options.today))!; // parseDate checked it
  const pullFile = await readPullFile(file, PRESET_PULL_FILES, options.base).catch((error: unknown) => {
    if (error instanceof JsonFileMistakes) throw new CliFailure(error.message);
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new CliFailure(
      `there is no pull file at ${file} (${error.code}): check the path (from ${process.cwd()}), or name a preset: ${[...PRESET_PULL_FILES.keys()].join(", ")}`,
    );
  });
  const { values, problems } = readVariables(pullFile.content, process.env, today);
  if (problems.length > 0)
    throw new CliFailure(problems.map((problem) => `${pullFile.label}: ${problem}`).join("\n"));
  return { pullFile, values };
}

/** Pulls into a temporary folder, which the caller moves to its place. A failed pull leaves nothing behind. */
export async function pullInto(
  place: string,
  prepared: Prepared,
): Promise<{ folder: PulledFolder; record: PullRecord }> {
  const { show, clear } = showProgress();
  let folder: PulledFolder | null = null;
  const discard = () => folder?.discard();
  process.once("exit", discard); // also after a signal
  try {
    folder = new PulledFolder(place);
    let [rowsBefore, fileBefore, rowsOfFile] = [0, "", 0];
    const record = await pull(
      {
        ...prepared,
        clock: CLOCK,
        version,
        onProgress: (file, rows) => {
          if (file !== fileBefore) rowsBefore += rowsOfFile;
          [fileBefore, rowsOfFile] = [file, rows];
          show(rowsBefore + rows, null);
        },
        onNote: (note) => console.error(`rollcall: note: ${note}`),
      },
      folder,
    );
    return { folder, record };
  } catch (error) {
    folder?.discard();
    throw error;
  } finally {
    clear();
    process.removeListener("exit", discard);
  }
}

/** Turns an error of a pull into a failure of the command. */
export function failureOf(error: unknown, what: string): unknown {
  if (error instanceof UpstreamAway) return new AwayFailure(`${what}: ${error.message}. Try again later`);
  return error instanceof PullRefused ? new CliFailure(`${what}: ${error.message}`) : error;
}
