// Every bad row is told by file, line and field, with what would be right; and nothing is imported.
import { describe, expect, test } from "bun:test";
import {
  type Files,
  findingsOf,
  folderOf,
  POLICIES_CSV,
  REQUEST_HEADER,
  requestsCsv,
  SMALL,
  TestCompany,
  workersCsv,
} from "../support/import-files.ts";

async function findings(files: Files) {
  const company = await TestCompany.open();
  const mistakes = await company.refused(files);
  expect(Object.values(await company.stored()).flat()).toEqual([]);
  return mistakes;
}

const worker = (columns: string, cells: string) => ({ "workers.csv": `${columns}\n${cells}` });
const requestRow = (cells: string) => ({ ...SMALL, "requests.csv": `${REQUEST_HEADER}\n${cells}` });

describe("a bad value", () => {
  test("a typo in a status names the choices and the nearest", async () => {
    expect(
      await findings({ ...SMALL, "requests.csv": requestsCsv("R1 approved E1", "R2 aproved E2") }),
    ).toEqual([
      'requests.csv:3: status: "aproved" is not one of pending, approved, denied (did you mean approved?)',
    ]);
  });

  test("a choice in another case is refused with its spelling", async () => {
    const [mistake] = await findings({ ...SMALL, "requests.csv": requestsCsv("R1 Approved E1") });
    expect(mistake).toBe(
      'requests.csv:2: status: "Approved" is not one of pending, approved, denied (write approved)',
    );
  });

  test.each([
    ["firstName", 200],
    ["displayName", 401],
    ["department", 200],
    ["position", 500],
    ["terminationReason", 4000],
  ])("%s of more than %d characters; one may take two units of a text", async (field, most) => {
    const file = (length: number) => {
      const columns = [
        "legacyId",
        "firstName",
        "lastName",
        "email",
        "isBusiness",
        "startDate",
        "status",
        "type",
      ];
      const cells = ["E1", "Ana", "Lind", "ana@example.com", "no", "2024-01-01", "active", "employee"];
      const others = columns.flatMap((column, at) => (column === field ? [] : [[column, cells[at]]]));
      const row = [...others, [field, "𝒜".repeat(length)]];
      return worker(row.map(([column]) => column).join(","), row.map(([, cell]) => cell).join(","));
    };
    expect(await findings(file(most + 1))).toEqual([
      `workers.csv:2: ${field}: "${"𝒜".repeat(40)}…" is longer than ${most} characters: shorten it`,
    ]);
    const company = await TestCompany.open();
    await company.import(file(most));
    expect((await company.stored()).workers[0]!.doc).toContain("𝒜".repeat(most));
  });

  test("every bad field of a row is reported", async () => {
    const mistakes = await findings(
      worker(
        "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,timeZone,workEmail",
        "E1,,Lind,ana,maybe,03/04/2026,activ,employe,+01:00,a b@example.com",
      ),
    );
    expect(mistakes).toEqual([
      'workers.csv:2: email: "ana" is not an email address such as ana@example.com',
      "workers.csv:2: firstName: is missing",
      'workers.csv:2: isBusiness: "maybe" is not one of true, false, yes, no, 1, 0',
      'workers.csv:2: startDate: "03/04/2026" is not a date: write YYYY-MM-DD (or name the file\'s format in a mapping)',
      'workers.csv:2: status: "activ" is not one of draft, invited, onboarding, active, offboarding, inactive (did you mean active?)',
      'workers.csv:2: timeZone: "+01:00" is not a time zone of the IANA database, such as Europe/Berlin or UTC',
      'workers.csv:2: type: "employe" is not one of employee, contractor (did you mean employee?)',
      'workers.csv:2: workEmail: "a b@example.com" is not an email address such as ana@example.com',
    ]);
  });

  test.each([
    ["2026-02-30", "is a day that does not exist"],
    ["1899-12-31", "is not between 1900-01-01 and 2200-12-31"],
    ["2201-01-01", "is not between 1900-01-01 and 2200-12-31"],
    ["2026-3-1", "is not a date"],
  ])("the day %s", async (day, message) => {
    const [mistake] = await findings({ "workers.csv": workersCsv("E1").replace("2024-01-01", day) });
    expect(mistake).toContain(`startDate: "${day}" ${message}`);
  });

  test.each(["2026-03-01", "2026-03-01T09:00:00", "2026-03-01 09:00", "2026-03-01T25:00:00Z"])(
    "%s is no date-time",
    async (text) => {
      const [mistake] = await findings(
        requestRow(`R1,${text},2026-03-01T09:00:00Z,2026-03-01T10:00:00Z,60,approved,PTO,E1`),
      );
      expect(mistake).toContain(`createdAt: "${text}" is not a date-time: write it with an offset`);
    },
  );

  test("a date-time on a day that does not exist", async () => {
    const [mistake] = await findings(
      requestRow("R1,2026-02-30T00:00:00Z,2026-03-01T09:00:00Z,2026-03-01T10:00:00Z,60,approved,PTO,E1"),
    );
    expect(mistake).toEndWith('createdAt: "2026-02-30T00:00:00Z" is a day that does not exist');
  });

  test.each([
    ["0x1F", "is not a number"],
    ["1e3", "is not a number"],
    [
      "1.234,5",
      'is not a number: write digits, with a point before decimals and no thousands separators (or say in a mapping how the file writes numbers: "decimal": ",")',
    ],
    [
      "12,5",
      'is not a number: write digits, with a point before decimals and no thousands separators (or say in a mapping how the file writes numbers: "decimal": ",")',
    ],
    [
      "1,234",
      "is not a number: write digits, with a point before decimals and no thousands separators (or say in a mapping what the comma is",
    ],
    ["Infinity", "is not a number"],
    ["99999999999999", "is not between 0 and 1000000000"],
    ["-480", "is below 0"],
    ["0.0000001", "is too small to count"],
  ])("the amount %s", async (text, message) => {
    const [mistake] = await findings(
      requestRow(
        `R1,2026-01-01T00:00:00Z,2026-03-01T09:00:00Z,2026-03-01T10:00:00Z,"${text}",approved,PTO,E1`,
      ),
    );
    expect(mistake).toContain(`requestedMinutes: "${text}" ${message}`);
  });

  test("an end before its start, of workers, requests and assignments", async () => {
    expect(
      await findings(
        worker(
          "legacyId,firstName,lastName,email,isBusiness,startDate,endDate,status,type",
          "E1,Ana,Lind,a@b.co,no,2024-05-01,2024-04-30,active,employee",
        ),
      ),
    ).toEqual(['workers.csv:2: endDate: "2024-04-30" is before startDate ("2024-05-01")']);
    const [request] = await findings(
      requestRow("R1,2026-01-01T00:00:00Z,2026-03-01T09:00:00Z,2026-03-01T08:59:59Z,60,approved,PTO,E1"),
    );
    expect(request).toContain('endAt: "2026-03-01T08:59:59Z" is before startAt ("2026-03-01T09:00:00Z")');
    const [assignment] = await findings({
      ...SMALL,
      "assignments.csv": "workerId,policyId,assignedAt,endsOn\nE1,PTO,2024-05-02T00:00:00Z,2024-05-01",
    });
    expect(assignment).toContain(
      'endsOn: "2024-05-01" is before the day of assignedAt ("2024-05-02T00:00:00Z")',
    );
  });

  test("a business name without a business", async () => {
    const [mistake] = await findings(
      worker(
        "legacyId,firstName,lastName,email,isBusiness,businessName,startDate,status,type",
        "E1,Ana,Lind,a@b.co,no,Lind Ltd,2024-05-01,active,contractor",
      ),
    );
    expect(mistake).toContain('businessName: "Lind Ltd" is given although isBusiness is false');
  });
});

describe("a policy that contradicts itself", () => {
  const columns =
    "legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod,minutesPerChunk,hoursWorkedPerChunk,isUnlimited,accrualTiming,waitingPeriodDays,carryoverLimitMinutes";
  test.each([
    ["monthly,,,,,,,", "minutesPerPeriod: is missing: the schedule monthly needs it"],
    ["monthly,600,60,,,,,", 'minutesPerChunk: "60" contradicts the schedule monthly'],
    ["per_hour_worked,,60,,,,,", "hoursWorkedPerChunk: is missing: the schedule per_hour_worked needs it"],
    ["per_hour_worked,,60,0,,,,", 'hoursWorkedPerChunk: "0" is 0: write a number above 0'],
    [
      "per_hour_worked,,60,40,,end,,",
      'accrualTiming: "end" has no meaning under the schedule per_hour_worked',
    ],
    ["unlimited,600,,,,,,", 'minutesPerPeriod: "600" contradicts the schedule unlimited'],
    ["unlimited,,,,no,,,", 'isUnlimited: "no" contradicts the schedule unlimited'],
    ["unlimited,,,,,,,480", 'carryoverLimitMinutes: "480" has no meaning under the schedule unlimited'],
    ["yearly,600,,,yes,,,", 'isUnlimited: "yes" contradicts the schedule yearly'],
    ["yearly,600,,,,,-1,", 'waitingPeriodDays: "-1" is below 0'],
    ["yearly,600,,,,,1.5,", 'waitingPeriodDays: "1.5" is not a whole number'],
    ["yearly,-600,,,,,,", 'minutesPerPeriod: "-600" is below 0'],
  ])("%s", async (cells, message) => {
    const [mistake] = await findings({ "policies.csv": `${columns}\nPTO,Leave,yes,hour,Vacation,${cells}` });
    expect(mistake).toStartWith(`policies.csv:2: ${message}`);
  });
});

describe("identities and references", () => {
  test("a duplicate names the line where it was first", async () => {
    expect(await findings({ ...SMALL, "workers.csv": workersCsv("E1", "E2", "E1") })).toEqual([
      'workers.csv:4: legacyId: "E1" is already on line 2: each row needs an id of its own: leave one of them out, or give each employment its own id',
    ]);
  });

  test("a duplicate in another file of the kind names that file", async () => {
    const json = {
      legacyId: "E1",
      firstName: "A",
      lastName: "B",
      email: "a@b.co",
      isBusiness: false,
      startDate: "2024-01-01",
      status: "active",
      type: "employee",
    };
    expect(
      await findings({ "workers.csv": workersCsv("E1"), "workers.jsonl": JSON.stringify(json) }),
    ).toEqual([
      'workers.jsonl:1: legacyId: "E1" is already on line 2 of workers.csv: each row needs an id of its own: leave one of them out, or give each employment its own id',
    ]);
  });

  test("a holiday twice, as of two calendar files with one name", async () => {
    const holidays = "calendar,date,name\nDE,2026-01-01,Neujahr\nDE,2026-01-01,Neujahr\n";
    expect(await findings({ "holidays.csv": holidays })).toEqual([
      'holidays.csv:3: calendar: "DE" with this date and "Neujahr" is already on line 2: leave one of them out, or give two calendars different names (the X-WR-CALNAME of calendar files)',
    ]);
  });

  test("work hours of a worker twice on one day", async () => {
    expect(
      await findings({
        ...SMALL,
        "work_hours.csv": "workerId,date,minutes\nE1,2025-01-01,60\nE1,2025-01-01,30",
      }),
    ).toEqual(['work_hours.csv:3: workerId: "E1" with this date is already on line 2']);
  });

  // What identifies a row is in docs/importing.md, Files.
  test.each([
    [
      "openings",
      "workerId,policyId,date,minutes",
      "E1,PTO,2025-01-31,60",
      "E1,PTO,2025-02-28,60",
      'workerId: "E1" with policyId "PTO"',
    ],
    [
      "reported",
      "workerId,policyId,date,minutes",
      "E1,PTO,2025-01-31,60",
      "E1,PTO,2025-01-31,90",
      'workerId: "E1" with policyId "PTO" and this date',
    ],
    [
      "schedules",
      "workerId,startsOn,minutesPerWeekday",
      'E1,2025-01-01,"480,0,0,0,0,0,0"',
      'E1,2025-01-01,"0,0,0,0,0,0,0"',
      'workerId: "E1" with this startsOn',
    ],
    [
      "policy_changes",
      "policyId,from,minutesPerPeriod",
      "PTO,2027-01-01,900",
      "PTO,2027-01-01,950",
      'policyId: "PTO" with this from',
    ],
  ])("%s of the same twice", async (kind, header, row, again, named) => {
    expect(await findings({ ...SMALL, [`${kind}.csv`]: `${header}\n${row}\n${again}` })).toEqual([
      `${kind}.csv:3: ${named} is already on line 2`,
    ]);
  });

  test("an assignment of a worker to a policy twice", async () => {
    expect(
      await findings({
        ...SMALL,
        "assignments.csv": `workerId,policyId,assignedAt${"\nE1,PTO,2024-01-01T00:00:00Z".repeat(2)}`,
      }),
    ).toEqual([
      'assignments.csv:3: workerId: "E1" with policyId "PTO" is already on line 2: a worker has a policy once; write times without employment as gaps, and its end as endsOn; to return to it from another policy, use a copy of it',
    ]);
  });

  test("duplicates of a first import are reported together with an earlier bad value", async () => {
    expect(
      await findings({
        ...SMALL,
        "workers.csv": workersCsv("E1", "E2", "E3").replace("e3@example.com", "e3"),
        "requests.csv": requestsCsv("R1 approved E1", "R2 approved E2", "R1 denied E2"),
        "assignments.csv": `workerId,policyId,assignedAt${"\nE1,PTO,2024-01-01T00:00:00Z".repeat(2)}`,
        "work_hours.csv": "workerId,date,minutes\nE1,2026-03-01,480\nE1,2026-03-01,240",
      }),
    ).toEqual([
      'workers.csv:4: email: "e3" is not an email address such as ana@example.com',
      'assignments.csv:3: workerId: "E1" with policyId "PTO" is already on line 2: a worker has a policy once; write times without employment as gaps, and its end as endsOn; to return to it from another policy, use a copy of it',
      'requests.csv:4: legacyId: "R1" is already on line 2: each row needs an id of its own: leave one of them out, or give each its own id; if the rows are leave of other days, a mapping makes it of two columns: "values": {"legacyId": "{id}|{first day}"}, with their names',
      'work_hours.csv:3: workerId: "E1" with this date is already on line 2',
    ]);
  });

  test("a reference to nothing", async () => {
    expect(await findings({ ...SMALL, "requests.csv": requestsCsv("R1 approved E9") })).toEqual([
      'requests.csv:2: workerId: "E9" is no worker: neither an id nor a legacyId, in these files or stored',
    ]);
  });

  test.each(["ana@example.com", "Ana Lind"])(
    "a person who is named as %s: what puts the id there",
    async (name) => {
      const header = "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId";
      const row = `R1,2026-01-01T00:00:00Z,2026-02-02T00:00:00Z,2026-02-03T00:00:00Z,480,approved,PTO,${name}`;
      expect(await findings({ ...SMALL, "requests.csv": `${header}\n${row}` })).toEqual([
        `requests.csv:2: workerId: "${name}" is no worker: neither an id nor a legacyId, in these files or stored; if the file names people by addresses or names, put their ids beside them in a query, as rollcall map init does (docs/mapping.md, Queries)`,
      ]);
    },
  );

  test("a bad worker is reported once, not for each of its requests", async () => {
    const workers = workersCsv("E1", "E2").replace("e2@example.com", "e2");
    expect(await findings({ ...SMALL, "workers.csv": workers })).toEqual([
      'workers.csv:3: email: "e2" is not an email address such as ana@example.com',
    ]);
  });

  test.each([
    ["too few cells", (csv: string) => csv.replace(",Europe/Berlin\nE2", "\nE2"), "has 8 cells"],
    ["no id at all", (csv: string) => csv.replace("\nE1,", "\n,"), "id or legacyId: one of them is needed"],
  ])("a worker with %s is told alone, without its requests", async (_, spoilt, message) => {
    const mistakes = await findings({ ...SMALL, "workers.csv": spoilt(workersCsv("E1", "E2")) });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toStartWith(`workers.csv:2: ${message}`);
  });

  test("a bad header is reported with the bad rows of other files, and without rows of its own or those that refer to them", async () => {
    const workers = workersCsv("E1", "").replace("email", "e_mail_address");
    const requests = requestsCsv("R1 aproved E1", "R2 approved E9");
    expect(await findings({ ...SMALL, "workers.csv": workers, "requests.csv": requests })).toEqual([
      expect.stringMatching(/^workers\.csv:1: column "e_mail_address" is not a field of workers/),
      "workers.csv:1: column email is missing: every row needs it",
      expect.stringMatching(/^requests\.csv:2: status: "aproved" is not one of pending, approved, denied/),
    ]);
  });

  test("a row with neither id", async () => {
    expect(await findings({ "workers.csv": workersCsv("E1").replace("\nE1,", "\n,") })).toEqual([
      "workers.csv:2: id or legacyId: one of them is needed to tell the row from others",
    ]);
  });

  test("an id of another kind", async () => {
    const [mistake] = await findings({
      "policies.csv": POLICIES_CSV.replace("legacyId", "id").replace("PTO", "wrk_1").replace("SICK", "top_1"),
    });
    expect(mistake).toBe(
      'policies.csv:2: id: "wrk_1" is not a policy id: top_ and 1 to 64 of A–Z a–z 0–9 _ -',
    );
  });
});

test("the same mistake in many rows is one message, with each value and its count", async () => {
  const company = await TestCompany.open();
  const statuses = ["aproved", "aproved", "aproved", "cancelled", "open", "open"];
  const rows = statuses.map((status, at) => `R${at} ${status} E1`);
  const mistakes = await company.refused({ ...SMALL, "requests.csv": requestsCsv(...rows) });
  expect(mistakes).toEqual([
    'requests.csv:2: status: "aproved" (3 rows), "open" (2), "cancelled" (1): not one of pending, approved, denied',
  ]);
});

test("the first hundred mistakes are reported, and further rows counted", async () => {
  const company = await TestCompany.open();
  // Each row has an id and a legacyId that name different rows, which no other row has.
  const ids = Array.from({ length: 250 }, (_, at) => `tor_${at},R${at + 1}`);
  const rows = requestsCsv(...ids.map((_, at) => `R${at} approved E1`)).split("\n");
  const header = rows[0]!.trim();
  const wrong = [`id,${header}`, ...rows.slice(1).map((row, at) => `tor_${at},${row.trim()}`)].join("\n");
  await company.import({
    ...SMALL,
    "requests.csv": requestsCsv(...ids.map((_, at) => `R${at} approved E1`)),
  });
  const mistakes = await company.refused({ "requests.csv": wrong });
  expect(mistakes).toHaveLength(101);
  expect(mistakes.at(-1)).toBe("+150");
  expect(mistakes[99]).toStartWith('requests.csv:101: id: "tor_99" and legacyId "R99" name different rows');
});

test("the same mistake in many rows keeps the hint of most of them", async () => {
  const policies = ["1,5", "2,5", "3,5", "1,575", "2,5"].map(
    (text, at) => `P${at},P,yes,day,yearly,P,"${text}"`,
  );
  const header = "legacyId,name,paid,unit,schedule,timeOffTypeName,minutesPerPeriod";
  const [decimals] = await findings({ "policies.csv": [header, ...policies].join("\n") });
  expect(decimals).toStartWith(
    'policies.csv:2: minutesPerPeriod: "2,5" (2 rows), "1,5" (1), "3,5" (1), "1,575" (1): not a',
  );
  expect(decimals).toEndWith('(or say in a mapping how the file writes numbers: "decimal": ",")');
  const statuses = ["aproved", "denyed", "pendin", "x"].map((status, at) => `R${at} ${status} E1`);
  const [mixed] = await findings({ ...SMALL, "requests.csv": requestsCsv(...statuses) });
  expect(mixed).toEndWith("not one of pending, approved, denied");
});

test("invalid CSV in one file hides no mistake in the rows or headers of others", async () => {
  const files = {
    ...SMALL,
    "workers.csv": String(SMALL["workers.csv"]).replace("Ana", 'A"na'),
    "requests.csv": requestsCsv("R1 aproved E1"),
  };
  const quote = expect.stringMatching(/^workers\.csv:2: a quote stands where/);
  expect(await findings(files)).toEqual([
    quote,
    expect.stringMatching(/^requests\.csv:2: status: "aproved"/),
  ]);
  expect(
    await findings({ ...files, "requests.csv": files["requests.csv"].replace("status", "state") }),
  ).toEqual(expect.arrayContaining([quote, expect.stringMatching(/^requests\.csv:1: column "?state/)]));
});

test("a file that is unreadable from some line on hides no other mistake, and its missing rows are not reported as unknown", async () => {
  const workers = Array.from(
    { length: 3000 },
    (_, at) => `F${at},Ana,Lind,a${at}@example.com,no,2020-01-01,active,employee`,
  );
  const text = [
    "legacyId,firstName,lastName,email,isBusiness,startDate,status,type",
    "E1,Ana,Lind,a@example.com,no,2020-13-01,active,employee",
    ...workers,
    'E2,A"na,Lind,a@example.com,no,2020-01-01,active,employee',
    "E3,Ana,Lind,a@example.com,no,2020-01-01,active,employee",
  ];
  const files = {
    "workers.csv": text.join("\n"),
    "policies.csv": POLICIES_CSV,
    "assignments.csv":
      "workerId,policyId,startsOn\nE3,PTO,2020-01-01\nF1,NONE,2020-01-01\nF1,PTO,2020-31-01\nF2,PTO,2020-01-01",
  };
  const expected = [
    'workers.csv:2: startDate: "2020-13-01" is a day that does not exist',
    expect.stringMatching(/^workers\.csv:3003: a quote stands where/),
    'assignments.csv:3: policyId: "NONE" is no policy: neither an id nor a legacyId, in these files or stored; a new kind of leave needs a row in policies',
    'assignments.csv:4: startsOn: "2020-31-01" is a day that does not exist',
  ];
  expect(await findings(files)).toEqual(expected);
  // A second import, on what is stored, and with quarantine, which takes no such file.
  const company = await TestCompany.open();
  await company.importFolder(folderOf(SMALL));
  const before = await company.stored();
  expect(await company.refused(files)).toEqual(expected);
  const quarantine = { limit: 50, write: () => expect.unreachable() };
  expect(await findingsOf(company.importFolder(folderOf(files), { quarantine }))).toEqual(
    expect.arrayContaining(expected),
  );
  expect(await company.stored()).toEqual(before);
});

// Excel shows 100012345678 as 1.00012E+11, and saves that as CSV: the last digits are gone, and several people have one id.
test("an id that a spreadsheet shortened is refused, also where another row refers to it", async () => {
  const company = await TestCompany.open();
  const findings = await company.refused({
    "workers.csv": workersCsv("1.00012E+11", "E1E+5", "1E5"),
    "requests.csv":
      "legacyId,workerId,timeOffPolicyId,createdAt,startAt,endAt,requestedMinutes,status\nR1,1.2E+15,P,2025-01-01T00:00:00Z,2025-01-01T00:00:00Z,2025-01-02T00:00:00Z,480,approved",
  });
  const why = "is a number whose last digits a spreadsheet left out: export ids as text";
  expect(findings.filter((finding) => finding.includes(why))).toEqual([
    `workers.csv:2: legacyId: "1.00012E+11" ${why}`,
    `requests.csv:2: workerId: "1.2E+15" ${why}`,
  ]);
});
