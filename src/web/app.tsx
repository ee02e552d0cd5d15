// The page as a whole: signed out, or signed in by a key, a proxy or an identity provider. A session has one client and one response cache.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { isRollcallError, Rollcall, type RollcallError } from "../client/index.ts";
import { Transport } from "../client/transport.ts";
import { formatDay } from "../time/day.ts";
import { asKnown, SERVER } from "./address.ts";
import { Away } from "./away/away.tsx";
import { ServerContext, type Session as SessionData } from "./data/queries.ts";
import {
  hasSignInEnded,
  isSomebodyElses,
  type PageConfig,
  seesAway,
  signOutAtProvider,
  storeKey,
  takeKeyFromAddress,
  type Viewer,
  visibleWorkers,
} from "./session.ts";
import { Shell } from "./shell.tsx";
import { Refused, SignIn, SignInAtProvider } from "./sign-in.tsx";
import { t } from "./texts/texts.ts";

/** The first message of the sign-in: why nobody is signed in, and whether the proxy can sign the person in again. */
interface Notice {
  readonly text: string;
  readonly reload?: boolean;
}

interface Props {
  readonly config: PageConfig;
  readonly initialKey: string | null;
  /** The person who is signed in. */
  readonly initialViewer: Viewer | null;
  /** Why nobody is signed in, if there is a reason. */
  readonly initialNotice: string | null;
  /** The error if somebody is signed in and may see nothing. */
  readonly refusal: RollcallError | null;
}

export function App({ config, initialKey, initialViewer, initialNotice, refusal }: Props) {
  const [key, setKey] = useState(initialKey);
  const [viewer, setViewer] = useState(initialViewer);
  const [notice, setNotice] = useState<Notice | null>(
    initialNotice === null ? null : { text: initialNotice },
  );

  const [hasSignedIn, setHasSignedIn] = useState(false);

  const change = useCallback((next: string | null, why: string | null = null) => {
    storeKey(next);
    setKey(next);
    setNotice(why === null ? null : { text: why });
  }, []);

  const signIn = (own: string) => {
    setHasSignedIn(true);
    change(own);
  };

  useEffect(() => {
    const onLink = () => {
      const carried = takeKeyFromAddress();
      if (carried !== null)
        change(config.demo ? carried : null, config.demo ? null : t("signIn.linkRefused"));
    };
    window.addEventListener("hashchange", onLink);
    return () => window.removeEventListener("hashchange", onLink);
  }, [change, config.demo]);

  const session = useMemo(() => {
    if (key !== null) return newSession(key, OF_KEYS, config, () => change(null, t("signIn.keyRefused")));
    if (viewer === null) return null;
    return newSession(null, viewer, config, () => {
      setViewer(null);
      setNotice({ text: t(config.signIn === "provider" ? "signIn.over" : "signIn.ended"), reload: true });
    });
  }, [key, viewer, config, change]);
  // `self+away` and `reports+away` see other people's absences through a second session, with the access `away` and its own cache.
  const away = useMemo(() => {
    const { access, user, workerId } = viewer ?? OF_KEYS;
    const isBoth = visibleWorkers(access) !== "company" && seesAway(access);
    return isBoth ? newSession(null, { access: "away", user, workerId }, config, () => {}) : null;
  }, [viewer, config]);
  const signOut = wayOut(config);
  if (session === null && refusal !== null) return <Refused error={refusal} onSignOut={signOut} />;
  if (session === null && config.signIn === "provider")
    return <SignInAtProvider notice={notice?.text ?? null} />;
  if (session === null) return <SignIn demo={config.demo} notice={notice} onKey={signIn} />;
  return (
    <Session session={session}>
      <Shell
        demo={config.demo}
        onSignOut={key === null ? signOut : () => change(null)}
        takesFocus={hasSignedIn}
        away={
          away && (
            <Session session={away}>
              <Away title={t("view.away")} />
            </Session>
          )
        }
      />
    </Session>
  );
}

const OF_KEYS: Viewer = { access: "everything", user: null, workerId: null };

/** Signs out a person who signed in without a key; null if the page does not know how. */
function wayOut({ signIn, proxySignOut }: PageConfig): (() => void) | null {
  if (signIn === "provider") return () => void signOutAtProvider();
  return proxySignOut === null ? null : () => window.location.assign(proxySignOut);
}

interface SessionProps {
  readonly session: SessionData;
  readonly children: ReactNode;
}

function Session({ session, children }: SessionProps) {
  return (
    <ServerContext value={session.server}>
      <QueryClientProvider client={session.queries}>{children}</QueryClientProvider>
    </ServerContext>
  );
}

function newSession(
  apiKey: string | null,
  viewer: Viewer,
  config: PageConfig,
  onRefused: () => void,
  knownOn: string | null = null,
): SessionData {
  const onError = (error: unknown) => {
    if (isRollcallError(error, "invalid_api_key", "missing_api_key")) onRefused();
    else if (apiKey === null && isRollcallError(error) && isSomebodyElses(error))
      void hasSignInEnded().then((ended) => ended && onRefused());
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client retries by itself and revalidates with ETags, so asking again on focus is cheap. A server on this machine or network is
    // reachable even if the browser is offline.
    defaultOptions: {
      queries: { retry: false, staleTime: 30_000, networkMode: "always", refetchOnReconnect: true },
    },
  });
  const server = {
    baseUrl: SERVER,
    apiKey,
    ...(knownOn !== null && {
      fetch: (url: string, init: RequestInit) => fetch(asKnown(url, knownOn), init),
    }),
  };
  const [rollcall, transport] = [new Rollcall(server), new Transport(server)];
  const makesFeeds = config.allowsFeeds && apiKey === null;
  return {
    queries,
    server: {
      rollcall,
      transport,
      ...viewer,
      makesFeeds,
      fixedToday: config.today,
      knownOn,
      asKnownOn: (today) => newSession(apiKey, viewer, { ...config, today }, onRefused, formatDay(today)),
    },
  };
}
