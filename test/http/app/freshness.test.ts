// No response is stale: readers send requests in a loop while imports run. Each response is what the store contained at
// some moment between the request and the response. This holds for cached responses, pages and conditional requests.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../../src/http/app.ts";
import { ResponseCache } from "../../../src/http/middleware/cache.ts";
import { newKey } from "../../../src/http/new-key.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { workerRow } from "../../support/rows.ts";
import { bareParts, CONNECTION } from "../bare-parts.ts";

const COMPANY = "acme";
const WORKERS = 30;
const READERS = 8;
const IMPORTS = 150;

const folder = mkdtempSync(join(fastFolder(), "rollcall-freshness-"));
const path = join(folder, "store.db");
const writer = openSqliteWriteStore(path, { create: true });
const { apiKey, stored } = newKey({ companyId: COMPANY, name: "test" }, Date.now());
await writer.createCompany({ id: COMPANY, name: COMPANY, createdAtMs: 0 });
await writer.createSecret(stored);
await importRound(writer, 0);

const reader = openSqliteReadStore(path);
const app = createApp(
  bareParts(reader, { cache: new ResponseCache(1024 * 1024), today: () => "2026-03-01" }),
);

afterAll(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the number of the round into every worker, in two batches, so that half of it can be waited for. */
async function importRound(store: WriteStore, round: number): Promise<void> {
  const rows = Array.from({ length: WORKERS }, (_, index) => {
    const id = `wrk_${String(index).padStart(2, "0")}`;
    return { ...workerRow(id), doc: JSON.stringify({ id, round }), startDay: round };
  });
  await store.change(COMPANY, async (transaction) => {
    await transaction.put("workers", rows.slice(0, WORKERS / 2));
    await Bun.sleep(round % 3);
    await transaction.put("workers", rows.slice(WORKERS / 2));
    return { result: null, changed: true, commit: true };
  });
}

async function ask(pathAndQuery: string, tag?: string): Promise<Response> {
  const headers = { "x-api-key": apiKey, ...(tag === undefined ? {} : { "if-none-match": tag }) };
  return app(new Request(`http://rollcall.test${pathAndQuery}`, { headers }), CONNECTION);
}

const PATHS = [
  "/v1/workers?limit=30",
  "/v1/workers?afterId=wrk_10",
  "/v1/workers/wrk_07",
  "/v1/workers?types=employee",
];

/** The one import that wrote every object of the response. */
async function roundOf(response: Response): Promise<number> {
  expect(response.status).toBe(200);
  const body = (await response.json()) as { data?: { round: number }[]; round: number }; // as written above
  const rounds = new Set((body.data ?? [body]).map(({ round }) => round));
  expect([...rounds].length).toBe(1);
  return [...rounds][0]!;
}

test("each response is of one moment between request and response", async () => {
  let begun = 0;
  let finished = 0;
  let asked = 0;
  const read = async (number: number) => {
    let tag: string | undefined;
    let tagRound = -1;
    while (finished < IMPORTS) {
      const earliest = finished;
      const response = await ask(PATHS[number % PATHS.length]!, tag);
      asked++;
      // A 304 says that the caller's own content still holds.
      const round = response.status === 304 ? tagRound : await roundOf(response);
      expect(round).toBeGreaterThanOrEqual(earliest);
      expect(round).toBeLessThanOrEqual(begun);
      tag = response.headers.get("etag") ?? undefined;
      tagRound = round;
      await Bun.sleep(number % 2);
    }
  };
  const write = async () => {
    for (let round = 1; round <= IMPORTS; round++) {
      begun = round;
      await importRound(writer, round);
      finished = round;
      await Bun.sleep(1);
    }
  };
  await Promise.all([write(), ...Array.from({ length: READERS }, (_, number) => read(number))]);
  expect(asked).toBeGreaterThan(IMPORTS);
}, 120_000);

test("an import by another process is in every later response", async () => {
  const script = `
    import { openSqliteWriteStore } from ${JSON.stringify(join(import.meta.dir, "../../../src/store/sqlite/write.ts"))};
    import { workerRow } from ${JSON.stringify(join(import.meta.dir, "../../support/rows.ts"))};
    const WORKERS = ${WORKERS}, COMPANY = ${JSON.stringify(COMPANY)};
    ${importRound.toString()}
    const store = openSqliteWriteStore(${JSON.stringify(path)});
    for (let round = 1000; round < 1000 + ${IMPORTS}; round++) {
      await importRound(store, round);
      console.log(round);
    }
    await store.close();`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  let finished = 0;
  const decoder = new TextDecoder();
  const follow = async () => {
    for await (const chunk of child.stdout) {
      finished = Number(decoder.decode(chunk).trim().split("\n").at(-1));
    }
  };
  let isRunning = true;
  const read = async (number: number) => {
    for (let last = 0; isRunning; ) {
      const earliest = Math.max(finished, last);
      const round = await roundOf(await ask(PATHS[number % PATHS.length]!));
      expect(round).toBeGreaterThanOrEqual(earliest);
      last = round;
      await Bun.sleep(1);
    }
  };
  const readers = Array.from({ length: READERS }, (_, number) => read(number));
  await follow();
  expect(await child.exited).toBe(0);
  for (const asked of PATHS) expect(await roundOf(await ask(asked))).toBe(999 + IMPORTS);
  isRunning = false;
  await Promise.all(readers);
}, 120_000);
