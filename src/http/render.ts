// Rendering: rows become an envelope with an ETag and links (docs/api.md, Lists and Headers).
import type { Doc, DocPage } from "../store/store.ts";

/** A 200 before conditional requests and compression: the part that is cached. */
export interface Content {
  readonly body: Uint8Array;
  /** A weak tag: a digest of the body, independent of the key and the encoding. */
  readonly etag: string;
  readonly link: string | null;
  /** Whether there was nothing to send: a request that may wait does. */
  readonly isIdle?: boolean;
}

const encoder = new TextEncoder();

/** Makes content of JSON text. */
export function contentOf(json: Doc, link: string | null = null): Content {
  const body = bytesOf(json);
  return { body, etag: `W/"${Bun.hash.xxHash3(body).toString(36)}"`, link };
}

export function bytesOf(json: Doc): Uint8Array {
  return typeof json === "string" ? encoder.encode(json) : json;
}

const COMMA = encoder.encode(",");
export const isText = (doc: Doc) => typeof doc === "string";

/** The envelope of a list. The objects are JSON already: their bytes are copied once. `more`: further keys, as JSON. */
export function envelope({ docs, hasMore }: Pick<DocPage, "docs" | "hasMore">, more = ""): Uint8Array {
  const before = `{"count":${docs.length},"data":[`;
  const after = `],"hasMore":${hasMore}${more}}`;
  if (docs.every(isText)) return encoder.encode(before + docs.join(",") + after);
  const parts: Uint8Array[] = [encoder.encode(before)];
  for (const doc of docs) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(bytesOf(doc));
  }
  parts.push(encoder.encode(after));
  return Buffer.concat(parts);
}

/** The cursor of the page, for its links. */
interface Position {
  readonly afterId?: string | undefined;
  readonly beforeId?: string | undefined;
}

/** Makes content of a page of objects that are JSON already. */
export function listContent(
  page: DocPage,
  position: Position,
  path: string,
  query: URLSearchParams,
): Content {
  return contentOf(envelope(page), links(page, position, path, query));
}

/** Proxies and clients refuse long headers. `hasMore` and the ids are enough to go on. */
const LINK_MAX_BYTES = 2000;

/**
 * `next` and `prev` (RFC 8288), relative and with every filter. A page reached by a cursor has a neighbour on the cursor's
 * side; `hasMore` says whether it has one on the other side. An empty page has no
 * links, nor has one whose links together are too long.
 */
function links(
  { ends, hasMore }: DocPage,
  position: Position,
  path: string,
  query: URLSearchParams,
): string | null {
  if (ends === null) return null;
  const backward = position.beforeId !== undefined;
  const hasNext = backward || hasMore;
  const hasPrevious = backward ? hasMore : position.afterId !== undefined;
  const found: string[] = [];
  if (hasNext) found.push(`<${target(path, query, "afterId", ends.last)}>; rel="next"`);
  if (hasPrevious) found.push(`<${target(path, query, "beforeId", ends.first)}>; rel="prev"`);
  const header = found.join(", ");
  return found.length === 0 || header.length > LINK_MAX_BYTES ? null : header;
}

function target(path: string, query: URLSearchParams, cursor: "afterId" | "beforeId", id: string): string {
  let filters = "";
  for (const [name, value] of query) {
    if (name === "afterId" || name === "beforeId") continue;
    filters += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`;
  }
  return `${path}?${filters}${cursor}=${id}`;
}
