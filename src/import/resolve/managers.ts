// The managers of workers. A manager may come later in the files than those who report
// to them, so a worker is written with the manager that is stored, and gets the new one when all workers are there.
import type { Kind, Rows } from "../../resources/kinds.ts";
import type { CountedAs, ImportMemory, NamedManager } from "../memory.ts";
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

/** Notes whose managers are to be looked up when all workers are there. */
export function noteManagers(
  memory: ImportMemory,
  sourceAt: number,
  workers: readonly CountedRow<"workers">[],
): void {
  for (const { located, row, counted } of workers) {
    const { importRow, file: label, line, item } = located;
    if (importRow.managerId === null) continue;
    const { id: workerId, legacyId, managerId } = row;
    const place = { file: label, line, item };
    memory.noteManager({
      workerId,
      legacyId,
      name: importRow.managerId,
      managerId,
      counted,
      sourceAt,
      place,
    });
  }
}

/** Workers whose rows are to be put aside, each with what is wrong with it. They are known when all are there: the import begins anew. */
export class WorkersAside extends Error {
  override readonly name = "WorkersAside";

  constructor(readonly problems: ReadonlyMap<string, RowProblem>) {
    super();
  }
}

export interface ManagerEvents {
  /** Whether bad rows are put aside and the others loaded. */
  readonly isPuttingAside: boolean;
  /** The name refers to nothing. */
  bad(named: NamedManager, problem: RowProblem): Promise<void>;
  /** The worker was counted as unchanged, but has another manager now. */
  changed(named: NamedManager): void;
}

/**
 * Finds the manager of every worker that was noted in `memory`, and notes it there. Raises WorkersAside where rows are put aside for
 * their managers; so are those who report to them, unless these are stored as they were before.
 */
export async function resolveManagers(
  memory: ImportMemory,
  references: References,
  events: ManagerEvents,
): Promise<void> {
  const aside = new Map<string, RowProblem>();
  /** Those of them who were not stored before: nobody can report to them. */
  const missing: string[] = [];
  const putAside = ({ workerId, counted }: NamedManager, problem: RowProblem) => {
    aside.set(workerId, problem);
    if (counted === "added") missing.push(workerId);
  };
  for (const batch of memory.namedManagers(BATCH_WORKERS)) {
    const found = await references.resolve(
      "workers",
      batch.map(({ name }) => name),
    );
    for (const [at, named] of batch.entries()) {
      const reference = found[at]!;
      if (reference.id === null) {
        const problem = referenceProblem("managerId", named.name, reference);
        if (events.isPuttingAside) putAside(named, problem);
        // A row whose only mistake is that it refers to a refused row is reported only if rows are put aside.
        else if (!reference.isRefused) await events.bad(named, problem);
      } else if (reference.id !== named.managerId) {
        memory.noteManagerId(named.workerId, reference.id);
        if (named.counted === "unchanged") events.changed(named);
      }
    }
  }
  const message = "is a worker whose row is refused, too";
  for (const id of missing)
    for (const report of memory.managedBy(id))
      if (!aside.has(report.workerId))
        putAside(report, { field: "managerId", value: JSON.stringify(report.name), message });
  if (aside.size > 0) throw new WorkersAside(aside);
}
