// Each kind of trouble is found, named, and comes with what to do.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { environmentFindings } from "../../../src/cli/commands/store/doctor.ts";
import { recomputeDefaultDays } from "../../../src/import/load/kinds/requests.ts";
import { PAGE_BYTES } from "../../../src/store/sqlite/database.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { rollcallHere } from "../command.ts";
import { edit, findings, withCompany } from "./report.ts";

test("a sound store: nothing, with and without --quick, and nothing is changed", () =>
  withCompany(async (db) => {
    const before = readFileSync(db);
    expect(await findings(db)).toEqual([]);
    expect(await findings(db)).toEqual([]);
    expect(await findings(db, "--quick")).toEqual([]);
    expect(readFileSync(db).equals(before)).toBe(true);
  }));

test("a missing store", async () => {
  const [found, ...others] = await findings("/nowhere/rollcall.db");
  expect(others).toEqual([]);
  expect(found).toMatchObject({ check: "presence", problem: "there is no store at /nowhere/rollcall.db" });
});

const EDITS = [
  [
    "references",
    "delete from workers where id = (select worker_id from requests limit 1)",
    "of a worker that does not exist",
  ],
  [
    "references",
    "delete from policies where id = (select policy_id from assignments limit 1)",
    "of a policy that does not exist",
  ],
  [
    "documents",
    "update workers set status = 'onboarding' where status = 'active'",
    "disagree with their column status",
  ],
  ["documents", "update workers set start_day = start_day + 1", "disagree with their column startDay"],
  [
    "documents",
    "update workers set work_email_folded = 'x@y.z' where work_email_folded is not null and id in (select id from workers where work_email_folded is not null limit 1)",
    "disagree with their column workEmailFolded",
  ],
  ["documents", "update workers set doc = 'x'", "do not hold JSON"],
  [
    "documents",
    "update workers set doc = replace(doc, '\"firstName\":', '\"forename\":')",
    "break the contract at",
  ],
  [
    "documents",
    "update policies set doc = replace(doc, ',', ', ')",
    "are not written as the contract orders",
  ],
  [
    "documents",
    "update policies set terms = replace(terms, '\"schedule\":', '\"plan\":')",
    "disagree with their column terms",
  ],
  [
    "documents",
    "update assignments set assigned_day = assigned_day - 1",
    "disagree with their column assignedDay",
  ],
  ["documents", "update workers set terms = '{'", "disagree with their column terms"],
  ["documents", `update workers set terms = '{"workDays":0}'`, "disagree with their column terms"],
  ["documents", `update requests set terms = '{"hours":8}'`, "disagree with their column terms"],
  [
    "documents",
    `update assignments set terms = '{"pauses":[{"first":20001,"last":20000}]}'`,
    "have a value that no import accepts: pauses",
  ],
  ["documents", "update work_hours set minutes = 9e999", "work_hours hold a number that no import accepts"],
  ["documents", "update requests set minutes = minutes + 1", "disagree with their column minutes"],
  ["documents", "update requests set last_day = last_day + 1", "disagree with their column lastDay"],
] as const;

test.each(EDITS)("%s: %s", (check, statement, problem) =>
  withCompany(async (db) => {
    edit(db, statement);
    const found = await findings(db);
    expect(found.every((one) => one.check === check)).toBe(true);
    expect(found.map((one) => one.problem).join("\n")).toContain(problem);
    expect(found.every((one) => one.problem.includes("company acme: ") && one.advice.length > 20)).toBe(true);
  }, 12),
);

test.each([
  "delete from request_buckets where id = (select min(id) from requests)",
  "update request_buckets set bucket = bucket + 500 where id = (select min(id) from requests)",
  "update request_buckets set end_at_ms = end_at_ms + 1 where id = (select min(id) from requests)",
  "update request_buckets set policy_id = 'top_other' where id = (select min(id) from requests)",
])("requests that filters would miss: %s", (statement) =>
  withCompany(async (db) => {
    edit(db, statement);
    const [found, ...others] = await findings(db);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ check: "integrity" });
    expect(found?.advice).toContain("rollcall copy --from");
  }, 12),
);

function withoutZone<R extends { readonly doc: string }>(row: R): R {
  return { ...row, timeZone: null, doc: JSON.stringify({ ...JSON.parse(row.doc), timeZone: null }) };
}

test("days in a company's time zone, of workers and requests that name none", () =>
  withCompany(async (db) => {
    const store = openSqliteWriteStore(db);
    await store.change("acme", async (transaction) => {
      for (const kind of ["workers", "requests"] as const) {
        for await (const rows of transaction.scan(kind)) await transaction.put(kind, rows.map(withoutZone));
      }
      return { result: null, changed: true, commit: true };
    });
    const moved = await store.change("acme", async (transaction) => {
      await transaction.updateCompany({ timeZone: "Pacific/Auckland" });
      return { result: await recomputeDefaultDays(transaction), changed: true, commit: true };
    });
    await store.close();
    expect(moved).toBeGreaterThan(0);
    expect(await findings(db)).toEqual([]);
  }, 12));

test("rows are counted, not listed, and named by id alone", () =>
  withCompany(async (db) => {
    edit(db, "update workers set doc = replace(doc, '\"type\":', '\"kind\":')");
    const [found, ...others] = await findings(db);
    expect(others).toEqual([]);
    expect(found?.problem).toMatch(
      /^company acme: workers break the contract at \S.*: 40 rows, the first is wrk_\w+$/,
    );
  }));

test("keys of a company that does not exist", () =>
  withCompany(async (db) => {
    edit(`${db}-keys`, "update keys set company_id = 'gone'");
    const [found, ...others] = await findings(db);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ check: "keys" });
    expect(found?.advice).toContain("rollcall keys revoke key_");
  }));

test("files that others can open", () =>
  withCompany(async (db) => {
    chmodSync(`${db}-keys`, 0o644);
    const [found, ...others] = await findings(db);
    expect(others).toEqual([]);
    expect(found).toEqual({
      check: "permissions",
      problem: `${db}-keys can be opened by others than its owner (mode 0644)`,
      advice: `chmod 600 '${db}-keys'`,
    });
  }));

test("a restore that was killed", () =>
  withCompany(async (db) => {
    const left = `${db}.part-${Bun.spawnSync(["true"]).pid}-keys`;
    writeFileSync(left, "half");
    const [found] = await findings(db);
    expect(found).toMatchObject({ check: "left-overs", advice: `rm '${left}'` });
  }));

test("a trigger that somebody removed: nothing is written without history, and a backup brings it back", () =>
  withCompany(async (db) => {
    const run = (...args: string[]) => rollcallHere(dirname(db), args, { ROLLCALL_DB: db });
    expect(await run("backup", "--out", "whole.backup")).toMatchObject({ exitCode: 0 });
    edit(db, "drop trigger requests_update", "drop index workers_email");
    const problem = "lacks parts of its store: the index workers_email, the trigger requests_update";
    expect(await findings(db)).toMatchObject([
      {
        check: "parts",
        problem: expect.stringContaining(problem),
        advice: expect.stringContaining("rollcall restore"),
      },
    ]);
    const { exitCode, stderr } = await run("companies", "set", "acme", "--name", "Acme Ltd");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(problem)]);
    expect(await run("backup", "--out", "later.backup")).toMatchObject({ exitCode: 0 });
    expect(await run("restore", "whole.backup", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await findings(db)).toEqual([]);
  }));

test("another version's schema, another program's database, no database", () =>
  withCompany(async (db) => {
    edit(db, "pragma user_version = 99999999");
    expect((await findings(db))[0]).toMatchObject({
      check: "schema",
      advice: expect.stringContaining("or restore a backup from before"),
    });
    edit(db, "pragma user_version = 1", "pragma application_id = 7");
    expect((await findings(db))[0]?.problem).toContain("a database of another program");
    edit(db, "pragma application_id = 0x526f6c42"); // "RolB"
    expect((await findings(db))[0]).toMatchObject({
      problem: expect.stringContaining("is a backup, not a store"),
      advice: "make a store of it with rollcall restore",
    });
    writeFileSync(db, "id,name\n".repeat(2000));
    expect((await findings(db))[0]?.problem).toContain("is not a Rollcall store");
  }));

test.each(["", "-keys"])("a damaged page, a file cut short (rollcall.db%s)", (suffix) =>
  withCompany(async (db) => {
    const path = db + suffix;
    const bytes = readFileSync(path);
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, bytes.length - PAGE_BYTES); // the last page, from its first byte
    writeFileSync(path, damaged);
    expect((await findings(db))[0]).toMatchObject({ check: "integrity" });
    writeFileSync(path, bytes);
    truncateSync(path, bytes.length - PAGE_BYTES);
    expect((await findings(db))[0]).toMatchObject({ check: "integrity" });
    rmSync(path);
  }),
);

test("a store that was cut to nothing: no command makes a new one of it, and a backup brings it back", () =>
  withCompany(async (db) => {
    const folder = dirname(db);
    const run = (...args: string[]) => rollcallHere(folder, args, { ROLLCALL_DB: db });
    expect(await run("backup", "--out", "whole.backup")).toMatchObject({ exitCode: 0 });
    rmSync(`${db}-wal`, { force: true });
    rmSync(`${db}-shm`, { force: true });
    truncateSync(db, 0);
    for (const args of [
      ["companies", "list"],
      ["export", "--company", "acme", "--out", "exported"],
      ["backup", "--out", "empty.backup"],
      ["keys", "list", "--company", "acme"],
      ["migrate"],
      ["serve", "--port", "0"],
    ]) {
      const { exitCode, stderr } = await run(...args);
      expect(stderr).toContain(
        `${db} is empty: nothing of Rollcall is in it: if it was a store, bring back a backup`,
      );
      expect(exitCode).toBe(1);
      expect(statSync(db).size).toBe(0);
    }
    expect((await findings(db))[0]).toMatchObject({
      check: "schema",
      advice: expect.stringContaining("bring back a backup with rollcall restore"),
    });
    expect(await run("restore", "whole.backup", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await findings(db)).toEqual([]);
  }));

test("settings that no command reads, and settings that serving would refuse", () => {
  const known = new Set(["ROLLCALL_PORT", "ROLLCALL_DB"]);
  expect(environmentFindings({ ROLLCALL_PORT: "4011", HOME: "/" }, known)).toEqual([]);
  expect(environmentFindings({ ROLLCALL_PROT: "4011" }, known)).toEqual([
    {
      check: "settings",
      problem: "ROLLCALL_PROT is set, and no command reads it",
      advice: "unset it (did you mean ROLLCALL_PORT?)",
    },
  ]);
  expect(environmentFindings({ ROLLCALL_PORT: "many" }, known)[0]?.problem).toContain('--port: "many"');
});

test("a full examination clears the store's log behind it", () =>
  withCompany(async (db) => {
    expect(await findings(db)).toEqual([]);
    expect(existsSync(`${db}-wal`)).toBe(false);
  }, 12));
