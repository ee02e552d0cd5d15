// Property: whoever sees some workers gets, of every list, object, sum and tool, that part of what a key of the whole company gets
// which is of those workers: now, and as it was known on a day. They are the workers whom today's departments and managers name.
import { setSystemTime } from "bun:test";
import { DAY_MS, formatDay, utcDayOf } from "../../../../src/time/day.ts";
import { randomOf } from "../../../support/random-rows.ts";
import { addKey, change, createCompany, type TestStore } from "../../../support/stores.ts";
import { startService } from "../../service.ts";
import { anyAsker, type Scene, SIGN_IN } from "./asking.ts";
import { Company } from "./company.ts";
import { compareList } from "./lists.ts";
import { compareCapacity, compareMovements } from "./sums.ts";
import { compareFeed, compareTools } from "./tools.ts";

const FIRST_NIGHT_MS = Date.parse("2026-11-02T12:00:00Z");

/** Returns how many queries were compared. */
export async function compareLimited(
  store: TestStore,
  { seed, nights, queries }: { readonly seed: number; readonly nights: number; readonly queries: number },
): Promise<number> {
  const random = randomOf(seed);
  const company = new Company(random);
  const service = await startService(
    { proxyAuth: SIGN_IN, today: () => formatDay(utcDayOf(Date.now())) },
    store,
  );
  const { writer } = service;
  await createCompany(writer, "acme");
  const moments: number[] = [];
  const scene: Scene = {
    service,
    company,
    random,
    moments,
    all: { key: await addKey(writer, "acme") },
    allWithoutReasons: { key: await addKey(writer, "acme", { access: { level: "no-reasons" } }) },
  };
  let compared = 0;
  try {
    for (let night = 0; night < nights; night++) {
      setSystemTime(FIRST_NIGHT_MS + night * DAY_MS);
      const today = utcDayOf(Date.now());
      await change(writer, "acme", (transaction) =>
        night === 0
          ? company.storeFirstNight(transaction, today)
          : company.storeNextNight(transaction, today),
      );
      setSystemTime(Date.now() + 60_000);
      moments.push(Date.now());
      for (let query = 0; query < queries; query++) {
        await compareOne(scene);
        compared++;
      }
    }
  } finally {
    setSystemTime();
  }
  return compared;
}

async function compareOne(scene: Scene): Promise<void> {
  const kind = scene.random(14);
  if (kind === 0) return compareFeed(scene);
  if (kind === 1) return compareTools(scene);
  const asker = await anyAsker(scene);
  if (kind === 2) return compareMovements(scene, asker);
  if (kind === 3) return compareCapacity(scene, asker);
  return compareList(scene, asker);
}
