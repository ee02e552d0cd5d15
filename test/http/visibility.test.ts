// A caller who sees some workers, or no reasons, gets nothing more by any way to read a company, whichever of them a path uses today. A new
// way does not compile until it is asked here.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endless } from "../../src/http/computation.ts";
import { newKey } from "../../src/http/new-key.ts";
import { type Caller, keyOf, type SignedIn } from "../../src/http/sign-in.ts";
import { companyFor, visibilityCache } from "../../src/http/visibility.ts";
import { LIST_KINDS } from "../../src/resources/kinds.ts";
import type { CompanyReader, KeyAccess } from "../../src/store/store.ts";
import {
  adjustmentRow,
  assignmentRow,
  departmentRow,
  policyRow,
  requestRow,
  workerRow,
} from "../support/rows.ts";
import { addCompany, change, openTestStore } from "../support/stores.ts";
import { TODAY } from "./service.ts";

const NAMES = ["ana", "bob"] as const;
const PAGE = { limit: 10 };

const store = await openTestStore();
afterAll(store.dispose);
let revision = 0;

beforeAll(async () => {
  await addCompany(store.writer, "acme", {
    workers: NAMES.map((name) => ({
      ...workerRow(`wrk_${name}`, { displayName: `name of ${name}`, terminationReason: `reason of ${name}` }),
      terms: "{}", // so that a work time is stored
    })),
    policies: [policyRow("top_pto")],
    assignments: NAMES.map((name) => assignmentRow(`toa_${name}`, `wrk_${name}`, "top_pto")),
    requests: NAMES.map((name) =>
      requestRow(`tor_${name}`, `wrk_${name}`, "top_pto", { reason: `reason of ${name}` }),
    ),
    adjustments: NAMES.map((name) =>
      adjustmentRow(`toj_${name}`, `wrk_${name}`, "top_pto", { note: `reason of ${name}` }),
    ),
    work_hours: NAMES.map((name) => ({ workerId: `wrk_${name}`, day: 20_000, minutes: 240 })),
    reported: NAMES.map((name) => ({
      workerId: `wrk_${name}`,
      policyId: "top_pto",
      day: 20_000,
      minutes: 60,
    })),
  });
  revision = (await store.reader.knownAt("acme", Date.now())).revision!; // there was an import
});

const visible = visibilityCache();

async function read(companyId: string, caller: Caller): Promise<CompanyReader> {
  const version = (await store.reader.version(companyId))!; // the company is there
  return companyFor({ store: store.reader, visible, today: () => TODAY }, caller, version, endless());
}

function companyOf(access: Partial<KeyAccess>, companyId = "acme"): Promise<CompanyReader> {
  const { stored } = newKey({ companyId, name: "test", access }, Date.now());
  return read(companyId, { key: stored, person: null });
}

/** Every way to read a company, asked for everything, and for each worker. */
const WAYS: { readonly [K in keyof CompanyReader]: (company: CompanyReader) => Promise<unknown> } = {
  list: (company) => ofEach(LIST_KINDS, (kind) => company.list(kind, PAGE, [])),
  object: (company) =>
    ofEach(NAMES, (name) =>
      ofEach(LIST_KINDS, (kind) =>
        ofEach(["wrk", "tor", "toa"], (prefix) => company.object(kind, `${prefix}_${name}`)),
      ),
    ),
  balanceFacts: async (company) => [
    await company.balanceFacts({ ...PAGE, withIds: true }),
    await ofEach(NAMES, (name) =>
      company.balanceFacts({ ...PAGE, withIds: true, workerIds: [`wrk_${name}`] }),
    ),
  ],
  workTimes: async (company) => [...(await company.workTimes(NAMES.map((name) => `wrk_${name}`)))],
  rowsOf: (company) => ofEach(NAMES, (name) => company.rowsOf(`wrk_${name}`)),
  reported: (company) => company.reported(),
  leave: (company) => company.leave(PAGE, []),
  about: (company) => company.about(),
  knownSince: (company) => company.knownSince(),
  lastImports: (company) => company.lastImports(),
  changes: (company) => company.changes({ resources: ["workers", "requests"], after: null, limit: 10 }),
  calendarSequence: (company) => company.calendarSequence(),
  closes: (company) => company.closes(),
  lastChanges: async (company) => [...(await company.lastChanges("requests", ["tor_ana"]))], // by ids that the caller has
  atOneVersion: (company) => company.atOneVersion((reader) => allOf(reader, ["atOneVersion"])),
  known: (company) => allOf(company.known(revision), ["known", "atOneVersion"]),
};

async function ofEach<T>(values: readonly T[], work: (value: T) => Promise<unknown>): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

/** What all ways but these give, as text by way. A refusal gives its error. */
async function allOf(company: CompanyReader, except: readonly (keyof CompanyReader)[] = []) {
  const given: Record<string, string> = {};
  for (const [name, ask] of Object.entries(WAYS))
    if (!except.some((each) => each === name))
      given[name] = JSON.stringify(await ask(company).catch((error: Error) => error.message));
  return given;
}

const OF_WORKERS = [
  "list",
  "object",
  "balanceFacts",
  "workTimes",
  "rowsOf",
  "reported",
  "leave",
  "atOneVersion",
  "known",
];

test("with access to one worker, no way gives anything of another", async () => {
  const given = await allOf(await companyOf({ workers: ["wrk_ana"] }));
  const having = (text: RegExp) => Object.keys(given).filter((name) => text.test(given[name]!));
  expect(having(/bob/)).toEqual([]);
  expect(having(/wrk_ana/).toSorted()).toEqual(OF_WORKERS.toSorted());
  expect(having(/reason of ana/)).toEqual(expect.arrayContaining(["list", "object", "rowsOf", "known"]));
  expect([given.changes, given.closes]).toEqual([
    '"The change feed is about all people of the company, and you may see only some: use a key of the whole company."',
    '"Closes are about all people of the company, and you may see only some: use a key of the whole company."',
  ]);
});

test("without access to reasons, no way gives a reason or a note", async () => {
  for (const workers of [[], ["wrk_ana"]]) {
    const given = await allOf(await companyOf({ level: "no-reasons", workers }));
    expect(Object.keys(given).filter((name) => given[name]!.includes("reason of"))).toEqual([]);
    expect(given.rowsOf).toContain("wrk_ana");
  }
});

const idsOf = (docs: readonly string[]) => docs.map((doc) => (JSON.parse(doc) as { id: string }).id);

test("an import that moves somebody decides at once who sees them", async () => {
  const inDepartment = (name: string | null) =>
    workerRow("wrk_cy", { department: name === null ? null : { id: name, name } });
  await addCompany(store.writer, "moves", {
    departments: [departmentRow("dpt_ops"), departmentRow("dpt_pay")],
    workers: [inDepartment("dpt_ops")],
  });
  const seen = async (department: string) =>
    idsOf((await (await companyOf({ departments: [department] }, "moves")).list("workers", PAGE, [])).docs);
  expect([await seen("dpt_ops"), await seen("dpt_pay")]).toEqual([["wrk_cy"], []]);
  await change(store.writer, "moves", (transaction) => transaction.put("workers", [inDepartment("dpt_pay")]));
  expect([await seen("dpt_ops"), await seen("dpt_pay")]).toEqual([[], ["wrk_cy"]]);
});

describe("a large company", () => {
  const id = (at: number) => `wrk_${String(at).padStart(5, "0")}`;
  const ODD = Array.from({ length: 250 }, (_, at) => id(2 * at + 1));

  /** The first worker manages everybody; who is odd among the first is in Ops. */
  const workersOf = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      workerRow(id(at), {
        workEmail: at === 0 ? "boss@big.example" : null,
        managerId: at === 0 ? null : id(0),
        department: ODD.includes(id(at)) ? { id: "dpt_ops", name: "Ops" } : null,
      }),
    );
  const boss: SignedIn = {
    id: "user_1",
    user: "boss@big.example",
    companyId: "big",
    access: "reports",
    contact: "hr@big.example",
  };
  const seenByBoss = () => read("big", { key: keyOf(boss), person: boss });
  const seenByKey = () => companyOf({ managers: [id(0)] }, "big");
  beforeAll(() =>
    addCompany(store.writer, "big", { departments: [departmentRow("dpt_ops")], workers: workersOf(10_000) }),
  );

  test("is listed in pages of any size, and each says whether more follow", async () => {
    const company = await companyOf({ departments: ["dpt_ops"] }, "big");
    for (const limit of [1, 2, 3, 7, 30, 100, 249, 250, 251])
      for (const [page, wanted] of [
        [{ limit }, ODD.slice(0, limit)],
        [{ limit, after: ODD[0]! }, ODD.slice(1, 1 + limit)],
        [{ limit, before: id(9999) }, ODD.slice(-limit)],
      ] as const) {
        const { docs, hasMore } = await company.list("workers", page, []);
        const left = ODD.length - ("after" in page ? 1 : 0) - limit;
        expect([page, idsOf(docs), hasMore]).toEqual([page, wanted, left > 0]);
      }
  });

  test("gives up to 10,000 workers to a limited caller, and refuses more", async () => {
    for (const seen of [seenByBoss, seenByKey])
      expect((await (await seen()).list("workers", PAGE, [])).hasMore).toBe(true);
    await change(store.writer, "big", (transaction) => transaction.put("workers", workersOf(10_001)));
    await expect(seenByKey()).rejects.toThrow(
      "This API key sees more than 10000 workers: ask the operator for one that sees the whole company.",
    );
    await expect(seenByBoss()).rejects.toThrow(
      "You are signed in as boss@big.example, but you have more than 10000 reports: ask hr@big.example.",
    );
  });
});
