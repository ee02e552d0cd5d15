// Rendering: rows become an envelope with an ETag and links (docs/api.md, Lists and Headers).
import type { DocPage } from "../store/store.ts";

/** A 200 before conditional requests and compression: the part that is cached. */
export interface Content {
  readonly body: Uint8Array;
  /** A weak tag: a digest of the body, independent of the key and the encoding. */
  readonly etag: string;
  /** The compressed forms of the body that were made, by content coding. */
  readonly compressed: Map<string, Uint8Array>;
  readonly link: string | null;
  /** `Last-Modified`, where programs ask for it instead of a tag. */
  readonly lastModified?: string;
  /** Whether there was nothing to send: a request that may wait does. */
  readonly isIdle?: boolean;
}

const encoder = new TextEncoder();

/** Makes content of JSON text. */
export function contentOf(json: string, link: string | null = null): Content {
  const body = encoder.encode(json);
  return { body, etag: `W/"${Bun.hash.xxHash3(body).toString(36)}"`, compressed: new Map(), link };
}

/** The envelope of a list, whose objects are JSON already. `more`: further keys, as JSON. */
export function envelope({ docs, hasMore }: Pick<DocPage, "docs" | "hasMore">, more = ""): string {
  return `{"count":${docs.length},"data":[${docs.join(",")}],"hasMore":${hasMore}${more}}`;
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
  const before = `<${path}?${filtersOf(query)}`;
  const next = hasNext ? `${before}afterId=${ends.last}>; rel="next"` : "";
  const previous = hasPrevious ? `${before}beforeId=${ends.first}>; rel="prev"` : "";
  const header = hasNext && hasPrevious ? `${next}, ${previous}` : next + previous;
  return header === "" || header.length > LINK_MAX_BYTES ? null : header;
}

/** All but the cursor, each with an ampersand after it. */
function filtersOf(query: URLSearchParams): string {
  let filters = "";
  for (const [name, value] of query) {
    if (name === "afterId" || name === "beforeId") continue;
    filters += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`;
  }
  return filters;
}
