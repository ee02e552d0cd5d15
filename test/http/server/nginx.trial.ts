// The recipe of docs/security.md, Open locations, in a real nginx: signed-in people see their company, calendars are open, and forged
// headers that name a person open nothing, whatever the target is written as.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newCalendar } from "../../../src/http/new-key.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany } from "../../support/stores.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

const served = await serveStore(
  ...[
    "--trust-proxy",
    "127.0.0.1",
    "--auth-proxy",
    "X-Forwarded-Email",
    "--auth-group",
    "hr=acme:everything",
  ],
);
await addCompany(served.writer, "acme", {
  workers: [workerRow("wrk_ana", { displayName: "Ana Secret" })],
  policies: [policyRow("top_a")],
  requests: [requestRow("tor_a", "wrk_ana", "top_a")],
});
const definition = { workers: [], types: [], policies: [], show: "busy", withPending: false } as const;
const feed = newCalendar({ companyId: "acme", name: "", definition }, Date.now());
await served.writer.createCalendar(feed.stored);

/** What oauth2-proxy says to `auth_request`: who has this cookie. */
const signIn = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ headers }) =>
    headers.get("cookie") === "session=boss"
      ? new Response(null, {
          status: 202,
          headers: { "x-auth-request-email": "boss@acme.example", "x-auth-request-groups": "hr" },
        })
      : new Response(null, { status: 401 }),
});

/** A port that was free a moment ago: nginx takes none by itself. */
const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
const { port } = probe;
probe.stop(true);

const recipe = /```nginx\n(location \/ \{\n {2}auth_request [^`]+)```/.exec(
  readFileSync(join(import.meta.dir, "../../../docs/security.md"), "utf8"),
)![1]!;
const folder = mkdtempSync(join(tmpdir(), "rollcall-nginx-"));
writeFileSync(
  join(folder, "nginx.conf"),
  `daemon off; error_log stderr crit; pid ${folder}/nginx.pid;
  events {}
  http {
    access_log off;
    ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path ${folder}/${one};`).join(" ")}
    server {
      listen 127.0.0.1:${port};
      ${recipe.replaceAll("127.0.0.1:4010", `127.0.0.1:${served.port}`).replaceAll("127.0.0.1:4180", `127.0.0.1:${signIn.port}`)}
    }
  }`,
);
const nginx = Bun.spawn(["nginx", "-p", folder, "-c", join(folder, "nginx.conf")], {
  stdout: "inherit",
  stderr: "inherit",
});
afterAll(async () => {
  nginx.kill();
  await nginx.exited;
  await signIn.stop(true);
  rmSync(folder, { recursive: true });
});
while (!(await fetch(`http://127.0.0.1:${port}/calendar/`).catch(() => null))) await Bun.sleep(20);

const FORGED = "X-Forwarded-Email: boss@acme.example\r\nX-Forwarded-Groups: hr\r\nX-Forwarded-User: boss\r\n";

async function get(target: string, headers = FORGED) {
  const { responses } = await send(port, `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  return { status: responses[0]!.status, text: responses[0]!.body.toString("latin1") };
}

const AWAY = "web/away.json?from=2026-02-20&to=2026-03-20";

test("who is signed in sees who is away; a calendar is open", async () => {
  const signedIn = await get(`/${AWAY}`, "Cookie: session=boss\r\n");
  expect([signedIn.status, signedIn.text.includes("Ana Secret")]).toEqual([200, true]);
  const calendar = await get(`/calendar/${feed.secret}.ics`, "");
  expect([calendar.status, calendar.text.startsWith("BEGIN:VCALENDAR")]).toEqual([200, true]);
});

test.each([
  `/${AWAY}`,
  "/v1/workers",
  "/calendar/\\..\\..\\web\\away.json?from=2026-02-20&to=2026-03-20",
  `/calendar/../${AWAY}`,
  `/calendar/%2e%2e/${AWAY}`,
  `/calendar/..%2f${AWAY}`,
  `/calendar/..%5c${AWAY}`,
  `/calendar/x/../../${AWAY}`,
  `/calendar//../../${AWAY}`,
  `/${AWAY.replace("/", "/./")}`,
  `/docs/../${AWAY}`,
  `http://evil/${AWAY}`,
  `http://evil/calendar/../${AWAY}`,
  "/calendar/\\..\\..\\v1\\workers",
  "/calendar/../v1/workers",
])("without a sign-in, forged headers see nothing at %s", async (target) => {
  const { status, text } = await get(target);
  expect([400, 401, 404]).toContain(status);
  expect(text).not.toContain("Secret");
});
