// The managers of workers: the only reference within one kind. A manager may come later in the files than those who report
// to them, so a worker is written with the manager that is stored, and gets the new one when all workers are there.
import type { Kind, Rows } from "../../resources/kinds.ts";
import type { ImportTransaction } from "../../store/store.ts";
import type { CountedAs, ImportMemory, ManagerName, NamedManager } from "../memory.ts";
import type { RowProblem } from "../row-errors.ts";
import type { LocatedRow } from "../source/import-rows.ts";
import { type References, referenceProblem } from "./references.ts";

const BATCH_WORKERS = 1000;

/** A row as its file has it, and as it is written. */
export interface CountedRow<K extends Kind> {
  readonly located: LocatedRow<K>;
  readonly row: Rows[K];
  readonly counted: CountedAs;
}

/**
 * Notes whose managers are to be looked up when all workers are there. Called before they are put. A worker that is added with a
 * manager has the right one: see `writtenManager`. It is noted only for the case that the manager is put aside.
 */
export async function noteManagers(
  transaction: ImportTransaction,
  memory: ImportMemory,
  file: number,
  workers: readonly CountedRow<"workers">[],
  isPuttingAside: boolean,
): Promise<void> {
  const naming = workers.filter(({ located }) => located.importRow.managerId !== null);
  const before = isPuttingAside ? await transaction.workersBefore(naming.map(({ row }) => row.id)) : [];
  for (const [at, { located, row, counted }] of naming.entries()) {
    const { importRow, file: label, line, item, header, cells } = located;
    const { managerId } = row;
    const name = importRow.managerId!; // each names one
    if (isPuttingAside) {
      const asWritten = { file: label, line, item, header, cells, row: located.row };
      const noted = { workerId: row.id, name, file, managerId, counted };
      memory.noteManager({ ...noted, located: asWritten, before: before[at] ?? null });
    } else if (counted !== "added" || managerId === null) {
      const { id, legacyId } = row;
      // Messages need the place of the row and its names.
      const place = { file: label, line, item, header: NONE, cells: NONE, row: { id, legacyId } };
      memory.noteManager({ workerId: id, name, file, managerId, counted, located: place, before: null });
    }
  }
}

const NONE = [] as const;

export interface ManagerEvents {
  /** Whether bad rows are put aside and the others loaded. */
  readonly isPuttingAside: boolean;
  /** The name refers to nothing, or to a row that is put aside itself. */
  bad(named: NamedManager, problem: RowProblem): Promise<void>;
  /** The worker was counted as unchanged, but has another manager now. */
  changed(named: ManagerName): void;
}

/** Gives every worker that was noted in `memory` its manager. */
export async function settleManagers(
  transaction: ImportTransaction,
  memory: ImportMemory,
  references: References,
  events: ManagerEvents,
): Promise<void> {
  for (const batch of memory.namedManagers(BATCH_WORKERS)) {
    const found = await references.resolve(
      "workers",
      batch.map(({ name }) => name),
    );
    const moved = new Map<string, string>();
    for (const [at, named] of batch.entries()) {
      const reference = found[at]!;
      if (reference.id === null) {
        const problem = referenceProblem("managerId", named.name, reference);
        // A row whose only mistake is that it refers to a refused row is reported only if rows are put aside.
        if (reference.isRefused && !events.isPuttingAside) continue;
        await events.bad(memory.namedManager(named.workerId)!, problem);
      } else if (reference.id !== named.managerId) {
        moved.set(named.workerId, reference.id);
        if (events.isPuttingAside) memory.noteManagerId(named.workerId, reference.id);
        if (named.counted === "unchanged") {
          events.changed(named);
          memory.noteChangedManager(named.workerId);
        }
      }
    }
    if (moved.size === 0) continue;
    const ids = [...moved.keys()];
    const rows = await transaction.stored(
      "workers",
      ids.map((id) => [id]),
    );
    await transaction.put(
      "workers",
      rows.flatMap((row) => (row === null ? [] : [withManager(row, moved.get(row.id)!)])),
    );
  }
  if (events.isPuttingAside) await putAsideReports(transaction, memory, events.bad);
}

/**
 * Where workers were put aside, those who report to them are, too, and so on. `putAside` is called until nobody is left who
 * reports to nobody. The store is asked for all of them only at the beginning and at the end: in a long chain, each makes one more.
 */
async function putAsideReports(
  transaction: ImportTransaction,
  memory: ImportMemory,
  putAside: (named: NamedManager, problem: RowProblem) => Promise<void>,
): Promise<void> {
  const seen = new Set<string>();
  const putAsideEach = async (ids: readonly string[]): Promise<string[]> => {
    const gone: string[] = [];
    for (const id of ids) {
      const named = memory.namedManager(id);
      if (named === null || seen.has(id)) continue; // one that is not in the files: pruning tells
      seen.add(id);
      const message = "is a worker whose row is refused, too";
      await putAside(named, { field: "managerId", value: JSON.stringify(named.name), message });
      gone.push(id);
    }
    return gone;
  };
  for (;;) {
    const found = await transaction.workersWithoutManager(BATCH_WORKERS);
    let gone = await putAsideEach(found.map(({ id }) => id));
    if (gone.length === 0) return;
    while (gone.length > 0) {
      const stored = await transaction.stored(
        "workers",
        gone.map((id) => [id]),
      );
      const missing = gone.filter((_, at) => stored[at] === null); // others are as they were before
      gone = await putAsideEach(missing.flatMap((id) => memory.workersManagedBy(id)));
    }
  }
}

/** Of a wire object. In a text, the quotes would be escaped. */
const MANAGER = /,"managerId":(?:null|"[^"]*")/;

/** Its object follows when all managers are known: see `WorkerLinks.settle`. */
function withManager(row: Rows["workers"], managerId: string): Rows["workers"] {
  return { ...row, managerId, doc: row.doc.replace(MANAGER, `,"managerId":${JSON.stringify(managerId)}`) };
}
