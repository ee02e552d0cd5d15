// A record that did not change is read again when what it refers to means something else (decision 41, What keeps it true).
import { expect, test } from "bun:test";
import { SMALL, TestCompany, workersCsv } from "../support/import-files.ts";

const HEADER = "id,legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit";
const policy = (id: string, legacyId: string, schedule = "monthly") =>
  `${id},${legacyId},${id},yes,${schedule},600,Vacation,hour`;
const policiesCsv = (...rows: readonly string[]) => [HEADER, ...rows].join("\n");
const NAMED: Record<string, string> = {
  ...(SMALL as Record<string, string>),
  "policies.csv": policiesCsv(policy("top_1", "PTO"), policy("top_2", "SICK")),
};

/** The same files, with other names of a policy or a worker in the rows that refer to it. */
const referring = (from: string, to: string): Record<string, string> => ({
  ...NAMED,
  "assignments.csv": NAMED["assignments.csv"]!.replaceAll(from, to),
  "requests.csv": NAMED["requests.csv"]!.replaceAll(`,${from}`, `,${to}`),
});

test("the legacy id that a policy had before refers to nothing", async () => {
  const company = await TestCompany.open();
  await company.import(NAMED);
  const policies = policiesCsv(policy("top_1", "LEAVE"), policy("top_2", "SICK"));
  const mistakes = await company.refused({ ...NAMED, "policies.csv": policies });
  expect(mistakes.filter((text) => text.startsWith("requests.csv"))).toHaveLength(2);
});

test("a policy's id that becomes the legacy id of another policy refers to nothing", async () => {
  const company = await TestCompany.open();
  const files = referring("PTO", "top_1");
  await company.import(files);
  const policies = `${files["policies.csv"]}\n${policy("top_3", "top_1")}`;
  const mistakes = await company.refused({ ...files, "policies.csv": policies });
  expect(mistakes.filter((text) => text.startsWith("requests.csv"))).toHaveLength(2);
  expect(mistakes.join("\n")).toContain("top_1");
});

test("a worker's id that becomes the legacy id of another worker refers to nothing", async () => {
  const company = await TestCompany.open();
  const withIds = workersCsv("E1", "E2")
    .split("\n")
    .map((line, at) => `${at === 0 ? "id" : `wrk_${at}`},${line}`)
    .join("\n");
  const files = { ...referring("E1", "wrk_1"), "workers.csv": withIds };
  await company.import(files);
  const another = workersCsv("wrk_1").split("\n")[1];
  const mistakes = await company.refused({ ...files, "workers.csv": `${withIds}\nwrk_3,${another}` });
  expect(mistakes.filter((text) => text.startsWith("requests.csv"))).toHaveLength(1);
});

test("leave under a policy that goes to quarantine goes there, too", async () => {
  const company = await TestCompany.open();
  await company.import(NAMED);
  const policies = policiesCsv(policy("top_1", "PTO", "never"), policy("top_2", "SICK"));
  const aside: { file: string }[] = [];
  const quarantine = { limit: 50, write: (rows: readonly { file: string }[]) => void aside.push(...rows) };
  await company.import({ ...NAMED, "policies.csv": policies }, { quarantine });
  expect(aside.map(({ file }) => file)).toContain("requests.csv");
});
