import { expect, test } from "bun:test";
import { policyRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { listOf, startService } from "../../service.ts";

const NO_NUMBERS = { hoursWorkedPerChunk: null, minutesPerChunk: null, minutesPerPeriod: null };

const service = await startService();
await addCompany(service.writer, "acme", {
  policies: [
    policyRow("top_hours", {
      ...NO_NUMBERS,
      schedule: "per_hour_worked",
      hoursWorkedPerChunk: 30,
      minutesPerChunk: 60.5,
    }),
    policyRow("top_month"),
    policyRow("top_open", {
      ...NO_NUMBERS,
      schedule: "unlimited",
      isUnlimited: true,
      paid: false,
      unit: "hour",
    }),
    policyRow("top_year", { schedule: "yearly", minutesPerPeriod: 12_000, description: "Ferie\n🏖" }),
  ],
});
const key = await addKey(service.writer, "acme");

test("policies on the wire, byte by byte", async () => {
  const response = await service.call("/v1/time_off/policies", { key });
  const rest = '"isAbsence":true,"isPaidOut":true,"rules":{},"changes":[]';
  const type = '"timeOffTypeId":"tot_vacation","timeOffTypeName":"Vacation"';
  expect(response.text).toBe(
    `{"count":4,"data":[{"id":"top_hours","description":null,"hoursWorkedPerChunk":30,"isUnlimited":false,"minutesPerChunk":60.5,"minutesPerPeriod":null,"name":"Annual leave","paid":true,"schedule":"per_hour_worked",${type},"unit":"day","legacyId":null,${rest}},` +
      `{"id":"top_month","description":null,"hoursWorkedPerChunk":null,"isUnlimited":false,"minutesPerChunk":null,"minutesPerPeriod":600,"name":"Annual leave","paid":true,"schedule":"monthly",${type},"unit":"day","legacyId":null,${rest}},` +
      `{"id":"top_open","description":null,"hoursWorkedPerChunk":null,"isUnlimited":true,"minutesPerChunk":null,"minutesPerPeriod":null,"name":"Annual leave","paid":false,"schedule":"unlimited",${type},"unit":"hour","legacyId":null,${rest}},` +
      `{"id":"top_year","description":"Ferie\\n🏖","hoursWorkedPerChunk":null,"isUnlimited":false,"minutesPerChunk":null,"minutesPerPeriod":12000,"name":"Annual leave","paid":true,"schedule":"yearly",${type},"unit":"day","legacyId":null,${rest}}],"hasMore":false}`,
  );
});

test("a retrieval returns the same object as the list", async () => {
  for (const policy of listOf(await service.call("/v1/time_off/policies", { key })).data) {
    const response = await service.call(`/v1/time_off/policies/${policy.id}`, { key });
    expect(response.text).toBe(JSON.stringify(policy));
  }
});
