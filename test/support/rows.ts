// The one builder of rows for tests. Each row has the wire object that an import would have written; what a test does not
// set has a default.
import type { Assignment } from "../../src/resources/assignments.ts";
import { foldEmail } from "../../src/resources/cells.ts";
import type { Department } from "../../src/resources/departments.ts";
import type { Holiday } from "../../src/resources/holidays.ts";
import { ID_PREFIX } from "../../src/resources/ids.ts";
import { LIST_KINDS, LISTS, type ListKind } from "../../src/resources/kinds.ts";
import type { Policy, StoredPolicyTerms } from "../../src/resources/policies.ts";
import { DEFAULT_RULES } from "../../src/resources/policies.ts";
import type { TimeOffRequest } from "../../src/resources/requests.ts";
import type { Worker } from "../../src/resources/workers.ts";
import type { Workplace } from "../../src/resources/workplaces.ts";
import type { Rows } from "../../src/store/tables.ts";
import { utcDayOf } from "../../src/time/day.ts";

/** Rows of a company, by kind. */
export type Facts = { [K in keyof Rows]?: readonly Rows[K][] };

const days = (date: string) => utcDayOf(Date.parse(date));

/** Fields of a worker. A department or a location may be a name alone: its id is made of that. */
export type WorkerFields = Omit<Partial<Worker>, "department"> & {
  readonly department?: string | Worker["department"];
  readonly location?: string | null;
};

const opaque = (name: string) => name.replace(/[^A-Za-z0-9]/g, "_");

export function workerRow(id: string, { location, ...given }: WorkerFields = {}): Rows["workers"] {
  const { department } = given;
  const fields = {
    ...given,
    ...(typeof department === "string" && {
      department: { id: `dpt_${opaque(department)}`, name: department },
    }),
    ...(typeof location === "string" && {
      primaryWorkplace: { id: `wkp_${opaque(location)}`, name: location, type: "office" as const },
    }),
  } as Partial<Worker>; // a name is an object now
  const doc: Worker = {
    id,
    businessName: null,
    displayName: "Ana Sol",
    email: "ana@example.com",
    endDate: null,
    firstName: "Ana",
    isBusiness: false,
    lastName: "Sol",
    position: "",
    preferredName: null,
    startDate: "2024-01-01",
    status: "active",
    timeZone: null,
    type: "employee",
    workEmail: null,
    legacyId: null,
    department: null,
    primaryWorkplace: null,
    managerId: null,
    manager: null,
    latestRehireDate: null,
    terminationReason: null,
    updatedAt: "2026-01-01T00:00:00.000Z",
    ...fields,
  };
  return {
    id,
    legacyId: doc.legacyId,
    doc: JSON.stringify(doc),
    status: doc.status,
    type: doc.type,
    workEmailFolded: doc.workEmail === null ? null : foldEmail(doc.workEmail),
    startDay: days(doc.startDate),
    endDay: doc.endDate === null ? null : days(doc.endDate),
    timeZone: doc.timeZone,
    terms: null,
    departmentId: doc.department?.id ?? null,
    workplaceId: doc.primaryWorkplace?.id ?? null,
    managerId: doc.managerId,
  };
}

const CREATED_AT = "2026-01-01T00:00:00.000Z";

export function departmentRow(id: string, fields: Partial<Department> = {}): Rows["departments"] {
  const doc: Department = {
    ...{ id, name: "Payroll", legacyId: null, parentId: null, createdAt: CREATED_AT },
    ...fields,
  };
  return { id, name: doc.name, legacyId: doc.legacyId, parentId: doc.parentId, doc: JSON.stringify(doc) };
}

export function workplaceRow(id: string, fields: Partial<Workplace> = {}): Rows["workplaces"] {
  const doc: Workplace = {
    id,
    name: "Lisbon",
    type: "office",
    timeZone: null,
    holidayCalendarId: null,
    legacyId: null,
    createdAt: CREATED_AT,
    status: "active",
    ...fields,
  };
  const { name, type, legacyId } = doc;
  return { id, name, type, legacyId, holidayCalendar: null, doc: JSON.stringify(doc) };
}

export function holidayRow(id: string, fields: Partial<Holiday> = {}): Rows["holidays"] {
  const doc: Holiday = {
    ...{ id, calendarId: "hca_berlin", calendar: "Berlin", date: "2026-05-01", name: "Labour Day" },
    ...{ minutes: null, legacyId: null },
    ...fields,
  };
  const { calendarId, calendar, date, name, minutes, legacyId } = doc;
  return { id, calendarId, calendar, day: days(date), name, minutes, legacyId, doc: JSON.stringify(doc) };
}

/** A monthly policy of 600 minutes, unless told otherwise. */
export function policyRow(id: string, fields: Partial<Policy> = {}): Rows["policies"] {
  const doc: Policy = {
    id,
    description: null,
    hoursWorkedPerChunk: null,
    isUnlimited: false,
    minutesPerChunk: null,
    minutesPerPeriod: 600,
    name: "Annual leave",
    paid: true,
    schedule: "monthly",
    timeOffTypeId: "tot_vacation",
    timeOffTypeName: "Vacation",
    unit: "day",
    legacyId: null,
    isAbsence: true,
    isPaidOut: true,
    rules: {},
    changes: [],
    ...fields,
  };
  const terms: StoredPolicyTerms = {
    schedule: doc.schedule,
    minutesPerPeriod: doc.minutesPerPeriod,
    minutesPerChunk: doc.minutesPerChunk,
    hoursWorkedPerChunk: doc.hoursWorkedPerChunk,
    isUnlimited: doc.isUnlimited,
    rules: DEFAULT_RULES,
  };
  const { legacyId, isAbsence } = doc;
  return { id, legacyId, absence: `${isAbsence}`, doc: JSON.stringify(doc), terms: JSON.stringify(terms) };
}

export function assignmentRow(
  id: string,
  workerId: string,
  policyId: string,
  assignedAt = "2026-01-01T00:00:00.000Z",
): Rows["assignments"] {
  const doc: Assignment = { id, assignedAt, policyId, workerId, startsOn: null, endsOn: null };
  return {
    id,
    workerId,
    policyId,
    doc: JSON.stringify(doc),
    assignedDay: days(assignedAt),
    endsDay: null,
    terms: null,
    movesFrom: null,
  };
}

/** An approved day, 2026-03-02, unless told otherwise. Its local days are UTC days. */
export function requestRow(
  id: string,
  workerId: string,
  policyId: string,
  fields: Partial<TimeOffRequest> = {},
): Rows["requests"] {
  const doc: TimeOffRequest = {
    id,
    createdAt: "2026-02-01T08:00:00.000Z",
    endAt: "2026-03-03T00:00:00.000Z",
    reason: null,
    requestedMinutes: 480,
    startAt: "2026-03-02T00:00:00.000Z",
    status: "approved",
    timeOffPolicyId: policyId,
    timeZone: null,
    workerId,
    legacyId: null,
    startRangeType: "datetime",
    endRangeType: "datetime",
    ...fields,
  };
  const startAtMs = Date.parse(doc.startAt);
  const endAtMs = Date.parse(doc.endAt);
  return {
    id,
    legacyId: doc.legacyId,
    doc: JSON.stringify(doc),
    workerId,
    policyId,
    status: doc.status,
    startAtMs,
    endAtMs,
    firstDay: utcDayOf(startAtMs),
    lastDay: utcDayOf(Math.max(startAtMs, endAtMs - 1)),
    minutes: doc.requestedMinutes,
    timeZone: doc.timeZone,
    terms: null,
  };
}

export function adjustmentRow(
  id: string,
  workerId: string,
  policyId: string,
  fields: Partial<Rows["adjustments"]> = {},
): Rows["adjustments"] {
  return {
    id,
    legacyId: null,
    workerId,
    policyId,
    day: 20_000,
    minutes: 60,
    expiresDay: null,
    note: null,
    ...fields,
  };
}

export function workHoursRow(workerId: string, day: number, minutes: number): Rows["work_hours"] {
  return { workerId, day, minutes };
}

/**
 * The facts, and rows like the sample company's first one of each list of which they have none. `opaques` are the ids without the prefix.
 * Throws if that row has a parent: only the caller knows which one.
 */
export function withOtherLists<F extends Facts>(
  facts: F,
  opaques: readonly string[],
  legacyId: string | null = null,
  mark = "",
): F {
  const sample = sampleFacts(mark);
  const others = LIST_KINDS.filter((kind) => (facts[kind] ?? []).length === 0).map((kind) => {
    const row: (Rows[ListKind] & Readonly<Record<string, unknown>>) | undefined = sample[kind]?.[0];
    if (row === undefined)
      throw new Error(`sampleFacts in test/support/rows.ts has no row of ${kind}: add one`);
    const parents = Object.keys(LISTS[kind].belongsTo).filter((column) => row[column] !== null);
    if (parents.length > 0)
      throw new Error(`give rows of ${kind}, with their ${parents}, to this call of withOtherLists`);
    const rows = opaques.map((opaque) => {
      const own = { id: `${ID_PREFIX[LISTS[kind].idKind]}${opaque}`, legacyId };
      return { ...row, ...own, doc: JSON.stringify({ ...JSON.parse(row.doc), ...own }) };
    });
    return [kind, rows];
  });
  return { ...facts, ...Object.fromEntries(others) };
}

/** A small company that has something for every endpoint. Companies that are made with different marks share every id. */
export function sampleFacts(mark = ""): Facts {
  return {
    departments: [
      departmentRow("dpt_all", { name: `Everybody${mark}` }),
      departmentRow("dpt_pay", { name: `Payroll${mark}`, legacyId: "D1", parentId: "dpt_all" }),
    ],
    workplaces: [workplaceRow("wkp_lisbon", { name: `Lisbon${mark}`, legacyId: "P1" })],
    holidays: [holidayRow("hol_may", { name: `Labour Day${mark}` })],
    workers: [
      workerRow("wrk_ana", {
        displayName: `Ana Sol${mark}`,
        legacyId: "E1",
        workEmail: `Ana+${mark.trim()}@Example.com`,
        timeZone: "Europe/Madrid",
        preferredName: `Anita${mark}`,
      }),
      workerRow("wrk_bo", { businessName: `Bo ApS${mark}`, isBusiness: true, type: "contractor" }),
      workerRow("wrk_cy", { status: "inactive", endDate: "2025-12-31", position: `Clerk${mark}` }),
    ],
    policies: [
      policyRow("top_annual", { name: `Annual leave${mark}` }),
      policyRow("top_open", {
        description: `Whatever you need${mark}`,
        isUnlimited: true,
        minutesPerPeriod: null,
        name: `Open${mark}`,
        schedule: "unlimited",
      }),
    ],
    assignments: [
      assignmentRow("toa_1", "wrk_ana", "top_annual"),
      assignmentRow("toa_2", "wrk_ana", "top_open"),
      assignmentRow("toa_3", "wrk_bo", "top_annual"),
    ],
    requests: [
      requestRow("tor_1", "wrk_ana", "top_annual", { reason: `Wedding${mark}`, status: "pending" }),
      requestRow("tor_2", "wrk_ana", "top_open", { timeZone: "Asia/Tokyo" }),
      requestRow("LEGACY-9", "wrk_bo", "top_annual", { status: "denied", requestedMinutes: 90.5 }),
    ],
  };
}
