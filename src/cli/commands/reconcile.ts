// rollcall reconcile: compares balances with those that another system reported.
import type { Command } from "commander";
import { agreementOf, type PolicyAgreement, parseTolerance, toleranceOption } from "../agreement.ts";
import { CliFailure } from "../failure.ts";
import { option, StoreCommand } from "../options.ts";
import { print } from "../output.ts";
import { withCompany } from "./list-objects.ts";

/** At most this many further causes are shown. JSON has all. */
const OTHERS_SHOWN = 2;

export function reconcileCommand(): Command {
  return new StoreCommand("reconcile")
    .description(
      "Compare balances with those that another system reported. Differences are grouped by policy and cause.",
    )
    .addOption(option("company").makeOptionMandatory())
    .addOption(toleranceOption())
    .addHelpText("after", "\nExit code: 0 if all agree, 1 otherwise.")
    .examples("rollcall reconcile --company acme --tolerance 6")
    .action(async (options: { db: string; company: string; tolerance: string; json?: boolean }) => {
      const tolerance = parseTolerance(options.tolerance);
      const policies = await withCompany(options, (company) => agreementOf(company, tolerance));
      if (policies.length === 0)
        throw new CliFailure("nothing was reported: import a file reported.csv first");
      const lines = policies.flatMap(({ name, agree, reported, unreported, medianDifference, groups }) => [
        reported === 0
          ? `${name}: nothing was reported`
          : `${name}: ${agree} of ${reported} agree, median difference ${medianDifference} minutes`,
        ...(unreported === 0
          ? []
          : [
              `  ${unreported} ${reported === 0 ? "" : "more "}${unreported === 1 ? "worker has" : "workers have"} no reported balance`,
            ]),
        ...groups.map((group) => `  ${groupText(group)}`),
      ]);
      const differ = policies.reduce((sum, { reported, agree }) => sum + reported - agree, 0);
      print(options.json, { tolerance, agrees: differ === 0, policies }, lines.join("\n"));
      if (differ > 0)
        throw new CliFailure(
          `${differ} ${differ === 1 ? "balance differs" : "balances differ"} by more than ${tolerance} ${tolerance === 1 ? "minute" : "minutes"}`,
        );
    });
}

/** Such as `8 balances: +480: without some leave of ours? (wrk_… on 2026-08-31; 3 other balances contradict it)`. */
function groupText(group: PolicyAgreement["groups"][number]): string {
  const { balances, cause, otherCauses, contradictedBy, medianDifference } = group;
  const sign = medianDifference !== null && medianDifference > 0 ? "+" : "";
  const doubt =
    contradictedBy === 0
      ? ""
      : `; ${contradictedBy} other ${contradictedBy === 1 ? "balance contradicts" : "balances contradict"} it`;
  return [
    balances === 1 ? "1 balance" : `${balances} balances`,
    ...(medianDifference === null ? [] : [`${sign}${medianDifference}`]),
    `${[cause, ...otherCauses.slice(0, OTHERS_SHOWN)].join(" Or: ")} (${group.example} on ${group.exampleDate}${doubt})`,
  ].join(": ");
}
