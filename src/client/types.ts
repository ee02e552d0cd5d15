// The API's objects, and names for parts of them.
import type {
  Assignment,
  BalanceExplanation,
  CloseDifference,
  Company,
  Department,
  Expiration,
  Holiday,
  Policy,
  TimeOffRequest,
  Worker,
  Workplace,
  WorkSchedule,
} from "./objects.ts";

export type * from "./objects.ts";

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

export type WorkerStatus = Worker["status"];
export type WorkerType = Worker["type"];
export type WorkplaceType = Workplace["type"];
export type WorkplaceStatus = Workplace["status"];
export type RequestStatus = TimeOffRequest["status"];
export type RangeType = TimeOffRequest["startRangeType"];
export type Schedule = Policy["schedule"];
export type Unit = Policy["unit"];
/** The amounts and rules of a policy that change on a day; others stay. `none` ends a rule. */
export type PolicyChange = Policy["changes"][number];
/** One line of a balance's explanation. */
export type BalanceEntry = BalanceExplanation["entries"][number];
/** One reason for an amount. */
export type BalanceDetailPart = BalanceEntry["detailParts"][number];
export type BalanceDetailCode = BalanceDetailPart["code"];
export type ScheduledDay = WorkSchedule["days"][number];
export type CloseDifferenceCause = CloseDifference["causes"][number];
export type DifferenceCause = CloseDifferenceCause["cause"];
export type LossCause = Expiration["cause"];
/** A colour of the page. */
export type Color = Company["colors"][string];
