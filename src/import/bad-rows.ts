// The bad rows of an import: what is wrong with them, which go to quarantine, and what refers to them.
import sql, { join, raw, type Sql } from "sql-template-tag";
import { replaceFile } from "../replace-file.ts";
import {
  type ImportRows,
  isNamedKind,
  isParent,
  KINDS,
  type Kind,
  PARENT_KINDS,
  RESOURCES,
} from "../resources/kinds.ts";
import { cellOf } from "../resources/registry.ts";
import type { Resource } from "../resources/resource.ts";
import type { ImportSession, RowKey } from "../store/store.ts";
import { chunks } from "../store/tables.ts";
import type { FileRow } from "./convert/columns.ts";
import type { Located } from "./convert/import-rows.ts";
import type { Source } from "./read/sources.ts";
import { type FileCounts, NO_ROWS, type QuarantinedRow } from "./report.ts";
import { ImportRefused, namesOf, type Place, problemText, RowErrors, type RowProblem } from "./row-errors.ts";
import { mintedId, placeOf, ROW_STATE, recordText, type StagedRow, staged } from "./staging.ts";

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
  /** The rows in quarantine, up to the limit. */
  #quarantined: QuarantinedRow[] = [];
  /** Kinds with a row in quarantine that has no id: pruning cannot know which stored row it is. */
  readonly unidentified = new Set<Kind>();
  /** Whether a source could not be read to its end, or lacks a column. Then nothing is imported, and nothing goes to quarantine. */
  isIncomplete = false;

  /** `limit`: how many rows may go to quarantine; null where any bad row refuses the import. */
  constructor(
    private readonly session: ImportSession,
    private readonly sources: readonly Source[],
    private readonly counts: readonly FileCounts[],
    private readonly limit: number | null,
  ) {
    const labels = KINDS.flatMap((kind) => sources.filter((source) => source.kind === kind));
    this.errors = new RowErrors(labels.map(({ label }) => label));
  }

  get hasQuarantine(): boolean {
    return this.limit !== null && !this.isIncomplete;
  }

  /** The rows in quarantine, by kind, file and line. */
  get quarantined(): readonly QuarantinedRow[] {
    const files = [...new Set(this.#quarantined.map(({ file }) => file))];
    return this.#quarantined.toSorted(
      (a, b) =>
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        files.indexOf(a.file) - files.indexOf(b.file) ||
        a.line - b.line,
    );
  }

  /** How many rows are to go to quarantine, including those beyond the limit. */
  get #count(): number {
    return this.counts.reduce((sum, { quarantined }) => sum + quarantined, 0);
  }

  /** Forgets the bad rows and counts of a kind, so that they are not counted twice when its files are read again. */
  restart(kind: Kind): void {
    this.#quarantined = this.#quarantined.filter((row) => row.kind !== kind);
    this.present.delete(kind);
    for (const counts of this.counts) if (counts.kind === kind) Object.assign(counts, NO_ROWS);
  }

  /**
   * Raises ImportRefused for bad rows that cannot go to quarantine: too many, those of a source that is not whole, and records of tables of
   * queries (`tableRecords`), because a query that sums records would give wrong sums.
   */
  refuse(tableRecords: number): void {
    if (this.limit === null || this.isIncomplete) {
      this.errors.refuseAny();
      return;
    }
    const reasons: string[] = [];
    if (tableRecords > 0)
      reasons.push(
        `${tableRecords === 1 ? "1 record" : `${tableRecords} records`} that queries read cannot go to quarantine, as what they make of the others may be wrong: mend ${tableRecords === 1 ? "it" : "them"}, or leave such records out with "skip" under tables`,
      );
    if (this.#count > this.limit)
      reasons.push(
        `${this.#count} rows would go to quarantine, but at most ${this.limit} may: mend them, or raise --quarantine-limit`,
      );
    if (reasons.length > 0) throw new ImportRefused([...this.errors.mistakes(), ...reasons]);
  }

  /** Notes a record that makes no import row. */
  async addRecord(
    kind: Kind,
    source: number,
    located: Located,
    problems: readonly RowProblem[],
  ): Promise<void> {
    const record = this.hasQuarantine ? recordText(located) : null;
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
      if (isOrphaned && !this.hasQuarantine) {
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
    if (this.limit === null || this.isIncomplete) return;
    this.counts[source]!.quarantined++;
    if (this.#count <= this.limit) {
      const row = JSON.parse(record ?? "{}") as QuarantinedRow["row"]; // an object
      const { file, line } = place;
      this.#quarantined.push({ file, line, kind, findings: problems.map(problemText), row });
    }
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

  /** Notes a row by its ids. Any unknown name of the kind may refer to a row without ids. */
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

/** How many rows may be put aside unless the operator says otherwise. */
export const DEFAULT_QUARANTINE_LIMIT = 50;

/** Replaces the file by the rows, as JSON lines, and flushes it to disk. Only the owner may read it. */
export function writeQuarantine(path: string, rows: readonly QuarantinedRow[]): void {
  replaceFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

/** The keys of stored rows that a bad row may stand for; null if it does not say. `names`: its id and its legacy id. */
export async function presentKeys(
  kind: Kind,
  row: FileRow | null,
  names: readonly string[],
  session: ImportSession,
): Promise<RowKey[] | null> {
  if (!isNamedKind(kind) || (kind === "adjustments" && names.length === 0))
    return row === null ? null : keysByReference(kind, row, session);
  if (names.length === 0) return null;
  return (await storedIds(kind, names, session)).map((id) => [id]);
}

/** The ids of the stored rows that have one of these names as id or legacy id. */
async function storedIds(kind: Kind, names: readonly string[], session: ImportSession): Promise<string[]> {
  const rows = await session.run<{ id: string }>(sql`
    select id
    from ${raw(kind)}
    where company_id = ${session.companyId}
      and (id in (${join(names)}) or legacy_id in (${join(names)}))`);
  return rows.map(({ id }) => id);
}

/** What tells an adjustment without a name from others: see `mintedId`. */
const UNNAMED_ADJUSTMENT = ["workerId", "policyId", "day"];

/** The keys of the stored rows that a row without a name may stand for: those with the same parents and day. */
async function keysByReference(kind: Kind, row: FileRow, session: ImportSession): Promise<RowKey[] | null> {
  const { belongsTo, fields, key: ownKey }: Resource = RESOURCES[kind];
  const key: (string | number)[] = [];
  for (const property of kind === "adjustments" ? UNNAMED_ADJUSTMENT : ownKey) {
    const name = Object.keys(fields).find((field) => fields[field]!.column?.key === property)!; // a key has fields
    const value = valueIn(kind, name, row);
    if (value === null) return null;
    const parent = PARENT_KINDS.find((kind) => kind === belongsTo[property]);
    const [part] = parent === undefined ? [value] : await storedIds(parent, [String(value)], session);
    if (part === undefined) return [];
    key.push(part);
  }
  return kind === "adjustments" ? [[mintedId(session.companyId, kind, ...key.map(String))]] : [key];
}

/** The value of a field of a row; null if it has none. */
function valueIn(kind: Kind, field: string, row: FileRow): string | number | null {
  const value = cellOf(kind, field)?.read(row[field]);
  return typeof value === "string" || typeof value === "number" ? value : null;
}
