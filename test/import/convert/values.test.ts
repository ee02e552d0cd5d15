// What a field can be made of: templates, lists, translations, dates, amounts, names in two parts.
// Property: whatever the cells hold, templates lose no row.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  folderOf,
  POLICIES_CSV,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../../support/import-files.ts";
import { imported, refused } from "./mapped.ts";

const PERSON = {
  isBusiness: false,
  status: "active",
  type: "employee",
  firstName: "Ana",
  lastName: "Lind",
  startDate: "2024-01-01",
  email: "a@example.com",
};
const BASE = { "workers.csv": workersCsv("E1", "E2"), "policies.csv": POLICIES_CSV };

async function worker(csv: string, mapping: object) {
  const { stored } = await imported({ "p.csv": csv }, { workers: { from: "p.csv", ...mapping } });
  return JSON.parse(stored.workers[0]!.doc);
}

async function request(csv: string, mapping: object) {
  const source = { from: "leave.csv", ...mapping };
  const { stored, report } = await imported({ ...BASE, "leave.csv": csv }, { requests: source });
  return { ...JSON.parse(stored.requests[0]!.doc), report };
}

describe("templates and lists", () => {
  test("a template inserts cells of columns; {{ is a brace; its result is translated and converted", async () => {
    const stored = await worker("Emp ID,Grade,Day,Month\n7,A,05,Mar 24", {
      values: {
        ...PERSON,
        legacyId: "{Emp ID}|{Grade}",
        email: "{Emp ID}@no-email.invalid",
        position: "{{Grade} {Grade}}",
        status: "{Grade}",
        startDate: "{Day} {Month}",
      },
      translate: { status: { a: "onboarding" } },
      dates: "dd MMM yy",
      columns: {},
    });
    expect(stored).toMatchObject({
      email: "7@no-email.invalid",
      position: "{Grade} A}",
      status: "onboarding",
      startDate: "2024-03-05",
    });
  });

  test("a list makes a row for each element, each with its own template", async () => {
    const { stored } = await imported(
      { ...BASE, "balances.csv": "Who,Vacation,Sick\nE1,10,-2\nE2,0,3.5" },
      {
        adjustments: {
          from: "balances.csv",
          columns: { Who: "workerId" },
          values: {
            policyId: ["PTO", "SICK"],
            minutes: ["{Vacation}", "{Sick}"],
            date: "2025-01-01",
            note: "opening",
          },
          units: { minutes: "days" },
        },
      },
    );
    const workers = new Map(stored.workers.map(({ id, legacyId }) => [id, legacyId]));
    const policies = new Map(stored.policies.map(({ id, legacyId }) => [id, legacyId]));
    const rows = stored.adjustments.map((row) => [
      workers.get(row.workerId),
      policies.get(row.policyId),
      row.minutes,
    ]);
    expect(rows.sort()).toEqual([
      ["E1", "PTO", 4800],
      ["E1", "SICK", -960],
      ["E2", "PTO", 0],
      ["E2", "SICK", 1680],
    ]);
  });

  test("mistakes are reported with their path", async () => {
    const values = { legacyId: "{Nr", position: "{}", policyId: 1, email: "{Mail}" };
    const mapping = { workers: { from: "p.csv", columns: {}, values: { ...PERSON, ...values } } };
    expect(await refused({ "p.csv": "Nr\n1" }, mapping)).toEqual([
      'map.json: workers.values: "policyId" is not a field of workers',
      'map.json: workers.values.legacyId: "{Nr" has a { that is never closed: write {{ for a brace',
      'map.json: workers.values.position: "{}" has {} without a column: write {{ for a brace',
    ]);
    const lists = { policyId: ["A", "B"], minutes: [1, 2, 3], date: "2025-01-01", workerId: "{W}" };
    expect(
      await refused({ "p.csv": "W" }, { adjustments: { from: "p.csv", columns: {}, values: lists } }),
    ).toEqual([
      "map.json: adjustments.values: lists make one row per element, so they must be equally long, but policyId has 2, minutes has 3",
    ]);
    const one = { ...lists, minutes: ["{Vac}"] };
    expect(
      await refused({ "p.csv": "W" }, { adjustments: { from: "p.csv", columns: {}, values: one } }),
    ).toEqual([expect.stringContaining("but policyId has 2, minutes has 1")]);
    const absent = { ...PERSON, legacyId: "{Nr}", email: "{Mail}" };
    expect(
      await refused({ "p.csv": "Nr\n1" }, { workers: { from: "p.csv", columns: {}, values: absent } }),
    ).toEqual(['p.csv:1: has no column "Mail", which map.json names (workers.values.email)']);
  });

  // Property: whatever the cells hold, each record of a file becomes one row, and with a list, one row per element.
  test("templates never lose a row", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "{", "}", " ", '"', ",", "é", "\n"), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), async (cells) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const csv = ["Nr,A,B", ...cells.map((row, at) => [`K${at}`, ...row].map(quoted).join(","))].join(
          "\n",
        );
        const files = { ...BASE, "x.csv": Buffer.from(csv) };
        const values = { legacyId: "{Nr}", position: "{A}-{B}{{{Nr}" };
        const people = { from: "x.csv", columns: {}, values: { ...PERSON, ...values } };
        const { stored } = await imported(files, {
          workers: [{ from: "workers.csv" }, people],
          adjustments: {
            from: "x.csv",
            columns: {},
            values: {
              legacyId: ["{Nr}|1", "{Nr}|2"],
              note: "{A}{B}",
              workerId: "{Nr}",
              policyId: "PTO",
              date: "2025-01-01",
              minutes: 1,
            },
            ignore: "*",
          },
        });
        expect(stored.workers).toHaveLength(2 + cells.length);
        expect(stored.adjustments).toHaveLength(2 * cells.length);
      }),
      { numRuns: 30 },
    );
  });
});

test("a translation ignores case and surrounding space, and * is everything else", async () => {
  const translate = { status: { " ACTIVE ": "active", "on leave": "active", "*": "inactive" } };
  const mapping = {
    values: { ...PERSON, status: undefined, legacyId: "1" },
    columns: { State: "status" },
    translate,
  };
  for (const [state, status] of [
    ["active", "active"],
    [" On Leave", "active"],
    ["Gone", "inactive"],
    ["", "inactive"],
  ])
    expect((await worker(`State,x\n${state},1`, { ...mapping, ignore: "*" })).status).toBe(status);
});

// A German Excel shows WAHR and 0,5; the file has TRUE and 0.5.
test("the rest of a translation takes no number or yes that another entry may mean", async () => {
  const rows = (active: unknown) => ({ "p.json": JSON.stringify([{ active, share: 0.5 }]) });
  const values = { ...PERSON, legacyId: "1", status: undefined };
  const source = (status: object) => ({
    workers: {
      from: "p.json",
      columns: { active: "status", share: "position" },
      values,
      translate: { status, position: { "0,5": "half", "*": "full" } },
    },
  });
  expect(await refused(rows(true), source({ WAHR: "active", "*": "inactive" }))).toEqual([
    'p.json:1 (element 1): status: is true in the file, not a word: translate "true"',
  ]);
  for (const status of [
    { true: "active", "*": "inactive" },
    { false: "inactive", "*": "active" },
    { "*": "active" },
  ]) {
    const { stored } = await imported(rows(true), source(status));
    expect(JSON.parse(stored.workers[0]!.doc)).toMatchObject({ status: "active", position: "half" });
  }
});

test("a formula that only holds a text gives the text", async () => {
  const mapping = { columns: { Nr: "legacyId" }, values: { ...PERSON, position: "{Nr}" } };
  expect(await worker('Nr\n"=""007"""', mapping)).toMatchObject({ legacyId: "007", position: "007" });
});

test("a star after six characters or more skips what begins so; a shorter mark with a star is itself", async () => {
  const people = {
    from: "p.csv",
    columns: { Nr: "legacyId" },
    values: PERSON,
    ignore: "*",
    skip: { Mark: ["U*", "Generated on *"] },
  };
  const file = "Nr,Mark\n1,U\n2,U*\n3,generated on 1 May\n";
  const { report } = await imported({ "p.csv": file }, { workers: people });
  expect(report.files[0]).toMatchObject({ added: 1, skipped: 2 });
});

test("a last line with totals can be skipped although it has fewer cells", async () => {
  const people = {
    from: "p.csv",
    columns: { Nr: "legacyId", Job: "position" },
    values: PERSON,
    ignore: "*",
    skip: { Nr: "TOTAL" },
  };
  const { stored, report } = await imported({ "p.csv": "Nr,Job,x\n1,a,b\ntotal,1\n" }, { workers: people });
  expect(stored.workers).toHaveLength(1);
  expect(report.files[0]).toMatchObject({ added: 1, skipped: 1 });
});

describe("dates", () => {
  test.each([
    ["2025-05-01T08:12:44.1Z", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2025-05-01T08:12:44.100Z"],
    ["2025-05-01T08:12:44.123456+0200", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2025-05-01T06:12:44.123Z"],
    ["Thu, 1 May 2025 3:04 p.m.", "EEE, d MMM yyyy h:mm a", "2025-05-01T15:04:00.000Z"],
    ["5/1/2025, 3:04:00 PM", "M/d/yyyy h:mm:ss a", "2025-05-01T15:04:00.000Z"], // toLocaleString of JavaScript
    ["2025-05-01 15:04:00 UTC", "yyyy-MM-dd HH:mm:ss XXX", "2025-05-01T15:04:00.000Z"], // to_s of Ruby
  ])("with a time: %s as %s", async (text, format, expected) => {
    const leave = {
      from: "leave.csv",
      columns: { Nr: "legacyId", At: ["startAt", "endAt", "createdAt"] },
      values: { workerId: "E1", timeOffPolicyId: "PTO", status: "approved", requestedMinutes: 0 },
      dates: format,
      zone: "UTC",
    };
    const { stored } = await imported({ ...BASE, "leave.csv": `Nr,At\n1,"${text}"` }, { requests: leave });
    expect(JSON.parse(stored.requests[0]!.doc).createdAt).toBe(expected);
  });

  test("that stand for no date: the error says what to do", async () => {
    const end = (text: string) =>
      refused(
        { "p.csv": `Nr,End\n1,${text}` },
        {
          workers: {
            from: "p.csv",
            columns: { Nr: "legacyId", End: "endDate" },
            values: PERSON,
            dates: { endDate: "dd.MM.yyyy" },
          },
        },
      );
    for (const text of ["31.12.9999", "00.00.0000"])
      expect((await end(text))[0]).toEndWith('(if it means that there is no date, translate it to "")');
  });

  const dated = (text: string, keys: object) =>
    worker(`Nr,Hired\n1,"${text}"`, {
      columns: { Nr: "legacyId", Hired: "startDate" },
      values: { ...PERSON, startDate: undefined },
      ...keys,
    }).then(({ startDate }) => startDate);

  test.each<[string, object, string]>([
    ["31.12.24", { dates: ["dd/MM/yyyy", "dd.MM.yy"] }, "2024-12-31"],
    ["05/03/2024", { dates: ["dd/MM/yyyy", "dd.MM.yy"] }, "2024-03-05"],
    ["1/2/49", { dates: "M/d/yy" }, "2049-01-02"],
    ["1/2/50", { dates: "M/d/yy" }, "1950-01-02"],
    ["March 5, 2024", { dates: "MMMM d, yyyy" }, "2024-03-05"],
    ["5. März 2024", { dates: "d. MMMM yyyy", locale: "de" }, "2024-03-05"],
    ["5 févr. 2024", { dates: "d MMM yyyy", locale: "fr" }, "2024-02-05"],
    ["5 fevereiro 2024", { dates: { startDate: ["d MMMM yyyy"] }, locale: "pt-BR" }, "2024-02-05"],
    ["1er mai 2024", { dates: "d MMMM yyyy", locale: "fr" }, "2024-05-01"],
    ["May 2nd, 2024", { dates: "MMMM d, yyyy" }, "2024-05-02"],
    ["1º de maio de 2024", { dates: "d 'de' MMMM 'de' yyyy", locale: "pt" }, "2024-05-01"],
    ["5 марта 2024", { dates: "d MMMM yyyy", locale: "ru" }, "2024-03-05"],
    ["2024-03", { dates: "yyyy-MM" }, "2024-03-01"],
    ["2024-03-05T00:00:00+01:00", { dates: "yyyy-MM-dd'T'HH:mm:ssXXX" }, "2024-03-05"],
  ])("%s with %p", async (text, keys, expected) => expect(await dated(text, keys)).toBe(expected));

  test("in no known format: the error lists all formats; not a real day: the error names the format that fits", async () => {
    const columns = { Nr: "legacyId", Hired: "startDate" };
    const rest = { columns, values: { ...PERSON, startDate: undefined }, dates: ["dd/MM/yyyy", "dd.MM.yy"] };
    expect(
      await refused(
        { "p.csv": "Nr,Hired\n1,2024-01-01\n2,31.02.24" },
        { workers: { from: "p.csv", ...rest } },
      ),
    ).toEqual([
      'p.csv:2: startDate: "2024-01-01" does not have the form dd/MM/yyyy or dd.MM.yy: correct it, or add its form to the mapping\'s "dates"',
      'p.csv:3: startDate: "31.02.24" is a day that does not exist (read as dd.MM.yy)',
    ]);
    expect(
      await refused({ "p.csv": "Nr" }, { workers: { from: "p.csv", ...rest, locale: "xx-nope" } }),
    ).toEqual([
      'map.json: workers.locale: "xx-nope" is not a language with names of months, such as de or fr-CA',
    ]);
  });
});

describe("amounts", () => {
  const LEAVE = {
    columns: { Nr: ["legacyId"], Amount: "requestedMinutes" },
    values: {
      workerId: "E1",
      timeOffPolicyId: "PTO",
      status: "approved",
      startAt: "2025-03-03T08:00:00Z",
      endAt: "2025-03-03T16:00:00Z",
      createdAt: "2025-01-01T00:00:00Z",
    },
  };

  test.each<[string, object, number]>([
    ["7:30", { units: { requestedMinutes: "HH:mm" } }, 450],
    ["7:30", { units: { requestedMinutes: "hours" } }, 450], // beside 7.5 in a workbook
    ["37:30:00", { units: { requestedMinutes: "HH:mm" } }, 2250],
    ["PT6H30M", { units: { requestedMinutes: "days" } }, 390],
    ["-PT450M", { units: { requestedMinutes: "HH:mm" }, negate: ["requestedMinutes"] }, 450],
    ["PT7.5H", { units: { requestedMinutes: "hours" } }, 450],
    ["PT27000S", { units: { requestedMinutes: "minutes" } }, 450],
    ["1.5", { units: { requestedMinutes: "days" }, hoursPerDay: 7.5 }, 675],
    ["-8", { units: { requestedMinutes: "hours" }, negate: ["requestedMinutes"] }, 480],
    ['"-1.234,5"', { decimal: ",", negate: ["requestedMinutes"] }, 1234.5],
  ])("%s with %p", async (amount, keys, expected) => {
    const stored = await request(`Nr,Amount\n1,${amount}`, { ...LEAVE, ...keys });
    expect(stored.requestedMinutes).toBe(expected);
  });

  test("can have their unit in a column", async () => {
    const units = { requestedMinutes: { column: "Unit", days: 7.5 } };
    for (const [unit, minutes] of [
      ["days", 900],
      ["Hours", 120],
      ["min", 2],
    ])
      expect((await request(`Nr,Amount,Unit\n1,2,${unit}`, { ...LEAVE, units })).requestedMinutes).toBe(
        Number(minutes),
      );
    expect(
      await refused(
        { ...BASE, "leave.csv": "Nr,Amount,Unit\n1,2,Wochen" },
        { requests: { from: "leave.csv", ...LEAVE, units } },
      ),
    ).toEqual([
      'leave.csv:2: requestedMinutes: "2" has the unit "Wochen" in Unit, which is none of minutes, hours, days',
    ]);
  });

  test.each([
    ["5 Days", "days", 2400],
    ["2.5 Hours", "days", 150],
    ["40h", "hours", 2400],
    ["4h 30m", "hours", 270],
    ["7h30", "days", 450],
    ["-1d 2h", "days", undefined],
    ["1,5 Tage", "days", 720],
    ["7 jours", "hours", 3360],
    ["30 min.", "hours", 30],
    ["0.5 Day(s)", "hours", 240],
    ["1½", "days", 720],
    ["½ Tag", "hours", 240],
  ])("may have their unit in them: %s where %s are named", async (text, unit, minutes) => {
    const decimal = text.includes(",") ? { decimal: "," } : {};
    const mapping = { ...LEAVE, units: { requestedMinutes: unit }, ...decimal };
    const files = { ...BASE, "leave.csv": `Nr,Amount\n1,"${text}"` };
    if (minutes === undefined)
      expect(await refused(files, { requests: { from: "leave.csv", ...mapping } })).toEqual([
        'leave.csv:2: requestedMinutes: "-1d 2h" is below 0',
      ]);
    else expect((await request(`Nr,Amount\n1,"${text}"`, mapping)).requestedMinutes).toBe(minutes);
  });

  test.each(["5 Weeks", "4h 30", "h", "5 Days or so", "5 days -4h", "-1d -4h"])(
    "that are not amounts are refused: %s",
    async (text) => {
      const mapping = { from: "leave.csv", ...LEAVE, units: { requestedMinutes: "days" } };
      const [mistake] = await refused(
        { ...BASE, "leave.csv": `Nr,Amount\n1,${text}` },
        { requests: mapping },
      );
      expect(mistake).toStartWith(`leave.csv:2: requestedMinutes: "${text}" is not a number: write digits`);
    },
  );

  test.each([
    ["(12.50)", { units: { minutes: "hours" } }, -750],
    ["12.50-", { units: { minutes: "hours" } }, -750],
    ["\u221212.50", { units: { minutes: "hours" } }, -750],
    ["(1.012,50)", { units: { minutes: "hours" }, decimal: "," }, -60750],
    ["(12.50)", { decimal: "." }, -12.5],
    ["(12.50)", { units: { minutes: "hours" }, negate: ["minutes"] }, 750],
  ])("below zero as books of account write them: %s with %o", async (text, rules, minutes) => {
    const mapping = {
      from: "b.csv",
      columns: { Nr: "workerId", Balance: "minutes" },
      values: { policyId: "PTO", date: "2025-01-01" },
      ...rules,
    };
    const files = { ...BASE, "b.csv": `Nr,Balance\nE1,"${text}"` };
    const { stored } = await imported(files, { adjustments: mapping });
    expect(stored.adjustments.map((row) => row.minutes)).toEqual([minutes]);
  });

  test("missing from requests are computed from working days and hoursPerDay, with a note", async () => {
    const csv =
      "Nr,Amount,From,To\n1,,06/03/2025,11/03/2025\n2,40,06/03/2025,06/03/2025\n3,,06/03/2025,07/03/2025";
    const { Nr, Amount } = LEAVE.columns;
    const { startAt: _, endAt: __, ...values } = LEAVE.values;
    const mapping = {
      columns: { Nr, Amount, From: "startAt", To: "endAt" },
      values,
      dates: { startAt: "dd/MM/yyyy", endAt: "dd/MM/yyyy" },
      endDay: "included",
      hoursPerDay: 6,
      workDays: "Mon-Wed,Sat",
    };
    const { stored, report } = await imported(
      { ...BASE, "leave.csv": csv },
      { requests: { from: "leave.csv", ...mapping } },
    );
    // Saturday, Monday and Tuesday; an amount of its own stays.
    expect(stored.requests.map(({ legacyId, minutes }) => [legacyId, minutes]).sort()).toEqual([
      ["1", 3 * 6 * 60],
      ["2", 40],
      ["3", 0],
    ]);
    expect(report.notes).toContain(
      "leave.csv: 2 requests have no amount: it is the working days (Mon-Wed,Sat) times 6 hours, holidays included",
    );
    expect(report.findings.map(({ code }) => code)).not.toContain("short-leave");
  });
});

test("a day as a number, and hours and minutes, are refused with what to say", async () => {
  const mapping = {
    from: "leave.csv",
    columns: { Nr: "legacyId", From: "startAt", To: "endAt", Amount: "requestedMinutes" },
    values: { workerId: "E1", timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
  };
  const csv = "Nr,From,To,Amount\n1,45719,45720,7:30:00";
  const text = (await refused({ ...BASE, "leave.csv": csv }, { requests: mapping })).join("\n");
  expect(text).toMatch(/startAt: "45719" is not a date-time.*Say "dates": "excel" in a mapping\)/);
  expect(text).toMatch(/requestedMinutes: "7:30:00" is not a number.*Say the unit "HH:mm" for this field/);
});

test("requests without an amount count the workers' own days; without any, Monday to Friday are a finding", async () => {
  const [header, ...rows] = workersCsv("E1", "E2").split("\n");
  const workers = [`${header},workDays`, `${rows[0]},"Mon,Sat"`, `${rows[1]},`].join("\n");
  const leave = "legacyId,workerId,startAt,endAt\n1,E1,2025-03-03,2025-03-09\n2,E2,2025-03-03,2025-03-09";
  const mapping = {
    from: "leave.csv",
    values: { timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
    endDay: "included",
    hoursPerDay: 8,
  };
  const files = { "workers.csv": workers, "policies.csv": POLICIES_CSV, "leave.csv": leave };
  const { stored, report } = await imported(files, { requests: mapping });
  const minutes = (rows: typeof stored.requests) =>
    rows.map((row) => `${row.legacyId}: ${row.minutes}`).sort();
  expect(minutes(stored.requests)).toEqual(["1: 960", "2: 2400"]);
  const assumed = (found: typeof report) => found.findings.filter(({ code }) => code === "assumed-days");
  expect(assumed(report)).toMatchObject([{ count: 1, examples: ["leave.csv:3 (worker E2)"] }]);
  const answered = await imported(files, { requests: { ...mapping, workDays: "Mon-Fri" } });
  expect(minutes(answered.stored.requests)).toEqual(["1: 2400", "2: 2400"]);
  expect(assumed(answered.report)).toEqual([]);
});

// Vendors refuse it, too: BambooHR's end "must be on or after the start date" (its OpenAPI), and so do Frappe and Odoo.
test("a last day before the first one is refused, and the day of return may not be the first one", async () => {
  const files = (end: string) => ({
    "workers.csv": workersCsv("E1"),
    "policies.csv": POLICIES_CSV,
    "leave.csv": `legacyId,workerId,startAt,endAt\n1,E1,2025-03-05,${end}`,
  });
  const values = {
    ...{ timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
    requestedMinutes: 480,
  };
  for (const dates of [undefined, "yyyy-MM-dd"]) {
    const mapping = {
      from: "leave.csv",
      values,
      endDay: "included",
      ...(dates && { dates: { startAt: dates, endAt: dates } }),
    };
    expect(await refused(files("2025-03-04"), { requests: mapping })).toEqual([
      'leave.csv:2: endAt: "2025-03-04" is before startAt ("2025-03-05")',
    ]);
    expect((await imported(files("2025-03-05"), { requests: mapping })).stored.requests).toHaveLength(1);
  }
  const returned = { from: "leave.csv", values, endDay: "excluded" };
  const { report } = await imported(files("2025-03-05"), { requests: returned });
  expect(report.findings.map(({ code }) => code)).toContain("no-length");
});

test("1,200 requests without an amount follow their workers' new days", async () => {
  const company = await TestCompany.open();
  const [header, row] = workersCsv("E1").split("\n");
  const leave = ["legacyId,workerId,startAt,endAt"];
  for (let at = 0; at < 1200; at++) leave.push(`${at},E1,2025-03-03,2025-03-09`);
  const mapPath = join(temporaryFolder(), "map.json");
  const mapping = {
    from: "leave.csv",
    values: { timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
    endDay: "included",
    hoursPerDay: 8,
  };
  writeFileSync(mapPath, JSON.stringify({ requests: mapping }));
  const minutesWith = async (workDays: string) => {
    const workers = [`${header},workDays`, `${row},"${workDays}"`].join("\n");
    const folder = folderOf({
      "workers.csv": workers,
      "policies.csv": POLICIES_CSV,
      "leave.csv": leave.join("\n"),
    });
    await company.importFolder(folder, {}, mapPath);
    return Object.entries(Object.groupBy((await company.stored()).requests, ({ minutes }) => minutes)).map(
      ([minutes, rows]) => `${minutes} ×${rows!.length}`,
    );
  };
  expect(await minutesWith("Mon,Sat")).toEqual(["960 ×1200"]);
  expect(await minutesWith("Mon-Wed")).toEqual(["1440 ×1200"]);
});

test("an amount by hoursPerDay that is longer than the leave lasts is refused", async () => {
  const mapping = {
    from: "leave.csv",
    values: { timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
    hoursPerDay: 8,
    workDays: "Mon-Fri",
  };
  const leave = (end: string) =>
    `legacyId,workerId,startAt,endAt\n1,E1,2025-03-03T09:00:00Z,2025-03-03T${end}:00:00Z`;
  const problems = await refused({ ...BASE, "leave.csv": leave("13") }, { requests: mapping });
  expect(problems.join("\n")).toContain(
    "leave.csv:2: requestedMinutes: 480 by hoursPerDay is more than the 240 minutes from startAt to endAt: compute the amount in a query",
  );
  const { stored } = await imported({ ...BASE, "leave.csv": leave("17") }, { requests: mapping });
  expect(stored.requests.map(({ minutes }) => minutes)).toEqual([480]);
});

test("an amount by hoursPerDay of leave from midnight to midnight is refused: the end may be a day of leave", async () => {
  const mapping = (dates: string, more = {}) => ({
    requests: {
      from: "leave.csv",
      values: { timeOffPolicyId: "PTO", status: "approved", createdAt: "2025-01-01T00:00:00Z" },
      hoursPerDay: 8,
      workDays: "Mon-Fri",
      dates: { startAt: dates, endAt: dates },
      ...more,
    },
  });
  const files = {
    ...BASE,
    "leave.csv": "legacyId,workerId,startAt,endAt\n1,E1,03/03/2025 00:00,07/03/2025 00:00",
  };
  expect(await refused(files, mapping("dd/MM/yyyy HH:mm"))).toEqual([
    'leave.csv:2: endAt: "07/03/2025 00:00" is a midnight: is it the last day of leave, or the day of return? Read it as a day: in a mapping, put the time in quotes (yyyy-MM-dd \'00:00\') and say "endDay"',
  ]);
  const { stored } = await imported(files, mapping("dd/MM/yyyy '00:00'", { endDay: "included" }));
  expect(stored.requests.map(({ minutes }) => minutes)).toEqual([2400]);
});

describe("a whole name", () => {
  const named = (name: string) =>
    worker(`Nr,Name\n1,"${name}"`, {
      columns: { Nr: "legacyId", Name: "fullName" },
      values: { ...PERSON, firstName: undefined, lastName: undefined },
    });

  test.each([
    ["Lind, Ana  Maria", "Ana Maria", "Lind"],
    ["Ana Maria Lind", "Ana Maria", "Lind"],
    ["  Bo   Ek ", "Bo", "Ek"],
    ["佐藤　花子", "花子", "佐藤"],
    ["김 민 수", "민 수", "김"],
    ["佐藤, 花子", "花子", "佐藤"],
  ])("%s", async (name, firstName, lastName) =>
    expect(await named(name)).toMatchObject({ firstName, lastName }),
  );

  test("of one word is an error, and so is a mapping that also maps its parts", async () => {
    const mapping = {
      from: "p.csv",
      columns: { Nr: "legacyId", Name: "fullName" },
      values: { ...PERSON, firstName: undefined, lastName: undefined },
    };
    expect(await refused({ "p.csv": "Nr,Name\n1,Madonna" }, { workers: mapping })).toEqual([
      'p.csv:2: firstName: "Madonna" is a single name, without first and last name: translate it, as in "translate": {"fullName": {"Pelé": "Nascimento, Pelé"}}',
    ]);
    expect(await refused({ "p.csv": "Nr" }, { workers: { ...mapping, values: PERSON } })).toEqual([
      "map.json: workers.columns: firstName is part of fullName: remove one of them",
      "map.json: workers.columns: lastName is part of fullName: remove one of them",
    ]);
  });
});

test("adjustments without ids are identified by worker, policy and date, also in the next import", async () => {
  const header = "workerId,policyId,date,minutes";
  const { company, stored } = await imported(
    { ...BASE, "adjustments.csv": `${header}\nE1,PTO,2025-01-01,60\nE1,PTO,2025-01-02,60` },
    {
      work_hours: { rows: [] },
    },
  );
  expect(stored.adjustments).toHaveLength(2);
  const report = await company.import({ "adjustments.csv": `${header}\nE1,PTO,2025-01-01,90` });
  expect(report.files).toMatchObject([{ added: 0, changed: 1 }]);
  expect(
    await company.refused({ "adjustments.csv": `${header}\nE1,PTO,2025-01-01,90\nE1,PTO,2025-01-01,30` }),
  ).toEqual([
    expect.stringMatching(
      /^adjustments.csv:3: workerId: "E1" with policyId "PTO" and this date is already on line 2/,
    ),
  ]);
});

test("a kind can have several sources, each with its own mapping, and rows within the mapping", async () => {
  const { stored, report } = await imported(
    { "staff.csv": "Nr\n1", "externals.csv": "No;Firm\n2;Acme" },
    {
      workers: [
        { from: "staff.csv", columns: { Nr: "legacyId" }, values: PERSON },
        {
          from: "externals.csv",
          delimiter: ";",
          columns: { No: "legacyId", Firm: "businessName" },
          values: { ...PERSON, isBusiness: true, type: "contractor" },
        },
      ],
      policies: {
        rows: [{ legacyId: "PTO", name: "PTO", schedule: "Yearly", minutesPerPeriod: 20 }],
        values: { paid: true, timeOffTypeName: "Leave", unit: "day" },
        columns: {
          legacyId: "legacyId",
          name: "name",
          schedule: "schedule",
          minutesPerPeriod: "minutesPerPeriod",
        },
        translate: { schedule: { yearly: "yearly" } },
        units: { minutesPerPeriod: "days" },
      },
    },
  );
  expect(stored.workers.map(({ legacyId, type }) => [legacyId, type]).sort()).toEqual([
    ["1", "employee"],
    ["2", "contractor"],
  ]);
  expect(JSON.parse(stored.policies[0]!.doc).minutesPerPeriod).toBe(9600);
  expect(report.files.map(({ file }) => file)).toEqual([
    "staff.csv",
    "externals.csv",
    "map.json: policies.rows",
  ]);
  const wrong = { policies: { rows: [{ legacyId: "PTO", nam: "PTO" }] } };
  expect(await refused({ "x.csv": "" }, wrong)).toEqual([
    expect.stringMatching(
      /^map.json: policies.rows: column "nam" is not a field of policies \(did you mean name\?\)/,
    ),
    expect.stringMatching(/^map.json: policies.rows: column name is missing/),
    ...["paid", "schedule", "timeOffTypeName", "unit"].map(
      (field) => `map.json: policies.rows: column ${field} is missing: every row needs it`,
    ),
  ]);
});
