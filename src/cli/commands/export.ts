// rollcall export
import { Command, Option } from "commander";
import { ExportRefused, exportCompany } from "../../import/export.ts";
import { CliFailure } from "../failure.ts";
import { openWriteStore } from "../open.ts";
import { companyOption, dbOption, option } from "../options.ts";
import { print, showProgress, table } from "../output.ts";
import { endWhenInterrupted } from "../program.ts";

interface ExportCommandOptions {
  readonly db: string;
  readonly company: string;
  readonly out: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

export function exportCommand(): Command {
  return new Command("export")
    .description(
      "Write a company as import files that only their owner may read. Importing them gives the same company.",
    )
    .addOption(companyOption().makeOptionMandatory())
    .addOption(
      new Option("--out <folder>", "a new or empty folder").env("ROLLCALL_OUT").makeOptionMandatory(),
    )
    .addOption(new Option("--overwrite", "replace an earlier export").env("ROLLCALL_OVERWRITE"))
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      `
Examples:
  rollcall export --company acme --out ./acme-export
  rollcall export --company acme --out ./nightly --overwrite --json`,
    )
    .action(runExport);
}

async function runExport(options: ExportCommandOptions): Promise<void> {
  const store = await openWriteStore(options.db);
  const progress = showProgress();
  const release = endWhenInterrupted(() => {
    progress.clear();
    return "nothing was exported";
  });
  try {
    const out = options.out.replace(/(?<=.)[/\\]+$/, "");
    const counts = await exportCompany(store, options.company, out, options.overwrite === true, (rows) =>
      progress.show(rows, null),
    );
    progress.clear();
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
  } finally {
    progress.clear();
    await store.close();
    release();
  }
}
