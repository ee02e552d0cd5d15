// What stands in a view's place while it has nothing to show, and why.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type ErrorCode, isRollcallError } from "../../client/index.ts";

interface Explanation {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  /** Whether trying again may help. */
  readonly passing: boolean;
}

const TITLES: Partial<Record<ErrorCode, string>> = {
  missing_scope: "This key may not see that.",
  invalid_api_key: "This key is not valid.",
  worker_not_found: "There is no such person.",
  policy_not_found: "There is no such policy.",
  rate_limited: "Too many requests at once.",
  network_error: "The server cannot be reached.",
  timeout: "The server takes too long to answer.",
  unavailable: "The data cannot be read right now.",
  overloaded: "The server is busy.",
};

const LASTING: readonly ErrorCode[] = ["missing_scope", "worker_not_found", "policy_not_found"];

/** Any failure in words for people. */
export function explain(error: unknown): Explanation {
  if (!isRollcallError(error)) {
    return {
      title: "Something went wrong on this page.",
      detail: String(error),
      requestId: null,
      passing: true,
    };
  }
  return {
    title: TITLES[error.code] ?? "The server could not answer.",
    detail: `${error.detail.charAt(0).toUpperCase()}${error.detail.slice(1)}`,
    requestId: error.requestId,
    passing: !LASTING.includes(error.code),
  };
}

export function Message({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="message">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { title, detail, requestId, passing } = explain(error);
  return (
    <div className="message" role="alert">
      <h1>{title}</h1>
      <p>{detail}</p>
      {isRollcallError(error, "missing_scope") && (
        <p className="soft">Ask the operator for a key with that scope, then sign out and in again.</p>
      )}
      {requestId !== null && (
        <p className="soft small">
          Request <code>{requestId}</code>: the operator finds it in the log under this name.
        </p>
      )}
      {passing && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {what}
    </div>
  );
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return (
    <div className="empty" role="status">
      {children}
    </div>
  );
}

/** The first failure among these queries, or null: with one button that asks all the failed ones again. */
export function failureOf(...queries: readonly UseQueryResult[]): ReactNode | null {
  const failed = queries.filter((query) => query.isError && query.data === undefined);
  const first = failed[0];
  if (first === undefined) return null;
  return <Failure error={first.error} onRetry={() => failed.forEach((query) => void query.refetch())} />;
}
