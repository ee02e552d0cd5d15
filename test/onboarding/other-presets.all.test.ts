// Personio (both versions), Factorial, BambooHR and Frappe, with what their documents say that an API sends.
import { expect, test } from "bun:test";
import { PRESET_MAPPINGS } from "../../src/onboarding/presets/index.ts";
import { inFolder, rollcallHere } from "../cli/command.ts";
import { imported, refused } from "../import/convert/mapped.ts";
import { type FakeOfPreset, sample, status } from "../pull/fakes/fake.ts";
import { bamboohr, bamboohrRows } from "./fakes/bamboohr.ts";
import { factorial, factorialRows } from "./fakes/factorial.ts";
import { frappe } from "./fakes/frappe.ts";
import { personio } from "./fakes/personio.ts";
import { personioV2 } from "./fakes/personio-v2.ts";
import { sageHr } from "./fakes/sage-hr.ts";
import { type Facts, factsOf, syncHere } from "./synced.ts";

const TODAY = "2025-06-01";

async function factsAfter(
  preset: string,
  fake: FakeOfPreset,
  day = TODAY,
  ...args: string[]
): Promise<Facts> {
  let facts: Facts | undefined;
  await inFolder(async (folder) => {
    await syncHere(folder, preset, fake, TODAY, 0, ...args);
    facts = await factsOf(folder, day);
  });
  await fake.fake.stop();
  return facts!; // the work has run to its end
}

/** What a strict sync says that refuses. The fake goes on. */
async function refusalOf(preset: string, fake: FakeOfPreset): Promise<string> {
  let text = "";
  await inFolder(async (folder) => {
    text = (await syncHere(folder, preset, fake, TODAY, 1)).stderr;
  });
  return text;
}

type Half = "FIRST_HALF" | "SECOND_HALF" | null;

test("sage-hr: a request of two windows counts once", async () => {
  const names = ["employees.json", "leave_policies.json", "leave_requests.json", "terminated_employees.json"];
  const files = Object.fromEntries(names.map((name) => [name, JSON.stringify(sample("sage-hr", name))]));
  const first = { ...sample("sage-hr", "leave_requests.json").data![0], details: "earlier" };
  const { stored } = await imported(
    { ...files, "leave_requests_00.json": JSON.stringify({ data: [first] }) },
    PRESET_MAPPINGS.get("sage-hr"),
  );
  expect(stored.requests.map(({ legacyId }) => legacyId).sort()).toEqual(["1342", "1343", "1345"]);
});

// Sage HR's OpenAPI: `employees` are those who are active, the others are `terminated-employees`, with a `termination_date`; requests have a
// `status_code` beside their status, which is a text; and pages have 50 rows.
test("sage-hr: two nights of leavers, statuses and windows", async () => {
  const [ana] = sample("sage-hr", "employees.json").data!;
  const [left] = sample("sage-hr", "terminated_employees.json").data!;
  const [leave] = sample("sage-hr", "leave_requests.json").data!;
  const person = (id: number, more: object = {}) => ({ ...ana, id, email: `p${id}@example.com`, ...more });
  const gone = (id: number, termination_date: string, more: object = {}) => ({
    ...{ ...left, id, email: `p${id}@example.com`, employment_start_date: "2021-05-03" },
    termination_date,
    ...more,
  });
  const request = (id: number, status_code: string, start_date: string, end_date = start_date) => ({
    ...{ ...leave, id, employee_id: 101, hours: 8, status: "as people call it" },
    ...{ status_code, start_date, end_date },
  });
  const people = Array.from({ length: 7 }, (_, at) =>
    person(101 + at, {
      reports_to_employee_id: at === 0 ? null : 101,
      employment_start_date: `2022-01-0${1 + at}`,
    }),
  );
  people.push(person(120, { employment_start_date: "2025-09-01" }));
  const requests = [
    request(1, "approved", "2025-04-10", "2025-04-12"), // over the end of a window
    request(2, "pending", "2025-07-01"),
    request(3, "declined", "2025-05-05"),
    request(4, "cancelled", "2025-05-06"),
    request(5, "approved", "2023-07-03"),
  ];
  await inFolder(async (folder) => {
    const night = async (
      day: string,
      employees: object[],
      terminated: object[],
      leave_requests: object[],
    ) => {
      const files = { employees, terminated_employees: terminated, leave_requests };
      const fake = await sageHr(
        Object.fromEntries(
          Object.entries(files).map(([name, rows]) => [`${name}.json`, rows as Record<string, unknown>[]]),
        ),
        3,
      );
      await syncHere(folder, "sage-hr", fake, day);
      await fake.fake.stop();
      return await factsOf(folder, day);
    };
    const before = await night(TODAY, people, [gone(130, "2025-03-31"), gone(131, "2025-12-31")], requests);
    expect(before.workers).toMatchObject({
      102: "active, 2022-01-02 to null, manager 101, p102@example.com",
      120: "onboarding, 2025-09-01 to null, manager -, p120@example.com",
      130: "inactive, 2021-05-03 to 2025-03-31, manager -, p130@example.com",
      131: "active, 2021-05-03 to 2025-12-31, manager -, p131@example.com",
    });
    expect(Object.values(before.requests).map((text) => text.split(", ").slice(2).join(", "))).toEqual([
      "480 approved, 2025-04-10T00:00 to 2025-04-13T00:00",
      "480 pending, 2025-07-01T00:00 to 2025-07-02T00:00",
      "480 denied, 2025-05-05T00:00 to 2025-05-06T00:00",
      "480 approved, 2023-07-03T00:00 to 2023-07-04T00:00",
    ]);
    const stay = people.filter(({ id }) => id !== 107);
    const named = { ...ana, id: 107, email: "p107@example.com", employment_start_date: "2022-01-07" };
    const after = await night("2025-06-30", stay, [gone(107, "2025-06-29", named)], requests.slice(1));
    expect(Object.keys(after.requests)).toEqual(["2", "3", "5"]); // 5 has left the windows, and 1 was deleted
    expect(after.workers[107]).toBe("inactive, 2022-01-07 to 2025-06-29, manager -, p107@example.com");
  });
});

// The models of Sage HR's API (github.com/konfig-sdks/sage-typescript-sdk): the manager is `reports_to_employee_id`, and leave of a part of a
// day is of its first or second part.
test("sage-hr: managers, halves, and people without an address", async () => {
  const [ana] = sample("sage-hr", "employees.json").data!;
  const [leave] = sample("sage-hr", "leave_requests.json").data!;
  const day = { ...leave, start_date: "2025-05-05", end_date: "2025-05-05", hours: 4 };
  const file = (...data: object[]) => JSON.stringify({ data });
  const { stored } = await imported(
    {
      "employees.json": file(
        ana!,
        { ...ana, id: 103, email: "", reports_to_employee_id: 101 },
        { ...ana, id: 104, email: null, reports_to_employee_id: 999 },
      ),
      "leave_policies.json": JSON.stringify(sample("sage-hr", "leave_policies.json")),
      "leave_requests.json": file(
        { ...day, id: 1, first_part_of_day: true },
        { ...day, id: 2, second_part_of_day: true },
      ),
    },
    PRESET_MAPPINGS.get("sage-hr"),
  );
  const people = new Map(stored.workers.map((row) => [row.legacyId, row]));
  expect(people.get("103")!.managerId).toBe(people.get("101")!.id);
  expect(people.get("104")!.managerId).toBeNull();
  expect(JSON.parse(people.get("103")!.doc)).toMatchObject({
    email: "103@no-email.invalid",
    workEmail: null,
  });
  const times = stored.requests
    .map(({ doc }) => JSON.parse(doc))
    .map(({ startAt, endAt }) => [startAt, endAt]);
  expect(times.sort()).toEqual([
    ["2025-05-05T00:00:00.000Z", "2025-05-05T12:00:00.000Z"],
    ["2025-05-05T12:00:00.000Z", "2025-05-06T00:00:00.000Z"],
  ]);
});

test("hibob: of ten saved windows, the last one counts", async () => {
  const [created] = sample("hibob", "timeoff_changes.json").changes!;
  const file = (more: object) => JSON.stringify({ changes: [{ ...created, ...more }] });
  const { stored } = await imported(
    {
      "people.json": JSON.stringify(sample("hibob", "people.json")),
      "timeoff_changes_9.json": file({ status: "pending" }),
      "timeoff_changes_10.json": file({ changeType: "Updated", status: "approved" }),
    },
    PRESET_MAPPINGS.get("hibob"),
  );
  expect(stored.requests.map(({ status }) => status)).toEqual(["approved"]);
});

// Recorded responses (github.com/stephaneberle9/personio-client, `inclusiveEndDate`): leave in days ends at the midnight after its last day, and
// the breakdown has each of its days. Other clients read the last day itself. An approval may have more words than three.
test("personio-v2: leave in days ends on the last day of its breakdown", async () => {
  const period = (
    id: string,
    from: string,
    to: string,
    approval = "APPROVED",
    endHalf: Half = "SECOND_HALF",
  ) => ({
    id,
    person: { id: "101" },
    absence_type: { id: "t" },
    starts_from: { date_time: `${from}T00:00:00`, type: "FIRST_HALF" },
    ends_at: { date_time: `${to}T00:00:00`, type: endHalf },
    approval: { status: approval },
    created_at: "2025-01-09T10:00:00Z",
  });
  const day = (period_id: string, date: string, value: number) => ({
    period_id,
    date,
    effective_duration: { unit: "DAY", value },
  });
  const [person] = sample("personio-v2", "persons.json")._data!;
  const fake = await personioV2({
    persons: [{ ...person, id: "101", email: "" }],
    "absence-types": [{ id: "t", name: "Vacation", category: null }],
    "absence-periods": [
      period("midnight", "2025-05-09", "2025-05-13"),
      period("last", "2025-05-15", "2025-05-16", "DELETION_PENDING"),
      period("half", "2025-05-20", "2025-05-21", "SUBSTITUTE_REQUESTED", "FIRST_HALF"),
    ],
    "absence-breakdowns": [
      day("midnight", "2025-05-09", 1),
      day("midnight", "2025-05-10", 0),
      day("midnight", "2025-05-11", 0),
      day("midnight", "2025-05-12", 1),
      day("last", "2025-05-15", 1),
      day("last", "2025-05-16", 1),
      day("half", "2025-05-20", 0.5),
    ],
  });
  const { workers, requests } = await factsAfter("personio-v2", fake);
  expect(workers["101"]).toEndWith(", null");
  expect(requests).toEqual({
    midnight: "101, t, 960 approved, 2025-05-09T00:00 to 2025-05-13T00:00",
    last: "101, t, 960 approved, 2025-05-15T00:00 to 2025-05-17T00:00",
    half: "101, t, 240 pending, 2025-05-20T00:00 to 2025-05-20T12:00",
  });
});

test("personio-v2: amounts by day; hours, halves and open ends", async () => {
  const period = (id: string, starts: string, startHalf: Half, ends: string | null, endHalf: Half) => ({
    id,
    person: { id: "101" },
    absence_type: { id: "t" },
    starts_from: { date_time: starts, type: startHalf },
    ends_at: ends === null ? null : { date_time: ends, type: endHalf },
    timezone_id: "Europe/Berlin",
    comment: null,
    approval: { status: "APPROVED" },
    created_at: "2025-01-09T10:00:00Z",
  });
  const day = (period_id: string, date: string, value: number, unit = "DAY") => ({
    period_id,
    date,
    effective_duration: { unit, value },
  });
  const fake = await personioV2({
    "absence-types": [{ id: "t", name: "Vacation", category: "PAID_VACATION", unit: "DAY" }],
    "absence-periods": [
      period("a", "2025-05-05T00:00:00", "SECOND_HALF", "2025-05-07T00:00:00", "FIRST_HALF"),
      period("b", "2025-05-12T10:00:00", null, "2025-05-12T12:00:00", null),
      period("c", "2025-05-28T00:00:00", "FIRST_HALF", null, null),
      period("d", "2025-04-30T00:00:00", "FIRST_HALF", "2025-05-02T00:00:00", "SECOND_HALF"), // 1 May is a holiday
      period("e", "2025-05-13T10:00:00", null, "2025-05-13T11:30:00", null), // no amount is told
    ],
    "absence-breakdowns": [
      day("a", "2025-05-05", 0.5),
      day("a", "2025-05-06", 1),
      day("a", "2025-05-07", 0.5),
      day("b", "2025-05-12", 2, "HOUR"),
      day("d", "2025-04-30", 1),
      day("d", "2025-05-01", 0),
      day("d", "2025-05-02", 1),
    ],
  });
  expect(await refusalOf("personio-v2", fake)).toMatch(/^1 request has no amount.*\(worker 101\)/m);
  expect((await factsAfter("personio-v2", fake, TODAY, "--accept", "assumed-days")).requests).toEqual({
    a: "101, t, 960 approved, 2025-05-05T12:00 to 2025-05-07T12:00",
    b: "101, t, 120 approved, 2025-05-12T08:00 to 2025-05-12T10:00",
    c: "101, t, 1440 approved, 2025-05-28T00:00 to 2025-06-02T00:00", // until today
    d: "101, t, 960 approved, 2025-04-30T00:00 to 2025-05-03T00:00",
    e: "101, t, 90 approved, 2025-05-13T08:00 to 2025-05-13T09:30",
  });
});

// Personio's documents: a person has employments, each with a start and an end; of breakdowns, "one entry for each day in the absence period".
test("personio-v2: several employments, and what leave takes of each day", async () => {
  const [ana] = sample("personio-v2", "persons.json")._data!;
  const [period] = sample("personio-v2", "absence-periods.json")._data!;
  const [type] = sample("personio-v2", "absence-types.json")._data!;
  const person = (id: string, status = "ACTIVE") => ({ ...ana, id, email: `${id}@example.com`, status });
  const employment = (person_id: string, start: string, end: string | null, more: object = {}) => ({
    person_id,
    type: "INTERNAL",
    employment_start_date: start,
    employment_end_date: end,
    position: { title: "Clerk" },
    supervisor: null,
    ...more,
  });
  const { workers, requests, days, assignments } = await factsAfter(
    "personio-v2",
    await personioV2({
      persons: [
        person("1"),
        person("2"),
        person("3"),
        person("4", "INACTIVE"),
        ...["5", "6", "7", "8"].map((id) => person(id)),
      ],
      employments: [
        employment("1", "2018-01-01", "2020-12-31"),
        employment("1", "2023-01-01", null),
        employment("2", "2018-01-01", "2025-06-30"),
        employment("2", "2025-07-01", null, { supervisor: { id: "1" } }), // not yet
        employment("3", "2018-01-01", null),
        employment("3", "2020-01-01", "2024-12-31"), // beside the first
        employment("4", "2018-01-01", "2025-03-31"),
        employment("4", "2025-09-01", null),
        employment("5", "2025-07-01", null),
        employment("6", "2018-01-01", "2025-12-31"),
        // Notice, as developer.personio.de/discuss/696a61c9486fbb2362d81955 shows it: of a contract without an end, and before its end.
        employment("7", "2018-01-01", null, {
          termination: { termination_date: "2025-09-30", type: "QUIT" },
        }),
        employment("8", "2018-01-01", "2026-12-31", { termination: { termination_date: "2025-10-31" } }),
      ],
      "absence-periods": [
        {
          ...period,
          id: "a",
          person: { id: "1" },
          starts_from: { date_time: "2024-12-30T00:00:00", type: "FIRST_HALF" },
          ends_at: { date_time: "2025-01-03T00:00:00", type: "SECOND_HALF" },
        },
      ],
      "absence-breakdowns": Object.entries({
        "2024-12-30": 1,
        "2024-12-31": 0.5,
        "2025-01-01": 0,
        "2025-01-02": 1,
        "2025-01-03": 1,
      }).map(([date, value]) => ({ period_id: "a", date, effective_duration: { unit: "DAY", value } })),
    }),
  );
  expect(workers).toEqual({
    1: "active, 2018-01-01 to null, manager -, 1@example.com",
    2: "active, 2018-01-01 to null, manager -, 2@example.com",
    3: "active, 2018-01-01 to null, manager -, 3@example.com",
    4: "inactive, 2018-01-01 to 2025-03-31, manager -, 4@example.com",
    5: "onboarding, 2025-07-01 to null, manager -, 5@example.com",
    6: "active, 2018-01-01 to 2025-12-31, manager -, 6@example.com",
    7: "active, 2018-01-01 to 2025-09-30, manager -, 7@example.com",
    8: "active, 2018-01-01 to 2025-10-31, manager -, 8@example.com",
  });
  expect(assignments).toEqual([`1 ${type!.id} 2021-01-01/2022-12-31`]);
  expect(requests.a).toContain(", 1680 approved, ");
  expect(days.a).toBe("2024-12-30 480, 2024-12-31 240, 2025-01-02 480, 2025-01-03 480");
});

test("personio: halves keep their half; a key without the address is told what it lacks", async () => {
  const { data: timeOffs } = await import("../../src/onboarding/presets/personio/example/time-offs.json");
  const { data: employees } = await import("../../src/onboarding/presets/personio/example/employees.json");
  const half = structuredClone(timeOffs[1]!);
  Object.assign(half.attributes, { status: "approved", half_day_end: 1 });
  const other = structuredClone(half);
  Object.assign(other.attributes, { id: 1, id_v2: "other", half_day_end: 0, half_day_start: 1 });
  const { requests } = await factsAfter(
    "personio",
    await personio({ employees, timeOffs: [half, other], balances: [] }),
  );
  expect(Object.values(requests).map((text) => text.split(", ")[3]!)).toEqual([
    "2025-07-07T00:00 to 2025-07-07T12:00",
    "2025-07-07T12:00 to 2025-07-08T00:00",
  ]);
  const blind = employees.map(({ attributes: { email: _, ...attributes }, ...one }) => ({
    ...one,
    attributes,
  }));
  const blindFake = await personio({ employees: blind, timeOffs: [], balances: [] });
  const text = await refusalOf("personio", blindFake);
  await blindFake.fake.stop();
  expect(text).toContain(
    "employees.json: no row has attributes.email: give the credentials, under Personal data, the attribute Email",
  );
});

// An attribute without a value is null or an empty text. Absences end on a day, or are open; people ask to take approved ones back.
test("personio: an empty address, open ends, and leave that is taken back", async () => {
  const { data: people } = await import("../../src/onboarding/presets/personio/example/employees.json");
  const { data: timeOffs } = await import("../../src/onboarding/presets/personio/example/time-offs.json");
  const employees = structuredClone(people) as { attributes: Record<string, { value: unknown }> }[];
  employees[0]!.attributes.email!.value = "";
  const absence = (id: number, start_date: string, end_date: string | null, status: string) => ({
    ...timeOffs[0]!,
    attributes: {
      ...timeOffs[0]!.attributes,
      ...{ id, id_v2: `v${id}`, start_date, end_date, status },
      days_count: 1,
    },
  });
  const { workers, requests } = await factsAfter(
    "personio",
    await personio({
      employees,
      timeOffs: [
        absence(1, "2025-05-30T00:00:00+02:00", null, "approved"),
        absence(2, "2025-06-10T00:00:00+02:00", null, "requested"), // it begins after today
        absence(3, "2025-06-11T00:00:00+02:00", "2025-06-11T00:00:00+02:00", "deletion_pending"),
        absence(4, "2025-06-12T00:00:00+02:00", "2025-06-12T00:00:00+02:00", "canceled"),
      ],
      balances: [],
    }),
  );
  expect(workers["101"]).toEndWith(", null");
  const policy = "00000000-0000-4000-9000-000000000078";
  expect(requests).toEqual({
    v1: `101, ${policy}, 480 approved, 2025-05-30T00:00 to 2025-06-02T00:00`,
    v2: `101, ${policy}, 480 pending, 2025-06-10T00:00 to 2025-06-11T00:00`,
    v3: `101, ${policy}, 480 approved, 2025-06-11T00:00 to 2025-06-12T00:00`,
  });
});

// Personio's own OpenAPI (personio/api-docs, /company/absence-periods): instants, durations in minutes, a breakdown by day, an end that
// may be null, the time zone of the absence, and an offset that counts records.
test("personio: absences that are counted in hours", async () => {
  const { data: employees } = await import("../../src/onboarding/presets/personio/example/employees.json");
  const { data: examples } = await import(
    "../../src/onboarding/presets/personio/example/absence-periods.json"
  );
  const period = (
    id: string,
    start: string,
    end: string | null,
    minutes: number,
    days: object,
    more = {},
  ) => ({
    type: "AbsencePeriod",
    attributes: {
      ...examples[0]!.attributes,
      ...{ id, start, end, effective_duration: minutes },
      breakdowns: Object.entries(days).map(([date, duration]) => ({ date, effective_duration: duration })),
      absence_type: {
        type: "AbsenceType",
        attributes: { id: "lieu", name: "Time in lieu", time_off_type_id: 8 },
      },
      ...more,
    },
  });
  const fake = () =>
    personio({
      employees,
      timeOffs: [],
      balances: [],
      periods: [
        period("a", "2025-03-02T23:00:00.0Z", "2025-03-04T23:00:00.0Z", 960, {
          "2025-03-03": 480,
          "2025-03-04": 480,
        }),
        period("b", "2025-03-10T13:00:00+01:00", "2025-03-10T15:00:00Z", 180, { "2025-03-10": 180 }),
        period("c", "2025-05-31T22:00:00.0Z", null, 600, { "2025-06-01": 480 }, { status: "pending" }),
        period("d", "2025-03-12T12:00:00.0Z", "2025-03-12T13:00:00.0Z", 60, {}, { status: "rejected" }),
        period("e", "2025-05-26T22:00:00.0Z", null, 960, {}, { timezone: "Europe/Berlin" }),
        period("f", "2025-03-17T12:00:00.0Z", "2025-03-17T13:00:00.0Z", 60, {}, { status: "cancelled" }),
      ],
    });
  const { requests, days, assignments } = await factsAfter("personio", await fake());
  expect(requests).toEqual({
    a: "101, lieu, 960 approved, 2025-03-02T23:00 to 2025-03-04T23:00",
    b: "101, lieu, 180 approved, 2025-03-10T12:00 to 2025-03-10T15:00",
    c: "101, lieu, 600 pending, 2025-05-31T22:00 to 2025-06-02T00:00",
    d: "101, lieu, 60 denied, 2025-03-12T12:00 to 2025-03-12T13:00",
    e: "101, lieu, 960 approved, 2025-05-26T22:00 to 2025-06-01T22:00", // until today, in Berlin
  });
  expect(days).toEqual({ a: "2025-03-03 480, 2025-03-04 480", b: "2025-03-10 180" });
  expect(assignments).toEqual(["101 lieu"]);
});

// Personio's OpenAPI has the categories of absence types. Factorial's help, "Absence Types FAQs": a type is a working day if "during the
// absence, he will be working", such as telework.
test("personio, personio-v2, factorial: work from home is no absence, and unpaid leave is not paid", async () => {
  const { data: employees } = await import("../../src/onboarding/presets/personio/example/employees.json");
  const { data: examples } = await import("../../src/onboarding/presets/personio/example/time-offs.json");
  const categories = ["paid_vacation", "unpaid_vacation", "offsite_work", null, "sick_leave"];
  const expected = { t0: "paid", t1: "unpaid", t2: "paid, works", t3: "paid", t4: "paid" };
  const timeOffs = categories.map((category, at) => {
    const timeOff = structuredClone(examples[0]!);
    const type = { id: at, id_v2: `t${at}`, name: `T${at}`, category };
    const [start_date, end_date] = [`2025-03-0${at + 3}T00:00:00+01:00`, `2025-03-0${at + 3}T00:00:00+01:00`];
    Object.assign(timeOff.attributes, { id: at, id_v2: `r${at}`, days_count: 1, start_date, end_date });
    Object.assign(timeOff.attributes.time_off_type.attributes, type);
    return timeOff;
  });
  const one = await factsAfter("personio", await personio({ employees, timeOffs, balances: [] }));
  expect(one.policies).toEqual(expected);

  const [period] = sample("personio-v2", "absence-periods.json")._data!;
  const given = {
    "absence-types": categories.map((category, at) => ({
      ...{ id: `t${at}`, name: `T${at}`, unit: "DAY", category: category?.toUpperCase() ?? null },
    })),
    "absence-periods": categories.map((_, at) => {
      const day = { date_time: `2025-03-0${at + 3}T00:00:00`, type: null };
      return { ...period, id: `p${at}`, absence_type: { id: `t${at}` }, starts_from: day, ends_at: day };
    }),
    "absence-breakdowns": categories.map((_, at) => ({
      ...{ period_id: `p${at}`, date: `2025-03-0${at + 3}`, effective_duration: { unit: "DAY", value: 1 } },
    })),
  };
  expect((await factsAfter("personio-v2", await personioV2(given))).policies).toEqual(expected);

  const files = factorialRows();
  const [leave] = files["leaves.json"]!;
  const [type] = files["leave_types.json"]!;
  files["leave_types.json"] = [
    { ...type, id: 1 },
    { ...type, id: 2, payable: false },
    { ...type, id: 3, workable: true },
    { ...type, id: 4, payable: null },
  ];
  files["allowance_stats.json"] = [];
  files["leaves.json"] = [1, 2, 3, 4].map((id) => ({
    ...leave,
    ...{ id, leave_type_id: id, leave_type_name: `T${id}`, start_on: `2025-03-0${id + 2}` },
    finish_on: `2025-03-0${id + 2}`,
  }));
  const { policies } = await factsAfter("factorial", await factorial(files));
  expect(policies).toMatchObject({ 1: "paid", 2: "unpaid", 3: "paid, works", 4: "paid" });
});

test("factorial: the address of work, managers, notice for later, a future hire, open ends", async () => {
  const files = factorialRows();
  const [ana, bo] = files["employees.json"]!;
  files["employees.json"] = [
    { ...ana, email: "home@example.org", login_email: "ana@work.example" },
    { ...bo, active: true, terminated_on: "2025-12-31" },
    { ...bo, id: 103, active: true, terminated_on: null, manager_id: null },
    { ...bo, id: 104, active: false, terminated_on: "2025-03-31" },
  ];
  files["contract_versions.json"]!.push(
    { id: 3, employee_id: 103, starts_on: "2025-07-01", job_title: null },
    { id: 4, employee_id: 104, starts_on: "2022-01-03", job_title: null },
  );
  const [leave] = files["leaves.json"]!;
  files["leaves.json"] = [{ ...leave, start_on: "2025-05-28", finish_on: null }];
  const { workers, requests } = await factsAfter("factorial", await factorial(files));
  expect(workers).toEqual({
    101: "active, 2023-03-01 to null, manager -, ana@work.example",
    102: "active, 2021-06-14 to 2025-12-31, manager 101, bo@example.com",
    103: "onboarding, 2025-07-01 to null, manager -, bo@example.com",
    104: "inactive, 2022-01-03 to 2025-03-31, manager 101, bo@example.com",
  });
  expect(Object.values(requests)).toEqual(["101, 78, 1440 approved, 2025-05-28T00:00 to 2025-06-02T00:00"]);
});

// The fields are those of Factorial's models (2025-10-01) of contract versions, company holidays and leaves.
test("factorial: the contract's days and hours, company holidays and halves make an amount; without them it is asked", async () => {
  const files = factorialRows();
  const [bo] = files["employees.json"]!.slice(1);
  files["employees.json"] = [...Array(10)].map((_, at) => {
    const own = { id: 201 + at, email: `${at}@example.org`, location_id: at === 9 ? null : 1 };
    return { ...bo, ...own, active: true, terminated_on: null };
  });
  const [contract] = files["contract_versions.json"]!;
  const week = "monday,tuesday,wednesday,thursday,friday";
  const version = (employee_id: number, more: object) => ({
    ...contract,
    employee_id,
    starts_on: `2023-03-${employee_id - 200}`.replace(/-(.)$/, "-0$1"),
    ...more,
  });
  files["contract_versions.json"] = [
    version(201, { working_week_days: "monday,tuesday,wednesday", working_hours: 2400 }),
    version(202, { working_week_days: week, effective_on: "2023-03-01" }),
    version(202, { working_week_days: "monday,friday", effective_on: "2025-03-05" }),
    version(203, { bank_holiday_treatment: "workable" }),
    version(204, { working_hours: 2000 }),
    version(205, { working_hours: 400, working_hours_frequency: "day" }),
    version(206, { working_hours: 40 }),
    version(207, { working_week_days: null }),
    version(208, {}),
    version(209, {}),
    version(210, {}),
  ];
  const [leave] = files["leaves.json"]!;
  const [allowance] = files["allowances.json"]!;
  const base = { ...leave, start_on: "2025-03-03", finish_on: "2025-03-09" };
  files["allowances.json"]!.push({ ...allowance, id: 11, allowance_type: "hours", leave_type_ids: [79] });
  files["allowance_stats.json"] = [];
  files["company_holidays.json"] = [
    { id: 1, location_id: 1, date: "2025-03-06", half_day: null },
    { id: 2, location_id: 1, date: "2025-03-07", half_day: "beginning_of_day" },
    { id: 3, location_id: 2, date: "2025-03-04", half_day: null },
  ];
  const hours = { leave_type_id: 79, leave_type_name: "Lieu" };
  files["leaves.json"] = [
    { ...base, id: 1, employee_id: 201 },
    { ...base, id: 2, employee_id: 202 },
    { ...base, id: 3, employee_id: 203 },
    { ...base, id: 4, employee_id: 204, ...hours },
    { ...base, id: 5, employee_id: 205, ...hours },
    { ...base, id: 6, employee_id: 209, finish_on: "2025-03-03", half_day: "end_of_day" },
    { ...base, id: 7, employee_id: 208, finish_on: "2025-03-04", hours_amount_in_cents: 350 },
    { ...base, id: 8, employee_id: 208, start_on: "2025-03-09" }, // a Sunday
  ];
  const known = await factsAfter("factorial", await factorial(files));
  expect(Object.values(known.requests).map((text) => text.split(" ")[2])).toEqual(
    ["1440", "1200", "2400", "840", "840", "240", "210", "0"], // 5 x 4 h less a day and a half, and so on
  );
  files["leaves.json"] = [
    { ...base, id: 1, employee_id: 206, ...hours }, // 40 hundredths of an hour a week
    { ...base, id: 2, employee_id: 207 }, // no days
    { ...base, id: 3, employee_id: 208, half_day: "end_of_day" }, // a half of each day, or of the first?
    { ...base, id: 4, employee_id: 210 }, // no location, so no holidays
  ];
  const fake = await factorial(files);
  const refused = await refusalOf("factorial", fake);
  expect(refused).toMatch(
    /^4 requests have no amount.*worker 206.*worker 207.*worker 208.*, …\).*\[assumed-days\]$/m,
  );
  await fake.fake.stop();
});

// Factorial's help, "Calendar Days: All Planning Tools": one variant counts the requested days alone, the other goes on over free days;
// holidays that are not worked count nothing. Its models of allowances have the words.
// Factorial's SDK (factorialco/factorial-api-sdks, TimeoffLeave, version 2026-10-01): `used_units_by_day` has days and hours by date, and
// `days_taken` is their sum. A version of a contract counts from `effective_on`; `starts_on` is the day of the hire.
test("factorial: what the API tells of each day comes before the contract; the position is that of today", async () => {
  const files = factorialRows();
  const [contract] = files["contract_versions.json"]!;
  const version = (effective_on: string, job_title: string) => ({
    ...contract,
    ...{ employee_id: 101, starts_on: "2020-01-01", effective_on, job_title },
  });
  files["contract_versions.json"] = [
    version("2020-01-01", "Developer"),
    version("2025-01-01", "Lead"),
    version("2025-09-01", "Director"),
  ];
  const [leave] = files["leaves.json"]!;
  const [allowance] = files["allowances.json"]!;
  files["allowances.json"]!.push({ ...allowance, id: 11, allowance_type: "hours", leave_type_ids: [79] });
  const dates = ["2025-03-03", "2025-03-04", "2025-03-05"];
  const byDay = (days: number[], hours: number[]) => ({
    workable_units_by_day: null,
    used_units_by_day: {
      days: Object.fromEntries(dates.map((date, at) => [date, days[at]])),
      hours: Object.fromEntries(dates.map((date, at) => [date, hours[at]])),
    },
  });
  const more = { ...leave, employee_id: 101, start_on: dates[0], finish_on: dates[2] };
  const ofHours = { leave_type_id: 79, leave_type_name: "Lieu" };
  files["leaves.json"] = [
    { ...more, id: 1, days_taken: 1.5, duration_by_day_attributes: byDay([1, 0, 0.5], [8, 0, 4]) },
    { ...more, id: 2, days_taken: 3, duration_by_day_attributes: byDay([1, 1, 1], [7, 6, 7]), ...ofHours },
    { ...more, id: 3, days_taken: 3, duration_by_day_attributes: byDay([100, 100, 100], [800, 800, 800]) },
    { ...more, id: 4, days_taken: 3, duration_by_day_attributes: null },
  ].map((row, at) => ({ ...row, approved: at === 0 ? true : null }));
  const { requests, days } = await factsAfter("factorial", await factorial(files));
  expect(Object.values(requests).map((text) => text.split(" ")[2])).toEqual(["720", "1200", "1440", "1440"]);
  expect(days[1]).toBe("2025-03-03 480, 2025-03-05 240");
  expect(days[2]).toBe("2025-03-03 420, 2025-03-04 360, 2025-03-05 420");
  files["employees.json"] = files["employees.json"]!.map((row) => ({ ...row, today: TODAY }));
  const { stored } = await imported(
    Object.fromEntries(Object.entries(files).map(([file, data]) => [file, JSON.stringify({ data })])),
    PRESET_MAPPINGS.get("factorial"),
  );
  expect(stored.workers.map(({ doc }) => doc).join()).toContain('"position":"Lead"');
});

// The vendor's SDK has `duration_attributes` by year with `include_duration=true`, and a `leave_type_name` of null.
test("factorial: without days, what the API tells of the whole is the amount; a type's name may be told by the type alone", async () => {
  const files = factorialRows();
  const [leave] = files["leaves.json"]!;
  const used = (days: object, hours: object) => ({ used_units: { days, hours }, finish_on_natural: null });
  const more = { ...leave, employee_id: 101, leave_type_name: null, duration_by_day_attributes: null };
  files["leaves.json"] = [
    {
      ...{ ...more, id: 1, start_on: "2024-12-30", finish_on: "2025-01-03" },
      duration_attributes: used({ 2024: 2, 2025: 1.5 }, { 2024: 16, 2025: 12 }),
    },
    {
      ...{ ...more, id: 2, start_on: "2025-03-03", finish_on: "2025-03-04" },
      duration_attributes: used({ 2025: 2 }, { 2025: 16 }),
    },
    { ...more, id: 3, start_on: "2025-03-05", finish_on: "2025-03-05", duration_attributes: null },
  ];
  const { requests, days } = await factsAfter("factorial", await factorial(files));
  expect(Object.values(requests).map((text) => text.split(" ")[2])).toEqual(["1680", "960", "480"]);
  expect(days).toEqual({ 2: "2025-03-03 480, 2025-03-04 480", 3: "2025-03-05 480" }); // those of 1 do not add up
});

// `starts_on` is "the day the employee is hired", `ends_on` the day of the termination (Factorial's documents of contract versions).
test("factorial, bamboohr: an end before the newest employment is that of an earlier one", async () => {
  const files = factorialRows();
  const [ana] = files["employees.json"]!;
  const [contract] = files["contract_versions.json"]!;
  const people = [201, 202, 203, 204, 205];
  files["employees.json"] = people.map((id) => ({
    ...{ ...ana, id, email: null, login_email: `${id}@example.com`, manager_id: null, active: true },
    terminated_on: { 202: "2020-06-30", 204: "2025-03-31", 205: "2020-06-30" }[id] ?? null,
  }));
  const version = (employee_id: number, starts_on: string, ends_on: string | null = null) => ({
    ...contract,
    ...{ employee_id, starts_on, effective_on: starts_on, ends_on },
  });
  files["contract_versions.json"] = [
    ...[version(201, "2015-01-01", "2020-06-30"), version(201, "2025-02-03")],
    ...[{ ...version(202, "2015-01-02"), starts_on: null }, version(202, "2025-02-03")], // `effective_on` is never null
    ...[version(203, "2015-01-03", "2020-06-30"), version(203, "2020-07-01")], // without a day between them
    version(204, "2015-01-04"),
    ...[version(205, "2015-01-05", "2020-06-30"), version(205, "2025-07-01")],
  ];
  const [leave] = files["leaves.json"]!;
  files["leaves.json"] = people.map((id) => ({
    ...{ ...leave, id, employee_id: id, hours_amount_in_cents: 800 },
    ...{ start_on: "2016-06-01", finish_on: "2016-06-01" },
  }));
  files["allowance_stats.json"] = [];
  const { workers, assignments } = await factsAfter("factorial", await factorial(files));
  expect(assignments).toEqual([
    "201 78 2020-07-01/2025-02-02",
    "202 78 2020-07-01/2025-02-02",
    "203 78",
    "204 78",
    "205 78 2020-07-01/2025-06-30",
  ]);
  expect(Object.values(workers).map((text) => text.split(", manager")[0]!)).toEqual([
    "active, 2015-01-01 to null",
    "active, 2015-01-02 to null",
    "active, 2015-01-03 to null",
    "inactive, 2015-01-04 to 2025-03-31",
    "onboarding, 2015-01-05 to null",
  ]);
  const rows = bamboohrRows();
  const [bo] = rows.employees;
  const employees = [
    { ...bo!, id: "101", hireDate: "2025-02-03", terminationDate: "2020-06-30", status: "Active" },
  ];
  const bamboo = await factsAfter("bamboohr", await bamboohr({ employees, requests: [], balances: [] }));
  expect(bamboo.workers[101]).toStartWith("active, 2025-02-03 to null");
});

test("factorial: calendar days, holidays that count, and deleted leave; what is unclear is asked", async () => {
  const files = factorialRows();
  const [allowance] = files["allowances.json"]!;
  const [leave] = files["leaves.json"]!;
  const base = { ...leave, start_on: "2025-03-06", finish_on: "2025-03-10" }; // Thursday to Monday
  const under = (id: number, more: object) => ({
    ...allowance,
    ...{ id, leave_type_ids: [id], count_holiday_as_workable: false, days_type: "working_days", ...more },
  });
  const of = (id: number, more: object = {}) => ({
    ...base,
    id,
    leave_type_id: id,
    leave_type_name: `T${id}`,
    ...more,
  });
  files["company_holidays.json"] = [{ id: 1, location_id: 1, date: "2025-03-10", half_day: null }];
  files["allowance_stats.json"] = [];
  files["allowances.json"] = [
    under(1, { range_type: "exact_range" }),
    under(2, { days_type: "natural_days_only_range" }),
    under(3, { days_type: "natural_days", range_type: "exact_range" }),
    under(4, { count_holiday_as_workable: true }),
    under(5, { days_type: "natural_days_only_range", count_holiday_as_workable: true }),
  ];
  files["leaves.json"] = [
    ...[1, 2, 3, 4, 5].map((id) => of(id)),
    of(6), // without an allowance
    of(2, { id: 7, finish_on: "2025-03-06", half_day: "end_of_day" }),
    of(1, { id: 8, deleted_at: "2025-03-01T09:00:00.000Z" }),
  ];
  const overlapping = ["--accept", "overlapping-leave"];
  const { requests, days } = await factsAfter("factorial", await factorial(files), TODAY, ...overlapping);
  expect(
    Object.entries(requests).map(([id, text]) => [Number(id), Number(text.split(" ")[2]) / 480]),
  ).toEqual([
    [1, 2],
    [2, 4],
    [3, 4],
    [4, 3],
    [5, 5],
    [6, 2],
    [7, 0.5],
  ]);
  expect(days[2]).toBe("2025-03-06 480, 2025-03-07 480, 2025-03-08 480, 2025-03-09 480");
  files["allowances.json"] = [
    under(1, { days_type: "natural_days" }),
    under(2, { days_type: "french_calendar_days" }),
    under(3, { days_type: "natural_days_only_range", range_type: "extra_non_working_days_at_end" }),
    under(4, {}),
    { ...under(5, { days_type: "natural_days_only_range" }), leave_type_ids: [4] }, // of another time off policy
    under(6, { days_type: "natural_days_only_range", allowance_type: "hours" }),
  ];
  files["leaves.json"] = [1, 2, 3, 4, 6].map((id) => of(id));
  const fake = await factorial(files);
  expect(await refusalOf("factorial", fake)).toMatch(/^5 requests have no amount.*\[assumed-days\]$/m);
  files["leaves.json"] = [of(4)];
  fake.fake.fault = (_, path) => (path.endsWith("/allowances") ? status(403) : null);
  expect(await refusalOf("factorial", fake)).toMatch(/^1 request has no amount.*\[assumed-days\]$/m);
  await fake.fake.stop();
});

test("bamboohr: superceded leave, leave over the end of a quarter, managers, and one person on a discretionary policy", async () => {
  const rows = bamboohrRows();
  const [ana, bo] = rows.employees;
  const [vacation] = rows.balances!;
  const [leave] = rows.requests;
  const third = {
    ...bo,
    id: "103",
    hireDate: "2025-07-01",
    terminationDate: "0000-00-00",
    status: "Active",
    supervisorEId: "101",
  };
  const long = {
    ...leave,
    id: "1",
    start: "2023-01-02",
    end: "2025-05-30",
    amount: { unit: "days", amount: "600" },
  };
  const { workers, requests, openings, assignments } = await factsAfter(
    "bamboohr",
    await bamboohr({
      employees: [ana!, bo!, third],
      requests: [
        long,
        { ...leave, id: "2", status: { status: "superceded" } },
        { ...leave, id: "3", employeeId: "102" },
      ],
      balances: [vacation!, { ...vacation, employeeId: "102", policyType: "discretionary", balance: "0" }],
    }),
  );
  expect(workers[103]).toBe("onboarding, 2025-07-01 to null, manager 101, null");
  expect(Object.keys(requests)).toEqual(["1", "3"]);
  expect(requests[3]).toStartWith("102, 78 discretionary, 1440 approved");
  expect(openings).toEqual({ "101 78": "6480 on 2025-06-01" });
  expect(assignments).toEqual(["101 78", "102 78 discretionary"]);
});

// Sources: BambooHR's own client (ReportsApi: "Setting to false will include future-dated employees in the report"; DatasetsApi: "Future
// hires have a status of Inactive"), and the dates of a request, which its client for PowerShell reads as amounts of days.
test("bamboohr: those who begin later, and what leave takes of each day", async () => {
  const rows = bamboohrRows();
  const [ana, bo] = rows.employees;
  const [leave] = rows.requests;
  const request = (id: string, start: string, end: string, unit: string, amount: string, dates: object) => ({
    ...leave,
    ...{ id, start, end, amount: { unit, amount }, dates },
  });
  const { workers, requests, days } = await factsAfter(
    "bamboohr",
    await bamboohr({
      ...rows,
      employees: [
        ana!,
        bo!,
        { ...bo, id: "103", hireDate: "2025-07-01", terminationDate: "0000-00-00", status: "Inactive" },
      ],
      requests: [
        request("1", "2024-12-30", "2025-01-03", "days", "3.5", {
          "2024-12-30": "1",
          "2024-12-31": "0.5",
          "2025-01-01": "0",
          "2025-01-02": "1",
          "2025-01-03": "1",
        }),
        request("2", "2025-02-03", "2025-02-03", "hours", "7.6", { "2025-02-03": "7.6" }),
        // All on the first day, as in an example of the documents; other days; another sum; an empty list of PHP.
        request("3", "2025-02-04", "2025-02-06", "hours", "24", { "2025-02-04": "24" }),
        request("4", "2025-02-07", "2025-02-07", "days", "1", { "2025-02-08": "1" }),
        request("5", "2025-02-10", "2025-02-11", "days", "2", { "2025-02-10": "1" }),
        request("6", "2025-02-12", "2025-02-12", "days", "1", []),
      ],
    }),
  );
  expect(workers[103]).toStartWith("onboarding, 2025-07-01 to null");
  expect(Object.values(requests).map((text) => text.split(" ")[2])).toEqual([
    "1680",
    "456",
    "1440",
    "480",
    "960",
    "480",
  ]);
  expect(days).toEqual({
    1: "2024-12-30 480, 2024-12-31 240, 2025-01-02 480, 2025-01-03 480",
    2: "2025-02-03 456",
  });
});

// BambooHR's OpenAPI (BambooHR/bhr-api-php, specs/public.yaml, request-custom-report): `onlyCurrent`, "set to false to include future-dated
// history values in the report output".
test("bamboohr: a job that is still to come is not that of today, and refuses nothing", async () => {
  const rows = bamboohrRows();
  rows.employees = rows.employees.map((one) =>
    one.id === "101" ? { ...one, toCome: { jobTitle: "Director", department: "Board" } } : one,
  );
  await inFolder(async (folder) => {
    const fake = await bamboohr(rows);
    await syncHere(folder, "bamboohr", fake, TODAY);
    await fake.fake.stop();
    const { workers, openings } = await factsOf(folder, TODAY);
    expect(workers[101]).toStartWith("active, 2023-03-01 to null");
    expect(openings).toEqual({ "101 78": `6480 on ${TODAY}`, "102 78": `0 on ${TODAY}` });
    const list = await rollcallHere(folder, ["workers", "list", "--company", "acme", "--json"]);
    expect(list.stdout).toContain("Engineer");
    expect(list.stdout).not.toContain("Director");
  });
  const report = JSON.stringify(sample("bamboohr", "employees.json"));
  const requests = JSON.stringify(sample("bamboohr", "time_off_requests.json"));
  const ofTwoDays = {
    "employees_1.json": report,
    "employees_2.json": report,
    "time_off_requests.json": requests,
  };
  expect((await refused(ofTwoDays, PRESET_MAPPINGS.get("bamboohr"))).join()).toContain(
    '"101" is already on line 1',
  );
});

// BambooHR's OpenAPI (BambooHR/bhr-api-php, specs/public.yaml, get-time-off-balance): balances have two decimals by default, and four at most.
test("bamboohr: a balance keeps its four decimals", async () => {
  const rows = bamboohrRows();
  const [vacation] = rows.balances!;
  const { openings } = await factsAfter(
    "bamboohr",
    await bamboohr({ ...rows, balances: [{ ...vacation!, balance: "13.3333" }] }),
  );
  expect(openings["101 78"]).toBe("6399.984 on 2025-06-01");
});

test("bamboohr: fields that the key may not see are named; what is not needed is left out", async () => {
  const rows = bamboohrRows();
  const without = (...fields: string[]) =>
    rows.employees.map((one) =>
      Object.fromEntries(Object.entries(one).filter(([key]) => !fields.includes(key))),
    );
  const some = await bamboohr(
    { ...rows, employees: without("jobTitle", "department", "supervisorEId") },
    true,
  );
  await inFolder(async (folder) => {
    const { stderr } = await syncHere(folder, "bamboohr", some, TODAY);
    expect(stderr).toContain(
      "no row has jobTitle: give the user of the key an access level that may see the field Job Title",
    );
  });
  await some.fake.stop();
  const text = await refusalOf("bamboohr", await bamboohr({ ...rows, employees: without("hireDate") }, true));
  expect(text).toContain(
    "no row has hireDate: give the user of the key an access level that may see the field Hire Date",
  );
});

// Frappe leaves out fields above the permission level of a user (`apply_fieldlevel_read_permissions` of frappe/model/db_query.py).
test("frappe: a field that decides on leave and may not be seen is named, and nothing is imported", async () => {
  const fields = {
    status: "employees.json",
    is_lwp: "leave_types.json",
    docstatus: "leave_applications.json",
    is_expired: "leave_ledger.json",
  };
  for (const [field, file] of Object.entries(fields)) {
    const fake = await frappe({}, 500, [field]);
    expect(await refusalOf("frappe", fake)).toContain(`nothing was imported: ${file}: no row has ${field}`);
    await fake.fake.stop();
  }
  await inFolder(async (folder) => {
    const fake = await frappe({}, 500, ["company_email"]);
    const { stderr } = await syncHere(folder, "frappe", fake, TODAY);
    expect(stderr).toContain("employees.json: no row has company_email");
    await fake.fake.stop();
  });
});

test("frappe: what is approved and not submitted waits; an allocation that ends lapses on the day after", async () => {
  const { data: employees } = await import("../../src/onboarding/presets/frappe/example/employees.json");
  const application = (name: string, docstatus: number, status = "Approved") => ({
    name,
    employee: "HR-EMP-00101",
    leave_type: "Casual Leave",
    from_date: "2025-05-05",
    to_date: "2025-05-06",
    total_leave_days: 2,
    status,
    posting_date: "2025-01-09",
    description: "",
    docstatus,
  });
  const entry = (
    name: string,
    transaction_type: string,
    leaves: number,
    from_date: string,
    to_date: string,
  ) => ({
    name,
    employee: "HR-EMP-00101",
    leave_type: "Casual Leave",
    transaction_type,
    leaves,
    from_date,
    to_date,
    is_expired: 0,
  });
  const given = {
    "employees.json": [
      ...employees,
      { ...employees[0]!, name: "HR-EMP-00103", date_of_joining: "2025-07-01" },
    ],
    "leave_applications.json": [application("A", 1), application("B", 0)],
    "leave_ledger.json": [
      entry("l1", "Leave Allocation", 20, "2025-01-01", "2025-12-31"),
      entry("l2", "Leave Application", -2, "2025-05-05", "2025-05-06"),
    ],
  };
  const { requests, balances, workers } = await factsAfter("frappe", await frappe(given));
  expect(workers["HR-EMP-00103"]).toStartWith("onboarding, 2025-07-01");
  expect([requests.A!.split(", ")[2], requests.B!.split(", ")[2]]).toEqual(["960 approved", "960 pending"]);
  expect(balances["HR-EMP-00101 Casual Leave"]).toBe(16 * 480);
  const later = await factsAfter("frappe", await frappe(given), "2026-01-01");
  expect(later.balances["HR-EMP-00101 Casual Leave"]).toBe(-2 * 480); // what is pending
});

// Frappe HR's source: expire_allocation dates an expiry on the allocation's last day (leave_ledger_entry.py), on which the allocation still
// counts (get_leave_allocation_records in leave_application.py), and a nightly job writes it.
test.each([
  ["2024-12-31", 15, 0], // the expiry is of this day
  ["2025-01-01", 0, 10],
  ["2025-05-31", 0, 10],
  ["2025-06-01", 0, 0], // the job has not run yet
])("frappe: an allocation counts on its last day, and not on the next: %s", async (day, casual, sick) => {
  const entry = (name: string, leave_type: string, leaves: number, from_date: string, to_date: string) => ({
    ...{ name, employee: "HR-EMP-00101", leave_type, transaction_type: "Leave Allocation" },
    ...{ leaves, from_date, to_date, is_expired: 0 },
  });
  const given = {
    "leave_types.json": [
      { name: "Casual Leave", is_lwp: 0 },
      { name: "Sick Leave", is_lwp: 0 },
    ],
    "leave_applications.json": [],
    "leave_ledger.json": [
      entry("l1", "Casual Leave", 15, "2024-01-01", "2024-12-31"),
      { ...entry("l2", "Casual Leave", -15, "2024-12-31", "2024-12-31"), is_expired: 1 },
      entry("l3", "Sick Leave", 10, "2025-01-01", "2025-05-31"),
    ],
  };
  const { balances } = await factsAfter("frappe", await frappe(given), day);
  expect(balances).toEqual({
    "HR-EMP-00101 Casual Leave": casual * 480,
    "HR-EMP-00101 Sick Leave": sick * 480,
  });
});
