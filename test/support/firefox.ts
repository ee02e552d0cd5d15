// Firefox without a window, driven by WebDriver BiDi, where Debian's `firefox-esr` is installed.
import { temporaryFolder } from "./import-files.ts";

export const FIREFOX = Bun.which("firefox-esr") ?? Bun.which("firefox");

/** Starts Firefox with an empty profile, and ends it after `work`, which sends it commands. */
export async function withFirefox(work: (send: Send) => Promise<void>): Promise<void> {
  const args = ["--headless", "--no-remote", "--profile", temporaryFolder(), "--remote-debugging-port", "0"];
  const running = Bun.spawn([FIREFOX!, ...args], { stdout: "ignore", stderr: "pipe" });
  try {
    const send = await connect(await addressOf(running.stderr));
    await send("session.new", { capabilities: {} });
    await work(send);
  } finally {
    running.kill();
  }
}

/** Firefox prints the address of its WebDriver BiDi server. */
async function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of output) {
    text += new TextDecoder().decode(bytes);
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(text)?.[1];
    if (address !== undefined) return `${address}/session`;
  }
  throw new Error(`Firefox did not start: ${text}`);
}

export type Send = (method: string, params: object) => Promise<Record<string, unknown>>;

/** Sends commands of WebDriver BiDi. */
async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  const waiting = new Map<
    number,
    (message: { result?: Record<string, unknown>; message?: string }) => void
  >();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  let id = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, ({ result, message }) =>
        result === undefined ? reject(new Error(`${method}: ${message}`)) : resolve(result),
      );
      socket.send(JSON.stringify({ id, method, params }));
    });
}
