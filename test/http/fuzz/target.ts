// A served company to attack, and the one right answer that it must go on giving.
import { expect } from "bun:test";
import { addCompany, addKey } from "../../support/fixtures.ts";
import { sampleFacts } from "../company.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

/** How soon a right answer must come, also while the server and this machine are busy. */
const RIGHT_AGAIN_MS = 3000;

export interface Target {
  readonly port: number;
  /** A right request for this path, with more headers if they are given. */
  get(path: string, headers?: string): string;
  /** What GET /v1/workers answers. */
  readonly truth: string;
  memoryBytes(): number;
  /** The process lives, and answers right, and soon. */
  expectRight(): Promise<void>;
}

export async function startTarget(...options: string[]): Promise<Target & { readonly key: string }> {
  const served = await serveStore(...options);
  await addCompany(served.writer, "acme", sampleFacts());
  const key = await addKey(served.writer, "acme");
  const get = (path: string, headers = "") =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n${headers}\r\n`;
  const ask = async () => (await send(served.port, get("/v1/workers"))).answers[0]!;
  const truth = (await ask()).body.toString();
  return {
    port: served.port,
    key,
    get,
    truth,
    memoryBytes: served.memoryBytes,
    async expectRight() {
      const startedAtMs = performance.now();
      let answer = await ask();
      // What is shed in the middle of an attack is asked for again, as a caller would.
      while (answer.status === 503 && performance.now() - startedAtMs < RIGHT_AGAIN_MS) answer = await ask();
      expect(answer.body.toString()).toBe(truth);
      expect(performance.now() - startedAtMs).toBeLessThan(RIGHT_AGAIN_MS);
      expect(served.isAlive()).toBe(true);
    },
  };
}
