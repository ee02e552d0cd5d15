// What surrounds every view: the navigation, and sign-out.
import { useEffect, useRef } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { BASE_PATH } from "./address.ts";
import { Away } from "./away/away.tsx";
import { Balances } from "./balances/balances.tsx";
import { instantText, number } from "./data/format.ts";
import { useCompany, useImports, useServer } from "./data/queries.ts";
import { Boundary, Mark, Message } from "./parts/states.tsx";
import { People } from "./people/people.tsx";
import { Person } from "./people/person.tsx";
import { Policies, PolicyPage } from "./policies/policies.tsx";
import { Requests } from "./requests/requests.tsx";

const VIEWS = [
  { path: "/", name: "Who is away" },
  { path: "/requests", name: "Requests" },
  { path: "/people", name: "People" },
  { path: "/balances", name: "Balances" },
  { path: "/policies", name: "Policies" },
];

const STALE_MS = 36 * 3_600_000;

interface Props {
  readonly demo: boolean;
  /** Null if a proxy has signed the person in: it also signs them out. */
  readonly onSignOut: (() => void) | null;
  /** Whether the person has just signed in here: the field that had the keyboard's focus is gone. */
  readonly takesFocus: boolean;
}

export function Shell({ demo, onSignOut, takesFocus }: Props) {
  const [path] = useLocation();
  const { access } = useServer();
  const views = access === "away" ? VIEWS.slice(0, 1) : VIEWS;
  const content = useRef<HTMLElement>(null);
  const shown = useRef(path);

  useEffect(() => {
    if (takesFocus) content.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  // A new view begins at its top, for the eye and for the keyboard; the first one is left to the browser.
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);

  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link href="/" className="wordmark">
          <Mark />
          <span className="product">Rollcall</span>
          <span className="hidden">Who is away</span>
        </Link>
        <CompanyName />
        <nav aria-label="Views">
          {views.map((view) => (
            <Link
              key={view.path}
              href={view.path}
              aria-current={isCurrent(view.path, path) ? "page" : undefined}
            >
              {view.name}
            </Link>
          ))}
        </nav>
        <div className="bar-state">
          <DataAge />
          {demo && <span className="badge">Demo data</span>}
        </div>
        <div className="bar-end">
          <a href={`${BASE_PATH}/docs`}>API</a>
          {onSignOut !== null && (
            <button type="button" className="quiet" onClick={onSignOut}>
              Sign out
            </button>
          )}
        </div>
      </header>
      <ImportNews />
      <main id="content" ref={content} tabIndex={-1}>
        <Boundary view={path}>
          <Switch>
            <Route path="/" component={Away} />
            {access !== "away" && (
              <>
                <Route path="/requests" component={Requests} />
                <Route path="/people" component={People} />
                <Route path="/people/:id">{({ id }) => <Person key={id} id={id} />}</Route>
                <Route path="/balances" component={Balances} />
                <Route path="/policies" component={Policies} />
                <Route path="/policies/:id">{({ id }) => <PolicyPage key={id} id={id} />}</Route>
              </>
            )}
            <Route>
              <Message title="Nothing is at this address">
                <Link href="/">See who is away</Link>
              </Message>
            </Route>
          </Switch>
        </Boundary>
      </main>
    </>
  );
}

function CompanyName() {
  const { data } = useCompany();
  return data === undefined ? null : (
    <strong className="company">
      <bdi className="clip">{data.name}</bdi>
    </strong>
  );
}

/** When the data was last imported. Data that misses more than a night's import is marked. */
function DataAge() {
  const { data } = useCompany();
  if (data === undefined) return null;
  if (data.dataAsOf === null) return <span className="data-age small stale">No data imported yet</span>;
  const isStale = Date.now() - Date.parse(data.dataAsOf) > STALE_MS;
  return (
    <span className={`data-age small ${isStale ? "stale" : "soft"}`}>
      Data as of <time dateTime={data.dataAsOf}>{instantText(data.dataAsOf)}</time>
    </span>
  );
}

/** That the last import failed, or what it passed over: who reads the data sees it, not the operator alone. */
function ImportNews() {
  const { failure, findings } = useImports().data ?? {};
  if (failure === undefined || (failure === null && findings === 0)) return null;
  return (
    <p className="import-news stale small" role="status">
      {failure === null ? (
        `The last import passed over ${count(findings, "finding")}. “rollcall doctor” names them.`
      ) : (
        <>
          The import of <time dateTime={failure.endedAt}>{instantText(failure.endedAt)}</time>{" "}
          {failure.outcome === "refused" ? "was refused" : "failed"}
          {failure.mistakes !== null && ` for ${count(failure.mistakes, "reason")}`}
          {failure.reason !== null && `: ${failure.reason}`}. What you see is older.
        </>
      )}
    </p>
  );
}

const count = (size = 0, what: string) => `${number(size)} ${what}${size === 1 ? "" : "s"}`;

function isCurrent(view: string, path: string): boolean {
  return view === "/" ? path === "/" : path === view || path.startsWith(`${view}/`);
}
