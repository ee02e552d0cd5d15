// People sign in at an identity provider: a real one on loopback. Their cookie opens what their groups may see, until it is over; and
// no cookie, state, nonce or address of somebody else's making does.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { EncryptJWT } from "jose";
import { failureLimit, rateLimit } from "../../../src/http/middleware/rate-limit.ts";
import { type ProviderAuth, ProviderSignIn } from "../../../src/http/provider-sign-in.ts";
import { type GroupRule, USUAL_CLAIMS } from "../../../src/http/sign-in.ts";
import type { Observation } from "../../../src/observe.ts";
import { startIdentityProvider } from "../../support/identity-provider.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, openTestStore } from "../../support/stores.ts";
import { type Service, startService } from "../service.ts";

const ORIGIN = "https://rollcall.example.com";
const LOOPBACK = "http://127.0.0.1:4010";
const RULES: readonly GroupRule[] = [
  { group: "hr", companyId: "acme", access: "everything" },
  { group: "Führungskräfte", companyId: "acme", access: "no-reasons" },
  { group: "@acme.example", companyId: "acme", access: "away" },
  { group: "eve@other.example", companyId: "gone", access: "everything" },
];
const MANY = Array.from({ length: 300 }, (_, at) => `a-group-with-a-long-name-${at}`);
const USERS = {
  "ana@acme.example": { groups: [...MANY, "hr"] },
  "max@acme.example": { groups: ["Fu\u0308hrungskra\u0308fte"] },
  "bob@acme.example": {},
  "kim@acme.example": { groups: ["\u212a", "K"] }, // the Kelvin sign: NFC makes it a K
  "eve@other.example": {},
  "guest@other.example": { groups: ["guests", "x".repeat(300)] },
  "all@other.example": { groups: MANY },
  "fake@acme.example": { isVerified: false, groups: ["hr"] },
  "two@acme.example": { inToken: { email: "ana@acme.example" }, groups: ["hr"] },
  "none@acme.example": { isVerified: false, inToken: { email_verified: true }, groups: ["hr"] },
  "same@acme.example": { inToken: { email: "same@acme.example" }, groups: ["hr"] },
  "case@acme.example": { inToken: { email: "Case@ACME.example" }, groups: ["hr"] },
  "kit@acme.example": { inToken: { email: "\u212ait@acme.example" }, groups: ["hr"] }, // the Kelvin sign, again
  "own@acme.example": { inToken: { azp: "rollcall" }, groups: ["hr"] },
  "other@acme.example": { inToken: { azp: "loopback" }, groups: ["hr"] },
  // As Microsoft Entra ID names people: nothing is said of the address, and who is in over 200 groups has none.
  "entra@acme.example": { claims: { upn: "Ana@acme.example", roles: ["hr"] } },
  "many@acme.example": { claims: { upn: "max@acme.example", _claim_names: { roles: "src1" } } },
  "renamed@acme.example": { claims: { upn: "#EXT#", roles: ["hr"] } },
};
type Address = keyof typeof USERS;

const seen: Observation[] = [];
const KEY = new Uint8Array(32).fill(7);
const provider = await startIdentityProvider("unused", USERS, [
  { id: "rollcall", secret: "its secret: +/%", address: ORIGIN },
  { id: "roll-call.eu", secret: "_a-.~b", address: ORIGIN },
  { id: "below", address: `${ORIGIN}/hr` },
  { id: "loopback", address: LOOPBACK },
]);
const auth: ProviderAuth = {
  issuer: provider.issuer,
  clientId: "rollcall",
  clientSecret: "its secret: +/%",
  origin: ORIGIN,
  sessionKey: KEY,
  sessionMs: 3_600_000,
  rules: RULES,
  claims: USUAL_CLAIMS,
  contact: "hr@acme.example",
};
const store = await openTestStore();
let apiKey: string;
beforeAll(async () => {
  await addCompany(store.writer, "acme", {
    workers: [workerRow("wrk_ana", { displayName: "Ana" })],
    policies: [policyRow("top_a")],
    requests: [requestRow("tor_a", "wrk_ana", "top_a", { reason: "Migraine" })],
  });
  apiKey = await addKey(store.writer, "acme");
});
afterAll(async () => {
  await provider.stop();
  await store.dispose();
});

const observe = (observation: Observation) => void seen.push(observation);

function started(changed: Partial<ProviderAuth> = {}, parts: Parameters<typeof startService>[0] = {}) {
  const signIn = new ProviderSignIn({ ...auth, ...changed });
  return startService({ signIn, observe, ...parts }, store);
}

const service = await started();

/** A browser: it stores cookies as it is told, and sends them back. */
class Browser {
  readonly cookies = new Map<string, string>();
  /** Every `Set-Cookie` it got. */
  readonly set: string[] = [];

  constructor(
    readonly at: Service = service,
    readonly origin = ORIGIN,
  ) {}

  async get(path: string, headers: Record<string, string> = {}, method = "GET") {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = cookie === "" ? headers : { cookie, ...headers };
    const response = await this.at.raw(path, { method, headers: sent });
    for (const set of response.headers.getSetCookie()) {
      this.set.push(set);
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (set.includes("Max-Age=0")) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const location = response.headers.get("location");
    return { ...response, text: new TextDecoder().decode(response.body), location };
  }

  /** As far as the address that the provider leads back to. */
  async begin(user: Address, to = "/", change: (authorization: URL) => void = () => {}): Promise<string> {
    const { status, location } = await this.get(`/sign-in?to=${encodeURIComponent(to)}`);
    expect([status, location]).toEqual([303, expect.stringContaining(`${provider.issuer}/auth?`)]);
    const authorization = new URL(location!);
    change(authorization);
    const back = await provider.signIn(authorization, user);
    expect(back.href).toStartWith(`${this.origin}/signed-in?`);
    return back.href.slice(this.origin.length);
  }

  async signIn(user: Address, to = "/") {
    return this.get(await this.begin(user, to));
  }
}

async function signedIn(user: Address, at = service): Promise<Browser> {
  const browser = new Browser(at);
  expect((await browser.signIn(user)).location).toBe(`${ORIGIN}/`);
  return browser;
}

const SESSION = "__Host-rollcall-session";
const status = async (browser: Browser, path: string) => (await browser.get(path)).status;

describe("who signs in", () => {
  test("sees what the first matching rule allows, and continues to the wanted page", async () => {
    const ana = new Browser();
    const back = await ana.signIn("ana@acme.example", "/people?status=active");
    expect([back.status, back.location]).toEqual([303, `${ORIGIN}/people?status=active`]);
    const requests = await ana.get("/v1/time_off/requests");
    expect([requests.status, requests.text]).toEqual([200, expect.stringContaining("Migraine")]);
    expect(requests.headers.get("vary")).toContain("cookie");
    expect(JSON.parse((await ana.get("/web/session.json")).text)).toEqual({
      access: "everything",
      user: "ana@acme.example",
      workerId: null,
    });

    const max = await signedIn("max@acme.example"); // the group is composed otherwise than the rule
    expect((await max.get("/v1/time_off/requests")).text).not.toContain("Migraine");
    expect(await status(max, "/v1/time_off/requests")).toBe(200);

    const bob = await signedIn("bob@acme.example"); // without groups
    expect(await status(bob, "/v1/time_off/requests")).toBe(403);
    expect(await status(bob, "/web/away.json?from=2026-01-01&to=2026-02-01")).toBe(200);
  });

  test("sees no more by a group of another spelling beside the one that decides", async () => {
    const rules: GroupRule[] = [
      { group: "K", companyId: "acme", access: "away" },
      { group: "@acme.example", companyId: "acme", access: "everything" },
    ];
    const kim = await signedIn("kim@acme.example", await started({ rules }));
    expect(JSON.parse((await kim.get("/web/session.json")).text)).toMatchObject({ access: "away" });
  });

  test("is named by the claims that the operator vouches for", async () => {
    const other = await started({ claims: { address: "upn", groups: "roles" } });
    const ana = await signedIn("entra@acme.example", other);
    expect(JSON.parse((await ana.get("/web/session.json")).text)).toMatchObject({
      access: "everything",
      user: "Ana@acme.example",
    });
  });

  test("has cookies that no script can read and no other host can set, with only the group that counts", async () => {
    const ana = await signedIn("ana@acme.example");
    const [begun, session, ended] = ana.set;
    expect(begun).toMatch(
      /^__Host-rollcall-begun=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(session).toMatch(
      /^__Host-rollcall-session=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(ended).toStartWith("__Host-rollcall-begun=; Path=/; Max-Age=0;");
    expect(session!.length).toBeLessThan(1000);
    for (const part of ana.cookies.get(SESSION)!.split("."))
      expect(Buffer.from(part, "base64url").toString("latin1")).not.toContain("ana@");
    for (const user of ["guest@other.example", "all@other.example"] as const)
      expect((await signedIn(user)).set[1]!.length).toBeLessThan(4096); // what browsers store
  });

  test("without access is told the name of the session, and whom to ask", async () => {
    const guest = await (await signedIn("guest@other.example")).get("/web/session.json");
    expect([guest.status, JSON.parse(guest.text).detail]).toEqual([
      403,
      expect.stringMatching(
        /^You are signed in as guest@other\.example, but none of your groups \(guests, x+\) may see anything here: ask hr@acme\.example\.$/,
      ),
    ]);
    const all = await (await signedIn("all@other.example")).get("/web/session.json");
    expect(JSON.parse(all.text).detail).toMatch(/a-group-with-a-long-name-0, .*, …\) may see/);
    const eve = await (await signedIn("eve@other.example")).get("/web/session.json");
    expect(JSON.parse(eve.text).detail).toContain("the company of your group is not on this server");
  });

  test("with a key, only the key counts; without either, a key is missing", async () => {
    const bob = await signedIn("bob@acme.example");
    expect((await bob.get("/v1/time_off/requests", { "x-api-key": apiKey })).status).toBe(200);
    expect((await bob.get("/v1/company", { "x-api-key": "rk_wrong" })).status).toBe(401);
    expect(await status(new Browser(), "/web/session.json")).toBe(401);
    expect((await bob.get("/mcp", {}, "POST")).status).toBe(401); // assistants have tokens
  });

  test("below a base path, and on this machine without HTTPS", async () => {
    const below = new Browser(
      await started({ clientId: "below", clientSecret: null }, { basePath: "/hr" }),
      `${ORIGIN}/hr`,
    );
    expect((await below.signIn("ana@acme.example", "/people")).location).toBe(`${ORIGIN}/hr/people`);
    expect([...below.cookies.keys()]).toEqual([`${SESSION}-hr`]);
    expect(await status(below, "/hr/v1/workers")).toBe(200);
    const local = new Browser(
      await started({ clientId: "loopback", clientSecret: null, origin: LOOPBACK }),
      LOOPBACK,
    );
    expect((await local.signIn("ana@acme.example")).location).toBe(`${LOOPBACK}/`);
    expect([...local.cookies.keys()]).toEqual(["rollcall-session"]);
    expect(local.set[1]).not.toContain("Secure");
    expect(await status(local, "/v1/workers")).toBe(200);
  });

  // RFC 6749, 2.3.1 has both encoded as forms, and a provider such as Glewlwyd decodes neither. These characters need no encoding.
  test("at a provider that takes the id and the secret as they are written", async () => {
    await signedIn("ana@acme.example", await started({ clientId: "roll-call.eu", clientSecret: "_a-.~b" }));
    expect(provider.proof()).toBe(`Basic ${btoa("roll-call.eu:_a-.~b")}`);
  });

  test("has the limit of a key", async () => {
    const ana = await signedIn("ana@acme.example", await started({}, { rateLimit: rateLimit(2) }));
    const statuses = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => status(ana, "/v1/company")));
    expect(statuses).toContain(429);
  });
});

describe("a session ends", () => {
  test("when its owner signs out, here and at the provider, which leads back", async () => {
    const ana = await signedIn("ana@acme.example");
    const refused = await Promise.all([
      ana.get("/sign-out"),
      ana.get("/sign-out", {}, "POST"),
      ana.get("/sign-out", { "sec-fetch-site": "same-site" }, "POST"),
      ana.get("/sign-out", { "sec-fetch-site": "cross-site" }, "POST"),
    ]);
    expect(refused.map((response) => response.status)).toEqual([405, 403, 403, 403]);
    expect(await status(ana, "/v1/workers")).toBe(200);
    const out = await ana.get("/sign-out", { "sec-fetch-site": "same-origin" }, "POST");
    const { to } = JSON.parse(out.text) as { to: string };
    expect([out.status, ana.cookies.size]).toEqual([200, 0]);
    const { origin, pathname, searchParams } = new URL(to);
    expect([origin + pathname, Object.fromEntries(searchParams)]).toEqual([
      `${provider.issuer}/session/end`,
      { client_id: "rollcall", post_logout_redirect_uri: `${ORIGIN}/` },
    ]);
    expect(await (await fetch(to)).text()).toContain("/session/end/confirm"); // the provider knows where it leads back
    expect(await status(ana, "/v1/workers")).toBe(401);
  });

  test("after its lifetime, whatever the browser stores", async () => {
    const brief = await started({ sessionMs: 2000 });
    const ana = await signedIn("ana@acme.example", brief);
    expect(await status(ana, "/v1/workers")).toBe(200);
    await Bun.sleep(2100);
    expect(await status(ana, "/v1/workers")).toBe(401);
  });

  test("when the rules change; another server with the same key and rules accepts it", async () => {
    const ana = await signedIn("ana@acme.example");
    const tried = async (changed: Partial<ProviderAuth>) => {
      const other = new Browser(await started(changed));
      other.cookies.set(SESSION, ana.cookies.get(SESSION)!);
      return status(other, "/v1/workers");
    };
    expect(await tried({ sessionKey: new Uint8Array(KEY) })).toBe(200);
    expect(await tried({ rules: RULES.toReversed() })).toBe(401);
    expect(await tried({ sessionKey: new Uint8Array(32) })).toBe(401);
    expect(await tried({ clientId: "another" })).toBe(401);
    expect(await tried({ claims: { address: "upn", groups: "groups" } })).toBe(401);
  });
});

test("a forged, altered or different cookie opens nothing", async () => {
  const ana = await signedIn("ana@acme.example");
  const sealed = ana.cookies.get(SESSION)!;
  const begun = new Browser();
  await begun.get("/sign-in");
  const claims = { user: "ana@acme.example", groups: ["hr"] };
  const by = (key: Uint8Array, audience = "session") =>
    new EncryptJWT(claims)
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setAudience(audience)
      .setExpirationTime("1h")
      .encrypt(key);
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`;
  const altered = [...sealed.split(".").keys()].flatMap((at) => {
    const parts = sealed.split(".");
    if (parts[at] === "") return [];
    parts[at] = (parts[at]!.startsWith("A") ? "B" : "A") + parts[at]!.slice(1);
    return [parts.join(".")];
  });
  const forged = [
    ...["", "x", "a.b.c.d.e", none, JSON.stringify(claims), sealed.slice(0, -1), `${sealed}A`, ...altered],
    await by(new Uint8Array(32)),
    await by(KEY), // the right key, for something else
    begun.cookies.get("__Host-rollcall-begun")!,
  ];
  for (const value of forged) {
    const other = new Browser();
    other.cookies.set(SESSION, value);
    expect([value, await status(other, "/v1/workers")]).toEqual([value, 401]);
  }
  const unprefixed = new Browser();
  unprefixed.cookies.set("rollcall-session", sealed); // any host of the domain could set it
  expect(await status(unprefixed, "/v1/workers")).toBe(401);
});

describe("a sign-in fails, and the page says why", () => {
  /** Where a browser is led that comes back with this. */
  async function failed(browser: Browser, path: string): Promise<string> {
    const { status, location } = await browser.get(path);
    expect([status, browser.cookies.size]).toEqual([303, 0]);
    return location!.replace(`${ORIGIN}/?signIn=`, "");
  }

  test("with the state of another or an earlier sign-in, or without one", async () => {
    const [own, other] = [new Browser(), new Browser()];
    const [back, foreign] = [await own.begin("ana@acme.example"), await other.begin("bob@acme.example")];
    expect(await failed(new Browser(), foreign)).toBe("expired"); // somebody who is led there
    expect((await own.get(foreign)).location).toBe(`${ORIGIN}/?signIn=expired`);
    expect(own.cookies.has(SESSION)).toBe(false);
    expect((await own.get(back)).location).toBe(`${ORIGIN}/`); // which does not end what was begun here
    const twice = new Browser();
    const once = await twice.begin("ana@acme.example");
    const cookies = new Map(twice.cookies);
    expect((await twice.get(once)).location).toBe(`${ORIGIN}/`);
    const replayed = new Browser();
    for (const [name, value] of cookies) replayed.cookies.set(name, value);
    expect(await failed(replayed, once)).toBe("expired"); // the provider takes a code once
    const stateless = new Browser();
    const code = new URLSearchParams((await stateless.begin("ana@acme.example")).split("?")[1]);
    code.delete("state");
    expect((await stateless.get(`/signed-in?${code}`)).location).toBe(`${ORIGIN}/?signIn=expired`);
    expect(stateless.cookies.has(SESSION)).toBe(false);
  });

  test("in a tab where another one began later; that one signs in, and a third comes back signed in", async () => {
    const browser = new Browser();
    const [first, third] = [await browser.begin("ana@acme.example"), await browser.begin("ana@acme.example")];
    const second = await browser.begin("ana@acme.example", "/balances");
    expect((await browser.get(first)).location).toBe(`${ORIGIN}/?signIn=expired`);
    expect((await browser.get(second)).location).toBe(`${ORIGIN}/balances`);
    expect((await browser.get(third)).location).toBe(`${ORIGIN}/`);
    expect(await status(browser, "/v1/workers")).toBe(200);
  });

  test.each(["nonce", "code_challenge"])("with another %s than was begun with", async (name) => {
    const browser = new Browser();
    const other = Buffer.alloc(32, 1).toString("base64url");
    const back = await browser.begin("ana@acme.example", "/", (authorization) =>
      authorization.searchParams.set(name, other),
    );
    expect(await failed(browser, back)).toBe("expired");
  });

  test("with an address that the provider has not verified, or if the provider refuses", async () => {
    const fake = new Browser();
    expect(await failed(fake, await fake.begin("fake@acme.example"))).toBe("unnamed");
    const { location } = await fake.get(await fake.begin("fake@acme.example", "/people?status=active"));
    expect(location).toBe(`${ORIGIN}/people?status=active&signIn=unnamed`); // where they try again
    const browser = new Browser();
    const back = new URLSearchParams((await browser.begin("ana@acme.example")).split("?")[1]);
    back.delete("code");
    expect(await failed(browser, `/signed-in?${back}&error=access_denied`)).toBe("refused");
  });

  test("with one address in the ID token and another in the userinfo, which alone is verified", async () => {
    const browser = new Browser();
    expect(await failed(browser, await browser.begin("two@acme.example"))).toBe("unnamed");
    expect(await failed(browser, await browser.begin("kit@acme.example"))).toBe("unnamed");
    for (const user of ["same@acme.example", "case@acme.example"] as const)
      expect(await status(await signedIn(user), "/v1/workers")).toBe(200);
  });

  test("with an ID token that was issued to another client (OpenID Connect Core, 3.1.3.7)", async () => {
    const browser = new Browser();
    expect(await failed(browser, await browser.begin("other@acme.example"))).toBe("unnamed");
    expect(await status(await signedIn("own@acme.example"), "/v1/workers")).toBe(200);
  });

  test("with an address that the userinfo calls unverified, whatever an ID token without an address says", async () => {
    const browser = new Browser();
    expect(await failed(browser, await browser.begin("none@acme.example"))).toBe("unnamed");
  });

  test("without an address or with groups left out; the log says what is missing", async () => {
    const claims = { address: "upn", groups: "roles" };
    const other = await started({ claims });
    const reasons = async (user: Address, at: Service) => {
      seen.length = 0;
      const browser = new Browser(at);
      expect(await failed(browser, await browser.begin(user))).toBe("unnamed");
      return seen.flatMap((observation) =>
        observation.kind === "notSignedIn" ? [observation.reason as string] : [],
      );
    };
    expect(await reasons("entra@acme.example", service)).toEqual([
      "The identity provider names nobody: it needs the claims email and email_verified, and the latter must be true.",
    ]);
    expect(await reasons("renamed@acme.example", other)).toEqual([
      "The identity provider names nobody: it needs an address in the claim upn.",
    ]);
    // By the rules of a domain, which come later, they would see who is away.
    expect(await reasons("many@acme.example", other)).toEqual([
      "The claim roles of the identity provider is left out, because this person is in too many groups: let the provider send only those that rules name.",
    ]);
    const byDomain = await started({ claims, rules: RULES.filter(({ group }) => group.startsWith("@")) });
    expect(await status(await signedIn("many@acme.example", byDomain), "/v1/company")).toBe(200);
  });

  test("while the provider is down; signing out still works", async () => {
    const down = await started({ issuer: "http://127.0.0.1:9" });
    const browser = new Browser(down);
    seen.length = 0;
    expect(await failed(browser, "/sign-in")).toBe("unavailable");
    expect(seen.filter(({ kind }) => kind === "unavailable").length).toBe(1);
    const out = await browser.get("/sign-out", { "sec-fetch-site": "same-origin" }, "POST");
    expect([out.status, out.text]).toEqual([200, '{"to":null}']);

    const own = await startIdentityProvider("unused", USERS, [{ id: "rollcall", address: ORIGIN }]);
    const late = new Browser(await started({ issuer: own.issuer, clientSecret: null }));
    const { location } = await late.get("/sign-in");
    const { href } = await own.signIn(new URL(location!), "ana@acme.example");
    await own.stop();
    expect(await failed(late, href.slice(ORIGIN.length))).toBe("unavailable");
  });

  test("at an address that is no provider's; the log has what is there", async () => {
    const issuer = `${provider.issuer}/realms/acme`;
    const wrong = new Browser(await started({ issuer }));
    seen.length = 0;
    expect(await failed(wrong, "/sign-in")).toBe("unavailable");
    expect(JSON.stringify(seen)).toContain(`404 from ${issuer}/.well-known/openid-configuration`);
  });

  test("with a wrong secret; the log has the error of the provider", async () => {
    const wrong = new Browser(await started({ clientSecret: "another" }));
    const back = await wrong.begin("ana@acme.example");
    seen.length = 0;
    expect(await failed(wrong, back)).toBe("unavailable");
    expect(seen).toContainEqual(
      expect.objectContaining({
        kind: "notSignedIn",
        reason: "The identity provider responded with the error invalid_client.",
      }),
    );
  });

  test.each([
    ["invalid_scope", "invalid_scope"],
    ["Ana Meier <ana@acme.example>", "unknown"],
  ])("if the provider leads back with the error %s; the log has codes alone", async (error, logged) => {
    const browser = new Browser();
    const back = new URLSearchParams((await browser.begin("ana@acme.example")).split("?")[1]);
    back.delete("code");
    back.set("error", error);
    back.set("error_description", "Ana Meier may not");
    seen.length = 0;
    expect(await failed(browser, `/signed-in?${back}`)).toBe("refused");
    expect(JSON.stringify(seen)).toContain(`responded with the error ${logged}.`);
    expect(JSON.stringify(seen)).not.toContain("Ana");
  });

  test("too often from one address", async () => {
    const limited = new Browser(await started({}, { failureLimit: failureLimit(3) }));
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++)
      statuses.push(await status(limited, "/signed-in?state=x&code=y"));
    expect(statuses[0]).toBe(303);
    expect(statuses).toContain(429);
  });
});

test.each([
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/.//evil.example",
  "@evil.example",
  ".evil.example",
  ":80@evil.example/",
  "/\t/evil.example",
  "/x\r\nlocation: https://evil.example",
  "javascript:alert(1)",
  "",
])("nobody is led to another server: %j", async (to) => {
  const browser = new Browser();
  const { location } = await browser.signIn("bob@acme.example", to);
  expect(new URL(location!).origin).toBe(ORIGIN);
  expect(browser.cookies.has(SESSION)).toBe(true);
});

test.each(["/../other", "/%2e%2e/other", "/..\\other", "/people/../../other", "/../hrm"])(
  "nobody is led to what else is on the host: %j",
  async (to) => {
    const at = await started({ clientId: "below", clientSecret: null }, { basePath: "/hr" });
    const { location } = await new Browser(at, `${ORIGIN}/hr`).signIn("bob@acme.example", to);
    expect(location).toBe(`${ORIGIN}/hr/`);
  },
);

test("a page address that is too long for a cookie is dropped", async () => {
  expect((await new Browser().signIn("bob@acme.example", `/${"x".repeat(4000)}`)).location).toBe(
    `${ORIGIN}/`,
  );
});

test("without the setting there is no such path", async () => {
  const without = await startService({ observe }, store);
  for (const path of ["/sign-in", "/signed-in", "/sign-out"])
    expect(await status(new Browser(without), path)).toBe(404);
});
