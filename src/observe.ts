// Everything that a server reports to its operator. Logs and metrics are made only from these observations.
//
// No observation contains a part of a caller's path, query or headers. Types ensure it: only the functions that make a `RoutePattern` or a
// `LoggedText` can turn text into one. The one header that is logged is a request id (docs/api.md, Headers).
import type { RoutePattern } from "./resources/resource.ts";

declare const isLogged: unique symbol;

/** Text without anything that the caller wrote; `src/http` makes it. */
export type LoggedText = string & { readonly [isLogged]: true };

export interface LoggedError {
  readonly type: LoggedText;
  readonly message: LoggedText;
  readonly stack: LoggedText;
  readonly cause: LoggedError | null;
}

/** The names of the tools; "unknown" for any other. */
export const LOGGED_TOOLS = [
  "find_people",
  "who_is_away",
  "time_off_balance",
  "time_off_movements",
  "time_off_expirations",
  "team_capacity",
  "closed_differences",
  "time_off_preview",
  "list_time_off",
  "list_policies",
  "unknown",
] as const;

/** The tool that an assistant called, and whether it got an error. Never the arguments. */
export interface LoggedTool {
  readonly tool: (typeof LOGGED_TOOLS)[number];
  readonly isError: boolean;
}

/** Methods that are logged by name; any other text counts as "other". */
export const LOGGED_METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "other"] as const;

export type Observation =
  | {
      readonly kind: "request";
      readonly requestId: LoggedText;
      readonly method: (typeof LOGGED_METHODS)[number];
      readonly route: RoutePattern;
      readonly status: number;
      /** Without the time that the request waited for a change. */
      readonly durationMs: number;
      /** Bytes of the body as sent. */
      readonly bytes: number;
      readonly keyId: string | null;
      readonly companyId: string | null;
      /** The error's code, if the response is an error. */
      readonly code: string | null;
      readonly called: LoggedTool | null;
      /** The id of the caller's trace, if it sent one. */
      readonly traceId: LoggedText | null;
    }
  | {
      readonly kind: "fault" | "unavailable";
      readonly requestId: LoggedText | null;
      readonly traceId: LoggedText | null;
      readonly error: LoggedError;
    }
  /** The identity provider's response lacks what the access rules need to know of a person. */
  | { readonly kind: "notSignedIn"; readonly requestId: LoggedText; readonly reason: LoggedText }
  /** A replica is not used until it responds again. */
  | { readonly kind: "replicaDown"; readonly error: LoggedError }
  /** Events until this time were too old to be sent to a hook. */
  | {
      readonly kind: "eventsLost";
      readonly companyId: string;
      readonly hookId: string;
      readonly until: string;
    }
  | { readonly kind: "started"; readonly address: string }
  | { readonly kind: "stopping"; readonly inFlight: number }
  /** New connections get the renewed certificate. */
  | { readonly kind: "renewed" }
  /** A renewed certificate could not be used; the server keeps the old one. */
  | { readonly kind: "notRenewed"; readonly message: string }
  /** One of several processes ended unexpectedly and is restarted. `ending` is its exit code or signal. */
  | { readonly kind: "ended"; readonly process: number; readonly ending: number | string };

export type Observe = (observation: Observation) => void;
