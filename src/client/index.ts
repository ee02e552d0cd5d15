// The client: `@rollcall/client`, also `rollcall/client`. No dependency, for Bun, Node 20 and later, and browsers.
import { Changes } from "./changes.ts";
import { queryString } from "./list.ts";
import { type Known, Resources } from "./resources.ts";
import { type CallOptions, type RollcallOptions, Transport } from "./transport.ts";
import type { Company } from "./types.ts";

/** Reads one company's workers and time off with one key. Safe to share: calls do not affect each other. */
export class Rollcall extends Resources {
  readonly changes: Changes;

  /** Raises a TypeError, which says what to write, for a missing or invalid address or key. */
  constructor(options: RollcallOptions) {
    super(new Transport(options));
    this.changes = new Changes(this.transport);
  }

  /** The key's company, and the age of its data. */
  company({ knownOn, ...options }: CallOptions & Known = {}): Promise<Company> {
    return this.transport.get(`/v1/company${queryString({ knownOn })}`, options);
  }
}

export type {
  Change,
  ChangeOptions,
  ChangePage,
  ChangeResource,
  Changes,
  FollowOptions,
} from "./changes.ts";
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
export type * from "./resources.ts";
export type { CallOptions, Fetch, RollcallOptions } from "./transport.ts";
export type * from "./types.ts";
