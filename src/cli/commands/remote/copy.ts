// rollcall follow --into: a relational copy of a server's data (docs/syncing.md). Each list has a table, made from its definition in the
// API. Bun.SQL works with SQLite and PostgreSQL alike.
import { SQL } from "bun";
import { z } from "zod";
import type { ChangePage, Rollcall } from "../../../client/index.ts";
import { balances } from "../../../resources/balances.ts";
import type { ChangeResource } from "../../../resources/changes.ts";
import { LISTS } from "../../../resources/kinds.ts";
import type { Field } from "../../../resources/resource.ts";
import { chunks, columnName } from "../../../store/tables.ts";
import { CliFailure } from "../../failure.ts";

/** A column of ours beside the list's: the number of the full pass that last read the row. */
const PASS = "rollcall_pass";

/** How many balances are written at a time. */
const BATCH = 1000;

/** How long to wait for readers of an SQLite file. */
const READERS_WAIT_MS = 10_000;

type Row = Record<string, unknown>;

interface CopyColumn {
  readonly name: string;
  readonly type: string;
  readonly of: (object: Row) => unknown;
}

/** The part of JSON Schema that the API's fields use. */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly FieldSchema[];
}

interface State {
  readonly position: string | null;
  readonly pass: number;
  readonly complete: boolean;
  /** Whether bytes of removed rows may still be in the files. */
  readonly toErase: boolean;
}

export class RelationalCopy {
  readonly #sql: SQL;
  readonly #isPostgres: boolean;
  /** For messages, without a password. */
  readonly #place: string;
  readonly #resources: readonly ChangeResource[];
  readonly #columns = new Map<ChangeResource, readonly CopyColumn[]>();

  private constructor(into: string, resources: readonly ChangeResource[]) {
    this.#isPostgres = /^postgres(ql)?:\/\//.test(into);
    this.#place = this.#isPostgres ? "PostgreSQL" : `${into} and the free space of its disk`;
    this.#sql = new SQL(this.#isPostgres ? into : `sqlite://${into}`, { max: 1 });
    this.#resources = resources;
    for (const resource of resources) this.#columns.set(resource, this.#columnsOf(resource));
  }

  /** Opens the copy and creates missing tables. Raises CliFailure if the database refuses, or uses these table names for something else. */
  static async open(into: string, resources: readonly ChangeResource[]): Promise<RelationalCopy> {
    const copy = new RelationalCopy(into, resources);
    if (!copy.#isPostgres)
      await copy.#transaction(async (sql) => {
        await sql.unsafe("pragma secure_delete = on"); // overwrites the data of removed people
        await sql.unsafe(`pragma busy_timeout = ${READERS_WAIT_MS}`);
      });
    await copy.#transaction(async (sql) => {
      await sql.unsafe(
        "create table if not exists rollcall_copy (one integer primary key, position text, pass integer, complete boolean, to_erase boolean)",
      );
      await sql`insert into rollcall_copy values (1, null, 1, false, false) on conflict do nothing`;
      for (const [resource, columns] of copy.#columns) {
        const all = [...columns.map(({ name, type }) => `${name} ${type}`), `${PASS} integer`];
        await sql.unsafe(`create table if not exists ${resource} (${all.join(", ")}, primary key (id))`);
        await sql.unsafe(`select ${PASS} from ${resource} limit 0`).catch(() => {
          throw new CliFailure(
            `--into: the table ${resource} there was not made by rollcall follow: name another database`,
          );
        });
        for (const { name } of columns.filter(({ name }) => name.endsWith("_id") && name !== "legacy_id"))
          await sql.unsafe(`create index if not exists ${resource}_${name} on ${resource} (${name})`);
      }
    });
    return copy;
  }

  /** The position to continue from; null for the beginning. */
  async position(): Promise<string | null> {
    return (await this.#state(this.#sql)).position;
  }

  /** Starts a new full pass. Its end deletes rows that it did not read, so the copy is never empty meanwhile. */
  async startAgain(): Promise<void> {
    await this.#transaction(
      (sql) => sql`update rollcall_copy set position = null, pass = pass + 1, complete = false`,
    );
  }

  /**
   * Stores the page that follows `after`, and the page's position, in one transaction. Raises CliFailure if the copy is no longer at
   * `after`. Then another follower writes to it, and older rows could replace newer ones.
   */
  async apply(after: string | null, { data, hasMore, position }: ChangePage): Promise<void> {
    await this.#transaction(async (sql) => {
      const { pass, complete, toErase } = await this.#state(sql);
      const endsPass = !hasMore && !complete;
      for (const resource of this.#resources) {
        const entries = data.filter((entry) => entry.resource === resource);
        const removed = entries.filter((entry) => entry.removed).map(({ id }) => id);
        const objects = entries.flatMap(({ object }) => (object === null ? [] : [object]));
        if (removed.length > 0) await sql`delete from ${sql(resource)} where id in ${sql(removed)}`;
        await this.#put(sql, resource, objects, pass);
        if (endsPass && resource !== "balances")
          await sql`delete from ${sql(resource)} where ${sql(PASS)} < ${pass}`;
      }
      const isErasing = toErase || (endsPass && pass > 1) || data.some(({ removed }) => removed);
      const [isOurs] =
        await sql`update rollcall_copy set position = ${position}, complete = ${complete || !hasMore}, to_erase = ${isErasing}
          where position is not distinct from ${after} returning one`;
      if (!isOurs)
        throw new CliFailure(
          "--into: another rollcall follow writes to this copy: end one of them, and run this again",
        );
    });
  }

  /** Vacuums if rows were removed. Until then, SQLite keeps copies of moved rows, and PostgreSQL the removed rows. */
  async erase(): Promise<void> {
    const { toErase } = await this.#state(this.#sql);
    if (!toErase) return;
    const statements = this.#isPostgres
      ? [`vacuum ${this.#resources.join(", ")}`]
      : ["vacuum", "pragma wal_checkpoint(truncate)"];
    await this.#guarded(async () => {
      for (const statement of statements) await this.#sql.unsafe(statement);
      await this.#sql`update rollcall_copy set to_erase = false`;
    });
  }

  /** Empties the table of balances, because an earlier run wrote them. */
  async forgetBalances(): Promise<void> {
    if (this.#columns.has("balances")) await this.#transaction((sql) => sql`delete from balances`);
  }

  /** Replaces all stored balances by those of a day, in one transaction. */
  async replaceBalances(rollcall: Rollcall, day: string): Promise<void> {
    const ofDay = await rollcall.balances.list({ endDate: day }).toArray();
    await this.#transaction(async (sql) => {
      const { pass } = await this.#state(sql);
      await sql`delete from balances`;
      for (const balances of chunks(ofDay, BATCH)) await this.#put(sql, "balances", balances, pass);
    });
  }

  async close(): Promise<void> {
    await this.#sql.close();
  }

  async #put(sql: SQL, resource: ChangeResource, objects: readonly Row[], pass: number): Promise<void> {
    if (objects.length === 0) return;
    const columns = this.#columns.get(resource)!; // open() made one for each resource
    const rows = objects.map((object) => ({
      ...Object.fromEntries(columns.map(({ name, of }) => [name, of(object)])),
      [PASS]: pass,
    }));
    const names = [...columns.map(({ name }) => name), PASS].filter((name) => name !== "id");
    const update = sql.unsafe(names.map((name) => `${name} = excluded.${name}`).join(", "));
    await sql`insert into ${sql(resource)} ${sql(rows)} on conflict (id) do update set ${update}`;
  }

  async #state(sql: SQL): Promise<State> {
    const [row] = await sql`select position, pass, complete, to_erase from rollcall_copy`;
    const [complete, toErase] = [Boolean(row.complete), Boolean(row.to_erase)];
    return { position: row.position, pass: row.pass, complete, toErase };
  }

  #transaction<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
    return this.#guarded(() => this.#sql.begin(work));
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CliFailure) throw error;
      throw new CliFailure(
        `--into: the database refused (${(error as Error).message}). What was copied before stays: see to ${this.#place}, and run it again`,
      );
    }
  }

  #columnsOf(resource: ChangeResource): CopyColumn[] {
    const fields = Object.entries<Field>((resource === "balances" ? balances : LISTS[resource]).fields);
    const columns = fields.flatMap(([field, { wire }]) =>
      wire === undefined ? [] : [this.#columnOf(field, wire)],
    );
    return [...new Map(columns.map((column) => [column.name, column])).values()]; // `manager` and `managerId` give the same column
  }

  /** `startDate` becomes `start_date`; an object with an id, such as `department`, becomes `department_id`. */
  #columnOf(field: string, wire: z.ZodType): CopyColumn {
    const schema = z.toJSONSchema(wire, { unrepresentable: "any" }) as FieldSchema;
    const {
      type: types,
      format,
      properties,
    } = schema.anyOf?.find((alternative) => alternative.type !== "null") ?? schema;
    const type = [types].flat().find((name) => name !== "null");
    const name = columnName(field);
    if (properties?.id !== undefined)
      return { name: `${name}_id`, type: "text", of: (object) => (object[field] as Row | null)?.id ?? null };
    const of = (object: Row) => object[field] ?? null;
    if (type === "boolean") return { name, type: "boolean", of };
    if (type === "integer") return { name, type: "integer", of };
    if (type === "number") return { name, type: "double precision", of };
    if (type === "object" || type === "array")
      return this.#isPostgres
        ? { name, type: "jsonb", of }
        : { name, type: "text", of: (object) => JSON.stringify(of(object)) };
    if (this.#isPostgres && format === "date") return { name, type: "date", of };
    if (this.#isPostgres && format === "date-time") return { name, type: "timestamptz", of };
    return { name, type: "text", of };
  }
}
