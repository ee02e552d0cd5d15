// What a draft makes of exports that are no folder of test/onboarding/drafts: dates that are none, many people, unknown names of columns.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { refused } from "../import/convert/mapped.ts";
import { answered, draftText, importedDraft } from "./draft-folders.ts";

/** What the files need beside their draft. */
const APPROVED = { "requests.values.status": "approved" };

describe("a draft reads", () => {
  test("milliseconds beyond any date, which are no dates", async () => {
    const row = {
      userId: "E1",
      timeType: "VACATION",
      startDate: "/Date(99999999999999999)/",
      quantityInDays: 1,
    };
    const draft = await draftText({ "EmployeeTime.json": JSON.stringify([row]) });
    expect(draft).toContain(
      '"EmployeeTime.json": "it is not clear what its rows are (userId, timeType, startDate, quantityInDays)"',
    );
  });

  test("milliseconds before 1970 in the second that began before them", async () => {
    const dates = ["/Date(-500)/", "/Date(1500)/"];
    const rows = dates.map((hireDate, at) => ({ userId: `E${at}`, firstName: "A", lastName: "B", hireDate }));
    const draft = await draftText({
      "User.json": JSON.stringify(rows),
      "Other.json": JSON.stringify([
        {
          userId: "E0",
          timeType: "VACATION",
          startDate: dates[0],
          endDate: dates[0],
          quantityInDays: "1",
          approvalStatus: "APPROVED",
        },
      ]),
    });
    const [expression] = /strftime\([^()]*substr\([^()]*\)[^()]*\)/.exec(draft)!;
    const database = new Database(":memory:");
    const select = database.query(
      `select ${expression.replace(/substr\([^()]*\)/, "substr(?, 7)").replaceAll('\\"', '"')}`,
    );
    expect(dates.map((date) => select.values(date)[0]![0])).toEqual([
      "1969-12-31T23:59:59Z",
      "1970-01-01T00:00:01Z",
    ]);
    database.close();
  });

  test("looks people's names up in an index, rather than compare each with every other", async () => {
    const count = 400;
    const people = Array.from({ length: count }, (_, at) => `E${at},First${at},Last${at},2020-01-01`);
    const leave = people.map((_, at) => `"Last${at}, First${at}",PTO,2025-03-03,2025-03-03,1`);
    const files = {
      "people.csv": ["Employee ID,First name,Last name,Hire date", ...people].join("\n"),
      "leave.csv": ["Name,Leave type,From,To,Days", ...leave].join("\n"),
    };
    const { draft, stored } = await importedDraft(files, APPROVED);
    expect(stored.requests).toHaveLength(count);
    expect(new Set(stored.requests.map(({ workerId }) => workerId)).size).toBe(count);
    const database = new Database(":memory:");
    database.run('create table people (_file, _line, "Employee ID", "First name", "Last name", "Hire date")');
    database.run('create table leave (_file, _line, Name, "Leave type", "From", "To", Days)');
    const queries = [...draft.matchAll(/"query": ("(?:[^"\\]|\\.)*")/g)].map(([, sql]) => JSON.parse(sql!));
    const plans = queries.map((sql) => JSON.stringify(database.query(`explain query plan ${sql}`).all()));
    expect(plans.map((plan) => /AUTOMATIC (?:COVERING )?INDEX \(name=\?\)/.test(plan))).toEqual([true, true]);
    database.close();
  });

  test("ids beside names: an id that nobody has is named with its line", async () => {
    const folder = join(import.meta.dir, "drafts/zoho-people");
    const file = (name: string) => readFileSync(join(folder, name), "utf8");
    const files = {
      "Employee_View.csv": file("export/Employee_View.csv"),
      "Leave.csv": file("export/Leave.csv").replace("Bo Ek (EMP2)", "Di Ho (EMP7)"),
    };
    const mapping = answered(file("expected.map.json"), JSON.parse(file("answers.json")));
    expect(await refused(files, mapping)).toEqual([
      expect.stringMatching(/^Leave\.csv:3: workerId: "Di Ho \(EMP7\)" is no worker/),
    ]);
  });

  test.each([
    ["Requested Hours", '"1,040.00"', 62_400],
    ["Leave hours used (h)", "7.50", 450],
    ["Absence days", "0.5", 240],
  ])(
    "an amount in %s, which is no known name, rather than count working days",
    async (name, amount, minutes) => {
      const files = {
        "Roster.csv":
          'Associate ID,Payroll Name,Hire Date\nK1XQ,"Lind, Ana",03/21/2020\nK2XQ,"Ek, Bo",04/15/2021\n',
        "Time Off.csv": `Associate ID,Policy Name,Time Off Date From,Time Off Date To,Start hour,${name},Status
K1XQ,Vacation,01/06/2025,07/04/2025,09:00,${amount},Approved
K2XQ,Vacation,03/14/2025,03/14/2025,13:00,1.00,Submitted
Total,,,,,"9,999.00",
`,
      };
      const { draft, stored } = await importedDraft(files);
      expect(draft).toContain(`"${name}": "requestedMinutes"`);
      expect(stored.requests.map((one) => one.minutes)).toContain(minutes);
    },
  );
});
