// Checks that stored wire objects follow the contract, and agree with the columns that keys and filters use: an import of what
// an export would write must make the same row again.
import { assignmentDay } from "../../resources/assignments.ts";
import { policyTerms } from "../../resources/policies.ts";
import {
  cellsOf,
  ENDPOINTS,
  type Facts,
  type ListKind,
  type ResolvedFacts,
  readFact,
  rowOf,
} from "../../resources/registry.ts";
import { requestDays, zoneOf } from "../../resources/requests.ts";
import { type Rows, TABLES } from "../../store/tables.ts";
import { isTimeZone } from "../../time/zone.ts";

/** Says what is wrong with one row's document; null if nothing is. */
export type Check<R> = (row: R) => string | null;

/**
 * The checks of the kinds that have a wire object. `zoneOfWorker`: a worker's zone, else the company's; undefined
 * where there is no such worker.
 */
export function documentChecks(zoneOfWorker: (workerId: string) => string | null | undefined) {
  const requestColumns = (fact: Facts["requests"], row: Rows["requests"]) => {
    const workersZone = zoneOfWorker(row.workerId);
    const isKnown = workersZone !== undefined && isTimeZone(zoneOf(fact, workersZone));
    // The days of an unknown worker cannot be computed; the reference is a finding of its own.
    return isKnown ? requestDays(resolved<"requests">(fact), workersZone) : row;
  };
  return {
    workers: check("workers", (fact) => rowOf("workers", resolved<"workers">(fact), {})),
    policies: check("policies", (fact) =>
      rowOf("policies", resolved<"policies">(fact), { terms: JSON.stringify(policyTerms(fact)) }),
    ),
    assignments: check("assignments", (fact) =>
      rowOf("assignments", resolved<"assignments">(fact), { assignedDay: assignmentDay(fact) }),
    ),
    requests: check("requests", (fact, row) => {
      const { firstDay, lastDay } = requestColumns(fact, row);
      return rowOf("requests", resolved<"requests">(fact), { firstDay, lastDay });
    }),
  };
}

/** What a stored row says: it has an id, names others by their ids, and has no local times. */
function resolved<K extends ListKind>(fact: Facts[K]): ResolvedFacts[K] {
  return fact as unknown as ResolvedFacts[K];
}

function check<K extends ListKind>(
  kind: K,
  rebuilt: (fact: Facts[K], row: Rows[K]) => Rows[K],
): Check<Rows[K]> {
  const { item } = ENDPOINTS[kind].list;
  return (row) => {
    let json: unknown;
    try {
      json = JSON.parse(row.doc);
    } catch {
      return "do not hold JSON";
    }
    const parsed = item.safeParse(json);
    if (!parsed.success)
      return `break the contract at ${parsed.error.issues[0]?.path.join(".") || "their top"}`;
    if (JSON.stringify(parsed.data) !== row.doc) return "are not written as the contract orders";
    const expected = rebuiltRow(kind, row, rebuilt);
    if (typeof expected === "string") return expected;
    const column = TABLES[kind].columns.find((one) => expected[one] !== row[one]);
    return column === undefined ? null : `disagree with their column ${column}`;
  };
}

/** The row made anew from its document and the columns that are not in it; or why that cannot be. */
function rebuiltRow<K extends ListKind>(
  kind: K,
  row: Rows[K],
  rebuilt: (fact: Facts[K], row: Rows[K]) => Rows[K],
): Rows[K] | string {
  let cells: Readonly<Record<string, unknown>>;
  try {
    cells = cellsOf(kind, row);
  } catch {
    return "disagree with their column terms"; // the only other JSON of a row
  }
  const { fact, problems } = readFact(kind, cells);
  return fact === null ? `have a value that no import accepts: ${problems[0]!.field}` : rebuilt(fact, row);
}
