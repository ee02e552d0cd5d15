// The listening server: Bun's options, and a stop that loses no response.
import type { Observe } from "../observe.ts";
import type { App } from "./app.ts";
import type { AddressOf } from "./client-address.ts";
import type { Connection } from "./request-context.ts";
import { PATTERNS } from "./router.ts";

/** Turns off Bun's limit, which has no error of ours. `/mcp` has its own; any other response closes the connection. */
const MAX_BODY_BYTES = 2 ** 40;

/** Bun closes a connection that is idle this long, or that sends its request too slowly. */
const IDLE_TIMEOUT_SECONDS = 30;

/** Responses that are unfinished this long after a stop began are abandoned. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * After a stop began, responses are held back until no request has arrived for this long. Bun closes every connection without a request
 * in flight together with the listener, even if the next request is on its way. A caller that waits for its response sends no such
 * request.
 */
const QUIET_MS = 150;

/** A server that was not scheduled for this long cannot have seen what arrived meanwhile. */
const UNSEEN_MS = 50;

/** The longest that a stop waits for callers that keep pipelining requests. */
const HOLD_AT_MOST_MS = 2000;

export interface Server {
  /** With scheme and port. */
  readonly address: string;
  /** Finishes requests in flight, then resolves. Servers that share a port stop in step (`others`), so that none resets the other's callers. */
  stop(others?: StopTogether): Promise<void>;
  /**
   * Uses this certificate for new connections. Bun cannot replace the certificate of a listener, so a second listener takes over, and the
   * first ends with its connections. Raises the kernel's error if that fails.
   */
  renew(tls: Tls): void;
}

/** Resolves when all servers that share the port have reached the same step. */
export interface StopTogether {
  areQuiet(): Promise<void>;
  areClosed(): Promise<void>;
}

/** Certificate chain and private key in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Several processes may listen on one port. */
  readonly reusePort: boolean;
  readonly tls: Tls | null;
  readonly addressOf: AddressOf;
  readonly isTrustedPeer: (peer: string) => boolean;
  /** The path at which a proxy serves Rollcall, such as `/hr`; empty for the root. A proxy may also strip it. */
  readonly basePath: string;
}

class BunConnection implements Connection {
  constructor(
    readonly request: Request,
    readonly bun: Bun.Server<undefined>,
    readonly options: ListenOptions,
  ) {}

  get #peer(): string {
    return this.bun.requestIP(this.request)?.address ?? "unknown";
  }

  address(): string {
    return this.options.addressOf(this.request, this.#peer);
  }

  isFromProxy(): boolean {
    return this.options.isTrustedPeer(this.#peer);
  }

  limitIdle(seconds = IDLE_TIMEOUT_SECONDS): void {
    this.bun.timeout(this.request, seconds);
  }
}

/** Listens. Raises the kernel's error, with its `code`, if it cannot. */
export function listen(app: App, options: ListenOptions, observe: Observe): Server {
  let isStopping = false;
  let lastRequestAtMs = 0;
  const listenerClosed = Promise.withResolvers<void>();
  function handle(request: Request, bun: Bun.Server<undefined>, isAsSent: boolean): Promise<Response> {
    const response = app(request, new BunConnection(request, bun, options), isAsSent);
    return isStopping ? heldAsLast(response) : response;
  }
  async function heldAsLast(response: Promise<Response>): Promise<Response> {
    lastRequestAtMs = performance.now();
    const last = await response;
    await listenerClosed.promise;
    last.headers.set("connection", "close");
    return last;
  }
  const listenWith = (port: number, tls: Tls | null) =>
    Bun.serve({
      hostname: options.host,
      port,
      reusePort: options.reusePort || tls !== null, // a renewed certificate needs a second listener
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      ...(tls === null ? {} : { tls }),
      // Bun matches these patterns against the target as sent. `request.url` is normalised.
      routes: Object.fromEntries(
        patternsBelow(options.basePath).map((pattern) => [
          pattern.replace(/\{.*\}/, ":segment"),
          pattern.includes("{")
            ? (request: Bun.BunRequest, bun: Bun.Server<undefined>) =>
                handle(request, bun, isOneSegment(request.params))
            : (request: Request, bun: Bun.Server<undefined>) => handle(request, bun, true),
        ]),
      ),
      fetch: (request, bun) => handle(request, bun, false),
      development: false, // development mode would print stream errors with callers' data
      error: () => new Response(null, { status: 500 }), // unreachable: the pipeline never throws
    });
  let server = listenWith(options.port, options.tls);
  /** Listeners that were replaced to renew the certificate. A stream may keep one for an hour. */
  const replaced: Bun.Server<undefined>[] = [];
  const inFlight = () => [server, ...replaced].reduce((sum, { pendingRequests }) => sum + pendingRequests, 0);
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    address: `${options.tls === null ? "http" : "https"}://${host}:${server.port}`,
    async stop(others) {
      observe({ kind: "stopping", inFlight: inFlight() });
      isStopping = true;
      lastRequestAtMs = performance.now();
      const holdUntilMs = lastRequestAtMs + HOLD_AT_MOST_MS;
      let longestUnseenMs = 0;
      const isQuiet = () => performance.now() - lastRequestAtMs > QUIET_MS;
      while (!isQuiet() && performance.now() < holdUntilMs + longestUnseenMs) {
        const beganAtMs = performance.now();
        await Bun.sleep(10);
        const passedMs = performance.now() - beganAtMs;
        if (passedMs <= UNSEEN_MS) continue;
        lastRequestAtMs = performance.now();
        longestUnseenMs = Math.max(longestUnseenMs, passedMs);
      }
      await others?.areQuiet();
      void server.stop(false);
      await others?.areClosed();
      listenerClosed.resolve();
      const giveUpAtMs = performance.now() + STOP_TIMEOUT_MS;
      while (inFlight() > 0 && performance.now() < giveUpAtMs) await Bun.sleep(5);
      await server.stop(true);
      await Promise.all(replaced.map((server) => server.stop(true)));
    },
    renew(tls) {
      const next = listenWith(server.port!, tls); // it listens on a TCP port
      void server.stop(false);
      replaced.push(server);
      server = next;
    },
  };
}

/** Every route at the root, and below the base path. */
function patternsBelow(basePath: string): readonly string[] {
  if (basePath === "") return PATTERNS;
  return [...PATTERNS, basePath, ...PATTERNS.map((pattern) => basePath + pattern)];
}

/** Whether the last segment stays one segment when the URL is normalised. Bun has decoded it. */
function isOneSegment({ segment = "" }: { readonly segment?: string }): boolean {
  return segment !== "." && segment !== ".." && !segment.includes("\\");
}
