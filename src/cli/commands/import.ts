// rollcall import
import { basename } from "node:path";
import { Command, Option } from "commander";
import { type ImportReport, importFiles } from "../../import/apply.ts";
import { readMapping } from "../../import/mapping/read.ts";
import { ImportRefused } from "../../import/row-errors.ts";
import { findFiles } from "../../import/source/files.ts";
import { nearest } from "../../resources/cells.ts";
import { StoreRefusal, type WriteStore } from "../../store/store.ts";
import { CliFailure } from "../failure.ts";
import { openWriteStore } from "../open.ts";
import { companyOption, dbOption, option } from "../options.ts";
import { print, showProgress, table } from "../output.ts";

interface ImportCommandOptions {
  readonly db: string;
  readonly company: string;
  readonly map?: string;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function importCommand(): Command {
  return new Command("import")
    .description("Load a company from files. If any row is bad, nothing is changed.")
    .argument(
      "<paths...>",
      "a folder, or files: workers, policies, assignments, requests, adjustments, work_hours (.csv, .jsonl, .ndjson)",
    )
    .addOption(companyOption().makeOptionMandatory())
    .addOption(
      new Option("--map <file>", "a mapping (JSON) for the files of another system").env("ROLLCALL_MAP"),
    )
    .addOption(new Option("--dry-run", "check everything and change nothing").env("ROLLCALL_DRY_RUN"))
    .addOption(
      new Option("--prune", "also remove what the given files no longer contain").env("ROLLCALL_PRUNE"),
    )
    .addOption(new Option("--yes", "let --prune remove more than half of what is stored").env("ROLLCALL_YES"))
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      `
Examples:
  rollcall import ./export --company acme                       a folder of files
  rollcall import workers.csv requests.jsonl --company acme     some files
  rollcall import ./export --company acme --dry-run --prune     what would a nightly import change?
  rollcall import ./hr --company acme --map hr.map.json         the files of another system

The files, their fields, and mappings: docs/importing.md`,
    )
    .action(runImport);
}

async function runImport(paths: string[], options: ImportCommandOptions): Promise<void> {
  try {
    const loaded =
      options.map === undefined
        ? null
        : { label: basename(options.map), mapping: await mappingAt(options.map) };
    const { sourceFiles, notes } = await findFiles(paths, loaded, options.prune === true);
    for (const note of notes) console.error(`rollcall: note: ${note}`);
    const store = await openWriteStore(options.db);
    const progress = showProgress();
    try {
      const report = await importFiles(store, options.company, sourceFiles, {
        isDryRun: options.dryRun === true,
        isPruning: options.prune === true,
        mayRemoveMost: options.yes === true,
        onProgress: ({ rows, bytes, totalBytes }) =>
          progress.show(rows, totalBytes === 0 ? 1 : bytes / totalBytes),
        onWait: () => console.error("rollcall: another import is running: waiting for it to end"),
      });
      progress.clear();
      printReport(report, notes, options);
      if (report.refusals.length > 0)
        throw new CliFailure(`the import itself would be refused:\n${report.refusals.join("\n")}`);
    } catch (error) {
      throw error instanceof StoreRefusal ? await withSuggestion(error, store, options.company) : error;
    } finally {
      progress.clear();
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    if (options.json)
      console.log(
        JSON.stringify({ imported: false, findings: error.findings, moreBadRows: error.moreRows }, null, 2),
      );
    throw new CliFailure(`nothing was imported:\n${error.message}`);
  }
}

/** Adds the company that was probably meant, if the named one does not exist. */
async function withSuggestion(
  refusal: StoreRefusal,
  store: WriteStore,
  company: string,
): Promise<StoreRefusal> {
  const ids = (await store.companies()).map(({ id }) => id);
  const meant = ids.includes(company) ? null : nearest(company, ids);
  return meant === null ? refusal : new StoreRefusal(`${refusal.message}, or did you mean ${meant}?`);
}

async function mappingAt(path: string) {
  try {
    return await readMapping(path, basename(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") {
      if (error.code === "ENOENT" || error.code === "ENOTDIR")
        throw new CliFailure(`there is no mapping at ${path}: check the path (from ${process.cwd()})`);
      throw new CliFailure(
        `the mapping ${path} cannot be read (${error.code}): check that it is a file, and its permissions`,
      );
    }
    throw error;
  }
}

function printReport(report: ImportReport, notes: readonly string[], options: ImportCommandOptions): void {
  for (const note of report.notes) console.error(`rollcall: note: ${note}`);
  for (const warning of report.warnings) console.error(`rollcall: warning: ${warning}`);
  const rows = report.files.map(({ file, kind, added, changed, unchanged, removed }) => [
    file === `${kind}.csv` ? file : `${file} (${kind})`,
    added,
    changed,
    unchanged,
    removed,
  ]);
  const meant = report.refusals.length > 0 ? "an import with --yes" : "an import";
  const outcome = options.dryRun
    ? `Dry run: nothing was ${report.isChanged ? `changed; the counts are what ${meant} would do` : "changed, and an import would change nothing"}.`
    : report.isChanged
      ? `Imported into ${options.company}.`
      : `Imported into ${options.company}: nothing had changed.`;
  print(
    options.json,
    {
      imported: options.dryRun !== true,
      dryRun: options.dryRun === true,
      changed: report.isChanged,
      files: report.files,
      notInFiles: report.notInFiles,
      notes: [...notes, ...report.notes],
      warnings: report.warnings,
      refusals: report.refusals,
    },
    [table(["file", "added", "changed", "unchanged", "removed"], rows), ...absentText(report), outcome].join(
      "\n",
    ),
  );
}

/** What --prune would remove, if anything. */
function absentText({ notInFiles }: ImportReport): string[] {
  const counts = Object.entries(notInFiles).map(([kind, rows]) => `${rows} of ${kind}`);
  return counts.length === 0
    ? []
    : [`Stored, but not in the files: ${counts.join(", ")}; --prune removes them.`];
}
