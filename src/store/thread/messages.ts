// What the thread of an import and its starter say to each other, and how rows are packed for it.
import { RESOURCES } from "../../resources/kinds.ts";
import { rowOf } from "../../resources/registry.ts";
import { columnTypes, fileFields, IS_MINTED, NewRow, type Resource } from "../../resources/resource.ts";
import type { ImportOutcome, ImportTransaction, Remains, RowDigest, RowDigests } from "../store.ts";
import type { FactKind, Rows } from "../tables.ts";

type Answered<T> = {
  [M in keyof T & string]: T[M] extends (...args: never) => Promise<unknown> ? M : never;
}[keyof T & string];
type Streamed<T> = {
  [M in keyof T & string]: T[M] extends (...args: never) => AsyncIterable<unknown> ? M : never;
}[keyof T & string];

/**
 * A file beside the store, in which the starter of an import stores the rows of a first load, with their indexes, while the thread
 * stores others. The thread copies them, which takes an eighth of the time.
 */
export interface SidePlace {
  /** An empty file, which the thread has opened. */
  readonly path: string;
  readonly kind: FactKind;
  readonly company: { readonly id: string; readonly number: number };
}

/** A transaction whose starter may store rows in a file of its own. */
export interface ThreadedTransaction extends ImportTransaction {
  /** Makes the file, in an import that has written nothing yet; null where there can be none. */
  makeSidePlace(): Promise<SidePlace | null>;
  /** As `put` of the packed rows; false if these must be put as rows. */
  putPacked(packed: PackedRows): Promise<boolean>;
  /** Copies the rows, `count` of them, which the starter has stored and closed. Raises DuplicateRows. */
  copySideRows(count: number): Promise<void>;
}

/** What is asked of a transaction and answered; `put` has a message of its own. */
export type CallName =
  | Exclude<Answered<ThreadedTransaction>, "put" | "putPacked">
  | `digests.${Answered<RowDigests>}`;
export type StreamName = Streamed<ImportTransaction> | `digests.${Streamed<RowDigests>}`;

/** How an import ends; null if it is given up. */
export type Ending = Omit<ImportOutcome<unknown>, "result"> | null;

export type ToThread =
  | { readonly type: "begin"; readonly address: string; readonly companyId: string }
  | { readonly type: "put"; readonly packed: PackedRows }
  /** `isUrgent`: rows that were sent before need not be put before this is answered. */
  | {
      readonly type: "call";
      readonly id: number;
      readonly name: CallName;
      readonly args: readonly unknown[];
      readonly isUrgent: boolean;
    }
  /** As a call that nobody waits for. `kind`: what it does counts as putting rows of that kind. */
  | {
      readonly type: "do";
      readonly name: CallName;
      readonly args: readonly unknown[];
      readonly kind: FactKind;
    }
  | {
      readonly type: "stream";
      readonly id: number;
      readonly name: StreamName;
      readonly args: readonly unknown[];
    }
  | { readonly type: "next"; readonly id: number; readonly stream: number; readonly isLast: boolean }
  | { readonly type: "end"; readonly ending: Ending };

/** An error without its class. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Of errors of a store. */
  readonly problem?: string;
  readonly advice?: string | null;
}

export type FromThread =
  | { readonly type: "waiting" }
  | { readonly type: "begun"; readonly emptyKinds: readonly FactKind[]; readonly side: SidePlace | null }
  | { readonly type: "has put"; readonly kind: FactKind; readonly bytes: number }
  | { readonly type: "reply"; readonly id: number; readonly value: unknown }
  /** Something that the transaction was asked for failed. What it was is told at the end. */
  | { readonly type: "failed" }
  | { readonly type: "ended"; readonly error: SentError | null; readonly remains: Remains | null };

// Rows on their way to another thread: one text of all texts, and numbers. A copy of each object would cost four times as much. Of
// rows that were read from a file, what they were made of goes, where that is less.

/** The kinds that are sent as facts: their wire objects are most of their rows. */
const SENT_AS_FACTS: ReadonlySet<FactKind> = new Set(["workers", "assignments", "requests"]);

export interface PackedRows<K extends FactKind = FactKind> {
  readonly kind: K;
  /** Whether they are facts with derived columns. Else they are rows. */
  readonly areFacts: boolean;
  readonly count: number;
  /** The texts of all rows, one after the other. */
  readonly text: string;
  /**
   * For each row and value: the length of its text, or its number. `NaN` is null. Other values go as JSON, whose length is written
   * below zero, from -1 on.
   */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** 0 where a row has none. */
  readonly digests: BigInt64Array<ArrayBuffer>;
}

type Packed = readonly [name: string, isNumber: boolean];

interface Layout {
  /** Of a row: its columns; of a fact: its fields. */
  readonly values: readonly Packed[];
  /** Columns beside the fields of a fact. */
  readonly derived: readonly Packed[];
}

const LAYOUTS = new Map<string, Layout>();

function layoutOf(kind: FactKind, areFacts: boolean): Layout {
  const key = areFacts ? `facts of ${kind}` : kind;
  let layout = LAYOUTS.get(key);
  if (layout === undefined) {
    layout = areFacts ? factLayout(kind) : { values: columnsOf(kind), derived: [] };
    LAYOUTS.set(key, layout);
  }
  return layout;
}

function columnsOf(kind: FactKind): Packed[] {
  return [...columnTypes(RESOURCES[kind])].map(([name, type]) => [name, type !== "text"]);
}

function factLayout(kind: FactKind): Layout {
  const { fields, derived }: Resource = RESOURCES[kind];
  return {
    values: [
      ...fileFields(fields).map(
        ([name, { holds }]): Packed => [name, holds !== "text" && fields[name]!.isTerm !== true],
      ),
      [IS_MINTED, true],
    ],
    derived: columnsOf(kind).filter(([name]) => name in derived),
  };
}

type Values = Readonly<Record<string, unknown>>;

export function packRows<K extends FactKind>(
  kind: K,
  rows: readonly Rows[K][],
  digests: readonly (RowDigest | null)[],
): PackedRows<K> {
  const areFacts = SENT_AS_FACTS.has(kind) && rows.every((row) => NewRow.valuesOf(row) !== null);
  const { values, derived } = layoutOf(kind, areFacts);
  const texts: string[] = [];
  const numbers = new Float64Array(rows.length * (values.length + derived.length));
  let at = 0;
  const pack = (from: Values, layout: readonly Packed[]) => {
    for (let index = 0; index < layout.length; index++) {
      const [name, isNumber] = layout[index]!;
      const value = from[name];
      if (value === null) numbers[at++] = Number.NaN;
      else if (isNumber)
        numbers[at++] = value as number; // by its definition
      else if (typeof value === "string") {
        texts.push(value);
        numbers[at++] = value.length;
      } else {
        const json = JSON.stringify(value);
        texts.push(json);
        numbers[at++] = -1 - json.length;
      }
    }
  };
  for (const row of rows) {
    if (areFacts)
      pack(NewRow.valuesOf(row)!, values); // every row has them
    else pack(row as unknown as Values, values); // columns are these
    pack(row as unknown as Values, derived); // as above
  }
  const packed = new BigInt64Array(rows.length);
  for (let index = 0; index < rows.length; index++) packed[index] = digests[index] ?? 0n;
  return { kind, areFacts, count: rows.length, text: texts.join(""), numbers, digests: packed };
}

/** How many bytes rows take while they are packed: a text with one character beyond Latin-1 takes two for each. */
export function packedBytes({ text, numbers, digests }: PackedRows): number {
  return text.length * 2 + numbers.byteLength + digests.byteLength;
}

/** The names of the values of packed rows, derived columns of facts included, in the order in which `eachPacked` gives them. */
export function packedNames({ kind, areFacts }: PackedRows): readonly string[] {
  const { values, derived } = layoutOf(kind, areFacts);
  return [...values, ...derived].map(([name]) => name);
}

/** Visits packed rows without making objects of them. The array of values is the same each time. */
export function eachPacked(
  { kind, areFacts, count, text, numbers, digests }: PackedRows,
  visit: (values: readonly unknown[], digest: RowDigest | null) => void,
): void {
  const { values, derived } = layoutOf(kind, areFacts);
  const isNumber = [...values, ...derived].map(([, is]) => is);
  const found: unknown[] = isNumber.map(() => null);
  let [at, place] = [0, 0];
  for (let index = 0; index < count; index++) {
    for (let column = 0; column < isNumber.length; column++) {
      const number = numbers[at++]!;
      if (Number.isNaN(number)) found[column] = null;
      else if (isNumber[column]) found[column] = number;
      else {
        const isText = number >= 0;
        const end = place + (isText ? number : -1 - number);
        const piece = text.slice(place, end);
        found[column] = isText ? piece : JSON.parse(piece);
        place = end;
      }
    }
    const digest = digests[index]!;
    visit(found, digest === 0n ? null : digest);
  }
}

export interface UnpackedRows<K extends FactKind> {
  readonly rows: Rows[K][];
  readonly digests: (RowDigest | null)[];
}

export function unpackRows<K extends FactKind>(packed: PackedRows<K>): UnpackedRows<K> {
  const { kind, areFacts, count, text, numbers, digests } = packed;
  const { values, derived } = layoutOf(kind, areFacts);
  const rows: Rows[K][] = [];
  let [at, place] = [0, 0];
  const unpack = (layout: readonly Packed[]) => {
    const found: Record<string, unknown> = {};
    for (let index = 0; index < layout.length; index++) {
      const [name, isNumber] = layout[index]!;
      const number = numbers[at++]!;
      if (Number.isNaN(number)) found[name] = null;
      else if (isNumber) found[name] = number;
      else {
        const isText = number >= 0;
        const end = place + (isText ? number : -1 - number);
        const piece = text.slice(place, end);
        found[name] = isText ? piece : JSON.parse(piece);
        place = end;
      }
    }
    return found;
  };
  for (let index = 0; index < count; index++) {
    const found = unpack(values);
    rows.push((areFacts ? rowOf(kind, found as never, unpack(derived) as never) : found) as Rows[K]); // what was packed
  }
  return { rows, digests: Array.from(digests, (digest) => (digest === 0n ? null : digest)) };
}
