// Bytes to a socket and back, with nothing in between that would mend them.
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  /** The status line's number. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Exchanged {
  readonly answers: readonly RawAnswer[];
  /** What is no whole answer. */
  readonly rest: Buffer;
  readonly closed: boolean;
}

export interface SendOptions {
  /** Enough answers to stop waiting. */
  readonly answers?: number;
  /** Of HEAD requests, whose answers have a length and no body. */
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

/** Sends these bytes and gathers what comes back, until enough has come, the other side closes, or time is up. */
export async function send(
  port: number,
  bytes: string | Uint8Array,
  options: SendOptions = {},
): Promise<Exchanged> {
  const { answers: wanted = 1, headOnly = false, waitMs = 5000, halfClose = false } = options;
  const socket = await connected(port);
  return await new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseAnswers(received, headOnly), closed });
    };
    const timer = setTimeout(() => finish(false), waitMs);
    socket.on("data", (data) => {
      received = Buffer.concat([received, Buffer.from(data)]);
      if (parseAnswers(received, headOnly).answers.length >= wanted) finish(false);
    });
    socket.on("error", () => finish(true)); // a reset: what came before it counts
    socket.on("close", () => finish(true));
    const sent = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    if (halfClose) socket.end(sent);
    else socket.write(sent);
  });
}

/** Whole answers off the front of what came, interim ones (100) left out; every answer of ours has a length. */
export function parseAnswers(received: Buffer, headOnly = false): { answers: RawAnswer[]; rest: Buffer } {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd === -1) return { answers, rest };
    const [statusLine, ...lines] = rest.toString("latin1", 0, headEnd).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(`${statusLine} `)?.[1] ?? Number.NaN);
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
    );
    const length =
      headOnly || status < 200 || status === 304 ? 0 : Number(headers.get("content-length") ?? 0);
    const end = headEnd + 4 + length;
    if (rest.length < end) return { answers, rest };
    if (status >= 200 || Number.isNaN(status))
      answers.push({ status, headers, body: rest.subarray(headEnd + 4, end) });
    rest = rest.subarray(end);
  }
}
