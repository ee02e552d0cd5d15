// Requests that are handled together share a look at the store: what ends before that is seen, and nothing is missed after it.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { StoredKey } from "../../../src/store/store.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { workerRow } from "../../support/rows.ts";
import { createCompany, makeKey, putFacts } from "../../support/stores.ts";

/** How long a cached key is used without asking the file. */
const KEY_TRUST_MS = 100;

const folder = mkdtempSync(join(fastFolder(), "rollcall-together-"));
const path = join(folder, "store.db");
const writer = openSqliteWriteStore(path, { create: true });
await createCompany(writer, "acme");
const reader = openSqliteReadStore(path);
const together = reader.together!;

afterAll(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true });
});

let imported = 0;
const change = () => putFacts(writer, "acme", { workers: [workerRow(`wrk_${imported++}`)] });
/** Removes a worker as an import would, but does not wait for readers to empty the log. */
const remove = () => {
  const database = new Database(path);
  database.run(`begin; delete from workers where id = 'wrk_${--imported}';
    update companies set version = '${crypto.randomUUID()}'; commit`);
  database.close();
};
const workers = async () => (await reader.company("acme").list("workers", { limit: 500 }, [])).docs.length;
const facts = () => reader.company("acme").balanceFacts({ limit: 5 });

const READS: Record<string, () => unknown> = {
  "the version": () => reader.version("acme"),
  "a page": workers,
  balances: facts,
};

test.each(Object.keys(READS))("what was committed before is seen, if %s comes first", async (first) => {
  for (let round = 0; round < 5; round++) {
    const before = reader.version("acme");
    await change();
    const end = together();
    await READS[first]!();
    expect(reader.version("acme")).not.toBe(before);
    expect(await workers()).toBe(imported);
    end();
  }
});

test.each(Object.keys(READS))(
  "what is committed after %s is seen in the next moment at the latest",
  async (first) => {
    for (const [name, later] of Object.entries(READS)) {
      const before = reader.version("acme");
      const end = together();
      await READS[first]!();
      remove();
      await later();
      end();
      expect([name, reader.version("acme")]).not.toEqual([name, before]);
      expect(await workers()).toBe(imported);
    }
  },
);

test("a moment finds each key by its own digest, and the next one sees what was done to it", async () => {
  const [one, two] = [makeKey("key_one", "acme"), makeKey("key_two", "acme")];
  for (const key of [one, two]) await writer.createKey(key);
  const find = (...digests: string[]) => digests.map((digest) => reader.key(digest) as StoredKey | null);
  const unknown = "0".repeat(64);
  let end = together();
  const found = find(one.digest, one.digest, two.digest, unknown, two.digest, one.digest);
  end();
  expect(found.map((key) => key?.id)).toEqual([one.id, one.id, two.id, undefined, two.id, one.id]);
  await writer.updateKey(one.id, { revokedAtMs: 6 });
  await Bun.sleep(KEY_TRUST_MS + 50);
  end = together();
  const later = find(one.digest, two.digest, one.digest);
  end();
  expect(later.map((key) => key?.revokedAtMs)).toEqual([6, null, 6]);
});

test("pages of one moment are of one commit", async () => {
  const end = together();
  const count = await workers();
  remove();
  expect(await workers()).toBe(count);
  await facts();
  expect(await workers()).toBe(count);
  end();
  expect(await workers()).toBe(count - 1);
});

test("a moment ends without an error after a read of a damaged page", async () => {
  const damagedPath = join(folder, "damaged.db");
  const other = openSqliteWriteStore(damagedPath, { create: true });
  await createCompany(other, "acme");
  const rows = Array.from({ length: 2000 }, (_, number) => workerRow(`wrk_${number}`));
  await putFacts(other, "acme", { workers: rows });
  await other.close();
  const whole = readFileSync(damagedPath);
  let refused = 0;
  for (const share of [0.3, 0.5, 0.7, 0.9]) {
    const bytes = Buffer.from(whole);
    const at = Math.floor((bytes.length / 4096) * share) * 4096;
    writeFileSync(damagedPath, bytes.fill(0xa5, at, at + 4096));
    const damaged = openSqliteReadStore(damagedPath);
    const end = damaged.together!();
    try {
      await damaged.company("acme").list("workers", { limit: rows.length }, []);
    } catch {
      refused++;
    }
    end();
    expect(damaged.version("acme")).not.toBeNull();
    await damaged.close();
  }
  expect(refused).toBeGreaterThan(0);
});

test("a moment may outlast the store", async () => {
  const other = openSqliteReadStore(path);
  const end = other.together!();
  await other.company("acme").list("workers", { limit: 5 }, []);
  await other.close();
  end();
});
