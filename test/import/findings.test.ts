// What is allowed but probably wrong: each finding on files that have it, told once, and none on files that have not.
import { describe, expect, test } from "bun:test";
import { FINDING_CODES } from "../../src/import/findings.ts";
import { rollcallHere } from "../cli/command.ts";
import {
  ASSIGNMENTS_CSV,
  type Files,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  REQUEST_HEADER,
  SMALL,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../support/import-files.ts";

const leave = (...rows: readonly string[]) =>
  [REQUEST_HEADER, ...rows.map((row, at) => `R${at},2025-01-01T00:00:00Z,${row},approved,PTO,E1`)].join("\n");
const workers = (replace: (line: string) => string) =>
  workersCsv("E1", "E2", "E3")
    .split("\n")
    .map((line, at) => (at === 0 ? line : replace(line)))
    .join("\n");
const distinct = workers((line) =>
  line
    .replace("2024-01-01", `202${line[1]}-01-01`)
    .replace("Berlin", line.startsWith("E1") ? "Paris" : "Berlin"),
);
const BASE = {
  ...SMALL,
  "workers.csv": distinct,
  "policies.csv": POLICIES_CSV.split("\n").slice(0, 3).join("\n"),
};

/** By code, the count and the examples of the findings of an import. */
async function found(files: Files) {
  const company = await TestCompany.open();
  const { findings } = await company.import(files);
  return Object.fromEntries(findings.map(({ code, count, examples }) => [code, [count, ...examples]]));
}

test("there are none where nothing is odd", async () => expect(await found(BASE)).toEqual({}));

describe("finding", () => {
  test.each<[string, Files, Record<string, unknown[]>]>([
    [
      "leave of several days that totals less than an hour",
      {
        "requests.csv": leave(
          "2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,3",
          "2025-03-03T08:00:00Z,2025-03-03T09:00:00Z,30",
        ),
      },
      { "short-leave": [1, "requests.csv:2 (3 minutes)"] },
    ],
    [
      "leave that totals more than its days have, such as 1.234,5 days",
      {
        "requests.csv": leave(
          "2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,4320.01",
          "2025-03-03T00:00:00Z,2025-03-05T20:00:00Z,4320",
        ),
      },
      { "long-leave": [1, "requests.csv:2 (4320.01 minutes)"] },
    ],
    [
      "leave and adjustments under a policy that was never assigned",
      {
        "assignments.csv": ASSIGNMENTS_CSV.split("\n")
          .filter((line) => !line.includes("E1"))
          .join("\n"),
        "adjustments.csv": "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,2025-01-01,60",
      },
      { "never-assigned": [2, "request R1", "adjustment A1"] },
    ],
    [
      "adjustments that no balance counts, because the policy is unlimited",
      {
        "policies.csv":
          "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit\nPTO,PTO,yes,unlimited,,PTO,hour",
        "adjustments.csv":
          "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,2025-01-01,60\nA2,E1,PTO,2025-01-02,60",
      },
      { "unlimited-adjustment": [2, "adjustments.csv:2", "adjustments.csv:3"] },
    ],
    [
      "midnights that are another day where the worker is",
      {
        "requests.csv": leave(
          "2025-07-01T00:00:00-05:00,2025-07-02T00:00:00-05:00,480",
          "2025-07-01T00:00:00+02:00,2025-07-02T00:00:00+02:00,480",
        ),
      },
      { "shifted-midnight": [1, "requests.csv:2 (2025-07-01)"] },
    ],
    [
      "nothing of leave by the hour that ends at a midnight of UTC",
      { "requests.csv": leave("2025-07-01T20:00:00Z,2025-07-02T00:00:00Z,240") },
      {},
    ],
    [
      "assignments that begin on another day in UTC",
      {
        "assignments.csv":
          "workerId,policyId,assignedAt\nE1,PTO,2024-03-01T00:00:00+01:00\nE2,PTO,2024-03-01T00:00:00Z",
      },
      { "assignment-day": [1, "assignments.csv:2 (2024-02-29 in UTC)"] },
    ],
    [
      "one email address, start date and time zone for everybody",
      { "workers.csv": workers((line) => line.replace(/,\w+@/, ",all@")) },
      {
        "same-email": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "same-start-date": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
        "same-time-zone": [3, "workers.csv:2", "workers.csv:3", "workers.csv:4"],
      },
    ],
    [
      "people who have left but have no endDate",
      { "workers.csv": distinct.replace(/(E2.*),active/, "$1,inactive") },
      { "left-without-end": [1, "workers.csv:3"] },
    ],
    ["policies that nobody has", { "policies.csv": POLICIES_CSV }, { "unused-policy": [1, "policy SICK"] }],
    [
      "dates long ago or far ahead",
      {
        "workers.csv": distinct.replace("2021-01-01", "1949-12-31"),
        "assignments.csv": `${ASSIGNMENTS_CSV}`.replace("E2,PTO,2024", "E2,PTO,2044"),
      },
      { "odd-date": [2, "workers.csv:2 (1949-12-31)", "assignments.csv:3 (2044-01-01)"] },
    ],
  ])("%s", async (_, files, expected) => expect(await found({ ...BASE, ...files })).toMatchObject(expected));
});

test("a strict import is refused for its findings, but not for those that are accepted", async () => {
  const company = await TestCompany.open();
  const files = { ...BASE, "policies.csv": POLICIES_CSV };
  expect(await findingsOf(company.import(files, { isStrict: true }))).toEqual([
    "1 policy is assigned to nobody (policy SICK): import assignments, or leave out what nobody has [unused-policy]",
  ]);
  expect((await company.stored()).workers).toEqual([]);
  const report = await company.import(files, { isStrict: true, accepted: new Set(["unused-policy"]) });
  expect([report.findings, report.isChanged]).toEqual([[], true]);
});

test("the command lists them: on stderr with their codes, with --json as objects", async () => {
  const home = temporaryFolder();
  await rollcallHere(home, ["companies", "create", "acme"]);
  const args = ["import", folderOf({ ...BASE, "policies.csv": POLICIES_CSV }), "--company", "acme"];
  const strict = await rollcallHere(home, [...args, "--strict", "--json"]);
  expect(strict.exitCode).toBe(1);
  expect(JSON.parse(strict.stdout)).toMatchObject({
    imported: false,
    findings: [{ code: "unused-policy", count: 1 }],
  });
  expect(strict.stderr).toContain("--accept CODE");
  const loose = await rollcallHere(home, args);
  expect(loose.stderr).toContain("rollcall: warning: 1 policy is assigned to nobody");
  const { findings, warnings } = JSON.parse((await rollcallHere(home, [...args, "--json"])).stdout);
  expect(findings).toMatchObject([{ code: "unused-policy", examples: ["policy SICK"] }]);
  expect(warnings).toHaveLength(1);
  const unknown = await rollcallHere(home, [...args, "--accept", "unused-polcy"]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringContaining("did you mean unused-policy?"),
  ]);
});

test("every code is in the documentation", async () => {
  const text = await Bun.file(`${import.meta.dir}/../../docs/importing.md`).text();
  expect(FINDING_CODES.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});
