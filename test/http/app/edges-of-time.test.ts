// Property: the first and the last day that can be written, in any parameter of any endpoint, are read or refused, and never a fault:
// spans that would go beyond them end there.
import { expect, test } from "bun:test";
import { CONTRACTS } from "../../../src/resources/endpoints.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const service = await startService();
const facts = sampleFacts();
await addCompany(service.writer, "acme", facts);
const key = await addKey(service.writer, "acme");

const EDGES = [
  ...["0000-01-01", "0000-01-02", "0001-01-01", "9999-12-30", "9999-12-31"],
  ...["0000-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999-14:00", "9999-12-31T23:59:59Z"],
];

/** What an endpoint needs beside the parameter. */
const { workerId, policyId } = facts.assignments![0]!;
const NEEDED: Readonly<Record<string, string>> = {
  "/v1/time_off/preview": `workerId=${workerId}&policyId=${policyId}&startAt=2026-03-10&`,
};

test("every parameter takes or refuses the edges of time", async () => {
  const statuses = new Set<number>();
  for (const { path, parameters } of CONTRACTS)
    for (const id of path.includes("{id}") ? [workerId, `${workerId}-${policyId}`] : [""])
      for (const name of Object.keys(parameters))
        for (const edge of EDGES)
          for (const accept of ["application/json", "text/csv"]) {
            const needed = new URLSearchParams(NEEDED[path] ?? "");
            needed.set(name, edge);
            const asked = `${path.replace("{id}", id)}?${needed}`;
            const { status } = await service.raw(asked, { key, headers: { accept } });
            expect([asked, status < 500]).toEqual([asked, true]);
            statuses.add(status);
          }
  expect([...statuses].toSorted()).toEqual([200, 400, 404]);
});
