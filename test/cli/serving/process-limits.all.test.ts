// Several processes on one port: each counts by itself, and all end with their parent.
import { describe, expect, test } from "bun:test";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { inFolderWithKey, whileServing } from "../command.ts";

const LIMIT = 20;
const PROCESSES = 3;

interface Served {
  readonly address: string;
  readonly key: string;
  readonly child: Bun.Subprocess;
}

async function whileLimited(work: (served: Served) => Promise<void>): Promise<void> {
  await inFolderWithKey(async (folder, key) => {
    const settings = ["--processes", String(PROCESSES), "--rate-limit", String(LIMIT), "--log", "none"];
    await whileServing(
      folder,
      ["serve", "--port", String(await freePort()), ...settings],
      async (address, _printed, child) => {
        try {
          await work({ address, key, child });
        } finally {
          child.kill("SIGTERM"); // its processes are to end with it
          await child.exited;
        }
      },
    );
  });
}

/** So many requests at once, each on a connection of its own, which the kernel gives to one process or the other. */
async function burst({ address }: Served, apiKey: string, requests: number) {
  const ask = () =>
    fetch(`${address}/v1/workers`, {
      headers: { "x-api-key": apiKey, connection: "close" },
      keepalive: false,
    });
  const responses = await Promise.all(Array.from({ length: requests }, ask));
  const statuses: Record<number, number> = {};
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

/** A burst that was over within a second of its first request, so that one limit held for all of it. */
async function burstWithinSecond(served: Served, apiKey: string, requests: number) {
  for (;;) {
    const startedAtMs = performance.now();
    const found = await burst(served, apiKey, requests);
    if (performance.now() - startedAtMs < 1000) return found;
    await Bun.sleep(1100);
  }
}

describe("three processes", () => {
  test("let a key ask, and an address fail, so many times as often as one would", () =>
    whileLimited(async (served) => {
      for (const [key, status] of [
        [served.key, 200],
        ["nonsense", 401],
      ] as const) {
        const statuses = await burstWithinSecond(served, key, 4 * PROCESSES * LIMIT);
        expect(statuses[status]).toBeGreaterThanOrEqual(LIMIT);
        expect(statuses[status]).toBeLessThanOrEqual(PROCESSES * LIMIT);
        expect(statuses[429]).toBe(4 * PROCESSES * LIMIT - statuses[status]!);
        await Bun.sleep(1100);
      }
    }));

  test("end when their parent is gone, whatever ended it", () =>
    whileLimited(async ({ address, child }) => {
      const pids = childrenOf(child.pid);
      child.kill("SIGKILL");
      const isThere = (pid: number) => {
        try {
          return process.kill(pid, 0);
        } catch {
          return false;
        }
      };
      while (pids.some(isThere)) await Bun.sleep(10);
      await expect(fetch(`${address}/healthz`)).rejects.toThrow();
    }));
});
