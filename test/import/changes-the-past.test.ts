// What changed of a policy without a date: refused where a balance of the past would be another, stored as a change from a day on where the
// operator says so, and let through where it is accepted. The kind is in record.md's opening: a raise and a carry-over limit of 0.
import { describe, expect, test } from "bun:test";
import { readFacts } from "../../src/balance-facts.ts";
import { balance } from "../../src/balances/balance.ts";
import type { ImportOptions } from "../../src/import/report.ts";
import type { Policy } from "../../src/resources/policies.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { dayOfText } from "../../src/time/day.ts";
import { rollcallHere } from "../cli/command.ts";
import { type Files, folderOf, TestCompany, workersCsv } from "../support/import-files.ts";

const on = (today: string, more: Partial<ImportOptions> = {}) => ({ today: dayOfText(today), ...more });

/** A file with one policy: these cells in place of the usual ones. */
function policy(cells: Readonly<Record<string, string | number>> = {}): string {
  const all = {
    ...{ legacyId: "V", name: "Vacation", paid: "yes", unit: "day", timeOffTypeName: "Vacation" },
    ...{ schedule: "yearly", minutesPerPeriod: 9600, carryoverLimitMinutes: 24_000, ...cells },
  };
  return `${Object.keys(all).join(",")}\n${Object.values(all).join(",")}\n`;
}

const FILES: Files = {
  "workers.csv": workersCsv("E1", "E2"),
  "policies.csv": policy(),
  "assignments.csv": "workerId,policyId,startsOn\nE1,V,2024-01-01\nE2,V,2024-01-01\n",
};

async function company(files: Files = FILES): Promise<TestCompany> {
  const opened = await TestCompany.open();
  await opened.import(files, on("2026-03-10"));
  return opened;
}

async function closing(of: TestCompany, date: string): Promise<number[]> {
  const store = openSqliteReadStore(of.path);
  try {
    const day = dayOfText(date);
    const { assignments } = await readFacts(store.company(of.id), { limit: 100 });
    return assignments.map(({ facts }) => balance(facts, { today: day, endDate: day }).available);
  } finally {
    await store.close();
  }
}

const refusal = (examples: string) =>
  expect.stringMatching(
    new RegExp(
      `^changes of \\d polic\\w+ would change past balances \\(${examples}\\): .*--rules-from.*\\[changes-the-past\\]$`,
    ),
  );

describe("is refused", () => {
  const base = { carryoverExpiresAfterMonths: 6, balanceCapMinutes: 90_000 };
  test.each<[string, Record<string, string | number>, Record<string, string | number>, string]>([
    ["a raise", {}, { minutesPerPeriod: 12_000 }, "Vacation on 2026-01-01: 2 people, 14400 minutes"],
    [
      "a carry-over limit of 0",
      {},
      { carryoverLimitMinutes: 0 },
      "Vacation on 2026-01-01: 2 people, 38400 minutes",
    ],
    ["no carry-over limit", { carryoverLimitMinutes: 0 }, { carryoverLimitMinutes: "" }, ".*"],
    ["timing", {}, { accrualTiming: "lastDay" }, ".*"],
    ["a tier", {}, { tiers: "12:10000" }, ".*"],
    ["a cap", {}, { balanceCapMinutes: 10_000 }, ".*"],
    ["a yearly cap", {}, { yearlyAccrualCapMinutes: 1000 }, ".*"],
    ["an expiry", {}, { carryoverExpiresAfterMonths: 1 }, "Vacation on 2026-01-01.*"],
    ["what is kept", base, { ...base, carryoverKeepsMinutes: 100 }, ".*"],
    ["rounding", { minutesPerPeriod: 9610 }, { minutesPerPeriod: 9610, roundGrantsToMinutes: 60 }, ".*"],
    ["an expiry of grants", {}, { grantsExpireAfterMonths: 12, carryoverLimitMinutes: "" }, ".*"],
    ["a wait", {}, { waitingPeriodDays: 5000 }, ".*"],
    ["the most that can be used", {}, { useCapMinutes: 480 }, ".*"],
    ["the day of the leave year", {}, { yearStartsOn: "04-01" }, ".*"],
    ["the schedule", {}, { schedule: "monthly", minutesPerPeriod: 800 }, ".*"],
  ])("%s", async (_, before, after, examples) => {
    const acme = await company({ ...FILES, "policies.csv": policy(before) });
    const stored = await acme.stored();
    expect(await acme.refused({ "policies.csv": policy(after) }, on("2026-03-11"))).toEqual([
      refusal(examples),
    ]);
    expect(await acme.stored()).toEqual(stored);
  });

  test("also without a year boundary behind it: by the balance of yesterday", async () => {
    const files = { ...FILES, "assignments.csv": "workerId,policyId,startsOn\nE1,V,2026-02-01\n" };
    const acme = await company({ ...files, "policies.csv": policy({ prorate: "no" }) });
    const raised = policy({ prorate: "no", minutesPerPeriod: 9660 });
    expect(await acme.refused({ "policies.csv": raised }, on("2026-03-11"))).toEqual([
      refusal("Vacation on 2026-03-10: 1 person, 60 minutes"),
    ]);
  });

  test("a change that is gone, or has other terms, but none with a new day", async () => {
    const changes = (...rows: string[]) => ["policyId,from,minutesPerPeriod", ...rows].join("\n");
    const dated = (...rows: string[]) => ({ ...FILES, "policy_changes.csv": changes(...rows) });
    const acme = await company(dated("V,2025-01-01,12000"));
    const late = dated("V,2025-01-01,12000", "V,2026-01-01,13000");
    await acme.import(late, on("2026-03-11"));
    expect(await closing(acme, "2026-03-11")).toEqual([34_600, 34_600]);
    const other = dated("V,2025-01-01,12060", "V,2026-01-01,13000");
    expect(await acme.refused(other, on("2026-03-11"))).toEqual([
      refusal("Vacation on 2026-01-01: 2 people, 120 minutes"),
    ]);
    const pruned = dated("V,2026-01-01,13000");
    expect(await acme.refused(pruned, on("2026-03-11", { isPruning: true }))).toEqual([refusal(".*")]);
  });

  test("on the boundary of each, where years begin with the assignment", async () => {
    const anniversary = { periodAnchor: "anniversary" };
    const assignments = "workerId,policyId,startsOn\nE1,V,2024-02-01\nE2,V,2024-05-01\n";
    const acme = await company({
      ...FILES,
      "policies.csv": policy(anniversary),
      "assignments.csv": assignments,
    });
    const raised = policy({ ...anniversary, minutesPerPeriod: 9700 });
    expect(await acme.refused({ "policies.csv": raised }, on("2026-03-11"))).toEqual([
      refusal("Vacation on the first such day of each person: 2 people, 500 minutes"),
    ]);
  });

  test("of a balance that has moved to another policy", async () => {
    const assignments = "workerId,policyId,startsOn,movesFrom\nE1,V,2024-01-01,\nE1,W,2025-07-01,V\n";
    const both = (amount: number) =>
      policy({ minutesPerPeriod: amount }) + policy({ legacyId: "W", name: "Other" }).split("\n")[1];
    const acme = await company({ ...FILES, "policies.csv": both(9600), "assignments.csv": assignments });
    expect(await acme.refused({ "policies.csv": both(12_000) }, on("2026-03-11"))).toEqual([
      refusal("Other on 2026-01-01: 1 person, .* minutes"),
    ]);
  });
});

describe("is let through", () => {
  test("if no past balance changes, or if that is accepted", async () => {
    const acme = await company();
    const unused = policy({ balanceCapMinutes: 90_000 });
    expect((await acme.import({ "policies.csv": unused }, on("2026-03-11"))).findings).toEqual([]);
    const accepted: ImportOptions["accepted"] = new Set(["changes-the-past"]);
    await acme.import(
      { "policies.csv": policy({ minutesPerPeriod: 12_000 }) },
      on("2026-03-11", { accepted }),
    );
    expect(await closing(acme, "2025-12-31")).toEqual([24_000, 24_000]);
  });

  test("a dry run reports it, and goes on", async () => {
    const acme = await company();
    const raised = { "policies.csv": policy({ minutesPerPeriod: 12_000 }) };
    const { refusals } = await acme.import(raised, on("2026-03-11", { isDryRun: true }));
    expect(refusals).toEqual([refusal(".*")]);
  });
});

describe("from a day on", () => {
  const raised = { "policies.csv": policy({ minutesPerPeriod: 12_000, carryoverLimitMinutes: 0 }) };
  const rulesFrom = dayOfText("2027-01-01");

  async function shown(of: TestCompany): Promise<Pick<Policy, "minutesPerPeriod" | "changes">> {
    const [stored] = (await of.stored()).policies;
    const { minutesPerPeriod, changes } = JSON.parse(stored!.doc) as Policy; // what the import wrote
    return { minutesPerPeriod, changes };
  }

  test("the difference is stored as a change, and the same file changes nothing more", async () => {
    const acme = await company();
    const report = await acme.import(raised, on("2026-03-11", { rulesFrom }));
    expect(report.findings).toEqual([]);
    expect(report.notes).toEqual([
      "Vacation: minutesPerPeriod, carryoverLimitMinutes apply from 2027-01-01 on",
    ]);
    const changes = [{ from: "2027-01-01", minutesPerPeriod: 12_000, rules: { carryoverLimitMinutes: 0 } }];
    expect(await shown(acme)).toMatchObject({ minutesPerPeriod: 9600, changes });
    expect(await closing(acme, "2025-12-31")).toEqual([19_200, 19_200]);
    expect(await closing(acme, "2027-01-01")).toEqual([12_000, 12_000]);
    for (const today of ["2026-03-12", "2027-01-02"]) {
      const again = await acme.import(
        { "policies.csv": `${raised["policies.csv"]}\n` },
        on(today, { program: today }),
      );
      expect([again.findings, again.notes]).toEqual([[], []]);
      expect((await shown(acme)).changes).toMatchObject(changes);
    }
    expect(
      await acme.refused({ "policies.csv": policy({ carryoverLimitMinutes: 0 }) }, on("2027-03-01")),
    ).toEqual([refusal("Vacation on 2027-01-01: 2 people, .* minutes")]);
  });

  test("a later change adds to it, and none may be before another", async () => {
    const acme = await company();
    await acme.import(raised, on("2026-03-11", { rulesFrom }));
    const more = { "policies.csv": policy({ minutesPerPeriod: 13_000, carryoverLimitMinutes: 0 }) };
    expect(await acme.refused(more, on("2026-03-12", { rulesFrom: rulesFrom - 1 }))).toEqual([
      '--rules-from 2026-12-31: "Vacation" already changes on 2027-01-01: give that day or a later one',
    ]);
    await acme.import(more, on("2027-06-01", { rulesFrom: dayOfText("2028-01-01") }));
    expect((await shown(acme)).changes).toMatchObject([
      { from: "2027-01-01", minutesPerPeriod: 12_000 },
      { from: "2028-01-01", minutesPerPeriod: 13_000, rules: {} },
    ]);
    // Back to what it was at first is a change, too.
    await acme.import({ "policies.csv": policy() }, on("2028-06-01", { rulesFrom: dayOfText("2029-01-01") }));
    expect((await shown(acme)).changes.at(-1)).toMatchObject({
      ...{ from: "2029-01-01", minutesPerPeriod: 9600 },
      rules: { carryoverLimitMinutes: 24_000 },
    });
  });

  test("a file that takes back what was to come is told of, and so is one that ends it", async () => {
    const acme = await company();
    await acme.import(raised, on("2026-03-11", { rulesFrom }));
    const ended = await acme.import({ "policies.csv": policy() }, on("2026-03-12", { rulesFrom }));
    expect(ended.notes).toEqual(["Vacation: the terms of before apply from 2027-01-01 on"]);
    await acme.import(raised, on("2026-03-13", { rulesFrom }));
    const back = await acme.import({ "policies.csv": policy() }, on("2026-03-14"));
    expect(back.notes).toEqual([
      "Vacation: what changed from 2027-01-01 on is gone: the terms of the file hold for all time",
    ]);
    expect(await shown(acme)).toEqual({ minutesPerPeriod: 9600, changes: [] });
  });

  test("a mapping does so every night", async () => {
    const acme = await company();
    const nights = async (today: string, file: string, map: object) => {
      const folder = folderOf({ "policies.csv": file, "acme.map.json": JSON.stringify(map) });
      return acme.importFolder(folder, on(today, { program: today }), `${folder}/acme.map.json`);
    };
    const map = { policies: { from: "policies.csv", changes: "nextPeriod" } };
    const twelve = policy({ minutesPerPeriod: 12_000 });
    expect((await nights("2026-03-11", twelve, map)).findings).toEqual([]);
    expect((await nights("2026-03-12", twelve, map)).notes).toEqual([]);
    await nights("2026-05-01", policy({ minutesPerPeriod: 12_600 }), map);
    expect((await shown(acme)).changes).toMatchObject([
      { from: "2026-03-11", minutesPerPeriod: 12_000 },
      { from: "2026-05-01", minutesPerPeriod: 12_600 },
    ]);
    expect(await closing(acme, "2026-12-31")).toEqual([28_800, 28_800]);
    expect(await closing(acme, "2027-01-01")).toEqual([36_600, 36_600]);
    await expect(
      nights("2026-05-02", twelve, { ...map, policies: { ...map.policies, changes: "now" } }),
    ).rejects.toThrow('acme.map.json: policies.changes: "now" is not "nextPeriod"');
    const others = { workers: { from: "policies.csv", changes: "nextPeriod" } };
    await expect(nights("2026-05-02", twelve, others)).rejects.toThrow("changes: is for policies alone");
  });

  test("another schedule is another policy, and files that have changes say the day themselves", async () => {
    const acme = await company();
    const monthly = { "policies.csv": policy({ schedule: "monthly", minutesPerPeriod: 800 }) };
    expect(await acme.refused(monthly, on("2026-03-11", { rulesFrom }))).toEqual([refusal(".*")]);
    const both = { ...raised, "policy_changes.csv": "policyId,from,minutesPerPeriod\nV,2027-01-01,12000\n" };
    expect(await acme.refused(both, on("2026-03-11", { rulesFrom }))).toEqual([
      "--rules-from: the files have policy_changes: write there what counts from which day on",
    ]);
    expect(await acme.refused({ "workers.csv": workersCsv("E1") }, on("2026-03-11", { rulesFrom }))).toEqual([
      "--rules-from: the files have no policies",
    ]);
  });
});

test("the command refuses, and names the options to continue", async () => {
  const acme = await company();
  await acme.store.close();
  const folder = folderOf({ "policies.csv": policy({ minutesPerPeriod: 12_000 }) });
  const command = (...more: string[]) =>
    rollcallHere(folder, ["import", folder, "--company", "acme", "--db", acme.path, ...more]);
  const refused = await command();
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("[changes-the-past]")]);
  const wrong = await command("--rules-from", "soon");
  expect(wrong.exitCode).toBe(2);
  const done = await command("--rules-from", "2099-01-01");
  expect([done.exitCode, done.stderr]).toEqual([
    0,
    expect.stringContaining("minutesPerPeriod applies from 2099-01-01 on"),
  ]);
  expect(await rollcallHere(folder, ["doctor", "--db", acme.path])).toMatchObject({ exitCode: 0 });
});
