// The data of a leave passport: a person's stored rows, the facts of their balances, and the served figures (docs/passport.md).
import manifest from "../../package.json" with { type: "json" };
import { readFacts } from "../balance-facts.ts";
import { type BalanceAmounts, type BalanceEntry, balancesIn, explain } from "../balances/balance.ts";
import { type BalanceFacts, compareEntries } from "../balances/facts.ts";
import { detailText } from "../resources/balance-details.ts";
import { balanceId } from "../resources/ids.ts";
import { KINDS, type Kind } from "../resources/kinds.ts";
import type { Policy } from "../resources/policies.ts";
import { cellsOf } from "../resources/registry.ts";
import type { Worker } from "../resources/workers.ts";
import type { CompanyReader } from "../store/store.ts";
import { addMonths, type Day, firstOfMonth, formatDay } from "../time/day.ts";
import { formatInstant } from "../time/instant.ts";

interface ServedFigures extends BalanceAmounts {
  /** The day: `YYYY-MM-DD`, the `endDate` of the query. */
  readonly on: string;
}

/** An entry of an explanation. Absent values have no key, because there may be thousands of entries. */
interface PassportEntry extends Pick<BalanceEntry, "kind" | "minutes" | "balance"> {
  readonly date: string;
  readonly detail: string;
  /** Set if the grant can be used only after its date. */
  readonly unlocksOn?: string;
  readonly sourceId?: string;
}

export interface PassportBalance {
  readonly id: string;
  readonly policyId: string;
  readonly policyName: string;
  /** The first day of a balance that was taken over from another system; null for others. */
  readonly openedOn: string | null;
  /** In order of days. */
  readonly served: readonly ServedFigures[];
  /** The explanation up to the day of the passport. It has `detail`, and not the `detailParts` from which that is made. */
  readonly entries: readonly PassportEntry[];
  /** The facts of the balance; days are counted from 1970-01-01. */
  readonly facts: BalanceFacts;
}

export interface Passport {
  readonly format: "rollcall-passport/1";
  readonly version: string;
  /** The UTC day on which it was made, in days since 1970-01-01. */
  readonly today: Day;
  /** Whether reasons and notes are null because the maker of the passport may not see them. */
  readonly hidesReasons: boolean;
  readonly company: { readonly id: string; readonly name: string; readonly dataAsOf: string | null };
  readonly worker: Worker;
  readonly policies: readonly Policy[];
  readonly balances: readonly PassportBalance[];
  /** The stored rows of each kind, with values as in an import file. */
  readonly stored: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** A page limit above the number of assignments of any worker. */
const ALL_ASSIGNMENTS = 1000;
/** The passport has figures for the ends of this many months before and after today. */
const [MONTHS_BEFORE, MONTHS_AFTER] = [36, 12];

/** Null if the company has no such worker. Pass `hidesReasons` if `company` gives no reasons and no notes. */
export function passportOf(
  company: CompanyReader,
  workerId: string,
  today: Day,
  { hidesReasons = false } = {},
): Promise<Passport | null> {
  return company.atOneVersion(async (reader) => {
    const doc = await reader.object("workers", workerId);
    const about = await reader.about();
    if (doc === null || about === null) return null;
    const rows = await reader.rowsOf(workerId);
    const query = { workerIds: [workerId], limit: ALL_ASSIGNMENTS, withIds: true };
    const { assignments } = await readFacts(reader, query);
    const ids = new Set(
      [...assignments, ...rows.requests, ...rows.adjustments].map(({ policyId }) => policyId),
    );
    const policies: Policy[] = [];
    for (const id of [...ids].toSorted())
      policies.push(JSON.parse((await reader.object("policies", id))!) as Policy); // each is referred to
    const nameOf = (id: string) => policies.find((policy) => policy.id === id)!.name;
    return {
      format: "rollcall-passport/1",
      version: manifest.version,
      today,
      hidesReasons,
      company: {
        id: about.id,
        name: about.name,
        dataAsOf: about.dataAsOfMs === null ? null : formatInstant(about.dataAsOfMs),
      },
      worker: JSON.parse(doc) as Worker, // as it is stored
      policies,
      balances: assignments.map(({ policyId, facts }) => ({
        id: balanceId(workerId, policyId),
        policyId,
        policyName: nameOf(policyId),
        ...balanceOf(facts, today),
      })),
      stored: storedOf(rows),
    };
  });
}

function balanceOf(facts: BalanceFacts, today: Day) {
  const first = facts.opening?.day ?? Math.min(facts.assignment.assignedOn, facts.worker.startDate);
  const month = firstOfMonth(today);
  const days = Array.from(
    { length: MONTHS_BEFORE + MONTHS_AFTER + 1 },
    (_, at) => addMonths(month, at - MONTHS_BEFORE) - 1,
  );
  const asked = [...new Set([...days, today])].filter((day) => day >= first).toSorted((a, b) => a - b);
  const windows = asked.map((endDate) => ({ today, endDate }));
  const amounts = balancesIn(facts, windows);
  const isOpened = facts.opening === null || facts.opening.day <= today;
  const entries = isOpened ? explain(facts, { today, endDate: today }) : [];
  return {
    openedOn: facts.opening === null ? null : formatDay(facts.opening.day),
    served: asked.map((on, at) => ({ on: formatDay(on), ...amounts[at]! })),
    entries: entries.map(entryOf),
    facts: inOneOrder(facts),
  };
}

/** Sorts the facts, because PostgreSQL returns rows in any order. */
function inOneOrder(facts: BalanceFacts): BalanceFacts {
  const { adjustments, workedHours, requests, movesFrom } = facts;
  return {
    ...facts,
    adjustments: adjustments.toSorted(compareEntries),
    workedHours: workedHours.toSorted(compareEntries),
    requests: requests.toSorted((a, b) => a.firstDay - b.firstDay || (a.id! < b.id! ? -1 : 1)), // facts with ids
    movesFrom: movesFrom === null ? null : inOneOrder(movesFrom),
  };
}

function entryOf({
  date,
  kind,
  minutes,
  balance,
  unlocksOn,
  sourceId,
  detailParts,
}: BalanceEntry): PassportEntry {
  return {
    date: formatDay(date),
    kind,
    minutes,
    balance,
    detail: detailText(detailParts),
    ...(unlocksOn !== null && unlocksOn > date && { unlocksOn: formatDay(unlocksOn) }),
    ...(sourceId !== null && { sourceId }),
  };
}

function storedOf(rows: Awaited<ReturnType<CompanyReader["rowsOf"]>>): Passport["stored"] {
  const kinds = KINDS.filter((kind): kind is keyof typeof rows & Kind => kind in rows);
  return Object.fromEntries(
    kinds.map((kind) => [kind, rows[kind].map((row) => cellsOf(kind, row as never))]), // of that kind
  );
}
