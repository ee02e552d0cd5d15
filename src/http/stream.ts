// Whole lists as one stream, in CSV or JSON lines (docs/api.md, Streams). A stream reads page after page by cursor, so the
// walk guarantee holds and memory stays flat. Each page is admitted by itself: other callers are served in between.
import { constants, createGzip, createZstdCompress } from "node:zlib";
import { csvText } from "../csv-file.ts";
import { show } from "../resources/query.ts";
import { type ListContract, objectKeys } from "../resources/resource.ts";
import type { Doc, ReadStore, StoredKey } from "../store/store.ts";
import type { Admission, Release } from "./middleware/admission.ts";
import { unknownKey, withoutReasons } from "./middleware/auth.ts";
import { preferredEncoding, preferredType } from "./middleware/negotiation.ts";
import type { RateLimit } from "./middleware/rate-limit.ts";
import { HttpProblem, invalidParameters, overloaded } from "./problems.ts";
import { bytesOf, isText } from "./render.ts";
import { type Connection, headersOf, type RequestContext, respond, vary } from "./request-context.ts";
import type { ListPages } from "./routes/route.ts";

type StreamFormat = "csv" | "ndjson";

const CONTENT_TYPE = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson",
} as const;

/** With the parameters that a caller may name, too. Preferred in this order. */
const FORMATS = new Map<string, StreamFormat | null>([
  ["application/json; charset=utf-8", null],
  [CONTENT_TYPE.csv, "csv"],
  [`${CONTENT_TYPE.ndjson}; charset=utf-8`, "ndjson"],
]);

const MEDIA_TYPES = [...FORMATS.keys()];

/** The format of a stream, or null for a page in JSON. Raises a 406 if the caller accepts none of them. */
export function streamFormat(accept: string | null): StreamFormat | null {
  if (accept === null || accept.trim() === "") return null;
  const format = FORMATS.get(preferredType(accept, MEDIA_TYPES) ?? "");
  if (format !== undefined) return format;
  throw new HttpProblem(
    "not_acceptable",
    `Accept: ${show(accept)} fits none of application/json, text/csv, application/x-ndjson: name one of them, or send no Accept.`,
  );
}

/** Rows of one point of the rate limit. */
const ROWS_OF_POINT = 100;

/** Rows of one page of a stream. */
const PAGE_ROWS_MAX = { alone: 500, besideOthers: 100 };
const PAGE_ROWS_MIN = 5;
const PAGE_ROWS_FIRST = 10;

/** How long one page is to hold up other callers: small pages cost more in all. The second counts while there are others. */
const HOLDS_UP_MS = { alone: 2, besideOthers: 0.6 };

/** There are other callers if a request came within this time. */
const OTHERS_FOR_MS = 500;

/**
 * How many rows the next page reads, after one that held up other callers for so long: as many as take `HOLDS_UP_MS`, but at
 * most twice and at least half as many, because one page may be slow for other reasons.
 */
export function nextPageRows(rows: number, heldUpMs: number, isAlone = false): number {
  const who = isAlone ? "alone" : "besideOthers";
  const wanted = Math.round(rows * Math.min(2, Math.max(0.5, HOLDS_UP_MS[who] / heldUpMs)));
  return Math.min(PAGE_ROWS_MAX[who], Math.max(PAGE_ROWS_MIN, wanted));
}

/** The result of work, and how long it let nobody else run; 0 if it waited, as it does for PostgreSQL. */
async function timed<T>(work: () => Promise<T>): Promise<{ result: T; heldUpMs: number }> {
  let hasWaited = false;
  const turn = setImmediate(() => {
    hasWaited = true;
  });
  const began = performance.now();
  try {
    const result = await work();
    return { result, heldUpMs: hasWaited ? 0 : performance.now() - began };
  } finally {
    clearImmediate(turn);
  }
}

/** Streams that run at once in a process. */
const STREAMS = 4;

/** Most streams are short, so one more waits for a place: this long at most, and behind so many others at most. */
const PLACE_WAIT_MS = 1000;
const WAITING_MAX = 100;

/** A stream whose reader takes nothing for this long is reset. */
const STALL_TIMEOUT_MS = 30_000;
const STALL_CHECK_MS = 5_000;

/** What a slow reader has not taken of a stream's end may take it so long. */
const IDLE_AFTER_SECONDS = 240;

/** Counts the running streams of a process, and lets their pages take turns. */
export class StreamSlots {
  #running = 0;
  /** Those that wait for a place, the first first. */
  readonly #waiting: (() => void)[] = [];
  #lastTurn: Promise<unknown> = Promise.resolve();
  #lastRequestAtMs = Number.NEGATIVE_INFINITY;

  /** Called for each request that is no stream, with the time at which it came. */
  noteRequest(atMs: number): void {
    this.#lastRequestAtMs = atMs;
  }

  /** Whether no request came lately. */
  get isAlone(): boolean {
    return performance.now() - this.#lastRequestAtMs > OTHERS_FOR_MS;
  }

  /**
   * Resolves in a turn of the event loop in which no other stream reads a page. On the embedded store a page needs no turn:
   * other callers' requests are read in between.
   */
  nextTurn(): Promise<unknown> {
    this.#lastTurn = this.#lastTurn.then(() => new Promise(setImmediate));
    return this.#lastTurn;
  }

  /** Waits for a place. Raises a 503 if none becomes free soon. The result must be called when the stream has ended. */
  async acquire(): Promise<() => void> {
    if (this.#running < STREAMS) this.#running++;
    else await this.#placeOfAnother();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    };
  }

  /** Resolves when a stream ends and leaves its place. */
  #placeOfAnother(): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) throw overloaded();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(overloaded());
      }, PLACE_WAIT_MS);
      const take = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push(take);
    });
  }
}

/** A page as it is sent. */
interface StreamPage {
  readonly chunk: Uint8Array;
  /** The id of its last row, if it has rows. */
  readonly last: string | undefined;
  readonly hasMore: boolean;
}

interface StreamParts {
  readonly format: StreamFormat;
  /** Reads the page after an id; from the start for undefined. Raises what a read raises. */
  readonly read: (after: string | undefined) => Promise<StreamPage>;
  /** Called with what ended the stream after its first byte. */
  readonly failed: (error: unknown) => void;
  /** Called once: after the last byte, when the caller is gone, or when the stream failed. */
  readonly ended: (bytes: number) => void;
}

/** In our order of preference. Other encodings of a stream cost more CPU time. */
const ENCODINGS = ["zstd", "gzip", "identity"] as const;

/** Levels that take at most as much CPU time as reading the rows, and leave a fifth to a third of their bytes. */
const COMPRESSORS = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
};

const FLUSH = { zstd: constants.ZSTD_e_flush, gzip: constants.Z_SYNC_FLUSH };

/** Compresses a stream piece by piece, in zlib's own threads: each piece can be read when it arrives. */
class Compressor {
  readonly #encoding: keyof typeof COMPRESSORS;
  readonly #zlib: ReturnType<(typeof COMPRESSORS)[keyof typeof COMPRESSORS]>;
  #made: Uint8Array[] = [];
  #failed = Promise.withResolvers<never>();

  constructor(encoding: keyof typeof COMPRESSORS) {
    this.#encoding = encoding;
    this.#zlib = COMPRESSORS[encoding]();
    this.#zlib.on("data", (piece: Uint8Array) => this.#made.push(piece));
    this.#zlib.on("error", this.#failed.reject);
    this.#failed.promise.catch(() => {}); // raised where a piece is waited for
  }

  async compress(piece: Uint8Array, isLast: boolean): Promise<Uint8Array> {
    const done = Promise.withResolvers<void>();
    if (isLast) this.#zlib.once("end", () => done.resolve()).end(piece);
    else {
      this.#zlib.write(piece);
      this.#zlib.flush(FLUSH[this.#encoding], () => done.resolve());
    }
    await Promise.race([done.promise, this.#failed.promise]);
    const made = Buffer.concat(this.#made);
    this.#made = [];
    return made;
  }

  /** When the stream ends, however it ends. */
  close(): void {
    this.#zlib.destroy();
  }
}

/**
 * Calls `stalled` when the reader has taken nothing for too long. It may take for minutes what the kernel holds for it already, and
 * no more is asked for in that time: so the kernel is asked whether that becomes less.
 */
function watchForStall(connection: Connection | null, stalled: () => void): Timer {
  let before: number | null = null;
  let nothingTakenMs = 0;
  return setInterval(() => {
    const untaken = connection?.untakenBytes() ?? null;
    nothingTakenMs += STALL_CHECK_MS;
    if (before !== null && untaken !== null && untaken < before) nothingTakenMs = 0;
    before = untaken;
    if (nothingTakenMs >= STALL_TIMEOUT_MS) stalled();
  }, STALL_CHECK_MS);
}

/** The response that streams a whole list. Errors before the first byte are raised; a later one resets the connection. */
async function streamResponse(
  context: RequestContext,
  { format, read, failed, ended }: StreamParts,
): Promise<Response> {
  let page: StreamPage | null = await read(undefined);
  const encoding = preferredEncoding(context.request.headers.get("accept-encoding"), ENCODINGS);
  // If it cannot be made, the error's response must have none of the stream's headers.
  const compressor = encoding === "identity" || context.method === "HEAD" ? null : new Compressor(encoding);
  context.headers["content-type"] = CONTENT_TYPE[format];
  context.headers["cache-control"] = "private, no-store";
  if (encoding !== "identity") context.headers["content-encoding"] = encoding;
  vary(context, "accept, x-api-key, accept-encoding");
  if (context.method === "HEAD") {
    ended(0);
    context.headers["transfer-encoding"] = "chunked"; // as GET sends it: a length is not known
    return respond(context, 200, null);
  }
  let last: string | undefined;
  let bytes = 0;
  let stall: Timer | undefined;
  let isFinished = false;
  const connection = context.connectionOf?.(context.request) ?? null;
  connection?.limitIdle(0); // it would end a slow reader's stream as if that were its end
  const finish = () => {
    isFinished = true;
    clearInterval(stall);
    compressor?.close();
    connection?.limitIdle(IDLE_AFTER_SECONDS);
    ended(bytes);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearInterval(stall);
        try {
          page ??= await read(last);
          if (isFinished) return; // the caller went while the page was read
          last = page.last;
          const chunk =
            compressor === null ? page.chunk : await compressor.compress(page.chunk, !page.hasMore);
          if (isFinished) return; // or compressed
          bytes += chunk.length;
          if (chunk.length > 0) controller.enqueue(chunk);
          if (!page.hasMore) {
            controller.close();
            finish();
            return;
          }
          page = null;
          stall = watchForStall(connection, () => {
            controller.error(new Error("the reader of a stream took nothing for too long"));
            finish();
            connection?.reset();
          });
        } catch (error) {
          if (isFinished) return; // nobody is left to tell
          // No result is silently short: the caller sees a connection that was reset.
          controller.error(error);
          failed(error);
          finish();
        }
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: 200, headers: headersOf(context) });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const textOf = (doc: Doc) => (typeof doc === "string" ? doc : decoder.decode(doc));

const NEW_LINE = encoder.encode("\n");

/** An object on each line. What was read as bytes is copied once. */
function jsonLines(docs: readonly Doc[]): Uint8Array {
  if (docs.every(isText)) return encoder.encode(docs.map((doc) => `${doc}\n`).join(""));
  const parts: Uint8Array[] = [];
  for (const doc of docs) parts.push(bytesOf(doc), NEW_LINE);
  return Buffer.concat(parts);
}

/** Renders pages as CSV (RFC 4180): first the schema's keys in order as header, then a line for each object. */
function csvRows(contract: ListContract): (docs: readonly Doc[]) => Uint8Array {
  const keys = objectKeys(contract);
  let isFirst = true;
  return (docs) => {
    const rows = docs.map((doc) => {
      const object = JSON.parse(textOf(doc)) as Record<string, unknown>; // an object on the wire
      return keys.map((key) => cellOf(object[key]));
    });
    if (isFirst) rows.unshift([...keys]);
    isFirst = false;
    return encoder.encode(csvText(rows));
  };
}

/** A spreadsheet would run such a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "string") return value === null || value === undefined ? null : JSON.stringify(value);
  return FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}

const PAGING = ["limit", "afterId", "beforeId"] as const;

interface StreamRequest {
  readonly key: StoredKey;
  readonly list: ListPages;
  readonly query: URLSearchParams;
  readonly format: StreamFormat;
  /** The values of the query are made by the route's own schemas. */
  readonly input: { readonly values: never; readonly today: string };
  /** Raises a 401 once the caller may read no more: a stream can last for hours. */
  readonly check: () => Promise<void>;
  /** Called with what ended the stream after its first byte. */
  readonly failed: (error: unknown) => void;
}

/** Sends the whole list as one stream. Each of its pages is admitted and charged by itself. */
export async function streamList(
  { store, admission, rateLimit }: { store: ReadStore; admission: Admission; rateLimit: RateLimit | null },
  streams: StreamSlots,
  context: RequestContext,
  { key, list, query, format, input, check, failed }: StreamRequest,
): Promise<Response> {
  const refused = PAGING.filter((name) => query.has(name));
  if (refused.length > 0) {
    const detail = "is for pages: a stream is the whole list";
    throw invalidParameters(refused.map((parameter) => ({ parameter, detail })));
  }
  const endStream = await streams.acquire();
  const ended = Promise.withResolvers<void>();
  let pageRows = PAGE_ROWS_FIRST;
  let sentRows = 0;
  let points = 0;
  const render = format === "csv" ? csvRows(list.contract) : jsonLines;
  const read = async (after: string | undefined): Promise<StreamPage> => {
    if (after !== undefined) {
      for (; points < Math.floor(sentRows / ROWS_OF_POINT); points++) await rateLimit?.charge(key.id);
      await streams.nextTurn();
      await check();
    }
    const release = await admittedLater(admission, key.id);
    try {
      const version = await store.version(key.companyId);
      if (version === null) throw unknownKey();
      const reader = store.company(key.companyId, version);
      const company = key.hidesReasons ? withoutReasons(reader) : reader;
      const page = { limit: pageRows, after };
      const { result, heldUpMs } = await timed(async () => {
        const { docs, ends, hasMore } = await list.page({ company, ...input }, page);
        sentRows += docs.length;
        return { chunk: render(docs), last: ends?.last, hasMore };
      });
      pageRows = nextPageRows(pageRows, heldUpMs, streams.isAlone);
      return result;
    } finally {
      release();
    }
  };
  try {
    const response = await streamResponse(context, {
      format,
      read,
      failed,
      ended: (bytes) => {
        context.bytes = bytes;
        endStream();
        ended.resolve();
      },
    });
    context.streamed = ended.promise;
    return response;
  } catch (error) {
    endStream();
    throw error;
  }
}

const SHED_WAIT_MS = 50;

/** What has begun is not cut when load is shed: it waits. */
export async function admittedLater(admission: Admission, share: string): Promise<Release> {
  for (;;) {
    const release = await admission.acquire(share);
    if (release !== null) return release;
    await Bun.sleep(SHED_WAIT_MS);
  }
}
