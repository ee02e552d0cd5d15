// Closes on the command line: which period a close has, who differs from it and why, what is refused.
import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { dirname } from "node:path";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { SqliteImportTransaction } from "../../src/store/sqlite/transaction.ts";
import type { ReadStore } from "../../src/store/store.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { type Files, folderOf, TestCompany, workersCsv } from "../support/import-files.ts";
import { change, createCompany, makeHook } from "../support/stores.ts";
import { rollcallHere } from "./command.ts";

const REQUEST_COLUMNS = "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId";

const FILES: Files = {
  "workers.csv": workersCsv("E1", "E2"),
  "policies.csv": `legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod
    V,Vacation,yes,day,Vacation,yearly,9600`,
  "assignments.csv": `workerId,policyId,startsOn
    E1,V,2025-01-01
    E2,V,2025-01-01`,
  "requests.csv": `${REQUEST_COLUMNS}
    R1,2025-01-01T00:00:00Z,2025-02-03T08:00:00Z,2025-02-03T16:00:00Z,480,approved,V,E1`,
};

/** A company with these files, and `closes` on its command line. */
async function companyWith(files: Files) {
  const company = await TestCompany.open();
  if (Object.keys(files).length > 0) await company.import(files);
  const of = ["--company", "acme", "--db", company.path];
  const closes = (command: string, ...args: string[]) =>
    rollcallHere(dirname(company.path), ["closes", command, ...of, ...args]);
  return { company, closes };
}

test("a period begins the day after the close before it, else with the month of its last day", async () => {
  const { company, closes } = await companyWith(FILES);
  for (const month of ["2025-03-31", "2025-05-31", "2025-04-30"]) {
    const { stdout, stderr } = await closes("create", month.slice(0, 7), "--through", month);
    expect(stderr).toBe(
      month === "2025-04-30"
        ? "rollcall: note: 2025-05 ends on this day or later, and was closed before: its figures stay what they are\n"
        : "",
    );
    expect(stdout).toMatch(
      /^Closed 2025-0\d: 2 balances, 18,720 minutes, as known on \d{4}-.*Z, sha256 [0-9a-f]{64}\n$/,
    );
  }
  const { stdout } = await closes("list", "--csv");
  expect(
    stdout
      .replaceAll(/[0-9a-f]{64}/g, "…")
      .replaceAll(/20\d\d-[^,]*Z/g, "then")
      .split("\n"),
  ).toEqual([
    "id,from,through,knownOn,balances,minutes,sha256",
    "2025-05,2025-04-01,2025-05-31,then,2,18720,…",
    "2025-04,2025-04-01,2025-04-30,then,2,18720,…",
    "2025-03,2025-03-01,2025-03-31,then,2,18720,…",
    "",
  ]);
  await company.store.close();
});

test("a store that cannot be read is not said to have no close", async () => {
  const { company, closes } = await companyWith(FILES);
  await closes("create", "2025-03", "--through", "2025-03-31");
  expect((await closes("verify", "2025-04")).stderr).toContain("There is no close 2025-04");
  await company.store.close();
  const database = new Database(company.path);
  database.run("alter table closes rename to taken");
  database.close();
  const { exitCode, stderr } = await closes("verify", "2025-03");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("failed (SQLITE_ERROR)")]);
});

test("whose figure differs has a row with every cause; who was erased is counted", async () => {
  const { company, closes } = await companyWith(FILES);
  await closes("create", "2025-03", "--through", "2025-03-31");
  expect((await closes("diff", "2025-03")).stdout).toBe(
    "Nothing differs: every figure of 2025-03 is the same today.\n",
  );
  const heading = "worker,name,policy,closedMinutes,nowMinutes,difference,causes";
  expect((await closes("diff", "2025-03", "--csv")).stdout.trim()).toBe(heading);
  expect((await closes("diff", "2025-03", "--json")).stdout.trim()).toBe("[]");
  expect(await closes("verify", "2025-03")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("2025-03 is what was closed: 2 balances, sha256 "),
  });
  await company.import({
    "adjustments.csv": `legacyId,workerId,policyId,date,minutes
      A1,E1,V,2025-03-03,0.5`,
    "requests.csv": `${REQUEST_COLUMNS}
      R1,2025-01-01T00:00:00Z,2025-02-03T08:00:00Z,2025-02-03T16:00:00Z,600,approved,V,E1`,
  });
  const { stdout } = await closes("diff", "2025-03", "--csv");
  expect(stdout.replaceAll(/(adj|tor)_\w+/g, "$1_…").split("\n")).toEqual([
    heading,
    "E1,Ana Lind,Vacation,9120,9000.5,-119.5,adjustmentAdded adj_… +0.5; leaveChanged tor_… -120",
    "",
  ]);
  await company.import(
    {
      "workers.csv": workersCsv("E2"),
      "assignments.csv": "workerId,policyId,startsOn\nE2,V,2025-01-01",
      "adjustments.csv": "legacyId,workerId,policyId,date,minutes",
      "requests.csv": REQUEST_COLUMNS,
    },
    { isPruning: true, allowedRemovals: 100 },
  );
  const verified = await closes("verify", "2025-03");
  expect(verified.exitCode).toBe(5);
  expect(verified.stdout).toMatch(
    /^2025-03 can no longer be verified: 1 worker \(last by the import of 20\S+Z\) was erased since, and nothing is known of them\. Left: 1 of 2 balances, sha256 [0-9a-f]{64}\n$/,
  );
  const { isSame, erasedWorkers, workersErasedOn } = JSON.parse(
    (await closes("verify", "2025-03", "--json")).stdout,
  );
  expect([isSame, erasedWorkers]).toEqual([null, 1]);
  expect(verified.stdout).toContain(workersErasedOn);
  await company.store.close();
});

test("only people with a figure in a close keep it from being verified, and they do not excuse everything", async () => {
  const { company, closes } = await companyWith(FILES);
  await closes("create", "2025-03", "--through", "2025-03-31");
  const later = {
    "workers.csv": workersCsv("E1", "E2", "E3"),
    "assignments.csv": `${FILES["assignments.csv"]}\n    E3,V,2025-01-01`,
  };
  await company.import(later);
  await company.import(FILES, { isPruning: true, allowedRemovals: 100 });
  const { exitCode, stdout } = await closes("verify", "2025-03", "--json");
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ isSame: true, erasedWorkers: 0, workersErasedOn: null }),
  ]);
  const database = new Database(company.path);
  for (const [workers, requests] of [
    [1, 0],
    [0, 1],
    [1, 1],
  ]) {
    database.run(
      `update closes set digest = 'ab', workers_erased_ms = 0, erased_workers = ${workers}, erased_requests = ${requests}`,
    );
    const isOfRequests = requests === 1;
    const verified = await closes("verify", "2025-03"); // all balances are left
    expect(verified.exitCode).toBe(isOfRequests ? 5 : 1);
    expect(verified.stdout).toContain(
      isOfRequests
        ? `1 request (by the company's retention) ${workers === 1 ? "were" : "was"} erased since, and nothing is known of them. Left: 2 of 2 balances, `
        : "is not what was closed (2 balances, sha256 ab): the store was changed by something else",
    );
  }
  database.close();
  await company.store.close();
});

test("an erased worker explains that the worker's own balances are gone, and no other's", async () => {
  const openings = "workerId,policyId,date,minutes\n    E2,W,2025-06-01,60"; // after the close: no balance in it
  const policies = `${FILES["policies.csv"]}
    W,Wellness,yes,day,Wellness,yearly,480`;
  const assignments = `${FILES["assignments.csv"]}
    E2,W,2025-01-01
    E3,V,2025-01-01`;
  const { company, closes } = await companyWith({
    ...FILES,
    "workers.csv": workersCsv("E1", "E2", "E3"),
    "policies.csv": policies,
    "assignments.csv": assignments,
    "openings.csv": openings,
  });
  expect((await closes("create", "2025-03", "--through", "2025-03-31")).stdout).toContain(": 3 balances,");
  await company.import(
    {
      ...FILES,
      "workers.csv": workersCsv("E1", "E3"),
      "policies.csv": policies,
      "assignments.csv": "workerId,policyId,startsOn\nE1,V,2025-01-01\nE3,V,2025-01-01",
      "openings.csv": "workerId,policyId,date,minutes",
    },
    { isPruning: true, allowedRemovals: 100 },
  );
  const erased = await closes("verify", "2025-03");
  expect([erased.exitCode, erased.stdout]).toEqual([5, expect.stringContaining("Left: 2 of 3 balances")]);
  const database = new Database(company.path);
  const ofThird = "where worker_id = (select id from workers where legacy_id = 'E3')";
  for (const table of ["assignments", "assignments_history"]) database.run(`delete from ${table} ${ofThird}`);
  database.close();
  const tampered = await closes("verify", "2025-03");
  expect([tampered.exitCode, tampered.stdout]).toEqual([
    1,
    expect.stringContaining("2025-03 is not what was closed (3 balances, "),
  ]);
  await company.store.close();
});

test("differences are those of today: closes take no other moment, as the API's", async () => {
  const { company, closes } = await companyWith(FILES);
  await closes("create", "a", "--through", "2025-03-31");
  const then = new Date().toISOString();
  for (const [command, ...names] of [["list"], ["diff", "a"]] as const) {
    const { exitCode, stderr } = await closes(command, ...names, "--known-on", then);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("unknown option --known-on")]);
  }
  await company.store.close();
});

test("a close of one balance says so", async () => {
  const one = {
    "workers.csv": workersCsv("E1"),
    "assignments.csv": "workerId,policyId,startsOn\nE1,V,2025-01-01",
  };
  const { company, closes } = await companyWith({ ...FILES, ...one });
  expect((await closes("create", "a", "--through", "2025-03-31")).stdout).toStartWith(
    "Closed a: 1 balance, ",
  );
  expect((await closes("verify", "a")).stdout).toStartWith("a is what was closed: 1 balance, sha256 ");
  await company.store.close();
});

test("what an import forgets while a command reads it is refused, and never what is known now", async () => {
  const { company } = await companyWith(FILES);
  await Bun.sleep(5);
  const then = new Date().toISOString();
  await Bun.sleep(5);
  const reader = openSqliteReadStore(company.path);
  const stores: ReadStore = Object.getPrototypeOf(reader); // what the command opens, too
  const { knownAt } = stores;
  const spy = spyOn(stores, "knownAt").mockImplementationOnce(async function (this: ReadStore, ...asked) {
    const known = await knownAt.apply(this, asked);
    await change(company.store, "acme", (one) => one.updateCompany({ history: "none" }));
    await company.import({ "workers.csv": workersCsv("E1", "E2", "E3") });
    return known;
  });
  const of = ["--company", "acme", "--db", company.path];
  const { exitCode, stderr } = await rollcallHere(dirname(company.path), [
    ...["workers", "list", ...of, "--known-on", then],
  ]);
  spy.mockRestore();
  await reader.close();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("nothing is known of that moment")]);
  await company.store.close();
});

test.each(ENGINES.map((engine) => [engine.name, engine] as const))(
  "only an import forgets: a shorter history and a deleted close can be taken back until then, on %s",
  async (_, engine) => {
    const { location, writer, close } = await engine.openStore();
    const folder = folderOf(FILES);
    const run = (...args: string[]) => rollcallHere(folder, args, { ROLLCALL_DB: location.address });
    const known = async (then: string) =>
      (await run("workers", "list", "--company", "acme", "--known-on", then)).exitCode === 0;
    const imports = () => run("import", folder, "--company", "acme");
    await createCompany(writer, "acme");
    await imports();
    await Bun.sleep(5);
    const then = new Date().toISOString();
    await Bun.sleep(5);
    await imports();
    await run("closes", "create", "a", "--company", "acme", "--through", "2025-03-31");
    await imports();
    const [{ knownOn }] = JSON.parse((await run("closes", "list", "--company", "acme", "--json")).stdout);
    await run("companies", "set", "acme", "--history", "none");
    expect(await known(then)).toBe(true);
    await run("companies", "set", "acme", "--history", "25mo");
    await imports();
    expect(await known(then)).toBe(true);
    await run("companies", "set", "acme", "--history", "none");
    await imports();
    expect([await known(then), await known(knownOn)]).toEqual([false, true]);
    await run("closes", "delete", "a", "--company", "acme", "--yes");
    expect(await known(knownOn)).toBe(true);
    await imports();
    expect(await known(knownOn)).toBe(false);
    await close();
  },
);

test("differences are in the order of workers and policies as they are shown, whatever their ids", async () => {
  const workers = ["E12", "E2", "E11", "E1", "E10", "E3"];
  const assignments = workers.flatMap((worker) => [`${worker},V,2025-01-01`, `${worker},A,2025-01-01`]);
  const policies = (minutes: number) => `legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod
    V,Vacation,yes,day,Vacation,yearly,${minutes}
    A,Additional leave,yes,day,Vacation,yearly,${minutes}`;
  const { company, closes } = await companyWith({
    "workers.csv": workersCsv(...workers),
    "assignments.csv": ["workerId,policyId,startsOn", ...assignments].join("\n"),
    "policies.csv": policies(9600),
  });
  await closes("create", "2025-03", "--through", "2025-03-31");
  await company.import({ "policies.csv": policies(9000) }, { accepted: new Set(["changes-the-past"]) });
  const inOrder = ["E1", "E2", "E3", "E10", "E11", "E12"].flatMap((worker) => [
    `${worker},Additional leave`,
    `${worker},Vacation`,
  ]);
  const { stdout } = await closes("diff", "2025-03", "--csv");
  const rows = stdout.trim().split("\n").slice(1);
  expect(
    rows.map((row) =>
      row
        .split(",")
        .filter((_, at) => at === 0 || at === 2)
        .join(),
    ),
  ).toEqual(inOrder);
  const objects = JSON.parse((await closes("diff", "2025-03", "--json")).stdout);
  expect(objects).toHaveLength(12);
  await company.store.close();
});

test("a policy that is gone has the name that was known at the close", async () => {
  const { company, closes } = await companyWith(FILES);
  await closes("create", "2025-03", "--through", "2025-03-31");
  await company.import(
    {
      "policies.csv": `legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod
        L,Leave,yes,day,Leave,yearly,9600`,
      "assignments.csv": "workerId,policyId,startsOn",
      "requests.csv": REQUEST_COLUMNS,
    },
    { isPruning: true, allowedRemovals: 100 },
  );
  const { stdout } = await closes("diff", "2025-03", "--csv");
  expect(stdout).toContain("E1,Ana Lind,Vacation,");
  await company.store.close();
});

test("another time zone of the company says which closed figures it changes, and tells hooks", async () => {
  const { company, closes } = await companyWith({
    ...FILES,
    "workers.csv": workersCsv("E1", "E2").replaceAll("Europe/Berlin", ""),
    "requests.csv": `${REQUEST_COLUMNS}
      R1,2025-01-01T00:00:00Z,2025-03-31T20:00:00Z,2025-04-01T04:00:00Z,480,approved,V,E1`,
  });
  await closes("create", "2025-03", "--through", "2025-03-31");
  await company.store.createHook(makeHook("hook_1", "acme"));
  const set = async (zone: string, ...more: string[]) => {
    const args = ["companies", "set", "acme", "--db", company.path, "--time-zone", zone, ...more];
    return (await rollcallHere(dirname(company.path), args)).stdout.split("\n");
  };
  expect(await set("America/Los_Angeles")).toEqual([
    expect.stringContaining("The days of 1 request moved with the time zone"),
    "This changes 1 figure of the close 2025-03: see rollcall closes diff 2025-03 --company acme",
    "",
  ]);
  const events = await company.store.hooks.notes("acme", 0, 10);
  expect(events.map(({ type }) => type)).toContain("time_off.close.differs");
  expect(await set("America/Vancouver")).toHaveLength(2); // the same days
  expect(JSON.parse((await set("UTC", "--json")).join("\n"))).toMatchObject({
    movedRequests: 1,
    closes: ["1 figure of the close 2025-03: see rollcall closes diff 2025-03 --company acme"],
  });
  await company.store.close();
});

test("what no close can be, and closes that are not there, are refused with what to do", async () => {
  const { company, closes } = await companyWith({});
  for (const command of ["list", "create x --through 2025-03-31", "verify x", "diff x", "delete x --yes"]) {
    const [name, ...args] = command.split(" ") as [string, ...string[]];
    expect((await closes(name, ...args, "--company", "acne")).stderr).toContain(
      'There is no company "acne": see rollcall companies list',
    );
  }
  const refused = async (...command: [string, ...string[]]) => {
    const { exitCode, stdout, stderr } = await closes(...command);
    expect([exitCode > 0, stdout]).toEqual([true, ""]);
    return stderr;
  };
  const march = ["--through", "2025-03-31"];
  expect(await refused("create", "2025-03", ...march)).toContain("Nothing was imported yet");
  await company.import(FILES);
  expect(await refused("create", "March 2025", ...march)).toContain("use 1 to 64 of A-Z a-z 0-9 . _ -");
  const forgotten = spyOn(SqliteImportTransaction.prototype, "putClose").mockResolvedValue(false); // as if one had just ended
  expect(await refused("create", "2025-03", ...march)).toContain(
    "The company was changed meanwhile, by an import or another close. Nothing was closed: create it again",
  );
  forgotten.mockRestore();
  await closes("create", "2025-03", ...march);
  expect(await refused("create", "2025-03", "--through", "2025-04-30")).toContain(
    "There is a close 2025-03 already: choose another name, or delete it first",
  );
  expect((await closes("create", "again", ...march)).stderr).toContain(
    "note: 2025-03 ends on this day or later, and was closed before: its figures stay what they are",
  );
  expect((await closes("create", "third", ...march)).stderr).toContain(
    "note: again, 2025-03 end on this day or later, and were closed before: their figures stay what they are",
  );
  await closes("delete", "third", "--yes");
  for (const command of [["verify"], ["diff"], ["delete", "--yes"]])
    expect(await refused(command[0]!, "2025-04", ...command.slice(1))).toContain(
      "There is no close 2025-04: see rollcall closes list",
    );
  expect(await refused("delete", "2025-03")).toContain("cannot be undone: add --yes");
  expect((await closes("delete", "2025-03", "--yes")).stdout).toBe("Deleted the close 2025-03.\n");
  const { stdout } = await closes("delete", "again", "--yes", "--json");
  expect(JSON.parse(stdout)).toEqual({ id: "again", deleted: true });
  expect((await closes("list", "--json")).stdout.trim()).toBe("[]");
  await company.store.close();
});
