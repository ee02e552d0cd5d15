// What surrounds every view: the navigation, and sign-out.
import { type ReactNode, useEffect, useRef } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { BASE_PATH } from "./address.ts";
import { Away } from "./away/away.tsx";
import { Balances } from "./balances/balances.tsx";
import { instantText, number } from "./data/format.ts";
import { useCompany, useImports, useServer } from "./data/queries.ts";
import { Boundary, Mark, Message } from "./parts/states.tsx";
import { Me } from "./people/me.tsx";
import { People } from "./people/people.tsx";
import { Person } from "./people/person.tsx";
import { Policies, PolicyPage } from "./policies/policies.tsx";
import { Requests } from "./requests/requests.tsx";
import { reachOf, seesAway, type Viewer } from "./session.ts";

interface View {
  readonly path: string;
  readonly name: string;
}

const POLICIES: View = { path: "/policies", name: "Policies" };
const LISTS: readonly View[] = [
  { path: "/requests", name: "Requests" },
  { path: "/people", name: "People" },
  { path: "/balances", name: "Balances" },
  POLICIES,
];

/** The views that have something to show to the viewer; the first is at `/`. */
function viewsOf({ access, workerId }: Viewer): readonly View[] {
  const reach = reachOf(access);
  const away: View[] = seesAway(access) ? [{ path: "/away", name: "Who is away" }] : [];
  const first = (name: string): View => ({ path: "/", name });
  if (reach === "nobody") return [first("Who is away")];
  if (reach === "self") return [first("Me"), ...away, POLICIES];
  if (reach === "reports") return [first("Me"), { path: "/team", name: "My team" }, ...away, ...LISTS];
  return [first("Who is away"), ...LISTS, ...(workerId === null ? [] : [{ path: "/me", name: "Me" }])];
}

/** Data that misses more than a night's import. */
const STALE_MS = 36 * 3_600_000;
const isStale = (dataAsOf: string | null) =>
  dataAsOf === null || Date.now() - Date.parse(dataAsOf) > STALE_MS;

interface Props {
  readonly demo: boolean;
  /** Null if a proxy has signed the person in: it also signs them out. */
  readonly onSignOut: (() => void) | null;
  /** Whether the person has just signed in here: the field that had the keyboard's focus is gone. */
  readonly takesFocus: boolean;
  /** Who is away in the company, for who sees some people of it otherwise. */
  readonly away: ReactNode;
}

export function Shell({ demo, onSignOut, takesFocus, away }: Props) {
  const [path] = useLocation();
  const viewer = useServer();
  const views = viewsOf(viewer);
  const me = viewer.workerId !== null && <Me workerId={viewer.workerId} />;
  const reach = reachOf(viewer.access);
  const isLimited = reach === "self" || reach === "reports";
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
          <span className="hidden">{views[0]!.name}</span>
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
            <Route path="/">{isLimited ? me : <Away title="Who is away" />}</Route>
            {me && <Route path="/me">{me}</Route>}
            {away && <Route path="/away">{away}</Route>}
            {reach === "reports" && (
              <Route path="/team">
                <Away title="My team" />
              </Route>
            )}
            {reach !== "nobody" && (
              <>
                <Route path="/requests" component={Requests} />
                <Route path="/people" component={People} />
                <Route path="/people/:id">
                  {({ id }) => (
                    <Person
                      key={id}
                      id={id}
                      above={
                        <p className="crumb small">
                          <Link href="/people">People</Link>
                        </p>
                      }
                    />
                  )}
                </Route>
                <Route path="/balances" component={Balances} />
                <Route path="/policies" component={Policies} />
                <Route path="/policies/:id">{({ id }) => <PolicyPage key={id} id={id} />}</Route>
              </>
            )}
            <Route>
              <Message title="Nothing is at this address">
                <Link href="/">Back to the first view</Link>
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

/** When the data was last imported. Stale data is marked. */
function DataAge() {
  const { data } = useCompany();
  if (data === undefined) return null;
  if (data.dataAsOf === null) return <span className="data-age small stale">No data imported yet</span>;
  return (
    <span className={`data-age small ${isStale(data.dataAsOf) ? "stale" : "soft"}`}>
      Data as of <time dateTime={data.dataAsOf}>{instantText(data.dataAsOf)}</time>
    </span>
  );
}

/** Why the data is older than a night's import leaves it. The rest is for the operator: `rollcall companies show`. */
function ImportNews() {
  const { data } = useCompany();
  const failure = useImports().data?.failure ?? null;
  if (failure === null || data === undefined || !isStale(data.dataAsOf)) return null;
  return (
    <p className="import-news stale small" role="status">
      The import of <time dateTime={failure.endedAt}>{instantText(failure.endedAt)}</time>{" "}
      {failure.outcome === "refused" ? "was refused" : "failed"}
      {failure.mistakes !== null &&
        ` for ${number(failure.mistakes)} ${failure.mistakes === 1 ? "reason" : "reasons"}`}
      {failure.reason !== null && `: ${failure.reason}`}. What you see is older.
    </p>
  );
}

function isCurrent(view: string, path: string): boolean {
  return view === "/" ? path === "/" : path === view || path.startsWith(`${view}/`);
}
