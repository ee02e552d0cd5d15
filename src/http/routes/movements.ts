// Movements of balances, and future losses (docs/api.md, Movement). Both are computed from balances, worker by worker.
import { closingOf } from "../../balances/balance.ts";
import { losses, type Movements, movements, noMovements } from "../../balances/movements.ts";
import { compareKeys, parseRowId, rowId } from "../../resources/ids.ts";
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
import { pageOf } from "../../store/plan.ts";
import type { CompanyReader, DocPage, PageQuery, StoredClose } from "../../store/store.ts";
import { type Day, dayOfText, firstOfMonth, formatDay, nearestWritable } from "../../time/day.ts";
import {
  BALANCES_AT_ONCE,
  type BalancePair,
  type BalancesQuery,
  eachBalance,
  eachPair,
} from "../balance-pairs.ts";
import type { Computation } from "../computation.ts";
import { closeNamed } from "../known-on.ts";
import { requireWorkersScope } from "../middleware/auth.ts";
import { invalidParameter } from "../problems.ts";
import { byId, readAll } from "../read-all.ts";
import { tooFarAhead } from "./balances.ts";
import type { DayPeriod } from "./days.ts";
import { type ListInput, listRoute } from "./route.ts";

type MovementValues = Values<typeof listMovements.parameters>;
type ExpirationValues = Values<typeof listExpirations.parameters>;
type Groups = ReadonlySet<(typeof GROUPS)[number]>;
type QueryValues = Pick<MovementValues, "from" | "to" | "policyIds" | "workerIds">;

export const movementsList = listRoute(listMovements, readMovements, (values, today) =>
  spanErrors(values, movementSpan(values, today), today),
);
export const expirationsList = listRoute(listExpirations, readExpirations, (values, today) =>
  spanErrors(values, expirationSpan(values, today), today),
);

function movementSpan({ from, to }: QueryValues, today: string): DayPeriod {
  const last = dayOfText(to ?? today);
  return { from: from === undefined ? firstOfMonth(last) : dayOfText(from), to: last };
}

function expirationSpan({ from, to }: QueryValues, today: string): DayPeriod {
  const first = dayOfText(from ?? today);
  return { from: first, to: to === undefined ? nearestWritable(first + 365) : dayOfText(to) };
}

/** The errors of a span. Each names a parameter that was sent, not one with its default. */
function spanErrors(asked: QueryValues, { from, to }: DayPeriod, today: string): ParameterError[] {
  const [first, last] = [formatDay(from), formatDay(to)];
  if (from > to && asked.from === undefined)
    return [{ parameter: "to", detail: `"${last}" is before today, "${first}": give from, too` }];
  if (from > to)
    return [{ parameter: "from", detail: `"${first}" is after to "${last}": swap them, or give to` }];
  const errors = tooFarAhead("to", last, today);
  if (asked.to !== undefined) return errors;
  return errors.map(({ detail }) => ({
    parameter: "from",
    detail: `"${first}" needs a to: without it, ${detail}`,
  }));
}

/** A row with its place in the list: rows are in the order of their keys, text by text. */
interface KeyedRow<R> {
  readonly key: readonly string[];
  readonly row: R;
}

/** The columns of a worker that make groups, as of now. */
type GroupedBy = Pick<Worker, "department" | "endDate">;

/** Turns balances into rows of a list. */
interface Rows<R> {
  add(pair: BalancePair, worker: GroupedBy): void;
  /** Returns the rows made since the last call. */
  take(): readonly KeyedRow<R>[];
}

interface RowsQuery {
  readonly kind: "movement" | "expiration";
  readonly asked: QueryValues;
  readonly to: Day;
  /** Pairs each balance with the one that was known at this close. */
  readonly close?: StoredClose | null;
  /** Whether the worker is the first text of a key: then a page reads only the workers that it shows. */
  readonly isByWorker: boolean;
  readonly withDepartments: boolean;
}

async function pageOfRows<R>(
  reader: CompanyReader,
  computation: Computation,
  { kind, asked, to, close = null, isByWorker, withDepartments }: RowsQuery,
  { takesAll, ...page }: PageQuery,
  made: Rows<R>,
): Promise<DocPage> {
  const { after, before } = page;
  const limit = takesAll && !isByWorker ? Infinity : page.limit;
  const isBackward = before !== undefined;
  const cursor = after ?? before;
  const position = cursor === undefined ? null : parseRowId(kind, cursor);
  const rows: KeyedRow<R>[] = [];
  const flush = () => {
    const taken = made
      .take()
      .filter(({ key }) => position === null || compareKeys(key, position) * (isBackward ? -1 : 1) > 0)
      .toSorted((a, b) => compareKeys(a.key, b.key));
    rows.push(...(isBackward ? taken.reverse() : taken));
  };
  const query = {
    policyIds: asked.policyIds,
    workerIds: asked.workerIds,
    isBackward: isBackward && isByWorker,
    from:
      isByWorker && position !== null
        ? { workerId: position[0]!, policyId: isBackward ? "~" : "" }
        : undefined,
  };
  let workerId: string | null = null;
  const all = pairs(reader, close, query, computation);
  for await (const [[was, is], worker] of inTurn(reader, all, computation, withDepartments)) {
    const id = idOf([was, is]);
    if (isByWorker && workerId !== id) flush();
    if (rows.length > limit) break;
    workerId = id;
    const [closed, now] = [openedBy(was, close?.lastDay ?? to), openedBy(is, to)];
    if (now !== null || closed !== null) made.add([closed, now], worker);
  }
  if (rows.length <= limit) flush();
  const shown = rows.slice(0, limit + 1);
  return pageOf(
    shown.map(({ key, row }) => JSON.stringify({ id: rowId(kind, key), ...row })),
    { ...page, limit },
  );
}

/** The balance; null if its opening is after the day. */
function openedBy(balance: BalancePair[number], day: Day): BalancePair[number] {
  return balance?.opening && balance.opening.day > day ? null : balance;
}

/** The balances that are known now, each beside the one that was known when a period was closed. */
async function* pairs(
  reader: CompanyReader,
  close: StoredClose | null,
  query: BalancesQuery,
  computation: Computation,
): AsyncGenerator<BalancePair> {
  if (close !== null) yield* eachPair(reader.known(close.revision), reader, query, computation);
  else for await (const balance of eachBalance(reader, query, computation)) yield [null, balance];
}

/** Balances with their workers. What was read together is computed one by one. */
async function* inTurn(
  reader: CompanyReader,
  all: AsyncIterable<BalancePair>,
  computation: Computation,
  withDepartments: boolean,
): AsyncGenerator<readonly [BalancePair, GroupedBy]> {
  for await (const batch of batches(all, BALANCES_AT_ONCE)) {
    // A balance that no longer exists has its worker as known then.
    const isRead = (pair: BalancePair) => withDepartments || pair[1] === null;
    const workers = await byId<Worker>(reader, "workers", batch.filter(isRead).map(idOf));
    for (const pair of batch) {
      const turn = computation.turn();
      if (turn !== undefined) await turn;
      const endDay = pair[1]?.workerEndDay ?? null;
      const endDate = endDay === null ? null : formatDay(endDay);
      yield [pair, workers.get(idOf(pair)) ?? { department: null, endDate }];
    }
  }
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const idOf = ([was, is]: BalancePair) => (is ?? was)!.workerId; // one of them is there

async function readMovements(
  { company, values, today, scopes, computation }: ListInput<MovementValues>,
  page: PageQuery,
): Promise<DocPage> {
  const { groupBy = ["policy"], ...asked } = values;
  const groups: Groups = new Set(groupBy);
  const withDepartments = groups.has("department");
  requireWorkersScope(scopes, withDepartments ? ["groupBy=department"] : []);
  return company.atOneVersion(async (reader) => {
    const close = values.after === undefined ? null : await closeNamed(reader, values.after);
    const { from, to } = close === null ? movementSpan(values, today) : spanAfter(close, values, today);
    const isOwed = await paidOutBy(close === null ? [reader] : [reader.known(close.revision), reader]);
    const rows = movementRows(
      groups,
      to,
      ([was, is]) => {
        const closed = close === null ? undefined : closingOf(was?.facts ?? null, close.lastDay);
        return is === null ? withoutBalance(closed ?? 0) : movements(is.facts, from, to, closed);
      },
      (policyId) => isOwed.get(policyId)!, // each assignment has a policy
    );
    const isByWorker = groups.has("worker");
    const query = { kind: "movement", asked, to, close, isByWorker, withDepartments } as const;
    return pageOfRows(reader, computation, query, page, rows);
  });
}

/** Whether each policy's remaining balance is paid out, by policy id. The last reader that knows a policy decides. */
async function paidOutBy(readers: readonly CompanyReader[]): Promise<ReadonlyMap<string, boolean>> {
  const all = new Map<string, boolean>();
  for (const reader of readers)
    for (const { id, isPaidOut } of await readAll<Policy>(reader, "policies", {})) all.set(id, isPaidOut);
  return all;
}

type MovementRow = Omit<Movement, "id">;

/** Sums the movements of balances by group. */
function movementRows(
  groups: Groups,
  to: Day,
  movementsOf: (pair: BalancePair) => Movements,
  isPaidOut: (policyId: string) => boolean,
): Rows<MovementRow> {
  const sums = new Map<string, KeyedRow<Omit<MovementRow, keyof Movements>> & { sum: Movements }>();
  return {
    add(pair, { department, endDate }) {
      const { workerId, policyId } = pair[1] ?? pair[0]!; // one of them is there
      const row = {
        workerId: groups.has("worker") ? workerId : null,
        policyId: groups.has("policy") ? policyId : null,
        department: groups.has("department") ? (department?.name ?? null) : null,
        isPaidOut: isPaidOut(policyId),
        hasLeft: endDate !== null && endDate <= formatDay(to),
      };
      const key = Object.values(row).map((value) => String(value ?? "")); // false comes before true
      const id = key.join("\0");
      const group = sums.get(id) ?? { key, row, sum: noMovements() };
      sums.set(id, group);
      const moved = movementsOf(pair);
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
}

/** The days after a close. Raises a 400 if `from` is not the day after the close, or `to` is before that day. */
function spanAfter({ lastDay }: StoredClose, { from, ...values }: MovementValues, today: string): DayPeriod {
  const to = values.to ?? today;
  const first = lastDay + 1;
  if (from !== undefined && dayOfText(from) !== first) {
    const detail = `"${from}" is not the day after the close, ${formatDay(first)}: leave it out`;
    throw invalidParameter("from", detail);
  }
  if (dayOfText(to) >= first) return { from: first, to: dayOfText(to) };
  const detail = `"${to}" is not after the close, which ends on ${formatDay(lastDay)}`;
  throw invalidParameter("to", detail);
}

/** The movements of a balance that was closed and no longer exists. */
function withoutBalance(closed: number): Movements {
  return { ...noMovements(), opening: closed, restated: 0 - closed };
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
  const rows: KeyedRow<Omit<Expiration, "id">>[] = [];
  return {
    add([, is]) {
      if (is === null) return;
      const { workerId, policyId, facts } = is;
      for (const { day, minutes, cause } of losses(facts, from, to)) {
        const date = formatDay(day);
        const row = { workerId, policyId, date, minutes, cause };
        rows.push({ key: [workerId, policyId, date, cause], row });
      }
    },
    take() {
      return rows.splice(0);
    },
  };
}
