// Departments and workplaces as kinds of their own: departments belong to each other, in whatever order a file has them.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rowFindings } from "../../src/cli/commands/store/doctor-rows.ts";
import { exportCompany } from "../../src/import/export.ts";
import { formatInstant } from "../../src/time/instant.ts";
import { TestCompany, temporaryFolder } from "./../support/import-files.ts";

/** When the imports of tests are. */
const NOW_MS = 1_748_779_200_000;

const departments = `
  legacyId,name,parentId
  D3,Payroll,D2
  D1,Everybody,
  D2,Finance,D1
`;
const workplaces = `
  legacyId,name,type,timeZone,holidayCalendar
  P1,Lisbon,,Europe/Lisbon,Portugal
  P2,Anywhere,remote,,Portugal
`;

async function objects(company: TestCompany) {
  const { departments, workplaces } = await company.stored();
  return [...departments, ...workplaces].map(({ doc }) => JSON.parse(doc));
}

test("createdAt is as imported, else that of the first import, which later ones keep", async () => {
  const company = await TestCompany.open();
  await company.import({
    "departments.csv": "legacyId,name,createdAt\nD1,Pay,2019-03-01T08:00:00Z\nD2,Legal,",
    "workplaces.csv": "legacyId,name,createdAt,status\nP1,Lisbon,2018-01-01T00:00:00Z,archived",
  });
  const dates = async () => (await objects(company)).map(({ createdAt, status }) => [createdAt, status]);
  const first = [
    ["2019-03-01T08:00:00.000Z", undefined],
    [formatInstant(NOW_MS), undefined],
    ["2018-01-01T00:00:00.000Z", "archived"],
  ];
  expect((await dates()).toSorted()).toEqual(first.toSorted());
  await company.import(
    { "departments.csv": "legacyId,name\nD1,Payroll\nD2,Law" },
    { nowMs: NOW_MS + 60_000 },
  );
  expect((await dates()).toSorted()).toEqual(first.toSorted());
});

test("a child before its parent; an unchanged import; a rename keeps the id; export and import again", async () => {
  const company = await TestCompany.open();
  const files = { "departments.csv": departments, "workplaces.csv": workplaces };
  const first = await company.import(files);
  expect(first.files.map(({ kind, added }) => [kind, added])).toEqual([
    ["departments", 3],
    ["workplaces", 2],
  ]);
  const made = await objects(company);
  const byName = new Map(made.map((object) => [object.name, object]));
  expect(byName.get("Payroll").parentId).toBe(byName.get("Finance").id);
  expect(byName.get("Finance").parentId).toBe(byName.get("Everybody").id);
  expect(byName.get("Everybody")).toEqual({
    id: expect.stringMatching(/^dpt_[0-9a-z]{20}$/),
    name: "Everybody",
    legacyId: "D1",
    parentId: null,
    createdAt: formatInstant(NOW_MS),
  });
  expect(byName.get("Lisbon")).toEqual({
    id: expect.stringMatching(/^wkp_/),
    name: "Lisbon",
    type: "office",
    timeZone: "Europe/Lisbon",
    holidayCalendarId: expect.stringMatching(/^hca_/),
    legacyId: "P1",
    createdAt: formatInstant(NOW_MS),
    status: "active",
  });
  expect(byName.get("Anywhere").holidayCalendarId).toBe(byName.get("Lisbon").holidayCalendarId);
  expect((await company.import(files)).isChanged).toBe(false);

  await company.import({ "departments.csv": departments.replace("Payroll", "Pay") });
  expect((await objects(company)).find(({ legacyId }) => legacyId === "D3")).toEqual({
    ...byName.get("Payroll"),
    name: "Pay",
  });
  expect(
    await rowFindings(
      {
        ...company.store,
        companies: () => company.store.companies(),
        feeds: async () => [],
        keys: async () => [],
        export: (id, visit) => company.store.export(id, visit),
      },
      true,
      () => {},
    ),
  ).toEqual([]);

  const folder = join(temporaryFolder(), "export");
  await exportCompany(company.store, company.id, folder, false);
  expect(readdirSync(folder)).toContain("departments.csv");
  expect(readFileSync(join(folder, "workplaces.csv"), "utf8")).toContain("Portugal");
  const other = await TestCompany.open();
  await other.importFolder(folder);
  expect(await objects(other)).toEqual(await objects(company));
});

test("a circle is refused, in one file or with stored rows; so is an unknown parent", async () => {
  const company = await TestCompany.open();
  const circle = departments.replace("D1,Everybody,", "D1,Everybody,D3");
  expect((await company.refused({ "departments.csv": circle })).join()).toContain(
    'parentId: "D2" is this row itself, or a row below it',
  );
  await company.import({ "departments.csv": departments });
  const above = "legacyId,name,parentId\nD1,Everybody,D3\n";
  expect((await company.refused({ "departments.csv": above })).join()).toContain(
    "would be its own parent or ancestor",
  );
  const unknown = "legacyId,name,parentId\nD9,Sales,D8\n";
  expect((await company.refused({ "departments.csv": unknown })).join()).toContain(
    'parentId: "D8" is no department',
  );
});

test("pruning removes a department with all below it, and refuses one that another refers to", async () => {
  const company = await TestCompany.open();
  await company.import({ "departments.csv": departments });
  const pruned = await company.import(
    { "departments.csv": "legacyId,name,parentId\nD1,Everybody,\n" },
    { isPruning: true },
  );
  expect(pruned.files[0]?.removed).toBe(2);
  expect((await objects(company)).map(({ name }) => name)).toEqual(["Everybody"]);
});

test("a quarantined parent takes the departments below it along", async () => {
  const company = await TestCompany.open();
  const rows: unknown[] = [];
  const report = await company.import(
    { "departments.csv": departments.replace("D2,Finance,D1", "D2,,D1") },
    { quarantine: { limit: 5, write: (some) => void rows.push(...some) } },
  );
  expect(rows).toHaveLength(2);
  expect(report.files[0]).toMatchObject({ added: 1, quarantined: 2 });
});

// Unicode Standard Annex 15: é as one character and as e with a combining accent are the same text. Some programs write the second.
test("a name is the same however its letters are composed, and with space around it", async () => {
  const company = await TestCompany.open();
  const [one, two] = ["Vélo".normalize("NFC"), ` ${"Vélo".normalize("NFD")}`];
  const worker = (id: string, group: string) =>
    `${id},Ana,Lind,${id}@example.com,no,2024-01-01,employee,${group},${group}`;
  const policy = (id: string, type: string) => `${id},${id},yes,day,unlimited,${type}`;
  const { findings } = await company.import({
    "workers.csv": `legacyId,firstName,lastName,email,isBusiness,startDate,type,department,workplace\n${worker("E1", one)}\n${worker("E2", two)}`,
    "departments.csv": `legacyId,name\nD1,${two}`,
    "workplaces.csv": `legacyId,name,holidayCalendar\nP1,${two},${one}`,
    "holidays.csv": `calendar,date,name\n${two},2025-06-09,Pentecost\n${one},2026-05-25,Pentecost`,
    "policies.csv": `legacyId,name,paid,unit,schedule,timeOffTypeName\n${policy("A", one)}\n${policy("B", two)}`,
  });
  expect(findings.map(({ code }) => code)).not.toContain("department-of-name");
  expect(findings.map(({ code }) => code)).not.toContain("empty-calendar");
  const stored = await company.stored();
  const names = [...stored.departments, ...stored.workplaces].map(({ name }) => name);
  expect(names).toEqual([one, one]);
  expect(new Set(stored.holidays.map(({ calendar }) => calendar))).toEqual(new Set([one]));
  const types = stored.policies.map(({ doc }) => JSON.parse(doc).timeOffTypeId);
  expect(new Set(types).size).toBe(1);
});
