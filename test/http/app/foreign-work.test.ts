// Response times reveal nothing about another company: the store does the same work for its ids as for ids that do not
// exist. This test counts statements and rows; bench/foreign-timing.ts measures times (docs/reliability.md).
import { afterAll, expect, test } from "bun:test";
import { ResponseCache } from "../../../src/http/middleware/cache.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { pathsToRival, rivalFacts, toNobody } from "../foreign-ids.ts";
import { startService } from "../service.ts";
import { recordStatements, statementsDuring } from "../statements.ts";

afterAll(recordStatements());
const service = await startService({ cache: new ResponseCache(0) });
await addCompany(service.writer, "acme", sampleFacts());
await addCompany(service.writer, "rival", rivalFacts());
const key = await addKey(service.writer, "acme");
const rivalKey = await addKey(service.writer, "rival");
// Work done once per process: prepared statements, the key.
for (const path of pathsToRival()) await service.call(path, { key });
await service.call("/v1/workers/wrk_m1", { key: rivalKey });

test.each(pathsToRival())("%s: the same statements, the same number of rows", async (path) => {
  const foreign = await statementsDuring(() => service.call(path, { key }));
  const absent = await statementsDuring(() => service.call(toNobody(path), { key }));
  expect(foreign.length).toBeGreaterThan(0);
  expect(foreign).toEqual([...absent]);
});

test("the count notices a difference: the rival's own key reads more rows", async () => {
  const own = await statementsDuring(() => service.call("/v1/workers/wrk_m1", { key: rivalKey }));
  const foreign = await statementsDuring(() => service.call("/v1/workers/wrk_m1", { key }));
  const rows = (asked: typeof own) => asked.reduce((sum, one) => sum + one.rows, 0);
  expect(rows(own)).toBe(rows(foreign) + 1);
});
