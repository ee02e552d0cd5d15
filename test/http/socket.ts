// Sends raw bytes to a socket and reads what comes back, without an HTTP client that would correct them.
import { connect, type Socket } from "node:net";

export interface RawResponse {
  /** The status line's number. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Exchanged {
  readonly responses: readonly RawResponse[];
  /** Bytes after the last complete response. */
  readonly rest: Buffer;
  readonly closed: boolean;
}

export interface SendOptions {
  /** Stop after this many responses. */
  readonly responses?: number;
  /** The requests are HEAD: their responses have a length and no body. */
  readonly headOnly?: boolean;
  readonly waitMs?: number;
  /** Ends the sending side once everything is sent. */
  readonly halfClose?: boolean;
}

const connected = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });

/** Sends these bytes and collects what comes back, until enough came, the server closes, or time is up. */
export async function send(
  port: number,
  bytes: string | Uint8Array,
  options: SendOptions = {},
): Promise<Exchanged> {
  const { responses: wanted = 1, headOnly = false, waitMs = 5000, halfClose = false } = options;
  const socket = await connected(port);
  return await new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseResponses(received, headOnly), closed });
    };
    const timer = setTimeout(() => finish(false), waitMs);
    socket.on("data", (data) => {
      received = Buffer.concat([received, Buffer.from(data)]);
      if (parseResponses(received, headOnly).responses.length >= wanted) finish(false);
    });
    socket.on("error", () => finish(true)); // a reset: what came before it counts
    socket.on("close", () => finish(true));
    const sent = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    if (halfClose) socket.end(sent);
    else socket.write(sent);
  });
}

/** Splits off the complete responses, without interim ones (100). Every response of ours has a length. */
export function parseResponses(
  received: Buffer,
  headOnly = false,
): { responses: RawResponse[]; rest: Buffer } {
  const responses: RawResponse[] = [];
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return { responses, rest };
    const [statusLine, ...lines] = rest.toString("latin1", 0, headEnd).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(`${statusLine} `)?.[1] ?? Number.NaN);
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
    );
    const length =
      headOnly || status < 200 || status === 304 ? 0 : Number(headers.get("content-length") ?? 0);
    const end = headEnd + 4 + length;
    if (rest.length < end) return { responses, rest };
    if (status >= 200 || Number.isNaN(status))
      responses.push({ status, headers, body: rest.subarray(headEnd + 4, end) });
    rest = rest.subarray(end);
  }
}
