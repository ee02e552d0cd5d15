// What workers repeat of others: their department, workplace and manager. A file names the first two by an id or by their names, of
// which they are made where none has the name. What changes there, changes here in the same import.
import type { ImportRows, Kind } from "../../resources/kinds.ts";
import { rowOf } from "../../resources/registry.ts";
import type { Worker, WorkerObjects } from "../../resources/workers.ts";
import type { ImportTransaction } from "../../store/store.ts";
import type { Rows } from "../../store/tables.ts";
import { type CountedAs, type ImportMemory, keyText, type NamedManager } from "../memory.ts";
import type { LocatedRow } from "../read/import-rows.ts";
import { type RowProblem, shown } from "../row-errors.ts";
import { mintedId } from "./identity.ts";
import { type References, referenceProblem } from "./references.ts";

export type GroupKind = "departments" | "workplaces";
type WorkplaceType = Rows["workplaces"]["type"];

/** All departments, or all workplaces, of a company while its workers are loaded: there are few. */
class Groups<K extends GroupKind> {
  readonly #byId = new Map<string, Rows[K]>();
  readonly #byLegacyId = new Map<string, string>();
  /** Null where several have the name. */
  readonly #byName = new Map<string, string | null>();
  /** The types that rows of workers give, by id. */
  readonly #types = new Map<string, WorkplaceType>();
  /** Those that this import makes of names, or gives another type. */
  readonly made = new Set<string>();
  readonly #used = new Set<string>();
  /** Whether any has a row of its own in the source system. */
  #hasOwnRows = false;
  /** Names that no row has, although there are rows: how many workers have each. */
  readonly unrecognised = new Map<string, number>();

  constructor(
    readonly kind: K,
    readonly companyId: string,
    readonly make: (id: string, name: string, type: WorkplaceType) => Rows[K],
  ) {}

  async read(transaction: ImportTransaction): Promise<void> {
    for await (const rows of transaction.scan(this.kind)) for (const row of rows) this.#add(row);
  }

  #add(row: Rows[K]): void {
    const { id, name, legacyId } = row as Rows[GroupKind]; // both kinds have them
    this.#byId.set(id, row);
    this.#byName.set(name, this.#byName.has(name) ? null : id);
    if (legacyId === null) return;
    this.#byLegacyId.set(legacyId, id);
    this.#hasOwnRows = true;
  }

  get(id: string | null): Rows[K] | null {
    return id === null ? null : (this.#byId.get(id) ?? null);
  }

  /** The id of what a row of a worker names by an id or a legacy id; or what is wrong with that. */
  named(field: string, name: string, references: References): string | RowProblem {
    const byLegacyId = this.#byLegacyId.get(name) ?? null;
    const found = references.reference(this.kind, name, { byId: this.#byId.has(name), byLegacyId });
    return found.id ?? referenceProblem(field, name, found as Extract<typeof found, { id: null }>); // it has no id
  }

  /** The id of the one with this name, which is made if there is none. */
  ofName(field: string, name: string, type: WorkplaceType | null): string | RowProblem {
    let id = this.#byName.get(name);
    if (id === null) return problem(field, name, `is the name of several ${this.kind}: give ${field}Id`);
    if (id === undefined) {
      id = idsOfName(this.companyId, this.kind, name).find((one) => !this.#byId.has(one));
      if (id === undefined)
        return problem(field, name, `was the name of several ${this.kind} before: give ${field}Id`);
      if (this.#hasOwnRows) this.unrecognised.set(name, 0);
      this.#add(this.make(id, name, type ?? "office"));
      this.made.add(id);
    }
    if (this.unrecognised.has(name)) this.unrecognised.set(name, this.unrecognised.get(name)! + 1);
    this.#used.add(id);
    if (type === null) return id;
    const stored = this.#byId.get(id) as Rows["workplaces"]; // only workplaces have types
    const given = this.#types.get(id) ?? (stored.legacyId === null ? type : stored.type);
    if (given !== type)
      return problem("workplaceType", type, `is another type than the ${given} that ${shown(name)} is`);
    this.#types.set(id, type);
    if (stored.type !== type) {
      this.#byId.set(id, this.make(id, name, type));
      this.made.add(id);
    }
    return id;
  }

  /** Writes what was made for workers that are stored: rows that are put aside make nothing. What rows of workers name is not pruned. */
  async write(transaction: ImportTransaction, memory: ImportMemory): Promise<void> {
    for (const id of this.#used) {
      const key = keyText([id]);
      if (!memory.isSeen(this.kind, key)) memory.notePresent(this.kind, key);
    }
    const used = await transaction.referenced(this.kind, [...this.made]);
    const rows = [...used.keys()].map((id) => this.#byId.get(id)!); // of those that were made
    await transaction.put(this.kind, rows);
  }
}

/** What a name may be the id of. A row of its own may rename one and keep its id; then the name makes another. */
function idsOfName(companyId: string, kind: GroupKind, name: string): string[] {
  return ["", "2", "3", "4"].map((before) => mintedId(companyId, kind, before, name));
}

function problem(field: string, value: string, message: string): RowProblem {
  return { field, value: shown(value), message };
}

type Person = NonNullable<WorkerObjects["manager"]>;

export class WorkerLinks {
  readonly #departments: Groups<"departments">;
  readonly #workplaces: Groups<"workplaces">;

  /** `updatedAt`: what objects that change get. */
  constructor(
    companyId: string,
    private readonly references: References,
    private readonly updatedAt: string,
  ) {
    this.#departments = new Groups("departments", companyId, (id, name) =>
      rowOf("departments", { id, name, legacyId: null, parentId: null }, {}),
    );
    this.#workplaces = new Groups("workplaces", companyId, (id, name, type) => {
      const nothing = { legacyId: null, timeZone: null, holidayCalendarId: null, holidayCalendar: null };
      return rowOf("workplaces", { id, name, type, ...nothing }, {});
    });
  }

  /** Reads what workers may belong to. Called before any of them is loaded, when the store is not busy. */
  async prepare(transaction: ImportTransaction): Promise<void> {
    await this.#departments.read(transaction);
    await this.#workplaces.read(transaction);
  }

  /** Where a row says that its worker belongs; or what is wrong with that. */
  groupsOf(
    row: ImportRows["workers"],
  ): { readonly departmentId: string | null; readonly workplaceId: string | null } | RowProblem[] {
    const { departmentId, department, workplaceId, workplaceType } = row;
    const workplace = row.workplace ?? row.location;
    const found = {
      departmentId:
        departmentId !== null
          ? this.#departments.named("departmentId", departmentId, this.references)
          : department && this.#departments.ofName("department", department, null),
      workplaceId:
        workplaceId !== null
          ? this.#workplaces.named("workplaceId", workplaceId, this.references)
          : workplace && this.#workplaces.ofName("workplace", workplace, workplaceType),
    };
    const problems = Object.values(found).filter((one) => typeof one === "object" && one !== null);
    return problems.length > 0
      ? (problems as RowProblem[]) // ids are texts
      : (found as { departmentId: string | null; workplaceId: string | null }); // there is no problem
  }

  /** What the object of a worker repeats. Its manager is the one that is stored, until `refresh`. */
  objectsOf(
    place: Pick<Rows["workers"], "departmentId" | "workplaceId" | "managerId">,
    stored: Rows["workers"] | null,
  ): WorkerObjects {
    return this.#objects(place, place.managerId === null ? null : (parsed(stored)?.manager ?? null));
  }

  #objects(
    { departmentId, workplaceId }: Pick<Rows["workers"], "departmentId" | "workplaceId">,
    manager: Person | null,
  ): WorkerObjects {
    const department = this.#departments.get(departmentId);
    const workplace = this.#workplaces.get(workplaceId);
    return {
      department: department && { id: department.id, name: department.name },
      primaryWorkplace: workplace && { id: workplace.id, name: workplace.name, type: workplace.type },
      manager,
      updatedAt: this.updatedAt,
    };
  }

  /** An object that is as it was keeps the time of its last change. */
  dated(row: Rows["workers"], stored: Rows["workers"] | null): Rows["workers"] {
    const end = row.doc.length - this.updatedAt.length - '"}'.length; // the last key: the length of all times is the same
    const isSame = stored?.doc.length === row.doc.length && stored.doc.startsWith(row.doc.slice(0, end));
    return isSame ? { ...row, doc: stored.doc } : row;
  }

  /** The departments that were made although no row of the source's has their names, and how many workers have each. */
  get unrecognised(): ReadonlyMap<string, number> {
    return this.#departments.unrecognised;
  }

  /** The ids of the departments that this import made of names. */
  get newDepartments(): ReadonlySet<string> {
    return this.#departments.made;
  }

  async write(transaction: ImportTransaction, memory: ImportMemory): Promise<void> {
    await this.#departments.write(transaction, memory);
    await this.#workplaces.write(transaction, memory);
  }

  /** Writes every worker whose manager, or what their object says of department, workplace or manager, is another. */
  async refresh(transaction: ImportTransaction, memory: ImportMemory): Promise<void> {
    for await (const stored of transaction.scan("workers")) {
      const rows = stored.map((row) => ({ ...row, managerId: memory.managerOf(row.id) ?? row.managerId }));
      const ids = new Set(rows.flatMap(({ managerId }) => managerId ?? []));
      const managers = await transaction.stored(
        "workers",
        [...ids].map((id) => [id]),
      );
      const people = new Map(managers.flatMap((row) => (row === null ? [] : [[row.id, personOf(row.doc)]])));
      const changed = rows.flatMap((row) => {
        const worker = parsed(row)!;
        const objects = this.#objects(row, people.get(row.managerId ?? "") ?? null);
        const { department, primaryWorkplace, manager, managerId } = worker;
        const said = { department, primaryWorkplace, manager, managerId };
        const { updatedAt, ...now } = { ...objects, managerId: row.managerId };
        if (JSON.stringify(said) === JSON.stringify(now)) return [];
        return [{ ...row, doc: JSON.stringify({ ...worker, ...now, updatedAt }) }];
      });
      if (changed.length > 0) await transaction.put("workers", changed);
    }
  }
}

function parsed(row: Rows["workers"] | null | undefined): Worker | null {
  return row ? (JSON.parse(row.doc) as Worker) : null; // what an import wrote
}

function personOf(doc: string): Person {
  const { id, firstName, lastName, displayName }: Worker = JSON.parse(doc); // likewise
  return { id, firstName, lastName, displayName };
}

/** Removes those that were made of names that nobody has any more. Returns how many. */
export async function removeUnused(
  transaction: ImportTransaction,
  companyId: string,
  kind: GroupKind,
): Promise<number> {
  const made: string[] = [];
  for await (const rows of transaction.scan(kind))
    for (const { id, name, legacyId } of rows as readonly Rows[GroupKind][])
      if (legacyId === null && idsOfName(companyId, kind, name).includes(id)) made.push(id);
  const used = await transaction.referenced(kind, made);
  const unused = made.filter((id) => !used.has(id));
  await transaction.remove(
    kind,
    unused.map((id) => [id]),
  );
  return unused.length;
}

/** Rows of the source system take over what was made of their names before: it keeps its id. */
export async function adopted<T extends object>(
  kind: GroupKind,
  { companyId, transaction }: { readonly companyId: string; readonly transaction: ImportTransaction },
  importRows: readonly T[],
): Promise<readonly T[]> {
  const rows = importRows as readonly object[] as readonly ImportRows[GroupKind][]; // the kind says so
  const ids = rows.flatMap(({ name }) => idsOfName(companyId, kind, name));
  const stored = await transaction.stored<GroupKind>(
    kind,
    ids.map((id) => [id]),
  );
  const made = new Map(
    stored.flatMap((one) => (one === null || one.legacyId !== null ? [] : [[one.name, one.id]])),
  );
  const known = await transaction.match(
    kind,
    rows.map(({ legacyId }) => legacyId ?? ""),
  );
  return importRows.map((importRow, at) => {
    const { id: given, legacyId, name } = rows[at]!;
    const id = made.get(name);
    if (id === undefined || given !== null || legacyId === null || known[at]!.byLegacyId !== null)
      return importRow;
    made.delete(name);
    return { ...importRow, id };
  });
}

// Managers. One may come later in the files than those who report to them, so a worker is written with the manager that is stored, and
// gets the new one when all workers are there.

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
