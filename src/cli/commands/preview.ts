// rollcall preview: what leave would use, without a server.
import type { Command } from "commander";
import { previewErrors, readPreview } from "../../http/routes/preview.ts";
import { type LeavePreview, previewLeave } from "../../resources/preview.ts";
import { parseQuery } from "../../resources/query.ts";
import { option, parseDate, StoreCommand } from "../options.ts";
import { print } from "../output.ts";
import {
  badOptions,
  type CompanyOptions,
  knownOnOption,
  policyNamed,
  withCompany,
  workerNamed,
} from "./list-objects.ts";

interface Options extends CompanyOptions {
  readonly worker: string;
  readonly policy: string;
  readonly from: string;
  readonly to?: string;
  readonly minutes?: string;
}

export function previewCommand(): Command {
  return new StoreCommand("preview")
    .description("Show what leave would use, and the most that can be taken, in minutes. Needs no server.")
    .addOption(option("company").makeOptionMandatory())
    .addOption(knownOnOption())
    .requiredOption("--worker <worker>", "an id, an id of the source system, or an address")
    .requiredOption("--policy <policy>", "an id, an id of the source system, or a name")
    .requiredOption("--from <date>", "the first day, YYYY-MM-DD")
    .option("--to <date>", "the last day (default: the first)")
    .option("--minutes <number>", "the minutes of all days (default: the hours worked on them)")
    .examples(
      'rollcall preview --company acme --worker ana@acme.example --policy "Annual leave" --from 2026-08-03 --to 2026-08-14',
    )
    .action(async (options: Options) => {
      const query = new URLSearchParams({ startAt: parseDate("--from", options.from) });
      if (options.to !== undefined) query.set("endAt", parseDate("--to", options.to));
      if (options.minutes !== undefined) query.set("minutes", options.minutes);
      const preview = await withCompany(options, async (company, today): Promise<LeavePreview> => {
        query.set("workerId", (await workerNamed(company, options.worker)).id);
        query.set("policyId", (await policyNamed(company, options.policy)).id);
        const parsed = parseQuery(previewLeave.parameters, query, (values) => previewErrors(values, today));
        if (!parsed.ok) throw badOptions(parsed.errors);
        return readPreview(company, parsed.values);
      });
      const { minutes, balanceBefore, balanceAfter, mostMinutes, isCovered, lost } = preview;
      const lines = [
        `${minutes} minutes on ${preview.days.length === 1 ? "1 day" : `${preview.days.length} days`}`,
        ...(balanceBefore === null
          ? ["the policy is unlimited"]
          : [
              `${balanceBefore} before, ${balanceAfter} after, at most ${mostMinutes} can be taken on ${options.from}`,
            ]),
        isCovered
          ? "this leave can be taken"
          : "this leave cannot be taken: a day would be below zero, a leave year above its cap on use, or a day is outside the employment or the assignment",
        ...lost.map((loss) => `${loss.minutes} will be lost on ${loss.date} (${loss.cause})`),
      ];
      print(options.json, preview, lines.join("\n"));
    });
}
