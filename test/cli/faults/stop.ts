// A server that is told to stop while callers press it: what becomes of every request that was sent.
import { connect, type Socket } from "node:net";
import { type StoreFolder, withServer } from "./store-folder.ts";

export interface StopCount {
  /** With a 200. */
  readonly responded: number;
  /** With another status, such as a 503 by a server that has too much to do. */
  readonly shed: number;
  /** Connections that the server did not take any more. */
  readonly refused: number;
  /** Requests that were sent on a connection that had been taken, and got no complete response. */
  readonly dropped: number;
  readonly exitCode: number;
}

const PATHS = ["/v1/workers?limit=100", "/v1/time_off/balances?limit=100", "/v1/time_off/requests?limit=100"];
const CALLERS = 24;

/** Half of the callers keep their connection, half make one for each request; SIGTERM comes in the midst of it. */
export async function stopUnderLoad(storeFolder: StoreFolder, stopAfterMs: number): Promise<StopCount> {
  const count = { responded: 0, shed: 0, refused: 0, dropped: 0 };
  let exitCode = -1;
  await withServer(storeFolder, async ({ address, process }) => {
    const port = Number(new URL(address).port);
    const callers = Array.from({ length: CALLERS }, (_, number) =>
      call({ port, apiKey: storeFolder.apiKey, keepsConnection: number % 2 === 0, count }),
    );
    await Bun.sleep(stopAfterMs);
    process.kill("SIGTERM");
    await Promise.all(callers);
    exitCode = await process.exited;
  });
  return { ...count, exitCode };
}

export const PAUSED_CALLERS = 8;

/** The server is paused as it stops, longer than it waits for requests. Requests come meanwhile, on new connections and on used ones. */
export async function stopPaused(
  storeFolder: StoreFolder,
  pausedMs: number,
): Promise<{ responded: number; dropped: number }> {
  const count = { responded: 0, dropped: 0 };
  await withServer(storeFolder, async ({ address, process }) => {
    const port = Number(new URL(address).port);
    const request = `GET ${PATHS[0]} HTTP/1.1\r\nhost: x\r\nx-api-key: ${storeFolder.apiKey}\r\n\r\n`;
    const openAll = () => Promise.all(Array.from({ length: PAUSED_CALLERS }, () => open(port)));
    const used = await openAll();
    await Promise.all(used.map((socket) => context(socket!, request)));
    process.kill("SIGTERM");
    await Bun.sleep(60);
    process.kill("SIGSTOP");
    const responses = Promise.all([...used, ...(await openAll())].map((socket) => context(socket!, request)));
    await Bun.sleep(pausedMs);
    process.kill("SIGCONT");
    for (const response of await responses)
      count[response?.startsWith("HTTP/1.1 200 ") ? "responded" : "dropped"]++;
  });
  return count;
}

interface Caller {
  readonly port: number;
  readonly apiKey: string;
  readonly keepsConnection: boolean;
  readonly count: { responded: number; shed: number; refused: number; dropped: number };
}

/** Asks one request after the other until no connection is taken any more. */
async function call({ port, apiKey, keepsConnection, count }: Caller): Promise<void> {
  for (let socket = await open(port); socket !== null; socket = await open(port)) {
    let isOpen = true;
    do {
      const path = PATHS[(count.responded + count.dropped) % PATHS.length]!;
      const closing = keepsConnection ? "" : "connection: close\r\n";
      const response = await context(
        socket,
        `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n${closing}\r\n`,
      );
      if (response === null) count.dropped++;
      else count[response.startsWith("HTTP/1.1 200 ") ? "responded" : "shed"]++;
      isOpen = response !== null && keepsConnection && !/^connection: close\r$/im.test(response);
    } while (isOpen);
    socket.destroy();
  }
  count.refused++;
}

function open(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", () => resolve(null));
  });
}

/** Sends a request and gives the head of its response once the whole body has come; null where it does not come. */
function context(socket: Socket, request: string): Promise<string | null> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const finish = (head: string | null) => {
      socket.removeAllListeners("data").removeAllListeners("close").removeAllListeners("error");
      socket.on("error", () => {}); // of a connection that is done with
      resolve(head);
    };
    socket.on("data", (data) => {
      received = Buffer.concat([received, Buffer.from(data)]);
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = received.toString("latin1", 0, end + 2);
      const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1]);
      if (received.length === end + 4 + length) finish(head);
    });
    socket.on("close", () => finish(null));
    socket.on("error", () => finish(null));
    socket.write(request);
  });
}
