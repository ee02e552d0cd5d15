// What a view shows while it loads, after a failure, and without people; its title; and the product's logo.
import type { UseQueryResult } from "@tanstack/react-query";
import { Component, type ReactNode, useEffect, useRef } from "react";
import { isRollcallError, type RollcallError } from "../../client/index.ts";
import { facts } from "../data/format.ts";
import { isSomebodyElses } from "../session.ts";
import { rich } from "../texts/rich.tsx";
import { isText, t } from "../texts/texts.ts";

export const PRODUCT = "Rollcall";

interface Explanation {
  readonly title: string;
  /** More about it, in the viewer's language. */
  readonly detail: string | null;
  /** The message of the server or the browser, in English. */
  readonly words: string | null;
  readonly requestId: string | null;
  /** The button to offer: trying again, or reloading the page; null for none. */
  readonly help: "try" | "reload" | null;
}

/** Whether the same request may succeed later: after a failure of the network or the server, or after too many requests. */
const mayPass = ({ status }: RollcallError) => status === null || status >= 500 || status === 429;

/** A failure in words for people. */
export function explain(error: unknown): Explanation {
  if (!isRollcallError(error)) {
    return {
      title: t("error.page"),
      detail: null,
      words: String(error),
      requestId: null,
      help: "reload", // after an update of the server, a part of the page's code may be gone
    };
  }
  if (isSomebodyElses(error)) {
    return {
      title: t("error.proxy"),
      detail: t("error.proxyDetail"),
      words: null,
      requestId: error.requestId,
      help: "reload",
    };
  }
  const { code, refusal } = error;
  const key = `error.${code}`;
  return {
    title: t(isText(key) ? key : "error.other"),
    detail:
      refusal &&
      t(`refusal.${refusal.code}`, { groups: "–", contact: t("refusal.operator"), ...refusal.values }),
    words: error.detail,
    requestId: error.requestId,
    help: mayPass(error) ? "try" : null,
  };
}

export function Message({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useTitle(title);
  return (
    <div className="message">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  /** `h2` if the view's title is above; `h1` if this stands instead of the view. */
  readonly heading?: "h1" | "h2";
}

export function Failure({ error, onRetry, heading: Heading = "h2" }: FailureProps) {
  const { title, requestId, help, ...words } = explain(error);
  return (
    <div className="message" role="alert">
      <Heading>{title}</Heading>
      <Words {...words} />
      {requestId !== null && (
        <p className="soft small">{rich("error.request", { id: <code>{requestId}</code> })}</p>
      )}
      {help === "try" && (
        <button
          type="button"
          onClick={({ currentTarget }) => {
            focusAround(currentTarget);
            onRetry();
          }}
        >
          {t("try")}
        </button>
      )}
      {help === "reload" && <Reload />}
    </div>
  );
}

/** The detail of a failure. The English words are folded, because they are for supporters. */
export function Words({ detail, words }: Pick<Explanation, "detail" | "words">) {
  return (
    <>
      {detail !== null && <p>{detail}</p>}
      {words !== null && (
        <details className="soft small">
          <summary>{t("error.words")}</summary>
          <p lang="en">{words}</p>
        </details>
      )}
    </>
  );
}

/** Moves the focus to the element around a button that disappears. */
export function focusAround(button: HTMLElement): void {
  const around = button.closest<HTMLElement>("li, section, main");
  if (around === null) return;
  around.tabIndex = -1;
  around.focus({ preventScroll: true });
}

/** Reloads the page, so that the proxy in front can sign the person in. */
export function Reload({ autoFocus = false }: { readonly autoFocus?: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (autoFocus) button.current?.focus();
  }, [autoFocus]);
  return (
    <button ref={button} type="button" className="primary" onClick={() => window.location.reload()}>
      {t("reload")}
    </button>
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

/** The next step in a company without people. */
export function NoPeople() {
  return (
    <Empty>
      {t("people.none")} {rich("people.load", { code: (text) => <code>{text}</code> })}
    </Empty>
  );
}

/** The first failure among these queries with a button that repeats all failed ones; null if there is none. */
export const failureOf = (...queries: readonly UseQueryResult[]) => failureUnder("h2", queries);

/** The same, shown instead of a view, with a title of its own. */
export const viewFailureOf = (query: UseQueryResult) => failureUnder("h1", [query]);

function failureUnder(heading: "h1" | "h2", queries: readonly UseQueryResult[]): ReactNode | null {
  const failed = queries.filter((query) => query.isError && query.data === undefined);
  const first = failed[0];
  if (first === undefined) return null;
  const onRetry = () => failed.forEach((query) => void query.refetch());
  return <Failure error={first.error} heading={heading} onRetry={onRetry} />;
}

export const isLoaded = ({ data }: Pick<UseQueryResult, "data">) => data !== undefined;

/** The failure of these queries, or a message that they load; null once all have data. */
export function failureOrLoading(what: string, ...queries: readonly UseQueryResult[]): ReactNode | null {
  return failureOf(...queries) ?? (queries.every(isLoaded) ? null : <Loading what={what} />);
}

interface BoundaryProps {
  /** Resets the error if this changes: another view may work. */
  readonly view: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: unknown;
  readonly view: string;
}

/** Shows an error of the page itself instead of an empty window. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, view: this.props.view };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps({ view }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return view === state.view ? null : { error: null, view };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Failure error={error} heading="h1" onRetry={() => this.setState({ error: null })} />;
  }
}

/** The window's title, which screen readers say first. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = facts(title, PRODUCT);
  }, [title]);
}

/** A list of names and values; null values are left out. */
export function Facts({ facts, className }: FactsProps) {
  const shown = Object.entries(facts).filter(([, fact]) => fact !== null);
  return (
    <dl className={`facts ${className}`}>
      {shown.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FactsProps {
  readonly facts: Readonly<Record<string, ReactNode>>;
  readonly className: "across" | "small";
}

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect className="mark-ground" width="32" height="32" rx="8" />
      <g className="mark-bars">
        <rect x="7" y="8" width="12" height="4" rx="2" />
        <rect x="11" y="14" width="14" height="4" rx="2" opacity=".7" />
        <rect x="7" y="20" width="8" height="4" rx="2" />
      </g>
    </svg>
  );
}
