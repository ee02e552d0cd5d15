// A store that cannot be asked, or refuses, is a finding like any other: on stdout, as JSON with --json, with exit code 1.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../../src/store/engine.ts";
import { migratePostgres } from "../../../src/store/postgres/maintenance/role.ts";
import { sharedServer } from "../../support/postgres.ts";
import { inFolder, rollcallHere } from "../command.ts";

interface Report {
  readonly db: string;
  readonly sound: boolean;
  readonly findings: readonly Finding[];
}

async function reportOn(db: string): Promise<Report> {
  const { exitCode, stdout, stderr } = await rollcallHere("/", ["doctor", "--json"], { ROLLCALL_DB: db });
  expect(stderr).toMatch(/^rollcall: .* needs attention: \d found\n$/);
  expect(exitCode).toBe(1);
  expect(stdout + stderr).not.toMatch(/s3#?cret|:password@\d/);
  const report = JSON.parse(stdout) as Report; // its own form
  expect(report.sound).toBe(false);
  return report;
}

test("PostgreSQL: a wrong password, nobody there, no database, no store, an address that is none", async () => {
  const server = await sharedServer();
  const cases: readonly (readonly [db: string, problem: RegExp, advice: RegExp])[] = [
    [
      server.url("postgres", "postgres", "s3cret"),
      /^PostgreSQL at \S+ does not let this role in$/,
      /^check the name and the password/,
    ],
    ["postgres://u:s3cret@127.0.0.1:9/db", /cannot be reached \(ECONNREFUSED\)$/, /^check the address, and/],
    [server.url("not_there"), /not_there does not exist$/, /^create the database/],
    [await server.createDatabase(), /^There is no store at PostgreSQL/, /^make one with rollcall migrate/],
    ["postgres://u:s3#cret@127.0.0.1/db", /^The address of the store is malformed$/, /^write postgres:/],
  ];
  for (const [db, problem, advice] of cases) {
    const { findings } = await reportOn(db);
    expect(findings).toEqual([
      {
        check: "presence",
        problem: expect.stringMatching(problem),
        advice: expect.stringMatching(advice),
      },
    ]);
  }
}, 120_000);

test("PostgreSQL: a store of another version, and one that the role may not read", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  const name = new URL(db).pathname.slice(1);
  const role = `reader_of_${name.slice(-8)}`;
  await migratePostgres(db, { name: role, password: "s3cret" });
  await server.run(`revoke select on companies from ${role}`, [], name);
  const unread = await reportOn(server.url(name, role, "s3cret"));
  expect(unread.findings.map(({ check }) => check)).toEqual(["grants", "grants"]);
  expect(unread.findings[1]).toMatchObject({ problem: expect.stringContaining("This role may not do that") });
  await server.run("update rollcall_schema set version = 99999999", [], name);
  const newer = await reportOn(server.url(name, role, "s3cret"));
  expect(newer.findings[1]).toMatchObject({
    check: "schema",
    advice: expect.stringContaining("or restore a backup from before"),
  });
}, 120_000);

test("a path that leads nowhere, to a folder, or to what is no store", async () => {
  await inFolder(async (folder) => {
    mkdirSync(join(folder, "folder.db"));
    writeFileSync(join(folder, "text.db"), "just some text\n".repeat(100));
    for (const [path, check] of [
      ["nowhere.db", "presence"],
      ["text.db/x.db", "presence"],
      ["folder.db", "integrity"],
      ["text.db", "schema"],
    ] as const) {
      const { findings } = await reportOn(join(folder, path));
      expect(findings.filter((one) => one.check !== "permissions").map((one) => one.check)).toEqual([check]);
    }
  });
}, 120_000);
