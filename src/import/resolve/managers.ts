// The managers of workers: the only reference within one kind. A manager may come later in the files than those who report
// to them, so a worker is written with the manager that is stored, and gets the new one when all workers are there.
import type { Rows } from "../../resources/registry.ts";
import { collectGarbage } from "../../store/garbage.ts";
import type { ImportTransaction } from "../../store/store.ts";
import { TABLES } from "../../store/tables.ts";
import type { RowProblem } from "../row-errors.ts";
import type { ManagerName, NamedManager, Scratch } from "../scratch.ts";
import type { Located, LocatedFact } from "../source/read.ts";
import { type References, referenceProblem } from "./references.ts";

const BATCH_WORKERS = 1000;
/** Batches between two collections of garbage: see `COLLECT_AFTER_ROWS` in ../apply.ts. */
const COLLECT_AFTER_BATCHES = 5;

/** The manager that a row names, if any. */
export function namedManager(
  file: number,
  { fact, file: label, line, header, cells, row }: LocatedFact<"workers">,
  written: Rows["workers"],
  before: Rows["workers"] | null,
): NamedManager[] {
  if (fact.managerId === null) return [];
  const isSame = TABLES.workers.columns.every((column) => written[column] === before?.[column]);
  const located = { file: label, line, header, cells, row };
  const counted = before === null ? "added" : isSame ? "unchanged" : "changed";
  const { id: workerId, managerId } = written;
  return [{ workerId, name: fact.managerId, file, located, before: null, managerId, counted }];
}

/**
 * Notes whose managers are to be looked up when all workers are there. Called before they are put. A worker that is added with a
 * manager has the right one: see `writtenManager`. It is noted only for the case that the manager is put aside.
 */
export async function noteManagers(
  transaction: ImportTransaction,
  scratch: Scratch,
  named: readonly NamedManager[],
  isPuttingAside: boolean,
): Promise<void> {
  const before = isPuttingAside ? await transaction.workersBefore(named.map(({ workerId }) => workerId)) : [];
  for (const [at, one] of named.entries()) {
    if (!isPuttingAside && one.counted === "added" && one.managerId !== null) continue;
    const located = isPuttingAside ? one.located : withNames(one.located);
    scratch.noteManager({ ...one, located, before: before[at] ?? null });
  }
}

/** The place of a row and its names, which is all that messages need. */
function withNames({ file, line, item, row }: Located): Located {
  return { file, line, item, header: [], cells: [], row: row && { id: row.id, legacyId: row.legacyId } };
}

export interface ManagerEvents {
  /** Whether bad rows are put aside and the others loaded. */
  readonly isPuttingAside: boolean;
  /** The name refers to nothing, or to a row that is put aside itself. */
  bad(named: NamedManager, problem: RowProblem): Promise<void>;
  /** The worker was counted as unchanged, but has another manager now. */
  changed(named: ManagerName): void;
}

/** Gives every worker that was noted in `scratch` its manager. */
export async function settleManagers(
  transaction: ImportTransaction,
  scratch: Scratch,
  references: References,
  events: ManagerEvents,
): Promise<void> {
  let batches = 0;
  for (const batch of scratch.namedManagers(BATCH_WORKERS)) {
    if (++batches % COLLECT_AFTER_BATCHES === 0) collectGarbage();
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
        await events.bad(scratch.namedManager(named.workerId)!, problem);
      } else if (reference.id !== named.managerId) {
        moved.set(named.workerId, reference.id);
        if (named.counted === "unchanged") {
          events.changed(named);
          scratch.noteChangedManager(named.workerId);
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
  if (events.isPuttingAside) await putAsideReports(transaction, scratch, events.bad);
}

/**
 * Where workers were put aside, those who report to them are, too, and so on. `putAside` is called until nobody is left who
 * reports to nobody.
 */
async function putAsideReports(
  transaction: ImportTransaction,
  scratch: Scratch,
  putAside: (named: NamedManager, problem: RowProblem) => Promise<void>,
): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    let isAny = false;
    for (const { id } of await transaction.workersWithoutManager(BATCH_WORKERS)) {
      const named = scratch.namedManager(id);
      if (named === null || seen.has(id)) continue; // one that is not in the files: pruning tells
      seen.add(id);
      const message = "is a worker whose row is refused, too";
      await putAside(named, { field: "managerId", value: JSON.stringify(named.name), message });
      isAny = true;
    }
    if (!isAny) return;
  }
}

/** Of a wire object. In a text, the quotes would be escaped. */
const MANAGER = /,"managerId":(?:null|"[^"]*")/;

function withManager(row: Rows["workers"], managerId: string): Rows["workers"] {
  return { ...row, managerId, doc: row.doc.replace(MANAGER, `,"managerId":${JSON.stringify(managerId)}`) };
}
