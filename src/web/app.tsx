// The page as a whole: signed out, or signed in by a key or by the proxy in front, with one client and one response cache.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { isRollcallError, Rollcall } from "../client/index.ts";
import { Transport } from "../client/transport.ts";
import { SERVER } from "./address.ts";
import { ServerContext } from "./data/queries.ts";
import {
  type Access,
  hasSignInEnded,
  isSomebodyElses,
  type PageConfig,
  storeKey,
  takeKeyFromAddress,
} from "./session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

export const LINK_REFUSED = "Links that carry a key work for the demo only. Paste your key instead.";
const KEY_REFUSED = "The key that was used here is not valid any more. Sign in with another one.";
const SIGN_IN_ENDED = "Your sign-in has ended. Reload the page to sign in again, or paste a key.";

/** What the sign-in says first: why nobody is signed in, and whether the proxy signs them in again. */
interface Notice {
  readonly text: string;
  readonly reload?: boolean;
}

interface Props {
  readonly config: PageConfig;
  readonly initialKey: string | null;
  /** What the person may see whom the proxy has signed in. */
  readonly initialAccess: Access | null;
  /** Why nobody is signed in, if there is a reason. */
  readonly refusal: string | null;
}

export function App({ config, initialKey, initialAccess, refusal }: Props) {
  const [key, setKey] = useState(initialKey);
  const [access, setAccess] = useState(initialAccess);
  const [notice, setNotice] = useState<Notice | null>(refusal === null ? null : { text: refusal });

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
      if (carried !== null) change(config.demo ? carried : null, config.demo ? null : LINK_REFUSED);
    };
    window.addEventListener("hashchange", onLink);
    return () => window.removeEventListener("hashchange", onLink);
  }, [change, config.demo]);

  const session = useMemo(() => {
    if (key !== null) return newSession(key, "everything", config, () => change(null, KEY_REFUSED));
    if (access === null) return null;
    return newSession(null, access, config, () => {
      setAccess(null);
      setNotice({ text: SIGN_IN_ENDED, reload: true });
    });
  }, [key, access, config, change]);
  if (session === null) return <SignIn demo={config.demo} notice={notice} onKey={signIn} />;
  return (
    <ServerContext value={session.server}>
      <QueryClientProvider client={session.queries}>
        <Shell
          demo={config.demo}
          onSignOut={key === null ? null : () => change(null)}
          takesFocus={hasSignedIn}
        />
      </QueryClientProvider>
    </ServerContext>
  );
}

function newSession(apiKey: string | null, access: Access, { today }: PageConfig, onRefused: () => void) {
  const onError = (error: unknown) => {
    if (isRollcallError(error, "invalid_api_key", "missing_api_key")) onRefused();
    else if (apiKey === null && isRollcallError(error) && isSomebodyElses(error))
      void hasSignInEnded().then((ended) => ended && onRefused());
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client retries by itself, and revalidates with ETags: to ask again on focus is cheap.
    // The server may be on this machine, or in this network: to be offline does not mean that it is out of reach.
    defaultOptions: {
      queries: { retry: false, staleTime: 30_000, networkMode: "always", refetchOnReconnect: true },
    },
  });
  const server = { baseUrl: SERVER, apiKey };
  const [rollcall, transport] = [new Rollcall(server), new Transport(server)];
  return { queries, server: { rollcall, transport, access, fixedToday: today } };
}
