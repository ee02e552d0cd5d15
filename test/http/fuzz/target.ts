// A served company to attack, and the one correct response that it must keep sending.
import { expect } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

/** How soon a correct response must arrive, even while the server and this machine are busy. */
const CORRECT_WITHIN_MS = 3000;

export interface Target {
  readonly port: number;
  /** A valid request for this path, with more headers if given. */
  get(path: string, headers?: string): string;
  /** The body of GET /v1/workers. */
  readonly truth: string;
  memoryBytes(): number;
  /** Checks that the process is alive and soon sends the correct response. */
  expectCorrect(): Promise<void>;
}

export async function startTarget(...options: string[]): Promise<Target & { readonly key: string }> {
  const served = await serveStore(...options);
  await addCompany(served.writer, "acme", sampleFacts());
  const key = await addKey(served.writer, "acme");
  const get = (path: string, headers = "") =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n${headers}\r\n`;
  const ask = async () => (await send(served.port, get("/v1/workers"))).responses[0]!;
  const truth = (await ask()).body.toString();
  return {
    port: served.port,
    key,
    get,
    truth,
    memoryBytes: served.memoryBytes,
    async expectCorrect() {
      const startedAtMs = performance.now();
      let response = await ask();
      // A request that is shed during an attack is sent again, as a caller would.
      while (response.status === 503 && performance.now() - startedAtMs < CORRECT_WITHIN_MS)
        response = await ask();
      expect(response.body.toString()).toBe(truth);
      expect(performance.now() - startedAtMs).toBeLessThan(CORRECT_WITHIN_MS);
      expect(served.isAlive()).toBe(true);
    },
  };
}
