// The bad rows of an import: what is wrong with them, which go to quarantine, and what refers to them.
import sql, { join, type Sql } from "sql-template-tag";
import { type ImportRows, isParent, KINDS, type Kind, PARENT_KINDS } from "../resources/kinds.ts";
import { cellOf } from "../resources/registry.ts";
import type { ImportSession, RowKey } from "../store/store.ts";
import { chunks } from "../store/tables.ts";
import type { FileRow } from "./convert/columns.ts";
import type { Located } from "./convert/import-rows.ts";
import { presentKeys, Quarantine, type QuarantinedRow } from "./quarantine.ts";
import type { Source } from "./read/sources.ts";
import { type FileCounts, NO_ROWS } from "./report.ts";
import { namesOf, type Place, RowErrors, type RowProblem } from "./row-errors.ts";
import { placeOf, ROW_STATE, recordText, type StagedRow, staged } from "./staging.ts";

/** Rows that are marked together. */
const MARKED_AT_ONCE = 500;

/** A bad row, and what it says, as far as it could be read. */
interface BadRow {
  readonly place: Place & { readonly line: number };
  /** The record as its file has it, as JSON; null where it is not known. */
  readonly record: string | null;
  /** Its fields as our own files have them; null if the record cannot be a row. */
  readonly fields: FileRow | null;
}

/** What is wrong with a staged row. */
export interface RefusedRow {
  readonly row: StagedRow;
  readonly problems: readonly RowProblem[];
  /** Whether it only refers to others that are bad. */
  readonly isOrphaned?: boolean;
}

/** What a reference by the id of a bad row still finds: nothing, a stored row, or another row of the files. */
type Left = "nothing" | "what is stored" | "another row";

export class BadRows {
  readonly errors: RowErrors;
  readonly refused = new RefusedRows();
  readonly #quarantine: Quarantine | null;
  /** Kinds with a row in quarantine that has no id: pruning cannot know which stored row it is. */
  readonly unidentified = new Set<Kind>();

  /** `limit`: how many rows may go to quarantine; null where any bad row refuses the import. */
  constructor(
    private readonly session: ImportSession,
    private readonly sources: readonly Source[],
    private readonly counts: readonly FileCounts[],
    limit: number | null,
  ) {
    const labels = KINDS.flatMap((kind) => sources.filter((source) => source.kind === kind));
    this.errors = new RowErrors(labels.map(({ label }) => label));
    this.#quarantine = limit === null ? null : new Quarantine(limit);
  }

  get hasQuarantine(): boolean {
    return this.#quarantine !== null;
  }

  get quarantined(): readonly QuarantinedRow[] {
    return this.#quarantine?.rows ?? [];
  }

  /** The files of a kind are read again: what was put aside of them is not counted twice. */
  restart(kind: Kind): void {
    this.#quarantine?.forget(kind);
    this.present.delete(kind);
    for (const counts of this.counts) if (counts.kind === kind) Object.assign(counts, NO_ROWS);
  }

  /** Raises ImportRefused for bad rows that cannot go to quarantine. `tableRecords`: bad records of tables of queries. */
  refuse(tableRecords: number, hasIncomplete: boolean): void {
    if (this.#quarantine === null || hasIncomplete) this.errors.refuseAny();
    else this.#quarantine.refuse(this.errors, tableRecords);
  }

  /** Notes a record that makes no import row. */
  async addRecord(
    kind: Kind,
    source: number,
    located: Located,
    problems: readonly RowProblem[],
  ): Promise<void> {
    const record = this.#quarantine === null ? null : recordText(located);
    await this.#add(kind, source, { place: located, record, fields: located.row }, problems, true);
  }

  /**
   * Takes the staged rows that a query selects (`selectedOf`, and what `problemsOf` needs) out of the import, in their order. A row for
   * which `problemsOf` gives null is good. A row with `isOrphaned` is
   * reported only if bad rows go to quarantine.
   */
  async refuseStaged<K extends Kind, R extends StagedRow = StagedRow>(
    kind: K,
    query: Sql,
    problemsOf: (row: R, fields: ImportRows[K]) => Omit<RefusedRow, "row"> | null,
    left: Left = "nothing",
  ): Promise<number> {
    const refused: RefusedRow[] = [];
    for await (const rows of this.session.batches<R>(query))
      for (const row of rows) {
        const problem = problemsOf(row, JSON.parse(row.fields) as ImportRows[K]); // as it was staged
        if (problem !== null) refused.push({ row, ...problem });
      }
    await this.refuseRows(kind, refused, left);
    return refused.length;
  }

  /** The same for rows that were looked at already. */
  async refuseRows(kind: Kind, rows: readonly RefusedRow[], left: Left = "nothing"): Promise<void> {
    for (const { row, problems, isOrphaned = false } of rows) {
      const fields = JSON.parse(row.fields) as ImportRows[Kind]; // as it was staged
      if (isOrphaned && this.#quarantine === null) {
        if ("legacyId" in fields) this.refused.add(kind, namesOf(fields));
        continue;
      }
      const place = placeOf(row, this.sources[row.source]!.label);
      const bad = { place, record: row.record, fields: writtenFields(kind, fields) };
      await this.#add(kind, row.source, bad, problems, "legacyId" in fields, left);
    }
    await this.#mark(
      kind,
      rows.map(({ row, isOrphaned }) => ({
        n: row.n,
        state: isOrphaned ? ROW_STATE.orphaned : ROW_STATE.bad,
      })),
    );
  }

  async #add(
    kind: Kind,
    source: number,
    { place, record, fields }: BadRow,
    problems: readonly RowProblem[],
    isNameable: boolean,
    left: Left = "nothing",
  ): Promise<void> {
    this.errors.add(place, problems);
    const names = namesOf(fields ?? {});
    if (isNameable && left !== "another row") this.refused.add(kind, names);
    if (this.#quarantine === null) return;
    this.#quarantine.add(kind, place, record ?? "{}", problems);
    this.counts[source]!.quarantined++;
    if (left === "another row") return;
    const keys = await presentKeys(kind, fields, names, this.session);
    if (keys === null) this.unidentified.add(kind);
    for (const key of keys ?? []) {
      this.#presentOf(kind).push(key);
      if (isParent(kind) && left === "nothing") this.refused.addId(kind, String(key[0]));
    }
  }

  /** Notes that stored rows are named by others of the files. */
  addPresent(kind: Kind, ids: Iterable<string>): void {
    for (const id of ids) this.#presentOf(kind).push([id]);
  }

  #presentOf(kind: Kind): RowKey[] {
    const keys = this.present.get(kind) ?? [];
    this.present.set(kind, keys);
    return keys;
  }

  /** The keys of stored rows that bad rows may stand for, by kind: pruning must leave these. */
  readonly present = new Map<Kind, RowKey[]>();

  async #mark(kind: Kind, rows: readonly { readonly n: number; readonly state: number }[]): Promise<void> {
    for (const [state, some] of Map.groupBy(rows, (row) => row.state))
      for (const marked of chunks(some, MARKED_AT_ONCE))
        await this.session.run(sql`
          update ${staged(kind)}
          set state = ${state}
          where n in (${join(marked.map(({ n }) => n))})`);
  }
}

/** The fields of an import row as our own files have them. */
function writtenFields<K extends Kind>(kind: K, fields: ImportRows[K]): FileRow {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, cellOf(kind, name)?.write(value) ?? null]),
  );
}

/** The most names of refused rows that are remembered. Beyond it, any name counts as one of them. */
const MAX_NAMES = 100_000;

/** The rows of an import that were refused, so that a reference to them is not reported as a mistake of its own. */
export class RefusedRows {
  readonly #names = new Map<Kind, Set<string>>();
  readonly #withNameless = new Set<Kind>();
  readonly #ids = new Map<Kind, Set<string>>();

  /** Notes a row by its ids; one without any may be what any unknown name of the kind refers to. */
  add(kind: Kind, names: readonly string[]): void {
    const known = this.#names.get(kind) ?? new Set();
    this.#names.set(kind, known);
    if (names.length === 0 || known.size >= MAX_NAMES) this.#withNameless.add(kind);
    else for (const name of names) known.add(name);
  }

  /** Notes a record that a query lacks. Nobody knows the row that the query would make of it, so other rows may refer to any of its cells. */
  addCells(cells: readonly unknown[]): void {
    const names = cells.map((cell) => String(cell ?? "").trim()).filter((name) => name !== "");
    for (const kind of PARENT_KINDS) this.add(kind, names);
  }

  /** Notes the id of a stored row whose new version was refused, so that nothing of this import refers to it. */
  addId(kind: Kind, id: string): void {
    const known = this.#ids.get(kind) ?? new Set();
    this.#ids.set(kind, known);
    known.add(id);
  }

  /** The ids that were noted. */
  ids(kind: Kind): readonly string[] {
    return [...(this.#ids.get(kind) ?? [])];
  }

  /** Whether a name that is otherwise unknown may be that of a refused row. */
  mayBe(kind: Kind, name: string): boolean {
    return this.#withNameless.has(kind) || (this.#names.get(kind)?.has(name) ?? false);
  }
}
