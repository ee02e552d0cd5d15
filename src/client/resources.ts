// The resources and their filters (docs/api.md, Endpoints).
import { List, queryString } from "./list.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  Assignment,
  Balance,
  BalanceExplanation,
  Capacity,
  Close,
  CloseDifference,
  DayOfLeave,
  Department,
  Expiration,
  Holiday,
  LeavePreview,
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

/** Reads the data as it was known at a moment. Raises `not_known` if the history does not have that moment. */
export interface Known {
  /** An instant: a Date, or an RFC 3339 date-time with an offset. Or `YYYY-MM-DD`, for the end of that day in the company's time zone. */
  readonly knownOn?: Date | string | undefined;
}

export interface LegacyIdFilter extends Known {
  /** Ids of the source system. */
  readonly legacyIds?: readonly string[] | undefined;
}

/** Filters combine with AND, the values of one filter with OR. An empty list matches nothing, and sends no request. */
export interface WorkerFilters extends LegacyIdFilter {
  /** The whole address, in any case. */
  readonly workEmail?: string | undefined;
  readonly statuses?: readonly WorkerStatus[] | undefined;
  readonly types?: readonly WorkerType[] | undefined;
  readonly departmentIds?: readonly string[] | undefined;
  readonly workplaceIds?: readonly string[] | undefined;
  readonly managerIds?: readonly string[] | undefined;
}

/** Workers by their department or manager. Needs `workers:read`. */
export interface OfWorkers {
  readonly departmentIds?: readonly string[] | undefined;
  readonly managerIds?: readonly string[] | undefined;
}

interface PairFilters extends Known {
  readonly policyIds?: readonly string[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
}

export interface AssignmentFilters extends PairFilters, OfWorkers {}

/** Instants: a Date, an RFC 3339 date-time with an offset, or `YYYY-MM-DD` for midnight UTC. */
export interface RequestFilters extends AssignmentFilters, LegacyIdFilter {
  readonly statuses?: readonly RequestStatus[] | undefined;
  readonly startsBefore?: Date | string | undefined;
  readonly startsOnOrAfter?: Date | string | undefined;
  readonly endsBefore?: Date | string | undefined;
  readonly endsOnOrAfter?: Date | string | undefined;
}

/** Days, both included: `YYYY-MM-DD`, or a Date, which stands for its UTC day. */
export interface BalanceDays extends Known {
  readonly startDate?: Date | string | undefined;
  readonly endDate?: Date | string | undefined;
}

export interface BalanceFilters extends AssignmentFilters, BalanceDays {}

/** Days, both included: `YYYY-MM-DD`, or a Date, which stands for its UTC day. */
export interface DaySpan extends Known {
  readonly from?: Date | string | undefined;
  readonly to?: Date | string | undefined;
}

/** At most 366 days; by default today and the six days after it. */
export interface DayFilters extends AssignmentFilters, DaySpan {
  /** By default only approved ones. */
  readonly statuses?: readonly RequestStatus[] | undefined;
}

/** By default today and the year after it. */
export interface ExpirationFilters extends PairFilters, DaySpan {}

/** By default the month until `to`, and `to` is today. */
export interface MovementFilters extends ExpirationFilters {
  /** By default policy. `department` needs `workers:read`. */
  readonly groupBy?: readonly ("policy" | "department" | "worker")[] | undefined;
  /** The name of a close. Openings are its figures; `restated` is what became known since. */
  readonly after?: string | undefined;
}

/** At most 366 days; by default today and the six days after it. */
export interface CapacityFilters extends DaySpan, OfWorkers {
  /** By default a week, from Monday. */
  readonly by?: "day" | "week" | "month" | undefined;
  /** By default all people together. Needs `workers:read`. */
  readonly groupBy?: "department" | "worker" | undefined;
  readonly workerIds?: readonly string[] | undefined;
}

/** Leave to preview. Days are `YYYY-MM-DD`, or a Date, which stands for its UTC day. */
export interface PreviewedLeave extends Known {
  readonly workerId: string;
  readonly policyId: string;
  readonly startAt: Date | string;
  /** Included; by default the first day. */
  readonly endAt?: Date | string | undefined;
  /** The sum for all days; by default the time worked on them. 0 takes no leave: the preview shows what can be taken, and what is lost. */
  readonly minutes?: number | undefined;
}

export interface HolidayFilters extends DaySpan {
  readonly calendarIds?: readonly string[] | undefined;
}

/** A resource that can be listed. */
export class ListEndpoint<T extends { readonly id: string }, Filters> {
  constructor(
    protected readonly transport: Transport,
    protected readonly path: string,
  ) {}

  /** Passes filters on unchanged. The server refuses names that it does not know, which JavaScript callers may send. */
  list(filters?: Filters, options: CallOptions = {}): List<T> {
    return new List(this.transport, this.path, { ...filters }, options);
  }

  protected get<R>(below: string, filters: object, options: CallOptions): Promise<R> {
    return this.transport.get(`${this.path}/${below}${queryString({ ...filters })}`, options);
  }
}

/** A resource whose objects can also be retrieved by id. */
export class ObjectEndpoint<T extends { readonly id: string }, Filters> extends ListEndpoint<T, Filters> {
  /** Raises the resource's not-found code, such as `worker_not_found`. */
  retrieve(id: string, { knownOn, ...options }: CallOptions & Known = {}): Promise<T> {
    return this.get(encodeURIComponent(id), { knownOn }, options);
  }
}

export class Workers extends ObjectEndpoint<Worker, WorkerFilters> {
  /** The minutes that the worker is scheduled to work, by day. Raises `worker_not_found`. */
  schedule(id: string, filters: DaySpan = {}, options: CallOptions = {}): Promise<WorkSchedule> {
    return this.get(`${encodeURIComponent(id)}/schedule`, filters, options);
  }
}

export class Balances extends ListEndpoint<Balance, BalanceFilters> {
  /** One balance with all its entries. Raises `balance_not_found`, and `invalid_parameter` for more than 10,000 entries. */
  retrieve(id: string, filters: BalanceDays = {}, options: CallOptions = {}): Promise<BalanceExplanation> {
    return this.get(encodeURIComponent(id), filters, options);
  }
}

/** Closed periods: their figures, and how they differ today. */
export class Closes {
  constructor(private readonly transport: Transport) {}

  /** The last 100, the newest first. */
  async list(options: CallOptions = {}): Promise<Close[]> {
    return (await this.transport.get<{ readonly data: Close[] }>("/v1/time_off/closes", options)).data;
  }

  /** Raises `close_not_found`. */
  retrieve(name: string, options: CallOptions = {}): Promise<Close> {
    return this.transport.get(`/v1/time_off/closes/${encodeURIComponent(name)}`, options);
  }

  /** The balances whose figure differs today, each with its causes. Raises `close_not_found`. */
  differences(
    name: string,
    filters: Omit<AssignmentFilters, keyof Known> = {},
    options: CallOptions = {},
  ): List<CloseDifference> {
    const path = `/v1/time_off/closes/${encodeURIComponent(name)}/differences`;
    return new List(this.transport, path, { ...filters }, options);
  }
}

/** The calls by resource. */
export class Resources {
  readonly departments: ObjectEndpoint<Department, LegacyIdFilter>;
  readonly workplaces: ObjectEndpoint<Workplace, LegacyIdFilter>;
  readonly holidays: ListEndpoint<Holiday, HolidayFilters>;
  readonly workers: Workers;
  readonly policies: ObjectEndpoint<Policy, LegacyIdFilter>;
  readonly requests: ObjectEndpoint<TimeOffRequest, RequestFilters>;
  /** Ordered by worker, then policy. Pages also take a worker id as their cursor. */
  readonly balances: Balances;
  /** Who is away on which day, for how many minutes; ordered by day, then request. */
  readonly days: ListEndpoint<DayOfLeave, DayFilters>;
  /** How balances changed between two days, by groups. Workers who left, and policies that are not paid out, have rows of their own. */
  readonly movements: ListEndpoint<Movement, MovementFilters>;
  /** What will be lost on which day; ordered by worker, policy, day. */
  readonly expirations: ListEndpoint<Expiration, ExpirationFilters>;
  /** The minutes that people can work; ordered by worker or department, then by day. */
  readonly capacity: ListEndpoint<Capacity, CapacityFilters>;
  readonly closes: Closes;
  readonly assignments: ListEndpoint<Assignment, AssignmentFilters>;

  constructor(protected readonly transport: Transport) {
    this.departments = new ObjectEndpoint(transport, "/v1/departments");
    this.workplaces = new ObjectEndpoint(transport, "/v1/workplaces");
    this.holidays = new ListEndpoint(transport, "/v1/holidays");
    this.workers = new Workers(transport, "/v1/workers");
    this.policies = new ObjectEndpoint(transport, "/v1/time_off/policies");
    this.requests = new ObjectEndpoint(transport, "/v1/time_off/requests");
    this.balances = new Balances(transport, "/v1/time_off/balances");
    this.days = new ListEndpoint(transport, "/v1/time_off/days");
    this.movements = new ListEndpoint(transport, "/v1/time_off/movements");
    this.expirations = new ListEndpoint(transport, "/v1/time_off/expirations");
    this.capacity = new ListEndpoint(transport, "/v1/time_off/capacity");
    this.closes = new Closes(transport);
    this.assignments = new ListEndpoint(transport, "/v1/time_off/assignments");
  }

  /** What leave would use, and the most that can be taken. Raises `invalid_parameter` for a policy that the worker does not have. */
  preview(leave: PreviewedLeave, options: CallOptions = {}): Promise<LeavePreview> {
    return this.transport.get(`/v1/time_off/preview${queryString({ ...leave })}`, options);
  }
}
