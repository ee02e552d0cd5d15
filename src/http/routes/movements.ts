// Movements of balances, and what of them will be lost (docs/api.md, Movement). Both are made of balances, worker by worker.

import { readFacts } from "../../balance-facts.ts";
import type { BalanceFacts } from "../../balances/facts.ts";
import { losses, type Movements, movements, noMovements } from "../../balances/movements.ts";
import { parseRowId, rowId } from "../../resources/ids.ts";
import {
  type Expiration,
  type GROUPS,
  listExpirations,
  listMovements,
  MOVEMENTS,
  type Movement,
} from "../../resources/movements.ts";
import type { Policy } from "../../resources/policies.ts";
import type { ParameterError, Values } from "../../resources/query.ts";
import type { Worker } from "../../resources/workers.ts";
import type {
  AssignmentWithFacts,
  BalancePosition,
  CompanyReader,
  DocPage,
  PageQuery,
} from "../../store/store.ts";
import { type Day, dayOfText, firstOfMonth, formatDay } from "../../time/day.ts";
import type { Computation } from "../computation.ts";
import { requireWorkersScope } from "../middleware/auth.ts";
import { byId, readAll } from "../read-all.ts";
import { tooFarAhead } from "./balances.ts";
import { type ListInput, listRoute } from "./route.ts";

type MovementValues = Values<typeof listMovements.parameters>;
type ExpirationValues = Values<typeof listExpirations.parameters>;
type QueryValues = Pick<MovementValues, "from" | "to" | "policyIds" | "workerIds">;

export const movementsList = listRoute(listMovements, readMovements, (values, today) =>
  spanErrors(movementSpan(values, today), today),
);
export const expirationsList = listRoute(listExpirations, readExpirations, (values, today) =>
  spanErrors(expirationSpan(values, today), today),
);

interface Span {
  readonly from: Day;
  readonly to: Day;
}

function movementSpan({ from, to }: QueryValues, today: string): Span {
  const last = dayOfText(to ?? today);
  return { from: from === undefined ? firstOfMonth(last) : dayOfText(from), to: last };
}

function expirationSpan({ from, to }: QueryValues, today: string): Span {
  const first = dayOfText(from ?? today);
  return { from: first, to: to === undefined ? first + 365 : dayOfText(to) };
}

function spanErrors({ from, to }: Span, today: string): ParameterError[] {
  if (from <= to) return tooFarAhead("to", formatDay(to), today);
  const detail = `"${formatDay(from)}" is after to "${formatDay(to)}": swap them, or give to`;
  return [{ parameter: "from", detail }];
}

/** A row with its place in the list: rows are in the order of their keys, text by text. */
interface KeyedRow<R> {
  readonly key: readonly string[];
  readonly row: R;
}

/** What rows are made of: the facts of balances that are there on a day. */
interface Rows<R> {
  add(assignment: AssignmentWithFacts, facts: BalanceFacts, department: string | null): void;
  /** The rows of what was added, and begins anew. */
  take(): readonly KeyedRow<R>[];
}

interface RowsQuery {
  readonly kind: "movement" | "expiration";
  readonly asked: QueryValues;
  readonly to: Day;
  /** Whether the worker is the first text of a key: then a page reads no other workers than it shows. */
  readonly isByWorker: boolean;
  readonly withDepartments: boolean;
}

/** Facts that are read at once. */
const BATCH = 100;

async function pageOfRows<R>(
  reader: CompanyReader,
  computation: Computation,
  { kind, asked, to, isByWorker, withDepartments }: RowsQuery,
  { limit, after, before }: PageQuery,
  made: Rows<R>,
): Promise<DocPage> {
  const isBackward = before !== undefined;
  const readsBackward = isBackward && isByWorker;
  const cursor = after ?? before;
  const position = cursor === undefined ? null : parseRowId(kind, cursor);
  const rows: KeyedRow<R>[] = [];
  const flush = () => {
    const found = made
      .take()
      .filter(({ key }) => position === null || compareKeys(key, position) * (isBackward ? -1 : 1) > 0)
      .toSorted((a, b) => compareKeys(a.key, b.key));
    rows.push(...(isBackward ? found.reverse() : found));
  };
  let at = isByWorker && position !== null ? aroundWorker(position[0]!, isBackward) : undefined;
  let workerId: string | null = null;
  for (let hasMore = true; hasMore && rows.length <= limit; ) {
    const found = await readFacts(reader, {
      limit: BATCH,
      [readsBackward ? "before" : "after"]: at,
      policyIds: asked.policyIds,
      workerIds: asked.workerIds,
    });
    const ids = withDepartments ? found.assignments.map((one) => one.workerId) : [];
    const workers = await byId<Worker>(reader, "workers", ids);
    for (const one of readsBackward ? found.assignments.toReversed() : found.assignments) {
      if (isByWorker && workerId !== one.workerId) flush();
      workerId = one.workerId;
      at = { workerId, policyId: one.policyId };
      // Before its opening there is no balance.
      if (one.opening === null || one.opening.day <= to)
        made.add(one, one.facts, workers.get(workerId)?.department?.name ?? null);
      const turn = computation.turn();
      if (turn !== undefined) await turn;
    }
    hasMore = found.hasMore;
  }
  if (rows.length <= limit) flush();
  const shown = rows.slice(0, limit);
  if (isBackward) shown.reverse();
  const docs = shown.map(({ key, row }) => JSON.stringify({ id: rowId(kind, key), ...row }));
  const [first, last] = [shown[0], shown.at(-1)];
  const ends = first && last ? { first: rowId(kind, first.key), last: rowId(kind, last.key) } : null;
  return { docs, ends, hasMore: rows.length > limit };
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [at, text] of a.entries()) {
    const other = b[at] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return a.length - b.length;
}

/** Before, or after, all balances of a worker: `~` comes after all that ids are made of. */
function aroundWorker(workerId: string, isAfter: boolean): BalancePosition {
  return { workerId, policyId: isAfter ? "~" : "" };
}

async function readMovements(
  { company, values, today, scopes, computation }: ListInput<MovementValues>,
  page: PageQuery,
): Promise<DocPage> {
  const { groupBy = ["policy"], ...asked } = values;
  const groups: ReadonlySet<(typeof GROUPS)[number]> = new Set(groupBy);
  const withDepartments = groups.has("department");
  requireWorkersScope(scopes, withDepartments ? ["groupBy=department"] : []);
  const { from, to } = movementSpan(values, today);
  return company.atOneVersion(async (reader) => {
    const policies = await readAll<Policy>(reader, "policies", {});
    const isOwed = new Map(policies.map(({ id, isPaidOut }) => [id, isPaidOut]));
    const sums = new Map<string, KeyedRow<Omit<Movement, "id" | keyof Movements>> & { sum: Movements }>();
    const made: Rows<Omit<Movement, "id">> = {
      add(one, facts, department) {
        const row = {
          workerId: groups.has("worker") ? one.workerId : null,
          policyId: groups.has("policy") ? one.policyId : null,
          department,
          isPaidOut: isOwed.get(one.policyId)!, // each assignment has a policy
          hasLeft: one.workerEndDay !== null && one.workerEndDay <= to,
        };
        const key = Object.values(row).map((value) => String(value ?? "")); // false comes before true
        const id = key.join("\0");
        const group = sums.get(id) ?? { key, row, sum: noMovements() };
        sums.set(id, group);
        const moved = movements(facts, dayOfText(today), from, to);
        for (const name of MOVEMENTS) group.sum[name] += moved[name];
      },
      take() {
        const rows = [...sums.values()].map(({ key, row, sum }) => {
          const minutes = MOVEMENTS.map((name) => [name, sum[name] / 100] as const);
          return { key, row: { ...row, ...(Object.fromEntries(minutes) as Movements) } }; // one entry per name
        });
        sums.clear();
        return rows;
      },
    };
    const isByWorker = groups.has("worker");
    const query = { kind: "movement", asked, to, isByWorker, withDepartments } as const;
    return pageOfRows(reader, computation, query, page, made);
  });
}

async function readExpirations(
  { company, values, today, computation }: ListInput<ExpirationValues>,
  page: PageQuery,
): Promise<DocPage> {
  const { from, to } = expirationSpan(values, today);
  const query = { kind: "expiration", asked: values, to, isByWorker: true, withDepartments: false } as const;
  return company.atOneVersion((reader) =>
    pageOfRows(reader, computation, query, page, expirationRows(from, to)),
  );
}

function expirationRows(from: Day, to: Day): Rows<Omit<Expiration, "id">> {
  let found: KeyedRow<Omit<Expiration, "id">>[] = [];
  return {
    add({ workerId, policyId }, facts) {
      for (const { day, minutes, cause } of losses(facts, from, to)) {
        const date = formatDay(day);
        found.push({
          key: [workerId, policyId, date, cause],
          row: { workerId, policyId, date, minutes, cause },
        });
      }
    },
    take() {
      const all = found;
      found = [];
      return all;
    },
  };
}
