// What it would cost to verify what is stored on every read (decision 22): a checksum of each document of a page, beside what the
// page costs without it, in CPU time of this process; and which share of the store's bytes it would cover.
// `bun bench/checksums.ts [--workers 2000] [--db store]`.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listContent } from "../src/http/render.ts";
import { openSqliteReadStore } from "../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../src/store/sqlite/write.ts";
import { importGenerated } from "../test/support/stores.ts";

const { values: options } = parseArgs({
  options: { workers: { type: "string", default: "2000" }, db: { type: "string" } },
});
const ROUNDS = 8;
const PAGES = 2000;
const TABLES = ["workers", "policies", "assignments", "requests"];

const folder = mkdtempSync(join(tmpdir(), "rollcall-checksums-"));
const db = options.db ?? join(folder, "rollcall.db");
if (options.db === undefined) {
  const store = openSqliteWriteStore(db, { create: true });
  await store.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
  await importGenerated(store, "acme", { workers: Number(options.workers), today: "2026-03-01" });
  await store.close();
}

const store = openSqliteReadStore(db);
const company = store.company("acme");

/** Microseconds of CPU time for a page. */
async function cpuOf(limit: number, check: (doc: Uint8Array) => number): Promise<number> {
  let after: string | undefined;
  let sum = 0;
  const before = process.cpuUsage();
  for (let page = 0; page < PAGES; page++) {
    const found = await company.list("requests", { limit, after }, []);
    for (const doc of found.docs) sum += check(doc as Uint8Array); // the embedded store gives bytes
    listContent(found, {}, "/v1/time_off/requests", new URLSearchParams());
    after = found.hasMore ? found.ends?.last : undefined;
  }
  const { user, system } = process.cpuUsage(before);
  if (!Number.isFinite(sum)) throw new Error("not a sum");
  return (user + system) / PAGES;
}

const CHECKS: Readonly<Record<string, (doc: Uint8Array) => number>> = {
  none: () => 0,
  crc32: (doc) => Bun.hash.crc32(doc),
  xxHash64: (doc) => Number(Bun.hash.xxHash64(doc) & 0xffffn),
};
for (const limit of [25, 100]) {
  const best = new Map<string, number>();
  // In turn, the first round to warm up; the best of the others, since other work on the machine only adds.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, check] of Object.entries(CHECKS)) {
      const us = await cpuOf(limit, check);
      if (round > 0) best.set(name, Math.min(us, best.get(name) ?? us));
    }
  }
  const none = best.get("none")!;
  const texts = [...best].map(
    ([name, us]) => `${name} ${us.toFixed(1)} µs (${(us - none).toFixed(1)} µs more)`,
  );
  console.log(`a page of ${limit} requests: ${texts.join(", ")}`);
}
await store.close();

const database = new Database(db, { readonly: true });
const bytes = statSync(db).size;
const [docs, rows] = TABLES.reduce(
  ([size, count], table) => {
    const [row] = database
      .query(`select coalesce(sum(octet_length(doc)), 0), count(*) from ${table}`)
      .values();
    return [size + Number(row![0]), count + Number(row![1])];
  },
  [0, 0],
);
database.close();
console.log(
  `documents: ${((docs / bytes) * 100).toFixed(0)} % of ${(bytes / 1e6).toFixed(0)} MB; 9 bytes for each of ${rows} rows: +${(((9 * rows) / bytes) * 100).toFixed(1)} %`,
);
rmSync(folder, { recursive: true });
