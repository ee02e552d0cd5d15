// A real server with 100 hooks, of which five fail and five hang, while imports go on: memory stays, and reads take as long as without
// hooks. Prints the numbers. ROLLCALL_SOAK_MINUTES: how long, 60 unless told otherwise.
import { expect, test } from "bun:test";
import type { StoredHook } from "../../src/store/hooks.ts";
import { serveStore } from "../http/process.ts";
import { requestRow } from "../support/rows.ts";
import { addKey, change, createCompany, importGenerated, makeHook } from "../support/stores.ts";
import { receiver } from "./receiver.ts";

const MINUTES = Number(process.env.ROLLCALL_SOAK_MINUTES ?? 60);
const HOOKS = 100;
/** Requests that each import changes, and how often one comes. */
const CHANGED = 48;
const EVERY_MS = 20_000;
const READ_EVERY_MS = 20;
const MOST_GROWTH_MB = 64;

const server = await serveStore();

test(
  "100 hooks, a tenth of them failing or slow: memory is flat, and every message arrives once",
  async () => {
    const { writer, reader, address, memoryBytes } = server;
    await createCompany(writer, "acme");
    await importGenerated(writer, "acme", { workers: 2000, today: "2026-03-01" });
    const headers = { "x-api-key": await addKey(writer, "acme") };
    const list = async (path: string) =>
      ((await (await fetch(address + path, { headers })).json()) as { data: { id: string }[] }).data;
    const [worker] = await list("/v1/workers?limit=1");
    const [policy] = await list("/v1/time_off/policies?limit=1");

    let imports = 0;
    const importOnce = () =>
      change(writer, "acme", async (transaction) => {
        imports++;
        const rows = Array.from({ length: CHANGED }, (_, at) =>
          requestRow(`tor_soak${at}`, worker!.id, policy!.id, { reason: `${imports}` }),
        );
        await transaction.put("requests", rows);
      });
    /** Reads and imports for so long; returns how long reads took, in ms, and what memory was every ten seconds, in MB. */
    const run = async (minutes: number) => {
      const took: number[] = [];
      const megabytes: number[] = [];
      const untilMs = Date.now() + minutes * 60_000;
      let importAtMs = 0;
      let lookAtMs = 0;
      while (Date.now() < untilMs) {
        if (Date.now() >= importAtMs) {
          importAtMs = Date.now() + EVERY_MS;
          await importOnce();
        }
        if (Date.now() >= lookAtMs) {
          lookAtMs = Date.now() + 10_000;
          megabytes.push(Math.round(memoryBytes() / 1e6));
        }
        const startedAtMs = performance.now();
        const response = await fetch(`${address}/v1/time_off/requests?limit=25`, { headers });
        await response.arrayBuffer();
        expect(response.status).toBe(200);
        took.push(performance.now() - startedAtMs);
        await Bun.sleep(READ_EVERY_MS);
      }
      took.sort((left, right) => left - right);
      const share = (of: number) => Number(took[Math.floor(took.length * of)]!.toFixed(2));
      return { reads: took.length, p50: share(0.5), p99: share(0.99), megabytes };
    };

    const without = await run(MINUTES / 4);
    const good = receiver();
    const failing = receiver(() => new Response("no", { status: 500 }));
    const hanging = receiver(() => new Promise<Response>(() => {}));
    const counts = new Map<string, number>();
    good.answer(({ path }) => {
      counts.set(path, (counts.get(path) ?? 0) + 1);
      good.received.length = 0; // what is kept would be the test's memory
      return new Response("fine");
    });
    const before = imports;
    for (let at = 0; at < HOOKS; at++) {
      const { url } = at < 5 ? failing : at < 10 ? hanging : good;
      await writer.createHook(
        makeHook(`hook_${at}`, "acme", { url: `${url}/${at}`, events: ["time_off.request.*"] }),
      );
    }
    const during = await run(MINUTES);
    const events = (imports - before) * CHANGED;
    const isGood = ({ definition }: StoredHook) => definition.url.startsWith(good.url);
    const isDone = async () =>
      (await reader.hooks.list()).filter(isGood).every(({ sentNumber }) => sentNumber === events);
    const endedAtMs = Date.now();
    while (!(await isDone()) && Date.now() - endedAtMs < 300_000) await Bun.sleep(500);
    const drainedMs = Date.now() - endedAtMs;
    const delivered = [...counts.values()];
    console.log(
      JSON.stringify({
        minutes: MINUTES,
        events,
        messages: delivered.reduce((a, b) => a + b, 0),
        drainedMs,
        without,
        during,
      }),
    );
    expect(delivered.length).toBe(90);
    for (const count of delivered) expect(count).toBe(events);
    const half = Math.floor(during.megabytes.length / 2);
    const [early, late] = [during.megabytes.slice(1, half), during.megabytes.slice(half)].map((some) =>
      Math.max(...some),
    );
    expect(late! - early!).toBeLessThan(MOST_GROWTH_MB);
    const others = (await reader.hooks.list()).filter((hook) => !isGood(hook));
    for (const { failures } of others) expect(failures).toBeGreaterThan(0);
    for (const one of [good, failing, hanging]) one.stop();
  },
  3 * 3_600_000,
);
