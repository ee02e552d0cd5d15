// The listening server around the pipeline: Bun's options, the caller's address, and a stop that drops no response.
import type { IncomingMessage } from "node:http";
import proxyaddr from "proxy-addr";
import type { Observe } from "../observe.ts";
import type { App } from "./app.ts";

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
  /** Takes no new connections, finishes what is in flight, then resolves. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Several processes may listen on one port. */
  readonly reusePort: boolean;
  /** Certificate chain and private key in PEM. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly addressOf: AddressOf;
}

/** Raises the kernel's error, with its `code`, if it cannot listen on the address. */
export function listen(app: App, options: ListenOptions, observe: Observe): Server {
  let isStopping = false;
  let lastRequestAtMs = 0;
  const listenerClosed = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: options.reusePort,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    ...(options.tls === null ? {} : { tls: options.tls }),
    fetch: async (request, bun) => {
      const response = app(request, () =>
        options.addressOf(request, bun.requestIP(request)?.address ?? "unknown"),
      );
      if (!isStopping) return response;
      lastRequestAtMs = performance.now();
      const last = await response;
      await listenerClosed.promise;
      last.headers.set("connection", "close");
      return last;
    },
    error: () => new Response(null, { status: 500 }), // unreachable: the pipeline never throws
  });
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    address: `${options.tls === null ? "http" : "https"}://${host}:${server.port}`,
    async stop() {
      observe({ kind: "stopping", inFlight: server.pendingRequests });
      isStopping = true;
      lastRequestAtMs = performance.now();
      const holdUntilMs = lastRequestAtMs + HOLD_AT_MOST_MS;
      const isQuiet = () => performance.now() - lastRequestAtMs > QUIET_MS;
      while (!isQuiet() && performance.now() < holdUntilMs) await Bun.sleep(10);
      void server.stop(false);
      listenerClosed.resolve();
      const giveUpAtMs = performance.now() + STOP_TIMEOUT_MS;
      while (server.pendingRequests > 0 && performance.now() < giveUpAtMs) await Bun.sleep(5);
      await server.stop(true);
    },
  };
}
