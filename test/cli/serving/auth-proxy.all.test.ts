// Sign-in from the command line to the response: through a proxy that behaves like oauth2-proxy, and with tokens of an identity provider.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { connected } from "../../http/mcp/assistant.ts";
import { startIdentityProvider } from "../../support/identity-provider.ts";
import { temporaryFolder } from "../../support/import-files.ts";
import { freePort } from "../../support/postgres.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { type SignInProxy, startSignInProxy } from "../../support/sign-in-proxy.ts";
import { addCompany, openTestStore, type TestStore } from "../../support/stores.ts";

const RULES = ["--auth-group", "hr=acme:everything", "--auth-group", "*=acme:away"];
const ANA = { email: "ana@acme.example", groups: ["staff", "hr"] };
const BOB = { email: "bob@acme.example", groups: ["staff"] };

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
  await addCompany(store.writer, "acme", {
    workers: [workerRow("wrk_ana", { displayName: "Ana" })],
    policies: [policyRow("top_a")],
    requests: [requestRow("tor_a", "wrk_ana", "top_a", { reason: "Migraine" })],
  });
});
afterAll(() => store.dispose());

interface Serving {
  readonly address: string;
  readonly proxy: SignInProxy;
  /** Ends the server and returns its log. */
  stop(): Promise<string>;
}

const PROXY = ["--auth-proxy", "X-Forwarded-Email", "--trust-proxy"];

async function serve(...options: string[]): Promise<Serving> {
  const child = Bun.spawn([ROLLCALL, "serve", "--db", store.path, "--port", "0", ...RULES, ...options], {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
  });
  const log = new Response(child.stderr).text();
  const address = await listening(child.stdout);
  const proxy = startSignInProxy(address, { ana: ANA, bob: BOB });
  return {
    address,
    proxy,
    async stop() {
      await proxy.stop();
      child.kill("SIGTERM");
      await child.exited;
      return log;
    },
  };
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream() as never)) {
    text += chunk;
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error(`no address in: ${text}`);
}

test("people sign in at the proxy and see what their groups may see; the log names nobody", async () => {
  const server = await serve(...PROXY, "127.0.0.1", "--allow-feeds");
  const { proxy } = server;
  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(proxy.address + path, { headers, redirect: "manual" });
    return { status: response.status, text: await response.text() };
  };
  const ana = { cookie: await proxy.signIn("ana") };
  const bob = { cookie: await proxy.signIn("bob") };

  expect((await get("/v1/workers", {})).status).toBe(302);
  expect((await get("/v1/workers", { cookie: "_oauth2_proxy=guess" })).status).toBe(302);
  expect(await get("/v1/time_off/requests", ana)).toMatchObject({
    status: 200,
    text: expect.stringContaining("Migraine"),
  });
  expect((await get("/v1/time_off/requests", bob)).status).toBe(403);
  const forged = { ...bob, "x-forwarded-email": ANA.email, "X-Forwarded-Groups": "hr" };
  expect((await get("/v1/time_off/requests", forged)).status).toBe(403);
  const seen = await get("/web/away.json?from=2026-01-01&to=2026-02-01", bob);
  expect(seen.status).toBe(200);
  expect(seen.text).not.toContain("Migraine");
  expect(JSON.parse((await get("/web/config.json", bob)).text)).toMatchObject({
    signIn: "proxy",
    allowsFeeds: true,
  });
  const makeFeed = async (person: Record<string, string>) => {
    const headers = { ...person, "sec-fetch-site": "same-origin" };
    const body = JSON.stringify({ workers: [], policies: [] });
    return fetch(`${proxy.address}/web/feeds`, { method: "POST", headers, body, redirect: "manual" });
  };
  expect([(await makeFeed({})).status, (await makeFeed(bob)).status]).toEqual([302, 201]); // of who is away, which bob sees
  const { path } = (await (await makeFeed(ana)).json()) as { path: string };
  expect(await (await fetch(server.address + path)).text()).toContain("BEGIN:VCALENDAR");

  const log = await server.stop();
  expect(log).toMatch(/user_[0-9a-f]{16}/);
  for (const secret of [ANA.email, BOB.email, "hr=", "Migraine", "_oauth2_proxy", path])
    expect(log).not.toContain(secret);
});

test("a connection from an address that is not trusted needs a key, whatever its headers say", async () => {
  const server = await serve(...PROXY, "127.0.0.2");
  const headers = {
    "x-forwarded-email": ANA.email,
    "x-forwarded-groups": "hr",
    "x-forwarded-for": "127.0.0.2",
  };
  const direct = await fetch(`${server.address}/v1/workers`, { headers });
  expect(direct.status).toBe(401);
  const cookie = await server.proxy.signIn("ana");
  expect((await fetch(`${server.proxy.address}/v1/workers`, { headers: { cookie } })).status).toBe(401);
  await server.stop();
});

test("assistants sign people in with access tokens; the log has neither them nor names", async () => {
  const audience = "https://rollcall.example.com/hr/mcp";
  const provider = await startIdentityProvider(audience, {});
  const server = await serve(
    "--mcp-issuer",
    provider.issuer,
    "--mcp-audience",
    audience,
    "--base-path",
    "/hr",
  );
  const [metadata, challenge] = await Promise.all(
    ["/hr/.well-known/oauth-protected-resource/mcp", "/hr/mcp"].map((path) =>
      fetch(server.address + path, { method: path.endsWith("/hr/mcp") ? "POST" : "GET" }),
    ),
  );
  expect(await metadata!.json()).toMatchObject({
    resource: audience,
    authorization_servers: [provider.issuer],
  });
  expect([challenge!.status, challenge!.headers.get("www-authenticate")]).toEqual([
    401,
    'Bearer scope="openid email groups", resource_metadata="https://rollcall.example.com/hr/.well-known/oauth-protected-resource/mcp"',
  ]);
  const tokens = await Promise.all(
    [ANA, BOB].map(({ email, groups }) => provider.sign({ email, email_verified: true, groups })),
  );
  const asked = tokens.map(async (token) => {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.address}/hr/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    return (await (await connected(transport, "2026-07-28")).call("find_people")).rows;
  });
  const [ana, bob] = await Promise.allSettled(asked);
  expect(ana).toMatchObject({ status: "fulfilled", value: [{ name: "Ana" }] });
  expect(bob!.status).toBe("rejected"); // away alone
  // The page does not know who is signed in: there is no proxy.
  expect((await fetch(`${server.address}/web/session.json`)).status).toBe(404);
  await provider.stop();
  const log = await server.stop();
  expect(log).toMatch(/user_[0-9a-f]{16}/);
  for (const secret of [ANA.email, BOB.email, ...tokens.flatMap((token) => token.split("."))])
    expect(log).not.toContain(secret);
});

test("people sign in at an identity provider, at any of the processes, and stay so when the server is restarted", async () => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const users = { [ANA.email]: { groups: ANA.groups }, [BOB.email]: { groups: BOB.groups } };
  const secret = "the secret of the client";
  const client = { id: "rollcall", secret, address: `${address}/hr` };
  const provider = await startIdentityProvider("unused", users, [client]);
  const folder = temporaryFolder();
  const [keyFile, secretFile] = [join(folder, "key"), join(folder, "secret")];
  await Promise.all([
    writeFile(keyFile, `${"some random bytes ".repeat(3)}\n`),
    writeFile(secretFile, `${secret}\n`),
  ]);
  const options = [
    ...["--sign-in", provider.issuer, "--client-id", "rollcall", "--client-secret-file", secretFile],
    ...["--public-address", address, "--base-path", "/hr", "--port", String(port)],
  ];
  const get = (path: string, cookie: string) =>
    fetch(`${address}/hr${path}`, {
      headers: { cookie, connection: "close" }, // each time perhaps at another process
      redirect: "manual",
    });
  const cookieOf = (response: Response) => response.headers.getSetCookie()[0]!.split(";")[0]!;
  const signIn = async (user: string) => {
    const begun = await get("/sign-in?to=/people", "");
    const back = await provider.signIn(new URL(begun.headers.get("location")!), user);
    const response = await get(back.href.slice(`${address}/hr`.length), cookieOf(begun));
    expect(response.headers.get("location")).toBe(`${address}/hr/people`);
    return cookieOf(response);
  };

  const two = await serve(...options, "--session-key-file", keyFile, "--processes", "2");
  const [ana, bob] = [await signIn(ANA.email), await signIn(BOB.email)];
  for (let tries = 0; tries < 6; tries++) {
    expect(await (await get("/v1/time_off/requests", ana)).text()).toContain("Migraine");
    expect((await get("/v1/time_off/requests", bob)).status).toBe(403);
  }
  expect(await (await get("/web/config.json", "")).json()).toMatchObject({ signIn: "provider" });
  const log = await two.stop();
  expect(log).toMatch(/user_[0-9a-f]{16}/);
  for (const private_ of [ANA.email, BOB.email, secret, "Migraine", ana.split("=")[1]!, "code="])
    expect(log).not.toContain(private_);

  const again = await serve(...options, "--session-key-file", keyFile);
  expect((await get("/v1/workers", ana)).status).toBe(200);
  await again.stop();
  const forgetful = await serve(...options); // with a key of its own
  expect((await get("/v1/workers", ana)).status).toBe(401);
  await forgetful.stop();
  await provider.stop();
}, 60_000);

test("the log says of a provider's wrong address what kind of error came of it, and what is there", async () => {
  const provider = await startIdentityProvider("unused", {});
  const issuer = `${provider.issuer}/realms/acme`;
  const own = ["--client-id", "rollcall", "--public-address", "http://127.0.0.1:4010"];
  const server = await serve("--sign-in", issuer, ...own);
  await fetch(`${server.address}/sign-in`, { redirect: "manual" });
  await provider.stop();
  const lines = (await server.stop()).split("\n").filter((line) => line.startsWith("{"));
  const away = lines.map((line) => JSON.parse(line)).find(({ err }) => err !== undefined);
  expect(away.err).toMatchObject({
    type: "ClientError",
    message: "unexpected HTTP response status code",
    cause: { message: `404 from ${issuer}/.well-known/openid-configuration` },
  });
});
