// rollcall simulate: which workers would gain or lose under other rules of a policy. It stores nothing.
import type { Command } from "commander";
import { withFormer } from "../../balances/differences.ts";
import type { BalanceFacts, PolicyFacts } from "../../balances/facts.ts";
import { movements } from "../../balances/movements.ts";
import { eachBalance } from "../../http/balance-pairs.ts";
import { endless } from "../../http/computation.ts";
import { byId, readAll } from "../../http/read-all.ts";
import { importCompany } from "../../import/import-company.ts";
import { findSources } from "../../import/read/sources.ts";
import { ImportRefused } from "../../import/row-errors.ts";
import { type Policy, policyOf, storedTerms } from "../../resources/policies.ts";
import { FIXED_RULES } from "../../resources/policy-changes.ts";
import { nameOf, type Worker } from "../../resources/workers.ts";
import type { CompanyReader } from "../../store/store.ts";
import { type Day, dayOfText, formatDay, utcDayOf } from "../../time/day.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { option, parseDate, StoreCommand, type StoreOptions } from "../options.ts";
import { print } from "../output.ts";
import { scratchStore } from "../scratch-store.ts";
import { withCompany } from "./list-objects.ts";

interface Options extends StoreOptions {
  readonly company: string;
  readonly policy: string;
  readonly from?: string;
  readonly to?: string;
}

const GROUPS_SHOWN = 10;

export function simulateCommand(): Command {
  return new StoreCommand("simulate")
    .description("Recompute a period with other policy rules, and show who would gain and lose.")
    .addOption(option("company").makeOptionMandatory())
    .requiredOption("--policy <file>", "an import file of policies with the other rules")
    .option("--from <date>", "the first day of the other rules, YYYY-MM-DD (default: the first of this year)")
    .option("--to <date>", "the last day (default: today, UTC)")
    .addHelpText(
      "after",
      `
Before --from the company's own rules apply. If the other policy has another schedule, other periods or other years,
its rules apply from the beginning; the output says so.

The file is named policies.csv (or .jsonl, .xlsx …). Policies are matched by legacyId, or by name.`,
    )
    .examples(
      "rollcall simulate --policy ./new/policies.csv --company acme --from 2025-01-01 --to 2025-12-31",
    )
    .action(async (options: Options) => {
      const today = utcDayOf(Date.now());
      const to = options.to === undefined ? today : dayOfText(parseDate("--to", options.to));
      const from = dayOfText(
        options.from === undefined ? `${formatDay(to).slice(0, 4)}-01-01` : parseDate("--from", options.from),
      );
      if (from > to) throw new UsageError("--from is after --to: swap them");
      const given = await policiesOf(options.policy, today);
      const policies = await withCompany(options, (company) => differencesOf(company, given, { from, to }));
      const lines = policies.flatMap(({ name, groups, isAnother }) => [
        isAnother ? `${name}, with the other rules from the beginning:` : `${name}:`,
        ...groups.slice(0, GROUPS_SHOWN).map(({ minutes, workers, example }) => {
          const what =
            minutes === 0 ? "have the same" : `${minutes > 0 ? "gain" : "lose"} ${Math.abs(minutes)} minutes`;
          return `  ${workers.length} ${what} (${example})`;
        }),
        ...(groups.length > GROUPS_SHOWN
          ? [`  and ${groups.length - GROUPS_SHOWN} other amounts: --json has all`]
          : []),
      ]);
      print(options.json, { from: formatDay(from), to: formatDay(to), policies }, lines.join("\n"));
    });
}

interface GivenPolicy extends Pick<Policy, "legacyId" | "name"> {
  readonly facts: PolicyFacts;
}

/** Reads policies from a file as an import does. Raises CliFailure if an import would refuse the file. */
async function policiesOf(file: string, today: Day): Promise<GivenPolicy[]> {
  await using store = await scratchStore("simulate");
  try {
    const { sources } = await findSources([file], null);
    await importCompany(store, "simulate", sources, {
      today,
      nowMs: Date.now(),
    });
    const policies: GivenPolicy[] = [];
    await store.export("simulate", async (kind, rows) => {
      if (kind !== "policies") return;
      for (const row of rows as readonly { readonly doc: string; readonly terms: string }[]) {
        const { legacyId, name } = JSON.parse(row.doc) as Policy; // what the import wrote
        policies.push({ legacyId, name, facts: policyOf(storedTerms(row)) });
      }
    });
    return policies;
  } catch (error) {
    if (error instanceof ImportRefused) throw new CliFailure(`--policy: ${error.message}`);
    throw error;
  }
}

interface Group {
  /** The minutes that each of these workers gains by the end of the period; negative for a loss. */
  readonly minutes: number;
  readonly workers: readonly string[];
  readonly example: string;
}

interface Simulated {
  readonly policyId: string;
  readonly name: string;
  /** Whether the other rules apply from the beginning, because they cannot begin on `from`. */
  readonly isAnother: boolean;
  readonly groups: Group[];
}

interface Span {
  readonly from: Day;
  readonly to: Day;
}

/** `policy` with the terms of `other` from a day on; null if their schedules or fixed rules differ. */
function policyFrom(policy: PolicyFacts, other: PolicyFacts, from: Day): PolicyFacts | null {
  const { rules, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk } = other;
  if (policy.schedule !== other.schedule || FIXED_RULES.some((rule) => policy.rules[rule] !== rules[rule]))
    return null;
  const earlier = policy.changes.filter((change) => change.from < from);
  const terms = { from, rules, minutesPerPeriod, minutesPerChunk, hoursWorkedPerChunk };
  return { ...policy, changes: [...earlier, terms] };
}

/** Gains and losses by policy, the largest groups first. */
async function differencesOf(
  company: CompanyReader,
  given: readonly GivenPolicy[],
  { from, to }: Span,
): Promise<Simulated[]> {
  /** How much the balance changes in the period, in hundredths of a minute. */
  const changeOf = (facts: BalanceFacts) => {
    const { opening, closing } = movements(facts, from, to);
    return closing - opening;
  };
  const simulated: Simulated[] = [];
  const unknown = new Set(given);
  for (const { id, name, legacyId } of await readAll<Policy>(company, "policies", {})) {
    const other =
      given.find((policy) => (policy.legacyId ?? policy.name) === (legacyId ?? name)) ??
      given.find((policy) => policy.name === name);
    if (other === undefined) continue;
    unknown.delete(other);
    const workersByGain = new Map<number, string[]>();
    let isAnother = false;
    const isOfPolicy = ({ assignment }: BalanceFacts) => assignment.policyId === id;
    const withOther = (facts: BalanceFacts): BalanceFacts => {
      const movesFrom = facts.movesFrom && withOther(facts.movesFrom);
      if (!isOfPolicy(facts)) return { ...facts, movesFrom };
      const policy = policyFrom(facts.policy, other.facts, from);
      isAnother = policy === null;
      return { ...facts, movesFrom, policy: policy ?? other.facts };
    };
    const query = { from: undefined, isBackward: false };
    for await (const { workerId, facts } of eachBalance(company, query, endless())) {
      // A balance that moves to another policy counts under the policy that has it on the last day.
      const isHere = facts.movesOn === null || facts.movesOn > to;
      const hasMovedHere = facts.assignment.assignedOn <= to && withFormer(facts).some(isOfPolicy);
      if (!isHere || !(isOfPolicy(facts) || hasMovedHere)) continue;
      const gain = changeOf(withOther(facts)) - changeOf(facts);
      const group = workersByGain.get(gain) ?? [];
      workersByGain.set(gain, group);
      group.push(workerId);
    }
    const named = await byId<Worker>(
      company,
      "workers",
      [...workersByGain.values()].map(([first]) => first!),
    );
    const groups = [...workersByGain].map(([gain, ids]) => ({
      minutes: gain / 100,
      workers: ids,
      example: nameOf(named.get(ids[0]!)!), // an assignment has a worker
    }));
    simulated.push({
      policyId: id,
      name,
      isAnother,
      groups: groups.toSorted((a, b) => b.workers.length - a.workers.length),
    });
  }
  if (simulated.length === 0 || unknown.size > 0)
    throw new CliFailure(
      `no policy of the company has the legacyId or name of one in --policy: ${[...unknown].map(({ name }) => name).join(", ")}: correct its row, or leave it out`,
    );
  return simulated;
}
