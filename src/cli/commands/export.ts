// rollcall export
import type { Command } from "commander";
import { ExportRefused, exportCompany, unfinishedExports } from "../../import/export.ts";
import { CliFailure } from "../failure.ts";
import { openWriteStore } from "../open.ts";
import { option, StoreCommand, type StoreOptions } from "../options.ts";
import { print, table } from "../output.ts";
import { withProgress } from "../program.ts";

interface ExportCommandOptions extends StoreOptions {
  readonly company: string;
  readonly out: string;
  readonly overwrite?: boolean;
}

export function exportCommand(): Command {
  return new StoreCommand("export")
    .description(
      "Write a company as import files that only their owner may read. Importing them gives the same company.",
    )
    .addOption(option("company").makeOptionMandatory())
    .requiredOption("--out <folder>", "a new or empty folder")
    .option("--overwrite", "replace an earlier export")
    .examples(
      "rollcall export --company acme --out ./acme-export",
      "rollcall export --company acme --out ./nightly --overwrite --json",
    )
    .action(runExport);
}

async function runExport(options: ExportCommandOptions): Promise<void> {
  await using store = await openWriteStore(options.db);
  try {
    const out = options.out.replace(/(?<=.)[/\\]+$/, "");
    for (const left of unfinishedExports(out))
      console.error(
        `rollcall: note: ${left} has people's data of an export that was killed: remove it, unless that export still runs`,
      );
    const counts = await withProgress(
      () => "nothing was exported",
      (show) =>
        exportCompany(store, options.company, out, options.overwrite === true, (rows) => show(rows, null)),
    );
    print(
      options.json,
      { out, files: [...counts].map(([kind, rows]) => ({ file: `${kind}.csv`, rows })) },
      `${table(
        ["file", "rows"],
        [...counts].map(([kind, rows]) => [`${kind}.csv`, rows]),
      )}\nExported ${options.company} to ${out}.`,
    );
  } catch (error) {
    if (error instanceof ExportRefused) throw new CliFailure(error.message);
    if (error instanceof Error && "code" in error && "syscall" in error) {
      throw new CliFailure(
        `${options.out} cannot be written (${String(error.code)}): check the folder, its permissions and the free space on the disk`,
      );
    }
    throw error;
  }
}
