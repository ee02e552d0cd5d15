// Gusto, HiBob and Odoo, with what their documents say that an API sends: each status, each kind of day, nullable fields as null.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PRESET_MAPPINGS } from "../../src/onboarding/presets/index.ts";
import { inFolder } from "../cli/command.ts";
import { imported, refused } from "../import/convert/mapped.ts";
import type { FakeOfPreset } from "../pull/fakes/fake.ts";
import { gusto } from "./fakes/gusto.ts";
import { hibob } from "./fakes/hibob.ts";
import { odoo } from "./fakes/odoo.ts";
import { type Facts, factsOf, syncHere } from "./synced.ts";

const TODAY = "2025-06-01";

async function factsAfter(preset: string, fake: FakeOfPreset, ...args: string[]): Promise<Facts> {
  let facts: Facts | undefined;
  await inFolder(async (folder) => {
    await syncHere(folder, preset, fake, TODAY, 0, ...args);
    facts = await factsOf(folder, TODAY);
  });
  await fake.fake.stop();
  return facts!; // the work has run to its end
}

const job = (hire_date: string, primary = true) => ({ title: "Clerk", hire_date, primary });
const person = (id: number, more: object = {}) => ({
  uuid: `e${id}`,
  first_name: `F${id}`,
  last_name: `L${id}`,
  preferred_first_name: null,
  email: `p${id}@example.org`,
  work_email: `w${id}@example.com`,
  manager_uuid: id === 1 ? null : "e1",
  department: null,
  terminated: false,
  terminations: [],
  onboarded: true,
  jobs: [job("2023-03-01")],
  date_of_birth: "1990-01-01",
  home_address: { street_1: "1 Secret St" },
  ...more,
});
const pto = {
  uuid: "pv",
  name: "PTO",
  policy_type: "vacation",
  accrual_method: "per_calendar_year",
  accrual_rate: "120.0",
  accrual_rate_unit: null,
  paid_out_on_termination: false,
  accrual_waiting_period_days: 0,
  carryover_limit_hours: "40.0",
  max_accrual_hours_per_year: null,
  max_hours: null,
  policy_reset_date: "07-01",
  employees: [1, 2, 3, 4].map((id) => ({ uuid: `e${id}`, balance: id === 2 ? "-4.0" : "50.5" })),
};
const jury = {
  ...pto,
  uuid: "pj",
  name: "Jury",
  policy_type: "jury_duty",
  accrual_method: "unlimited",
  accrual_rate: null,
  policy_reset_date: null,
  employees: [],
};
const leave = (
  uuid: string,
  employee: number,
  status: string,
  days: object,
  policy_uuid: string | null = "pv",
) => ({
  uuid,
  status,
  employee_note: "",
  employer_note: "",
  request_type: "vacation",
  policy_type: "vacation",
  policy_uuid,
  days,
  employee: { uuid: `e${employee}`, full_name: "" },
  initiator: null,
  approver: null,
});

// Gusto's "Accrual methods" has these; a policy that accrues each pay period refused the whole sync.
test.each([
  ["per_pay_period", 3000],
  ["per_hour_worked", 3000],
  ["per_hour_paid_no_overtime", 3000],
  ["per_calendar_year", 3000],
  ["per_anniversary_year", 3000],
  ["unlimited", 0],
])("gusto: a policy that accrues %s has its balance", async (accrual_method, balance) => {
  const accrual_rate_unit = accrual_method.startsWith("per_hour") ? "40.0" : null;
  const fake = await gusto({
    employees: [person(1)],
    time_off_policies: [
      {
        ...pto,
        ...{
          accrual_method,
          accrual_rate_unit,
          accrual_rate: accrual_method === "unlimited" ? null : "10.0",
        },
        employees: [{ uuid: "e1", balance: accrual_method === "unlimited" ? "0.0" : "50.0" }],
      },
    ],
    time_off_requests: [],
  });
  expect((await factsAfter("gusto", fake)).balances).toEqual({ "e1 pv": balance });
});

// Gusto's TimeOffPolicy: `is_active`, "if a policy is active or not".
test.each(["per_hour_worked", "per_calendar_year"])(
  "gusto: a deactivated policy, %s, grants nothing more",
  async (accrual_method) => {
    const employees = [{ uuid: "e1", balance: "50.0" }];
    const policy = { ...pto, accrual_method, accrual_rate_unit: "40.0", is_active: false, employees };
    const fake = await gusto({ employees: [person(1)], time_off_policies: [policy], time_off_requests: [] });
    await inFolder(async (folder) => {
      await syncHere(folder, "gusto", fake, TODAY);
      expect((await factsOf(folder, "2026-12-31")).balances).toEqual({ "e1 pv": 3000 });
    });
    await fake.fake.stop();
  },
);

test("gusto: consumed leave, its days and its policy; a rehire, a notice, a future hire", async () => {
  const fake = await gusto({
    employees: [
      person(1),
      person(2, { work_email: null }),
      person(3, {
        terminations: [{ active: false, effective_date: "2024-06-30" }],
        jobs: [job("2021-01-04", false), job("2025-02-03")],
      }),
      person(4, { terminations: [{ active: false, effective_date: "2025-12-31" }] }),
      person(5, { terminated: true, terminations: [{ active: true, effective_date: "2025-05-31" }] }),
      person(6, { jobs: [job("2025-07-01")] }),
    ],
    time_off_policies: [pto, jury],
    time_off_requests: [
      leave("r1", 1, "consumed", { "2025-03-03": "8.000", "2025-03-04": "8.000" }),
      leave("r2", 1, "approved", { "2025-12-22": "4.333", "2025-12-19": "8.000" }),
      leave("r3", 2, "pending", { "2026-01-05": "8.000" }),
      leave("r4", 2, "declined", { "2025-03-03": "8.000" }),
      leave("r5", 5, "consumed", { "2025-02-03": "8.000" }),
      leave("r6", 1, "consumed", { "2025-04-01": "8.000" }, "pj"),
      // Gusto's "Time Off Request Events": a request is "soft-deleted (status changed to deleted)".
      leave("r7", 1, "deleted", { "2025-04-02": "8.000" }),
    ],
  });
  const { workers, requests, assignments, openings } = await factsAfter("gusto", fake);
  expect(workers).toEqual({
    e1: "active, 2023-03-01 to null, manager -, w1@example.com",
    e2: "active, 2023-03-01 to null, manager e1, null",
    e3: "active, 2021-01-04 to null, manager e1, w3@example.com",
    e4: "active, 2023-03-01 to 2025-12-31, manager e1, w4@example.com",
    e5: "inactive, 2023-03-01 to 2025-05-31, manager e1, w5@example.com",
    e6: "onboarding, 2025-07-01 to null, manager e1, w6@example.com",
  });
  expect(requests).toEqual({
    r1: "e1, pv, 960 approved, 2025-03-03T00:00 to 2025-03-05T00:00",
    r2: "e1, pv, 739.98 approved, 2025-12-19T00:00 to 2025-12-23T00:00",
    r3: "e2, pv, 480 pending, 2026-01-05T00:00 to 2026-01-06T00:00",
    r4: "e2, pv, 480 denied, 2025-03-03T00:00 to 2025-03-04T00:00",
    r5: "e5, pv, 480 approved, 2025-02-03T00:00 to 2025-02-04T00:00",
    r6: "e1, pj, 480 approved, 2025-04-01T00:00 to 2025-04-02T00:00",
  });
  expect(assignments).toEqual(["e1 pj", "e1 pv", "e2 pv", "e3 pv 2024-07-01/2025-02-02", "e4 pv", "e5 pv"]);
  expect(openings).toEqual({
    "e1 pv": "3030 on 2025-06-01",
    "e2 pv": "-240 on 2025-06-01",
    "e3 pv": "3030 on 2025-06-01",
    "e4 pv": "3030 on 2025-06-01",
    "e5 pv": "0 on 2025-06-01", // no member any more
  });
});

// Gusto's Employee and Time-Off-Request: `jobs` may be empty, and `policy_uuid` null.
test("gusto: an onboarding without a job, a rehire of a later day, leave of no policy", async () => {
  const leftAndBack = {
    terminated: true,
    terminations: [{ active: true, effective_date: "2024-02-29" }],
    jobs: [job("2021-01-04", false), job("2025-08-01")],
  };
  const fake = await gusto({
    // The onboarding is already a member of a policy, and somebody's manager.
    employees: [
      person(1, { manager_uuid: "e2" }),
      person(2, { onboarded: false, jobs: [] }),
      person(3, leftAndBack),
    ],
    time_off_policies: [{ ...pto, employees: [1, 2].map((id) => ({ uuid: `e${id}`, balance: "8.0" })) }],
    time_off_requests: [leave("r1", 1, "approved", { "2025-07-01": "8.000" }, null)],
  });
  await inFolder(async (folder) => {
    await syncHere(folder, "gusto", fake, TODAY);
    const { workers, requests, balances } = await factsOf(folder, TODAY);
    expect(workers).toEqual({
      e1: "active, 2023-03-01 to null, manager -, w1@example.com",
      e3: "inactive, 2021-01-04 to 2024-02-29, manager e1, w3@example.com",
    });
    expect(requests).toEqual({
      r1: "e1, no policy: vacation, 480 approved, 2025-07-01T00:00 to 2025-07-02T00:00",
    });
    expect(balances).toEqual({ "e1 pv": 480, "e1 no policy: vacation": 0 }); // nothing is taken from a balance
    await syncHere(folder, "gusto", fake, "2025-08-01");
    expect((await factsOf(folder, TODAY)).workers.e3).toStartWith("inactive, 2021-01-04 to 2024-02-29");
  });
  await fake.fake.stop();
});

test("gusto: nothing that is not read is written to the disk", async () => {
  const fake = await gusto({
    employees: [person(1), person(2), person(3), person(4, { jobs: [job("2024-01-02")] })],
    time_off_policies: [pto],
    time_off_requests: [],
  });
  await inFolder(async (folder) => {
    await syncHere(folder, "gusto", fake, TODAY);
    const kept = readFileSync(join(folder, "rollcall.db-pulled/acme/employees.json"), "utf8");
    expect(kept).toContain("w1@example.com");
    expect(kept).not.toMatch(/1990|Secret/);
  });
  await fake.fake.stop();
});

const bob = (id: string, more: object = {}) => ({
  id,
  firstName: `F${id}`,
  surname: `L${id}`,
  displayName: `F${id} L${id}`,
  email: `p${id}@example.com`,
  work: {
    startDate: "2023-03-01",
    title: null,
    department: null,
    site: null,
    reportsTo: id === "1" ? null : { id: "1", displayName: "F1 L1" },
  },
  internal: { status: "Active", terminationDate: null },
  ...more,
});
const change = (requestId: number, employeeId: string, more: object) => ({
  changeType: "Created",
  requestId,
  employeeId,
  policyTypeDisplayName: "Holiday",
  type: "days",
  status: "approved",
  createdOn: "2025-05-02T10:00:00.000000",
  startPortion: "all_day",
  endPortion: "all_day",
  durationUnit: "days",
  changeReason: null,
  ...more,
});
const days = (startDate: string, endDate: string, totalCost: number) => ({
  startDate,
  endDate,
  totalDuration: 9,
  totalCost,
});

test("hibob: what the balance loses, hours, open ends, halves, cancelled and replaced leave, and leave of last year", async () => {
  const people = [
    bob("1"),
    bob("2", {
      work: { startDate: "2023-03-01", title: null, department: null, site: null, reportsTo: "F1 L1" },
    }),
    bob("3", { work: { startDate: "2025-07-01" } }),
    bob("4", { internal: { status: "Inactive", terminationDate: "2025-03-31" } }),
    bob("5", { email: null }),
  ];
  const hours = {
    type: "hours",
    date: "2025-05-20",
    hoursOnDate: 2,
    totalDuration: 2,
    totalCost: 2,
    durationUnit: "hours",
  };
  const fake = await hibob(people, [
    change(1, "1", days("2025-05-08", "2025-05-13", 4)),
    change(2, "1", {
      ...days("2025-05-19", "2025-05-19", 0.5),
      startPortion: "afternoon",
      endPortion: "afternoon",
    }),
    change(3, "1", { ...days("2025-05-21", "2025-05-22", 1.5), endPortion: "morning" }),
    change(4, "2", days("2025-05-26", "2025-05-27", 2)),
    change(4, "2", { ...days("2025-05-26", "2025-05-27", 2), changeType: "Canceled" }),
    change(5, "1", { ...hours, startPortion: undefined, endPortion: undefined }),
    change(6, "2", {
      type: "openEnded",
      policyTypeDisplayName: "Sick",
      startDate: "2025-05-28",
      totalDuration: 0,
      totalCost: 0,
    }),
    change(7, "2", days("2025-05-05", "2025-05-05", 1)),
    change(8, "2", { ...days("2025-05-06", "2025-05-06", 1), previousRequestId: 7 }),
    change(10, "2", days("2025-05-15", "2025-05-15", 1)),
    change(11, "2", {
      ...days("2025-05-16", "2025-05-16", 1),
      previousRequestId: 10,
      status: "pending",
      createdOn: "2025-05-03T10:00:00",
    }),
    change(11, "2", {
      ...days("2025-05-16", "2025-05-16", 1),
      previousRequestId: 10,
      status: "declined",
      createdOn: "2025-05-04T10:00:00",
    }),
    change(9, "4", { ...days("2024-04-01", "2024-04-02", 2), createdOn: "2024-01-10T10:00:00.000000" }),
  ]);
  // Of leave without an end no days are told.
  const { workers, requests } = await factsAfter("hibob", fake, "--accept", "assumed-days");
  expect(workers).toEqual({
    1: "active, 2023-03-01 to null, manager -, p1@example.com",
    2: "active, 2023-03-01 to null, manager 1, p2@example.com", // named by a text
    3: "onboarding, 2025-07-01 to null, manager -, p3@example.com",
    4: "inactive, 2023-03-01 to 2025-03-31, manager 1, p4@example.com",
    5: "active, 2023-03-01 to null, manager 1, null",
  });
  expect(requests).toEqual({
    1: "1, Holiday, 1920 approved, 2025-05-08T00:00 to 2025-05-14T00:00",
    2: "1, Holiday, 240 approved, 2025-05-19T12:00 to 2025-05-20T00:00",
    3: "1, Holiday, 720 approved, 2025-05-21T00:00 to 2025-05-22T12:00",
    4: "2, Holiday, 960 denied, 2025-05-26T00:00 to 2025-05-28T00:00",
    5: "1, Holiday, 120 approved, 2025-05-20T00:00 to 2025-05-21T00:00",
    6: "2, Sick, 1440 approved, 2025-05-28T00:00 to 2025-06-02T00:00", // until today, Wednesday to Friday so far
    7: "2, Holiday, 480 denied, 2025-05-05T00:00 to 2025-05-06T00:00", // replaced by 8
    8: "2, Holiday, 480 approved, 2025-05-06T00:00 to 2025-05-07T00:00",
    9: "4, Holiday, 960 approved, 2024-04-01T00:00 to 2024-04-03T00:00",
    10: "2, Holiday, 480 approved, 2025-05-15T00:00 to 2025-05-16T00:00", // the change to 16 May was declined
    11: "2, Holiday, 480 denied, 2025-05-16T00:00 to 2025-05-17T00:00",
  });
});

// Bob's `previousRequestId` is the "ID of replaced request when date/time updated". Requests are never pruned by changes.
test("hibob: what a later night replaces does not count twice", async () => {
  const before = [change(1, "1", days("2025-06-10", "2025-06-11", 2))];
  const after = change(2, "1", {
    ...days("2025-06-10", "2025-06-10", 1),
    previousRequestId: 1,
    createdOn: "2025-06-01T10:00:00",
  });
  await inFolder(async (folder) => {
    const nights = [
      { day: TODAY, changes: before },
      { day: "2025-06-02", changes: [...before, after] },
    ];
    for (const { day, changes } of nights) {
      const fake = await hibob([bob("1")], changes);
      await syncHere(folder, "hibob", fake, day);
      await fake.fake.stop();
    }
    expect((await factsOf(folder, "2025-06-02")).requests).toEqual({
      1: "1, Holiday, 960 denied, 2025-06-10T00:00 to 2025-06-12T00:00",
      2: "1, Holiday, 480 approved, 2025-06-10T00:00 to 2025-06-11T00:00",
    });
  });
});

// Bob's "Employee inactivated": "when an employee is set to be on leave or terminated".
test.each([
  ["Inactive", "leave", null, "active, 2023-03-01 to null"],
  ["Active", "garden leave", "2025-07-31", "active, 2023-03-01 to 2025-07-31"],
  ["Inactive", "terminated", "2025-05-31", "inactive, 2023-03-01 to 2025-05-31"],
])("hibob: %s people whose lifecycle is %s", async (status, lifecycleStatus, terminationDate, right) => {
  const fake = await hibob([bob("1", { internal: { status, lifecycleStatus, terminationDate } })], []);
  expect((await factsAfter("hibob", fake)).workers[1]).toStartWith(right);
});

// Bob's API has changes without a status: `changeType` is Created, Canceled, Deleted or, with includePending, Pending, and `createdOn` the
// moment of the change (https://apidocs.hibob.com/reference/get_timeoff-requests-changes).
test("hibob: without a status, the newest change of a request tells it", async () => {
  const told = (requestId: number, changeType: string, createdOn: string) =>
    change(requestId, "1", {
      startDate: `2025-06-0${requestId + 1}`,
      endDate: `2025-06-0${requestId + 1}`,
      totalCost: 1,
      status: undefined,
      changeType,
      createdOn,
    });
  const fake = await hibob(
    [bob("1")],
    [
      told(1, "Pending", "2025-05-02T10:00:00"),
      told(2, "Created", "2025-05-03T10:00:00.5"),
      told(2, "Pending", "2025-05-02T10:00:00"),
      told(3, "Canceled", "2025-05-03T10:00:00"),
      told(3, "Created", "2025-05-02T10:00:00"),
      told(4, "Deleted", "2025-05-02T10:00:00"), // no document says in which order changes of one moment come
      told(4, "Created", "2025-05-02T10:00:00"),
    ],
  );
  const { requests } = await factsAfter("hibob", fake);
  expect(requests).toEqual({
    1: "1, Holiday, 480 pending, 2025-06-02T00:00 to 2025-06-03T00:00",
    2: "1, Holiday, 480 approved, 2025-06-03T00:00 to 2025-06-04T00:00",
    3: "1, Holiday, 480 denied, 2025-06-04T00:00 to 2025-06-05T00:00",
    4: "1, Holiday, 480 denied, 2025-06-05T00:00 to 2025-06-06T00:00",
  });
});

// A response has 8 MB at most: with 700 bytes a change, some 11,000, which 3,000 people make in two months.
test("hibob: changes are asked for 30 days at a time, without a gap, up to now", async () => {
  const fake = await hibob([bob("1")], []);
  await inFolder(async (folder) => void (await syncHere(folder, "hibob", fake, TODAY)));
  await fake.fake.stop();
  const asked = fake.fake.asked.filter((text) => text.includes("/changes"));
  const windows = asked.map((text) => new URL(text.split(" ")[1]!, fake.base).searchParams);
  const days = (text: string | null) => (text === null ? null : Date.parse(text) / 86_400_000);
  expect(windows).toHaveLength(24);
  for (const [at, window] of windows.entries()) {
    const [since, to] = [days(window.get("since"))!, days(window.get("to"))];
    expect(to).toBe(windows[at + 1] === undefined ? null : since + 30);
    expect(days(windows[at + 1]?.get("since") ?? null)).toBe(to);
  }
  expect(days(windows.at(-1)!.get("since"))).toBe(Date.parse(TODAY) / 86_400_000 - 30);
});

// The vendor's SDK has "Change type - created, canceled or deleted". No document says in which order changes of one moment come, and a response
// that is saved as it comes is one line.
test("hibob: among changes of one moment, a decision is after the request; another type of change is refused", async () => {
  const told = (...changes: object[]) => ({
    "people.json": JSON.stringify({ employees: [bob("1")] }),
    "timeoff_changes.json": JSON.stringify({
      changes: changes.map((more) => change(1, "1", { ...days("2025-05-05", "2025-05-05", 1), ...more })),
    }),
  });
  const mapping = PRESET_MAPPINGS.get("hibob");
  const [asked, decided] = [{ status: "pending" }, { status: "approved", totalCost: 0.5 }];
  for (const changes of [
    [asked, decided],
    [decided, asked],
  ]) {
    const { stored } = await imported(told(...changes), mapping);
    expect(JSON.parse(stored.requests[0]!.doc)).toMatchObject({ status: "approved", requestedMinutes: 240 });
  }
  const { stored } = await imported(told({ changeType: "canceled" }), mapping);
  expect(stored.requests.map(({ status }) => status)).toEqual(["denied"]);
  expect(await refused(told({ changeType: "Archived" }), mapping)).toEqual([
    expect.stringContaining(
      'timeoff_changes.json:1: status: "Archived" is not one of pending, approved, denied',
    ),
  ]);
});

test("hibob: what the service user may not see is named with its permission", async () => {
  const fake = await hibob([{ ...bob("1"), email: undefined, internal: { status: "Active" } }], []);
  await inFolder(async (folder) => {
    const { stderr } = await syncHere(folder, "hibob", fake, TODAY, 1);
    expect(stderr).toContain(
      "no row has email: give the service user the permission to view Email in the category Basic info",
    );
    expect(stderr).toContain("no row has internal.terminationDate: give the service user the permission");
  });
  await fake.fake.stop();
});

const employee = (id: number, more: object = {}) => ({
  id,
  name: `F${id} L${id}`,
  work_email: `p${id}@example.com`,
  private_email: false,
  job_title: false,
  department_id: false,
  work_location_id: false,
  parent_id: id === 1 ? false : [1, "F1 L1"],
  tz: "Europe/Brussels",
  employee_type: "employee",
  contract_date_start: "2023-01-02",
  create_date: "2023-01-02 09:00:00",
  departure_date: false,
  active: true,
  ...more,
});
const granted = (
  id: number,
  worker: number,
  days: number,
  date_from: string,
  date_to: string | false = false,
) => ({
  id,
  employee_id: [worker, ""],
  holiday_status_id: [78, "Paid"],
  number_of_days: days,
  number_of_hours_display: days * 7.6,
  date_from,
  date_to,
  state: "validate",
});
const taken = (
  id: number,
  worker: number,
  from: string,
  to: string,
  days: number,
  hours: number,
  more: object = {},
) => ({
  id,
  employee_id: [worker, ""],
  holiday_status_id: [78, "Paid"],
  request_date_from: from,
  request_date_to: to,
  request_date_from_period: "am",
  request_date_to_period: "pm",
  number_of_days: days,
  number_of_hours: hours,
  state: "validate",
  create_date: "2025-01-09 10:00:00",
  ...more,
});

test("odoo: days count in balances, hours in leave; an allocation that ended lapses, but for what was taken of it", async () => {
  const fake = await odoo({
    "employees.json": [
      employee(1),
      employee(2),
      employee(3),
      employee(4, { contract_date_start: "2025-07-01" }),
      employee(5, { work_email: false, contract_date_start: false }),
    ],
    "leave_types.json": [
      {
        ...{ id: 78, name: "Paid", requires_allocation: true, request_unit: "half_day" },
        ...{ unpaid: false, time_type: "leave" },
      },
    ],
    "allocations.json": [
      granted(1, 1, 20, "2025-01-01"),
      granted(2, 2, 20, "2025-01-01"),
      // 2023 ended with 15 of 20 days unused, 2024 with none: five of it were taken while 2023's carried over.
      granted(3, 3, 20, "2023-01-02", "2024-03-31"),
      granted(4, 3, 20, "2024-01-01", "2024-12-31"),
      granted(5, 3, 20, "2025-01-01", "2025-12-31"),
    ],
    "leaves.json": [
      taken(1, 1, "2025-02-03", "2025-02-28", 20, 152), // all of 20 days, at 38 hours a week
      taken(2, 2, "2025-03-03", "2025-03-03", 0.5, 1.9, { request_date_from_period: "pm" }),
      taken(3, 2, "2025-03-04", "2025-03-04", 0.5, 1.9, { request_date_to_period: "am" }),
      taken(4, 3, "2024-02-05", "2024-02-09", 5, 40),
      taken(5, 3, "2024-07-01", "2024-07-26", 20, 160),
      taken(6, 3, "2025-03-10", "2025-03-10", 1, 8, { state: "validate1" }),
      taken(7, 3, "2025-03-11", "2025-03-11", 1, 8, { state: "refuse" }),
      taken(8, 3, "2025-03-12", "2025-03-12", 1, 8, { state: "cancel" }),
    ],
  });
  const { workers, requests, balances } = await factsAfter("odoo", fake);
  expect(workers[4]).toBe("onboarding, 2025-07-01 to null, manager 1, p4@example.com");
  expect(workers[5]).toBe("active, 2023-01-02 to null, manager 1, null");
  expect(Object.keys(requests)).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  expect(requests[1]).toBe("1, 78, 9120 approved, 2025-02-02T23:00 to 2025-02-28T23:00");
  expect(requests[2]).toBe("2, 78, 114 approved, 2025-03-03T11:00 to 2025-03-03T23:00");
  expect(requests[3]).toBe("2, 78, 114 approved, 2025-03-03T23:00 to 2025-03-04T11:00");
  expect(balances).toEqual({ "1 78": 0, "2 78": 19 * 480, "3 78": 19 * 480 }); // a day of 3 is pending
});

// hr_leave_allocation.py: max_leaves is number_of_hours_display, days times the hours a day of the person's calendar, if the unit is hours.
// hr_version.py of version 19: an employee has versions; those of one contract have its dates, and contracts do not overlap.
test("odoo: people begin with their first contract; a time between two is a gap", async () => {
  const contract = (id: number, worker: number, start: string, end: string | false) => ({
    id,
    employee_id: [worker, ""],
    contract_date_start: start,
    contract_date_end: end,
  });
  const fake = await odoo({
    "employees.json": [
      employee(1, { contract_date_start: "2025-01-01" }),
      employee(2, { contract_date_start: "2024-02-01" }),
      employee(3, { active: false, departure_date: "2025-03-31" }),
      employee(4, { contract_date_start: false, create_date: "2022-05-02 09:00:00" }),
    ],
    "contracts.json": [
      contract(1, 1, "2023-01-02", "2024-12-31"),
      contract(2, 1, "2023-01-02", "2024-12-31"), // another version
      contract(3, 1, "2025-01-01", false),
      contract(4, 2, "2023-01-02", "2023-12-31"),
      contract(5, 2, "2024-02-01", false),
      contract(6, 3, "2023-01-02", "2025-03-31"),
      contract(7, 3, "2025-09-01", false), // will come back
    ],
    "leave_types.json": [
      {
        ...{ id: 78, name: "Sick", requires_allocation: false, request_unit: "day" },
        ...{ unpaid: false, time_type: "leave" },
      },
    ],
    "allocations.json": [],
    "leaves.json": [1, 2, 3].map((id) => taken(id, id, "2023-06-01", "2023-06-01", 1, 8)),
  });
  const { workers, assignments } = await factsAfter("odoo", fake);
  expect(Object.values(workers).map((text) => text.split(", manager")[0]!)).toEqual([
    "active, 2023-01-02 to null",
    "active, 2023-01-02 to null",
    "inactive, 2023-01-02 to 2025-03-31",
    "active, 2022-05-02 to null",
  ]);
  expect(assignments).toEqual(["1 78", "2 78 2024-01-01/2024-01-31", "3 78 2025-04-01/2025-08-31"]);
});

test("odoo: of a type in hours, a day has the hours of the person's calendar", async () => {
  const fake = await odoo({
    "employees.json": [employee(1), employee(2)],
    "leave_types.json": [
      {
        ...{ id: 78, name: "Paid", requires_allocation: true, request_unit: "hour" },
        ...{ unpaid: false, time_type: "leave" },
      },
    ],
    "allocations.json": [granted(1, 1, 20, "2025-01-01"), granted(2, 2, 10, "2024-01-01", "2024-12-31")],
    "leaves.json": [
      taken(1, 1, "2025-02-03", "2025-02-28", 20, 152), // all of it, at 38 hours a week
      taken(2, 2, "2024-07-01", "2024-07-05", 5, 38), // half of it, and the rest lapses
    ],
  });
  const { balances } = await factsAfter("odoo", fake);
  expect(balances).toEqual({ "1 78": 0, "2 78": 0 });
});

// hr_leave_type.py: time_type is `other` ("Worked Time") or `leave` ("Absence").
test("odoo: worked time is no absence, and unpaid leave is not paid", async () => {
  const type = (id: number, unpaid: boolean, time_type: string) => ({
    ...{ id, name: `T${id}`, requires_allocation: false, request_unit: "day", unpaid, time_type },
  });
  const under = (id: number, day: string) =>
    taken(id, 1, day, day, 1, 8, { holiday_status_id: [id, `T${id}`] });
  const fake = await odoo({
    "employees.json": [employee(1)],
    "leave_types.json": [type(1, false, "leave"), type(2, true, "leave"), type(3, false, "other")],
    "allocations.json": [],
    "leaves.json": [under(1, "2025-03-03"), under(2, "2025-03-04"), under(3, "2025-03-05")],
  });
  const { policies } = await factsAfter("odoo", fake);
  expect(policies).toEqual({ 1: "paid", 2: "unpaid", 3: "paid, works" });
});

test("odoo: a version without hr.leave.type is named", async () => {
  const fake = await odoo({ "leave_types.json": undefined });
  await inFolder(async (folder) => {
    const { stderr } = await syncHere(folder, "odoo", fake, TODAY, 1);
    expect(stderr).toContain("responded 404 (version 19 of Odoo has it");
  });
  await fake.fake.stop();
});
