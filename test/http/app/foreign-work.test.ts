// How long an answer takes tells nothing of another company: the store does the same work for an id of its and for one that
// nobody has. Counted, as clocks are not to be trusted; measured by bench/foreign-timing.ts (docs/reliability.md).
import { afterAll, expect, test } from "bun:test";
import { responseCache } from "../../../src/http/middleware/cache.ts";
import { addCompany, addKey } from "../../support/fixtures.ts";
import { sampleFacts } from "../company.ts";
import { pathsToRival, rivalFacts, toNobody } from "../foreign-ids.ts";
import { startService } from "../service.ts";
import { askedDuring, listenToStatements } from "../statements.ts";

afterAll(listenToStatements());
const service = await startService({ cache: responseCache(0) });
await addCompany(service.writer, "acme", sampleFacts());
await addCompany(service.writer, "rival", rivalFacts());
const key = await addKey(service.writer, "acme");
const rivalKey = await addKey(service.writer, "rival");
// What is done once for a process: prepared statements, the key.
for (const path of pathsToRival()) await service.call(path, { key });
await service.call("/v1/workers/wrk_m1", { key: rivalKey });

test.each(pathsToRival())("%s: the same statements, the same number of rows", async (path) => {
  const foreign = await askedDuring(() => service.call(path, { key }));
  const absent = await askedDuring(() => service.call(toNobody(path), { key }));
  expect(foreign.length).toBeGreaterThan(0);
  expect(foreign).toEqual([...absent]);
});

test("what is counted is the store's work: the rival itself is given more rows", async () => {
  const own = await askedDuring(() => service.call("/v1/workers/wrk_m1", { key: rivalKey }));
  const foreign = await askedDuring(() => service.call("/v1/workers/wrk_m1", { key }));
  const rows = (asked: typeof own) => asked.reduce((sum, one) => sum + one.rows, 0);
  expect(rows(own)).toBe(rows(foreign) + 1);
});
