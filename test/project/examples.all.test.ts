// The examples that send messages run as they are, with Node, against a real server: the digest of the morning is of the company's day.
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, inFolder, rollcall } from "../cli/command.ts";
import { serveStore } from "../http/process.ts";
import { workerRow } from "../support/rows.ts";
import { addCompany, addKey, change, putFacts } from "../support/stores.ts";

setDefaultTimeout(120_000);

const EXAMPLES = join(import.meta.dir, "../../examples");
const served = await serveStore();
const received: { path: string; body: string; authorization: string | null }[] = [];
const hook = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url);
    received.push({ path, body: await request.text(), authorization: request.headers.get("authorization") });
    return new Response(null, { status: path === "/refused" ? 400 : 200 });
  },
});
const at = (path: string) => new URL(path, hook.url).href;
afterAll(() => hook.stop(true));
beforeEach(() => void received.splice(0));

async function node(file: string, args: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn(["node", join(EXAMPLES, file), ...args], {
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH!, ROLLCALL_URL: served.address, ...env },
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

/** At 08:00 on 27 November there. */
const MORNINGS = {
  "Asia/Tokyo": "2026-11-26T23:00:00Z",
  "Australia/Sydney": "2026-11-26T21:00:00Z",
  "America/Los_Angeles": "2026-11-27T16:00:00Z",
  "Europe/Berlin": "2026-11-27T07:00:00Z",
} as const;
/** Midnight of 27 November there, in UTC. */
const MIDNIGHTS = {
  "Asia/Tokyo": "2026-11-26T15:00:00.000Z",
  "Australia/Sydney": "2026-11-26T13:00:00.000Z",
  "America/Los_Angeles": "2026-11-27T08:00:00.000Z",
  "Europe/Berlin": "2026-11-26T23:00:00.000Z",
} as const;

test.each(Object.keys(MORNINGS) as (keyof typeof MORNINGS)[])(
  "%s: at 08:00 the digest names who is away on that day there, with the times of parts of days",
  async (timeZone) => {
    const company = timeZone.toLowerCase().replaceAll(/[^a-z]/g, "-");
    const midnight = Date.parse(MIDNIGHTS[timeZone]);
    const hour = (hours: number) => new Date(midnight + hours * 3_600_000).toISOString();
    const leaves = [
      ["today", 0, 24, "date"],
      ["yesterday", -24, 0, "date"],
      ["part", 9, 12.5, "datetime"],
      ["late", 13, 48, "datetime"],
      ["early", -24, 12, "datetime"],
      ["home", 0, 24, "date"],
      ["left", 0, 24, "date"],
    ] as const;
    const away = { today: "Ana <Sol>", yesterday: "Bo", part: "Cy", late: "Di", early: "Eve" };
    const names = { ...away, home: "Fay", left: "Gil" }; // who left the day before
    const csv = (header: string, rows: readonly (readonly unknown[])[]) =>
      [header, ...rows.map((row) => row.join(","))].join("\n");
    await inFolder(async (folder) => {
      const files = {
        "workers.csv": csv(
          "legacyId,firstName,lastName,displayName,email,startDate,endDate,status,type,isBusiness,timeZone",
          Object.entries(names).map(([id, name]) => [
            id,
            "A",
            "B",
            name,
            "a@b.example",
            "2020-01-01",
            ...(id === "left" ? ["2026-11-26", "inactive"] : ["", "active"]),
            "employee",
            "no",
            timeZone,
          ]),
        ),
        "policies.csv": csv("legacyId,name,schedule,timeOffTypeName,paid,unit,isUnlimited,isAbsence", [
          ["away", "Leave", "unlimited", "Leave", "yes", "day", "yes", "yes"],
          ["home", "Home", "unlimited", "Home", "yes", "day", "yes", "no"],
        ]),
        "requests.csv": csv(
          "legacyId,workerId,timeOffPolicyId,startAt,endAt,startRangeType,endRangeType,status,requestedMinutes,createdAt",
          leaves.map(([id, from, to, type]) => [
            ...[id, id, id === "home" ? "home" : "away", hour(from), hour(to), type, type],
            ...["approved", 480, "2026-01-01T00:00:00Z"],
          ]),
        ),
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const store = ["--company", company, "--db", served.path];
      await done(folder, "companies", "create", company, "--time-zone", timeZone, "--db", served.path);
      await done(folder, "import", ".", ...store);
    });
    const key = await addKey(served.writer, company);
    const env = { ROLLCALL_KEY: key };
    const text =
      "Away today (2026-11-27):\n• Ana <Sol>\n• Cy, 09:00–12:30\n• Di, from 13:00\n• Eve, until 12:00";
    expect(await node("messages/morning.mjs", [MORNINGS[timeZone]], env)).toEqual({
      exitCode: 0,
      stdout: `${text}\n`,
      stderr: "",
    });
    const hooks = { SLACK_HOOK: at("/slack"), TEAMS_HOOK: at("/teams") };
    expect((await node("messages/morning.mjs", [MORNINGS[timeZone]], { ...env, ...hooks })).exitCode).toBe(0);
    const [slack, teams] = received.map(({ body }) => JSON.parse(body));
    expect(slack).toEqual({ text: text.replace("<", "&lt;").replace(">", "&gt;") });
    expect(teams.attachments[0].content.body[0].text).toContain("\n\n• Cy, 09:00–12:30");
  },
);

test("nobody is away; a hook that refuses is an error, and so is a wrong key", async () => {
  await addCompany(served.writer, "alone");
  const env = { ROLLCALL_KEY: await addKey(served.writer, "alone") };
  const morning = ["2026-11-27T08:00:00Z"];
  expect((await node("messages/morning.mjs", morning, env)).stdout).toBe(
    "Nobody is away today (2026-11-27).\n",
  );
  const refused = await node("messages/morning.mjs", morning, { ...env, SLACK_HOOK: at("/refused") });
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("responded with 400")]);
  const wrong = await node("messages/morning.mjs", morning, { ROLLCALL_KEY: "rk_wrong" });
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("This is not an API key")]);
});

test("workers become users of SCIM, 50 in a document; one that is refused comes again", () =>
  inFolder(async (folder) => {
    await addCompany(served.writer, "scim", { workers: [workerRow("wrk_old")] });
    const env = {
      ...{ ROLLCALL_URL: served.address, ROLLCALL_KEY: await addKey(served.writer, "scim") },
      ...{ SCIM_BULK: at("/bulk"), SCIM_TOKEN: "token" },
    };
    const bulk = `node "${join(EXAMPLES, "scim/bulk.mjs")}"`;
    const follow = [
      "follow",
      "--once",
      "--resources",
      "workers",
      "--position-file",
      "position",
      "--exec",
      bulk,
    ];
    const refused = await rollcall(folder, follow, { ...env, SCIM_BULK: at("/refused") });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("responded with 400")]);
    expect((await rollcall(folder, follow, env)).exitCode).toBe(0);
    expect(JSON.parse(received.at(-1)!.body).Operations).toHaveLength(1);
    received.splice(0);
    const fields = {
      displayName: "Ana",
      workEmail: "ana@acme.example",
      legacyId: "SC-77",
      managerId: "wrk_old",
    };
    await putFacts(served.writer, "scim", {
      workers: [
        ...Array.from({ length: 60 }, (_, number) => workerRow(`wrk_many${number}`)),
        workerRow("wrk_ana", fields),
      ],
    });
    await change(served.writer, "scim", (transaction) => transaction.remove("workers", [["wrk_many7"]]));
    expect((await rollcall(folder, follow, env)).exitCode).toBe(0);
    expect(received.every(({ authorization }) => authorization === "Bearer token")).toBe(true);
    const documents = received.map(({ body }) => JSON.parse(body));
    expect(documents.map(({ Operations }) => Operations.length)).toEqual([50, 11]);
    expect(documents[0].schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:BulkRequest"]);
    const operations = documents.flatMap(({ Operations }) => Operations);
    const user = "urn:ietf:params:scim:schemas:core:2.0:User";
    const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
    expect(operations.find(({ bulkId }) => bulkId === "wrk_ana")).toEqual({
      ...{ method: "POST", bulkId: "wrk_ana", path: "/Users" },
      data: {
        schemas: [user, enterprise],
        externalId: "wrk_ana",
        userName: "ana@acme.example",
        name: { givenName: "Ana", familyName: "Sol" },
        displayName: "Ana",
        title: "",
        active: true,
        emails: [{ value: "ana@acme.example", type: "work", primary: true }],
        [enterprise]: { employeeNumber: "SC-77", manager: { value: "wrk_old" } },
      },
    });
    const gone = { schemas: [user], externalId: "wrk_many7", active: false };
    expect(operations.find(({ bulkId }) => bulkId === "wrk_many7").data).toEqual(gone);
  }));
