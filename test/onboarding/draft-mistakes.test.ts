// Drafts of files with a few mistakes: these choose no format, no column and no policy, and what is wrong is told.
import { describe, expect, test } from "bun:test";
import { imported, refused } from "../import/convert/mapped.ts";
import { answered, asPaidLeave, draftText, importedDraft } from "./draft-folders.ts";

/** Many rows, of which a few may be wrong. */
const many = (count: number, row: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => row(at)).join("\n");

describe("a draft of files with mistakes", () => {
  const people = `Employee ID,First name,Last name,Hire date\n${many(30, (at) => `${at},Ana,Lind ${at},03/${13 + (at % 15)}/2020`)}`;
  const leave = (lines: string) => `Employee ID,Leave type,From,To,Days,Status\n${lines}`;
  const rows = many(30, (at) => `${at},PTO,03/14/2025,03/14/2025,0.5,Approved`);

  test("does not take a record that was cut off for a total", async () => {
    const draft = await draftText({
      "people.csv": people,
      "leave.csv": leave(`3,PTO,03/14/2025\n${rows}\nTotal,,15`),
    });
    expect(draft).toContain('"skip": { "Employee ID": ["Total"] }');
  });

  test.each([
    ["Vacation", "vacation", 3],
    ["Vacation", "Vacaton", 1],
    ["PTO", "PTA", 1],
  ])("%s and %s (%d rows): asks whether the second is a kind of its own", async (usual, seldom, count) => {
    const kinds = [
      rows.replaceAll("PTO", usual),
      many(count, (at) => `${at},${seldom},03/14/2025,03/14/2025,1,Approved`),
    ];
    const files = { "people.csv": people, "leave.csv": leave(kinds.join("\n")) };
    const draft = await draftText(files);
    const all = count === 1 ? "1 row" : `${count} rows`;
    expect(draft).toContain(`"${seldom}" (${all}, nearly "${usual}")? If one is a mistake, correct the file`);
    expect(await refused(files, draft)).toEqual([
      expect.stringMatching(/^map\.json: policies\.rows\[1\]\.paid: "\?" /),
    ]);
    const { stored } = await importedDraft(files);
    expect([stored.policies.length, stored.requests.length]).toEqual([2, 30 + count]);
  });

  test("takes no column of small numbers for ids of people, and one unknown person or unit for a mistake", async () => {
    const few = {
      "people.csv":
        "Employee ID,First name,Last name,Hire date\n1,Ana,Lind,2020-01-02\n2,Bo,Ek,2020-01-03\n3,Cy,Yu,2020-01-04",
      "leave.csv": `Name,Leave type,From,To,Amount,Unit,Steps
        Ana Lind,PTO,2025-03-03,2025-03-03,1,days,1
        Bo Ek,PTO,2025-03-03,2025-03-05,3,days,2
        Cy Yo,PTO,2025-03-03,2025-03-04,2,weeks,3`,
    };
    const draft = await draftText(few);
    expect(draft).toContain('"id of Name": "workerId"');
    expect(draft).toContain('"units": { "requestedMinutes": { "column": "Unit" } }');
    const approved = (text: string) => answered(text, { "requests.values.status": "approved" });
    expect(await refused(few, approved(draft))).toEqual([
      'leave.csv:4: requestedMinutes: "2" has the unit "weeks" in Unit, which is none of minutes, hours, days',
    ]);
    const byName = { ...few, "leave.csv": few["leave.csv"].replace("weeks", "days") };
    expect(await refused(byName, approved(await draftText(byName)))).toEqual([
      expect.stringMatching(/^leave\.csv:4: workerId: "Cy Yo" is no worker/),
    ]);
    const byNumber = {
      ...few,
      "leave.csv": few["leave.csv"]
        .replace("Name,", "Employee number,")
        .replace(/[A-Z][a-z]+ L?.*(?=,PTO)/g, "1"),
    };
    expect(await draftText(byNumber)).toContain('"Employee number": "workerId"');
  });

  test.each([
    ["3 May", ["03/02/2020", "14/02/2020", "3 May"], "dd/MM/yyyy"],
    ["02/15/2020", ["13/02/2020", "14/02/2020", "02/15/2020"], "dd/MM/yyyy"],
    ["13/13/2020", ["13/13/2020", "02/14/2020", "02/15/2020"], "MM/dd/yyyy"],
  ])("reads the others as they are written where %s is the odd one of three", async (odd, dates, format) => {
    const rows = dates.map((date, at) => `${at},Ana,Lind,${date}`).join("\n");
    const draft = await draftText({ "people.csv": `Employee ID,First name,Last name,Hire date\n${rows}` });
    expect(draft).toContain(`"dates": "${format}"`);
    expect(draft).toContain(`none of these formats fits "${odd}" in "Hire date"`);
  });

  test("reads decimals as most numbers have them", async () => {
    const draft = await draftText({
      "people.csv": people,
      "leave.csv": leave(`${rows}\n3,PTO,03/14/2025,03/14/2025,"1,5",Approved`),
    });
    expect(draft).not.toContain('"decimal"');
  });

  test("does not read one date the other way round, and leaves no date where every row needs one", async () => {
    const draft = await draftText({
      "people.csv": `${people}\n40,Bo,Ek,13/02/2020\n41,Bo,Yu,0000-00-00`,
      "leave.csv": leave(rows),
    });
    expect(draft).toContain('"dates": "MM/dd/yyyy"');
    expect(draft).toContain('none of these formats fits "13/02/2020" in "Hire date"');
    expect(draft).toContain('"Hire date" has no date in rows with "0000-00-00": every row needs startDate');
    expect(draft).not.toContain('"translate": { "startDate"');
  });

  test("tells a wrong first day once, of the file of people, however many policies it would begin", async () => {
    const files = {
      "people.csv": `${people}\n40,Bo,Ek,13/13/2020`,
      "leave.csv": leave(
        `${rows}\n${["PTO", "Sick", "Jury"].map((kind) => `40,${kind},03/14/2025,03/14/2025,1,Approved`).join("\n")}`,
      ),
    };
    const told = 'startDate: "13/13/2020" is a day that does not exist (read as MM/dd/yyyy)';
    const draft = asPaidLeave(await draftText(files));
    expect(await refused(files, draft)).toEqual([`people.csv:32: ${told}`]);
    const known = draft.replace(/"Hire date": "startDate",?/, "");
    const withStart = known.replace('"type": "employee"', '"startDate": "2020-01-01", $&');
    expect(await refused(files, withStart)).toEqual([
      `people.csv:32: ${told.replace("startDate", "startsOn")}`,
    ]);
  });
});

describe("a draft of what it cannot tell", () => {
  const people = "Employee ID,First name,Last name,Hire date\n7,Ana,Lind,2020-01-02\n8,Bo,Ek,2021-02-03";

  test("asks for the unit of an amount: until it is written, the mapping is refused, and takes no hours for minutes", async () => {
    const files = {
      "people.csv": people,
      "transactions.csv":
        "Employee ID,Date,Policy,Amount\n7,2025-01-01,PTO,120\n7,2025-03-03,PTO,-8\n8,2025-02-03,PTO,8",
    };
    const draft = await draftText(files);
    expect(draft).toContain(
      'what is "Amount" counted in: minutes, hours or days? Write it in place of the "?"',
    );
    expect(await refused(files, asPaidLeave(draft))).toEqual([
      expect.stringContaining('adjustments.units.minutes: "?" is '),
    ]);
    const { stored } = await imported(
      files,
      asPaidLeave(draft).replace('"minutes": "?"', '"minutes": "hours"'),
    );
    expect(stored.adjustments.map(({ minutes }) => minutes).toSorted()).toEqual([-480, 480, 7200]);
  });

  test("names the columns of half days, where it counts working days", async () => {
    const leave =
      "Employee ID,Leave type,From,Half day (from),To,Half day (to)\n7,PTO,2025-03-03,Yes,2025-03-04,No\n8,PTO,2025-03-10,No,2025-03-10,No";
    expect(await draftText({ "people.csv": people, "leave.csv": leave })).toContain(
      '// ? hoursPerDay: "Half day (from)", "Half day (to)": parts of days would be counted as whole ones',
    );
  });

  test("takes files with the same columns together, with the formats of all", async () => {
    const leave = (row: string) => `Name,Leave type,From,To,Days,Status\n${row}`;
    const files = {
      "people.csv": people,
      "leave 2024.csv": leave("Ana Lind,PTO,2024-03-04,2024-03-05,2,Approved"),
      "leave 2025.csv": leave(
        "Bo Ek,PTO,13/03/2025,14/03/2025,2,Offen\nAna Lind,Sick,20/03/2025,20/03/2025,1,Approved",
      ),
    };
    const draft = await draftText(files);
    expect(draft).toContain('{ "from": ["leave 2024.csv", "leave 2025.csv"] }');
    expect(draft).toContain('"dates": ["dd/MM/yyyy", "yyyy-MM-dd"]');
    const { stored } = await importedDraft(files);
    expect([stored.policies.length, stored.assignments.length, stored.requests.length]).toEqual([2, 4, 3]);
  });
});

// As payroll systems call the first day of work, beside "Leaving date".
test.each(["Entry date", "Date of entry"])("%s is the first day of work", async (name) => {
  const people = `Personnel No,First name,Last name,E-mail,${name},Leaving date
1,Ana,Lind,ana@example.com,2020-01-02,
2,Bo,Ek,bo@example.com,2021-02-03,2026-10-31`;
  const draft = await draftText({ "people.csv": people });
  expect(draft).toContain(`"${name}": "startDate"`);
  expect(draft).toContain('"Leaving date": "endDate"');
});
