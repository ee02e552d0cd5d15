// The client: `rollcall/client`. No dependency, for Bun, Node 20 and later, and browsers.
import { Assignments, Balances, Policies, Requests, Workers } from "./resources.ts";
import { type RollcallOptions, Transport } from "./transport.ts";

/** Reads one company's workers and time off with one key. Safe to share: calls do not affect each other. */
export class Rollcall {
  readonly workers: Workers;
  readonly policies: Policies;
  readonly requests: Requests;
  readonly balances: Balances;
  readonly assignments: Assignments;

  /** Raises a TypeError, which says what to write, for an address or a key that is missing or cannot be used. */
  constructor(options: RollcallOptions) {
    const transport = new Transport(options);
    this.workers = new Workers(transport);
    this.policies = new Policies(transport);
    this.requests = new Requests(transport);
    this.balances = new Balances(transport);
    this.assignments = new Assignments(transport);
  }
}

export {
  type ConnectionCode,
  type ErrorCode,
  type ErrorFields,
  isRollcallError,
  type ParameterError,
  type ProblemCode,
  RollcallError,
} from "./errors.ts";
export type { List, Page, PageOptions } from "./list.ts";
export type {
  AssignmentFilters,
  Assignments,
  BalanceDays,
  BalanceFilters,
  Balances,
  Policies,
  RequestFilters,
  Requests,
  WorkerFilters,
  Workers,
} from "./resources.ts";
export type { CallOptions, Fetch, RollcallOptions } from "./transport.ts";
export type * from "./types.ts";
