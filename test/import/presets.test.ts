// Presets: each takes a made-up export in the shape of its system from files to balances, with no mapping of one's own and
// with one that extends it.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PRESETS } from "../../src/import/presets/presets.ts";
import { TestCompany } from "../support/import-files.ts";
import { mapFile } from "./mapping/mapped.ts";

const SAMPLES = join(import.meta.dir, "../../examples/presets");

test("each preset has a sample, and each sample a preset", () => {
  expect(readdirSync(SAMPLES).sort()).toEqual(PRESETS.map(({ name }) => name).sort());
});

describe.each(PRESETS.map(({ name }) => name))("%s", (name) => {
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
    expect(report.findings.map(({ code }) => code)).toEqual([]);
    expect((await company.importFolder(join(SAMPLES, name), {}, name)).isChanged).toBe(false);
  });
});
void mapFile;
