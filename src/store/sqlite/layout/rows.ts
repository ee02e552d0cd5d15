// Rows as the embedded store holds them, and back. A request's status is its place among the statuses. A text of a request is
// `IN_DOC` where its stored object has it: then the legacy id is also the one that the row's id is minted from, so it
// needs no entry in an index.
import type { SQLQueryBindings } from "bun:sqlite";
import { ID_PREFIX, mintId } from "../../../resources/ids.ts";
import { REQUEST_STATUSES, requests } from "../../../resources/requests.ts";
import { type Fields, IS_MINTED, NewRow, wireNames } from "../../../resources/resource.ts";
import { isNumbered } from "../../feed-notes.ts";
import type { RowDigest } from "../../store.ts";
import { columnName, type FactKind, isDigested, type Rows, TABLES } from "../../tables.ts";
import {
  endsOfValues,
  expanded,
  isCompacted,
  placeOf,
  type StoredDoc,
  storedDoc,
  writtenText,
} from "./documents.ts";
import { idOf, type Numbers, numberOf } from "./numbers.ts";
import { isText, newRequestBytes, type RequestValues } from "./request-bytes.ts";

export const IN_DOC = "";

const KEPT = ["id", "status", "workerId"];

/** Whether the column of a kind has the number of an id. */
export function hasNumber(kind: FactKind, column: string): boolean {
  if (column === "workerId") return kind !== "assignments";
  return column === "policyId" && kind !== "assignments";
}

/** Whether the column of a kind has the place of a status. */
export function hasPlace(kind: FactKind, column: string): boolean {
  return kind === "requests" && column === "status";
}

export function placeOfStatus(status: unknown): number {
  return REQUEST_STATUSES.indexOf(status as (typeof REQUEST_STATUSES)[number]);
}

/** The status at a place. */
export function statusAt(place: number): string {
  return REQUEST_STATUSES[place]!; // only such places are stored
}

/** Columns of requests whose text may be left to the object, with the place of their values there. */
const LEFT_TO_DOC: ReadonlyMap<string, number> = new Map(
  Object.entries(requests.fields as Fields).flatMap(([name, { wire, column }]) =>
    wire === undefined || column?.key !== name || column.type !== "text" || KEPT.includes(name)
      ? []
      : [[name, placeOf("requests", name)] as const],
  ),
);

const STATUS = `case status ${REQUEST_STATUSES.map((status, place) => `when ${place} then '${status}'`).join(" ")} end`;

/** The columns of a kind that an import writes, in the order in which `storedValues` gives them. */
export function writtenColumns(kind: FactKind): string[] {
  const numbered = isNumbered(kind) ? ["seq"] : [];
  const digested = isDigested(kind) ? ["digest"] : [];
  return ["company_id", ...TABLES[kind].columns.map(columnName), ...numbered, ...digested];
}

/** `column as "key"` for each: what `toRow` makes a row of. */
export function selectionOf(kind: FactKind, keys: readonly string[] = TABLES[kind].columns): string {
  return keys
    .map((key) => {
      const column = columnName(key);
      const value = hasNumber(kind, key) ? idOf(column) : hasPlace(kind, key) ? STATUS : column;
      return `${value} as "${key}"`;
    })
    .join(", ");
}

/** The key of assignments beside their id. Rows are found and replaced by it. */
export const ASSIGNMENT_PAIRS = "assignments_pair";

/** The table of a kind, to find rows by `keyCondition`. SQLite would look for an assignment's pair among all of its company. */
export function keyedTable(kind: FactKind): string {
  return kind === "assignments" ? `${kind} indexed by ${ASSIGNMENT_PAIRS}` : kind;
}

/** Where rows of a kind are scanned in key order without being sorted: the source, its company, and the key. */
export function scanOf(kind: FactKind): { from: string; company: string; keys: readonly string[] } {
  // Worked hours lie by the numbers of workers, and are scanned by their ids.
  if (kind === "work_hours") {
    return {
      from: "numbers n cross join work_hours on work_hours.company_id = n.company_id and worker_id = n.number",
      company: "n.company_id",
      keys: ["n.id", "day"],
    };
  }
  return { from: keyedTable(kind), company: "company_id", keys: TABLES[kind].key.map(columnName) };
}

/** Whether a row has the key that is bound from `?2` on; the company is `?1`. */
export function keyCondition(kind: FactKind): string {
  const own = TABLES[kind].key.map((column, index) => {
    const value = `?${index + 2}`;
    return `${columnName(column)} = ${hasNumber(kind, column) ? numberOf("?1", value) : value}`;
  });
  return ["company_id = ?1", ...own].join(" and ");
}

/** A selected row as it was put. Changes it. Whoever selects the object of a request selects its policy, too. */
export function toRow<R extends object>(kind: FactKind, selected: R): R {
  if (!isCompacted(kind)) return selected;
  const row = selected as Record<string, unknown> & { id: string; doc: StoredDoc; policyId: string }; // these are
  if (kind === "requests")
    for (const [column, place] of LEFT_TO_DOC)
      if (row[column] === IN_DOC) row[column] = parsed(writtenText(row.doc, place));
  row.doc = expanded(kind, row.id, row.doc, row.policyId);
  return selected;
}

/** Nothing of a damaged object: `doctor` is what reports it. */
function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

export interface StoredCompany {
  readonly id: string;
  readonly number: number;
}

/** What is bound for `writtenColumns`. */
export function storedValues<K extends FactKind>(
  kind: K,
  company: StoredCompany,
  row: Rows[K],
  { seq, digest }: { readonly seq: number | null; readonly digest: RowDigest | null },
  numbers: Numbers,
): SQLQueryBindings[] {
  const values: SQLQueryBindings[] = [company.number];
  const fields = row as unknown as Readonly<Record<string, SQLQueryBindings>>; // strings, numbers and null
  const made = kind === "requests" ? NewRow.valuesOf(row) : null;
  if (made !== null) {
    const found = MADE_OF.map((name) => made[name] ?? fields[name] ?? null);
    return madeValues(found, { company, numbers, seq, digest });
  }
  const ends = isCompacted(kind) ? endsOfValues(kind, String(fields.id), String(fields.doc)) : null;
  const hasText: HasText = (column, value) => {
    const place = LEFT_TO_DOC.get(column)! * 2; // such a column
    return ends !== null && isText(JSON.stringify(value), String(fields.doc), ends[place]!, ends[place + 1]!);
  };
  for (const column of TABLES[kind].columns) {
    if (column === "doc" && isCompacted(kind))
      values.push(storedDoc(kind, String(fields.doc), ends, String(fields.policyId)));
    else if (hasNumber(kind, column))
      values.push(numbers.of(fields[column] as string)); // an id
    else if (kind === "requests") values.push(requestValue(company, column, fields, hasText));
    else values.push(fields[column]!);
  }
  if (isNumbered(kind)) values.push(seq);
  if (isDigested(kind)) values.push(digest);
  return values;
}

/** What a row is stored with, beside its own values. */
interface StoredWith {
  readonly company: StoredCompany;
  readonly numbers: Numbers;
  readonly seq: number | null;
  readonly digest: RowDigest | null;
}

type StoredValuesOf = (values: readonly unknown[], stored: StoredWith) => SQLQueryBindings[];

/**
 * As `storedValues`, of rows that are no objects: their values come in the order of `names`. Those of requests are what these are made of. Null
 * for assignments.
 */
export function storedValuesOf(kind: FactKind, names: readonly string[]): StoredValuesOf | null {
  if (kind === "requests") return valuesOfMade(names);
  if (isCompacted(kind)) return null;
  const sources = TABLES[kind].columns.map(
    (column) => [names.indexOf(column), hasNumber(kind, column)] as const,
  );
  return (row, { company, numbers, seq, digest }) => {
    const values: SQLQueryBindings[] = [company.number];
    for (const [place, isId] of sources)
      values.push(isId ? numbers.of(row[place] as string) : (row[place] as SQLQueryBindings)); // as above
    if (isNumbered(kind)) values.push(seq);
    if (isDigested(kind)) values.push(digest);
    return values;
  };
}

/**
 * Gives what is bound for `writtenColumns` of new requests, from the values of what they are made of, which come in the order of `names`:
 * fields, derived columns, and `IS_MINTED`. Its object has the texts of its columns.
 */
function valuesOfMade(names: readonly string[]): StoredValuesOf {
  const fields = Object.entries(requests.fields as Fields);
  const fieldOf = new Map(
    fields.flatMap(([name, { column }]) => (column ? [[column.key, name] as const] : [])),
  );
  const placeOfColumn = (column: string) => names.indexOf(fieldOf.get(column) ?? column);
  const wirePlaces = WIRE_NAMES.map((name) => names.indexOf(name));
  const terms = fields.flatMap(([name, { isTerm }]) =>
    isTerm ? [[name, names.indexOf(name)] as const] : [],
  );
  const mintedPlace = names.indexOf(IS_MINTED);
  const idPlace = placeOfColumn("id");
  const sourceOf = (column: string): ((made: readonly unknown[], stored: StoredWith) => SQLQueryBindings) => {
    if (column === "doc")
      return (made) => newRequestBytes(wirePlaces.map((at) => made[at]) as unknown as RequestValues); // by the definition
    if (column === "terms")
      return (made) =>
        termsText(
          terms.filter(([, at]) => made[at] !== null),
          made,
        );
    const place = placeOfColumn(column);
    if (hasNumber("requests", column)) return (made, { numbers }) => numbers.of(made[place] as string); // an id
    if (column === "status") return (made) => placeOfStatus(made[place]);
    if (column === "legacyId") {
      return (made, { company }) => {
        const value = made[place] as string | null; // a legacy id
        if (value === null || made[mintedPlace]) return value && IN_DOC;
        return mintedRequestId(company.id, value) === made[idPlace] ? IN_DOC : value;
      };
    }
    if (LEFT_TO_DOC.has(column)) return (made) => (made[place] === null ? null : IN_DOC);
    return (made) => made[place] as SQLQueryBindings; // an id, a number or null
  };
  const columns = TABLES.requests.columns.map(sourceOf);
  return (made, stored) => {
    const values: SQLQueryBindings[] = [stored.company.number];
    for (const value of columns) values.push(value(made, stored));
    values.push(stored.seq, stored.digest);
    return values;
  };
}

function termsText(terms: readonly (readonly [string, number])[], made: readonly unknown[]): string | null {
  return terms.length === 0
    ? null
    : JSON.stringify(Object.fromEntries(terms.map(([name, at]) => [name, made[at]])));
}

/** The same with another number of an import, if rows of the kind have one. */
export function withSeq(
  kind: FactKind,
  values: readonly SQLQueryBindings[],
  seq: number | null,
): readonly SQLQueryBindings[] {
  return isNumbered(kind) ? values.with(isDigested(kind) ? -2 : -1, seq) : values;
}

/** Whether a request's object has the value of a column that may be left to it. */
type HasText = (column: string, value: SQLQueryBindings) => boolean;

function requestValue(
  company: StoredCompany,
  column: string,
  row: Readonly<Record<string, SQLQueryBindings>>,
  hasText: HasText,
): SQLQueryBindings {
  const value = row[column]!;
  if (column === "status") return placeOfStatus(value);
  if (value === null || !LEFT_TO_DOC.has(column) || !hasText(column, value)) return value;
  if (column !== "legacyId") return IN_DOC;
  return mintedRequestId(company.id, String(value)) === row.id ? IN_DOC : value;
}

const WIRE_NAMES = wireNames(requests.fields).filter((name) => name !== "id");

const MADE_OF = [...Object.keys(requests.fields), ...Object.keys(requests.derived), IS_MINTED];
const madeValues = valuesOfMade(MADE_OF);

/** The request's id that is minted from a legacy id. */
export function mintedRequestId(companyId: string, legacyId: string): string {
  return mintId(ID_PREFIX.request, companyId, "requests", [legacyId]);
}
