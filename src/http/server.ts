// The listening server around the pipeline: what Bun needs to know, and a stop that drops no answer.
import type { Observe } from "../observe.ts";
import type { App } from "./app.ts";
import type { AddressOf } from "./client-address.ts";

/** Idle connections, and ones that send their request too slowly, are closed after this. */
const IDLE_TIMEOUT_SECONDS = 30;

/** No request body is read; a larger one is refused by the HTTP parser. */
const MAX_BODY_BYTES = 64 * 1024;

/** What is still unfinished this long after a stop began is given up. */
const STOP_TIMEOUT_MS = 10_000;

/** No request for so long after a stop began: callers have understood. */
const QUIET_MS = 150;

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

/** Raises the system's error, with its `code`, where the address cannot be listened on. */
export function listen(app: App, options: ListenOptions, observe: Observe): Server {
  let isStopping = false;
  let lastRequestAtMs = 0;
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: options.reusePort,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    ...(options.tls === null ? {} : { tls: options.tls }),
    fetch: async (request, bun) => {
      const answer = app(request, () =>
        options.addressOf(request, bun.requestIP(request)?.address ?? "unknown"),
      );
      if (!isStopping) return answer;
      lastRequestAtMs = performance.now();
      const last = await answer;
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
      const giveUpAtMs = lastRequestAtMs + STOP_TIMEOUT_MS;
      void server.stop(false);
      // Connections that are open may still carry a request that was on its way: each is answered, and told to close.
      const isQuiet = () => server.pendingRequests === 0 && performance.now() - lastRequestAtMs > QUIET_MS;
      while (!isQuiet() && performance.now() < giveUpAtMs) await Bun.sleep(QUIET_MS / 5);
      await server.stop(true);
    },
  };
}
