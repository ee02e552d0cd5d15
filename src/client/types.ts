// The API's objects, written out so that the published types stand alone; test/client/types.test.ts compares them with the contract's
// schemas.

export type WorkerStatus = "draft" | "invited" | "onboarding" | "active" | "offboarding" | "inactive";
export type WorkerType = "employee" | "contractor";
export type RequestStatus = "pending" | "approved" | "denied";
export type RangeType = "date" | "datetime";
export type Schedule = "per_hour_worked" | "monthly" | "yearly" | "unlimited";
export type Unit = "hour" | "day";

/** The objects of lists that the store holds, which are also in the change feed. */
export interface Listed {
  departments: Department;
  workplaces: Workplace;
  holidays: Holiday;
  workers: Worker;
  policies: Policy;
  assignments: Assignment;
  requests: TimeOffRequest;
}

/** Resources that can be retrieved by id, as error codes name them. */
export type Retrieved = "department" | "workplace" | "worker" | "policy" | "request" | "balance";

/** Someone who works for the company. Days are `YYYY-MM-DD`. */
export interface Worker {
  id: string;
  /** Null if the worker is a person. */
  businessName: string | null;
  /** The name to show. */
  displayName: string;
  email: string;
  /** The last day; null if unknown. */
  endDate: string | null;
  firstName: string;
  isBusiness: boolean;
  lastName: string;
  /** The job title; may be empty. */
  position: string;
  preferredName: string | null;
  startDate: string;
  status: WorkerStatus;
  /** A name of the IANA database, such as `Europe/Berlin`. */
  timeZone: string | null;
  type: WorkerType;
  workEmail: string | null;
  /** The id in the source system. */
  legacyId: string | null;
  department: Pick<Department, "id" | "name"> | null;
  primaryWorkplace: Pick<Workplace, "id" | "name" | "type"> | null;
  /** The manager's id. */
  managerId: string | null;
  manager: Pick<Worker, "id" | "firstName" | "lastName" | "displayName"> | null;
  /** The first day of the newest employment; null if it is the first one. */
  latestRehireDate: string | null;
  terminationReason: string | null;
  /** When an import last changed this object. */
  updatedAt: string;
}

/** A part of the company. */
export interface Department {
  id: string;
  name: string;
  /** The id in the source system. */
  legacyId: string | null;
  /** The parent department. */
  parentId: string | null;
  /** RFC 3339. */
  createdAt: string;
}

export type WorkplaceType = "office" | "remote";

export type WorkplaceStatus = "active" | "archived";

/** Where workers work. */
export interface Workplace {
  id: string;
  name: string;
  type: WorkplaceType;
  /** A name of the IANA database. */
  timeZone: string | null;
  holidayCalendarId: string | null;
  /** The id in the source system. */
  legacyId: string | null;
  /** RFC 3339. */
  createdAt: string;
  status: WorkplaceStatus;
}

/** What accrues, when, and for which type of time off. */
export interface Policy {
  id: string;
  description: string | null;
  /** `per_hour_worked`: the hours worked that earn one chunk. */
  hoursWorkedPerChunk: number | null;
  isUnlimited: boolean;
  /** `per_hour_worked`: the minutes that one chunk grants. */
  minutesPerChunk: number | null;
  /** `monthly` and `yearly`: the minutes that one period grants. */
  minutesPerPeriod: number | null;
  name: string;
  paid: boolean;
  schedule: Schedule;
  timeOffTypeId: string;
  timeOffTypeName: string;
  /** The unit that people see; amounts are always minutes. */
  unit: Unit;
  /** The id in the source system. */
  legacyId: string | null;
  /** False for leave during which people work, such as working from home. */
  isAbsence: boolean;
  /** Whether the remaining balance is paid out when somebody leaves. */
  isPaidOut: boolean;
  /** The rules that differ from the defaults, by the column names of an import. */
  rules: Record<string, string | number | boolean>;
  /** Changes of rules by day, in order. */
  changes: PolicyChange[];
}

/** The amounts and rules that change on a day; others stay. `none` ends a rule. */
export interface PolicyChange {
  from: string;
  minutesPerPeriod: number | null;
  minutesPerChunk?: number | undefined;
  hoursWorkedPerChunk?: number | undefined;
  rules: Record<string, string | number | boolean>;
}

/** What leave would use, in minutes. Balances and the maximum are null for an unlimited policy. */
export interface LeavePreview {
  workerId: string;
  policyId: string;
  /** For all days. */
  minutes: number;
  days: { date: string; minutes: number }[];
  /** At the end of the last day, with all approved and pending leave. */
  balanceBefore: number | null;
  balanceAfter: number | null;
  /** The most that can be taken on the first day so that neither it nor a later day has less than zero to use. */
  mostMinutes: number | null;
  /** Whether this leave can be taken: no day has less than zero to use, and no leave year more leave than its cap on use. */
  isCovered: boolean;
  /** What is lost in the year from the first day on, if this leave is taken. */
  lost: { date: string; minutes: number; cause: Expiration["cause"] }[];
}

/** A worker's request for time off. Instants are RFC 3339 in UTC with milliseconds. */
export interface TimeOffRequest {
  id: string;
  createdAt: string;
  /** The end, exclusive. */
  endAt: string;
  reason: string | null;
  requestedMinutes: number;
  /** The start, inclusive. */
  startAt: string;
  status: RequestStatus;
  timeOffPolicyId: string;
  timeZone: string | null;
  workerId: string;
  /** The id in the source system. */
  legacyId: string | null;
  /** Whether the source system knows only the day of the start, or also the time. */
  startRangeType: RangeType;
  /** The same for the end. */
  endRangeType: RangeType;
}

/** A calendar day that is not worked, or only in part. */
export interface Holiday {
  id: string;
  calendarId: string;
  /** The name of the calendar. */
  calendar: string;
  /** `YYYY-MM-DD`. */
  date: string;
  name: string;
  /** How many minutes of the day are not worked; null for the whole day. */
  minutes: number | null;
  /** The id in the source system. */
  legacyId: string | null;
}

/** A worker's balance under a policy, in minutes, for the requested days. */
export interface Balance {
  id: string;
  /** Accrued, but not usable yet on the requested day. */
  accruedLocked: number;
  accruedUnlocked: number;
  /** `accruedUnlocked − used − holds`; 0 for an unlimited policy. May be negative. */
  available: number;
  /** Minutes of pending requests. */
  holds: number;
  /** The worker's id in the source system; the worker id if there is none. */
  legacyWorkerId: string;
  policyId: string;
  /** Minutes of approved requests. */
  used: number;
  workerId: string;
  /** The day at whose end the balance was taken over from another system, `YYYY-MM-DD`; null if it was not. */
  openedOn: string | null;
}

/** One line of a balance's explanation. Minutes have at most six decimals; days are `YYYY-MM-DD`. */
export interface BalanceEntry {
  /** The day on which it counts; for leave, its first day in the window. */
  date: string;
  kind: "opening" | "moved" | "accrual" | "adjustment" | "forfeit" | "expiry" | "revalued" | "used" | "hold";
  /** Signed: `used` and `hold` are negative. */
  minutes: number;
  /** The balance after this entry, without holds. */
  balance: number;
  /** The day from which the minutes are usable; null for leave. */
  unlocksOn: string | null;
  /** The id of the adjustment or the request; otherwise null. */
  sourceId: string | null;
  /** How the amount came about, in English. */
  detail: string;
  /** The same as codes and values. */
  detailParts: BalanceDetailPart[];
}

/** One reason for an amount. Values are minutes if the name ends with `minutes`; days are `YYYY-MM-DD`. */
export interface BalanceDetailPart {
  code: BalanceDetailCode;
  values: Record<string, number | string>;
}

export type BalanceDetailCode =
  | "granted"
  | "countedBy"
  | "rulesFrom"
  | "ownAmount"
  | "tier"
  | "share"
  | "shareAndRate"
  | "since"
  | "restOfYear"
  | "firstYear"
  | "total"
  | "sumRounded"
  | "rounded"
  | "totalRounded"
  | "onlyUncut"
  | "yearlyCap"
  | "balanceCap"
  | "hoursWorked"
  | "rate"
  | "payPeriod"
  | "locked"
  | "revalued"
  | "movesAway"
  | "movesHere"
  | "policyEnds"
  | "openingCarried"
  | "opening"
  | "adjustment"
  | "carryoverLimit"
  | "grantExpired"
  | "carriedExpired"
  | "neverExpire"
  | "leave"
  | "leavePart"
  | "writtenDays"
  | "writtenPart"
  | "heldLess";

/** A balance with all entries that explain its numbers, in order. */
export interface BalanceExplanation extends Balance {
  entries: BalanceEntry[];
}

/** The minutes that a worker is scheduled to work on each day. Leave is not subtracted. */
export interface WorkSchedule {
  workerId: string;
  days: ScheduledDay[];
}

export interface ScheduledDay {
  date: string;
  /** Without holidays; null before the first schedule. */
  minutes: number | null;
  /** The name of the holiday on that day or a part of it. */
  holiday: string | null;
}

/** The minutes of one request on one day. */
export interface DayOfLeave {
  id: string;
  /** In the request's zone. */
  date: string;
  /** Above 0. The days of a request add up to its `requestedMinutes`. */
  minutes: number;
  status: RequestStatus;
  requestId: string;
  workerId: string;
  policyId: string;
  /** From the policy: false for leave during which people work. */
  isAbsence: boolean;
  /** The worker's address; null without the scope `workers:read`. */
  workEmail: string | null;
}

/**
 * How the balances of a group changed between two days, in minutes: `opening + restated + granted − used + adjusted − forfeited − expired +
 * opened + moved + revalued = closing`. Fields that are not grouped by are null.
 */
export interface Movement {
  id: string;
  workerId: string | null;
  policyId: string | null;
  department: string | null;
  /** From the policies: whether the remaining balance is paid out. */
  isPaidOut: boolean;
  /** Whether the last day of these workers is over by then. */
  hasLeft: boolean;
  /** After a close, the figure that was closed. */
  opening: number;
  /** After a close, changes since then that concern the time before `from`; otherwise 0. */
  restated: number;
  granted: number;
  used: number;
  adjusted: number;
  forfeited: number;
  expired: number;
  opened: number;
  moved: number;
  revalued: number;
  closing: number;
  /** The balance if `to` were the workers' last day. */
  earned: number;
}

/** The balances as they were known when a period was closed. */
export interface Close {
  /** Its name. */
  id: string;
  from: string;
  through: string;
  /** The moment of the close. */
  knownOn: string;
  /** Over the balances and the movements as CSV, in hexadecimal. */
  sha256: string;
  balances: number;
  minutes: number;
  /** How many workers were erased since. Their figures are gone, so the digest differs. */
  erasedWorkers: number;
  /** How many requests of other workers the company's retention has erased since: then the digest may differ. */
  erasedRequests: number;
}

/** Why a closed figure differs today: what changed since. */
export type DifferenceCause =
  | "rule"
  | "worker"
  | "assignment"
  | "schedule"
  | "holiday"
  | "moved"
  | "opening"
  | "workedHours"
  | "adjustmentAdded"
  | "adjustmentChanged"
  | "adjustmentRemoved"
  | "leaveAdded"
  | "leaveChanged"
  | "leaveDenied"
  | "leaveRemoved";

export interface CloseDifferenceCause {
  cause: DifferenceCause;
  /** The id of the request or the adjustment; otherwise null. */
  sourceId: string | null;
  /** How it changed the figure, signed. */
  minutes: number;
  /** The days of the request or the adjustment, `YYYY-MM-DD`; otherwise null. */
  from: string | null;
  through: string | null;
}

/** A balance whose figure at the end of a close's last day differs today. */
export interface CloseDifference {
  id: string;
  workerId: string;
  policyId: string;
  closedMinutes: number;
  nowMinutes: number;
  /** `nowMinutes - closedMinutes`. */
  difference: number;
  /** Their minutes add up to `difference`. */
  causes: CloseDifferenceCause[];
}

export type LossCause = "carryoverLimit" | "carryoverExpiry" | "grantExpiry" | "balanceCap";

/** What a worker loses on a day, if only approved leave is taken. */
export interface Expiration {
  id: string;
  workerId: string;
  policyId: string;
  /** The day on which it is lost. */
  date: string;
  /** Above 0. */
  minutes: number;
  cause: LossCause;
}

/** How many minutes people can work in a period. */
export interface Capacity {
  id: string;
  from: string;
  /** Included. */
  to: string;
  /** Null unless grouped by worker. */
  workerId: string | null;
  /** Null unless grouped by department, and for workers without one. */
  departmentId: string | null;
  /** Its name. */
  department: string | null;
  /** How many are employed on one of these days. */
  workers: number;
  /** How many of them have a day without a schedule, for which eight hours are assumed. */
  assumedWorkers: number;
  /** Scheduled minutes, holidays included. */
  scheduled: number;
  holidays: number;
  /** Leave within working time. */
  approved: number;
  pending: number;
  /** scheduled − holidays − approved − pending. */
  left: number;
}

/** A colour of the page. */
export type Color = "violet" | "amber" | "rose" | "grey" | "blue" | "olive" | "plum" | "teal";

/** The key's company. */
export interface Company {
  id: string;
  name: string;
  /** For workers without a time zone of their own; null for UTC. */
  timeZone: string | null;
  /** The colours that the operator chose for types of time off, by `timeOffTypeId`. */
  colors: Record<string, Color>;
  /** When the last successful import ended, even if it changed nothing; null before the first. */
  dataAsOf: string | null;
  /** When an import last changed something; null before the first. */
  changedAt: string | null;
  /** The first moment that `knownOn` can ask about, as of now; null if nothing is known of the past. */
  knownSince: string | null;
}

/** A policy that applies to a worker; at most one per worker and policy. */
export interface Assignment {
  id: string;
  assignedAt: string;
  policyId: string;
  workerId: string;
  /** The assignment day as imported; null if it is the UTC day of `assignedAt`. */
  startsOn: string | null;
  /** The last day on which the policy applies; null if unknown. */
  endsOn: string | null;
}
