// A command that writes waits for another one as long as --wait says, on both engines.
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { sharedServer } from "../support/postgres.ts";
import { EMPTY_STORE } from "../support/stores.ts";
import { done, inFolder, inFolderWithCompany, rollcallHere } from "./command.ts";

setDefaultTimeout(120_000);

const POLICIES = "legacyId,name,paid,unit,schedule,timeOffTypeName\nP,P,yes,day,unlimited,P\n";
const WAITING =
  /another command is writing to the store \(an import, a restore, a migration or a deletion(; process \d+, night as \w+ from [\d.]+, since \d{4}-.+Z)?\): waiting for it to end\n/;

test("of a store file", () =>
  inFolderWithCompany(async (folder) => {
    writeFileSync(join(folder, "policies.csv"), POLICIES);
    const holder = new Database(join(folder, "rollcall.db"));
    holder.run("begin immediate");
    for (const command of [
      ["import", "policies.csv", "--company", "acme"],
      ["companies", "delete", "acme", "--yes"],
    ]) {
      const { exitCode, stderr } = await rollcallHere(folder, [...command, "--wait", "1s"]);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(WAITING);
      expect(stderr).not.toContain("was removed");
      expect(stderr).toContain(
        "Another writer still holds ./rollcall.db after 1 second. Nothing was changed: end that command, or let imports, restores and deletions wait longer (--wait)",
      );
    }
    holder.run("rollback");
    holder.close();
    await done(folder, "import", "policies.csv", "--company", "acme", "--wait", "1s");
  }));

test("of a company in PostgreSQL, and it says which", async () => {
  const db = await (await sharedServer()).createDatabase(EMPTY_STORE);
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "policies.csv"), POLICIES);
    const env = { ROLLCALL_DB: db };
    await rollcallHere(folder, ["companies", "create", "acme"], env);
    const holder = new pg.Client({ connectionString: db, application_name: "night" });
    await holder.connect();
    await holder.query("begin; select id from companies for update");
    const importing = ["import", "policies.csv", "--company", "acme", "--wait", "5s"];
    const { exitCode, stderr } = await rollcallHere(folder, importing, env);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(WAITING);
    expect(stderr).toContain("; process ");
    expect(stderr).toMatch(
      /Another writer \(process \d+, night as .+\) still holds PostgreSQL at .+ after 5 seconds/,
    );
    await holder.end();
    expect((await rollcallHere(folder, importing, env)).exitCode).toBe(0);
  });
});

test("a wait that is no duration is refused", () =>
  inFolderWithCompany(async (folder) => {
    const { exitCode, stderr } = await rollcallHere(folder, [
      "import",
      ".",
      "--company",
      "acme",
      "--wait",
      "soon",
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--wait: "soon" is not a duration: write for example 24h or 90d');
  }));
