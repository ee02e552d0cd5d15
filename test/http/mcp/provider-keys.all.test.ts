// The keys of the identity provider change, and cannot always be read. A token is never refused for long because of that, and a key
// that the provider took back does not count for ever.
import { afterAll, afterEach, expect, setSystemTime, spyOn, test } from "bun:test";
import { AccessTokens } from "../../../src/http/access-tokens.ts";
import { parseGroupRule, USUAL_CLAIMS } from "../../../src/http/sign-in.ts";
import { startIdentityProvider } from "../../support/identity-provider.ts";

const AUDIENCE = "http://rollcall.test/mcp";
const MINUTE_MS = 60_000;

let sinceMs = 0;
const clock = spyOn(performance, "now");
const startedAtMs = performance.now();
clock.mockImplementation(() => startedAtMs + sinceMs);
afterAll(() => clock.mockRestore());

/** Both clocks go on. */
function pass(ms: number): void {
  sinceMs += ms;
  setSystemTime(Date.now() + ms);
}

afterEach(() => {
  sinceMs = 0;
  setSystemTime();
});

type Respond = (request: Request) => Response | Promise<Response> | null;

/** An OpenID server, behind what may respond instead of it; and the check of its tokens. */
async function setUp() {
  const provider = await startIdentityProvider(AUDIENCE, {});
  const state: { instead: Respond; asked: string[] } = { instead: () => null, asked: [] };
  const front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url);
      state.asked.push(pathname);
      const own = state.instead(request);
      if (own !== null) return own;
      if (pathname !== "/jwks") return Response.json({ issuer, jwks_uri: `${issuer}/jwks` });
      return new Response(await (await fetch(provider.issuer + pathname)).text());
    },
  });
  const issuer: string = `http://127.0.0.1:${front.port}`;
  const rules = [parseGroupRule("@acme.example=acme:self")!];
  const tokens = new AccessTokens({ issuer, audience: AUDIENCE, rules, claims: USUAL_CLAIMS, contact: null });
  /** A token that is signed now, and is good for two days. */
  const sign = () =>
    provider.sign({
      ...{ iss: issuer, email: "ana@acme.example", email_verified: true },
      exp: Math.floor(Date.now() / 1000) + 2 * 86_400,
    });
  /** The person, or the code of the refusal. */
  const whose = (token: string) =>
    tokens.person(token).then(
      ({ user }) => user,
      (error: { code?: string; name: string }) => error.code ?? error.constructor.name,
    );
  const stop = async () => {
    await front.stop(true);
    await provider.stop();
  };
  return { provider, state, sign, whose, stop };
}

const ANA = "ana@acme.example";

test("a new signing key counts at once; one that is no longer published is refused after ten minutes", async () => {
  const { provider, state, sign, whose, stop } = await setUp();
  const first = await sign();
  expect(await whose(first)).toBe(ANA);
  pass(MINUTE_MS);
  await provider.rotate(1);
  const second = await sign();
  expect(await whose(second)).toBe(ANA);
  expect(await whose(first)).toBe(ANA);
  await provider.rotate(1);
  pass(8 * MINUTE_MS);
  expect(await whose(first)).toBe(ANA);
  expect(state.asked.filter((path) => path === "/jwks")).toHaveLength(2);
  pass(3 * MINUTE_MS);
  expect(await whose(first)).toBe("invalid_token");
  expect(await whose(second)).toBe(ANA);
  expect(await whose(await sign())).toBe(ANA);
  await stop();
});

test.each<readonly [name: string, instead: Respond]>([
  ["fails", () => new Response(null, { status: 500 })],
  ["is a page", () => new Response("<html>")],
  ["has no keys", () => Response.json({ keys: "none" })],
  ["is elsewhere", () => Response.redirect("http://127.0.0.1:9/jwks")],
])("while the list of keys %s, those that were read count for a day", async (_, instead) => {
  const { provider, state, sign, whose, stop } = await setUp();
  const old = await sign();
  expect(await whose(old)).toBe(ANA);
  state.instead = instead;
  await provider.rotate(1);
  const next = await sign();
  for (const ms of [11 * MINUTE_MS, 60 * MINUTE_MS, 22 * 60 * MINUTE_MS]) {
    pass(ms);
    expect(await whose(old)).toBe(ANA);
    expect(await whose(next)).toBe("ProviderUnavailable");
  }
  pass(60 * MINUTE_MS);
  expect(await whose(old)).toBe("ProviderUnavailable");
  state.instead = () => null;
  expect([await whose(old), await whose(next)]).toEqual([ANA, ANA]);
  await stop();
});

test("a provider that hangs delays one token for at most five seconds, in ten minutes", async () => {
  const hangs: Respond = () => new Promise<Response>(() => {});
  const drips: Respond = () =>
    new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from("{")) }));
  const fromStart = [hangs, drips].map(async (instead) => {
    const { state, sign, whose, stop } = await setUp();
    state.instead = instead;
    expect(await whose(await sign())).toBe("ProviderUnavailable");
    await stop();
  });
  const later = [hangs, drips].map(async (instead) => {
    const { state, sign, whose, stop } = await setUp();
    const token = await sign();
    expect(await whose(token)).toBe(ANA);
    state.instead = (request) => (request.url.endsWith("/jwks") ? instead(request) : null);
    return { state, token, whose, stop };
  });
  const read = await Promise.all(later);
  pass(11 * MINUTE_MS);
  await Promise.all(
    read.map(async ({ state, token, whose, stop }) => {
      const waits = whose(token);
      expect(await whose(token)).toBe(ANA); // does not wait for it
      expect(await waits).toBe(ANA);
      expect(state.asked.filter((path) => path === "/jwks")).toHaveLength(2);
      await stop();
    }),
  );
  await Promise.all(fromStart);
}, 120_000);

test("a list of unusable signing keys is the provider's fault, not ours", async () => {
  const { state, sign, whose, stop } = await setUp();
  const token = await sign();
  const header = JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { kid: string };
  const { publicKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ["sign", "verify"],
  );
  const weak = { ...(await crypto.subtle.exportKey("jwk", publicKey)), kid: header.kid, use: "sig" };
  for (const key of [weak, { kty: "RSA", kid: header.kid }, { kty: "RSA", kid: header.kid, n: 5, e: [] }]) {
    state.instead = (request) => (request.url.endsWith("/jwks") ? Response.json({ keys: [key] }) : null);
    pass(11 * MINUTE_MS);
    expect(await whose(token)).toBe("ProviderUnavailable");
  }
  await stop();
});
