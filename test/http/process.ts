// A real `rollcall serve` process over a store of its own, for what only a socket can show.
import { afterAll } from "bun:test";
import { residentBytes } from "../support/processes.ts";
import { ROLLCALL } from "../support/rollcall-path.ts";
import { openTestStore, type TestStore } from "../support/stores.ts";

export interface ServedStore extends TestStore {
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  /** Resident memory of the process, in bytes. */
  memoryBytes(): number;
  isAlive(): boolean;
  /** Sends SIGTERM. */
  stop(): void;
}

/** Serves on a free port, without log and limit, until the test file ends. */
export async function serveStore(...options: string[]): Promise<ServedStore> {
  const store = await openTestStore();
  const served = Bun.spawn(
    [
      ROLLCALL,
      "serve",
      "--db",
      store.path,
      "--port",
      "0",
      "--log",
      "none",
      "--rate-limit",
      "0",
      "--today",
      "2026-03-01",
      ...options,
    ],
    { stdout: "pipe", stderr: "inherit", stdin: "ignore" },
  );
  afterAll(async () => {
    served.kill();
    await served.exited;
    await store.dispose();
  });
  const address = /https?:\/\/[^ ]+/.exec(await firstLine(served.stdout))?.[0];
  if (address === undefined) throw new Error("the server did not say where it listens");
  return {
    ...store,
    address,
    port: Number(new URL(address).port),
    pid: served.pid,
    memoryBytes: () => residentBytes(served.pid).now,
    stop: () => served.kill("SIGTERM"),
    isAlive: () => served.exitCode === null && served.signalCode === null,
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes("\n")) return text;
  }
  throw new Error(`the server ended before it served: ${text}`);
}
