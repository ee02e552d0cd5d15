// Property: whoever is signed in as themselves, or as a manager, gets nothing of anybody else: from no endpoint of the contract, by no
// filter or id, in no format. Every endpoint is asked by its contract, so a new one is asked, too.
import { beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { ResponseCache } from "../../../src/http/middleware/cache.ts";
import { newCalendar } from "../../../src/http/new-key.ts";
import {
  ACCESSES,
  type Access,
  type ProxyAuth,
  parseGroupRule,
  seesAway,
} from "../../../src/http/sign-in.ts";
import { CONTRACTS } from "../../../src/resources/endpoints.ts";
import { isOwned, LIST_KINDS, LISTS } from "../../../src/resources/kinds.ts";
import { type KeyAccess, NOTHING_ERASED } from "../../../src/store/store.ts";
import { assignmentRow, departmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change } from "../../support/stores.ts";
import { connectTo } from "../mcp/assistant.ts";
import { type Call, listOf, startService, TODAY } from "../service.ts";

/** By name, their manager. Ana and Bob report to Mia, who reports to Zoe, as Tom does. Cy and Di report to each other, Max to himself. */
const MANAGERS = {
  zoe: null,
  mia: "zoe",
  tom: "zoe",
  ana: "mia",
  bob: "mia",
  eve: "tom",
  cy: "di",
  di: "cy",
  max: "max",
  pat: "max",
};
const NAMES = Object.keys(MANAGERS);

/** Night is a part of Ops. */
const DEPARTMENTS: Readonly<Record<string, string>> = { tom: "ops", eve: "night", bob: "pay" };

const SEEN: Readonly<Record<string, Readonly<Partial<Record<Access, readonly string[]>>>>> = {
  ana: { self: ["ana"], reports: ["ana"] },
  mia: { self: ["mia"], reports: ["mia", "ana", "bob"] },
  zoe: { self: ["zoe"], reports: ["zoe", "mia", "tom", "ana", "bob", "eve"] },
  // Who is below themselves has a boss among their reports.
  cy: { self: ["cy"], reports: ["cy"] },
  max: { self: ["max"], reports: ["max", "pat"] },
};

const proxyAuth: ProxyAuth = {
  userHeader: "x-forwarded-email",
  groupsHeader: "x-forwarded-groups",
  rules: [
    ...ACCESSES.map((access) => ({ group: access, companyId: "acme", access })),
    { group: "big", companyId: "big", access: "reports" },
  ],
  contact: "hr@acme.example",
};
const service = await startService({ proxyAuth });

/** When Eve reported to Mia, and Bob was in Ops: who may see them is decided by what holds now. */
const THEN = `${TODAY}T09:00:00Z`;

const workersOf = (managers: Readonly<Record<string, string | null>>, departments: typeof DEPARTMENTS) =>
  Object.entries(managers).map(([name, manager]) =>
    workerRow(`wrk_${name}`, {
      department: departments[name] ?? null,
      displayName: `name of ${name}`,
      workEmail: `${name}@acme.example`,
      legacyId: `L-${name}-`,
      managerId: manager === null ? null : `wrk_${manager}`,
      terminationReason: `reason of ${name}`,
    }),
  );

const requestsOf = (reason: string) =>
  NAMES.map((name) =>
    requestRow(`tor_${name}`, `wrk_${name}`, "top_pto", {
      reason: `${reason} of ${name}`,
      startAt: `${TODAY}T00:00:00.000Z`,
      endAt: "2026-03-04T00:00:00.000Z",
    }),
  );

beforeAll(async () => {
  setSystemTime(new Date(THEN));
  await addCompany(service.writer, "acme", {
    departments: [
      departmentRow("dpt_ops"),
      departmentRow("dpt_night", { parentId: "dpt_ops" }),
      departmentRow("dpt_pay"),
    ],
    workers: [
      ...workersOf({ ...MANAGERS, eve: "mia" }, { ...DEPARTMENTS, bob: "ops" }),
      workerRow("wrk_left", { workEmail: "left@acme.example", status: "inactive" }),
      workerRow("wrk_over", { workEmail: "over@acme.example", endDate: "2026-02-28" }),
      workerRow("wrk_last", { workEmail: "last@acme.example", endDate: TODAY }),
      workerRow("wrk_before", { workEmail: "back@acme.example", endDate: "2025-06-30" }),
      workerRow("wrk_back", { workEmail: "back@acme.example" }),
      workerRow("wrk_twin1", { workEmail: "twin@acme.example" }),
      workerRow("wrk_twin2", { workEmail: "twin@acme.example" }),
    ],
    policies: [policyRow("top_pto")],
    assignments: NAMES.map((name) => assignmentRow(`asg_${name}`, `wrk_${name}`, "top_pto")),
    requests: requestsOf("earlier reason"),
  });
  const { revision, atMs } = await service.reader.knownAt("acme", Date.now());
  const period = { firstDay: 20_485, lastDay: 20_512, revision: revision!, atMs: atMs! };
  setSystemTime(Date.parse(THEN) + 60_000);
  await change(service.writer, "acme", async (transaction) => {
    await transaction.put("workers", workersOf(MANAGERS, DEPARTMENTS));
    await transaction.put("requests", requestsOf("reason"));
    const found = {
      digest: "ab",
      balances: 10,
      minutes: 1,
      ...NOTHING_ERASED,
    };
    await transaction.putClose({ name: "2026-02", ...period, ...found });
  });
  setSystemTime();
});

const as = (name: string, access: Access, headers: Readonly<Record<string, string>> = {}) => ({
  isFromProxy: true,
  headers: {
    "x-forwarded-email": `${name}@acme.example`,
    "x-forwarded-groups": access,
    ...headers,
  },
});

/** What is found of somebody in a response. That a report's manager has an id is no secret. */
const marks = (name: string) => [
  `name of ${name}`,
  `reason of ${name}`,
  `"workerId":"wrk_${name}"`,
  `L-${name}-`,
  `tor_${name}`,
  `${name}@acme`,
];

/** Every path of the contract, now and as it was known, with the ids of everybody and the filters by which somebody could be asked for. */
function paths(): string[] {
  return CONTRACTS.flatMap((contract) => {
    const now = pathsOf(contract);
    if (!("knownOn" in contract.parameters)) return now;
    // Of who moved since, and of nobody.
    const ofThen = now.filter((path) => /_eve|_bob/.test(path) || !NAMES.some((name) => path.includes(name)));
    return [...now, ...ofThen.map((path) => `${path}${path.includes("?") ? "&" : "?"}knownOn=${THEN}`)];
  });
}

function pathsOf({ path, parameters }: (typeof CONTRACTS)[number]): string[] {
  if (path.includes("{id}"))
    return [
      "2026-02",
      "top_pto",
      ...NAMES.flatMap((name) => [`wrk_${name}`, `tor_${name}`, `wrk_${name}-top_pto`]),
    ].map((id) => path.replace("{id}", id));
  if (path.endsWith("/preview"))
    return NAMES.map((name) => `${path}?workerId=wrk_${name}&policyId=top_pto&startAt=2026-03-10`);
  const filtered = NAMES.flatMap((name) =>
    [
      `workerIds=wrk_${name}`,
      `managerIds=wrk_${name}`,
      `workEmail=${name}@acme.example`,
      `legacyIds=L-${name}-`,
    ]
      .filter((filter) => filter.split("=")[0]! in parameters)
      .map((filter) => `${path}?${filter}`),
  );
  const before =
    "beforeId" in parameters
      ? [
          `${path}?limit=2&beforeId=${path.includes("requests") ? "tor_zz" : path.includes("days") ? "tod_20260401_z" : path.includes("movements") ? "tom_eno" : path.includes("expirations") ? "tox_eno" : "wrk_zz"}`,
        ]
      : [];
  return [
    path,
    `${path}?workerIds=${NAMES.map((name) => `wrk_${name}`).join(",")}`,
    ...("groupBy" in parameters ? ["worker", "department"].map((by) => `${path}?groupBy=${by}`) : []),
    ...filtered,
    ...before,
  ];
}

describe.each(Object.entries(SEEN))("%s", (name, byAccess) => {
  for (const [access, seen] of Object.entries(byAccess))
    for (const suffix of ["", "+away"])
      test(`as ${access}${suffix} gets nothing of anybody but ${seen.join(", ")}`, async () => {
        const found = new Set<string>();
        const others = NAMES.filter((other) => !seen.includes(other)).flatMap(marks);
        const leaks: unknown[] = [];
        for (const path of paths())
          for (const accept of ["application/json", "text/csv"]) {
            const { body } = await service.raw(path, as(name, `${access}${suffix}` as Access, { accept }));
            const text = new TextDecoder().decode(body);
            for (const mark of others)
              if (text.includes(mark) && !path.includes(mark)) leaks.push([path, mark]);
            for (const one of seen)
              if (marks(one).some((mark) => text.includes(mark) && !path.includes(mark))) found.add(one);
          }
        expect(leaks).toEqual([]);
        expect([...found].toSorted()).toEqual([...seen].toSorted());
      });
});

/** The accesses of keys, and whom each sees. */
const OF_KEYS: readonly [access: Partial<KeyAccess>, seen: readonly string[]][] = [
  [{ workers: ["wrk_ana"] }, ["ana"]],
  [{ workers: ["wrk_ana", "wrk_nobody"], managers: ["wrk_tom"] }, ["ana", "tom", "eve"]],
  [{ managers: ["wrk_mia"] }, ["mia", "ana", "bob"]],
  [{ managers: ["wrk_cy"] }, ["cy"]],
  [{ departments: ["dpt_ops"] }, ["tom", "eve"]],
  [{ departments: ["dpt_night", "dpt_pay"] }, ["eve", "bob"]],
  [{ departments: ["dpt_none"] }, []],
];

const TOOL_CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["find_people", {}],
  ...NAMES.flatMap(
    (name) =>
      [
        ["time_off_balance", { people: [`wrk_${name}`] }],
        ["time_off_balance", { managers: [`wrk_${name}`] }],
        ["time_off_preview", { person: `name of ${name}`, policy: "top_pto", from: "2026-03-10" }],
        ["list_time_off", { person: `${name}@acme.example` }],
      ] as const,
  ),
  ["who_is_away", { from: "2026-01-01", to: "2026-12-31" }],
  ["time_off_movements", {}],
  ["time_off_expirations", {}],
  ["team_capacity", { group_by: "worker" }],
];

describe.each(OF_KEYS)("a key with %j", (ids, seen) => {
  const others = NAMES.filter((other) => !seen.includes(other)).flatMap(marks);

  for (const level of ["everything", "no-reasons"] as const)
    test(`${level}: gets nothing of anybody but ${seen.join(", ")}, in any format and by any tool`, async () => {
      const key = await addKey(service.writer, "acme", { access: { ...ids, level } });
      const found = new Set<string>();
      const leaks: unknown[] = [];
      const look = (what: unknown, text: string, asked: string) => {
        for (const mark of others) if (text.includes(mark) && !asked.includes(mark)) leaks.push([what, mark]);
        if (level === "no-reasons" && text.includes("reason of")) leaks.push([what, "a reason"]);
        for (const one of seen)
          if (marks(one).some((mark) => text.includes(mark) && !asked.includes(mark))) found.add(one);
      };
      for (const path of [...paths(), "/v1/changes?resources=workers", "/v1/changes?after=now"])
        for (const accept of ["application/json", "text/csv", "application/x-ndjson"]) {
          const { status, body } = await service.raw(path, { key, headers: { accept } });
          look([path, accept], new TextDecoder().decode(body), path);
          if (path.startsWith("/v1/changes")) expect([path, status === 200]).toEqual([path, false]);
        }
      for (const path of [`/web/away.json?from=${TODAY}&to=2026-03-14`, "/web/imports.json"])
        expect([path, (await service.raw(path, { key })).status]).toEqual([path, 403]);
      const { call } = await connectTo(service.app, key);
      for (const [tool, given] of TOOL_CALLS) {
        const { text, structured } = await call(tool, given);
        expect([tool, text]).not.toEqual([tool, expect.stringMatching(/is missing|is unknown|is not known/)]); // it was asked as it can be
        look(tool, text + JSON.stringify(structured), JSON.stringify(given));
        expect(text).toContain("may see only some workers of the company");
      }
      expect(leaks).toEqual([]);
      expect([...found].toSorted()).toEqual([...seen].toSorted());
    });

  test("away: sees who of them is away, and no row", async () => {
    const key = await addKey(service.writer, "acme", { access: { ...ids, level: "away" } });
    for (const path of paths().filter((path) => !path.startsWith("/v1/company")))
      for (const accept of ["application/json", "text/csv"]) {
        const { status } = await service.raw(path, { key, headers: { accept } });
        expect([path, status === 200]).toEqual([path, false]);
      }
    const away = await service.call(`/web/away.json?from=${TODAY}&to=2026-03-14`, { key });
    expect(away.status).toBe(200);
    const { call } = await connectTo(service.app, key);
    const told = (await call("who_is_away", { from: TODAY, to: "2026-03-14" })).text;
    for (const text of [away.text, told]) {
      expect(text).not.toMatch(/reason of|L-|@acme|top_pto/);
      expect(NAMES.filter((name) => text.includes(`name of ${name}`)).toSorted()).toEqual(
        [...seen].toSorted(),
      );
    }
    expect(Object.keys(JSON.parse(away.text).absences[0] ?? { id: 1 }).toSorted()).toEqual(
      seen.length === 0 ? ["id"] : ["endAt", "id", "startAt", "timeZone", "workerId"],
    );
  });
});

test("a key that sees only who is away in the company sees who, and not why", async () => {
  const key = await addKey(service.writer, "acme", { access: { level: "away" } });
  const { text } = await service.call(`/web/away.json?from=${TODAY}&to=2026-03-14`, { key });
  expect(NAMES.every((name) => text.includes(`name of ${name}`))).toBe(true);
  expect(text).not.toMatch(/reason of|L-|@acme|top_pto/);
  expect((await service.raw("/web/session.json", { key })).status).toBe(403);
});

test("access to the whole company gives everybody, without reasons if the rule says so; access to who is away gives no row", async () => {
  for (const [access, hidden] of [
    ["everything", /none/],
    ["no-reasons", /reason of/],
    ["away", /name of|reason of/],
  ] as const) {
    let all = "";
    for (const path of paths().filter((path) => !path.startsWith("/v1/company"))) {
      const { status, text } = await service.call(path, as("ana", access));
      if (access === "away") expect([path, status === 200]).toEqual([path, false]);
      all += text;
    }
    expect(all).not.toMatch(hidden);
    expect(NAMES.every((name) => all.includes(`name of ${name}`))).toBe(access !== "away");
  }
});

test("the page's own paths are open by access alone", async () => {
  const open: Readonly<Record<string, readonly Access[]>> = {
    "/web/session.json": ACCESSES,
    [`/web/away.json?from=${TODAY}&to=2026-03-14`]: ACCESSES.filter(seesAway),
    "/web/imports.json": ["everything", "no-reasons"],
  };
  for (const [path, accesses] of Object.entries(open))
    for (const access of ACCESSES) {
      const { status } = await service.call(path, as("ana", access));
      expect([path, access, status]).toEqual([path, access, accesses.includes(access) ? 200 : 403]);
    }
});

test("a list is complete, in pages of any size", async () => {
  const ids: string[] = [];
  for (let after = ""; ; ) {
    const { text } = await service.call(`/v1/workers?limit=2${after}`, as("zoe", "reports"));
    const page = JSON.parse(text);
    ids.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.hasMore) break;
    after = `&afterId=${ids.at(-1)}`;
  }
  expect(ids).toEqual(["ana", "bob", "eve", "mia", "tom", "zoe"].map((name) => `wrk_${name}`));
});

test("with more people than one look-up takes, every list is complete, in both directions", async () => {
  const number = (at: number) => String(at).padStart(3, "0");
  const all = Array.from({ length: 400 }, (_, at) => number(at));
  await addCompany(service.writer, "big", {
    workers: all.map((id, at) =>
      workerRow(`wrk_${id}`, { workEmail: `${id}@big.example`, managerId: at % 3 === 0 ? null : "wrk_000" }),
    ),
    policies: [policyRow("top_pto"), policyRow("top_sick")],
    assignments: all.map((id, at) =>
      assignmentRow(`asg_${number(999 - at)}`, `wrk_${id}`, at % 7 === 0 ? "top_sick" : "top_pto"),
    ),
    requests: all.map((id, at) => requestRow(`tor_${number((at * 7) % 400)}`, `wrk_${id}`, "top_pto")),
  });
  const headers = { "x-forwarded-email": "000@big.example", "x-forwarded-groups": "big" };
  const theirs = new Set(all.filter((_, at) => at % 3 !== 0 || at === 0).map((id) => `wrk_${id}`));
  const key = await addKey(service.writer, "big");
  for (const path of [
    "/v1/workers?",
    "/v1/workers?statuses=active&",
    "/v1/time_off/requests?",
    "/v1/time_off/requests?startsBefore=2300-01-01&",
    "/v1/time_off/assignments?",
    "/v1/time_off/balances?",
    "/v1/time_off/balances?policyIds=top_sick&",
    "/v1/time_off/days?from=2026-01-01&to=2026-12-31&",
    "/v1/time_off/movements?groupBy=worker&",
  ]) {
    const ofAll = await walk(path, { key }, "afterId");
    const wanted = ofAll.filter((row) => theirs.has(row.workerId ?? row.id)).map(({ id }) => id);
    expect([path, wanted.length > 30]).toEqual([path, true]);
    for (const cursor of ["afterId", "beforeId"] as const) {
      const ids = (await walk(path, { isFromProxy: true, headers }, cursor)).map(({ id }) => id);
      expect([path, cursor, ids]).toEqual([
        path,
        cursor,
        cursor === "afterId" ? wanted : wanted.slice(0, -1),
      ]);
    }
  }
});

type Row = { readonly id: string; readonly workerId?: string };

/** Every row of a list, in pages of 30; backwards, all before the last. */
async function walk(path: string, call: Call, cursor: "afterId" | "beforeId"): Promise<Row[]> {
  const rows: Row[] = [];
  const last = cursor === "beforeId" ? (await walk(path, call, "afterId")).at(-1)!.id : null;
  for (let position = last; ; ) {
    const page = `limit=30${position === null ? "" : `&${cursor}=${position}`}`;
    const { text } = await service.call(path + page, call);
    const { data, hasMore } = JSON.parse(text);
    rows.splice(cursor === "afterId" ? rows.length : 0, 0, ...data);
    if (!hasMore) return rows;
    position = (cursor === "afterId" ? data.at(-1) : data[0]).id;
  }
}

test("a bad query is reported before any worker is looked up", async () => {
  const { status } = await service.call("/v1/workers?limit=x", as("nobody", "reports"));
  expect(status).toBe(400);
});

test("a response for one person is never sent to another from the cache", async () => {
  for (let round = 0; round < 3; round++)
    for (const name of ["ana", "mia"]) {
      const { text } = await service.call("/v1/time_off/requests?limit=1", as(name, "self"));
      expect(JSON.parse(text).data[0].id).toBe(`tor_${name}`);
    }
});

test("the tag of one person's response gives nobody else a 304, also from the cache", async () => {
  const cached = await startService({ proxyAuth, cache: new ResponseCache(1e7) }, service);
  const callers: readonly Call[] = [
    ...(["everything", "no-reasons", "reports", "self", "away"] as const).map((access) => as("mia", access)),
    as("ana", "self"),
    { key: await addKey(service.writer, "acme") },
    { key: await addKey(service.writer, "acme", { access: { level: "no-reasons" } }) },
    { key: await addKey(service.writer, "acme", { access: { managers: ["wrk_tom"] } }) },
    { key: await addKey(service.writer, "acme", { scopes: ["time_off:read"] }) },
  ];
  const asked = paths().filter((path) => !NAMES.some((name) => path.includes(name)) || path.includes("_ana"));
  let same = 0;
  for (const path of asked) {
    const bodies: { readonly tag: string; readonly text: string }[] = [];
    for (const call of [...callers, ...callers]) {
      const own = await service.call(path, call);
      for (const { tag, text } of bodies) {
        const { status } = await cached.raw(path, {
          ...call,
          headers: { ...call.headers, "if-none-match": tag },
        });
        const isSame = own.status === 200 && own.text === text;
        expect([path, status === 304]).toEqual([path, isSame]);
        if (isSame) same++;
      }
      const { status, headers, body } = await cached.raw(path, call);
      expect([path, status]).toEqual([path, own.status]);
      if (status === 200) expect([path, new TextDecoder().decode(body)]).toEqual([path, own.text]);
      const tag = headers.get("etag");
      if (tag !== null && bodies.length < callers.length) bodies.push({ tag, text: own.text });
    }
  }
  expect(same).toBeGreaterThan(0);
});

test("a person can preview their own leave, but nobody else's, now or as it was known", async () => {
  for (const moment of ["", `&knownOn=${THEN}`])
    for (const [name, access] of [
      ["ana", "self"],
      ["mia", "reports"],
    ] as const)
      for (const other of NAMES) {
        const path = `/v1/time_off/preview?workerId=wrk_${other}&policyId=top_pto&startAt=2026-03-10${moment}`;
        const { status, text } = await service.call(path, as(name, access));
        expect([path, name, status]).toEqual([path, name, SEEN[name]![access]!.includes(other) ? 200 : 400]);
        // As of somebody who is not there.
        if (status === 400)
          expect(JSON.parse(text).errors[0].detail).toContain(`is not assigned to worker "wrk_${other}"`);
      }
});

test("access to some people has neither the change feed nor closes, which concern everybody", async () => {
  for (const path of [
    "/changes",
    "/time_off/closes",
    "/time_off/closes/2026-02",
    "/time_off/closes/2026-02/differences",
    "/time_off/closes/2026-02/differences?workerIds=wrk_zoe",
    "/time_off/movements?after=2026-02&to=2026-03-31&workerIds=wrk_zoe",
  ]) {
    const ofSome = await addKey(service.writer, "acme", { access: { workers: ["wrk_zoe"] } });
    for (const call of [as("zoe", "reports"), as("zoe", "self"), { key: ofSome }])
      expect([path, (await service.call(`/v1${path}`, call)).status]).toEqual([path, 403]);
    expect([path, (await service.call(`/v1${path}`, as("zoe", "no-reasons"))).status]).toEqual([path, 200]);
  }
});

test("an assistant of some people learns of no close, and a calendar feed has no past", async () => {
  const ofSome = await addKey(service.writer, "acme", { access: { workers: ["wrk_zoe"] } });
  const { call } = await connectTo(service.app, ofSome);
  const { text } = await call("closed_differences", { close: "2026-02" });
  expect(text).toContain("Closes are about all people");
  const definition = { workers: [], types: [], policies: [], show: "busy", withPending: false } as const;
  const { secret, stored } = newCalendar({ companyId: "acme", name: "", definition }, Date.now());
  await service.writer.createSecret(stored);
  const feed = `/calendar/${secret}.ics`;
  const now = await service.raw(feed, {});
  const then = await service.raw(`${feed}?knownOn=${THEN}`, {});
  expect([now.status, then.status]).toEqual([200, 200]);
  expect(new TextDecoder().decode(then.body)).toBe(new TextDecoder().decode(now.body));
});

test("people see who is away in the company if their rule says so", async () => {
  const path = `/web/away.json?from=${TODAY}&to=2026-03-14`;
  for (const access of ["self", "reports"] as const) {
    expect((await service.call(path, as("ana", access))).status).toBe(403);
    const { status, text } = await service.call(path, as("ana", `${access}+away`));
    expect(status).toBe(200);
    expect(text).toContain("name of zoe");
    expect(text).not.toContain("reason of");
    // Also after a colleague's response was cached.
    for (const name of ["left", "over", "nobody", "twin"])
      expect((await service.call(path, as(name, `${access}+away`))).status).toBe(403);
  }
});

test("somebody counts to their last day, and again from when they come back", async () => {
  for (const name of ["last", "back"]) {
    const { text } = await service.call("/web/session.json", as(name, "self"));
    expect(JSON.parse(text)).toMatchObject({ workerId: `wrk_${name}` });
    const { data } = listOf(await service.call("/v1/workers", as(name, "self")));
    expect(data.map(({ id }) => id)).toEqual([`wrk_${name}`]);
  }
});

test("the session says who is signed in; a person without access is told why, and whom to ask", async () => {
  const { text } = await service.call("/web/session.json", as("ana", "self"));
  expect(JSON.parse(text)).toEqual({ access: "self", user: "ana@acme.example", workerId: "wrk_ana" });
  for (const [name, groups, why, code] of [
    ["left", "self", "no worker has this work address", "noWorker"],
    ["over", "reports", "no worker has this work address", "noWorker"], // `active` in the files, for long after the last day
    ["nobody", "reports", "no worker has this work address", "noWorker"],
    ["twin", "self", "several workers have this work address", "severalWorkers"],
    ["ana", "staff", "none of your groups (staff) may see anything here", "noGroup"],
  ] as const)
    for (const path of ["/web/session.json", "/v1/workers"]) {
      const { status, text } = await service.call(path, as(name, groups as Access));
      expect(status).toBe(403);
      const { detail, refusal } = JSON.parse(text);
      expect(detail).toBe(`You are signed in as ${name}@acme.example, but ${why}: ask hr@acme.example.`);
      const values = { user: `${name}@acme.example`, contact: "hr@acme.example" };
      expect(refusal).toEqual({ code, values: code === "noGroup" ? { ...values, groups } : values });
    }
});

test("every list is declared to belong to workers or to the company", () => {
  for (const kind of LIST_KINDS)
    expect([kind, kind === "workers" || isOwned(kind) || LISTS[kind].isOfCompany]).toEqual([kind, true]);
});

test("rules", () => {
  for (const access of ACCESSES)
    expect(parseGroupRule(`staff=acme:${access}`)).toEqual({ group: "staff", companyId: "acme", access });
  for (const wrong of ["self+everything", "away+self", "own"])
    expect(parseGroupRule(`staff=acme:${wrong}`)).toBeNull();
});
