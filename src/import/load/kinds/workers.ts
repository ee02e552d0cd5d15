// Workers, whose objects repeat their department, workplace and manager. A file names departments and workplaces by an id or a name; a new
// name creates one. When one of them changes, the same import updates its workers.
import sql, { raw } from "sql-template-tag";
import type { Department } from "../../../resources/departments.ts";
import type { ImportRows, Rows } from "../../../resources/kinds.ts";
import { rowOf } from "../../../resources/registry.ts";
import { displayName, type EmbeddedObjects, statusOf, type Worker } from "../../../resources/workers.ts";
import type { ImportSession, ImportTransaction } from "../../../store/store.ts";
import { selected, TABLES } from "../../../store/tables.ts";
import type { BadRows } from "../../bad-rows.ts";
import { type RowProblem, shown } from "../../row-errors.ts";
import { mintedId, ROW_STATE, type StagedRow, selectedOf, staged } from "../../staging.ts";
import { brokenReference, lookUp, referenced } from "../references.ts";
import { type LoadedRow, loadedRows } from "../stored-rows.ts";
import { type KindRules, plainRow } from "./kind.ts";

const GOOD = ROW_STATE.good;

export type GroupKind = "departments" | "workplaces";
type WorkplaceType = Rows["workplaces"]["type"];
type Person = NonNullable<EmbeddedObjects["manager"]>;

/** The ids that a name may have. A renamed group keeps its id; then the old name gets the next of these ids. */
export function idsOfName(companyId: string, kind: GroupKind, name: string): string[] {
  return ["", "2", "3", "4"].map((before) => mintedId(companyId, kind, before, name));
}

/** All departments, or all workplaces, as they are after the import. There are few. */
class Groups<K extends GroupKind> {
  readonly #byId = new Map<string, Rows[K]>();
  /** Null if several have the name. */
  readonly #byName = new Map<string, string | null>();
  /** The types that rows of workers give, by id. */
  readonly #types = new Map<string, WorkplaceType>();
  /** The stored rows, by id, of groups that this import creates from names or gives another type; null for new ones. */
  readonly made = new Map<string, Rows[K] | null>();
  /** The ids of groups whose name or type changed. */
  readonly changed = new Set<string>();
  /** Whether any has a row of its own in the source system. */
  #hasOwnRows = false;
  /** The ids that workers name. */
  readonly used = new Set<string>();

  constructor(
    readonly kind: K,
    readonly companyId: string,
    readonly make: (id: string, name: string, type: WorkplaceType, stored: Rows[K] | null) => Rows[K],
  ) {}

  add(row: Rows[K], stored: Rows[K] | null): void {
    const { id, name, legacyId } = row as Rows[GroupKind]; // both kinds have them
    this.#byId.set(id, row);
    this.#byName.set(name, this.#byName.has(name) ? null : id);
    if (legacyId !== null) this.#hasOwnRows = true;
    if (stored !== null && !isSameGroup(row, stored)) this.changed.add(id);
  }

  get(id: string | null): Rows[K] | null {
    return id === null ? null : (this.#byId.get(id) ?? null);
  }

  /** The id of the group with a name, which is created if there is none; or a problem. */
  ofName(
    field: string,
    name: string,
    type: WorkplaceType | null,
  ): { readonly id: string; readonly isUnrecognised: boolean } | RowProblem {
    let id = this.#byName.get(name);
    if (id === null) return problem(field, name, `is the name of several ${this.kind}: give ${field}Id`);
    if (id === undefined) {
      id = idsOfName(this.companyId, this.kind, name).find((free) => !this.#byId.has(free));
      if (id === undefined)
        return problem(field, name, `was the name of several ${this.kind} before: give ${field}Id`);
      this.add(this.make(id, name, type ?? "office", null), null);
      this.made.set(id, null);
    }
    this.used.add(id);
    const isUnrecognised = this.made.get(id) === null && this.#hasOwnRows;
    if (type === null) return { id, isUnrecognised };
    const row = this.#byId.get(id) as Rows["workplaces"]; // only workplaces have types
    const given = this.#types.get(id) ?? (row.legacyId === null ? type : row.type);
    if (given !== type)
      return problem("workplaceType", type, `is not the type of ${shown(name)}: it is ${given}`);
    this.#types.set(id, type);
    if (row.type !== type) {
      this.made.set(id, this.made.has(id) ? this.made.get(id)! : (row as Rows[K])); // the kind is workplaces
      this.#byId.set(id, this.make(id, name, type, row as Rows[K])); // as above
      this.changed.add(id);
    }
    return { id, isUnrecognised };
  }
}

function isSameGroup(row: Rows[GroupKind], stored: Rows[GroupKind]): boolean {
  return row.name === stored.name && (row as { type?: string }).type === (stored as { type?: string }).type; // departments have none
}

function problem(field: string, value: string, message: string): RowProblem {
  return { field, value: shown(value), message };
}

/** A group as workers name it. */
interface NamedGroup {
  readonly name: string;
  readonly type: string | null;
}

export class WorkerLinks {
  readonly departments: Groups<"departments">;
  readonly workplaces: Groups<"workplaces">;
  /** Names of departments that no row of the source has, and how many workers have each. */
  readonly unrecognised = new Map<string, number>();

  /** `updatedAt`: that of changed objects. */
  constructor(
    private readonly session: ImportSession,
    private readonly updatedAt: string,
  ) {
    const { companyId } = session;
    this.departments = new Groups("departments", companyId, (id, name, _, stored) => {
      const createdAt = this.createdAt(null, stored);
      return rowOf("departments", { id, name, legacyId: null, parentId: null, createdAt }, {});
    });
    this.workplaces = new Groups("workplaces", companyId, (id, name, type, stored) => {
      const nothing = { legacyId: null, timeZone: null, holidayCalendarId: null, holidayCalendar: null };
      const createdAt = this.createdAt(null, stored);
      return rowOf("workplaces", { id, name, type, ...nothing, createdAt, status: "active" }, {});
    });
  }

  createdAt(imported: number | null, stored: { readonly doc: string } | null): number {
    if (imported !== null) return imported;
    return Date.parse(stored === null ? this.updatedAt : (JSON.parse(stored.doc) as Department).createdAt); // what an import wrote
  }

  /** Reads all groups. Called once they are staged. `build` gives the row of a staged group. */
  async read<K extends GroupKind>(kind: K, build: (row: LoadedRow<K>) => Rows[K]): Promise<void> {
    const groups = this[kind] as Groups<K>; // the kind's own
    const built = new Set<string>();
    for await (const rows of loadedRows(this.session, kind, { isFresh: false }))
      for (const loaded of rows) {
        const row = build(loaded);
        built.add(row.id);
        groups.add(row, loaded.stored);
      }
    const stored = sql`
      select ${raw(selected(TABLES[kind].columns))}
      from ${raw(kind)}
      where company_id = ${this.session.companyId}
      order by id`;
    for await (const rows of this.session.batches<Rows[K]>(stored))
      for (const row of rows) if (!built.has(row.id)) groups.add(row, null);
  }

  /** Resolves or creates the departments and workplaces that workers name. Called once workers are staged. */
  async resolve(bad: BadRows): Promise<void> {
    await this.#resolveNames("departments", bad);
    await this.#resolveNames("workplaces", bad);
  }

  async #resolveNames(kind: GroupKind, bad: BadRows): Promise<void> {
    const { session } = this;
    const field = kind === "departments" ? "department" : "workplace";
    const [name, id] = [raw(`s.${field}`), raw(`s.${field}_id_name`)];
    const type = kind === "departments" ? sql`cast(null as text)` : sql`s.workplace_type`;
    const table = `groups_${kind}`;
    await session.makeTable(table, { name: "text", type: "text", id: "text" });
    const named = await session.run<NamedGroup & { readonly workers: number }>(sql`
      select ${name} as "name", ${type} as "type", count(*) as "workers"
      from ${staged("workers")} s
      where ${name} is not null and ${id} is null and s.state = ${GOOD}
      group by ${name}, ${type}
      order by min(s.n)`);
    const problems = new Map<string, RowProblem>();
    const ids: [name: string, type: string | null, id: string][] = [];
    for (const { name, type, workers } of named) {
      const group = (this[kind] as Groups<GroupKind>).ofName(field, name, type as WorkplaceType | null); // as it was checked
      if ("message" in group) problems.set(JSON.stringify([name, type]), group);
      else {
        ids.push([name, type, group.id]);
        if (group.isUnrecognised && kind === "departments") this.unrecognised.set(name, Number(workers));
      }
    }
    await session.fill(table, ids);
    await session.run(sql`create index ${raw(`${table}_name`)} on ${raw(table)} (name)`);
    if (problems.size === 0) return;
    await bad.refuseStaged<"workers", StagedRow & NamedGroup>(
      "workers",
      sql`
        select ${selectedOf("workers")}, ${name} as "name", ${type} as "type"
        from ${staged("workers")} s
        where ${name} is not null and ${id} is null and s.state = ${GOOD}
        order by s.n`,
      ({ name, type }) => {
        const mistake = problems.get(JSON.stringify([name, type]));
        return mistake === undefined ? null : { problems: [mistake] };
      },
    );
  }

  objectsOf(
    { departmentId, workplaceId }: Pick<Rows["workers"], "departmentId" | "workplaceId">,
    manager: Person | null,
  ): EmbeddedObjects {
    const department = this.departments.get(departmentId);
    const workplace = this.workplaces.get(workplaceId);
    return {
      department: department && { id: department.id, name: department.name },
      primaryWorkplace: workplace && { id: workplace.id, name: workplace.name, type: workplace.type },
      manager,
      updatedAt: this.updatedAt,
    };
  }

  /** The row, with the stored `updatedAt` if nothing else changed. */
  dated(row: Rows["workers"], stored: Rows["workers"] | null): Rows["workers"] {
    // This matches no value: in a value, quotes are escaped.
    const doc = stored?.doc.replace(/"updatedAt":"[^"]*"/, `"updatedAt":"${this.updatedAt}"`);
    return stored !== null && doc === row.doc ? { ...row, doc: stored.doc } : row;
  }

  /** Writes the created groups that stored workers have. Quarantined rows create none. */
  async writeMade(transaction: ImportTransaction): Promise<void> {
    for (const kind of ["departments", "workplaces"] as const) {
      const groups = this[kind] as Groups<GroupKind>;
      const used = await referenced(transaction, kind, [...groups.made.keys()]);
      const rows = [...used.keys()].toSorted().map((id) => groups.get(id)!); // of those that were made
      await transaction.put(kind, rows);
    }
  }

  /** Writes workers that are not in the files, if their department, workplace or manager changed. `people`: ids of renamed workers. */
  async refresh(transaction: ImportTransaction, people: readonly string[]): Promise<void> {
    const { session } = this;
    await session.makeTable("changed_objects", { id: "text" });
    const changed = [...this.departments.changed, ...this.workplaces.changed, ...people];
    if (changed.length === 0) return;
    await session.fill(
      "changed_objects",
      changed.map((id) => [id]),
    );
    const isChanged = (column: string) => `w.${column} in (select id from changed_objects)`;
    const stale = sql`
      select ${raw(selected(TABLES.workers.columns, "w."))}, manager.doc as "managerDoc"
      from workers w
      left join workers manager on manager.company_id = w.company_id and manager.id = w.manager_id
      where w.company_id = ${session.companyId}
        and (${raw(["department_id", "workplace_id", "manager_id"].map(isChanged).join(" or "))})
        and not exists (select 1 from ${staged("workers")} s where s.id = w.id and s.state = ${GOOD})
      order by w.id`;
    const rows: Rows["workers"][] = [];
    for await (const batch of session.batches<Rows["workers"] & { readonly managerDoc: string | null }>(
      stale,
    ))
      for (const { managerDoc, ...row } of batch) {
        const worker = JSON.parse(row.doc) as Worker; // what an import wrote
        const objects = this.objectsOf(row, managerDoc === null ? null : personOf(managerDoc));
        const doc = JSON.stringify({ ...worker, ...objects });
        const dated = this.dated({ ...row, doc }, row);
        if (dated.doc !== row.doc) rows.push(dated);
      }
    await transaction.put("workers", rows);
  }
}

function personOf(doc: string): Person {
  const { id, firstName, lastName, displayName }: Worker = JSON.parse(doc); // what an import wrote
  return { id, firstName, lastName, displayName };
}

export const workerRules: KindRules<"workers"> = {
  query: (companyId) => ({
    select: sql`,
      coalesce(named_department_id.id, department.id) as "departmentOf",
      coalesce(named_workplace_id.id, workplace.id) as "workplaceOf",
      manager.id as "managerOf",
      manager_of_files.fields as "managerFields",
      case when manager_of_files.n is null then stored_manager.doc end as "managerDoc"`,
    joins: sql`
    left join groups_departments department
      on department.name = s.department and s.department_id_name is null
    left join groups_workplaces workplace
      on workplace.name = s.workplace
      and workplace.type is not distinct from s.workplace_type
      and s.workplace_id_name is null
    left join managers manager on manager.name = s.manager_name
    left join ${staged("workers")} manager_of_files
      on manager_of_files.id = manager.id and manager_of_files.state = ${GOOD}
    left join workers stored_manager
      on stored_manager.company_id = ${companyId} and stored_manager.id = manager.id`,
  }),
  build(loaded, { links, today }) {
    const { more, fields } = loaded;
    const departmentId = more.departmentOf as string | null; // ids and texts, here and below
    const workplaceId = more.workplaceOf as string | null;
    const managerId = more.managerOf as string | null;
    const objects = links.objectsOf({ departmentId, workplaceId }, managerOf(managerId, more));
    const own = { displayName: displayName(fields), status: statusOf(fields, today) };
    const values = { departmentId, workplaceId, managerId, ...own, objects };
    return { row: links.dated(plainRow("workers", loaded, values), loaded.stored) };
  },
};

function managerOf(id: string | null, more: LoadedRow<"workers">["more"]): Person | null {
  if (id === null) return null;
  if (more.managerDoc != null) return personOf(more.managerDoc as string);
  const fields = JSON.parse(more.managerFields as string) as ImportRows["workers"]; // as it was staged
  const { firstName, lastName } = fields;
  return { id, firstName, lastName, displayName: displayName(fields) };
}

/** Whether a worker's row differs from the stored one in more than the manager's names. */
export function isOtherWorker(row: Rows["workers"], stored: Rows["workers"]): boolean {
  const { manager, updatedAt, ...now } = JSON.parse(row.doc) as Worker; // what an import wrote, here and below
  const { manager: _, updatedAt: __, ...before } = JSON.parse(stored.doc) as Worker;
  return (
    JSON.stringify(now) !== JSON.stringify(before) ||
    TABLES.workers.columns.some((column) => column !== "doc" && row[column] !== stored[column])
  );
}

export function hasOtherNames(row: Rows["workers"], stored: Rows["workers"]): boolean {
  return JSON.stringify(personOf(row.doc)) !== JSON.stringify(personOf(stored.doc));
}

// Managers may come later in the files than their reports.

/** The circles of managers among stored workers: `E1 → E2 → E1`. */
export async function circlesOfManagers(session: ImportSession): Promise<string[]> {
  // A worker whom no one without a manager leads, directly or not, is in a circle or below one.
  const workers = await session.run<{ id: string; managerId: string; legacyId: string | null }>(sql`
    with recursive led as (
      select id
      from workers
      where company_id = ${session.companyId} and manager_id is null
      union all
      select w.id
      from led
      cross join workers w
      where w.company_id = ${session.companyId} and w.manager_id = led.id)
    select w.id as "id", w.manager_id as "managerId", w.legacy_id as "legacyId"
    from workers w
    left join led on led.id = w.id
    where w.company_id = ${session.companyId} and led.id is null
    order by w.id`);
  const managers = new Map(workers.map((worker) => [worker.id, worker]));
  const seen = new Set<string>();
  return workers.flatMap(({ id }) => {
    const path: string[] = [];
    let at: string | undefined = id;
    for (; at !== undefined && !seen.has(at); at = managers.get(at)?.managerId) {
      seen.add(at);
      path.push(at);
    }
    if (at === undefined || !path.includes(at)) return [];
    const circle = [...path.slice(path.indexOf(at)), at];
    return circle.map((worker) => managers.get(worker)!.legacyId ?? worker).join(" → "); // each has a manager
  });
}

/**
 * Resolves the manager of every staged worker. Refuses workers whose manager does not exist. With a quarantine it also refuses the
 * reports of a refused worker, unless that worker is stored already.
 */
export async function resolveManagers(session: ImportSession, bad: BadRows): Promise<void> {
  const rows = staged("workers");
  await lookUp(session, "workers", "manager_name", "workers", bad, raw("managers"));
  type Named = StagedRow & {
    readonly name: string;
    readonly other: string | null;
    readonly isRefused: number;
    readonly alike: string | null;
  };
  const refuse = () =>
    bad.refuseStaged<"workers", Named>(
      "workers",
      sql`
        select
          ${selectedOf("workers")},
          m.name as "name", m.other as "other", m.is_refused as "isRefused", m.alike as "alike"
        from ${rows} s
        join managers m on m.name = s.manager_name
        where m.id is null and s.state = ${GOOD}
        order by s.n`,
      ({ id, name, other, isRefused, alike }) => {
        // A reference to a refused row is reported only with a quarantine.
        if (isRefused > 0 && !bad.hasQuarantine) return null;
        aside.push(id!); // it was identified
        return { problems: [brokenReference("managerId", "workers", name, { other, isRefused, alike })] };
      },
      "what is stored",
    );
  const aside: string[] = [];
  while ((await refuse()) > 0)
    await session.run(sql`
      update managers
      set id = null, is_refused = 2
      where id in (select s.id from ${rows} s where s.state <> ${GOOD})
        and not exists (
          select 1 from workers w where w.company_id = ${session.companyId} and w.id = managers.id)`);
  for (const id of aside) bad.refused.addId("workers", id);
}
