// Sign-in through a proxy is never weaker than a key: only a trusted proxy is believed, a key that is sent decides alone,
// and what a person may not see is in no response.
import { beforeAll, describe, expect, test } from "bun:test";
import { rateLimit } from "../../../src/http/middleware/rate-limit.ts";
import { isUserHeader, type ProxyAuth, parseGroupRule } from "../../../src/http/sign-in.ts";
import type { Observation } from "../../../src/observe.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService, TODAY } from "../service.ts";

const proxyAuth: ProxyAuth = {
  userHeader: "x-forwarded-email",
  groupsHeader: "x-forwarded-groups",
  rules: [
    { group: "hr", companyId: "acme", access: "everything" },
    { group: "other", companyId: "globex", access: "everything" },
    { group: "managers", companyId: "acme", access: "no-reasons" },
    { group: "boss@globex.example", companyId: "globex", access: "everything" },
    { group: "Führungskräfte", companyId: "acme", access: "no-reasons" },
    { group: "zoë.müller@globex.example", companyId: "globex", access: "everything" },
    { group: "K", companyId: "acme", access: "everything" },
    { group: "lost", companyId: "nowhere", access: "everything" },
    { group: "@acme.example", companyId: "acme", access: "away" },
  ],
};

const seen: Observation[] = [];
const service = await startService({ proxyAuth, observe: (observation) => seen.push(observation) });
let key = "";

const SECRETS = [
  "Migraine",
  "Sick leave",
  "tor_at_work",
  "top_sick",
  "ana@home.example",
  "ana@acme.example",
  "Chief Secret",
];

beforeAll(async () => {
  const { writer } = service;
  await addCompany(writer, "acme", {
    workers: [
      workerRow("wrk_ana", {
        displayName: "Ana",
        email: "ana@home.example",
        workEmail: "ana@acme.example",
        position: "Chief Secret",
      }),
      workerRow("wrk_left", { displayName: "Gone", status: "inactive" }),
    ],
    policies: [
      policyRow("top_sick", { timeOffTypeName: "Sick leave" }),
      policyRow("top_home", { isAbsence: false }),
    ],
    requests: [
      requestRow("tor_approved", "wrk_ana", "top_sick", { reason: "Migraine" }),
      requestRow("tor_at_work", "wrk_ana", "top_home"),
      requestRow("tor_pending", "wrk_ana", "top_sick", { status: "pending", reason: "Migraine" }),
      requestRow("tor_left", "wrk_left", "top_sick"),
      requestRow("tor_denied", "wrk_ana", "top_sick", { status: "denied", reason: "Migraine" }),
    ],
  });
  await addCompany(writer, "globex", { workers: [workerRow("wrk_bob")] });
  key = await addKey(writer, "globex");
});

const person = (email: string, ...groups: readonly string[]) => ({
  isFromProxy: true,
  headers: { "x-forwarded-email": email, "x-forwarded-groups": groups.join(",") },
});

const statusOf = async (path: string, call: Parameters<typeof service.call>[1]) =>
  (await service.call(path, call)).status;
const away = `/web/away.json?from=${TODAY}&to=2026-03-14`;

describe("who is believed", () => {
  test("a trusted proxy that names a person of a group", async () => {
    const { status, text } = await service.call("/v1/workers", person("ana@acme.example", "staff", "hr"));
    expect(status).toBe(200);
    expect(JSON.parse(text).data.map(({ id }: { id: string }) => id)).toEqual(["wrk_ana", "wrk_left"]);
  });

  test("nobody else: the same headers from other peers are ignored", async () => {
    const { status, text } = await service.call("/v1/workers", {
      ...person("ana@acme.example", "hr"),
      isFromProxy: false,
    });
    expect(status).toBe(401);
    expect(JSON.parse(text).code).toBe("missing_api_key");
    expect(await statusOf(away, { ...person("ana@acme.example", "hr"), isFromProxy: false })).toBe(401);
  });

  test("a header that may name two people is refused", async () => {
    for (const email of [
      "eve@acme.example, ana@acme.example",
      "eve@acme.example,ana@acme.example",
      "a".repeat(400),
    ])
      expect(await statusOf("/v1/workers", person(email, "hr"))).toBe(401);
  });

  test("an empty name is no name", async () => {
    expect(await statusOf("/v1/workers", person(" ", "hr"))).toBe(401);
  });

  test("a group must be the whole name, and a domain the whole domain", async () => {
    expect(
      await statusOf("/v1/workers", person("eve@evil.example", "hr2", "HR", "xhr", "*", "@acme.example")),
    ).toBe(403);
    expect(await statusOf("/v1/company", person("eve@notacme.example"))).toBe(403);
    expect(await statusOf("/v1/company", person("eve@acme.example.evil.example"))).toBe(403);
    expect(await statusOf("/v1/company", person("Eve@ACME.example"))).toBe(200);
  });

  test("a user name is not taken for a group, and an address is a person", async () => {
    expect(await statusOf("/v1/workers", person("hr"))).toBe(403);
    expect(await statusOf("/v1/workers", person("Boss@globex.example"))).toBe(200);
  });

  test("the first rule that fits decides, so one person sees one company", async () => {
    const { text } = await service.call("/v1/workers", person("ana@acme.example", "managers", "other"));
    expect(JSON.parse(text).data.map(({ id }: { id: string }) => id)).toEqual(["wrk_bob"]);
    expect(await statusOf("/v1/workers/wrk_ana", person("bob@globex.example", "other"))).toBe(404);
  });

  test("a company that does not exist opens nothing", async () => {
    expect(await statusOf("/v1/workers", person("bob@globex.example", "lost"))).toBe(403);
  });
});

describe("a key that is sent decides alone", () => {
  test("a wrong key is refused, whoever is signed in", async () => {
    const wrong = key.slice(0, 12) + (key[12] === "X" ? "Y" : "X") + key.slice(13);
    const call = { ...person("ana@acme.example", "hr"), key: wrong };
    expect(await statusOf("/v1/workers", call)).toBe(401);
    expect(await statusOf("/v1/workers", { ...call, key: "" })).toBe(401);
  });

  test("a good key reads its own company", async () => {
    const { text } = await service.call("/v1/workers", { ...person("ana@acme.example", "hr"), key });
    expect(JSON.parse(text).data.map(({ id }: { id: string }) => id)).toEqual(["wrk_bob"]);
  });

  test("no key opens the paths of people who are signed in", async () => {
    expect(await statusOf(away, { key })).toBe(403);
    expect(await statusOf("/web/session.json", { key })).toBe(403);
    expect((await service.call(away, { key })).text).toContain("keys with the access away: make one with");
  });
});

describe("what a person may see", () => {
  test("without reasons, everything but them", async () => {
    const all = await service.call("/v1/time_off/requests", person("ana@acme.example", "hr"));
    expect(all.text).toContain("Migraine");
    const some = await service.call("/v1/time_off/requests", person("ana@acme.example", "managers"));
    expect(some.status).toBe(200);
    expect(some.text).not.toContain("Migraine");
    expect(JSON.parse(some.text)).toEqual(JSON.parse(all.text.replaceAll('"Migraine"', "null")));
    expect(some.headers.get("etag")).not.toBe(all.headers.get("etag"));
    const one = await service.call(
      "/v1/time_off/requests/tor_approved",
      person("ana@acme.example", "managers"),
    );
    expect(JSON.parse(one.text)).toMatchObject({ id: "tor_approved", reason: null });
  });

  test("who may only see who is away gets no other list, whatever the filter", async () => {
    const call = person("ana@acme.example");
    for (const path of [
      "/v1/workers",
      "/v1/workers/wrk_ana",
      "/v1/time_off/requests?policyIds=top_sick",
      "/v1/time_off/requests/tor_approved",
      "/v1/time_off/policies",
      "/v1/time_off/balances",
      "/v1/time_off/assignments",
    ]) {
      const { status, text } = await service.call(path, call);
      expect([path, status]).toEqual([path, 403]);
      expect(JSON.parse(text).detail).toStartWith("You are signed in, but your group lacks the scope ");
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
  });

  test("who is away: names and days of approved leave, and nothing else", async () => {
    const { status, text } = await service.call(away, person("ana@acme.example"));
    expect(status).toBe(200);
    const { people, absences } = JSON.parse(text);
    expect(people.map((each: object) => Object.keys(each).sort())).toEqual([
      ["department", "displayName", "id", "managerId", "primaryWorkplace", "startsOn", "timeZone"],
    ]);
    expect(people[0].displayName).toBe("Ana");
    expect(absences.map((each: object) => Object.keys(each).sort())).toEqual([
      ["endAt", "id", "startAt", "timeZone", "workerId"],
    ]);
    expect(absences[0].id).toBe("tor_approved");
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  test("the session says what the person may see", async () => {
    for (const [groups, access, workerId] of [
      [["hr"], "everything", "wrk_ana"],
      [["managers"], "no-reasons", "wrk_ana"],
      [[], "away", null],
    ] as const) {
      const { text } = await service.call("/web/session.json", person("ana@acme.example", ...groups));
      expect(JSON.parse(text)).toEqual({ access, user: "ana@acme.example", workerId });
    }
  });

  test("a failed import is shown to keys and to people who see the whole company, without the command", async () => {
    const failure = { endedAtMs: 1000, outcome: "refused", mistakes: 3, reason: null };
    await service.writer.noteFailedImport("acme", JSON.stringify({ ...failure, command: "import secret" }));
    const path = "/web/imports.json";
    const { endedAtMs: _, reason: __, ...shown } = { endedAt: "1970-01-01T00:00:01.000Z", ...failure };
    for (const group of ["hr", "managers"]) {
      const { text } = await service.call(path, person("ana@acme.example", group));
      expect(JSON.parse(text)).toEqual({ failure: shown });
    }
    expect(await statusOf(path, person("ana@acme.example"))).toBe(403);
    expect(JSON.parse((await service.call(path, { key })).text)).toEqual({ failure: null });
    await service.writer.change("acme", async () => ({
      result: 0,
      changed: false,
      commit: true,
      record: JSON.stringify({ endedAtMs: 2000, findings: [{ code: "late", count: 2 }] }),
    }));
    const { text } = await service.call(path, person("ana@acme.example", "hr"));
    expect(JSON.parse(text)).toEqual({ failure: null });
  });

  test.each([
    ["?to=2026-03-01", "from", "is missing: write YYYY-MM-DD"],
    ["?from=x&to=2026-03-01", "from", '"x" is not a real day: write YYYY-MM-DD'],
    ["?from=2026-03-01&to=2026-02-01", "from", '"2026-03-01" is after to "2026-02-01": swap them'],
    ["?from=2026-01-01&to=2027-01-01", "to", '"2027-01-01" is more than 60 days after from "2026-01-01"'],
  ])("%s is a 400 that names the day and the remedy", async (query, parameter, detail) => {
    const { status, text } = await service.call(`/web/away.json${query}`, person("ana@acme.example"));
    expect(status).toBe(400);
    expect(JSON.parse(text).errors).toEqual([{ parameter, detail: expect.stringContaining(detail) }]);
  });
});

test("who is away has people who have started and have not left; of their days, only a start within the days asked for", async () => {
  const own = await startService({ proxyAuth });
  await addCompany(own.writer, "acme", {
    workers: [
      workerRow("wrk_ana", { displayName: "Ana", workEmail: "ana@acme.example" }),
      workerRow("wrk_over", { displayName: "Gone", endDate: "2026-02-27" }),
      workerRow("wrk_soon", { displayName: "Soon", status: "onboarding", startDate: "2026-03-15" }),
      workerRow("wrk_leaves", { displayName: "Leaves", status: "offboarding", endDate: "2026-03-09" }),
    ],
  });
  const namesBy = async (to: string) => {
    const path = `/web/away.json?from=${TODAY}&to=${to}`;
    const { text } = await own.call(path, person("ana@acme.example"));
    expect(text).not.toMatch(/startDate|endDate|2026-03-09/);
    const { people } = JSON.parse(text) as { people: { displayName: string; startsOn: string | null }[] };
    return people.map(({ displayName, startsOn }) => [displayName, startsOn]).sort();
  };
  const started = [
    ["Ana", null],
    ["Leaves", null],
  ];
  expect(await namesBy("2026-03-14")).toEqual(started);
  expect(await namesBy("2026-03-15")).toEqual([...started, ["Soon", "2026-03-15"]]);
});

test("without --auth-proxy the headers and the paths do not exist", async () => {
  const plain = await startService();
  expect((await plain.call("/v1/workers", person("ana@acme.example", "hr"))).status).toBe(401);
  // Keys may ask who is away, so that is a path.
  expect((await plain.call(away, person("ana@acme.example", "hr"))).status).toBe(401);
  expect((await plain.call("/web/session.json", person("ana@acme.example", "hr"))).status).toBe(404);
});

test("without a header of groups, callers cannot name their own groups", async () => {
  const ofPeople = await startService({ proxyAuth: { ...proxyAuth, groupsHeader: null } });
  await addCompany(ofPeople.writer, "acme", {});
  for (const group of ["hr", "boss@globex.example"])
    expect((await ofPeople.call("/v1/workers", person("eve@acme.example", group))).status).toBe(403);
});

test("each person has a limit of their own", async () => {
  const limited = await startService({ proxyAuth, rateLimit: rateLimit(2) });
  await addCompany(limited.writer, "acme", {});
  const statuses: number[] = [];
  for (let call = 0; call < 4; call++)
    statuses.push((await limited.call("/v1/company", person("ana@acme.example", "hr"))).status);
  expect(statuses).toContain(429);
  expect((await limited.call("/v1/company", person("Ana@ACME.example", "hr"))).status).toBe(429);
  expect((await limited.call("/v1/company", person("bob@acme.example", "hr"))).status).toBe(200);
});

test("what is observed names nobody", () => {
  expect(seen.length).toBeGreaterThan(10);
  const text = JSON.stringify(seen);
  for (const secret of [...SECRETS, "eve@", "bob@", "managers"]) expect(text).not.toContain(secret);
  expect(text).toMatch(/"keyId":"user_[0-9a-f]{16}"/);
});

test.each([
  "X-API-Key",
  "Cookie",
  "Authorization",
  "X-Forwarded-For",
  "User-Agent",
  "Accept-Language",
  "x forwarded",
])("%s cannot name who is signed in", (name) => expect(isUserHeader(name.toLowerCase())).toBe(false));

describe("names beyond ASCII and lists of groups, as proxies write them", () => {
  const [ZOE, LEADS] = ["zoë.müller@globex.example", "Führungskräfte"];
  const utf8 = (text: string) => Buffer.from(text).toString("latin1");
  const sent = (email: string, groups: string) => ({
    isFromProxy: true,
    headers: { "x-forwarded-email": email, "x-forwarded-groups": groups },
  });

  test.each([
    ["UTF-8", utf8],
    ["UTF-8, decomposed", (text: string) => utf8(text.normalize("NFD"))],
    ["Latin-1", (text: string) => text],
  ])("%s", async (_, as) => {
    expect((await service.call("/v1/company", sent(as(ZOE), ""))).text).toContain('"globex"');
    expect((await service.call("/v1/company", sent("eve@x.example", as(LEADS)))).text).toContain('"acme"');
  });

  test.each(["staff,hr", "staff; hr", '["staff","hr"]', '[ "staff, all", "hr" ]', utf8('["Führung","hr"]')])(
    "%s",
    async (groups) => {
      expect(await statusOf("/v1/company", sent("eve@x.example", groups))).toBe(200);
    },
  );

  test("characters that NFC changes name nobody", async () => {
    for (const [email, group] of [
      ["eve@x.example", "\u212a"],
      ["bo\u212a@globex.example", ""],
      ["a\u037e@acme.example", ""],
    ] as const)
      expect(await statusOf("/v1/company", sent(utf8(email), utf8(group)))).toBe(403);
    expect(await statusOf("/v1/company", sent("eve@x.example", "K"))).toBe(200);
  });

  test("a person in none of the groups is told which groups arrived", async () => {
    const detail = async (groups: string) =>
      JSON.parse((await service.call("/v1/company", sent("eve@x.example", groups))).text).detail;
    expect(await detail(utf8("staff;Köche"))).toContain(
      "none of your groups (staff, Köche) may see anything",
    );
    expect(await detail("")).toContain("none of your groups (none came) may see anything");
    expect(await detail(Array.from({ length: 30 }, (_, at) => `g${at}`).join())).toContain("g19, …)");
  });
});

test.each(["X-Forwarded-Email", "OIDC_CLAIM_email", "Remote-User"])("%s may name who is signed in", (name) =>
  expect(isUserHeader(name.toLowerCase())).toBe(true),
);

test("a rule is a group, a company and what it may see", () => {
  expect(parseGroupRule("HR team=acme:everything")).toEqual({
    group: "HR team",
    companyId: "acme",
    access: "everything",
  });
  expect(parseGroupRule("a=b=acme:away")).toEqual({ group: "a=b", companyId: "acme", access: "away" });
  for (const text of ["hr", "hr=acme", "hr=acme:all", "=acme:away", "hr=ACME:away", "hr=:away"])
    expect(parseGroupRule(text)).toBeNull();
});
