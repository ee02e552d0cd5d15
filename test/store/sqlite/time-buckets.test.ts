// Property: after any imports that put, change and remove requests, some of them several times in one import, the time buckets are those
// that the stored requests have, as if they were made anew.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { insertBuckets } from "../../../src/store/sqlite/rows.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { requestRow } from "../../support/rows.ts";
import { createCompany } from "../../support/stores.ts";

const DAY_MS = 86_400_000;
const STARTS_AT_MS = Date.UTC(2026, 0, 1);

interface Step {
  readonly act: "put" | "remove" | "next import";
  readonly request: number;
  readonly policy: "top_1" | "top_2";
  readonly status: "pending" | "approved" | "denied";
  readonly day: number;
  readonly days: number;
}

const anyStep = fc.record<Step>({
  act: fc.constantFrom("put", "put", "put", "put", "remove", "next import"),
  request: fc.nat(5),
  policy: fc.constantFrom("top_1", "top_2"),
  status: fc.constantFrom("pending", "approved", "denied"),
  day: fc.nat(30),
  days: fc.constantFrom(1, 10, 40, 400, 8000),
});

function rowOf({ request, policy, status, day, days }: Step) {
  const startAtMs = STARTS_AT_MS + day * DAY_MS;
  const startAt = new Date(startAtMs).toISOString();
  const endAt = new Date(startAtMs + days * DAY_MS).toISOString();
  return requestRow(`tor_${request}`, "wrk_1", policy, { status, startAt, endAt });
}

function bucketsIn(database: Database): unknown[][] {
  return database.query("select * from request_buckets order by company_id, bucket, id").values();
}

test("time buckets are those of the stored requests", async () => {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-buckets-"));
  const path = join(folder, "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  const database = new Database(path);
  let companies = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40 }), async (steps) => {
      const company = `company-${++companies}`;
      await createCompany(writer, company);
      const left = [...steps];
      while (left.length > 0) {
        const at = left.findIndex(({ act }) => act === "next import");
        const some = left.splice(0, at === -1 ? left.length : at + 1);
        await writer.change(company, async (transaction) => {
          for (const step of some) {
            if (step.act === "put") await transaction.put("requests", [rowOf(step)]);
            if (step.act === "remove") await transaction.remove("requests", [[`tor_${step.request}`]]);
          }
          return { result: null, changed: true, commit: true };
        });
      }
      const written = bucketsIn(database);
      database.run("begin");
      database.run("delete from request_buckets");
      database.run(insertBuckets("requests"));
      const made = bucketsIn(database);
      database.run("rollback");
      expect(written).toEqual(made);
    }),
    { numRuns: 60 },
  );
  database.close();
  await writer.close();
  rmSync(folder, { recursive: true });
});
