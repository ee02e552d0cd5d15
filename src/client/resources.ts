// What each resource can be asked for (docs/api.md, Endpoints).
import { day, instant, List, queryString } from "./list.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  Assignment,
  Balance,
  BalanceExplanation,
  DayOfLeave,
  Department,
  Expiration,
  Holiday,
  Movement,
  Policy,
  RequestStatus,
  TimeOffRequest,
  Worker,
  WorkerStatus,
  WorkerType,
  Workplace,
  WorkSchedule,
} from "./types.ts";

/** Filters combine with AND, the values of one list with OR. An empty list matches nothing, without a request. */
export interface WorkerFilters {
  /** The whole address, in any case. */
  readonly workEmail?: string | undefined;
  readonly statuses?: readonly WorkerStatus[] | undefined;
  readonly types?: readonly WorkerType[] | undefined;
  /** Ids of the source system. */
  readonly legacyIds?: readonly string[] | undefined;
  readonly departmentIds?: readonly string[] | undefined;
  readonly workplaceIds?: readonly string[] | undefined;
  /** Ids of the workers whom they report to. */
  readonly managerIds?: readonly string[] | undefined;
}

export interface LegacyIdFilter {
  /** Ids of the source system. */
  readonly legacyIds?: readonly string[] | undefined;
}

export interface PolicyFilters extends LegacyIdFilter {}
export interface DepartmentFilters extends LegacyIdFilter {}
export interface WorkplaceFilters extends LegacyIdFilter {}

export interface AssignmentFilters {
  readonly policyIds?: readonly string[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
}

/** Instants: a Date, an RFC 3339 date-time with an offset, or `YYYY-MM-DD` for midnight UTC. */
export interface RequestFilters extends AssignmentFilters {
  readonly statuses?: readonly RequestStatus[] | undefined;
  /** Ids of the source system. */
  readonly legacyIds?: readonly string[] | undefined;
  readonly startsBefore?: Date | string | undefined;
  readonly startsOnOrAfter?: Date | string | undefined;
  readonly endsBefore?: Date | string | undefined;
  readonly endsOnOrAfter?: Date | string | undefined;
}

/** Days, both included: `YYYY-MM-DD`, or a Date, whose UTC day is taken. */
export interface BalanceDays {
  readonly startDate?: Date | string | undefined;
  readonly endDate?: Date | string | undefined;
}

export interface BalanceFilters extends AssignmentFilters, BalanceDays {}

/** Days, both included: `YYYY-MM-DD`, or a Date, whose UTC day is taken. */
export interface DaySpan {
  readonly from?: Date | string | undefined;
  readonly to?: Date | string | undefined;
}

/** At most 366 days apart. Today and six more when left out. */
export interface DayFilters extends AssignmentFilters, DaySpan {
  /** Approved ones when left out. */
  readonly statuses?: readonly RequestStatus[] | undefined;
  /** Ids of the workers whom they report to. Needs `workers:read`. */
  readonly departmentIds?: readonly string[] | undefined;
  readonly managerIds?: readonly string[] | undefined;
}

/** Today and the year after it when left out. */
export interface ExpirationFilters extends AssignmentFilters, DaySpan {}

/** The same; the month of `to` until then, and today, when left out. */
export interface MovementFilters extends ExpirationFilters {
  /** By policy when left out. By department needs `workers:read`. */
  readonly groupBy?: readonly ("policy" | "department" | "worker")[] | undefined;
}

export interface HolidayFilters extends DaySpan {
  readonly calendarIds?: readonly string[] | undefined;
}

/** The filters, with days as texts. */
function inDays(filters: DaySpan) {
  return { ...filters, from: day(filters.from), to: day(filters.to) };
}

class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

// Filters are passed on as they are: one that is misspelt (in JavaScript) must reach the server, which refuses it.

export class Departments extends Resource {
  list(filters: DepartmentFilters = {}, options: CallOptions = {}): List<Department> {
    return new List(this.transport, "/v1/departments", { ...filters }, options);
  }

  /** Raises `department_not_found`. */
  retrieve(id: string, options: CallOptions = {}): Promise<Department> {
    return this.transport.get(`/v1/departments/${encodeURIComponent(id)}`, options);
  }
}

export class Workplaces extends Resource {
  list(filters: WorkplaceFilters = {}, options: CallOptions = {}): List<Workplace> {
    return new List(this.transport, "/v1/workplaces", { ...filters }, options);
  }

  /** Raises `workplace_not_found`. */
  retrieve(id: string, options: CallOptions = {}): Promise<Workplace> {
    return this.transport.get(`/v1/workplaces/${encodeURIComponent(id)}`, options);
  }
}

export class Workers extends Resource {
  list(filters: WorkerFilters = {}, options: CallOptions = {}): List<Worker> {
    return new List(this.transport, "/v1/workers", { ...filters }, options);
  }

  /** Raises `worker_not_found`. */
  retrieve(id: string, options: CallOptions = {}): Promise<Worker> {
    return this.transport.get(`/v1/workers/${encodeURIComponent(id)}`, options);
  }

  /** What the worker is scheduled to work on which day. Raises `worker_not_found`. */
  schedule(id: string, filters: DaySpan = {}, options: CallOptions = {}): Promise<WorkSchedule> {
    const query = queryString(inDays(filters));
    return this.transport.get(`/v1/workers/${encodeURIComponent(id)}/schedule${query}`, options);
  }
}

export class Policies extends Resource {
  list(filters: PolicyFilters = {}, options: CallOptions = {}): List<Policy> {
    return new List(this.transport, "/v1/time_off/policies", { ...filters }, options);
  }

  /** Raises `policy_not_found`. */
  retrieve(id: string, options: CallOptions = {}): Promise<Policy> {
    return this.transport.get(`/v1/time_off/policies/${encodeURIComponent(id)}`, options);
  }
}

export class Requests extends Resource {
  list(filters: RequestFilters = {}, options: CallOptions = {}): List<TimeOffRequest> {
    const instants = {
      startsBefore: instant(filters.startsBefore),
      startsOnOrAfter: instant(filters.startsOnOrAfter),
      endsBefore: instant(filters.endsBefore),
      endsOnOrAfter: instant(filters.endsOnOrAfter),
    };
    return new List(this.transport, "/v1/time_off/requests", { ...filters, ...instants }, options);
  }

  /** Raises `request_not_found`. */
  retrieve(id: string, options: CallOptions = {}): Promise<TimeOffRequest> {
    return this.transport.get(`/v1/time_off/requests/${encodeURIComponent(id)}`, options);
  }
}

export class Balances extends Resource {
  /** Ordered by worker, then policy. Pages also take a worker id as their cursor. */
  list(filters: BalanceFilters = {}, options: CallOptions = {}): List<Balance> {
    const days = { startDate: day(filters.startDate), endDate: day(filters.endDate) };
    return new List(this.transport, "/v1/time_off/balances", { ...filters, ...days }, options);
  }

  /**
   * One balance with every entry that its numbers are made of. Raises `balance_not_found`, and `invalid_parameter` when the
   * days have more than 10,000 entries.
   */
  retrieve(id: string, filters: BalanceDays = {}, options: CallOptions = {}): Promise<BalanceExplanation> {
    const query = queryString({
      ...filters,
      startDate: day(filters.startDate),
      endDate: day(filters.endDate),
    });
    return this.transport.get(`/v1/time_off/balances/${encodeURIComponent(id)}${query}`, options);
  }
}

export class Holidays extends Resource {
  list(filters: HolidayFilters = {}, options: CallOptions = {}): List<Holiday> {
    return new List(this.transport, "/v1/holidays", inDays(filters), options);
  }
}

export class Days extends Resource {
  /** Who is away on which day, for how many minutes: ordered by day, then request. */
  list(filters: DayFilters = {}, options: CallOptions = {}): List<DayOfLeave> {
    return new List(this.transport, "/v1/time_off/days", inDays(filters), options);
  }
}

export class Movements extends Resource {
  /** What moved balances between two days, by groups. Who has left, and what is not owed, has rows of its own. */
  list(filters: MovementFilters = {}, options: CallOptions = {}): List<Movement> {
    return new List(this.transport, "/v1/time_off/movements", inDays(filters), options);
  }
}

export class Expirations extends Resource {
  /** What will be lost on which day: ordered by worker, policy, day. */
  list(filters: ExpirationFilters = {}, options: CallOptions = {}): List<Expiration> {
    return new List(this.transport, "/v1/time_off/expirations", inDays(filters), options);
  }
}

export class Assignments extends Resource {
  list(filters: AssignmentFilters = {}, options: CallOptions = {}): List<Assignment> {
    return new List(this.transport, "/v1/time_off/assignments", { ...filters }, options);
  }
}

/** The calls by resource. */
export class Resources {
  readonly departments: Departments;
  readonly workplaces: Workplaces;
  readonly holidays: Holidays;
  readonly workers: Workers;
  readonly policies: Policies;
  readonly requests: Requests;
  readonly balances: Balances;
  readonly days: Days;
  readonly movements: Movements;
  readonly expirations: Expirations;
  readonly assignments: Assignments;

  constructor(transport: Transport) {
    this.departments = new Departments(transport);
    this.workplaces = new Workplaces(transport);
    this.holidays = new Holidays(transport);
    this.workers = new Workers(transport);
    this.policies = new Policies(transport);
    this.requests = new Requests(transport);
    this.balances = new Balances(transport);
    this.days = new Days(transport);
    this.movements = new Movements(transport);
    this.expirations = new Expirations(transport);
    this.assignments = new Assignments(transport);
  }
}
