// The rows of an import's files before they are loaded: one temporary table a kind, a row for each row of its files, with its place, its
// record's digest, and what it says. Statements over these tables and the stored ones do the rest (src/import/load).
import sql, { raw, type Sql } from "sql-template-tag";
import { ID_PREFIX, mintId } from "../resources/ids.ts";
import {
  type ImportRows,
  isNamedKind,
  type Kind,
  PARENT_COLUMNS,
  PARENT_KINDS,
  RESOURCES,
} from "../resources/kinds.ts";
import {
  type ColumnType,
  columnName,
  columnValue,
  type Resource,
  type WireResource,
} from "../resources/resource.ts";
import type { ImportSession, StagedColumns, StagedValue } from "../store/store.ts";
import { TABLES } from "../store/tables.ts";
import type { LocatedRow } from "./convert/import-rows.ts";
import type { Place } from "./row-errors.ts";

/** Whether a staged row goes on. */
export const ROW_STATE = {
  good: 0,
  bad: 1,
  /** Nothing is wrong with it, but it refers to a row that is bad. */
  orphaned: 2,
  /** It is older than the company keeps it (`load/retention.ts`). */
  old: 3,
} as const;

/** What every kind has, beside `id`, `legacy_id` and `has_id` of kinds with names, and the columns of `OWN_COLUMNS`. */
const COLUMNS = {
  /** Counts the rows of a kind in the order in which they were read. */
  n: "row number",
  /** Which of the import's sources it came from. */
  source: "integer",
  line: "bigint",
  item: "bigint",
  /** The file, where it is not the source's. */
  file: "text",
  digest: "bigint",
  /** A value of `ROW_STATE`. */
  state: "integer",
  /** The import row, as JSON. */
  fields: "text",
  /** 1 if building the row may fail (`KindRules.mayFail`). */
  mayFail: "integer",
  /** What only its kind needs of how the file writes it, as JSON. */
  hints: "text",
  /** The record as its file has it, as JSON, where bad rows are put aside. */
  record: "text",
} as const satisfies StagedColumns;

/** A staged row, as statements select it. */
export interface StagedRow {
  readonly n: number;
  readonly source: number;
  readonly line: number;
  readonly item: number | null;
  readonly file: string | null;
  readonly digest: string | null;
  readonly fields: string;
  readonly hints: string | null;
  readonly record: string | null;
  /** The id that the row was given, or that its legacy id has; only for kinds with legacy ids. */
  readonly id?: string | null;
  readonly legacyId?: string | null;
}

/** A field that statements compare. */
interface OwnColumn {
  readonly column: string;
  readonly type: ColumnType;
  readonly of: (fields: Readonly<Record<string, unknown>>) => StagedValue;
}

/** The name of the column with what a file calls the row that a column refers to. */
export const nameColumn = (column: string) => `${columnName(column)}_name`;

/** By kind: what its rows belong to, as files name it, and the days of its key. */
const OWN_COLUMNS = new Map<Kind, readonly OwnColumn[]>(
  Object.values(TABLES).map(({ kind, key, types }) => {
    const fields = Object.entries((RESOURCES[kind] as Resource).fields);
    const parents = PARENT_COLUMNS.filter((column) => column.kind === kind);
    const rest = key.filter((name) => name !== "id" && parents.every(({ column }) => column !== name));
    return [
      kind,
      [
        ...parents.map(({ column, field }): OwnColumn => {
          return { column: nameColumn(column), type: "text", of: (row) => row[field] as string | null };
        }),
        ...rest.map((name): OwnColumn => {
          const [field, { column }] = fields.find(([, one]) => one.column?.key === name)!; // keys have fields
          return {
            column: columnName(name),
            type: types.get(name)!,
            of: (row) => columnValue(column!, row[field]),
          };
        }),
      ],
    ];
  }),
);

/** Further columns of workers: what they repeat of other rows, and what other rows need of them. */
const OF_WORKERS: readonly OwnColumn[] = [
  { column: "time_zone", type: "text", of: (row) => row.timeZone as string | null },
  { column: "manager_name", type: "text", of: (row) => row.managerId as string | null },
  { column: "department", type: "text", of: (row) => row.department as string | null },
  { column: "workplace", type: "text", of: (row) => (row.workplace ?? row.location) as string | null },
  { column: "workplace_type", type: "text", of: (row) => row.workplaceType as string | null },
  { column: "status", type: "text", of: (row) => row.status as string },
  { column: "end_day", type: "integer", of: (row) => row.endDate as number | null },
];

/** Departments and workplaces take over what was made of their names. */
const NAME: OwnColumn = { column: "name", type: "text", of: (row) => row.name as string };

const MORE_COLUMNS: { readonly [K in Kind]?: readonly OwnColumn[] } = {
  departments: [NAME],
  workplaces: [NAME],
  workers: OF_WORKERS,
};

const ownColumns = (kind: Kind): readonly OwnColumn[] => [
  ...OWN_COLUMNS.get(kind)!,
  ...(MORE_COLUMNS[kind] ?? []),
];

export const stagedName = (kind: Kind) => `staged_${kind}`;
export const staged = (kind: Kind): Sql => raw(stagedName(kind));

/** Makes the tables of these kinds, and of all that rows can refer to. */
export async function makeStagedTables(session: ImportSession, kinds: readonly Kind[]): Promise<void> {
  for (const kind of new Set([...kinds, ...PARENT_KINDS, "assignments" as const])) {
    const names: StagedColumns = hasIds(kind) ? NAMES : {};
    const own = Object.fromEntries(ownColumns(kind).map(({ column, type }) => [column, type]));
    await session.makeTable(stagedName(kind), { ...COLUMNS, ...names, ...own });
  }
}

const NAMES = { id: "text", legacy_id: "text", has_id: "integer" } as const satisfies StagedColumns;
const hasIds = (kind: Kind) => isNamedKind(kind) || kind === "assignments";

/** Removes the rows of a kind, before its files are read again. */
export async function clearStagedTable(session: ImportSession, kind: Kind): Promise<void> {
  await session.run(sql`delete from ${staged(kind)}`);
  for (const column of ["id", "legacy_id"])
    await session.run(sql`drop index if exists ${raw(`${stagedName(kind)}_${column}`)}`);
}

/** Makes what finds good staged rows by id and legacy id. To be called once all rows of a kind are staged. */
export async function indexStagedTable(session: ImportSession, kind: Kind): Promise<void> {
  if (!isNamedKind(kind)) return;
  const name = stagedName(kind);
  for (const column of ["id", "legacy_id"])
    await session.run(sql`create index ${raw(`${name}_${column}`)} on ${raw(name)} (${raw(column)}, state)`);
}

/** The prefixes of what has no rows of its own: types of time off that policies name, calendars that holidays and workplaces name. */
const NAMED_PREFIX = { timeOffTypes: ID_PREFIX.timeOffType, holidayCalendars: ID_PREFIX.holidayCalendar };

type MintedKind = Kind | keyof typeof NAMED_PREFIX;

/** The id of what a source system calls `name` (docs/importing.md, Identity); of an assignment, the ids of worker and policy. */
export function mintedId(companyId: string, kind: MintedKind, ...name: readonly string[]): string {
  if (kind === "timeOffTypes" || kind === "holidayCalendars")
    return mintId(NAMED_PREFIX[kind], companyId, kind, name);
  const { idKind, idPrefix = "" }: Resource & Partial<WireResource> = RESOURCES[kind];
  return mintId(idKind === undefined ? idPrefix : ID_PREFIX[idKind], companyId, kind, name);
}

/** Puts import rows where statements find them. */
export class Stage<K extends Kind> {
  #rows = 0;
  /** Whether a row has an id of its own: else each id follows from a legacy id. */
  hasGivenIds = false;
  readonly #own: readonly OwnColumn[];
  readonly #isNamed: boolean;

  constructor(
    private readonly session: ImportSession,
    readonly kind: K,
    private readonly rules: {
      /** The id of a row that has none and no legacy id, where its own fields tell it from others. */
      readonly idOf?: (companyId: string, fields: ImportRows[K]) => string | null;
      readonly hintsOf?: (row: LocatedRow<K>) => object | null;
      readonly mayFail?: (row: LocatedRow<K>) => boolean;
    },
    /** Whether records are kept as their files have them. */
    private readonly withRecords: boolean,
  ) {
    this.#own = ownColumns(kind);
    this.#isNamed = hasIds(kind);
  }

  /** `kept`: by legacy id, the id that the row keeps (`was` of mappings). */
  async add(
    source: number,
    label: string,
    rows: readonly LocatedRow<K>[],
    kept: ReadonlyMap<string, string>,
  ): Promise<void> {
    await this.session.fill(
      stagedName(this.kind),
      rows.map((row) => this.#values(source, label, row, kept)),
    );
  }

  #values(
    source: number,
    label: string,
    row: LocatedRow<K>,
    kept: ReadonlyMap<string, string>,
  ): StagedValue[] {
    const fields = row.importRow as Readonly<Record<string, unknown>>; // some of its values are read
    const hints = this.rules.hintsOf?.(row) ?? null;
    const values: StagedValue[] = [
      this.#rows++,
      source,
      row.line,
      row.item ?? null,
      row.file === label ? null : row.file,
      row.digest,
      ROW_STATE.good,
      JSON.stringify(fields),
      this.rules.mayFail?.(row) ? 1 : 0,
      hints === null ? null : JSON.stringify(hints),
      this.withRecords ? recordText(row) : null,
    ];
    if (this.#isNamed) values.push(...this.#names(row.importRow, kept));
    for (const { of } of this.#own) values.push(of(fields));
    return values;
  }

  #names(importRow: ImportRows[K], kept: ReadonlyMap<string, string>): StagedValue[] {
    const { id: own, legacyId = null } = importRow as { id: string | null; legacyId?: string | null }; // of such kinds
    const given = own ?? (legacyId === null ? undefined : kept.get(legacyId)) ?? null;
    if (given !== null) this.hasGivenIds = true;
    const { companyId } = this.session;
    const id =
      given ??
      (legacyId === null
        ? (this.rules.idOf?.(companyId, importRow) ?? null)
        : mintedId(companyId, this.kind, legacyId));
    return [id, legacyId, given === null ? 0 : 1];
  }
}

/** A record by the names of its columns. */
export function recordText({ header, cells }: Pick<LocatedRow<Kind>, "header" | "cells">): string {
  const writable = (cell: unknown) =>
    typeof cell !== "object" || cell === null
      ? (cell ?? null)
      : cell.constructor === Object || Array.isArray(cell)
        ? cell
        : String(cell);
  return JSON.stringify(
    Object.fromEntries(header.slice(0, cells.length).map((name, at) => [name, writable(cells[at])])),
  );
}

/** Where a staged row came from. `label`: what its source is called. */
export function placeOf({ file, line, item }: StagedRow, label: string): Place & { readonly line: number } {
  return { file: file ?? label, line, ...(item === null ? {} : { item }) };
}

/** What every statement selects of a staged row `s`. Digests have more bits than a number of JavaScript. */
export function selectedOf(kind: Kind): Sql {
  const names = hasIds(kind) ? `, s.id as "id", s.legacy_id as "legacyId"` : "";
  return raw(
    `s.n as "n", s.source as "source", s.line as "line", s.item as "item", s.file as "file", cast(s.digest as text) as "digest", s.fields as "fields", s.hints as "hints", s.record as "record"${names}`,
  );
}
