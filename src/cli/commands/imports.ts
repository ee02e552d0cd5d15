// rollcall imports list
import type { Command } from "commander";
import {
  type FailureRecord,
  type ImportRecord,
  readFailureRecord,
  readImportRecord,
} from "../../import/report.ts";
import { shownFailure, shownImport } from "../import-records.ts";
import { withWriteStore } from "../open.ts";
import { option, RollcallCommand, StoreCommand } from "../options.ts";
import { instantText, print, table } from "../output.ts";
import { checkCompany } from "./companies.ts";
import type { CompanyOptions } from "./list-objects.ts";

export function importsCommand(): Command {
  return new RollcallCommand("imports")
    .description("Show past imports.")
    .addCommand(listCommand())
    .examples("rollcall imports list --company acme");
}

function listCommand(): Command {
  return new StoreCommand("list")
    .description("List the last imports of a company and the failed ones, with their time and rows.")
    .addOption(option("company").makeOptionMandatory())
    .addHelpText(
      "after",
      "\nThe store keeps a record of the last hundred imports and of the last hundred that failed. --json shows the whole record.",
    )
    .examples("rollcall imports list --company acme --json")
    .action(async ({ db, company, json }: CompanyOptions) => {
      const stored = await withWriteStore(db, async (store) => {
        await checkCompany(store, company);
        return store.imports(company);
      });
      const done = stored.map(({ hasFailed, record }) =>
        hasFailed
          ? { failure: readFailureRecord(record)!, record: null }
          : { failure: null, record: readImportRecord(record)! },
      );
      const shown = done.map(({ failure, record }) =>
        record === null
          ? shownFailure(failure)
          : { outcome: record.rows.quarantined > 0 ? "quarantined" : "imported", ...shownImport(record) },
      );
      const lines = done.map(({ failure, record }) =>
        record === null ? failureLine(failure) : importLine(record),
      );
      const headings = ["ended", "outcome", "added", "changed", "unchanged", "removed", "findings", "pulled"];
      print(json, shown, lines.length === 0 ? "There were no imports yet." : table(headings, lines));
    });
}

function importLine({ endedAtMs, rows, findings, pulledAtMs }: ImportRecord): (string | number | null)[] {
  const outcome = rows.quarantined > 0 ? `imported, ${rows.quarantined} in quarantine` : "imported";
  const codes = findings.map(({ code, count }) => `${count} ${code}`).join(", ") || null;
  const counts = [rows.added, rows.changed, rows.unchanged, rows.removed];
  return [instantText(endedAtMs), outcome, ...counts, codes, instantText(pulledAtMs)];
}

function failureLine({ endedAtMs, outcome, mistakes, reason }: FailureRecord): (string | number | null)[] {
  const of = mistakes === null ? "" : ` for ${mistakes} ${mistakes === 1 ? "reason" : "reasons"}`;
  const why = reason === null ? of : `: ${reason}`;
  return [instantText(endedAtMs), outcome + why, null, null, null, null, null, null];
}
