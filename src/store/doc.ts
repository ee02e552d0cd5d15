// A wire object as it is stored.

/** JSON: text, or the same in UTF-8, whichever the engine has it in. */
export type Doc = string | Uint8Array;

/** How each begins: the id is a wire object's first property. */
const START = '{"id":"';
const QUOTE = '"'.charCodeAt(0);
const decoder = new TextDecoder();

/** The id of an object, which a page need not select beside it. Ids are ASCII without escapes (docs/api.md, Identifiers). */
export function idOf(doc: Doc): string {
  if (typeof doc === "string") return doc.slice(START.length, doc.indexOf('"', START.length));
  return decoder.decode(doc.subarray(START.length, doc.indexOf(QUOTE, START.length)));
}
