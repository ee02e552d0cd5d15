// rollcall map rules: finds policy rules that explain the reported balances, and prints them as a part of a mapping.
import type { Command } from "commander";
import type { BalanceFacts, PolicyFacts } from "../../balances/facts.ts";
import { byId } from "../../http/read-all.ts";
import { type FoundRules, findRules, type ReportedBalance, rulesIn } from "../../onboarding/find-rules.ts";
import { type Policy, storedTermCells } from "../../resources/policies.ts";
import type { Worker } from "../../resources/workers.ts";
import type { CompanyReader } from "../../store/store.ts";
import { addMonths } from "../../time/day.ts";
import { parseTolerance, reportedFacts, toleranceOption } from "../agreement.ts";
import { CliFailure } from "../failure.ts";
import { option, StoreCommand } from "../options.ts";
import { print } from "../output.ts";
import { withCompany } from "./list-objects.ts";

/** Rules that explain less than this share of the reported balances count as not found. */
const FOUND_SHARE = 0.9;
const SHOWN = 3;
/** With fewer workers, several sets of rules often give the same balances (docs/importing.md, reported). */
const WORKERS_NEEDED = 20;

export function rulesCommand(): Command {
  return new StoreCommand("rules")
    .description("Find the rules that give the balances that another system reported, for a mapping.")
    .addOption(option("company").makeOptionMandatory())
    .addOption(toleranceOption())
    .addHelpText(
      "after",
      `
Exit code: 0 if rules were found for each policy with reported balances, 1 otherwise.

Example, for a system that shows days with one decimal:
  rollcall map rules --company acme --tolerance 24`,
    )
    .action(async (options: { db: string; company: string; tolerance: string; json?: boolean }) => {
      const tolerance = parseTolerance(options.tolerance);
      const policies = await withCompany(options, (company) => searched(company, tolerance));
      if (policies.length === 0)
        throw new CliFailure("no balance was reported: import a file reported.csv first");
      const rows = policies.flatMap(({ row, evidence }) => [
        `    // ${evidence}`,
        ...(row === null ? [] : [`    ${JSON.stringify(row)},`]),
      ]);
      print(options.json, { tolerance, policies }, `{ "policies": { "rows": [\n${rows.join("\n")}\n] } }`);
      const missing = policies.filter(({ row }) => row === null).map(({ name }) => name);
      if (missing.length > 0) throw new CliFailure(`no rules were found for ${missing.join(", ")}`);
    });
}

async function searched(company: CompanyReader, tolerance: number) {
  const byPolicy = new Map<string, ReportedBalance[]>();
  for await (const batch of reportedFacts(company))
    for (const all of Map.groupBy(batch, ({ workerId, policyId }) => `${policyId} ${workerId}`).values()) {
      const { workerId, policyId, facts } = all[0]!; // a group is never empty
      if (facts === null) continue; // rollcall reconcile reports missing balances
      const points = all.toSorted((a, b) => a.day - b.day);
      byPolicy.set(policyId, [...(byPolicy.get(policyId) ?? []), { workerId, facts, points }]);
    }
  const policies = await byId<Policy>(company, "policies", [...byPolicy.keys()]);
  const searched = [];
  for (const [policyId, balances] of byPolicy) {
    const policy = policies.get(policyId)!; // an assignment has a policy
    const { name } = policy;
    const rules = findRules(balances, tolerance);
    if (rules === null) {
      searched.push({
        policyId,
        name,
        row: null,
        evidence: `${name}: not found: every worker has an amount of their own`,
      });
      continue;
    }
    const { agree, reported, differ, heldOut } = rules;
    const count = `${agree} of ${reported} within ${tolerance} ${tolerance === 1 ? "minute" : "minutes"}`;
    if (agree < FOUND_SHARE * reported) {
      const evidence = `${name}: not found; ${JSON.stringify(cellsOf(rules.policy))} gives ${count}`;
      searched.push({ policyId, name, agree, reported, differ, row: null, evidence });
      continue;
    }
    const evidence = [
      `${name}: ${count}`,
      ...(heldOut.days === 0
        ? []
        : [`held on ${heldOut.holds} of the ${heldOut.days} days kept out of the search`]),
      ...(await doubts(company, rules, balances)),
    ];
    const row = rowOf(policy, rules.policy);
    searched.push({ policyId, name, agree, reported, differ, heldOut, row, evidence: evidence.join("; ") });
  }
  return searched;
}

/** Sentences about what speaks against the found rules. */
async function doubts(
  company: CompanyReader,
  { differ, alsoFits }: FoundRules,
  balances: readonly ReportedBalance[],
): Promise<string[]> {
  const said: string[] = [];
  if (differ.length > 0) {
    const workers = await byId<Worker>(company, "workers", differ.slice(0, SHOWN));
    const names = [...workers.values()].map(({ id, legacyId }) => legacyId ?? id);
    said.push(`not of ${differ.length} workers, such as ${names.join(", ")}`);
  }
  if (balances.length < WORKERS_NEEDED)
    said.push(`of only ${balances.length} workers, for whom other rules may give the same`);
  const yearBefore = addMonths(Math.min(...balances.map(({ points }) => points[0]!.day)), -12);
  const began = ({ assignment, worker }: BalanceFacts) => Math.max(assignment.assignedOn, worker.startDate);
  if (balances.every(({ facts }) => began(facts) <= yearBefore))
    said.push("nobody began lately, so what newcomers get is a guess");
  const also = alsoFits.slice(0, SHOWN).map((facts) => JSON.stringify(cellsOf(facts)));
  if (alsoFits.length > SHOWN) also.push(`${alsoFits.length - SHOWN} more`);
  if (also.length > 0) said.push(`also fits: ${also.join(", ")}`);
  return said;
}

/** The rules of a policy that differ from the defaults, as cells of a file. */
function cellsOf(policy: PolicyFacts) {
  const said = rulesIn(policy);
  const written = storedTermCells(JSON.stringify(policy));
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, written[name] ?? value]));
}

function rowOf({ id, legacyId, description, ...policy }: Policy, rules: PolicyFacts) {
  const { name, timeOffTypeName, paid, unit, isAbsence, isPaidOut } = policy;
  const known = { name, timeOffTypeName, paid, unit, isAbsence, isPaidOut };
  return {
    ...(legacyId === null ? { id } : { legacyId }),
    ...known,
    ...(description && { description }),
    ...cellsOf(rules),
  };
}
