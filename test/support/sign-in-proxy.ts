// A proxy that signs people in as oauth2-proxy 7 does: without its cookie everything leads to the provider; with it, a
// request goes on with the caller's own X-Forwarded-* identity headers replaced by what the provider says.

/** Somebody the provider knows. */
export interface Person {
  readonly email: string;
  readonly groups: readonly string[];
}

export interface SignInProxy {
  readonly address: string;
  /** The cookie of somebody who has signed in at the provider. */
  signIn(name: string): Promise<string>;
  stop(): Promise<void>;
}

const COOKIE = "_oauth2_proxy";

/** The headers that oauth2-proxy removes from what callers send, whatever their case (`skip-auth-strip-headers`). */
const STRIPPED = [
  "x-forwarded-user",
  "x-forwarded-email",
  "x-forwarded-groups",
  "x-forwarded-preferred-username",
  "x-forwarded-access-token",
];

export function startSignInProxy(upstream: string, people: Readonly<Record<string, Person>>): SignInProxy {
  const sessions = new Map<string, Person>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request, bun) {
      const url = new URL(request.url);
      if (url.pathname === "/oauth2/callback") {
        const person = people[url.searchParams.get("user") ?? ""];
        if (person === undefined) return new Response(null, { status: 403 });
        const session = crypto.randomUUID();
        sessions.set(session, person);
        const cookie = `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Lax`;
        return new Response(null, { status: 302, headers: { location: "/", "set-cookie": cookie } });
      }
      const session = new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(request.headers.get("cookie") ?? "")?.[1];
      const person = session === undefined ? undefined : sessions.get(session);
      if (person === undefined) {
        return new Response(null, { status: 302, headers: { location: "https://id.example/authorize" } });
      }
      const headers = new Headers(request.headers);
      for (const name of STRIPPED) headers.delete(name);
      headers.set("x-forwarded-email", person.email);
      headers.set("x-forwarded-user", person.email.split("@")[0]!);
      headers.set("x-forwarded-groups", person.groups.join(","));
      headers.append("x-forwarded-for", bun.requestIP(request)?.address ?? "");
      const { method, body } = request;
      const options = { method, body, headers, redirect: "manual", decompress: false } as const;
      return fetch(upstream + url.pathname + url.search, options);
    },
  });
  const address = `http://127.0.0.1:${server.port}`;
  return {
    address,
    async signIn(name) {
      const response = await fetch(`${address}/oauth2/callback?user=${name}`, { redirect: "manual" });
      return response.headers.get("set-cookie")!.split(";")[0]!;
    },
    stop: () => server.stop(true),
  };
}
