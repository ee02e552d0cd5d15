// Property: whatever the data of a person, the figures that a passport computes for any day are those that the API serves that day, and
// those of the facts that were imported. Its bytes are the same on both engines.
import { expect } from "bun:test";
import { balance } from "../../src/balances/index.ts";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { type Passport, passportOf } from "../../src/passport/passport.ts";
import type { Balance } from "../../src/resources/balances.ts";
import { type Day, dayOfText, formatDay } from "../../src/time/day.ts";
import { type Service, startService } from "../http/service.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { folderOf } from "../support/import-files.ts";
import { filesOf, oddPeople, rowsOf } from "../support/odd-people.ts";
import { randomOf } from "../support/random-rows.ts";
import { addKey, createCompany } from "../support/stores.ts";

const TODAY = "2021-03-01";
const DAYS = ["2020-02-29", "2020-12-31", TODAY].map(dayOfText);
const RANDOM_DAYS = 5;
const [FIRST, LAST] = [dayOfText("2019-05-01"), dayOfText("2024-07-01")];

const AMOUNTS = ["accruedUnlocked", "accruedLocked", "used", "holds", "available"] as const;
const amounts = (figures: Record<(typeof AMOUNTS)[number], number>) => AMOUNTS.map((name) => figures[name]);

/** Compares the passports of so many people. */
export async function compareOddPassports(count: number, seed: number): Promise<void> {
  const people = oddPeople(count, seed);
  const folder = folderOf(filesOf(rowsOf(people)));
  const services: { service: Service; key: string }[] = [];
  for (const engine of ENGINES) {
    const { writer, reader, location, close } = await engine.openStore();
    const store = { writer, reader, path: location.address, dispose: close };
    await createCompany(writer, "acme");
    const { sources } = await findSources([folder], null);
    const options = { isDryRun: false, isPruning: false, today: dayOfText(TODAY), nowMs: Date.parse(TODAY) };
    await importCompany(writer, "acme", sources, options);
    services.push({
      service: await startService({ today: () => TODAY }, store),
      key: await addKey(writer, "acme"),
    });
  }
  const ids = new Map((await rowsOfKind(services[0]!, "workers")).map(({ legacyId, id }) => [legacyId, id]));
  const policies = new Map(
    (await rowsOfKind(services[0]!, "time_off/policies")).map(({ legacyId, id }) => [legacyId, id]),
  );
  const random = randomOf(seed);
  let compared = 0;
  for (const { legacyId, balances } of people) {
    const workerId = ids.get(legacyId)!;
    const passports = await Promise.all(
      services.map(async ({ service }) => {
        const passport = await passportOf(service.reader.company("acme"), workerId, dayOfText(TODAY));
        return JSON.stringify(passport).replace(/"dataAsOf":"[^"]*"/, "");
      }),
    );
    expect(passports[1]).toBe(passports[0]!);
    const passport = JSON.parse(
      passports[0]!.replace('"name":"Company acme",', '"name":"Company acme"'),
    ) as Passport; // as it is made
    const served = passport.balances.flatMap((owned) => owned.served.map(({ on }) => dayOfText(on)));
    const days = [
      ...DAYS,
      served[random(served.length)] ?? dayOfText(TODAY),
      ...Array.from({ length: RANDOM_DAYS }, () => FIRST + random(LAST - FIRST)),
    ];
    for (const day of days) {
      const computed = computedOn(passport, day);
      for (const each of services) expect(await servedOn(each, workerId, day)).toEqual(computed);
      for (const [at, facts] of balances.entries()) {
        const policyId = policies.get(`${legacyId}-${at}`)!;
        const isOpened = facts.opening === null || facts.opening.day <= day;
        const made = isOpened
          ? amounts(balance(facts, { today: dayOfText(TODAY), endDate: day }))
          : undefined;
        expect([legacyId, formatDay(day), computed[policyId]]).toEqual([legacyId, formatDay(day), made]);
        compared++;
      }
    }
  }
  expect(compared).toBeGreaterThan(count * 10);
}

async function rowsOfKind({ service, key }: { service: Service; key: string }, path: string) {
  const headers = { accept: "application/x-ndjson" };
  const { body } = await service.raw(`/v1/${path}`, { key, headers });
  const lines = new TextDecoder().decode(body).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { readonly id: string; readonly legacyId: string });
}

/** By policy, as the script of the passport computes it. */
function computedOn({ balances, today }: Passport, day: Day): Record<string, number[]> {
  const opened = balances.filter(({ openedOn }) => openedOn === null || openedOn <= formatDay(day));
  return Object.fromEntries(
    opened.map(({ policyId, facts, served }) => {
      const window = { today, endDate: day };
      const figures = balance(facts, window);
      const then = served.find(({ on }) => on === formatDay(day));
      if (then !== undefined) expect(amounts(then)).toEqual(amounts(figures));
      return [policyId, amounts(figures)];
    }),
  );
}

async function servedOn({ service, key }: { service: Service; key: string }, workerId: string, day: Day) {
  const path = `/v1/time_off/balances?workerIds=${workerId}&endDate=${formatDay(day)}&limit=100`;
  const { data } = JSON.parse((await service.call(path, { key })).text) as { data: Balance[] };
  return Object.fromEntries(data.map((row) => [row.policyId, amounts(row)]));
}
