// rollcall generate
import type { Command, Option } from "commander";
import { type GeneratedCounts, type GenerateOptions, generateCompany } from "../../generate/generate.ts";
import { columnName } from "../../store/tables.ts";
import { CliFailure } from "../failure.ts";
import { option, ownOption, parseDate, parseWhole, RollcallCommand } from "../options.ts";
import { print, type ShowProgress, table } from "../output.ts";
import { withProgress } from "../program.ts";

/** Fixed, so that the same seed gives the same files whenever the command runs. */
const DEFAULT_TODAY = "2026-11-01";

interface Options {
  readonly out: string;
  readonly workers: string;
  readonly seed: string;
  readonly today: string;
  readonly requestsPerWorker: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

export function generateCommand(): Command {
  return new RollcallCommand("generate")
    .description("Write a realistic made-up company as import files. The same seed gives the same files.")
    .requiredOption("--out <folder>", "the folder to write to")
    .addOption(workersOption())
    .addOption(seedOption())
    .option("--today <date>", "the day that counts as today, YYYY-MM-DD", DEFAULT_TODAY)
    .option("--requests-per-worker <number>", "average number of requests", "10")
    .option("--overwrite", "replace existing files")
    .addOption(option("json"))
    .examples("rollcall generate --out ./acme --workers 1000 --seed 7")
    .action(async (options: Options) => {
      const work = (show: ShowProgress) =>
        generated({
          outDir: options.out,
          workers: parseWhole("--workers", options.workers, 1, 10_000_000),
          seed: parseWhole("--seed", options.seed, 0, 2 ** 32 - 1),
          today: parseDate("--today", options.today),
          requestsPerWorker: parseWhole("--requests-per-worker", options.requestsPerWorker, 0, 300),
          overwrite: options.overwrite === true,
          onProgress: (done, total) => show(done, done / total),
        });
      const counts = await withProgress(() => "nothing was generated", work);
      const rows = Object.entries(counts).map(([name, count]) => [`${columnName(name)}.csv`, count] as const);
      print(
        options.json,
        counts,
        `${table(["file", "rows"], rows)}\nWritten to ${options.out}. Next: rollcall import ${options.out} --company <id>`,
      );
    });
}

export function workersOption(): Option {
  return ownOption("--workers <number>", "number of workers").default("250");
}

export function seedOption(): Option {
  return ownOption("--seed <number>", "the seed of the random data").default("1");
}

/** Generates a company. Raises CliFailure if the folder cannot be written. */
export async function generated(options: GenerateOptions): Promise<GeneratedCounts> {
  try {
    return await generateCompany(options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isOfSystem = "code" in error && "syscall" in error;
    const message = isOfSystem
      ? `${options.outDir} cannot be written to (${error.code}): check the path and its permissions, or choose another folder`
      : error.message;
    throw new CliFailure(message, { cause: error });
  }
}
