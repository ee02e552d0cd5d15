// A company's time zone is that of workers who have none: it decides on which days requests lie, and when local times are.
import { expect, test } from "bun:test";
import { recomputeDefaultDays } from "../../src/import/load/kinds/requests.ts";
import { formatDay } from "../../src/time/day.ts";
import { TestCompany } from "../support/import-files.ts";

const FILES = {
  "workers.csv": `legacyId,firstName,lastName,email,isBusiness,startDate,status,type,timeZone
E1,Ana,Lind,a@example.com,no,2024-01-01,active,employee,
E2,Bo,Lind,b@example.com,no,2024-01-01,active,employee,Europe/Berlin`,
  "policies.csv": `legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit
PTO,Annual leave,yes,monthly,600,Vacation,hour`,
  "requests.csv": `legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId,timeZone
R1,2026-01-01T00:00:00Z,2026-03-01T15:00:00Z,2026-03-02T15:00:00Z,480,approved,PTO,E1,
R2,2026-01-01T00:00:00Z,2026-03-01T15:00:00Z,2026-03-02T15:00:00Z,480,approved,PTO,E2,
R3,2026-01-01T00:00:00Z,2026-03-01T15:00:00Z,2026-03-02T15:00:00Z,480,approved,PTO,E1,America/New_York`,
};

async function days(company: TestCompany): Promise<Record<string, string>> {
  const { requests } = await company.stored();
  return Object.fromEntries(
    requests
      .map(({ legacyId, firstDay, lastDay }) => [legacyId!, `${formatDay(firstDay)} ${formatDay(lastDay)}`])
      .toSorted(),
  );
}

const change = (company: TestCompany, timeZone: string | null) =>
  company.store.change(company.id, async (transaction) => {
    await transaction.updateCompany({ timeZone });
    const result = await recomputeDefaultDays(transaction);
    return { result, changed: true, commit: true };
  });

const utc = "2026-03-01 2026-03-02";

test("changing it moves the requests that depend on it, and no others", async () => {
  const company = await TestCompany.open();
  await company.import(FILES);
  expect(await days(company)).toEqual({ R1: utc, R2: utc, R3: utc });
  expect(await change(company, "Asia/Tokyo")).toBe(1);
  expect(await days(company)).toEqual({ R1: "2026-03-02 2026-03-02", R2: utc, R3: utc });
  expect((await company.import(FILES)).isChanged).toBe(false);
  expect(await change(company, null)).toBe(1);
  expect(await days(company)).toEqual({ R1: utc, R2: utc, R3: utc });
});

test("an import uses it", async () => {
  const company = await TestCompany.open();
  await change(company, "Asia/Tokyo");
  await company.import(FILES);
  expect(await days(company)).toEqual({ R1: "2026-03-02 2026-03-02", R2: utc, R3: utc });
});
