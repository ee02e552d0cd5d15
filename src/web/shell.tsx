// What surrounds every view: the navigation, and sign-out.
import { useEffect, useRef } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Away } from "./away/away.tsx";
import { Boundary, Mark, Message } from "./parts/states.tsx";
import { People } from "./people/people.tsx";
import { Person } from "./people/person.tsx";
import { Policies, PolicyPage } from "./policies/policies.tsx";

const VIEWS = [
  { path: "/", name: "Who is away" },
  { path: "/people", name: "People" },
  { path: "/policies", name: "Policies" },
];

interface Props {
  readonly demo: boolean;
  readonly onSignOut: () => void;
}

export function Shell({ demo, onSignOut }: Props) {
  const [path] = useLocation();
  const content = useRef<HTMLElement>(null);
  const shown = useRef(path);

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
          Rollcall
        </Link>
        <nav aria-label="Views">
          {VIEWS.map((view) => (
            <Link
              key={view.path}
              href={view.path}
              aria-current={isCurrent(view.path, path) ? "page" : undefined}
            >
              {view.name}
            </Link>
          ))}
        </nav>
        <div className="bar-end">
          {demo && <span className="badge">Demo data</span>}
          <a href="/docs">API</a>
          <button type="button" className="quiet" onClick={onSignOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        <Boundary view={path}>
          <Switch>
            <Route path="/" component={Away} />
            <Route path="/people" component={People} />
            <Route path="/people/:id">{({ id }) => <Person key={id} id={id} />}</Route>
            <Route path="/policies" component={Policies} />
            <Route path="/policies/:id">{({ id }) => <PolicyPage key={id} id={id} />}</Route>
            <Route>
              <Message title="There is no such page">
                <Link href="/">See who is away</Link>
              </Message>
            </Route>
          </Switch>
        </Boundary>
      </main>
    </>
  );
}

function isCurrent(view: string, path: string): boolean {
  return view === "/" ? path === "/" : path === view || path.startsWith(`${view}/`);
}
