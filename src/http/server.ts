// The listening server around the pipeline: Bun's options, the caller's address, and a stop that drops no response.
import type { IncomingMessage } from "node:http";
import proxyaddr from "proxy-addr";
import type { Observe } from "../observe.ts";
import type { App } from "./app.ts";
import { ENDPOINT_PATTERNS, type RequestTarget } from "./router.ts";

/** An idle connection, or one that sends its request too slowly, is closed after this. */
const IDLE_TIMEOUT_SECONDS = 30;

/** The API reads no request body. The HTTP parser refuses larger ones. */
const MAX_BODY_BYTES = 64 * 1024;

/** Responses that are unfinished this long after a stop began are abandoned. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * After a stop began, responses are held until no request has arrived for this long. Bun closes every connection that has
 * no request in flight together with the listener, even if the next request is already on its way. A caller that waits for
 * its response sends no such request.
 */
const QUIET_MS = 150;

/** Callers that pipeline requests without waiting for responses are not waited for longer than this. */
const HOLD_AT_MOST_MS = 2000;

/** The caller's address, given the request and the peer of its connection. */
export type AddressOf = (request: Request, peer: string) => string;

/**
 * Finds callers behind trusted proxies. `X-Forwarded-For` is believed only as far as trusted addresses wrote it. A trusted
 * address is an address, a CIDR range, or `loopback`, `linklocal`, `uniquelocal`. Raises a TypeError for anything else.
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  if (trusted.length === 0) return (_request, peer) => peer;
  const trust = proxyaddr.compile([...trusted]);
  return (request, peer) => {
    const forwarded = request.headers.get("x-forwarded-for");
    const headers = forwarded === null ? {} : { "x-forwarded-for": forwarded };
    // The library reads nothing else of a request.
    const incoming = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage;
    return proxyaddr(incoming, trust);
  };
}

export interface Server {
  /** With scheme and port. */
  readonly address: string;
  /**
   * Takes no new connections, finishes what is in flight, then resolves. Servers that share a port stop together: each waits
   * for `others` once it is quiet, and again once its listener is closed.
   */
  stop(others?: StopTogether): Promise<void>;
  /** Uses another certificate for new connections, and drops no request. */
  reload(tls: Tls): Promise<void>;
}

/** Resolves when the servers that share the port have come as far. */
export interface StopTogether {
  isQuiet(): Promise<void>;
  isClosed(): Promise<void>;
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
}

const ALONE: StopTogether = { isQuiet: async () => {}, isClosed: async () => {} };

/** Raises the kernel's error, with its `code`, if it cannot listen on the address. */
export function listen(app: App, options: ListenOptions, observe: Observe): Server {
  let listener = openListener(app, options);
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    address: `${options.tls === null ? "http" : "https"}://${host}:${listener.port}`,
    async stop(others = ALONE) {
      observe({ kind: "stopping", inFlight: listener.inFlight() });
      await listener.stop(others);
    },
    async reload(tls) {
      const former = listener;
      listener = openListener(app, { ...options, port: former.port, tls });
      await former.stop(ALONE);
    },
  };
}

interface Listener {
  readonly port: number;
  inFlight(): number;
  stop(others: StopTogether): Promise<void>;
}

function openListener(app: App, options: ListenOptions): Listener {
  let isStopping = false;
  let lastRequestAtMs = 0;
  const mayRespond = Promise.withResolvers<void>();
  async function handle(
    request: Request,
    bun: Bun.Server<undefined>,
    target: RequestTarget,
  ): Promise<Response> {
    const address = () => options.addressOf(request, bun.requestIP(request)?.address ?? "unknown");
    const response = app(request, address, target);
    if (!isStopping) return response;
    lastRequestAtMs = performance.now();
    const last = await response;
    await mayRespond.promise;
    last.headers.set("connection", "close");
    return last;
  }
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: options.reusePort || options.tls !== null,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    ...(options.tls === null ? {} : { tls: { cert: options.tls.cert, key: options.tls.key } }),
    routes: Object.fromEntries(ENDPOINT_PATTERNS.map((pattern) => [bunPattern(pattern), endpoint(pattern)])),
    fetch: (request, bun) => handle(request, bun, NO_ENDPOINT),
    error: () => new Response(null, { status: 500 }), // unreachable: the pipeline never throws
  });
  function endpoint(pattern: string) {
    return (request: Bun.BunRequest, bun: Bun.Server<undefined>) => {
      const { id = null } = request.params as { id?: string }; // Bun's type is of a literal pattern
      return handle(request, bun, { pattern, id });
    };
  }
  return {
    port: server.port!, // a TCP server has one
    inFlight: () => server.pendingRequests,
    async stop(others) {
      isStopping = true;
      lastRequestAtMs = performance.now();
      const holdUntilMs = lastRequestAtMs + HOLD_AT_MOST_MS;
      const isQuiet = () => performance.now() - lastRequestAtMs > QUIET_MS;
      while (!isQuiet() && performance.now() < holdUntilMs) await Bun.sleep(10);
      await others.isQuiet();
      void server.stop(false);
      await others.isClosed();
      mayRespond.resolve();
      const giveUpAtMs = performance.now() + STOP_TIMEOUT_MS;
      while (server.pendingRequests > 0 && performance.now() < giveUpAtMs) await Bun.sleep(5);
      await server.stop(true);
    },
  };
}

/** Bun matches these patterns before it normalises the URL. */
function bunPattern(pattern: string): string {
  return pattern.replace("{id}", ":id");
}

const NO_ENDPOINT: RequestTarget = { pattern: null, id: null };
