// Rules with a date: a policy's row has all its changes, and the terms that are in force on the day of the import.
import { type StoredChange, type StoredPolicyTerms, storedTerms } from "../../../resources/policies.ts";
import { changeProblem, changeRow, storedChange, withChanges } from "../../../resources/policy-changes.ts";
import type { ImportTransaction } from "../../../store/store.ts";
import type { Rows } from "../../../store/tables.ts";
import { type Day, formatDay } from "../../../time/day.ts";

interface Refreshed {
  /** How many policies changed. */
  readonly changed: number;
  readonly problems: readonly string[];
  /** The old terms with the new dated changes, by policy id; only for policies whose other terms changed, too. */
  readonly undated: ReadonlyMap<string, string>;
}

/** Writes each policy whose row lacks its changes or its terms on `today`. `before` has the terms that this import replaced, by policy id. */
export async function refreshPolicies(
  transaction: ImportTransaction,
  before: ReadonlyMap<string, StoredPolicyTerms>,
  today: Day,
): Promise<Refreshed> {
  const changesOf = await changesByPolicy(transaction);
  const problems: string[] = [];
  const changed: Rows["policies"][] = [];
  const undated = new Map<string, string>();
  for await (const rows of transaction.scan("policies"))
    for (const row of rows) {
      const changes = changesOf.get(row.id) ?? [];
      const problem = changeProblem(row, changes);
      if (problem !== null) problems.push(problem);
      const now = withChanges(row, changes, today);
      if (now.doc !== row.doc || now.terms !== row.terms) changed.push(now);
      const was = withoutDates(before.get(row.id) ?? storedTerms(row), changes);
      if (was !== JSON.stringify(withChangesAlone(storedTerms(now), changes))) undated.set(row.id, was);
    }
  if (problems.length === 0 && changed.length > 0) await transaction.put("policies", changed);
  return { changed: changed.length, problems, undated };
}

/** The stored changes by policy id, each list sorted by day. */
async function changesByPolicy(transaction: ImportTransaction): Promise<Map<string, StoredChange[]>> {
  const all: Rows["policy_changes"][] = [];
  for await (const rows of transaction.scan("policy_changes")) all.push(...rows);
  const changes = [...Map.groupBy(all, ({ policyId }) => policyId)].map(
    ([id, rows]) => [id, rows.map(storedChange).sort((a, b) => a.from - b.from)] as const,
  );
  return new Map(changes);
}

/** The old terms, with those of the new changes whose days had no change before. */
function withoutDates(was: StoredPolicyTerms, now: readonly StoredChange[]): string {
  const { changes = [] } = was;
  const added = now.filter(({ from }) => !changes.some((change) => change.from === from));
  const all = [...changes, ...added].sort((a, b) => a.from - b.from);
  return JSON.stringify(withChangesAlone(was, all));
}

function withChangesAlone(
  { given: _, changes: __, ...own }: StoredPolicyTerms,
  changes: readonly StoredChange[],
) {
  return changes.length === 0 ? own : { ...own, changes };
}

/** Stores the dated change of each policy; null removes all its changes. Returns a text for each policy that changed. */
export async function writeDated(
  transaction: ImportTransaction,
  dated: ReadonlyMap<string, StoredChange | null>,
  nameOf: (policyId: string) => string,
): Promise<string[]> {
  const ended: Rows["policy_changes"][] = [];
  if ([...dated.values()].includes(null))
    for await (const rows of transaction.scan("policy_changes"))
      ended.push(...rows.filter(({ policyId }) => dated.get(policyId) === null));
  await transaction.remove(
    "policy_changes",
    ended.map(({ policyId, day }) => [policyId, day]),
  );
  const added = [...dated].flatMap(([id, change]) => (change === null ? [] : [{ id, change }]));
  await transaction.put(
    "policy_changes",
    added.map(({ id, change }) => changeRow(id, change)),
  );
  const gone = [...Map.groupBy(ended, ({ policyId }) => policyId)].map(
    ([id, rows]) =>
      `${nameOf(id)}: what changed from ${rows.map(({ day }) => formatDay(day)).join(", ")} on is gone: the terms of the file hold for all time`,
  );
  const texts = added.map(({ id, change: { from, rules, ...amounts } }) => {
    const names = Object.keys({ ...amounts, ...rules });
    const what = names.length === 0 ? "the terms of before" : names.join(", ");
    return `${nameOf(id)}: ${what} ${names.length === 1 ? "applies" : "apply"} from ${formatDay(from)} on`;
  });
  return [...texts, ...gone];
}
