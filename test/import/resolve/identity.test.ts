// Which row a fact is: minted ids, legacy ids that are looked up first, and names that contradict each other.
import { describe, expect, test } from "bun:test";
import { mintedId } from "../../../src/import/staging.ts";
import {
  counted,
  POLICIES_CSV,
  requestsCsv,
  SMALL,
  TestCompany,
  workersCsv,
} from "../../support/import-files.ts";

const withId = (csv: string, ...ids: string[]) =>
  csv
    .split("\n")
    .map((line, at) => (at === 0 ? `id,${line}` : `${ids[at - 1] ?? ""},${line}`))
    .join("\n");

const withoutLegacyId = (csv: string) => csv.replaceAll(/legacyId,|(?<=wrk_\w+,)E\d,/g, "");

test("a minted id is the prefix and the first 100 bits of SHA-256 in lower-case Crockford base32", () => {
  const digest = new Bun.CryptoHasher("sha256").update("acme\0workers\0E1").digest();
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const expected = Array.from(
    { length: 20 },
    (_, at) => "0123456789abcdefghjkmnpqrstvwxyz"[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)],
  );
  expect(mintedId("acme", "workers", "E1")).toBe(`wrk_${expected.join("")}`);
});

test("the same rows get the same ids, other companies and kinds get others", () => {
  const ids = [
    mintedId("acme", "requests", "1"),
    mintedId("acme", "adjustments", "1"),
    mintedId("acme2", "requests", "1"),
    mintedId("acme", "requests", "2"),
  ];
  expect(new Set(ids.map((id) => id.slice(4))).size).toBe(4);
  expect(mintedId("acme", "requests", "1")).toBe(ids[0]!);
});

describe("a row that once came with both ids", () => {
  test("may come back with either, and keeps both", async () => {
    const company = await TestCompany.open();
    const both = withId(workersCsv("E1", "E2"), "wrk_1", "wrk_2");
    await company.import({ "workers.csv": both });
    for (const csv of [both, workersCsv("E1", "E2"), withoutLegacyId(both)]) {
      const report = await company.import({ "workers.csv": csv });
      expect(counted(report)).toEqual({ "workers.csv": "0/0/2/0" });
      expect(report.isChanged).toBe(false);
    }
    expect((await company.stored()).workers.map(({ id, legacyId }) => [id, legacyId])).toEqual([
      ["wrk_1", "E1"],
      ["wrk_2", "E2"],
    ]);
  });

  test("is identified by its legacy id before an id is minted, also within one import", async () => {
    const company = await TestCompany.open();
    await company.import({ "workers.csv": withId(workersCsv("E1"), "wrk_1") });
    const report = await company.import({ "workers.csv": workersCsv("E1").replace("Lind", "Berg") });
    expect(counted(report)).toEqual({ "workers.csv": "0/1/0/0" });
    expect((await company.stored()).workers.map(({ id }) => id)).toEqual(["wrk_1"]);
  });

  test("can get another legacy id through its id, but nobody else gets the old one in that import", async () => {
    const company = await TestCompany.open();
    await company.import({ "workers.csv": withId(workersCsv("E1"), "wrk_1") });
    for (const csv of [
      withId(workersCsv("E9", "E1"), "wrk_1", ""),
      withId(workersCsv("E1", "E9"), "", "wrk_1"),
    ]) {
      expect(await company.refused({ "workers.csv": csv })).toHaveLength(1);
    }
    expect(counted(await company.import({ "workers.csv": withId(workersCsv("E9"), "wrk_1") }))).toEqual({
      "workers.csv": "0/1/0/0",
    });
    expect((await company.stored()).workers).toMatchObject([{ id: "wrk_1", legacyId: "E9" }]);
  });
});

describe("two ids that name different rows", () => {
  const different = (line: number) => [
    expect.stringMatching(
      new RegExp(`^workers.csv:${line}: id: "wrk_2" and legacyId "E1" name different rows`),
    ),
  ];

  test("stored ones", async () => {
    const company = await TestCompany.open();
    await company.import({ "workers.csv": withId(workersCsv("E1", "E2"), "wrk_1", "wrk_2") });
    expect(await company.refused({ "workers.csv": withId(workersCsv("E1"), "wrk_2") })).toEqual(different(2));
  });

  test.each([
    ["both with ids", ["wrk_1", "wrk_2"]],
    ["the first minted", ["", "wrk_2"]],
  ])("of one import: %s", async (_, ids) => {
    const company = await TestCompany.open();
    const rows = workersCsv("E1", "E1");
    expect(await company.refused({ "workers.csv": withId(rows, ...ids) })).toEqual(different(3));
    await company.import({ "policies.csv": POLICIES_CSV, "workers.csv": workersCsv("E7") });
    expect(await company.refused({ "workers.csv": withId(rows, ...ids) })).toEqual(different(3));
  });
});

describe("references", () => {
  test("may be ids or legacy ids, of this import or stored", async () => {
    const company = await TestCompany.open();
    await company.import({ "workers.csv": withId(workersCsv("E1"), "wrk_1"), "policies.csv": POLICIES_CSV });
    await company.import({
      "workers.csv": withId(workersCsv("E2"), "wrk_2"),
      "requests.csv": requestsCsv(
        "R1 approved E1",
        "R2 approved wrk_1",
        "R3 approved E2",
        "R4 approved wrk_2",
      ),
    });
    const requests = (await company.stored()).requests.map(({ legacyId, workerId }) => [legacyId, workerId]);
    expect(Object.fromEntries(requests)).toEqual({ R1: "wrk_1", R2: "wrk_1", R3: "wrk_2", R4: "wrk_2" });
  });

  test("that are one row's id and another's legacy id are refused", async () => {
    const company = await TestCompany.open();
    const mistakes = await company.refused({
      ...SMALL,
      "workers.csv": withId(workersCsv("E1", "wrk_1"), "wrk_1", "wrk_2"),
      "assignments.csv": "workerId,policyId,assignedAt",
      "requests.csv": requestsCsv("R1 approved wrk_1"),
    });
    expect(mistakes).toEqual([
      expect.stringMatching(
        /^requests.csv:2: workerId: "wrk_1" is the id of one worker and the legacyId of another \(wrk_2\)/,
      ),
    ]);
  });
});

describe("assignments", () => {
  const csv = (id: string, policy = "PTO") =>
    `id,workerId,policyId,assignedAt\n${id},E1,${policy},2024-01-01T00:00:00Z`;

  test("keep their id when they come back without it, and may not come back with another", async () => {
    const company = await TestCompany.open();
    await company.import({ ...SMALL, "assignments.csv": csv("mine-1") });
    expect(counted(await company.import({ "assignments.csv": csv("") }))).toEqual({
      "assignments.csv": "0/0/1/0",
    });
    expect(await company.refused({ "assignments.csv": csv("mine-2") })).toEqual([
      expect.stringContaining("it has mine-1, and ids never change"),
    ]);
  });

  test("may not take the id of another worker's or policy's", async () => {
    const company = await TestCompany.open();
    await company.import({ ...SMALL, "assignments.csv": csv("mine-1") });
    expect(await company.refused({ "assignments.csv": csv("mine-1", "SICK") })).toEqual([
      "assignments.csv:2: id: \"mine-1\" is the id of another worker's or policy's assignment",
    ]);
    const other = await TestCompany.open();
    const both = `${csv("mine-1")}\nmine-1,E2,PTO,2024-01-01T00:00:00Z`;
    expect(await other.refused({ ...SMALL, "assignments.csv": both })).toHaveLength(1);
  });
});

test("time-off types are minted from their name", async () => {
  const company = await TestCompany.open();
  await company.import({ "policies.csv": POLICIES_CSV });
  const policies = (await company.stored()).policies.map(({ doc }) => JSON.parse(doc));
  for (const policy of policies)
    expect(policy.timeOffTypeId).toBe(mintedId("acme", "timeOffTypes", policy.timeOffTypeName));
});

test("an unknown name is refused with the legacy id that is written nearly the same", async () => {
  const company = await TestCompany.open();
  const filesOf = (known: string, written: string) => ({
    "workers.csv": workersCsv(known),
    "policies.csv": POLICIES_CSV,
    "requests.csv": requestsCsv("R1 approved WHO").replace("WHO", written),
  });
  for (const [known, written] of [
    ["E1", "e1"],
    ["E-0042", "E42"],
    ["Müller", "Mu\u0308LLER"],
    ["E_7", "E7\u200b"],
  ] as const) {
    await expect(company.import(filesOf(known, written))).rejects.toThrow(`, but "${known}" is`);
  }
  await expect(company.import(filesOf("E1", "E2"))).rejects.toThrow(/these files or stored\b(?!, but)/);
});

// A spreadsheet drops zeros in front of ids.
test("ids that are all written otherwise are one mistake, which names a right one", async () => {
  const company = await TestCompany.open();
  const ids = ["1", "2", "3", "4"];
  const files = (id: (bare: string) => string) => ({
    ...SMALL,
    "workers.csv": workersCsv(...ids.map((bare) => `00${bare}`)),
    "assignments.csv": "workerId,policyId,assignedAt",
    "requests.csv": requestsCsv(...ids.map((bare) => `R${bare} approved ${id(bare)}`)),
  });
  expect(await company.refused(files((bare) => bare))).toEqual([
    'requests.csv:2: workerId: "1" (1 row), "2" (1), "3" (1), "4" (1): no worker as it is written: neither an id nor a legacyId, in these files or stored, but such as "001" are',
  ]);
  const [one] = await company.refused(files((bare) => (bare === "1" ? bare : `00${bare}`)));
  expect(one).toEndWith(
    '"1" is no worker as it is written: neither an id nor a legacyId, in these files or stored, but "001" is',
  );
});
