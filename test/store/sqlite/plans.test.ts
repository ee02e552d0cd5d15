// What a read costs, in counts that do not depend on the machine: how many statements it runs, and that each of them goes
// to its rows through a key or an index, whatever is asked for. SQLite has no statistics here, as in a store
// that was just imported.

import type { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import { LIST_KINDS, LISTS } from "../../../src/resources/kinds.ts";
import { columnName, type Filter } from "../../../src/resources/resource.ts";
import { STEPS } from "../../../src/store/change-notes.ts";
import { openReader, Statements } from "../../../src/store/sqlite/database.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { STORE_SCHEMA } from "../../../src/store/sqlite/schema.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { BalancePosition, ChangesPage, CompanyReader, ReadStore } from "../../../src/store/store.ts";
import { KINDS } from "../../../src/store/tables.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { listed } from "../listed.ts";

const folder = mkdtempSync(join(fastFolder(), "rollcall-plans-"));
const path = join(folder, "store.db");
const FACTS = makeFacts(1, 60);
const seen: { database: Database; text: string }[] = [];
const prepare = Statements.prototype.prepare;
const spy = spyOn(Statements.prototype, "prepare").mockImplementation(function (this: Statements, text) {
  seen.push({ database: this.database, text });
  return prepare.call(this, text);
});
let reader: ReadStore;
let company: CompanyReader;

beforeAll(async () => {
  const writer = openSqliteWriteStore(path, { create: true });
  await writer.createCompany({ id: "acme", name: "acme", createdAtMs: 0 });
  await writer.change("acme", async (transaction) => {
    for (const kind of KINDS) await transaction.put(kind, FACTS[kind]);
    return { result: null, changed: true, commit: true };
  });
  await writer.close();
  reader = openSqliteReadStore(path);
  company = reader.company("acme");
});

afterEach(() => {
  seen.length = 0;
});

afterAll(async () => {
  spy.mockRestore();
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs one read: so many statements at most, and none that reads a table through. */
async function costs(atMost: number, read: () => Promise<unknown>): Promise<void> {
  seen.length = 0;
  await read();
  const ran = seen.filter(({ text }) => !/^(begin|rollback|pragma)/.test(text));
  expect(ran.length).toBeLessThanOrEqual(atMost);
  for (const { database, text } of ran) {
    const steps = database.query(`explain query plan ${text}`).all() as { detail: string }[]; // as SQLite says
    for (const { detail } of steps) {
      expect(detail, text).not.toMatch(
        /^SCAN (workers|policies|assignments|requests|request_buckets|adjustments|work_hours)\b|AUTOMATIC/,
      );
      // A filtered page is never found by walking a company.
      if (FILTER.test(text)) expect(detail, text).not.toMatch(WALK);
    }
  }
}

const FILTERED = LIST_KINDS.flatMap((kind) => Object.values<Filter>(LISTS[kind].api.filters))
  .filter(({ is }) => is === "in")
  .map(({ column }) => columnName(column));
/** Compares with what is asked for, not with another column. */
const FILTER = new RegExp(`\\b(${FILTERED.join("|")}) (=|in) (?!\\w+\\.)`);
const WALK = /^SEARCH (workers|policies|assignments) .*\(company_id=\?( AND id[<>]\?)?\)/;

const PAGES = [{ limit: 25 }, { limit: 25, after: "m" }, { limit: 25, before: "m" }];
const PLACES: { after?: BalancePosition; before?: BalancePosition }[] = [
  {},
  { after: { workerId: "wrk_m", policyId: "top_m" } },
  { before: { workerId: "wrk_m", policyId: "" } },
];
const WORKERS = ["wrk_1", "wrk_2", "wrk_3"];
const POLICIES = ["top_1", "top_2"];

test("a statement does not name every value of one filter with every value of another", async () => {
  const values = (name: string) => Array.from({ length: 200 }, (_, at) => `${name}${at}`);
  const [managerIds, departmentIds, workplaceIds] = [values("wrk_"), values("d"), values("l")];
  await costs(2, () =>
    listed(company, "workers", { limit: 25 }, { managerIds, departmentIds, workplaceIds }),
  );
  expect(Math.max(...seen.map(({ text }) => text.length))).toBeLessThan(70_000);
});

test("retrievals and versions", async () => {
  await costs(1, async () => company.object("workers", "wrk_1"));
  await costs(1, async () => company.object("policies", "top_1"));
  await costs(2, async () => reader.version("acme"));
});

test("a version that was read is not read again", async () => {
  await reader.version("acme");
  await costs(1, async () => reader.version("acme"));
});

test("workers, by any filter", async () => {
  for (const page of PAGES) {
    await costs(1, () => listed(company, "workers", page, {}));
    for (const statuses of [undefined, ["active"], ["active", "inactive"]] as const) {
      for (const types of [undefined, ["contractor"]] as const) {
        for (const workEmail of [undefined, "a@example.com"]) {
          const filter = { statuses, types, workEmail };
          await costs(1, () => listed(company, "workers", page, filter));
          for (const name of Object.keys(LISTS.workers.api.filters))
            if (!Object.hasOwn(filter, name))
              await costs(1, () => listed(company, "workers", page, { ...filter, [name]: ["E1", "E2"] }));
        }
      }
    }
  }
});

test("the change feed: one statement a page, and at the ends of a pass one for each resource", async () => {
  const resources = CHANGE_RESOURCES;
  const first = (await company.changes({ after: null, resources, limit: 5 })) as ChangesPage; // nothing is forgotten
  // Five entries reach from the end of one small resource over others: each has a statement, and so has one that is at its end.
  const second = (await company.changes({ after: first.position, resources, limit: 5 })) as ChangesPage; // as above
  const read = new Set(second.entries.map(({ resource }) => resource));
  await costs(read.size + 1, () => company.changes({ after: first.position, resources, limit: 5 }));
  const last = (await company.changes({ after: "now", resources, limit: 5 })) as ChangesPage; // as above
  for (const { name: step } of STEPS) {
    const after = { ...last.position, step, id: "m" };
    await costs(2, () => company.changes({ after, resources, limit: 1000 }));
    await costs(2, () => company.changes({ after, resources: ["workers"], limit: 1000 }));
    for (const { database, text } of seen) {
      const steps = database.query(`explain query plan ${text}`).all() as { detail: string }[]; // as SQLite says
      // Not all imports of the company.
      for (const { detail } of steps) expect(detail, text).not.toMatch(/SEARCH \w+ .*\(company_id=\?\)$/);
    }
  }
  await costs(resources.length + 3, () => company.changes({ after: null, resources, limit: 1000 }));
});

test("policies and requests by the ids of the source system", async () => {
  for (const page of PAGES) {
    for (const legacyIds of [["E1"], ["E1", "E2"]]) {
      await costs(1, () => listed(company, "policies", page, { legacyIds }));
      await costs(1, () => listed(company, "requests", page, { legacyIds, workerIds: WORKERS }));
    }
  }
});

test("assignments, by any filter", async () => {
  for (const page of PAGES) {
    for (const workerIds of [undefined, WORKERS.slice(0, 1), WORKERS]) {
      for (const policyIds of [undefined, POLICIES.slice(0, 1), POLICIES]) {
        await costs(1, () => listed(company, "assignments", page, { workerIds, policyIds }));
      }
    }
  }
});

/** Workers who have balances, and one who does not exist. */
const ASSIGNED = [...new Set(FACTS.assignments.map(({ workerId }) => workerId)).keys().take(2), "wrk_1"];

test("balances: ten statements, which find the facts of the page's workers alone", async () => {
  for (const withIds of [false, true]) {
    for (const location of PLACES) {
      for (const workerIds of [undefined, ASSIGNED.slice(0, 1), ASSIGNED]) {
        for (const policyIds of [undefined, POLICIES.slice(0, 1), FACTS.policies.map(({ id }) => id)]) {
          const query = { limit: 25, withIds, ...location, workerIds, policyIds };
          await costs(10, async () => company.balanceFacts(query));
          for (const table of ["requests", "adjustments", "work_hours", "openings", "schedules"])
            for (const look of looksAt(table)) expect(look).toMatch(/\(company_id=\? AND worker_id[=>]\?/);
          // Many may have moved from one policy.
          for (const look of looksAt("assignments"))
            if (look.includes("moves_from")) expect(look).toContain("moves_from=? AND worker_id=?)");
        }
      }
    }
  }
  await company.balanceFacts({ limit: 25, workerIds: ASSIGNED });
  expect(looksAt("requests").length).toBeGreaterThan(0);
});

/** How what ran looks for rows of a table, as SQLite says. */
function looksAt(table: string): string[] {
  return seen
    .filter(({ text }) => text.includes(` from ${table}`))
    .flatMap(
      ({ database, text }) => database.query(`explain query plan ${text}`).all() as { detail: string }[],
    )
    .map(({ detail }) => detail)
    .filter((detail) => detail.startsWith(`SEARCH ${table} `));
}

test("what was known: the same statements, each part of which goes to its rows through a key or an index", async () => {
  const writer = openSqliteWriteStore(path, {});
  for (const _night of [1, 2])
    await writer.change("acme", async (transaction) => {
      await transaction.put(
        "requests",
        FACTS.requests.map((row) => ({ ...row, minutes: row.minutes + Math.random() })),
      );
      return { result: null, changed: true, commit: true };
    });
  await writer.close();
  const then = reader.company("acme", undefined, 1);
  for (const page of PAGES) {
    await costs(1, () => listed(then, "workers", page, {}));
    await costs(1, () => listed(then, "workers", page, { departmentIds: ["Sales", "R&D"] }));
    await costs(1, () => listed(then, "requests", page, { workerIds: WORKERS }));
    await costs(1, () => listed(then, "requests", page, { startsBefore: 0, endsOnOrAfter: -86_400_000 }));
    await costs(1, () => listed(then, "assignments", page, { policyIds: POLICIES }));
  }
  const ofRequests: string[] = [];
  for (const place of PLACES)
    for (const workerIds of [undefined, ASSIGNED]) {
      await costs(10, async () => then.balanceFacts({ limit: 25, ...place, workerIds }));
      for (const { database, text } of seen.filter((one) => one.text.startsWith("with ")))
        for (const { detail } of database.query(`explain query plan ${text}`).all() as { detail: string }[]) // as SQLite says
          if (/^SEARCH (stored .*requests_worker|requests_history)/.test(detail)) ofRequests.push(detail);
    }
  expect(ofRequests.length).toBeGreaterThan(1);
  for (const detail of ofRequests) expect(detail).toMatch(/\(company_id=\? AND worker_id[=>]\?/);
});

test("what was known: the assignments of each policy are looked for once, however many workers have changed", async () => {
  const policyIds = FACTS.policies.map(({ id }) => id);
  await reader.company("acme", undefined, 1).balanceFacts({ limit: 25, policyIds });
  const ofPolicies = seen.filter(({ text }) => text.includes("assignments_policy_worker"));
  const details = ofPolicies.flatMap(
    ({ database, text }) => database.query(`explain query plan ${text}`).all() as { detail: string }[], // as SQLite says
  );
  const looks = details.filter(({ detail }) =>
    detail.startsWith("SEARCH stored USING INDEX assignments_policy_worker"),
  );
  expect(looks).toHaveLength(policyIds.length);
});

test.each([
  [["pending", "denied"], false],
  [["approved", "denied"], true],
] as const)("requests that are %p are looked for by time if most are: %p", async (statuses, byTime) => {
  await listed(company, "requests", { limit: 100 }, { statuses, startsBefore: 0 }); // nothing, so that all are gathered
  expect(seen.some(({ text }) => text.includes("from request_buckets not indexed"))).toBe(byTime);
});

test("no value is bound where SQLite would plan again for it", async () => {
  const statements = new Statements(openReader({ path, schema: STORE_SCHEMA }));
  const text =
    "select id from workers where company_id = ?1 and type = 'a?' and status in (?2) order by id limit ?3";
  const statement = statements.prepare(text);
  expect(statement.values(1, "active", 2)).toEqual([]);
  expect(statement.toString()).toBe(
    "select id from workers where company_id = +1 and type = 'a?' and status in (+'active') order by id limit +2",
  );
  statements.close();
});
