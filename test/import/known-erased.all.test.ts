// Property: after random nights that change, move, prune and erase workers and requests, each past night shows what its files had, less
// who was erased since, less requests and reasons that are too old by now. A plain model says so, on every engine.
import { expect, setSystemTime, test } from "bun:test";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import type { ReadStore, WriteStore } from "../../src/store/store.ts";
import { addMonths, DAY_MS, type Day, formatDay, utcDayOf } from "../../src/time/day.ts";
import { type Engine, withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { type Files, folderOf } from "../support/import-files.ts";
import { randomOf } from "../support/random-rows.ts";
import { createCompany } from "../support/stores.ts";

type Random = (below: number) => number;

interface Worker {
  position: string;
  manager: string | null;
}

interface Request {
  worker: string;
  day: Day;
  reason: string | null;
}

/** By the names that files have. */
class Night {
  readonly workers = new Map<string, Worker>();
  readonly requests = new Map<string, Request>();

  copy(): Night {
    const copy = new Night();
    for (const [name, worker] of this.workers) copy.workers.set(name, { ...worker });
    for (const [name, request] of this.requests) copy.requests.set(name, { ...request });
    return copy;
  }

  forgetWorker(gone: string): void {
    this.workers.delete(gone);
    for (const worker of this.workers.values()) if (worker.manager === gone) worker.manager = null;
    for (const [name, { worker }] of this.requests) if (worker === gone) this.requests.delete(name);
  }

  shown(): { workers: string[]; requests: string[] } {
    return {
      workers: [...this.workers].map(([name, row]) => `${name} ${row.position} ${row.manager}`).sort(),
      requests: [...this.requests]
        .map(([name, { worker, day, reason }]) => `${name} ${worker} ${formatDay(day)} ${reason}`)
        .sort(),
    };
  }
}

const START_MS = Date.UTC(2026, 0, 5, 12);
const NIGHTS = 14;
const KEPT_MONTHS = { requests: 5, reasons: 2 };

/** The files of the next night. Nobody is assigned to the policy, so no request counts in a balance. */
function nextNight(before: Night, random: Random, number: number): Night {
  const night = before.copy();
  const today = utcDayOf(Date.now());
  for (let change = 0; change < 6; change++) {
    const name = `W${random(14)}`;
    const worker = night.workers.get(name);
    const position = `position ${number}.${change}`;
    if (worker === undefined) night.workers.set(name, { position, manager: null });
    else if (number > 2 && random(4) === 0) night.forgetWorker(name);
    else if (random(2) === 0) worker.position = position;
    else worker.manager = [...night.workers.keys()].find((other) => other > name) ?? null; // no circle
  }
  for (let change = 0; change < 12; change++) {
    const name = `R${random(60)}`;
    const request = night.requests.get(name);
    const names = [...night.workers.keys()];
    const worker = names[random(names.length)]!;
    const [day, reason] = [today - random(200), `reason ${number}.${change}`];
    if (request === undefined) night.requests.set(name, { worker, day, reason });
    else if (random(4) === 0) night.requests.delete(name);
    else Object.assign(request, [{ worker }, { day }, { reason }][random(3)]);
  }
  return night;
}

function filesOf({ workers, requests }: Night): Files {
  const workerRows = [...workers].map(
    ([name, { position, manager }]) =>
      `${name},First,Last,${name}@acme.example,no,2020-01-01,active,employee,${position},${manager ?? ""}`,
  );
  const requestRows = [...requests].map(
    ([name, { worker, day, reason }]) =>
      `${name},2025-01-01T00:00:00Z,${formatDay(day)}T08:00:00Z,${formatDay(day)}T16:00:00Z,480,denied,${reason ?? ""},V,${worker}`,
  );
  const workerColumns =
    "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,position,managerId";
  const requestColumns =
    "legacyId,createdAt,startAt,endAt,requestedMinutes,status,reason,timeOffPolicyId,workerId";
  return {
    "workers.csv": [workerColumns, ...workerRows].join("\n"),
    "policies.csv":
      "legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod\nV,Vacation,yes,day,Vacation,yearly,9600",
    "requests.csv": [requestColumns, ...requestRows].join("\n"),
  };
}

/** Takes out of past nights what the import of a night erases; the night becomes what is stored. `past` includes it. */
function erase(past: readonly Night[], before: Night, night: Night, keeps: boolean): void {
  const today = utcDayOf(Date.now());
  const wereStored = new Set(before.requests.keys()); // also those of workers who go now
  for (const name of before.workers.keys())
    if (!night.workers.has(name)) for (const each of past) each.forgetWorker(name);
  if (!keeps) return;
  const requestsFrom = addMonths(today, -KEPT_MONTHS.requests);
  const reasonsFrom = addMonths(today, -KEPT_MONTHS.reasons);
  for (const [name, { day }] of night.requests)
    if (day < requestsFrom && !wereStored.has(name)) night.requests.delete(name); // was skipped
  const names = new Set(past.flatMap(({ requests }) => [...requests.keys()]));
  for (const name of names) {
    const rows = past.flatMap(({ requests }) => requests.get(name) ?? []);
    // A request that is no longer stored is as old as its last row.
    const lastDay = night.requests.get(name)?.day ?? Math.max(...rows.map(({ day }) => day));
    if (lastDay < requestsFrom) for (const { requests } of past) requests.delete(name);
    for (const row of rows) if ((night.requests.get(name)?.day ?? row.day) < reasonsFrom) row.reason = null;
  }
}

async function importNight(writer: WriteStore, night: Night): Promise<void> {
  const { sources } = await findSources([folderOf(filesOf(night))], null);
  const nowMs = Date.now();
  const options = { isDryRun: false, isPruning: true, allowedRemovals: 1, today: utcDayOf(nowMs), nowMs };
  await importCompany(writer, "acme", sources, options);
}

interface WorkerDoc {
  readonly id: string;
  readonly legacyId: string;
  readonly position: string;
  readonly manager: { readonly id: string } | null;
}

interface RequestDoc {
  readonly legacyId: string;
  readonly workerId: string;
  readonly endAt: string;
  readonly reason: string | null;
}

async function knownOn(reader: ReadStore, atMs: number) {
  const company = reader.company("acme", undefined, (await reader.knownAt("acme", atMs)).revision);
  const all = async <D>(kind: "workers" | "requests") =>
    (await company.list(kind, { limit: 500 }, [])).docs.map((doc) => JSON.parse(doc) as D);
  const workers = await all<WorkerDoc>("workers");
  const names = new Map(workers.map(({ id, legacyId }) => [id, legacyId]));
  const requests = await all<RequestDoc>("requests");
  return {
    workers: workers
      .map(({ legacyId, position, manager }) => {
        return `${legacyId} ${position} ${manager === null ? null : names.get(manager.id)}`;
      })
      .sort(),
    requests: requests
      .map(({ legacyId, workerId, endAt, reason }) => {
        return `${legacyId} ${names.get(workerId)} ${endAt.slice(0, 10)} ${reason}`;
      })
      .sort(),
  };
}

async function compare(engine: Engine, seed: number): Promise<number> {
  let compared = 0;
  await withStore(engine, async ({ writer, reader }) => {
    const random = randomOf(seed);
    setSystemTime(START_MS);
    await createCompany(writer, "acme");
    const past: { readonly atMs: number; readonly night: Night }[] = [];
    let stored = new Night();
    for (let number = 0; number < NIGHTS; number++) {
      setSystemTime(START_MS + number * 3 * DAY_MS);
      const keeps = number >= NIGHTS / 2;
      if (keeps)
        await writer.change("acme", async (transaction) => {
          await transaction.updateCompany({ retention: "requests=5mo, reasons=2mo" });
          return { result: null, changed: true, commit: true };
        });
      setSystemTime(Date.now() + 1000); // after the moment of the setting
      const night = nextNight(stored, random, number);
      await importNight(writer, night);
      past.push({ atMs: Date.now(), night });
      const nights = past.map((each) => each.night);
      erase(nights, stored, night, keeps);
      for (const { atMs, night: then } of past) {
        expect({ number, atMs, ...(await knownOn(reader, atMs)) }).toEqual({ number, atMs, ...then.shown() });
        compared++;
      }
      stored = night;
    }
  });
  return compared;
}

for (const engine of ENGINES)
  for (const seed of [1, 291])
    test(`what was known, less what was erased since, on ${engine.name}: seed ${seed}`, async () => {
      try {
        expect(await compare(engine, seed)).toBe((NIGHTS * (NIGHTS + 1)) / 2);
      } finally {
        setSystemTime();
      }
    }, 120_000);
