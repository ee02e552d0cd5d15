// The demo company behind the real server, with the page: what `rollcall demo` serves, on a port of its own.
import { type App, createApp } from "../../src/http/app.ts";
import { ResponseCache } from "../../src/http/middleware/cache.ts";
import type { ProviderSignIn } from "../../src/http/provider-sign-in.ts";
import { publicRoutes, webPages } from "../../src/http/public/public-routes.ts";
import type { ProxyAuth } from "../../src/http/sign-in.ts";
import { dayOfText } from "../../src/time/day.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { addKey, closePeriod, importGenerated, openTestStore, type TestStore } from "../support/stores.ts";

export const TODAY = "2026-11-21";

export interface DemoServer {
  readonly address: string;
  /** A key that may read everything, and ones that may read less. */
  readonly keys: { readonly all: string; readonly workersOnly: string; readonly empty: string };
  readonly store: TestStore;
  stop(): Promise<void>;
}

interface DemoOptions {
  readonly workers?: number;
  readonly demo?: boolean;
  readonly port?: number;
  /** With it every connection counts as the trusted proxy's. */
  readonly proxyAuth?: ProxyAuth;
  /** How people sign in at an identity provider, given the server's address. */
  readonly signInAt?: (address: string) => Promise<ProviderSignIn>;
  /** Where the proxy signs people out. */
  readonly proxySignOut?: string;
  readonly allowsFeeds?: boolean;
}

export async function startDemo({
  workers = 250,
  demo = true,
  port = 0,
  proxyAuth,
  signInAt,
  proxySignOut,
  allowsFeeds = false,
}: DemoOptions = {}): Promise<DemoServer> {
  const store = await openTestStore();
  await store.writer.createCompany({ id: "demo", name: "Demo", createdAtMs: 0 });
  await store.writer.createCompany({ id: "empty", name: "Empty", createdAtMs: 0 });
  await importGenerated(store.writer, "demo", { workers, today: TODAY });
  const page = webPages({
    demo,
    today: TODAY,
    signIn: signInAt !== undefined ? "provider" : proxyAuth !== undefined ? "proxy" : null,
    proxySignOut: proxySignOut ?? null,
    allowsFeeds,
  });
  let app: App;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: (request) => app(request, { ...CONNECTION, isFromProxy: () => proxyAuth !== undefined }),
  });
  const address = `http://127.0.0.1:${server.port}`;
  app = createApp(
    bareParts(store.reader, {
      cache: new ResponseCache(16 * 1024 * 1024),
      today: () => TODAY,
      proxyAuth: proxyAuth ?? null,
      signIn: (await signInAt?.(address)) ?? null,
      allowsFeeds,
      publicRoutes: publicRoutes({ store: store.reader, isStopping: () => false, page }),
    }),
  );
  return {
    address,
    keys: {
      all: await addKey(store.writer, "demo"),
      workersOnly: await addKey(store.writer, "demo", { scopes: ["workers:read"] }),
      empty: await addKey(store.writer, "empty"),
    },
    store,
    async stop() {
      await server.stop(true);
      await store.dispose();
    },
  };
}

/** Closes October 2026 with what is known now. */
export const closeOctober = (store: TestStore, companyId: string) =>
  closePeriod(store, companyId, "2026-10", {
    firstDay: dayOfText("2026-10-01"),
    lastDay: dayOfText("2026-10-31"),
  });
