// Reads the staged rows of a kind for loading, each with its references and the stored row with its key.
import sql, { empty, raw, type Sql } from "sql-template-tag";
import {
  type ImportRows,
  isListKind,
  type Kind,
  PARENT_COLUMNS,
  type ParentColumn,
  type Rows,
} from "../../resources/kinds.ts";
import type { ImportSession } from "../../store/store.ts";
import { columnName, isDigested, type NotedRow, TABLES } from "../../store/tables.ts";
import { ROW_STATE, type StagedRow, selectedOf, staged } from "../staging.ts";
import type { Hints } from "./kinds/hints.ts";
import { hasKeyOfStaged, joinedNames, keyOfStaged, referredId } from "./references.ts";

/** A staged row on its way into the store. */
export interface LoadedRow<K extends Kind> {
  readonly staged: StagedRow;
  readonly fields: ImportRows[K];
  /** How its file writes it; empty for kinds without hints. */
  readonly hints: Hints;
  /** The id of the row that each reference names, by field; null if it is empty. */
  readonly references: Readonly<Record<string, string | null>>;
  /** The stored row with its key. */
  readonly stored: Rows[K] | null;
  readonly storedDigest: string | null;
  /** For rows of a worker: the worker's time zone; null if unknown. */
  readonly workersZone: string | null;
  /** For requests without an amount: the worker's `terms`; null for none. */
  readonly workersTerms: string | null;
  /** Further columns of the query. */
  readonly more: Readonly<Record<string, string | number | null>>;
}

export interface RowsQuery {
  /** Whether nothing is stored of the kind. */
  readonly isFresh: boolean;
  /** A further condition, beginning with ` and`. */
  readonly where?: Sql | undefined;
  /** Further columns, and the joins that they need. */
  readonly select?: Sql | undefined;
  readonly joins?: Sql | undefined;
}

const STORED_PREFIX = "stored_";
const NO_HINTS: Hints = {};

/** Reads the good rows of a kind in batches, in the order of their keys, as rows are stored. */
export async function* loadedRows<K extends Kind>(
  session: ImportSession,
  kind: K,
  { isFresh, where = empty, select = empty, joins = empty }: RowsQuery,
): AsyncGenerator<readonly LoadedRow<K>[]> {
  const parents = PARENT_COLUMNS.filter((column) => column.kind === kind);
  const columns: string[] = [...TABLES[kind].columns, ...(isListKind(kind) ? ["seq"] : [])];
  const references = parents.map(({ column }) => `, ${referredId(column)} as "${column}"`).join("");
  const zone = parents.some(({ column }) => column === "workerId")
    ? raw(`, named_worker_id.time_zone as "workersZone"`)
    : empty;
  const workersTerms = sql`select w.terms from workers w where w.company_id = ${session.companyId} and w.id = named_worker_id.id`;
  const terms =
    kind === "requests"
      ? sql`, case when s.may_fail = 1 then (${workersTerms}) end as "workersTerms"`
      : empty;
  const stored = columns.map((column) => `, r.${columnName(column)} as "${STORED_PREFIX}${column}"`).join("");
  const digest = isDigested(kind) ? `, cast(r.digest as text) as "storedDigest"` : "";
  const query = sql`
    select ${selectedOf(kind)}${raw(references)}${zone}${terms}${select}${isFresh ? empty : raw(stored + digest)}
    from ${staged(kind)} s
    ${joinedNames(kind)}
    ${isFresh ? empty : sql`left join ${raw(kind)} r on ${hasKeyOfStaged(kind, session.companyId)}`}
    ${joins}
    where s.state = ${ROW_STATE.good}${where}
    order by ${raw(keyOfStaged(kind).join(", "))}`;
  const isStored = (row: Selected) => !isFresh && row[`${STORED_PREFIX}${TABLES[kind].key[0]}`] !== null;
  for await (const rows of session.batches<Selected>(query))
    yield rows.map((row) => ({
      staged: row as unknown as StagedRow, // `selectedOf` selects it
      fields: JSON.parse(row.fields as string) as ImportRows[K], // as it was staged
      hints: row.hints === null ? NO_HINTS : (JSON.parse(row.hints as string) as Hints), // as above
      references: referencesOf(parents, row),
      stored: isStored(row) ? (storedRow(columns, row) as Rows[K]) : null, // its columns
      storedDigest: (row.storedDigest as string | null | undefined) ?? null,
      workersZone: (row.workersZone as string | null | undefined) ?? null,
      workersTerms: (row.workersTerms as string | null | undefined) ?? null,
      more: row,
    }));
}

function referencesOf(parents: readonly ParentColumn[], row: Selected): LoadedRow<Kind>["references"] {
  const references: Record<string, string | null> = {};
  for (const { column, field } of parents) references[field] = row[column] as string | null; // an id
  return references;
}

type Selected = Readonly<Record<string, string | number | null>>;

function storedRow(columns: readonly string[], row: Selected): NotedRow {
  const stored: Record<string, string | number | null> = {};
  for (const column of columns) stored[column] = row[`${STORED_PREFIX}${column}`]!;
  return stored;
}

/** Whether a row is the stored one, column by column. */
export function isSameRow<K extends Kind>(kind: K, row: Rows[K], stored: Rows[K]): boolean {
  return TABLES[kind].columns.every((column) => row[column] === stored[column]);
}

/** Gives staged rows the ids that `idOf` returns, for kinds that are identified by their references. */
export async function setIds<K extends Kind>(
  session: ImportSession,
  kind: K,
  where: Sql,
  idOf: (row: LoadedRow<K>) => string,
): Promise<void> {
  const table = `ids_${kind}`;
  await session.run(sql`drop table if exists ${raw(table)}`); // of an earlier call
  await session.makeTable(table, { n: "row number", id: "text" });
  for await (const rows of loadedRows(session, kind, { isFresh: true, where }))
    await session.fill(
      table,
      rows.map((row) => [row.staged.n, idOf(row)]),
    );
  await session.run(sql`
    update ${staged(kind)}
    set id = given.id
    from ${raw(table)} as given
    where ${staged(kind)}.n = given.n`);
}
