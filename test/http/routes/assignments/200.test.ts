import { expect, test } from "bun:test";
import { assignmentRow, policyRow, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { idsOf, startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: ["wrk_a", "wrk_b", "wrk_c"].map((id) => workerRow(id)),
  policies: ["top_x", "top_y"].map((id) => policyRow(id)),
  assignments: [
    // The order of ids is neither that of workers nor that of policies.
    assignmentRow("toa_3", "wrk_a", "top_x"),
    assignmentRow("toa_1", "wrk_a", "top_y", "2025-12-31T23:59:59.999Z"),
    assignmentRow("0-imported", "wrk_b", "top_y"),
    assignmentRow("toa_2", "wrk_c", "top_x"),
  ],
});
const key = await addKey(service.writer, "acme");

const ask = (query: string) => service.call(`/v1/time_off/assignments?${query}`, { key });

test("assignments on the wire, byte by byte, by their own ids", async () => {
  expect((await ask("limit=2")).text).toBe(
    '{"count":2,"data":[{"id":"0-imported","assignedAt":"2026-01-01T00:00:00.000Z","policyId":"top_y","workerId":"wrk_b","startsOn":null,"endsOn":null},' +
      '{"id":"toa_1","assignedAt":"2025-12-31T23:59:59.999Z","policyId":"top_y","workerId":"wrk_a","startsOn":null,"endsOn":null}],"hasMore":true}',
  );
});

test.each([
  ["workerIds=wrk_a", ["toa_1", "toa_3"]],
  ["workerIds=wrk_a,wrk_b", ["0-imported", "toa_1", "toa_3"]],
  ["policyIds=top_x", ["toa_2", "toa_3"]],
  ["policyIds=top_x&workerIds=wrk_a&workerIds[]=wrk_b", ["toa_3"]],
  ["policyIds[0]=top_x&policyIds[1]=top_y&workerIds=wrk_c", ["toa_2"]],
  ["policyIds=top_absent", []],
  ["workerIds=wrk_absent,wrk_c", ["toa_2"]],
  ["workerIds=wrk_a,wrk_a,wrk_a", ["toa_1", "toa_3"]],
  ["workerIds=wrk_a&afterId=toa_1", ["toa_3"]],
  ["policyIds=top_x&beforeId=toa_3", ["toa_2"]],
])("%s", async (query, ids) => {
  expect(idsOf(await ask(query))).toEqual(ids);
});
