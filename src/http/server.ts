// The listening server around the pipeline: Bun's options, the caller's address, and a stop that drops no response.
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import proxyaddr from "proxy-addr";
import type { Observe } from "../observe.ts";
import type { ReadStore } from "../store/store.ts";
import type { App } from "./app.ts";
import type { Connection } from "./request-context.ts";
import { PATTERNS } from "./router.ts";
import { IDLE_TIMEOUT_SECONDS, inTurns } from "./turns.ts";

/**
 * No limit of Bun's own, which would respond without an error of ours. Bun reads no more of a body than is asked for: only
 * `/mcp` reads one, up to its limit, and any other response closes the connection.
 */
const MAX_BODY_BYTES = 2 ** 40;

/** Responses that are unfinished this long after a stop began are abandoned. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * After a stop began, responses are held until no request has arrived for this long. Bun closes every connection that has
 * no request in flight together with the listener, even if the next request is already on its way. A caller that waits for
 * its response sends no such request.
 */
const QUIET_MS = 150;

/** A server that does not run for so long, as on a machine with too much to do, cannot have seen what arrived meanwhile. */
const UNSEEN_MS = 50;

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

/** Whether a peer is one of the trusted addresses. Raises a TypeError like `clientAddress`. */
export function trustedPeer(trusted: readonly string[]): (peer: string) => boolean {
  if (trusted.length === 0) return () => false;
  const trust = proxyaddr.compile([...trusted]);
  return (peer) => isIP(peer) !== 0 && trust(peer, 0);
}

export interface Server {
  /** With scheme and port. */
  readonly address: string;
  /**
   * Takes no new connections, finishes what is in flight, then resolves. Servers that share a port stop in step with the
   * `others`, or callers that got the last response of one would be reset by the next.
   */
  stop(others?: StopTogether): Promise<void>;
  readonly renewal: CertificateRenewal;
}

/** Resolves when all servers that share the port have come as far. */
export interface StopTogether {
  areQuiet(): Promise<void>;
  areClosed(): Promise<void>;
}

/** Certificate chain and private key in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/**
 * The steps that replace the certificate of a server that listens. Several processes on one port take each step together,
 * so that no connection is dropped: all begin, one steers, and all finish.
 */
export interface CertificateRenewal {
  /** Listens a second time, with another certificate. Raises the kernel's error if that fails. */
  begin(tls: Tls): void;
  /** Sends new connections to the second listener. `before`: how many listeners the port had before. */
  steer(before: number): void;
  /** Closes the first listener after its connections have ended. */
  finish(): Promise<void>;
  /** Closes the second listener instead. */
  abandon(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Several processes may listen on one port. */
  readonly reusePort: boolean;
  /** `ReadStore.together`: requests that arrive together are handled together. Null if each is handled by itself. */
  readonly together: ReadStore["together"];
  readonly tls: Tls | null;
  readonly addressOf: AddressOf;
  readonly isTrustedPeer: (peer: string) => boolean;
}

/** Raises the kernel's error, with its `code`, if it cannot listen on the address. */
export function listen(app: App, options: ListenOptions, observe: Observe): Server {
  let isStopping = false;
  let lastRequestAtMs = 0;
  const listenerClosed = Promise.withResolvers<void>();
  let replacement: Bun.Server<undefined> | null = null;
  const runInTurn = options.together === null ? null : inTurns(options.together);
  function handle(
    request: Request,
    bun: Bun.Server<undefined>,
    isAsSent: boolean,
  ): Response | Promise<Response> {
    const peer = () => bun.requestIP(request)?.address ?? "unknown";
    const connection: Connection = {
      address: () => options.addressOf(request, peer()),
      isFromProxy: () => options.isTrustedPeer(peer()),
      limitIdle: (seconds) => bun.timeout(request, seconds),
    };
    const run = () => app(request, connection, isAsSent);
    const from = runInTurn && bun.requestIP(request);
    const response = runInTurn && from ? runInTurn(from, run) : run();
    if (isStopping) return heldAsLast(response);
    if (replacement === null || bun === replacement) return response;
    return closing(response); // the connection has the old certificate: its caller is asked to open another
  }
  async function closing(response: Response | Promise<Response>): Promise<Response> {
    const last = await response;
    last.headers.set("connection", "close");
    return last;
  }
  async function heldAsLast(response: Response | Promise<Response>): Promise<Response> {
    lastRequestAtMs = performance.now();
    const last = await response;
    await listenerClosed.promise;
    return closing(last);
  }
  const listenWith = (port: number, tls: Tls | null) =>
    Bun.serve({
      hostname: options.host,
      port,
      reusePort: options.reusePort || tls !== null, // a renewed certificate needs a second listener
      idleTimeout: IDLE_TIMEOUT_SECONDS, // also of one that sends its request too slowly
      maxRequestBodySize: MAX_BODY_BYTES,
      ...(tls === null ? {} : { tls }),
      // Bun matches these patterns to the target as it was sent. `request.url` is normalised.
      routes: Object.fromEntries(
        PATTERNS.map((pattern) => [
          pattern.replace(/\{.*\}/, ":segment"),
          (request: Bun.BunRequest, bun: Bun.Server<undefined>) =>
            handle(request, bun, isOneSegment(request.params)),
        ]),
      ),
      fetch: (request, bun) => handle(request, bun, false),
      development: false, // which would print errors of streams beside the log, with what callers sent
      error: () => new Response(null, { status: 500 }), // unreachable: the pipeline never throws
    });
  let server = listenWith(options.port, options.tls);
  const inFlight = () => server.pendingRequests + (replacement?.pendingRequests ?? 0);
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
      void replacement?.stop(false);
      await others?.areClosed();
      listenerClosed.resolve();
      const giveUpAtMs = performance.now() + STOP_TIMEOUT_MS;
      while (inFlight() > 0 && performance.now() < giveUpAtMs) await Bun.sleep(5);
      await server.stop(true);
      await replacement?.stop(true);
    },
    renewal: {
      begin(tls) {
        replacement = listenWith(server.port!, tls); // it listens on a port
      },
      steer(before) {
        steerConnections(server.port!, before);
      },
      async finish() {
        // Idle connections close by themselves in this time, and those that are used after their next response.
        await new Promise((resolve) => setTimeout(resolve, (IDLE_TIMEOUT_SECONDS + 1) * 1000).unref());
        if (replacement === null || isStopping) return;
        const old = server;
        server = replacement;
        replacement = null;
        await old.stop(false);
      },
      async abandon() {
        const unused = replacement;
        replacement = null;
        await unused?.stop(false);
      },
    },
  };
}

/** Whether the last segment, as it was sent, stays one segment when the URL is normalised. Bun has decoded it. */
function isOneSegment({ segment = "" }: { readonly segment?: string }): boolean {
  return segment !== "." && segment !== ".." && !segment.includes("\\");
}

// Hands a port over from one listener to another without dropping a connection. Both listen with SO_REUSEPORT, so the kernel
// spreads new connections over them, and closing one would reset the connections that are still being set up on it. So a
// filter first steers new connections to the other listener. Linux only: elsewhere such connections may be reset.

/** Of asm-generic/socket.h, which x64 and arm64 share. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;

/** The instruction "return a constant" of classic BPF (linux/bpf_common.h: BPF_RET | BPF_K). */
const RETURN_CONSTANT = 0x06;

const LIBC = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/**
 * Steers new connections on a port to the listener with this index: 0 is the one that began to listen first, in whichever
 * process. The kernel spreads them again as soon as so few listeners are left that there is none with this index. Returns
 * false if the kernel cannot do that.
 */
function steerConnections(port: number, index: number): boolean {
  if (process.platform !== "linux") return false;
  const listening = sockets(port).filter(({ state }) => state === LISTENS);
  const [listener] = listening.flatMap(({ inode }) => descriptorOf(inode) ?? []);
  if (listener === undefined) return false;
  const instruction = new BigUint64Array([BigInt(RETURN_CONSTANT) | (BigInt(index) << 32n)]);
  // struct sock_fprog: the number of instructions, padding, and their address.
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, 1, true);
  program.setBigUint64(8, BigInt(ptr(instruction)), true);
  return setSocketOption(listener, SO_ATTACH_REUSEPORT_CBPF, program);
}

/** Returns false if the kernel refuses. */
function setSocketOption(descriptor: number, option: number, value: ArrayBufferView<ArrayBuffer>): boolean {
  const { i32, ptr: pointer, u32 } = FFIType;
  for (const name of LIBC) {
    try {
      const libc = dlopen(name, { setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } });
      const { setsockopt } = libc.symbols;
      return setsockopt(descriptor, SOL_SOCKET, option, ptr(value.buffer), value.byteLength) === 0;
    } catch {
      // Another C library: try the next name.
    }
  }
  return false;
}

/** A socket that listens, in the kernel's table. */
const LISTENS = "0A";

interface KernelSocket {
  readonly state: string;
  readonly inode: string;
}

/** The sockets on a port of this machine, of whichever process; none where the kernel has no such table. */
function sockets(port: number): KernelSocket[] {
  const hexPort = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["tcp", "tcp6"].flatMap((table) =>
    readLines(`/proc/self/net/${table}`).flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(hexPort) !== true || state === undefined || inode === undefined) return [];
      return [{ state, inode }];
    }),
  );
}

/** This process's descriptor of a socket; undefined if it is another's. */
function descriptorOf(inode: string): number | undefined {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .find((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`) === `socket:[${inode}]`;
      } catch {
        return false; // the descriptor of this listing itself, closed by now
      }
    });
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return []; // no IPv6, or no /proc
  }
}
