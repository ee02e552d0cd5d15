// The file of somebody with an instalment each day for twelve years: it stays below the megabyte that docs/passport.md promises.
import { expect, test } from "bun:test";
import { openReadStore } from "../../src/cli/open.ts";
import { passportHtml } from "../../src/passport/html.ts";
import { passportOf } from "../../src/passport/passport.ts";
import { dayOfText } from "../../src/time/day.ts";
import { TestCompany, workersCsv } from "../support/import-files.ts";

test("twelve years of daily instalments have less than a megabyte, and each instalment is there", async () => {
  const company = await TestCompany.open();
  await company.import({
    "workers.csv": workersCsv("E1").replace(/\d{4}-\d{2}-\d{2}/, "2014-11-21"),
    "policies.csv":
      "legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod,instalments\nV,V,yes,day,V,yearly,9600,daily\n",
    "assignments.csv": "workerId,policyId,startsOn\nE1,V,2014-11-21\n",
  });
  const [worker] = (await company.stored()).workers;
  const store = await openReadStore(company.path);
  const passport = (await passportOf(store.company("acme"), worker!.id, dayOfText("2026-11-20")))!;
  await store.close();
  const [balance] = passport.balances;
  expect(balance!.entries.length).toBe(12 * 365 + 3);
  expect(balance!.entries[0]).toEqual({
    ...{ date: "2014-11-21", kind: "accrual", minutes: 26.30137, balance: 26.30137 },
    detail: "9600 ÷ 365 for 2014-11-21",
  });
  expect(Buffer.byteLength(await passportHtml(passport))).toBeLessThan(1_000_000);
});
