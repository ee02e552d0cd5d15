// An import that changes what was closed: it says so, and tells hooks. A rule that would change it is refused.
import { expect, test } from "bun:test";
import { closed } from "../../src/http/routes/closes.ts";
import type { ImportOptions } from "../../src/import/report.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { dayOfText } from "../../src/time/day.ts";
import { type Files, TestCompany, workersCsv } from "../support/import-files.ts";
import { change, makeHook } from "../support/stores.ts";

const on = (today: string, more: Partial<ImportOptions> = {}) => ({ today: dayOfText(today), ...more });

const POLICIES = (minutes: number) => `legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod
  V,Vacation,yes,day,Vacation,yearly,${minutes}
  W,Other,yes,day,Other,yearly,4800`;

const FILES: Files = {
  "workers.csv": workersCsv("E1", "E2", "E3"),
  "policies.csv": POLICIES(9600),
  "assignments.csv": `workerId,policyId,startsOn
    E1,V,2024-01-01
    E2,V,2024-01-01
    E2,W,2024-01-01
    E3,V,2026-02-01`,
};

/** Requests of eight hours, each as `R1 E1 2026-01-12 approved`. */
function leave(...requests: string[]): Files {
  const rows = requests.map((request) => {
    const [id, worker, day, status] = request.split(" ");
    return `${id},2026-01-01T00:00:00Z,${day}T08:00:00Z,${day}T16:00:00Z,480,${status},V,${worker}`;
  });
  const columns = "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId";
  return { "requests.csv": [columns, ...rows].join("\n") };
}

/** A company with closes through the end of January and of February 2026, and a hook. */
async function closedCompany(): Promise<TestCompany> {
  const company = await TestCompany.open();
  await company.import({ ...FILES, ...leave("R1 E1 2026-01-12 approved") }, on("2026-03-10"));
  await closeMonths(
    company,
    ["2026-01", "2026-01-01", "2026-01-31"],
    ["2026-02", "2026-02-01", "2026-02-28"],
  );
  return company;
}

type Period = readonly [name: string, firstDay: string, lastDay: string];

/** Closes these months, and makes a hook. */
async function closeMonths(company: TestCompany, ...months: readonly Period[]): Promise<void> {
  const reader = openSqliteReadStore(company.path);
  for (const [name, firstDay, lastDay] of months) {
    const { revision, atMs } = await reader.knownAt("acme", Date.now());
    const period = {
      ...{ firstDay: dayOfText(firstDay), lastDay: dayOfText(lastDay) },
      ...{ revision: revision!, atMs: atMs! },
    };
    const close = {
      name,
      ...period,
      ...(await closed(reader.company("acme"), period)),
      erasedWorkers: 0,
      erasedBalances: 0,
      erasedRequests: 0,
      workersErasedMs: null,
    };
    await change(company.store, "acme", (transaction) => transaction.putClose(close));
  }
  await reader.close();
  await company.store.createHook(makeHook("hook_1", "acme", { events: ["time_off.close.differs"] }));
}

async function told(company: TestCompany, files: Files, options: Partial<ImportOptions> = {}) {
  const before = (await company.store.hooks.newest()).get("acme") ?? 0;
  const { notes } = await company.import(files, on("2026-03-11", options));
  const events = await company.store.hooks.notes("acme", before, 100);
  const closes = events.filter(({ type }) => type === "time_off.close.differs").map(({ ids }) => ids);
  return { notes: notes.filter((note) => note.includes("close")), closes };
}

test("late leave changes the closes that end on its first day or later", async () => {
  const company = await closedCompany();
  const one = "R1 E1 2026-01-12 approved";
  const note = (close: string, figures: string) =>
    `this import changes ${figures} of the close ${close}: see rollcall closes diff ${close} --company acme`;
  expect(await told(company, leave(one, "R2 E2 2026-02-02 approved"))).toEqual({
    notes: [note("2026-02", "1 figure")],
    closes: [{ closeId: "2026-02", balances: 1 }],
  });
  expect(await told(company, leave("R1 E1 2026-01-12 denied"))).toEqual({
    notes: [note("2026-02", "1 figure"), note("2026-01", "1 figure")],
    closes: [
      { closeId: "2026-02", balances: 1 },
      { closeId: "2026-01", balances: 1 },
    ],
  });
});

test("late leave under an unlimited policy changes them, too, although its balance is 0", async () => {
  const company = await TestCompany.open();
  const files = {
    "workers.csv": workersCsv("E1"),
    "policies.csv": "legacyId,name,paid,unit,timeOffTypeName,schedule\nV,Unpaid,no,day,Unpaid,unlimited",
    "assignments.csv": "workerId,policyId,startsOn\nE1,V,2024-01-01",
  };
  await company.import({ ...files, ...leave("R1 E1 2026-01-12 approved") }, on("2026-03-10"));
  await closeMonths(company, ["2026-01", "2026-01-01", "2026-01-31"]);
  const { closes } = await told(company, leave("R2 E1 2026-01-13 approved"));
  expect(closes).toEqual([{ closeId: "2026-01", balances: 1 }]);
  expect((await told(company, leave("R3 E1 2026-02-02 approved"))).closes).toEqual([]);
});

test("nothing is told of a worker who was removed", async () => {
  const company = await closedCompany();
  const workers = { ...FILES, "workers.csv": workersCsv("E2", "E3"), ...leave() };
  const assignments = "workerId,policyId,startsOn\nE2,V,2024-01-01\nE2,W,2024-01-01\nE3,V,2026-02-01";
  const pruning = { isPruning: true, allowedRemovals: 100 };
  expect(await told(company, { ...workers, "assignments.csv": assignments }, pruning)).toEqual({
    notes: [],
    closes: [],
  });
});

test("later facts and unchanged facts change no close", async () => {
  const company = await closedCompany();
  const late = "R2 E2 2026-02-02 approved";
  await told(company, leave(late));
  const nothing = { notes: [], closes: [] };
  expect(await told(company, leave(late))).toEqual(nothing);
  expect(await told(company, leave(late, "R3 E2 2026-03-02 approved"))).toEqual(nothing);
  expect(await told(company, leave("R4 E1 2026-01-13 pending"))).toEqual(nothing);
});

test("a new or removed balance changes a close, and a rule changes the balances of all its workers", async () => {
  const company = await closedCompany();
  const assignments = `workerId,policyId,startsOn
    E1,V,2024-01-01
    E1,W,2024-01-01
    E2,V,2024-01-01`;
  const { closes } = await told(
    company,
    { "assignments.csv": assignments },
    { isPruning: true, allowedRemovals: 100 },
  );
  expect(closes).toEqual([
    { closeId: "2026-02", balances: 3 },
    { closeId: "2026-01", balances: 2 },
  ]);
  const raised = { "policies.csv": POLICIES(12_000) };
  const [refusal] = await company.refused(raised, on("2026-03-11"));
  expect(refusal).toContain("Vacation on 2026-01-01: 2 people");
  const accepted: ImportOptions["accepted"] = new Set(["changes-the-past"]);
  expect((await told(company, raised, { accepted })).closes).toEqual([
    { closeId: "2026-02", balances: 2 },
    { closeId: "2026-01", balances: 2 },
  ]);
});

test("a rule of the policy from which a balance moved changes its close, too", async () => {
  const company = await TestCompany.open();
  const files = {
    "workers.csv": workersCsv("E1", "E2"),
    "policies.csv": POLICIES(9600),
    "assignments.csv": `workerId,policyId,startsOn,endsOn,movesFrom
      E1,V,2024-01-01,2025-06-30,
      E1,W,2025-07-01,,V
      E2,W,2025-07-01,,`,
  };
  await company.import(files, on("2026-03-10"));
  await closeMonths(company, ["2026-01", "2026-01-01", "2026-01-31"]);
  const accepted: ImportOptions["accepted"] = new Set(["changes-the-past"]);
  const { closes } = await told(company, { "policies.csv": POLICIES(12_000) }, { accepted });
  expect(closes).toEqual([{ closeId: "2026-01", balances: 1 }]);
});

test("a rule that changes only a closed figure is refused, with the day of the close", async () => {
  const company = await closedCompany();
  const changes = (minutes: number) => `policyId,from,minutesPerPeriod
    V,2024-06-01,${minutes}
    V,2025-06-01,9600`;
  await company.import({ ...FILES, "policy_changes.csv": changes(9600) }, on("2026-03-11"));
  const reader = openSqliteReadStore(company.path);
  const { revision, atMs } = await reader.knownAt("acme", Date.now());
  const period = {
    ...{ firstDay: dayOfText("2025-01-01"), lastDay: dayOfText("2025-01-31") },
    ...{ revision: revision!, atMs: atMs! },
  };
  const close = {
    name: "2025-01",
    ...period,
    ...(await closed(reader.company("acme"), period)),
    erasedWorkers: 0,
    erasedBalances: 0,
    erasedRequests: 0,
    workersErasedMs: null,
  };
  await change(company.store, "acme", (transaction) => transaction.putClose(close));
  await reader.close();
  const [refusal] = await company.refused(
    { ...FILES, "policy_changes.csv": changes(9000) },
    on("2026-03-11"),
  );
  expect(refusal).toContain("Vacation on 2025-01-31, the end of the close 2025-01: 2 people, 1200 minutes");
});
