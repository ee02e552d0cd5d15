import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { problemOf, startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

const PATH = "/v1/time_off/requests";

/** What is no instant, as it stands in the query, and whether `%2B` would have mended it. */
const NO_INSTANTS: readonly [string, boolean][] = [
  ["", false],
  ["today", false],
  ["2026-02-30", false],
  ["2026-13-01", false],
  ["2026-00-01", false],
  ["2026-01-00", false],
  ["2025-02-29", false],
  ["1900-02-29", false],
  ["2026-1-1", false],
  ["20260101", false],
  ["01/03/2026", false],
  ["2026-03", false],
  ["2026-W10-1", false],
  ["+002026-03-01", false],
  ["-0001-03-01", false],
  ["1767225600000", false],
  ["２０２６-03-01", false],
  ["2026-03-01T09:00:00", false],
  ["2026-03-01T09:00", false],
  ["2026-03-01T09:00Z", false],
  ["2026-03-01T24:00:00Z", false],
  ["2026-03-01T09:60:00Z", false],
  ["2016-12-31T23:59:60Z", false],
  ["2026-03-01T09:00:00+02:00", true],
  ["2026-03-01T09:00:00.5+02:00", true],
  ["2026-03-01T09:00:00%2B0200", false],
  ["2026-03-01T09:00:00%2B02", false],
  ["2026-03-01T09:00:00%2B24:00", false],
  ["2026-03-01T09:00:00-02:60", false],
  ["2026-03-01T09:00:00−02:00", false],
  ["2026-03-01T09:00:00.Z", false],
  ["2026-03-01T09:00:00,5Z", false],
  ["2026-03-01T09:00:00.1234567890Z", false],
  ["2026-03-01 09:00:00Z", false],
  ["2026-03-01T09:00:00Z ", false],
  ["2026-03-01T09:00:00Z%00", false],
  ["2026-03-01%0A", false],
  ["2026-02-30T09:00:00Z", false],
  ["2026-03-01T09:00:00[Europe/Berlin]", false],
  ["2026-03-01,2026-03-02", false],
];

describe.each(["startsBefore", "startsOnOrAfter", "endsBefore", "endsOnOrAfter"])("%s", (parameter) => {
  test.each(NO_INSTANTS)("%s", async (value, isMendedByEscaping) => {
    // Not through `new Request`, which would escape a space and drop a final one.
    const response = await service.call(`${PATH}?${parameter}=${value.replaceAll(" ", "%20")}`, { key });
    expect(response.status).toBe(400);
    const { errors } = problemOf(response);
    expect(errors!.map((error) => error.parameter)).toEqual([parameter]);
    expect(errors![0]!.detail).toContain(
      "is not a real instant: write YYYY-MM-DD, or a date-time with an offset",
    );
    expect(errors![0]!.detail.includes("%2B")).toBe(isMendedByEscaping);
  });

  test("twice", async () => {
    const pair = `${parameter}=2026-01-01`;
    const { errors } = problemOf(await service.call(`${PATH}?${pair}&${pair}`, { key }));
    expect(errors).toEqual([{ parameter, detail: "is given more than once: give it once" }]);
  });

  test("in brackets or in the wrong case it is unknown; the error suggests the right one", async () => {
    for (const sent of [`${parameter}[]`, parameter.toLowerCase(), `${parameter}s`]) {
      const { errors } = problemOf(await service.call(`${PATH}?${sent}=2026-01-01`, { key }));
      expect(errors).toEqual([
        { parameter: sent, detail: `is not known here: did you mean \`${parameter}\`?` },
      ]);
    }
  });
});

test.each([
  ["starts", "`startsBefore` or `startsOnOrAfter`"],
  ["ends", "`endsBefore` or `endsOnOrAfter`"],
  ["before", "`beforeId`, `startsBefore` or `endsBefore`"],
  ["worker", "`workerIds`"],
])("%s is unknown, and may mean %s", async (sent, meant) => {
  const { errors } = problemOf(await service.call(`${PATH}?${sent}=2026-01-01`, { key }));
  expect(errors).toEqual([{ parameter: sent, detail: `is not known here: did you mean ${meant}?` }]);
});

test("every bad filter at once", async () => {
  const query =
    "policyIds=a&workerIds=,&statuses=x&startsBefore=y&startsOnOrAfter=&endsBefore=z&endsOnOrAfter=2026&limit=0";
  const { errors } = problemOf(await service.call(`${PATH}?${query}`, { key }));
  expect(errors!.map(({ parameter }) => parameter).sort()).toEqual([
    "endsBefore",
    "endsOnOrAfter",
    "limit",
    "policyIds",
    "startsBefore",
    "startsOnOrAfter",
    "statuses",
    "workerIds",
  ]);
});

test("a window that holds nothing is no error", async () => {
  const query = "startsOnOrAfter=2026-03-02&startsBefore=2026-03-01";
  expect((await service.call(`${PATH}?${query}`, { key })).status).toBe(200);
});
