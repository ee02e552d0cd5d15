// Wire objects as the embedded store holds them. Of requests and assignments, which are nearly all of a store, the id is left out: it is
// the row's key. Requests are bytes (request-bytes.ts), without the id of their policy, which the row names by a number. The text of
// an assignment begins with `COMPACT`, and what stands between two values is one control character. JSON has none of these, so
// `expanded` gives back the same bytes. An object of another form is stored whole.
import { type FactKind, LISTS, type ListKind } from "../../../resources/kinds.ts";
import { wireNames } from "../../../resources/resource.ts";
import type { PageRow } from "../../plan.ts";
import { bytesOf, isRequestBytes, requestBytes } from "./request-bytes.ts";
import { REQUEST_BYTES_MORE, requestText, writeRequest } from "./request-json.ts";

/** Bytes for a request, a text for any other kind. Before requests were bytes, they had texts like those of assignments. */
export type StoredDoc = string | Uint8Array;

const COMPACT = 1;
const COMPACT_CHARACTER = String.fromCharCode(COMPACT);

/** The first byte of a request's object that is stored whole. */
const WHOLE = 3;

const COMPACTED = ["assignments", "requests"] as const satisfies readonly ListKind[];

const ID = '{"id":"';

/**
 * What stands between the values, in the order of the definitions. What is stored is read by it: a new field comes at the end, with a
 * migration that rewrites the objects.
 */
const BETWEEN: { readonly [K in FactKind]?: readonly string[] } = Object.fromEntries(
  COMPACTED.map((kind) => {
    const keys = wireNames(LISTS[kind].fields).filter((name) => name !== "id");
    return [kind, [...keys.map((key, at) => `${at === 0 ? '"' : ""},"${key}":`), "}"]];
  }),
);

/** For a migration: see `BETWEEN`. */
export function textsBetween(kind: (typeof COMPACTED)[number]): readonly string[] {
  return BETWEEN[kind]!; // it has these
}

/** The control character of a place between values. */
const character = (place: number) => String.fromCharCode(COMPACT + place);

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const BYTES = Object.fromEntries(
  Object.entries(BETWEEN).map(([kind, texts]) => [kind, texts.map((text) => encoder.encode(text))]),
) as { readonly [K in FactKind]?: readonly Uint8Array[] }; // the same kinds
const ID_BYTES = encoder.encode(ID);

/** Bytes that a compact text of the kind lacks, without those of its id. */
const LACKING = Object.fromEntries(
  Object.entries(BETWEEN).map(([kind, texts]) => [kind, texts.join("").length + ID.length]),
) as { readonly [K in FactKind]?: number }; // as above

/** Whether objects of the kind may be stored compact. */
export function isCompacted(kind: string): boolean {
  return kind in BETWEEN;
}

// Storing --------------------------------------------------------------------------------------------------------------

/** Where each value of an object begins and ends in it, in the order of the wire; null for an object of another form. */
export function endsOfValues(kind: FactKind, id: string, doc: string): readonly number[] | null {
  const between = BETWEEN[kind];
  if (between === undefined) return null;
  if (
    !(
      doc.startsWith(ID) &&
      doc.startsWith(id, ID.length) &&
      doc.startsWith(between[0]!, ID.length + id.length)
    )
  )
    return null;
  let from = ID.length + id.length + between[0]!.length;
  const ends: number[] = [];
  for (let place = 1; place < between.length; place++) {
    const next = between[place]!;
    const isLast = place === between.length - 1;
    const at = isLast ? doc.length - next.length : doc.indexOf(next, from);
    if (at < from || (isLast && !doc.endsWith(next))) return null;
    ends.push(from, at);
    from = at + next.length;
  }
  return ends;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no JSON has them
const CONTROL = /[\u0000-\u001f]/;

/** The object as it is stored: `ends` are its `endsOfValues`, and `policyId` is what the row of a request has, if it is to be left out. */
export function storedDoc(
  kind: FactKind,
  doc: string,
  ends: readonly number[] | null,
  policyId: string | null = null,
): StoredDoc {
  if (kind === "requests") return ends === null ? whole(doc) : requestBytes(doc, ends, policyId);
  if (ends === null || CONTROL.test(doc)) return doc;
  let compact = COMPACT_CHARACTER + doc.slice(ends[0], ends[1]);
  for (let place = 1; place < ends.length / 2; place++)
    compact += character(place) + doc.slice(ends[place * 2], ends[place * 2 + 1]);
  return compact;
}

function whole(doc: string): Uint8Array {
  const bytes = encoder.encode(doc);
  const stored = new Uint8Array(bytes.length + 1);
  stored[0] = WHOLE;
  stored.set(bytes, 1);
  return stored;
}

/** The place of a field's value among the values of an object. */
export function placeOf(kind: FactKind, field: string): number {
  return BETWEEN[kind]!.findIndex((text) => text.includes(`"${field}":`));
}

// Reading --------------------------------------------------------------------------------------------------------------

/** The value at a place of a stored request, as it is written, of those that columns are left to; null for an object of another form. */
export function writtenText(stored: StoredDoc, place: number): string | null {
  const last = BETWEEN.requests!.length - 2;
  if (typeof stored !== "string")
    return isRequestBytes(stored[0]) ? requestText(stored, place === last) : null;
  if (stored.charCodeAt(0) !== COMPACT) return null;
  const from = stored.indexOf(character(place)) + 1;
  const to = stored.indexOf(character(place + 1), from);
  return stored.slice(from, to === -1 || place === last ? undefined : to);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these stand for the keys
const KEYS = /[\u0001-\u001f]/g;

/** The object of what is stored. `policyId`: of the row of a request. */
export function expanded(
  kind: FactKind,
  id: string,
  stored: StoredDoc,
  policyId: string | null = null,
): string {
  if (typeof stored !== "string") {
    const policy = policyId === null ? NO_POLICY : bytesOf(JSON.stringify(policyId));
    return decoder.decode(expandRows(kind, [[stored, id, 0]], () => policy)[0]![0]);
  }
  if (stored.charCodeAt(0) !== COMPACT) return stored;
  const between = BETWEEN[kind]!; // only these kinds are compact
  const rest = stored.replace(KEYS, (found) => between[found.charCodeAt(0) - COMPACT] ?? found);
  return ID + id + rest + between[between.length - 1]!;
}

type CompactRow = readonly [doc: Uint8Array, id: string];

/** What a page selects of a row; of a request also the number of its policy. */
export type SelectedRow = readonly [doc: Uint8Array, id?: string, policy?: number];
type RequestRow = readonly [doc: Uint8Array, id: string, policy: number];

/** The JSON of a policy's id, by its number. */
export type PolicyText = (number: number) => Uint8Array;

/** Of a damaged row. */
export const NO_POLICY = bytesOf("null");

/** The objects of a page's rows, in UTF-8. Rows of kinds that are stored whole stay as they are. */
export function expandRows(
  kind: FactKind,
  found: SelectedRow[],
  policyText: PolicyText,
): PageRow<Uint8Array>[] {
  // What pages of these kinds select.
  if (kind === "requests") return expandRequests(found as RequestRow[], policyText);
  return isCompacted(kind) ? expandCompact(kind, found as CompactRow[]) : (found as CompactRow[]);
}

function expandRequests(rows: readonly RequestRow[], policyText: PolicyText): PageRow<Uint8Array>[] {
  const policies: Uint8Array[] = [];
  let size = 0;
  for (const [stored, id, number] of rows) {
    const policy = policyText(number);
    policies.push(policy);
    size += stored.length + id.length + policy.length + REQUEST_BYTES_MORE;
  }
  const target = Buffer.allocUnsafeSlow(size);
  let at = 0;
  return rows.map(([stored, id], index) => {
    if (stored[0] === WHOLE) return [stored.subarray(1), id];
    if (!isRequestBytes(stored[0])) return [stored, id];
    const from = at;
    at = writeRequest(stored, id, policies[index]!, target, at);
    return [target.subarray(from, at), id];
  });
}

function expandCompact(kind: FactKind, rows: readonly CompactRow[]): PageRow<Uint8Array>[] {
  const between = BYTES[kind]!; // only these kinds are compact
  let size = 0;
  for (const [stored, id] of rows) size += stored.length + id.length + LACKING[kind]!; // likewise
  const target = Buffer.allocUnsafeSlow(size);
  let at = 0;
  return rows.map((row) => {
    const [stored, id] = row;
    if (stored[0] !== COMPACT) return row;
    const from = at;
    at = writeCompact(between, row, target, at);
    return [target.subarray(from, at), id];
  });
}

function writeCompact(
  between: readonly Uint8Array[],
  [stored, id]: CompactRow,
  target: Uint8Array,
  place: number,
): number {
  let at = place;
  for (let index = 0; index < ID_BYTES.length; index++) target[at++] = ID_BYTES[index]!;
  for (let index = 0; index < id.length; index++) target[at++] = id.charCodeAt(index); // ids are ASCII
  for (let index = 0; index < stored.length; index++) {
    const byte = stored[index]!;
    const text = byte < 32 ? between[byte - COMPACT] : undefined;
    if (text === undefined) target[at++] = byte;
    else {
      for (let next = 0; next < text.length; next++) target[at++] = text[next]!;
    }
  }
  const last = between[between.length - 1]!;
  for (let next = 0; next < last.length; next++) target[at++] = last[next]!;
  return at;
}
