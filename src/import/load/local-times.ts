// Converts local times of exports to instants (docs/importing.md, Local dates and times). This waits until references are resolved, because
// the zone may be the worker's. When a zone changes later, the days of requests are computed again.
import sql, { raw } from "sql-template-tag";
import { isLocalInstant, type LocalTime, OUT_OF_RANGE } from "../../resources/cells.ts";
import type { Rows } from "../../resources/kinds.ts";
import {
  FOLLOWS_WORKER,
  IS_BEFORE_START,
  type RequestImportRow,
  requests,
  zoneOf,
} from "../../resources/requests.ts";
import { anyOf } from "../../store/queries.ts";
import type { ImportStatements, ImportTransaction } from "../../store/store.ts";
import { chunks, selected, TABLES } from "../../store/tables.ts";
import { isStorable } from "../../time/instant.ts";
import { instantOf, localDays } from "../../time/zone.ts";
import { type RowProblem, shown } from "../row-errors.ts";

/** How many workers' requests are recomputed together. */
const BATCH_WORKERS = 100;

const { fields } = requests;
type RequestTime = "createdAt" | "startAt" | "endAt";
const TIMES = (Object.keys(fields) as (keyof typeof fields)[]).filter((field): field is RequestTime =>
  isLocalInstant(fields[field].cell.holds),
);

/**
 * The request with its local times as instants: in the mapping's zone, else in the zone of its days (docs/importing.md, Local dates and
 * times). Returns problems if they cannot be stored.
 */
export function timedRequest(
  importRow: RequestImportRow,
  workersZone: string | null,
): (RequestImportRow & Readonly<Record<RequestTime, number>>) | RowProblem[] {
  const { createdAt, startAt, endAt } = importRow;
  if (typeof createdAt === "number" && typeof startAt === "number" && typeof endAt === "number") {
    return importRow as RequestImportRow & Readonly<Record<RequestTime, number>>; // just checked
  }
  const at = (time: number | LocalTime) =>
    typeof time === "number" ? time : instantOf(time.localMs, time.zone ?? zoneOf(importRow, workersZone));
  const timed = { ...importRow, createdAt: at(createdAt), startAt: at(startAt), endAt: at(endAt) };
  const problems: RowProblem[] = TIMES.filter((field) => !isStorable(timed[field])).map((field) => ({
    field,
    value: writtenTime(importRow[field]),
    message: OUT_OF_RANGE,
  }));
  // A last day before the first one ends as the first one begins.
  const isDayBefore =
    typeof startAt !== "number" &&
    typeof endAt !== "number" &&
    endAt.isDayEnd &&
    endAt.localMs <= startAt.localMs;
  if (timed.endAt < timed.startAt || isDayBefore)
    problems.push({
      field: "endAt",
      value: writtenTime(endAt),
      message: IS_BEFORE_START,
      other: ` (${writtenTime(startAt)})`,
    });
  return problems.length > 0 ? problems : timed;
}

function writtenTime(time: number | LocalTime): string {
  return shown(fields.startAt.cell.write(time));
}

/** Recomputes the days of stored requests of workers whose time zone changed. Returns whether any changed. */
export async function recomputeLocalDays(
  transaction: ImportTransaction,
  zones: ReadonlyMap<string, string | null>,
): Promise<boolean> {
  let isAnyChanged = false;
  for (const some of chunks([...zones], BATCH_WORKERS))
    if ((await recomputeDays(transaction, new Map(some))) > 0) isAnyChanged = true;
  return isAnyChanged;
}

/** Recomputes the days of requests in the company's zone: neither they nor their workers have one. Returns how many changed. */
export async function recomputeDefaultDays(transaction: ImportTransaction): Promise<number> {
  const zone = (await transaction.company()).timeZone;
  let changed = 0;
  let zones = new Map<string, string | null>();
  const recompute = async () => {
    changed += await recomputeDays(transaction, zones);
    zones = new Map();
  };
  for await (const workers of transaction.scan("workers")) {
    for (const worker of workers) {
      if (worker.timeZone === null) zones.set(worker.id, zone);
      if (zones.size === BATCH_WORKERS) await recompute();
    }
  }
  await recompute();
  return changed;
}

/** The requests of these workers without a time zone of their own: their days follow the worker's zone. */
export async function requestsInWorkersZone(
  statements: ImportStatements,
  workerIds: readonly string[],
): Promise<Rows["requests"][]> {
  if (workerIds.length === 0) return [];
  return statements.run(sql`
    select ${raw(selected(TABLES.requests.columns))}
    from requests
    where company_id = ${statements.companyId} and ${anyOf("worker_id", workerIds)} and ${raw(FOLLOWS_WORKER)}`);
}

/** Recomputes the days of these workers' requests without a zone of their own. Returns how many changed. */
async function recomputeDays(
  transaction: ImportTransaction,
  zones: ReadonlyMap<string, string | null>,
): Promise<number> {
  const requests = await requestsInWorkersZone(transaction, [...zones.keys()]);
  const changed = requests.flatMap((request) => {
    const zone = zoneOf(request, zones.get(request.workerId) ?? null);
    const days = localDays(request.startAtMs, request.endAtMs, zone);
    const isSame = days.firstDay === request.firstDay && days.lastDay === request.lastDay;
    return isSame ? [] : [{ ...request, ...days }];
  });
  if (changed.length > 0) await transaction.put("requests", changed);
  return changed.length;
}
