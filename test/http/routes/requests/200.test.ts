import { expect, test } from "bun:test";
import { policyRow, requestRow, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { idsOf, startService } from "../../service.ts";

const at = (startAt: string, endAt: string) => ({ startAt, endAt });

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: ["wrk_a", "wrk_b"].map((id) => workerRow(id)),
  policies: ["top_x", "top_y"].map((id) => policyRow(id)),
  requests: [
    requestRow("1", "wrk_a", "top_x", at("2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z")),
    requestRow("2", "wrk_a", "top_y", at("2026-03-01T00:00:00.001Z", "2026-03-01T23:59:59.999Z")),
    requestRow("3", "wrk_b", "top_x", {
      ...at("2026-02-28T23:59:59.999Z", "2026-03-09T12:00:00.000Z"),
      status: "pending",
    }),
    requestRow("tor_4", "wrk_b", "top_y", {
      ...at("2026-12-31T23:00:00.000Z", "2027-01-02T23:00:00.000Z"),
      reason: 'Wedding of "Zoë"\n🎉',
      requestedMinutes: 90.25,
      status: "denied",
      timeZone: "Europe/Berlin",
    }),
  ],
});
const key = await addKey(service.writer, "acme");

const ask = (query: string) => service.call(`/v1/time_off/requests?${query}`, { key });

test("a request on the wire, byte by byte", async () => {
  expect((await ask("afterId=3")).text).toBe(
    '{"count":1,"data":[{"id":"tor_4","createdAt":"2026-02-01T08:00:00.000Z","endAt":"2027-01-02T23:00:00.000Z",' +
      '"reason":"Wedding of \\"Zoë\\"\\n🎉","requestedMinutes":90.25,"startAt":"2026-12-31T23:00:00.000Z","status":"denied",' +
      '"timeOffPolicyId":"top_y","timeZone":"Europe/Berlin","workerId":"wrk_b","legacyId":null,"startRangeType":"datetime","endRangeType":"datetime"}],"hasMore":false}',
  );
  expect((await ask("limit=1")).text).toContain('"reason":null,"requestedMinutes":480,');
});

test.each([
  // A day is midnight UTC: `before` leaves that instant out, `on or after` takes it in.
  ["startsBefore=2026-03-01", ["3"]],
  ["startsOnOrAfter=2026-03-01", ["1", "2", "tor_4"]],
  ["endsBefore=2026-03-02", ["2"]],
  ["endsOnOrAfter=2026-03-02", ["1", "3", "tor_4"]],
  ["startsBefore=2026-03-01T00:00:00.001Z", ["1", "3"]],
  ["startsOnOrAfter=2026-03-01T00:00:00.001Z", ["2", "tor_4"]],
  // The same instant in other words.
  ["startsBefore=2026-03-01T02:00:00%2B02:00", ["3"]],
  ["startsBefore=2026-02-28T18:30:00-05:30", ["3"]],
  ["startsBefore=2026-03-01t00:00:00z", ["3"]],
  ["startsBefore=2026-03-01T00:00:00-00:00", ["3"]],
  ["startsBefore=2026-03-01T00:00:00.000000000Z", ["3"]],
  // Finer than what is stored: half a millisecond lies between two.
  ["startsBefore=2026-03-01T00:00:00.0005Z", ["1", "3"]],
  ["startsOnOrAfter=2026-03-01T00:00:00.0005Z", ["2", "tor_4"]],
  ["startsBefore=2026-02-28T23:59:59.9995Z", ["3"]],
  ["startsOnOrAfter=2026-02-28T23:59:59.9999999Z", ["1", "2", "tor_4"]],
  // What overlaps a day, and what lies inside it.
  ["startsBefore=2026-03-02&endsOnOrAfter=2026-03-01", ["1", "2", "3"]],
  ["startsOnOrAfter=2026-03-01&endsBefore=2026-03-02", ["2"]],
  ["startsOnOrAfter=2026-03-05&startsBefore=2026-03-04", []],
  ["startsBefore=0000-01-01", []],
  ["startsOnOrAfter=0000-01-01T00:00:00%2B23:59", ["1", "2", "3", "tor_4"]],
  ["endsBefore=9999-12-31T23:59:59.999999999-23:59", ["1", "2", "3", "tor_4"]],
  ["startsOnOrAfter=2024-02-29&endsBefore=2400-02-29", ["1", "2", "3", "tor_4"]],
])("%s", async (query, ids) => {
  expect(idsOf(await ask(query))).toEqual(ids);
});

test.each([
  ["workerIds=wrk_a", ["1", "2"]],
  ["policyIds=top_x", ["1", "3"]],
  ["statuses=pending,denied", ["3", "tor_4"]],
  ["statuses=approved&workerIds=wrk_a&policyIds=top_y", ["2"]],
  ["statuses=approved&workerIds=wrk_b", []],
  ["statuses=approved&statuses[]=pending&statuses[9]=denied", ["1", "2", "3", "tor_4"]],
  ["workerIds=wrk_absent", []],
  ["workerIds=wrk_absent,wrk_b&policyIds=top_absent,top_x", ["3"]],
  ["workerIds=wrk_b&limit=1", ["3"]],
  ["workerIds=wrk_b&afterId=3", ["tor_4"]],
  ["workerIds=wrk_b&beforeId=tor_4", ["3"]],
])("%s", async (query, ids) => {
  expect(idsOf(await ask(query))).toEqual(ids);
});
