// Exports with a row for each change of a worker, and with rows that correct others: what a draft says of them, and the queries
// that docs/mapping.md has for them.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { candidatesOf } from "../../src/import/read/files.ts";
import { draftMapping } from "../../src/onboarding/draft.ts";
import { imported, refused } from "../import/convert/mapped.ts";
import { folderOf } from "../support/import-files.ts";
import { draftText, importedDraft } from "./draft-folders.ts";

// The first query of the page is of countries.
const [, workers, assignments, requests, named] = readFileSync(
  join(import.meta.dir, "../../docs/mapping.md"),
  "utf8",
)
  .split("```sql\n")
  .slice(1)
  .map((text) => text.split("```")[0]!);

const CHANGES = `id,first,last,email,effective,event
1,Ana,Lind,a@example.com,2020-01-01,HIRED
1,Ana,Lind,a@example.com,2022-06-30,LEFT
1,Ana,Lind-Ek,a@example.com,2024-01-01,HIRED
2,Bo,Ek,b@example.com,2021-05-01,HIRED
2,Bo,Ek,b@example.com,2021-09-01,MOVED
2,Bo,Ek,b@example.com,2025-03-31,LEFT`;
const ABSENCES = `id,person,code,day,amount,status,corrects
T1,1,PTO,2025-02-03,1,approved,
T2,1,PTO,2025-02-04,1,approved,
T3,1,PTO,2025-02-04,-0.5,approved,T2
T4,2,PTO,2025-02-05,1,approved,
T5,2,PTO,2025-02-05,-1,approved,T4`;
const PTO = {
  legacyId: "PTO",
  name: "PTO",
  timeOffTypeName: "PTO",
  schedule: "yearly",
  minutesPerPeriod: 9600,
};

test("docs/mapping.md takes histories and corrections to workers, gaps and what was left of requests", async () => {
  const { stored } = await imported(
    { "changes.csv": CHANGES, "absences.csv": ABSENCES },
    {
      workers: { query: workers },
      policies: { rows: [{ ...PTO, paid: true, unit: "day" }] },
      assignments: { query: assignments },
      requests: {
        query: requests,
        endDay: "included",
        dates: "yyyy-MM-dd",
        units: { requestedMinutes: "days" },
      },
    },
  );
  const people = stored.workers.map(({ doc }) => JSON.parse(doc)).toSorted((a, b) => a.legacyId - b.legacyId);
  expect(people).toMatchObject([
    { legacyId: "1", lastName: "Lind-Ek", startDate: "2020-01-01", endDate: null, status: "active" },
    { legacyId: "2", startDate: "2021-05-01", endDate: "2025-03-31", status: "inactive" },
  ]);
  const ids = new Map(people.map(({ id, legacyId }) => [id, legacyId]));
  const gaps = stored.assignments.map((row): [string, unknown] => [
    ids.get(row.workerId),
    JSON.parse(row.terms ?? "{}").gaps,
  ]);
  const day = (text: string) => Date.parse(text) / 86_400_000;
  expect(new Map(gaps)).toEqual(
    new Map([
      ["1", [{ first: day("2022-07-01"), last: day("2023-12-31") }]],
      ["2", undefined],
    ]),
  );
  const left = stored.requests.map(({ doc }) => JSON.parse(doc));
  expect(left.map(({ legacyId, requestedMinutes }) => [legacyId, requestedMinutes]).toSorted()).toEqual([
    ["T1", 480],
    ["T2", 240],
  ]);
});

test("a draft says so, and reads each row's unit though one is odd", async () => {
  const codes = Array.from({ length: 30 }, (_, at) => `A${at}`);
  const rows = codes.map(
    (code, at) => `${at},1,${code},2025-03-${String(at + 1).padStart(2, "0")},1,DAYS,Approved`,
  );
  const folder = folderOf({
    "changes.csv": `Employee_ID,Legal_Name_First,Legal_Name_Last,Email,Effective_Date,Event
1,Ana,Lind,a@example.com,2020-01-01,HIRED
1,Ana,Lind,a@example.com,2022-06-30,LEFT`,
    "absences.csv": `Txn_ID,Employee_ID,Absence_Code,Date,Qty,UOM,Status\n${rows.join("\n")}
30,1,A0,2025-03-01,-1,DAYS,Approved\n31,1,A0,2025-04-01,1,WEEKS,Approved`,
  });
  const draft = (await draftMapping(await candidatesOf([folder]))).text;
  for (const said of [
    '"Employee_ID" has the same people several times: take one row of each with a query (docs/mapping.md, Histories)',
    'amounts below 0 in "Qty" take leave back: add such rows up with what they correct in a query (docs/mapping.md, Corrections)',
    '"units": { "requestedMinutes": { "column": "UOM" } }',
  ])
    expect(draft).toContain(said);
});

// All rows of a response that is saved as it comes are on line 1.
test("docs/mapping.md takes people who are named once to their rows, also in JSON of one line", async () => {
  const rows = ["1", null, "2", null].map((Employee, at) => {
    const day = `2025-02-0${at + 3}`;
    return { ID: `T${at}`, Employee, From: day, To: day, Days: 1 };
  });
  const { stored } = await imported(
    { "changes.csv": CHANGES, "leave.json": JSON.stringify(rows) },
    {
      workers: { query: workers },
      policies: { rows: [{ ...PTO, paid: true, unit: "day" }] },
      assignments: { query: assignments },
      requests: {
        query: named,
        columns: {
          ID: "legacyId",
          Person: "workerId",
          From: ["startAt", "createdAt"],
          To: "endAt",
          Days: "requestedMinutes",
        },
        values: { timeOffPolicyId: "PTO", status: "approved" },
        ...{ endDay: "included", dates: "yyyy-MM-dd", units: { requestedMinutes: "days" }, ignore: "*" },
      },
    },
  );
  const personOf = new Map(stored.workers.map(({ id, legacyId }) => [id, legacyId]));
  expect(
    stored.requests.map(({ legacyId, workerId }) => `${legacyId} ${personOf.get(workerId)}`).sort(),
  ).toEqual(["T0 1", "T1 1", "T2 2", "T3 2"]);
});

test("last lines with fewer cells are left out of tables, too: a draft says so, and it can be imported", async () => {
  const files = {
    "people.csv": "Employee ID,First name,Last name,Hire date\n1,Ana,Lind,2020-01-02\n2,Bo,Ek,2020-01-03",
    "leave.csv": `Employee ID,Leave type,From,To,Days,Status
1,PTO,2025-03-03,2025-03-04,2,Approved
2,PTO,2025-03-13,2025-03-14,2,Approved
TOTAL,,4
Report of 2025-04-01`,
  };
  const draft = await draftText(files);
  expect(draft).toContain('"skip": { "Employee ID": ["TOTAL", "Report of *"] }');
  const { stored } = await importedDraft(files, { "requests.endDay": "included" });
  expect([stored.workers.length, stored.assignments.length, stored.requests.length]).toEqual([2, 2, 2]);
  const wrong = draft
    .replaceAll('"skip": { "Employee ID"', '"skip": { "Employee"')
    .replace('"endDay": "?"', '"endDay": "included"');
  expect(await refused(files, wrong)).toContain(
    'leave.csv: has no column "Employee", which tables say to skip by',
  );
});
