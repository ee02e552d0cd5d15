// The listening server around the pipeline: what Bun needs to know, and a stop that drops no answer.
import type { Observe } from "../observe.ts";
import type { App } from "./app.ts";

/** Idle connections, and ones that send their request too slowly, are closed after this. */
const IDLE_TIMEOUT_SECONDS = 30;

/** No request body is read; a larger one is refused by the HTTP parser. */
const MAX_BODY_BYTES = 64 * 1024;

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
  readonly reusePort?: boolean;
}

/** Raises the system's error, with its `code`, where the address cannot be listened on. */
export function listen(app: App, options: ListenOptions, observe: Observe): Server {
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: options.reusePort ?? false,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request, bun) => app(request, () => bun.requestIP(request)?.address ?? "unknown"),
    error: () => new Response(null, { status: 500 }), // unreachable: the pipeline never throws
  });
  return {
    address: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${server.port}`,
    async stop() {
      observe({ kind: "stopping", inFlight: server.pendingRequests });
      await server.stop(false);
    },
  };
}
