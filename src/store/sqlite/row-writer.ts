// Writing rows of one company so that few pages change, and each once. A row that is there gets the columns that differ, which leaves
// every other index alone. Requests that change are written together, and then their time buckets, both in the order of
// their keys: they lie far apart. SQLite writes a page again that changes after it has left its cache.
import type { SQLQueryBindings } from "bun:sqlite";
import type { RowKey } from "../store.ts";
import { columnName, type FactKind, TABLES } from "../tables.ts";
import { bucketsOf, FIRST_LONG_BUCKET } from "../time-buckets.ts";
import type { Statements } from "./database.ts";
import { keyedTable, writtenColumns } from "./layout/rows.ts";

/** Requests that wait to be written, at most. */
const WAITING_MAX = 10_000;

/** The values of `writtenColumns`, in their order. */
type Values = readonly SQLQueryBindings[];

/**
 * What a time bucket holds of a request: policy, status, first and last instant, and its object, except in weeks after
 * the first.
 */
const FILED_COLUMNS = ["policy_id", "status", "start_at_ms", "end_at_ms", "doc"] as const;
type Filed = readonly [
  policy: number,
  status: number,
  startAtMs: number,
  endAtMs: number,
  doc: Uint8Array | null,
];
const OBJECT_PLACE = 4;

const INSERT_BUCKET = `insert into request_spans (${FILED_COLUMNS.join(", ")}, company_id, span, id) values (?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_BUCKET = `update request_spans set ${FILED_COLUMNS.map((name) => `${name} = ?`).join(", ")} where company_id = ? and span = ? and id = ?`;
const DELETE_BUCKET = "delete from request_spans where company_id = ? and span = ? and id = ?";

/** A statement with what is bound. */
interface Write {
  readonly text: string;
  readonly values: Values;
}

/** A request that waits: its row, unless that is written already, and how it was and is to be in its time buckets. */
interface Waiting {
  readonly row: Write | null;
  readonly before: Filed | null;
  readonly after: Filed;
}

/** A statement that writes a time bucket of a request. */
interface BucketWrite {
  readonly bucket: number;
  readonly id: string;
  readonly text: string;
  readonly filed: Filed | readonly [];
}

export class RowWriter {
  readonly #statements: Statements;
  readonly #company: number;
  /** By the ids of requests. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(statements: Statements, company: number) {
    this.#statements = statements;
    this.#company = company;
  }

  /** Adds a row, unless one with its key is there. Returns whether it was added. */
  add(kind: FactKind, values: Values): boolean {
    const { columns, key, condition } = layoutOf(kind);
    const insert = `insert into ${kind} (${columns.join(", ")})`;
    const places = `?${", ?".repeat(columns.length - 1)}`;
    if (kind === "assignments") {
      // The index of their key is not unique, because it also has what balances need.
      const isThere = `select 1 from ${keyedTable(kind)} where ${condition}`;
      const add = this.#statements.prepare(`${insert} select ${places} where not exists (${isThere})`);
      return add.run(...values, ...key.map((at) => values[at]!)).changes > 0;
    }
    const conflict = key.map((at) => columns[at]).join(", ");
    const add = this.#statements.prepare(`${insert} values (${places}) on conflict (${conflict}) do nothing`);
    return add.run(...values).changes > 0;
  }

  /**
   * Writes a row, in place of `stored` if there is one. A request whose names stay is written later, and its time buckets are in any case: see
   * `finish`. It must not wait already: see `finishFor`.
   */
  put(kind: FactKind, stored: Values | null, values: Values): void {
    const change = stored === null ? null : changeOf(kind, stored, values);
    const waits =
      kind === "requests" && stored !== null && stored[LEGACY_ID_PLACE] === values[LEGACY_ID_PLACE];
    if (stored === null) this.add(kind, values);
    else if (!waits && change !== null) this.#run(change);
    if (kind !== "requests") return;
    const row = waits ? change : null;
    this.#waiting.set(requestId(values), { row, before: stored && filedOf(stored), after: filedOf(values) });
    if (this.#waiting.size >= WAITING_MAX) this.finish();
  }

  #run({ text, values }: Write): void {
    this.#statements.prepare(text).run(...values);
  }

  /** Writes the time buckets of a request that was just added. */
  file(values: Values): void {
    const insert = this.#statements.prepare(INSERT_BUCKET);
    for (const [bucket, filed] of entriesOf(filedOf(values)))
      insert.run(...filed, this.#company, bucket, requestId(values));
  }

  /** Before rows with these keys are read. */
  finishFor(kind: FactKind, keys: readonly RowKey[]): void {
    if (kind === "requests" && keys.some(([id]) => this.#waiting.has(String(id)))) this.finish();
  }

  /** Writes what waits. Until then, what is found by anything but an id or a legacy id is what was there before. */
  finish(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#waiting.clear();
    for (const [, { row }] of waiting) if (row !== null) this.#run(row);
    const writes = waiting.flatMap(([id, { before, after }]) => [...bucketWrites(id, before, after)]);
    writes.sort((a, b) => a.bucket - b.bucket || (a.id < b.id ? -1 : 1));
    for (const { bucket, id, text, filed } of writes)
      this.#statements.prepare(text).run(...filed, this.#company, bucket, id);
  }
}

/** What writes the columns that differ; null where none does. */
function changeOf(kind: FactKind, stored: Values, values: Values): Write | null {
  const { columns, key, condition, updateTexts } = layoutOf(kind);
  const others = columns.flatMap((name, at) =>
    name === "digest" || !isEqual(values[at]!, stored[at]!) ? [at] : [],
  );
  if (others.length === 0) return null;
  const which = others.join();
  let text = updateTexts.get(which);
  if (text === undefined) {
    text = `update ${keyedTable(kind)} set ${others.map((at) => `${columns[at]} = ?`).join(", ")} where ${condition}`;
    updateTexts.set(which, text);
  }
  return { text, values: [...others, ...key].map((at) => values[at]!) };
}

/** Objects of requests are bytes. */
function isEqual(one: SQLQueryBindings, other: SQLQueryBindings): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return one === other;
  return Buffer.compare(one, other) === 0;
}

function* bucketWrites(id: string, before: Filed | null, after: Filed): Generator<BucketWrite> {
  const old = new Map(before === null ? [] : entriesOf(before));
  for (const [bucket, filed] of entriesOf(after)) {
    const stored = old.get(bucket);
    old.delete(bucket);
    if (stored === undefined) yield { bucket, id, text: INSERT_BUCKET, filed };
    else if (!stored.every((value, at) => isEqual(value, filed[at]!)))
      yield { bucket, id, text: UPDATE_BUCKET, filed };
  }
  for (const bucket of old.keys()) yield { bucket, id, text: DELETE_BUCKET, filed: [] };
}

/** A request's entry in each of its time buckets. */
function entriesOf(filed: Filed): (readonly [bucket: number, filed: Filed])[] {
  const others = filed.with(OBJECT_PLACE, null) as unknown as Filed; // in place of its object
  return bucketsOf(filed[2], filed[3]).map(
    (bucket, at) => [bucket, at === 0 || bucket >= FIRST_LONG_BUCKET ? filed : others] as const,
  );
}

const REQUEST_COLUMNS = writtenColumns("requests");
const FILED_PLACES = FILED_COLUMNS.map((name) => REQUEST_COLUMNS.indexOf(name));
const ID_PLACE = REQUEST_COLUMNS.indexOf("id");
const LEGACY_ID_PLACE = REQUEST_COLUMNS.indexOf("legacy_id");

function filedOf(values: Values): Filed {
  return FILED_PLACES.map((at) => values[at]) as unknown as Filed; // columns of whole numbers, and bytes
}

function requestId(values: Values): string {
  return values[ID_PLACE] as string; // a text
}

interface Layout {
  readonly columns: readonly string[];
  /** The places of the key's columns. */
  readonly key: readonly number[];
  /** Whether a row has the key that is bound. */
  readonly condition: string;
  /** By the places of the columns that they write. */
  readonly updateTexts: Map<string, string>;
}

const LAYOUTS = new Map<FactKind, Layout>();

function layoutOf(kind: FactKind): Layout {
  let layout = LAYOUTS.get(kind);
  if (layout === undefined) {
    const columns = writtenColumns(kind);
    const names = ["company_id", ...TABLES[kind].key.map(columnName)];
    const key = names.map((name) => columns.indexOf(name));
    const condition = names.map((name) => `${name} = ?`).join(" and ");
    layout = { columns, key, condition, updateTexts: new Map() };
    LAYOUTS.set(kind, layout);
  }
  return layout;
}
