// Presets: each takes a made-up export in the shape of its system from files to balances, with no mapping of one's own and
// with one that extends it.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/http/app.ts";
import { PRESETS } from "../../src/import/convert/mapping-file.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { mapFile } from "../import/convert/mapped.ts";
import { findingsOf, folderOf, TestCompany } from "../support/import-files.ts";
import { addKey } from "../support/stores.ts";

/** Exports of these systems have what a policy grants: test/pull/presets.test.ts tells their balances. */
const KNOW_GRANTS: ReadonlySet<string> = new Set(["frappe", "gusto", "odoo", "warp"]);

/** What Ana has left by exports that say it. */
const LEFT: Readonly<Record<string, number>> = {
  bamboohr: 13.5 * 480,
  factorial: 15.5 * 480,
  gusto: 120 * 60,
  personio: 14.5 * 480,
};

const SAMPLES = join(import.meta.dir, "../../examples/presets");

test("each preset has a sample, and each sample a preset", () => {
  expect(readdirSync(SAMPLES).sort()).toEqual(PRESETS.map(({ name }) => name).sort());
});

describe.each(PRESETS.map(({ name }) => name))("%s", (name) => {
  test("says what to do with another export of the system", async () => {
    const company = await TestCompany.open();
    const other = company.importFolder(folderOf({ "Absences.csv": "Employee,From,To\n1,a,b\n" }), {}, name);
    expect((await findingsOf(other)).join("\n")).toMatch(
      /among the given files: Absences.csv. The preset reads the files that rollcall map presets lists; for other exports/,
    );
  });

  test("loads its sample without a mapping of one's own", async () => {
    const company = await TestCompany.open();
    const report = await company.importFolder(join(SAMPLES, name), {}, name);
    const { workers, policies, assignments, requests } = await company.stored();
    const people = workers
      .map((row) => ({ ...JSON.parse(row.doc), endDay: row.endDay }))
      .sort((a, b) => (a.firstName < b.firstName ? -1 : 1));
    expect(people).toMatchObject([
      {
        firstName: "Ana",
        lastName: "Lind",
        position: "Engineer",
        startDate: "2023-03-01",
        status: "active",
        type: "employee",
      },
      { firstName: "Bo", lastName: "Ek", endDate: "2025-04-30", startDate: "2021-06-14", status: "inactive" },
    ]);
    expect([policies.length, assignments.length]).toEqual([1, 2]);
    const minutes = (status: string) =>
      requests.filter((row) => row.status === status).reduce((sum, row) => sum + row.minutes, 0);
    expect([minutes("approved"), minutes("pending")]).toEqual([3 * 480, 240]);
    expect(requests.filter((row) => row.status === "denied").length).toBeGreaterThan(0);
    expect(report.findings.map(({ code }) => code)).toEqual(name in LEFT ? ["opening-leave"] : []);
    expect((await company.importFolder(join(SAMPLES, name), {}, name)).isChanged).toBe(false);
  });
});

describe.each(PRESETS.map(({ name }) => name).filter((name) => !KNOW_GRANTS.has(name)))("%s", (name) => {
  test("gives balances with a mapping that extends it by the policy's rules", async () => {
    const company = await TestCompany.open();
    const plain = await TestCompany.open();
    await plain.importFolder(join(SAMPLES, name), {}, name);
    const legacyId = (await plain.stored()).policies[0]!.legacyId;
    const rows = [
      {
        legacyId,
        name: "PTO",
        timeOffTypeName: "PTO",
        paid: true,
        unit: "day",
        schedule: "yearly",
        minutesPerPeriod: 9600,
      },
    ];
    await company.importFolder(
      join(SAMPLES, name),
      {},
      mapFile({ extends: name, policies: { rows, values: null } }),
    );
    const key = await addKey(company.store, company.id);
    const reader = openSqliteReadStore(company.path);
    const app = createApp(bareParts(reader, { today: () => "2025-06-30" }));
    const ana = (await company.stored()).workers.find(({ doc }) => JSON.parse(doc).firstName === "Ana")!;
    const url = `http://rollcall.test/v1/time_off/balances?workerIds=${ana.id}&startDate=2025-01-01`;
    const response = await app(new Request(url, { headers: { "x-api-key": key } }), CONNECTION);
    const { data } = (await response.json()) as { data: unknown[] };
    const [accruedUnlocked, used] = name in LEFT ? [LEFT[name]!, 0] : [9600, 1440];
    expect(data).toMatchObject([
      { accruedUnlocked, used, holds: 240, available: accruedUnlocked - used - 240 },
    ]);
    await reader.close();
  });
});
