// Property: the processes of one command share each limit. However requests are spread over processes, a caller gets no more
// than the limit, and at least seven eighths of it.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { quotaBroker, sharedCount } from "../../../src/cli/serving/shared-limits.ts";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { inFolderWithKey, whileServing } from "../command.ts";

const LIMIT = 40;
const PROCESSES = 3;

/** Less than an eighth may be held by processes that do not spend it. */
const AT_LEAST = Math.ceil(LIMIT * (7 / 8));

interface Served {
  readonly address: string;
  readonly key: string;
  readonly child: Bun.Subprocess;
}

async function whileShared(work: (served: Served) => Promise<void>): Promise<void> {
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

interface Burst {
  readonly statuses: Readonly<Record<number, number>>;
  readonly responses: readonly Response[];
}

/** So many requests at once, each on a connection of its own, which the kernel gives to one process or the other. */
async function burst({ address }: Served, apiKey: string, requests: number): Promise<Burst> {
  const ask = () =>
    fetch(`${address}/v1/workers`, {
      headers: { "x-api-key": apiKey, connection: "close" },
      keepalive: false,
    });
  const responses = await Promise.all(Array.from({ length: requests }, ask));
  const statuses: Record<number, number> = {};
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  return { statuses, responses };
}

/** A burst that was over within a second of its first request, so that one limit held for all of it. */
async function burstWithinSecond(served: Served, apiKey: string, requests: number): Promise<Burst> {
  for (;;) {
    const startedAtMs = performance.now();
    const found = await burst(served, apiKey, requests);
    if (performance.now() - startedAtMs < 1000) return found;
    await Bun.sleep(1100);
  }
}

describe("three processes", () => {
  test("let a key ask as often as one would, over many connections and over one", () =>
    whileShared(async (served) => {
      // Each of them alone would let 40 pass: 120 in all.
      const { statuses, responses } = await burstWithinSecond(served, served.key, 120);
      expect(statuses[200]).toBeLessThanOrEqual(LIMIT);
      expect(statuses[200]).toBeGreaterThanOrEqual(AT_LEAST);
      expect(statuses[429]).toBe(120 - statuses[200]!);
      for (const { status, headers } of responses) {
        expect(headers.get("ratelimit-policy")).toBe(`"key";q=${LIMIT};w=1`);
        expect(headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=1$/);
        expect(headers.get("retry-after")).toBe(status === 429 ? "1" : null);
      }
      await Bun.sleep(1100);
      const passed: number[] = [];
      for (;;) {
        const response = await fetch(`${served.address}/v1/workers`, {
          headers: { "x-api-key": served.key },
        });
        if (response.status === 429) break;
        passed.push(Number(/;r=(\d+);/.exec(response.headers.get("ratelimit")!)![1]));
      }
      expect(passed.length).toBeGreaterThanOrEqual(AT_LEAST);
      expect(passed.length).toBeLessThanOrEqual(LIMIT);
      expect(passed[0]!).toBeGreaterThanOrEqual(passed.at(-1)!);
    }));

  test("let an address fail as often as one would", () =>
    whileShared(async (served) => {
      const { statuses } = await burstWithinSecond(served, "nonsense", 120);
      expect(statuses[401]).toBeLessThanOrEqual(LIMIT);
      expect(statuses[401]).toBeGreaterThanOrEqual(AT_LEAST);
      expect(statuses[429]).toBe(120 - statuses[401]!);
      expect((await burst(served, served.key, 1)).statuses).toEqual({ 200: 1 });
    }));

  test("go on keeping the limit when one of them was killed in the midst of it", () =>
    whileShared(async (served) => {
      await Bun.sleep(2100); // one that ends sooner after its start ends the command
      const pids = childrenOf(served.child.pid);
      expect(pids).toHaveLength(PROCESSES);
      const during = Array.from({ length: 60 }, () => burst(served, served.key, 1).catch(() => null));
      process.kill(pids[0]!, "SIGKILL");
      await Promise.all(during);
      while (childrenOf(served.child.pid).length < PROCESSES) await Bun.sleep(10);
      await Bun.sleep(1500); // the new one listens, and a new second begins
      const { statuses } = await burstWithinSecond(served, served.key, 120);
      expect(statuses[200]).toBeLessThanOrEqual(LIMIT);
      expect(statuses[200]).toBeGreaterThanOrEqual(AT_LEAST);
    }));

  test("end when their parent is gone, whatever ended it", () =>
    whileShared(async ({ address, child }) => {
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

test("whoever asks, and however often: never more than the limit, nor less than seven eighths of it", async () => {
  const shape = fc.record({
    limit: fc.integer({ min: 1, max: 500 }),
    processes: fc.integer({ min: 1, max: 16 }),
    picks: fc.array(fc.nat(), { minLength: 600, maxLength: 600 }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ limit, processes, picks }) => {
      const grant = quotaBroker(limit, processes);
      const counts = Array.from({ length: processes }, () => sharedCount("key", grant, () => 0));
      const counted = await Promise.all(picks.map((pick) => counts[pick % processes]!("key_1")));
      const passed = counted.filter(({ isOver }) => !isOver);
      expect(passed.length).toBeLessThanOrEqual(limit);
      expect(passed.length).toBeGreaterThan(Math.min(limit, picks.length) * (7 / 8) - 1);
      // A caller whose connection ends at one process alone may use everything that no other holds.
      const lone = sharedCount("key", grant, () => 0);
      let alone = 0;
      while (!(await lone("key_2")).isOver) alone++;
      expect(alone).toBe(limit);
    }),
    { numRuns: 100 },
  );
});
