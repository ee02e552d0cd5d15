// Property: what an assistant tells somebody with limited access names nobody whom they may not see, whoever has asked before.
import { beforeAll, expect, test } from "bun:test";
import { messageResponse } from "../../../src/http/mcp.ts";
import { beginRequest } from "../../../src/http/request-context.ts";
import { type Access, keyOf, personOf } from "../../../src/http/sign-in.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany } from "../../support/stores.ts";
import { CONNECTION } from "../bare-parts.ts";
import { startService, TODAY } from "../service.ts";

const NAMES = ["zoe", "mia", "ana", "bob"];
/** Whom each person sees, in an order in which every view is read after a wider one and before a narrower one. */
const SEEN: readonly (readonly [name: string, access: Access, seen: readonly string[]])[] = [
  ["zoe", "everything", NAMES],
  ["mia", "reports", ["mia", "ana"]],
  ["ana", "self", ["ana"]],
  ["bob", "self", ["bob"]],
  ["mia", "self", ["mia"]],
  ["zoe", "no-reasons", NAMES],
  ["zoe", "reports", ["zoe", "mia", "ana", "bob"]],
  ["mia", "reports+away", NAMES],
  ["ana", "self+away", NAMES],
  ["ana", "away", NAMES],
];

const rules = SEEN.map(([, access]) => ({ group: access, companyId: "acme", access }));
const service = await startService({
  proxyAuth: { userHeader: "x-forwarded-email", groupsHeader: "x-forwarded-groups", rules },
});

beforeAll(async () => {
  const managers: Readonly<Record<string, string>> = { mia: "wrk_zoe", bob: "wrk_zoe", ana: "wrk_mia" };
  await addCompany(service.writer, "acme", {
    workers: NAMES.map((name) =>
      workerRow(`wrk_${name}`, {
        displayName: `Sam ${name}`,
        firstName: "Sam",
        lastName: name,
        workEmail: `${name}@acme.example`,
        managerId: managers[name] ?? null,
        department: name === "zoe" ? "Façades" : null,
      }),
    ),
    policies: [policyRow("top_pto")],
    assignments: NAMES.map((name) => assignmentRow(`asg_${name}`, `wrk_${name}`, "top_pto")),
    requests: NAMES.map((name) =>
      requestRow(`tor_${name}`, `wrk_${name}`, "top_pto", { reason: `SECRET of ${name}` }),
    ),
  });
});

const CALLS: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ["find_people", {}],
  ["find_people", { name: "Sam" }],
  ...NAMES.flatMap((name): [string, Record<string, unknown>][] => [
    ["find_people", { email: `${name}@acme.example` }],
    ["time_off_balance", { people: [`wrk_${name}`] }],
    ["list_time_off", { person: "Sam" }],
    ["list_time_off", { person: `Sam ${name.slice(0, 2)}` }],
    ["who_is_away", { from: "2026-01-01", to: "2026-12-31", people: [`wrk_${name}`] }],
  ]),
  ["who_is_away", { from: "2026-01-01", to: "2026-12-31", statuses: ["approved", "pending"] }],
  ["who_is_away", { from: "2026-03-01", to: "2026-03-31" }],
  ["time_off_movements", { from: "2026-01-01", to: "2026-12-31" }],
  ["team_capacity", { from: "2026-01-01", to: "2026-12-31", group_by: "worker", by: "month" }],
  ["time_off_expirations", { from: "2026-01-01", to: "2026-12-31" }],
];

/** What a tool says to the person, who reads with the rights that the API gives them. */
function told(name: string, access: Access, tool: string, given: Record<string, unknown>) {
  return responseTo(name, access, "tools/call", { name: tool, arguments: given });
}

async function responseTo(name: string, access: Access, method: string, params: object) {
  const person = personOf(`${name}@acme.example`, [access], rules, null);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const request = new Request("http://rollcall.test/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body,
  });
  const context = beginRequest(request, CONNECTION, { isTimed: false, isTls: false, basePath: "" });
  const headers = { "x-forwarded-email": person.user, "x-forwarded-groups": access };
  const response = await messageResponse(context, body, {
    key: keyOf(person),
    person,
    version: (await service.reader.version("acme"))!,
    today: TODAY,
    failed: String,
    read: async (path) => {
      const { status, body: sent } = await service.raw(path, { isFromProxy: true, headers });
      return new Response(sent as Uint8Array<ArrayBuffer>, { status });
    },
  });
  expect(response.status).toBe(200);
  return await response.text();
}

test("no result contains names that the caller may not see, not even an error that lists matches", async () => {
  for (const [name, access, seen] of [...SEEN, ...SEEN.toReversed()]) {
    const found = new Set<string>();
    for (const [tool, given] of CALLS) {
      const text = await told(name, access, tool, given);
      expect(text).not.toContain("SECRET");
      const isLimited = access !== "everything" && access !== "no-reasons";
      // "Nobody is away" would be wrong of the company.
      expect(text.includes("The user may see only")).toBe(isLimited);
      for (const other of NAMES)
        if (text.includes(`Sam ${other}`) || text.includes(`tor_${other}`)) found.add(other);
    }
    expect([name, access, [...found].toSorted()]).toEqual([name, access, [...seen].toSorted()]);
  }
});

test("who sees only some people is told that, and that more rows follow", async () => {
  const { result } = JSON.parse(await told("mia", "reports", "find_people", { limit: 1 }));
  expect(result.structuredContent).toMatchObject({ isComplete: false, nextCursor: "wrk_ana" });
  expect(result.structuredContent.note).toMatch(
    /^The user may see only .*\. These are 1, and there are more\. For the next, call again with cursor "wrk_ana"\./,
  );
});

test("what is wrong with an argument, and what may be seen, are a line each", async () => {
  const { result } = JSON.parse(await told("mia", "reports", "list_time_off", {}));
  expect(result.content[0].text).toMatch(/^`person` is missing\nThe user may see only /);
});

test("people who see only who is away on the page get the same from an assistant, and no more", async () => {
  const days = { from: "2026-03-01", to: "2026-03-31" };
  for (const access of ["away", "self+away", "reports+away"] as const) {
    const response = await told("ana", access, "who_is_away", days);
    const { rows } = JSON.parse(response).result.structuredContent;
    expect(rows).toHaveLength(NAMES.length);
    expect(rows[0]).toEqual({
      person: { id: "wrk_ana", name: "Sam ana" },
      department: null,
      ...{ from: "2026-03-02", to: "2026-03-02", startsAt: null, endsAt: null },
    });
    for (const hidden of ["PTO", "top_pto", "tor_", "hours", "approved"])
      expect(response).not.toContain(hidden);
    for (const [from, to, count] of [
      ["2026-03-01", "2026-03-01", 0],
      ["2026-03-01", "2026-03-02", NAMES.length],
      ["2026-03-02", "2026-03-02", NAMES.length],
      ["2026-03-03", "2026-03-03", 0],
    ] as const) {
      const near = JSON.parse(await told("ana", access, "who_is_away", { from, to }));
      expect([from, to, near.result.structuredContent.rows.length]).toEqual([from, to, count]);
    }
    const ofDepartment = await told("ana", access, "who_is_away", { ...days, department: "facades" });
    expect(JSON.parse(ofDepartment).result.structuredContent.rows).toEqual([
      { ...rows[0], person: { id: "wrk_zoe", name: "Sam zoe" }, department: "Façades" },
    ]);
    const ofNone = await told("ana", access, "who_is_away", { ...days, department: "Facade" });
    expect(JSON.parse(ofNone).result.content[0].text).toStartWith(
      'No department with people is called "Facade": there are "Façades".',
    );
    expect(await told("ana", access, "who_is_away", { ...days, to: "2026-12-31" })).toContain(
      "more than 60 days after",
    );
  }
  const listed = await responseTo("ana", "away", "tools/list", {});
  expect(JSON.parse(listed).result.tools.map((tool: { name: string }) => tool.name)).toEqual(["who_is_away"]);
  for (const [tool, given] of CALLS.filter(([tool]) => tool !== "who_is_away"))
    expect(await told("ana", "away", tool, given)).toContain("may see only who is away");
});

test("a proxy that names somebody opens /mcp to nobody: an open location might pass on what callers send", async () => {
  const headers = { "x-forwarded-email": "zoe@acme.example", "x-forwarded-groups": "everything" };
  const { status } = await service.raw("/mcp", { method: "POST", isFromProxy: true, headers });
  expect(status).toBe(401);
});
