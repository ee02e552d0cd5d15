// Whole lists as one stream, in CSV or JSON lines (docs/api.md, Streams). A stream reads page after page by cursor, so the walk guarantee
// holds and memory stays flat. Each page is admitted by itself, so other callers are served in between.
import { constants, createGzip, createZstdCompress } from "node:zlib";
import { Semaphore, withTimeout } from "async-mutex";
import type { StoredKey } from "../store/store.ts";
import { Computation } from "./computation.ts";
import { csvRows } from "./csv-rows.ts";
import { atMoment, momentOf } from "./known-on.ts";
import { noteLook } from "./looks.ts";
import { admitted } from "./middleware/admission.ts";
import { identify, unknownKey } from "./middleware/auth.ts";
import type { ReadingParts } from "./middleware/cache.ts";
import { preferredEncoding, STREAM_TYPES, type StreamFormat } from "./middleware/negotiation.ts";
import { asProblem, overloaded } from "./problems.ts";
import { type RequestContext, respond, vary } from "./request-context.ts";
import { type ListPages, type Route, validated } from "./routes/route.ts";
import type { Caller } from "./sign-in.ts";
import { companyFor } from "./visibility.ts";

/** How many rows cost one point of the rate limit. */
const ROWS_OF_POINT = 100;

/** Rows of a stream's page: few enough to delay other callers only for milliseconds. */
const PAGE_ROWS = 100;

export interface StreamLimits {
  /** A reader that takes fewer bytes a second than this, over `overMs`, is too slow; 0 for no limit. */
  readonly slowestBytesPerSecond: number;
  readonly overMs: number;
  /** The longest time that a stream may last. */
  readonly longestMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  slowestBytesPerSecond: 64_000,
  overMs: 60_000,
  longestMs: 3_600_000,
};

/** How many streams run at once in a process, of one company and of one key. So a company never has all of them. */
const STREAMS = 4;
const STREAMS_OF_COMPANY = 3;
const STREAMS_OF_KEY = 2;

/** Most streams are short, so a new one waits for a slot. */
const SLOT_WAIT_MS = 1000;

/** How long a slow reader may take for the rest of a finished stream. */
const IDLE_AFTER_SECONDS = 240;

/** The idle limit of a cut stream's connection: the shortest that Bun allows. */
const CUT_SECONDS = 1;

/** The slots for streams of a process, and the turns of their pages. */
export class StreamSlots {
  readonly #slots = new Map<string, Semaphore>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  /** Resolves in a turn of the event loop in which no other stream begins a page, so that other requests run in between. */
  nextTurn(): Promise<unknown> {
    this.#lastTurn = this.#lastTurn.then(() => new Promise(setImmediate));
    return this.#lastTurn;
  }

  /**
   * Waits for a slot of the key, then of the company, then of the process: so nobody waits behind a key that has its share. Raises a 503 if
   * one does not become free soon. Call the result when the stream has ended.
   */
  async acquire({ id, companyId }: Pick<StoredKey, "id" | "companyId">): Promise<() => void> {
    const releases: (() => void)[] = [];
    const end = () => {
      for (const release of releases.splice(0)) release();
    };
    try {
      releases.push(await this.#slot(`key ${id}`, STREAMS_OF_KEY));
      releases.push(await this.#slot(`company ${companyId}`, STREAMS_OF_COMPANY));
      releases.push(await this.#slot("process", STREAMS));
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }

  async #slot(name: string, count: number): Promise<() => void> {
    const slots = this.#slots.get(name) ?? new Semaphore(count);
    this.#slots.set(name, slots);
    await withTimeout(slots, SLOT_WAIT_MS, overloaded()).acquire();
    return () => {
      slots.release();
      if (slots.getValue() === count) this.#slots.delete(name);
    };
  }
}

/** A bucket with the bytes that the slowest allowed reader takes in `overMs`. Only time in which the server waits for the reader counts. */
class ReaderWatch {
  readonly #limits: StreamLimits;
  readonly #tooSlow: () => void;
  #mayWaitMs: number;
  #waitsSinceMs = 0;
  #timer: Timer | undefined;

  constructor(limits: StreamLimits, tooSlow: () => void) {
    this.#limits = limits;
    this.#tooSlow = tooSlow;
    this.#mayWaitMs = limits.overMs;
  }

  /** The reader now has these bytes to take. */
  begin(bytes: number): void {
    const { slowestBytesPerSecond, overMs } = this.#limits;
    if (slowestBytesPerSecond === 0) return;
    this.#mayWaitMs = Math.min(overMs, this.#mayWaitMs + (bytes / slowestBytesPerSecond) * 1000);
    this.#waitsSinceMs = performance.now();
    this.#timer = setTimeout(this.#tooSlow, this.#mayWaitMs);
  }

  /** The reader asks for more, or the stream ended. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#mayWaitMs -= performance.now() - this.#waitsSinceMs;
  }
}

interface StreamPage {
  readonly chunk: Uint8Array;
  /** The id of its last row; undefined if it has no rows. */
  readonly last: string | undefined;
  readonly hasMore: boolean;
}

interface StreamParts {
  readonly format: StreamFormat;
  /** Reads the page after an id; undefined for the first page. Raises errors of the store. */
  readonly read: (after: string | undefined) => Promise<StreamPage>;
  /** Called with the error that ended the stream after its first byte. */
  readonly failed: (error: unknown) => void;
  /** Called once: after the last byte, when the caller is gone, or when the stream failed. */
  readonly ended: (bytes: number) => void;
  readonly limits: StreamLimits;
}

/** In our order of preference. Other encodings of a stream cost more CPU time. */
const ENCODINGS = ["zstd", "gzip", "identity"] as const;

/** Compression levels that take at most the CPU time of reading the rows, and leave a fifth to a third of the bytes. */
const COMPRESSORS = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
};

const FLUSH = { zstd: constants.ZSTD_e_flush, gzip: constants.Z_SYNC_FLUSH };

/** Compresses a stream piece by piece in zlib's threads. Each piece can be decompressed when it arrives. */
class Compressor {
  readonly #zlib: ReturnType<(typeof COMPRESSORS)[keyof typeof COMPRESSORS]>;
  #made: Uint8Array[] = [];
  #failed = Promise.withResolvers<never>();

  constructor(readonly encoding: keyof typeof COMPRESSORS) {
    this.#zlib = COMPRESSORS[encoding]();
    this.#zlib.on("data", (piece: Uint8Array) => this.#made.push(piece));
    this.#zlib.on("error", this.#failed.reject);
    this.#failed.promise.catch(() => {}); // raised where a piece is awaited
  }

  async compress(piece: Uint8Array, isLast: boolean): Promise<Uint8Array> {
    const done = Promise.withResolvers<void>();
    if (isLast) this.#zlib.once("end", () => done.resolve()).end(piece);
    else {
      this.#zlib.write(piece);
      this.#zlib.flush(FLUSH[this.encoding], () => done.resolve());
    }
    await Promise.race([done.promise, this.#failed.promise]);
    const compressed = Buffer.concat(this.#made);
    this.#made = [];
    return compressed;
  }

  /** Frees the memory of zlib. Call it when the stream ends. */
  close(): void {
    this.#zlib.destroy();
  }
}

/** The response that streams a whole list. Errors before the first byte are raised; a later error resets the connection. */
async function streamResponse(
  context: RequestContext,
  { format, read, failed, ended, limits }: StreamParts,
): Promise<Response> {
  let page: StreamPage | null = await read(undefined);
  const encoding = preferredEncoding(context.request.headers.get("accept-encoding"), ENCODINGS);
  // Made before any header is set: if it fails, the error's response must not have the stream's headers.
  const compressor = encoding === "identity" || context.method === "HEAD" ? null : new Compressor(encoding);
  context.headers["content-type"] = STREAM_TYPES[format];
  context.headers["cache-control"] = "private, no-store";
  if (encoding !== "identity") context.headers["content-encoding"] = encoding;
  vary(context, "accept, x-api-key, accept-encoding");
  if (context.method === "HEAD") {
    ended(0);
    context.headers["transfer-encoding"] = "chunked"; // as for GET, whose length is unknown
    return respond(context, 200, null);
  }
  let last: string | undefined;
  let bytes = 0;
  let isFinished = false;
  let cut: (why: string) => void = () => {};
  const watch = new ReaderWatch(limits, () => cut("the reader of a stream took too little for too long"));
  const life = setTimeout(() => cut("a stream lasted too long"), limits.longestMs);
  context.connection.limitIdle(0); // `watch` replaces Bun's own limit
  const finish = (idleSeconds: number) => {
    isFinished = true;
    watch.end();
    clearTimeout(life);
    compressor?.close();
    context.connection.limitIdle(idleSeconds);
    ended(bytes);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        cut = (why) => {
          controller.error(new Error(why));
          finish(CUT_SECONDS);
        };
      },
      async pull(controller) {
        watch.end();
        try {
          page ??= await read(last);
          if (isFinished) return; // the caller left while the page was read
          last = page.last;
          const chunk =
            compressor === null ? page.chunk : await compressor.compress(page.chunk, !page.hasMore);
          if (isFinished) return; // or while it was compressed
          bytes += chunk.length;
          if (chunk.length > 0) controller.enqueue(chunk);
          if (!page.hasMore) {
            controller.close();
            finish(IDLE_AFTER_SECONDS);
            return;
          }
          page = null;
          watch.begin(chunk.length);
        } catch (error) {
          if (isFinished) return; // the caller is gone
          // An incomplete list is never silent: the connection ends before the last chunk.
          controller.error(error);
          failed(error);
          finish(IDLE_AFTER_SECONDS);
        }
      },
      cancel: () => finish(IDLE_AFTER_SECONDS),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: 200, headers: context.headers });
}

const encoder = new TextEncoder();

const PAGING = ["limit", "afterId", "beforeId"] as const;

/** Sends the whole list as one stream. Each page is admitted and charged by itself. */
export async function streamList(
  parts: ReadingParts & { readonly streamLimits: StreamLimits },
  streams: StreamSlots,
  context: RequestContext,
  route: Route,
  list: ListPages,
  id: string,
  caller: Caller,
  format: StreamFormat,
): Promise<Response> {
  const { store, admission, rateLimit } = parts;
  const { key } = caller;
  const query = new URLSearchParams(context.query);
  const today = parts.today();
  const detail = "is for pages: a stream is the whole list";
  const refused = PAGING.filter((name) => query.has(name)).map((parameter) => ({ parameter, detail }));
  const crossFieldErrors: Route["crossFieldErrors"] = (values, day) => [
    ...route.crossFieldErrors(values, day),
    ...refused,
  ];
  const values = validated({ ...route, crossFieldErrors }, query, today, context);
  const endStream = await streams.acquire(key);
  const ended = Promise.withResolvers<void>();
  let sentRows = 0;
  let points = 0;
  const computation = new Computation(performance.now() + parts.streamLimits.longestMs);
  computation.join(context.request.signal);
  const render =
    format === "csv"
      ? csvRows(list.contract)
      : (docs: readonly string[]) => encoder.encode(docs.map((doc) => `${doc}\n`).join(""));
  const read = async (after: string | undefined): Promise<StreamPage> => {
    if (after !== undefined) {
      for (; points < Math.floor(sentRows / ROWS_OF_POINT); points++) await rateLimit?.charge(key.id);
      await streams.nextTurn();
      await identify(parts, context); // a stream can last for hours, and its key be revoked
    }
    const readPage = async () => {
      computation.beginTurn(); // `nextTurn` and the admission let others run
      const version = await store.version(key.companyId);
      if (version === null) throw unknownKey();
      const { docs, ends, hasMore } = await atMoment(
        () => momentOf(store, key.companyId, values, today),
        async (moment) => {
          const company = await companyFor(parts, caller, version, computation, moment.revision);
          const input = { company, values, id, today: moment.today, scopes: key.scopes, computation };
          return list.page(input, { limit: PAGE_ROWS, after, takesAll: true });
        },
      );
      sentRows += docs.length;
      return { chunk: render(docs), last: ends?.last, hasMore };
    };
    return admitted(admission, key.id, readPage, true);
  };
  try {
    const response = await streamResponse(context, {
      format,
      read,
      failed: (error) => void asProblem(parts.observe, context, error),
      limits: parts.streamLimits,
      ended: (bytes) => {
        context.bytes = bytes;
        if (route.isOfPeople) noteLook(parts.looked, context, caller, route.contract.path, sentRows);
        computation.end(); // stops a page that nobody will get
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
