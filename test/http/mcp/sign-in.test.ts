// Assistants of people who sign in at the company's identity provider, here a real OpenID server; and tokens that are not theirs.
import { afterAll, describe, expect, test } from "bun:test";
import {
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { AccessTokens } from "../../../src/http/access-tokens.ts";
import { namedIn, parseGroupRule, USUAL_CLAIMS } from "../../../src/http/sign-in.ts";
import type { Observation } from "../../../src/observe.ts";
import type { Problem } from "../../../src/resources/problems.ts";
import { startIdentityProvider } from "../../support/identity-provider.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { CONNECTION } from "../bare-parts.ts";
import { startService } from "../service.ts";
import { connected, SPECIFICATIONS } from "./assistant.ts";

const AUDIENCE = "http://rollcall.test/mcp";
const METADATA = "http://rollcall.test/.well-known/oauth-protected-resource/mcp";
const RULES = [
  "hr=acme:everything",
  "partners=other:everything",
  "nobody=gone:everything",
  "board=acme:away",
  "leads=acme:reports",
  "@acme.example=acme:self",
];

const provider = await startIdentityProvider(AUDIENCE, {
  "hr@acme.example": { groups: ["staff", "hr"] },
  "mia@acme.example": { groups: ["leads"] },
  "ana@acme.example": {},
  "guest@elsewhere.example": {},
});
afterAll(() => provider.stop());

const rules = RULES.map((rule) => parseGroupRule(rule)!);
const tokensOf = (issuer: string, claims = USUAL_CLAIMS) =>
  new AccessTokens({ issuer, audience: AUDIENCE, rules, claims, contact: "hr@acme.example" });
const observed: Observation[] = [];
const service = await startService({
  accessTokens: tokensOf(provider.issuer),
  observe: (one) => observed.push(one),
});
for (const company of ["acme", "other"])
  await addCompany(service.writer, company, {
    workers: ["mia", "ana", "bob"].map((name) =>
      workerRow(`wrk_${name}_${company}`, {
        displayName: `${name} of ${company}`,
        workEmail: `${name}@acme.example`,
        managerId: name === "ana" ? `wrk_mia_${company}` : null,
      }),
    ),
    policies: [policyRow("top_pto")],
    requests: [requestRow(`tor_${company}`, `wrk_ana_${company}`, "top_pto", { reason: "SECRET" })],
  });
const apiKey = await addKey(service.writer, "acme");

/** What the client of an assistant remembers. */
function memory() {
  const stored: {
    client?: never;
    tokens?: OAuthTokens;
    discovery?: OAuthDiscoveryState;
    verifier?: string;
    asked?: URL;
  } = {};
  const auth: OAuthClientProvider = {
    redirectUrl: "http://127.0.0.1:9/callback",
    clientMetadata: {
      client_name: "Assistant",
      redirect_uris: ["http://127.0.0.1:9/callback"],
      application_type: "native",
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client as never; // it is only given back
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      stored.asked = url;
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier;
    },
    codeVerifier: () => stored.verifier!,
    saveDiscoveryState: (state) => {
      stored.discovery = state;
    },
    discoveryState: () => stored.discovery,
  };
  return { stored, auth };
}

/** Rollcall for requests to it, the network for all others. */
const fetchAll = async (url: string | URL, init?: object) =>
  String(url).startsWith("http://rollcall.test/")
    ? service.app(new Request(url, init as RequestInit), CONNECTION) // Bun's and the SDK's types differ
    : fetch(url, init as RequestInit);

/** Signs in with what the client learns from the server alone, and returns the assistant and its token. */
async function signedIn(address: string, specification: (typeof SPECIFICATIONS)[number]) {
  const { stored, auth } = memory();
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(AUDIENCE), { authProvider: auth, fetch: fetchAll as never });
  const first = transport();
  await expect(connected(first, specification)).rejects.toThrow(UnauthorizedError);
  const back = await provider.signIn(stored.asked!, address);
  await first.finishAuth(back.searchParams);
  return { assistant: await connected(transport(), specification), token: stored.tokens!.access_token };
}

describe.each(SPECIFICATIONS)("%s", (specification) => {
  test("a client that knows only the address of /mcp can sign people in, who see what their groups may see", async () => {
    for (const [address, people] of [
      ["hr@acme.example", ["ana", "bob", "mia"]],
      ["mia@acme.example", ["ana", "mia"]],
      ["ana@acme.example", ["ana"]],
    ] as const) {
      const { assistant, token } = await signedIn(address, specification);
      const { rows } = await assistant.call("find_people");
      expect(rows.map(({ name }) => name).toSorted()).toEqual(people.map((one) => `${one} of acme`));
      const leave = await assistant.call("list_time_off", { person: `wrk_${people[0]}_acme` });
      expect(leave.isError).toBe(false);
      expect(leave.text).not.toContain("SECRET");
      expect(JSON.stringify(observed)).not.toContain(token.slice(0, 40));
    }
    expect(JSON.stringify(observed)).not.toContain("acme.example");
    expect(observed.some((one) => one.kind === "request" && one.keyId?.startsWith("user_"))).toBe(true);
  });
});

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find_people", arguments: {} } };

async function send(headers: Record<string, string>, app = service.app) {
  const body = JSON.stringify(LIST);
  const request = new Request(AUDIENCE, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    },
    body,
  });
  const response = await app(request, CONNECTION);
  const text = await response.text();
  const { code, detail } = JSON.parse(text) as Partial<Problem>; // or a result, which has neither
  return { status: response.status, challenge: response.headers.get("www-authenticate"), text, code, detail };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const GOOD = { email: "hr@acme.example", email_verified: true, groups: ["hr"] };
const challenge = (error: string) =>
  `Bearer ${error === "" ? "" : `error="${error}", `}scope="openid email groups", resource_metadata="${METADATA}"`;

test("keys still work, and a caller without one is told where to sign in", async () => {
  expect((await send(bearer(await provider.sign(GOOD)))).status).toBe(200);
  for (const headers of [{ "x-api-key": apiKey }, bearer(apiKey)])
    expect((await send(headers)).status).toBe(200);
  expect(await send({})).toMatchObject({ status: 401, code: "missing_api_key", challenge: challenge("") });
  expect(await send(bearer(`${apiKey}x`))).toMatchObject({
    status: 401,
    code: "invalid_api_key",
    challenge: challenge("invalid_token"),
  });
  for (const path of [METADATA, "http://rollcall.test/.well-known/oauth-protected-resource"]) {
    const response = await fetchAll(path);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      resource: AUDIENCE,
      resource_name: "Rollcall",
      authorization_servers: [provider.issuer],
      scopes_supported: ["openid", "email", "groups"],
      bearer_methods_supported: ["header"],
    });
  }
});

test("a token opens /mcp alone", async () => {
  const token = await provider.sign(GOOD);
  for (const headers of [bearer(token), { "x-api-key": token }])
    expect((await service.call("/v1/workers", { headers })).status).toBe(401);
  expect((await send({ "x-api-key": token })).code).toBe("invalid_api_key");
});

const nowSeconds = Math.floor(Date.now() / 1000);
const stranger = await generateKeyPair("RS256");

/** A token that nobody signed, or that was signed with a secret. */
const jws = (header: object, claims: object, signature = "") =>
  [header, { iss: provider.issuer, aud: AUDIENCE, exp: nowSeconds + 60, ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .concat(signature)
    .join(".");

/** Signed with what everybody knows of the provider: its public key, taken for a secret. */
async function confused(alg: string, secret: string): Promise<string> {
  const unsigned = jws({ alg, kid: (await jwks()).kid }, GOOD).replace(/\.$/, "");
  const mac = new Bun.CryptoHasher(alg === "HS256" ? "sha256" : "sha512", secret).update(unsigned).digest();
  return `${unsigned}.${mac.toString("base64url")}`;
}

async function jwks() {
  const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: JsonWebKey[] };
  return keys[0] as JsonWebKey & { kid: string };
}

test.each<readonly [name: string, token: () => Promise<string>, detail: RegExp]>([
  ["another audience", () => provider.sign({ ...GOOD, aud: "https://payroll.example.com" }), /claim aud/],
  ["an audience with more", () => provider.sign({ ...GOOD, aud: `${AUDIENCE}/` }), /claim aud/],
  ["no audience", () => provider.sign({ ...GOOD, aud: undefined }), /claim aud/],
  ["another issuer", () => provider.sign({ ...GOOD, iss: "https://evil.example.com" }), /claim iss/],
  ["no issuer", () => provider.sign({ ...GOOD, iss: undefined }), /claim iss/],
  ["expired", () => provider.sign({ ...GOOD, exp: nowSeconds - 60 }), /has expired/],
  ["without an end", () => provider.sign({ ...GOOD, exp: undefined }), /claim exp/],
  ["not yet valid", () => provider.sign({ ...GOOD, nbf: nowSeconds + 300 }), /claim nbf/],
  ["of a logout", () => provider.sign(GOOD, { typ: "logout+jwt" }), /another type/],
  ["bound to a key", () => provider.sign({ ...GOOD, cnf: { jkt: "x" } }), /bound to a key/],
  ["alg none", async () => jws({ alg: "none" }, GOOD), /not a JWT that is signed/],
  ["alg None with a signature", async () => jws({ alg: "None" }, GOOD, "AAAA"), /not a JWT that is signed/],
  [
    "HS256 with the public key",
    async () => confused("HS256", await exportSPKI(await publicKey())),
    /not a JWT that is signed/,
  ],
  ["HS512 with the modulus", async () => confused("HS512", (await jwks()).n!), /not a JWT that is signed/],
  ["an unknown kid", () => provider.sign(GOOD, { kid: "other" }), /not a JWT that is signed/],
  [
    "signed by a stranger under the known kid",
    async () =>
      new SignJWT({ iss: provider.issuer, aud: AUDIENCE, exp: nowSeconds + 60, ...GOOD })
        .setProtectedHeader({ alg: "RS256", kid: (await jwks()).kid })
        .sign(stranger.privateKey),
    /not a JWT that is signed/,
  ],
  [
    "a key of its own in the header",
    async () =>
      new SignJWT({ iss: provider.issuer, aud: AUDIENCE, exp: nowSeconds + 60, ...GOOD })
        .setProtectedHeader({ alg: "RS256", jwk: await crypto.subtle.exportKey("jwk", stranger.publicKey) })
        .sign(stranger.privateKey),
    /not a JWT that is signed/,
  ],
  [
    "changed after it was signed",
    async () => {
      const [header, , signature] = (await provider.sign({ ...GOOD, groups: [] })).split(".");
      return [header, jws({}, GOOD).split(".")[1], signature].join(".");
    },
    /not a JWT that is signed/,
  ],
  ["no JWT", async () => "opaque-token", /not a JWT that is signed/],
  ["an encrypted one", async () => "e30.e30.e30.e30.e30", /not a JWT that is signed/],
])("refused with a 401: %s", async (_, token, detail) => {
  observed.length = 0;
  const response = await send(bearer(await token()));
  expect(response).toMatchObject({
    status: 401,
    code: "invalid_token",
    challenge: challenge("invalid_token"),
    detail: expect.stringMatching(detail),
  });
  expect(response.text).not.toContain("of acme");
  expect(observed).toMatchObject([{ kind: "request", status: 401, code: "invalid_token", keyId: null }]);
});

async function publicKey() {
  return crypto.subtle.importKey("jwk", await jwks(), { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, true, [
    "verify",
  ]);
}

test.each<readonly [name: string, claims: object, detail: RegExp]>([
  ["an address that is not verified", { ...GOOD, email_verified: false }, /email_verified/],
  ["an address of which nothing is said", { ...GOOD, email_verified: undefined }, /email_verified/],
  ["verified by a text", { ...GOOD, email_verified: "true" }, /email_verified/],
  ["no address", { ...GOOD, email: undefined }, /claims email/],
  ["two addresses", { ...GOOD, email: ["hr@acme.example", "ana@acme.example"] }, /claims email/],
  ["something else than an address", { ...GOOD, email: "hr" }, /claims email/],
  ["no groups", { ...GOOD, email: "x@elsewhere.example", groups: undefined }, /none of your groups.*ask hr@/],
  [
    "groups joined to one text, as Glewlwyd sends them",
    { ...GOOD, groups: "hr,all" },
    /one text with commas/,
  ],
  ["groups joined by a semicolon", { ...GOOD, groups: "staff; hr" }, /one text with commas/],
  ...[{ hr: true }, [["hr"]], { toString: 1 }, [{ toString: 1 }], 1, true, null, ["hr", null]].map(
    (groups): [string, object, RegExp] => [
      `groups of a wrong form: ${JSON.stringify(groups)}`,
      { ...GOOD, groups },
      /claim groups/,
    ],
  ),
  [
    "a group by the name of the user",
    { ...GOOD, email: "hr@evil.example", groups: [] },
    /none of your groups/,
  ],
  [
    "letters that fold to another's: the long s and the Kelvin sign",
    { ...GOOD, email: "bo\u017f\u212a@acme.example", groups: [] },
    /none of your groups/,
  ],
  ["a company that is not here", { ...GOOD, groups: ["nobody"] }, /not on this server/],
])("refused with a 403: %s", async (_, claims, detail) => {
  const response = await send(bearer(await provider.sign({ ...claims })));
  expect(response).toMatchObject({
    status: 403,
    code: "missing_scope",
    // Signing in again helps where the token lacks what another scope gives, and nowhere else: assistants would go in circles.
    challenge: "email" in claims && claims.email === undefined ? challenge("insufficient_scope") : null,
    detail: expect.stringMatching(detail),
  });
});

test("one group alone may be a text, whatever its name", async () => {
  const ofOne = await send(bearer(await provider.sign({ ...GOOD, groups: "hr" })));
  expect(ofOne.status).toBe(200);
  const name = "CN=HR,DC=acme";
  const rules = [{ group: name, companyId: "acme", access: "everything" as const }];
  expect(namedIn({ ...GOOD, groups: name }, { rules, claims: USUAL_CLAIMS }, "the token").groups).toEqual([
    name,
  ]);
});

test("a person is named by the claims that the operator vouches for", async () => {
  const claims = { address: "upn", groups: "roles" };
  const own = await startService({ accessTokens: tokensOf(provider.issuer, claims) });
  await addCompany(own.writer, "acme", { workers: [workerRow("wrk_ana", { displayName: "Ana" })] });
  const sent = async (token: object) => send(bearer(await provider.sign({ ...token })), own.app);
  expect((await sent({ upn: "ana@acme.example", roles: "hr" })).text).toContain("Ana");
  expect(await sent(GOOD)).toMatchObject({ status: 403, detail: expect.stringMatching(/the claim upn/) });
  // OpenID Connect Core 5.6.2, as Microsoft Entra ID sends it for somebody in more than 200 groups
  const leftOut = { upn: "ana@acme.example", _claim_names: { roles: "src1" } };
  expect(await sent(leftOut)).toMatchObject({
    status: 403,
    detail: expect.stringMatching(/too many groups/),
  });
  const metadata = await own.call("/.well-known/oauth-protected-resource/mcp", {});
  expect(metadata.text).toContain(`"scopes_supported":["openid","email","profile","groups"]`);
});

test("a token for another company sees nothing of this one", async () => {
  const { text } = await send(bearer(await provider.sign({ ...GOOD, groups: ["partners"] })));
  expect(text).toContain("ana of other");
  expect(text).not.toContain("of acme");
});

test("somebody who is not a worker is told so, and nothing else", async () => {
  const { status, text } = await send(
    bearer(await provider.sign({ ...GOOD, email: "eve@acme.example", groups: [] })),
  );
  expect(status).toBe(200);
  expect(text).toContain("no worker has this work address");
  expect(text).not.toContain("of acme");
});

describe("an unreachable provider is a 503 that says so, and keys still work", () => {
  let respond: (url: URL) => Response = () => new Response(null, { status: 500 });
  const broken = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => respond(new URL(request.url)),
  });
  afterAll(() => broken.stop(true));
  const issuer = `http://127.0.0.1:${broken.port}`;
  const metadata = (changed: object) => (url: URL) =>
    url.pathname === "/jwks"
      ? new Response(null, { status: 503 })
      : Response.json({ issuer, jwks_uri: `${issuer}/jwks`, ...changed });

  test.each<readonly [name: string, respond: (url: URL) => Response]>([
    ["its metadata fails", () => new Response(null, { status: 500 })],
    [
      "its metadata is elsewhere",
      ({ pathname }) =>
        pathname === "/elsewhere"
          ? Response.json({ issuer, jwks_uri: `${provider.issuer}/jwks` }) // which would do
          : Response.redirect(`${issuer}/elsewhere`),
    ],
    ["its metadata is a page", () => new Response("<html>")],
    ["its metadata is of another issuer", metadata({ issuer: provider.issuer })],
    ["its keys are in a file", metadata({ jwks_uri: "file:///etc/passwd" })],
    ["its keys fail", metadata({})],
    ["its keys are no keys", metadata({ jwks_uri: `${issuer}/.well-known/openid-configuration` })],
  ])("%s", async (_, responds) => {
    respond = responds;
    const seen: Observation[] = [];
    const own = await startService({ accessTokens: tokensOf(issuer), observe: (one) => seen.push(one) });
    await addCompany(own.writer, "acme");
    const token = await provider.sign({ ...GOOD, iss: issuer });
    const response = await send(bearer(token), own.app);
    expect(response).toMatchObject({ status: 503, code: "unavailable", challenge: null });
    expect(response.detail).toContain("keys of the identity provider");
    expect(seen[0]).toMatchObject({ kind: "unavailable", error: { type: "ProviderUnavailable" } });
    expect(JSON.stringify(seen)).not.toContain(token.split(".")[1]!);
    expect((await send(bearer(await addKey(own.writer, "acme")), own.app)).status).toBe(200);
  });

  test("it is asked again", async () => {
    respond = () => new Response(null, { status: 500 });
    const own = await startService({ accessTokens: tokensOf(issuer) });
    await addCompany(own.writer, "acme");
    const token = await provider.sign({ ...GOOD, iss: issuer });
    expect((await send(bearer(token), own.app)).status).toBe(503);
    respond = metadata({ jwks_uri: `${provider.issuer}/jwks` });
    expect((await send(bearer(token), own.app)).status).toBe(200);
  });
});
