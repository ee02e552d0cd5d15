// Calendar feeds that the page asks for: of people whom their maker sees, from this server's own page, and for nobody else.
import { expect, setSystemTime, test } from "bun:test";
import type { Look } from "../../../src/http/looks.ts";
import { ACCESSES } from "../../../src/http/sign-in.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { type Call, problemOf, startService } from "../service.ts";
import { eventsOf } from "./parsers.ts";

const proxyAuth = {
  userHeader: "x-forwarded-email",
  groupsHeader: "x-forwarded-groups",
  rules: [
    ...ACCESSES.map((access) => ({ group: access, companyId: "acme", access })),
    { group: "lost", companyId: "nowhere", access: "everything" as const },
  ],
};

const looks: Look[] = [];
const service = await startService({ proxyAuth, allowsFeeds: true, looked: (look) => looks.push(look) });
await addCompany(service.writer, "acme", {
  workers: ["ana", "bo"].map((name) =>
    workerRow(`wrk_${name}`, { displayName: name, workEmail: `${name}@acme.example` }),
  ),
  policies: [policyRow("top_sick", { name: "Sick leave" })],
  requests: ["wrk_ana", "wrk_bo"].map((id) =>
    requestRow(`tor_${id}`, id, "top_sick", { reason: "Migraine" }),
  ),
});
const key = await addKey(service.writer, "acme");

const EVERYBODY: Record<"workers" | "policies", string[]> = { workers: [], policies: [] };

/** A request as the page makes it, of somebody with an access. */
function ask(body: unknown, group = "everything", more: Partial<Call> & { site?: string | null } = {}) {
  const { site = "same-origin", headers, ...call } = more;
  return {
    method: "POST",
    body: JSON.stringify(body),
    isFromProxy: true,
    ...call,
    headers: {
      ...(site !== null && { "sec-fetch-site": site }),
      "x-forwarded-email": "ana@acme.example",
      "x-forwarded-groups": group,
      ...headers,
    },
  };
}

async function expectRefused(call: Call, status: number, code: string): Promise<void> {
  const before = await service.writer.feeds();
  const response = await service.call("/web/feeds", call);
  expect([response.status, problemOf(response).code as string]).toEqual([status, code]);
  expect(await service.writer.feeds()).toEqual(before);
}

test("the feed shows names and days of those who were named, and works at once", async () => {
  const response = await service.call("/web/feeds", ask({ ...EVERYBODY, workers: ["wrk_ana"] }));
  expect(response.status).toBe(201);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const { path } = JSON.parse(response.text);
  const feed = await service.call(path, {});
  expect(eventsOf(feed.text).map(({ summary }) => summary)).toEqual(["ana: away"]);
  expect(feed.text).not.toMatch(/Sick|Migraine|wrk_/);
  expect((await service.writer.feeds("acme"))[0]).toMatchObject({
    definition: { workers: ["wrk_ana"], types: [], policies: [], show: "busy", withPending: false },
    revokedAtMs: null,
  });
});

test("who is no worker of the company, or has left, makes no feed by an access to their own team", async () => {
  for (const group of ["self+away", "reports+away"]) {
    const call = ask(EVERYBODY, group, { headers: { "x-forwarded-email": "gone@acme.example" } });
    await expectRefused(call, 403, "missing_scope");
  }
});

test("somebody makes 50 feeds a day, and then waits for its end; others still make theirs", async () => {
  const byBo = ask(EVERYBODY, "everything", { headers: { "x-forwarded-email": "bo@acme.example" } });
  for (let feed = 0; feed < 50; feed++) expect((await service.call("/web/feeds", byBo)).status).toBe(201);
  await expectRefused(byBo, 429, "rate_limited");
  expect((await service.call("/web/feeds", ask(EVERYBODY))).status).toBe(201);
  setSystemTime(Date.now() + 23 * 3_600_000);
  const refused = await service.call("/web/feeds", byBo);
  setSystemTime();
  expect(Math.ceil(Number(refused.headers.get("retry-after")) / 3600)).toBe(1); // RFC 9110, 10.2.3
});

test("the access log says who made which feed: it stays open when its maker has left", async () => {
  looks.length = 0;
  await service.call("/web/feeds", ask({ ...EVERYBODY, workers: ["wrk_bo"] }));
  await service.call("/web/feeds", ask({ ...EVERYBODY, workers: ["wrk_bo"] }, "self")); // refused
  const made = (await service.writer.feeds("acme")).map(({ id }) => id);
  expect(looks).toEqual([
    expect.objectContaining({
      by: "ana@acme.example",
      endpoint: "/web/feeds",
      id: expect.any(String),
      count: 1,
    }),
  ]);
  expect(made).toContain(looks[0]!.id!);
});

test.each(ACCESSES)(
  "with the access %s, of nobody whom the person does not see, nor by a kind of leave",
  async (access) => {
    const made = async (feed: typeof EVERYBODY) => {
      const { status } = await service.call("/web/feeds", ask(feed, access));
      return status === 201;
    };
    const isWhole = access === "everything" || access === "no-reasons";
    const seesAll = isWhole || access.endsWith("away");
    const sick = ["top_sick"];
    expect([
      await made(EVERYBODY),
      await made({ workers: ["wrk_bo"], policies: [] }),
      await made({ workers: ["wrk_ana"], policies: [] }),
      await made({ workers: ["wrk_ana"], policies: sick }), // their own
      await made({ workers: ["wrk_ana", "wrk_bo"], policies: sick }),
      await made({ workers: [], policies: sick }),
    ]).toEqual([seesAll, seesAll, true, access !== "away", isWhole, isWhole]);
  },
);

test.each(["cross-site", "same-site", "none", "", null])("not for a page that is %p", (site) =>
  expectRefused(ask(EVERYBODY, "everything", { site }), 403, "origin_not_allowed"),
);

test("refused without a group, with a key, without a session, and for one's own id", async () => {
  await expectRefused(ask(EVERYBODY, "guests"), 403, "missing_scope");
  await expectRefused(ask(EVERYBODY, "lost"), 403, "missing_scope");
  await expectRefused(ask(EVERYBODY, "everything", { key }), 403, "missing_scope");
  const nobody = { "x-forwarded-email": "" };
  await expectRefused(ask(EVERYBODY, "everything", { headers: nobody }), 401, "missing_api_key");
  await expectRefused(ask(EVERYBODY, "everything", { isFromProxy: false }), 401, "missing_api_key");
});

test("refused with a query: what the feed shows is in the body alone", async () => {
  const before = await service.writer.feeds();
  const response = await service.call("/web/feeds?workers=wrk_ana", ask(EVERYBODY));
  expect([response.status, problemOf(response).detail]).toEqual([400, expect.stringContaining("workers")]);
  expect(await service.writer.feeds()).toEqual(before);
});

test("refused for anything but a list of ids, and for other methods", async () => {
  const tooMany = Array.from({ length: 201 }, (_, at) => `wrk_${at}`);
  for (const body of [null, {}, [], { workers: [] }, { ...EVERYBODY, show: "policy" }])
    await expectRefused(ask(body), 400, "invalid_parameter");
  for (const workers of ["wrk_ana", ["top_sick"], [7], tooMany])
    await expectRefused(ask({ ...EVERYBODY, workers }), 400, "invalid_parameter");
  await expectRefused({ ...ask(EVERYBODY), body: "{" }, 400, "invalid_parameter");
  for (const method of ["PUT", "DELETE", "OPTIONS"])
    await expectRefused(ask(EVERYBODY, "everything", { method }), 405, "method_not_allowed");
});

test("the path does not exist unless the operator allows it", async () => {
  const closed = await startService({ proxyAuth });
  const response = await closed.call("/web/feeds", ask(EVERYBODY));
  expect([response.status, problemOf(response).code]).toEqual([404, "unknown_path"]);
});
