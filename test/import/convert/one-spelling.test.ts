// One value has one meaning: a column's dates one order of day and month, numbers all of their digits, ids one spelling.
import { describe, expect, test } from "bun:test";
import { ambiguousDate } from "../../../src/import/convert/dates.ts";
import { draftOf } from "../../onboarding/draft-folders.ts";
import { imported, refused } from "./mapped.ts";

const PERSON = { firstName: "Ana", lastName: "Lind", status: "active", type: "employee", isBusiness: "no" };
const workers = (more: object) => ({
  workers: { values: { ...PERSON, email: "{id}@example.com" }, ignore: "*", ...more },
});

describe("a column of dates", () => {
  const two = (...dates: readonly string[]) =>
    refused(
      { "people.csv": "id,start\n1,03/04/2026\n2,13/04/2026\n" },
      workers({ from: "people.csv", columns: { id: "legacyId", start: "startDate" }, dates }),
    );

  // dannymcc/may #250, wealthfolio #1601: 03/04 was read as 4 March, and 13/04 below it as 13 April.
  test.each([
    ["MM/dd/yyyy", "dd/MM/yyyy", "03/04/2005"],
    ["d/M/yyyy", "MM/dd/yyyy", "03/04/2005"],
    ["dd-MM-yy", "yy-MM-dd", "04-03-05"],
    ["yyyyMMdd", "ddMMyyyy", "20050304"],
    ["dd/MM/yyyy", "MM/dd/yyyy HH:mm", "04/03/2005"],
  ])("has one order: %s and %s are refused together", async (format, other, date) => {
    expect((await two(format, other)).join()).toContain(
      `dates: "${format}" and "${other}" read "${date}" as two different days: a column has one order of day and month`,
    );
  });

  test.each([
    ["dd/MM/yyyy", "yyyy-MM-dd"],
    ["dd.MM.yyyy", "dd.MM.yy"],
    ["dd.MM.yyyy", "MM/dd/yyyy"],
    ["dd/MM/yyyy", "dd/MM/yyyy HH:mm"],
    ["d MMM yyyy", "dd/MM/yyyy"],
  ])("may have several forms of which no date fits two: %s and %s", (format, other) => {
    expect([ambiguousDate(format, other), ambiguousDate(other, format)]).toEqual([null, null]);
  });

  test("has in a draft the order that one of its dates shows", async () => {
    const { text } = await draftOf({
      "people.csv": "id,first name,last name,start date\n1,A,B,03/04/2026\n2,C,D,13/04/2026\n",
    });
    expect(text).toContain('"dates": "dd/MM/yyyy"');
  });
});

describe("a JSON number keeps its digits", () => {
  // nodejs/help #1637, triggerdotdev/jsonhero-web #144: above 2^53 two people get one id.
  const IDS = [
    "9007199254740992",
    "9007199254740993",
    "1610521604143693812",
    "1610521604143693813",
    "123456789012345678901",
  ];
  const JSON_FILE = `[${[...IDS, "7", '"007"'].map((id) => `{"id":${id},"in":{"id":${id}},"start":"2020-01-01"}`).join(",\n")}]`;
  const ALL = [...IDS, "7", "007"].sort();
  const ids = async (mapping: object) =>
    (await imported({ "people.json": JSON_FILE }, mapping)).stored.workers
      .map(({ legacyId }) => legacyId)
      .sort();
  const query = (id: string) => ({
    workers: {
      query: `select ${id} as legacyId, 'A' as firstName, 'B' as lastName, ${id} || '@example.com' as email, "start" as startDate, 'active' as status, 'employee' as type, 'no' as isBusiness from people`,
    },
  });

  test("in a column, and inside objects", async () => {
    const from = { from: "people.json" };
    expect(await ids(workers({ ...from, columns: { id: "legacyId", start: "startDate" } }))).toEqual(ALL);
    expect(
      await ids(
        workers({
          ...from,
          columns: { "in.id": "legacyId", start: "startDate" },
          values: { ...PERSON, email: "{in.id}@example.com" },
        }),
      ),
    ).toEqual(ALL);
  });

  test("in queries, whatever they compute", async () => {
    expect(await ids(query("id"))).toEqual(ALL);
    expect(await ids(query(`"in" ->> 'id'`))).toEqual(ALL);
    const computed = (
      await imported(
        { "people.json": `[{"id":1610521604143693813,"start":"2020-01-01"}]` },
        query("cast(id as integer)"),
      )
    ).stored;
    expect(computed.workers.map(({ legacyId }) => legacyId)).toEqual(["1610521604143693813"]);
  });

  test("in messages", async () => {
    const said = await refused(
      { "people.json": '[{"id":1610521604143693813,"start":9007199254740993}]' },
      workers({ from: "people.json", columns: { id: "legacyId", start: "startDate" } }),
    );
    expect(said.join()).toContain("9007199254740993");
  });
});

test("an id is the same, whether an accented letter is one character or two", async () => {
  // Unicode Standard Annex #15: a file made on a Mac has e and an accent, a database the one character.
  const [one, two] = ["Ren\u00e9e", "Rene\u0301e"];
  const files = {
    "people.csv": `id,start\n${one},2020-01-01\n`,
    "leave.csv": `id,who\nR1,${two}\n`,
  };
  const { stored } = await imported(files, {
    ...workers({
      from: "people.csv",
      columns: { id: "legacyId", start: "startDate" },
      values: { ...PERSON, email: "a@example.com" },
    }),
    policies: {
      rows: [
        {
          legacyId: "PTO",
          name: "Leave",
          timeOffTypeName: "Leave",
          paid: true,
          unit: "day",
          schedule: "unlimited",
        },
      ],
    },
    requests: {
      ...{ from: "leave.csv", columns: { id: "legacyId", who: "workerId" }, endDay: "included" },
      values: {
        timeOffPolicyId: "PTO",
        status: "approved",
        startAt: "2025-03-03T00:00:00Z",
        endAt: "2025-03-04T00:00:00Z",
        createdAt: "2025-01-01T00:00:00Z",
        requestedMinutes: 480,
      },
    },
  });
  expect(stored.workers[0]!.legacyId).toBe(one);
  expect(stored.requests[0]!.workerId).toBe(stored.workers[0]!.id);
});

// Unicode Standard Annex 15. Programs on Macs may write é as e with a combining accent.
test("words, columns and values to skip are the same however their letters are composed", async () => {
  const file = "id,prénom,état\n1,Ana,Congé\n2,Bo,Actif\n3,Cy,Supprimé\n";
  const mapping = workers({
    from: "people.csv",
    columns: { id: "legacyId", prénom: "firstName", état: "type" },
    values: {
      lastName: "Lind",
      status: "active",
      isBusiness: "no",
      startDate: "2020-01-01",
      email: "{id}@example.com",
    },
    translate: { type: { congé: "contractor", "*": "employee" } },
    skip: { état: "supprimé" },
  });
  for (const form of ["NFC", "NFD"]) {
    const { stored } = await imported({ "people.csv": file.normalize(form) }, mapping);
    const types = stored.workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).type]).sort();
    expect([form, ...types]).toEqual([form, ["1", "contractor"], ["2", "employee"]]);
  }
});
