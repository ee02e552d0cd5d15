// The recipes of docs/security.md, Open locations, letter by letter but for ports, addresses and secrets: people are led to the
// provider and back, see their company, calendars are open, and forged headers that name a person open nothing, whatever the target is
// written as. Needs nginx, caddy, apache2 and libapache2-mod-auth-openidc of Debian; oauth2-proxy has a stand-in.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newCalendar } from "../../../src/http/new-key.ts";
import { startIdentityProvider } from "../../support/identity-provider.ts";
import { freePort } from "../../support/postgres.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany } from "../../support/stores.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

const BOSS = "boss@acme.example";
const AWAY = "/web/away.json?from=2026-02-20&to=2026-03-20";
const DOCS = readFileSync(join(import.meta.dir, "../../../docs/security.md"), "utf8");
const recipe = (language: string) => new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``).exec(DOCS)![1]!;
const folder = mkdtempSync(join(tmpdir(), "rollcall-recipes-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Rollcall behind a proxy that names people in these headers, and the address of a calendar there. */
async function serve(userHeader: string, groupsHeader: string) {
  const served = await serveStore(
    ...["--trust-proxy", "127.0.0.1", "--auth-proxy", userHeader, "--auth-groups-header", groupsHeader],
    ...["--auth-group", "hr=acme:everything"],
  );
  await addCompany(served.writer, "acme", {
    workers: [workerRow("wrk_ana", { displayName: "Ana Secret" })],
    policies: [policyRow("top_a")],
    requests: [requestRow("tor_a", "wrk_ana", "top_a")],
  });
  const definition = { workers: [], types: [], policies: [], show: "busy", withPending: false } as const;
  const feed = newCalendar({ companyId: "acme", name: "", definition }, Date.now());
  await served.writer.createSecret(feed.stored);
  return { port: served.port, calendar: `/calendar/${feed.secret}.ics` };
}

/** oauth2-proxy 7 with `--reverse-proxy --set-xauthrequest`: it begins a sign-in, ends it, and says who has the cookie. */
const oauth2Proxy = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url, headers }) {
    const { pathname, searchParams } = new URL(url);
    const isIn = headers.get("cookie")?.includes("_oauth2_proxy=boss") ?? false;
    if (pathname === "/oauth2/auth")
      return isIn
        ? new Response(null, {
            status: 202,
            headers: { "x-auth-request-email": BOSS, "x-auth-request-groups": "staff,hr" },
          })
        : new Response(null, { status: 401 });
    if (pathname === "/oauth2/start") {
      const state = encodeURIComponent(`nonce:${headers.get("x-auth-request-redirect") ?? "/"}`);
      return Response.redirect(`https://id.example.com/authorize?state=${state}`, 302);
    }
    if (pathname !== "/oauth2/callback") return new Response(null, { status: 404 });
    const location = searchParams.get("state")!.replace(/^nonce:/, "");
    return new Response(null, {
      status: 302,
      headers: { location, "set-cookie": "_oauth2_proxy=boss; Path=/" },
    });
  },
});
afterAll(() => oauth2Proxy.stop(true));

/** Starts a proxy, and waits until it listens. */
async function start(port: number, ...command: string[]): Promise<void> {
  const proxy = Bun.spawn(command, {
    stdout: "ignore",
    stderr: "inherit",
    env: { ...process.env, HOME: folder },
  });
  afterAll(async () => {
    proxy.kill();
    await proxy.exited;
  });
  while (!(await fetch(`http://127.0.0.1:${port}/calendar/`).catch(() => null))) await Bun.sleep(50);
}

const at = (text: string, rollcall: number) =>
  text
    .replaceAll("127.0.0.1:4010", `127.0.0.1:${rollcall}`)
    .replaceAll("127.0.0.1:4180", `127.0.0.1:${oauth2Proxy.port}`);

const byHeaders = await serve("X-Forwarded-Email", "X-Forwarded-Groups");

async function startNginx(): Promise<number> {
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; error_log stderr crit; pid ${folder}/nginx.pid;
    events {}
    http {
      access_log off;
      ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path ${folder}/${one};`).join(" ")}
      server { listen 127.0.0.1:${port}; ${at(recipe("nginx"), byHeaders.port)} }
    }`,
  );
  await start(port, "nginx", "-p", folder, "-c", file);
  return port;
}

async function startCaddy(): Promise<number> {
  const port = await freePort();
  const file = join(folder, "Caddyfile");
  writeFileSync(
    file,
    `{\n admin off\n auto_https off\n}\nhttp://:${port} {\n bind 127.0.0.1\n${at(recipe("caddy"), byHeaders.port)}}\n`,
  );
  await start(port, "caddy", "run", "--config", file, "--adapter", "caddyfile");
  return port;
}

const provider = await startIdentityProvider("http://unused.example", {
  [BOSS]: { groups: ["staff", "hr"] },
  "guest@acme.example": {},
});
afterAll(() => provider.stop());
const byClaims = await serve("OIDC_CLAIM_email", "OIDC_CLAIM_groups");

async function startApache(): Promise<number> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const registered = await fetch(`${provider.issuer}/reg`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      redirect_uris: [`${address}/oidc`],
      application_type: "native",
      scope: "openid email groups",
    }),
  });
  const client = (await registered.json()) as { client_id: string; client_secret: string };
  const modules = "mpm_event authz_core authn_core authz_user headers proxy proxy_http auth_openidc".split(
    " ",
  );
  const load = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
  const text = at(recipe("apache"), byClaims.port)
    .replace("https://id.example.com", provider.issuer)
    .replace("OIDCClientID rollcall", `OIDCClientID ${client.client_id}`)
    .replace("the-secret-of-the-client", client.client_secret)
    .replace("https://rollcall.example.com", address);
  const file = join(folder, "apache.conf");
  writeFileSync(
    file,
    `${load.join("\n")}
ServerRoot ${folder}
ServerName 127.0.0.1
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
Mutex file:${folder}
ErrorLog ${folder}/apache.log
Listen 127.0.0.1:${port}
${text}`,
  );
  await start(port, "/usr/sbin/apache2", "-f", file, "-DFOREGROUND");
  return port;
}

/** Asks exactly for this target. */
async function get(port: number, target: string, headers: string) {
  const sent = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${headers}\r\n`;
  const { responses } = await send(port, sent);
  return { status: responses[0]!.status, text: responses[0]!.body.toString("latin1") };
}

/** Follows redirects as a browser does, and signs in at the provider; returns the last response and the cookies of the proxy. */
async function browse(port: number, path: string, user: string) {
  const own = `http://127.0.0.1:${port}`;
  const cookies = new Map<string, string>();
  let url = new URL(path, own);
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { headers: { cookie }, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get("location");
    if (location === null) {
      const path = url.pathname + url.search;
      return { path, status: response.status, text: await response.text(), cookies };
    }
    const next = new URL(location, url);
    if (next.origin === "https://id.example.com")
      url = new URL(`/oauth2/callback?state=${encodeURIComponent(next.searchParams.get("state")!)}`, own);
    else url = next.origin === provider.issuer ? await provider.signIn(next, user) : next;
  }
  throw new Error(`${path} leads round in circles`);
}

const FORGED = ["X-Forwarded-Email", "OIDC_CLAIM_email", "OIDC-CLAIM-email"]
  .map((name) => `${name}: ${BOSS}\r\n`)
  .concat(["X-Forwarded-Groups", "OIDC_CLAIM_groups"].map((name) => `${name}: hr\r\n`))
  .join("");

describe.each([
  ["nginx", await startNginx(), byHeaders.calendar],
  ["Caddy", await startCaddy(), byHeaders.calendar],
  ["Apache", await startApache(), byClaims.calendar],
])("%s", (name, port, calendar) => {
  test("whoever is not signed in is led to the provider, and back to where they wanted to go", async () => {
    const { path, status, text } = await browse(port, AWAY, BOSS);
    expect([path, status, text.includes("Ana Secret")]).toEqual([AWAY, 200, true]);
  });

  test("nobody can make the proxy drop what names them or their groups", async () => {
    const { cookies } = await browse(port, AWAY, BOSS);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const dropped of [
      "X-Forwarded-Email",
      "X-Forwarded-Groups",
      "OIDC_CLAIM_email",
      "OIDC_CLAIM_groups",
    ])
      for (const header of ["Connection", "Proxy-Connection", "Keep-Alive", "TE", "Trailer"]) {
        const { status } = await get(port, AWAY, `Cookie: ${cookie}\r\n${header}: ${dropped}\r\n`);
        expect([header, dropped, status]).toEqual([header, dropped, 200]);
      }
  });

  test("a calendar is open, also with headers that name somebody", async () => {
    for (const headers of ["", FORGED]) {
      const { status, text } = await get(port, calendar, headers);
      expect([status, text.includes("BEGIN:VCALENDAR")]).toEqual([200, true]);
    }
  });

  test.each([
    AWAY,
    "/v1/workers",
    "/calendar/\\..\\..\\web\\away.json?from=2026-02-20&to=2026-03-20",
    `/calendar/..${AWAY}`,
    `/calendar/%2e%2e${AWAY}`,
    `/calendar/..%2f${AWAY}`,
    `/calendar/..%5c${AWAY}`,
    `/calendar/x/../..${AWAY}`,
    `/calendar//../..${AWAY}`,
    `/${AWAY.replace("/", "/./")}`,
    `/docs/..${AWAY}`,
    `/oauth2/..${AWAY}`,
    `/oidc/..${AWAY}`,
    `http://evil${AWAY}`,
    `http://evil/calendar/..${AWAY}`,
    "/calendar/\\..\\..\\v1\\workers",
    "/calendar/../v1/workers",
  ])("without a sign-in, forged headers see nothing at %s", async (target) => {
    const { status, text } = await get(port, target, FORGED);
    expect([302, 400, 401, 403, 404, ...(name === "Caddy" ? [308] : [])]).toContain(status);
    expect(text).not.toContain("Secret");
  });
});

test("Apache: who is in no group that sees anything is told so by Rollcall", async () => {
  const apache = Number(
    /^Listen 127.0.0.1:(\d+)/m.exec(readFileSync(join(folder, "apache.conf"), "utf8"))![1],
  );
  const { status, text } = await browse(apache, AWAY, "guest@acme.example");
  expect([status, text]).toEqual([403, expect.stringContaining("none of your groups (none came)")]);
});
