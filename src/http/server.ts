// The listening server around the pipeline: what Bun needs to know, and a stop that drops no answer.
import type { Observe } from "../observe.ts";
import type { App } from "./app.ts";
import type { AddressOf } from "./middleware/client-address.ts";

/** Idle connections, and ones that send their request too slowly, are closed after this. */
const IDLE_TIMEOUT_SECONDS = 30;

/** No request body is read; a larger one is refused by the HTTP parser. */
const MAX_BODY_BYTES = 64 * 1024;

/** What is still unfinished this long after a stop began is given up. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * Once a stop began, answers that are ready are held back until no request has come for so long. The runtime closes
 * connections without a request under way together with the listener, one whose request has just been sent among them; a
 * caller that waits for its answer sends nothing that could be lost, and opens no connection that would be reset.
 */
const QUIET_MS = 150;

/** Callers that go on sending without waiting for answers are not waited for longer. */
const HOLD_AT_MOST_MS = 2000;

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
  const listenerClosed = Promise.withResolvers<void>();
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
