// The frame of every view: navigation and sign-out.
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { BASE_PATH, IS_STATIC } from "./address.ts";
import { Away } from "./away/away.tsx";
import { instantText, plainDay } from "./data/format.ts";
import { useCompany, useImports, useServer, useToday } from "./data/queries.ts";
import { inAddress, useSettings, useUnit } from "./data/settings.ts";
import { Known } from "./known.tsx";
import { KnownLink } from "./parts/people-table.tsx";
import { Boundary, Loading, Mark, Message, PRODUCT } from "./parts/states.tsx";
import { Me } from "./people/me.tsx";
import { People } from "./people/people.tsx";
import { Person } from "./people/person.tsx";
import { Policies, PolicyPage } from "./policies/policies.tsx";
import { Requests } from "./requests/requests.tsx";
import { seesAway, type Viewer, visibleWorkers } from "./session.ts";
import { chooseLanguage, LANGUAGES, type Language } from "./texts/languages.ts";
import { rich } from "./texts/rich.tsx";
import { currentLanguage, type TextKey, t } from "./texts/texts.ts";

/** Loaded when first opened, so that the first script is smaller. */
const Balances = lazy(async () => ({ default: (await import("./balances/balances.tsx")).Balances }));

interface View {
  readonly path: string;
  readonly name: TextKey;
}

const POLICIES: View = { path: "/policies", name: "view.policies" };
const LISTS: readonly View[] = [
  { path: "/requests", name: "view.requests" },
  { path: "/people", name: "view.people" },
  { path: "/balances", name: "view.balances" },
  POLICIES,
];

/** Paths at which a calendar may be. */
const CALENDARS = ["/", "/away", "/team"];

/** Paths of views with a past. Calendars have none. */
const WITH_PAST = /^\/(?:me|requests|people|balances|policies)/;

/** The views of the navigation for this viewer; the first is at `/`. */
function viewsOf({ access, workerId }: Viewer): readonly View[] {
  const reach = visibleWorkers(access);
  const away: View[] = seesAway(access) ? [{ path: "/away", name: "view.away" }] : [];
  const first = (name: TextKey): View => ({ path: "/", name });
  if (reach === "nobody") return [first("view.away")];
  if (reach === "self") return [first("view.me"), ...away, POLICIES];
  if (reach === "reports") return [first("view.me"), { path: "/team", name: "view.team" }, ...away, ...LISTS];
  return [
    first("view.away"),
    ...LISTS,
    ...(workerId === null ? [] : [{ path: "/me", name: "view.me" } as const]),
  ];
}

/** Older data has missed more than one nightly import. */
const STALE_MS = 36 * 3_600_000;
const isStale = (dataAsOf: string | null) =>
  dataAsOf === null || Date.now() - Date.parse(dataAsOf) > STALE_MS;

interface Props {
  readonly demo: boolean;
  /** Null if the page does not know how the proxy signs people out. */
  readonly onSignOut: (() => void) | null;
  /** Whether the content takes the focus, because the person has just signed in and the focused field is gone. */
  readonly takesFocus: boolean;
  /** The view of absences in the whole company, for viewers who otherwise see only some people. */
  readonly away: ReactNode;
}

export function Shell({ demo, onSignOut, takesFocus, away }: Props) {
  const [path] = useLocation();
  useUnit(); // redraws when the unit changes
  const viewer = useServer();
  const views = viewsOf(viewer);
  const { search } = useSettings();
  const least = useRef("");
  if (CALENDARS.includes(path)) least.current = search.get("least") ?? ""; // links back to the calendar keep it
  const addressOf = (view: View) =>
    least.current !== "" && view.name !== "view.me" && CALENDARS.includes(view.path)
      ? `${view.path}?${inAddress({ least: least.current })}`
      : view.path;
  const me = viewer.workerId !== null && <Me workerId={viewer.workerId} />;
  const reach = visibleWorkers(viewer.access);
  const isLimited = reach === "self" || reach === "reports";
  const hasPast = path === "/" ? isLimited : WITH_PAST.test(path);
  const content = useRef<HTMLElement>(null);
  const shown = useRef(path);

  useEffect(() => {
    if (takesFocus) content.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  // A new view starts at its top, for scrolling and the keyboard focus. The browser does so for the first view.
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);

  return (
    <>
      <a className="skip" href="#content">
        {t("skip")}
      </a>
      <header className="bar">
        <Link href="/" className="wordmark">
          <Mark />
          <span className="product">{PRODUCT}</span>
          <span className="hidden">{t(views[0]!.name)}</span>
        </Link>
        <CompanyName />
        <nav aria-label={t("views")}>
          {views.map((view) => (
            <Link
              key={view.path}
              href={addressOf(view)}
              aria-current={isCurrent(view, path) ? "page" : undefined}
            >
              {t(view.name)}
            </Link>
          ))}
        </nav>
        <div className="bar-state">
          {viewer.user !== null && (
            <span className="viewer small soft">
              <span className="hidden">{t("signedInAs")} </span>
              <bdi className="clip">{viewer.user}</bdi>
            </span>
          )}
          <DataAge />
          {demo && <span className="badge">{t("demo")}</span>}
        </div>
        {onSignOut !== null && (
          <button type="button" className="quiet bar-end" onClick={onSignOut}>
            {t("signOut")}
          </button>
        )}
      </header>
      <ImportNews isOld />
      <main id="content" ref={content} tabIndex={-1}>
        <Boundary view={path}>
          <Known hasPast={hasPast}>
            <Switch>
              <Route path="/">{isLimited ? me : <Away title={t("view.away")} />}</Route>
              {me && <Route path="/me">{me}</Route>}
              {(away || !isLimited) && <Route path="/away">{away || <Away title={t("view.away")} />}</Route>}
              {reach === "reports" && (
                <Route path="/team">
                  <Away title={t("view.team")} />
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
                            <KnownLink href="/people">{t("view.people")}</KnownLink>
                          </p>
                        }
                      />
                    )}
                  </Route>
                  <Route path="/balances">
                    <Suspense fallback={<Loading what={t("loading.balances")} />}>
                      <Balances />
                    </Suspense>
                  </Route>
                  <Route path="/policies" component={Policies} />
                  <Route path="/policies/:id">{({ id }) => <PolicyPage key={id} id={id} />}</Route>
                </>
              )}
              <Route>
                <Message title={t("nothing")}>
                  <Link href="/">{t("nothing.back")}</Link>
                </Message>
              </Route>
            </Switch>
          </Known>
        </Boundary>
      </main>
      <Footer />
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

/** When the data was last imported; old data is marked. */
function DataAge() {
  const { data } = useCompany();
  const today = useToday();
  if (data === undefined) return null;
  if (IS_STATIC)
    return <span className="data-age small soft">{t("demo.fixed", { day: plainDay(today) })}</span>;
  if (data.dataAsOf === null) return <span className="data-age small stale">{t("data.none")}</span>;
  return (
    <span className={`data-age small ${isStale(data.dataAsOf) ? "stale" : "soft"}`}>
      {rich("data.asOf", { instant: <time dateTime={data.dataAsOf}>{instantText(data.dataAsOf)}</time> })}
    </span>
  );
}

interface NewsProps {
  /** Whether this place is for old data, which concerns everybody, or for current data. */
  readonly isOld: boolean;
}

/** A message if the last import failed. */
function ImportNews({ isOld }: NewsProps) {
  const { data } = useCompany();
  const failure = useImports().data?.failure ?? null;
  if (failure === null || data === undefined || isStale(data.dataAsOf) !== isOld) return null;
  return (
    <p className={isOld ? "import-news stale small" : undefined} role="status">
      {rich("import.failed", {
        instant: <time dateTime={failure.endedAt}>{instantText(failure.endedAt)}</time>,
        outcome: failure.outcome,
        mistakes: failure.mistakes ?? 0,
      })}
    </p>
  );
}

/** The API's reference, the choice of the language, and a failed import for viewers with access to everything. */
function Footer() {
  const { access } = useServer();
  return (
    <footer className="foot small soft">
      <a href={`${BASE_PATH}/docs`}>{t("api")}</a>
      {access === "everything" && <ImportNews isOld={false} />}
      <label>
        {t("language")}{" "}
        <select
          value={currentLanguage()}
          onChange={({ target }) => chooseLanguage(target.value as Language)} // each option is a Language
        >
          {LANGUAGES.map((language) => (
            <option key={language} value={language} lang={language}>
              {new Intl.DisplayNames(language, { type: "language" }).of(language)}
            </option>
          ))}
        </select>
      </label>
    </footer>
  );
}

/** The first view is at `/`, and also at a path of its own, such as `/me`. */
function isCurrent({ path, name }: View, shown: string): boolean {
  return shown === path || `${shown}/`.startsWith(`${name.replace("view.", "/")}/`);
}
