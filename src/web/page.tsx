// The page as a whole: signed out, or signed in with one client and one response cache per key.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { isRollcallError, Rollcall } from "../client/index.ts";
import { ServerContext } from "./data/queries.ts";
import { type PageConfig, storeKey, takeKeyFromAddress } from "./session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

const LINK_REFUSED = "Links that carry a key work for the demo only. Paste your key instead.";
const KEY_REFUSED = "The key that was used here is not valid any more. Sign in with another one.";

interface Props {
  readonly config: PageConfig;
  readonly initialKey: string | null;
  readonly linkRefused: boolean;
}

export function Page({ config, initialKey, linkRefused }: Props) {
  const [key, setKey] = useState(initialKey);
  const [notice, setNotice] = useState(linkRefused ? LINK_REFUSED : null);

  const change = useCallback((next: string | null, why: string | null = null) => {
    storeKey(next);
    setKey(next);
    setNotice(why);
  }, []);

  useEffect(() => {
    const onLink = () => {
      const carried = takeKeyFromAddress();
      if (carried !== null) change(config.demo ? carried : null, config.demo ? null : LINK_REFUSED);
    };
    window.addEventListener("hashchange", onLink);
    return () => window.removeEventListener("hashchange", onLink);
  }, [change, config.demo]);

  const session = useMemo(
    () => (key === null ? null : newSession(key, config, change)),
    [key, config, change],
  );
  if (session === null) return <SignIn demo={config.demo} notice={notice} onKey={change} />;
  return (
    <ServerContext value={session.server}>
      <QueryClientProvider client={session.queries}>
        <Shell demo={config.demo} onSignOut={() => change(null)} />
      </QueryClientProvider>
    </ServerContext>
  );
}

function newSession(apiKey: string, { today }: PageConfig, change: (key: null, why: string) => void) {
  const onError = (error: unknown) => {
    if (isRollcallError(error, "invalid_api_key", "missing_api_key")) change(null, KEY_REFUSED);
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client retries by itself, and revalidates with ETags: to ask again on focus is cheap.
    defaultOptions: { queries: { retry: false, staleTime: 30_000 } },
  });
  const rollcall = new Rollcall({ baseUrl: window.location.origin, apiKey });
  return { queries, server: { rollcall, fixedToday: today } };
}
