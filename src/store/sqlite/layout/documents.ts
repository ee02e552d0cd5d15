// Wire objects as the embedded store holds them. Of requests and assignments, which are nearly all of a store, a text begins with
// `COMPACT`, its id is left out (it is the row's key), and what stands between two values is one control character. JSON has
// none of these, so `expanded` gives back the same bytes. An object of another form is stored as it is.
import { type FactKind, LISTS, type ListKind } from "../../../resources/registry.ts";
import type { Fields } from "../../../resources/resource.ts";

const COMPACT = 1;
const COMPACT_CHARACTER = String.fromCharCode(COMPACT);

const COMPACTED = ["assignments", "requests"] as const satisfies readonly ListKind[];

const ID = '{"id":"';

/**
 * What stands between the values, in the order of the definitions. What is stored is read by it: a new field comes at the end, with a
 * migration that rewrites the objects.
 */
const BETWEEN: { readonly [K in FactKind]?: readonly string[] } = Object.fromEntries(
  COMPACTED.map((kind) => {
    const fields: Fields = LISTS[kind].fields;
    const keys = Object.keys(fields).filter((name) => name !== "id" && fields[name]!.wire !== undefined);
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
const BYTES = Object.fromEntries(
  Object.entries(BETWEEN).map(([kind, texts]) => [kind, texts.map((text) => encoder.encode(text))]),
) as { readonly [K in FactKind]?: readonly Uint8Array[] }; // the same kinds
const ID_BYTES = encoder.encode(ID);

/** Bytes that a compact object of the kind lacks, but for its id. */
const LACKING = Object.fromEntries(
  Object.entries(BETWEEN).map(([kind, texts]) => [kind, texts.join("").length + ID.length]),
) as { readonly [K in FactKind]?: number }; // as above

/** Whether objects of the kind may be stored compact. */
export function isCompacted(kind: FactKind): boolean {
  return kind in BETWEEN;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no JSON has them
const CONTROL = /[\u0000-\u001f]/;

/** The object as it is stored. */
export function compacted(kind: FactKind, id: string, doc: string): string {
  const between = BETWEEN[kind];
  if (between === undefined) return doc;
  let before = ID + id + between[0]!;
  if (!doc.startsWith(before) || CONTROL.test(doc)) return doc;
  let compact = COMPACT_CHARACTER;
  let from = before.length;
  for (let place = 1; place < between.length - 1; place++) {
    before = between[place]!;
    const at = doc.indexOf(before, from);
    if (at === -1) return doc;
    compact += doc.slice(from, at) + character(place);
    from = at + before.length;
  }
  const end = doc.length - between[between.length - 1]!.length;
  return doc.endsWith(between[between.length - 1]!) ? compact + doc.slice(from, end) : doc;
}

/** The value at a place of a compact object, as it is written between `BETWEEN[place]` and the next; null for another form. */
export function valueAt(kind: FactKind, stored: string, place: number): string | null {
  if (stored.charCodeAt(0) !== COMPACT) return null;
  const from = stored.indexOf(character(place)) + 1;
  const to = stored.indexOf(character(place + 1), from);
  return stored.slice(from, to === -1 || place === BETWEEN[kind]!.length - 2 ? undefined : to);
}

/** The place of a field's value in compact objects of the kind. */
export function placeOf(kind: FactKind, field: string): number {
  return BETWEEN[kind]!.findIndex((text) => text.includes(`"${field}":`));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these stand for the keys
const KEYS = /[\u0001-\u001f]/g;

/** The object of a stored text. */
export function expanded(kind: FactKind, id: string, stored: string): string {
  if (stored.charCodeAt(0) !== COMPACT) return stored;
  const between = BETWEEN[kind]!; // only these kinds are compact
  const rest = stored.replace(KEYS, (found) => between[found.charCodeAt(0) - COMPACT] ?? found);
  return ID + id + rest + between[between.length - 1]!;
}

/** The same of the rows of a page, in UTF-8. Rows of other kinds stay as they are. */
export function expandRows<R extends readonly [doc: Uint8Array, id: string]>(
  kind: FactKind,
  rows: readonly R[],
): (R | readonly [doc: Uint8Array, id: string])[] {
  const between = BYTES[kind];
  if (between === undefined) return [...rows];
  let size = 0;
  for (const [stored, id] of rows) size += stored.length + id.length + LACKING[kind]!;
  const target = Buffer.allocUnsafeSlow(size);
  let at = 0;
  return rows.map((row) => {
    const [stored, id] = row;
    if (stored[0] !== COMPACT) return row;
    const from = at;
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
    return [target.subarray(from, at), id] as const;
  });
}
