import { expect, test } from "bun:test";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { problemOf, startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

test.each([
  ["from=2026-03-02&to=2026-03-01", "from", '"2026-03-02" is after to "2026-03-01": swap them'],
  ["from=2026-01-01&to=2027-01-03", "to", "is more than 366 days after from"],
  ["from=2026-02-30", "from", "is not a real day"],
  ["workerIds=top_a", "workerIds", "is not a worker id"],
  ["managerIds=x", "managerIds", "is not a worker id"],
  ["statuses=gone", "statuses", "is not one of pending, approved, denied"],
  ["afterId=tor_1", "afterId", "request ids do not position this list"],
  ["beforeId=tod_20260230_tor_1", "beforeId", "is not an id of a day of leave"],
  ["startDate=2026-01-01", "startDate", "is not known here"],
])("%s", async (query, parameter, detail) => {
  const problem = problemOf(await service.call(`/v1/time_off/days?${query}`, { key }));
  expect(problem.code).toBe("invalid_parameter");
  expect(problem.errors).toHaveLength(1);
  expect(problem.errors![0]!.parameter).toBe(parameter);
  expect(problem.errors![0]!.detail).toContain(detail);
});

test("366 days are enough for every year", async () => {
  for (const query of ["from=2026-01-01&to=2027-01-02", "from=9999-12-31", "to=0001-01-03"])
    expect((await service.call(`/v1/time_off/days?${query}`, { key })).status).toBe(200);
});
