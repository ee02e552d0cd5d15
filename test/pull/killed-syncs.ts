// A sync that is killed at any moment leaves the company as it was before, or as it is after; and the next run is right.
import { expect } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, rollcallHere, start } from "../cli/command.ts";
import type { CopiedStores } from "../import/killed/killed-imports.ts";
import { KEY, type Person, System, storedIds } from "./system.ts";

const SYNC = [
  "sync",
  "hr.pull.json",
  "--company",
  "acme",
  "--today",
  "2026-06-01",
  "--allow-removals",
  "100%",
];

function people(count: number, days: readonly string[]): Person[] {
  return Array.from({ length: count }, (_, at) => ({ id: `E${at}`, leave: days }));
}

const idsOf = (all: readonly Person[]) =>
  all.flatMap(({ id, leave }) => [id, ...leave.map((day) => `${id}-${day}`)]).sort();

/** A folder in which syncs run. `db`: their store, if it is not in the folder. */
interface Place {
  readonly folder: string;
  readonly db?: string;
}

const envOf = ({ db }: Place) => ({ ...KEY, ...(db === undefined ? {} : { ROLLCALL_DB: db }) });

/**
 * Kills syncs at so many random moments: of the embedded store in the folder, or of these. Says how many of them left the company as
 * before, and as after.
 */
export async function killSyncs(
  rounds: number,
  stores?: CopiedStores,
): Promise<{ before: number; after: number }> {
  const system = await System.start();
  const [before, after] = [
    people(300, ["2026-05-04", "2026-05-05"]),
    people(310, ["2026-05-05", "2026-05-06"]),
  ];
  const seen = { before: 0, after: 0 };
  const inCopy = async <T>({ folder: origin, db }: Place, work: (place: Place) => Promise<T>): Promise<T> => {
    let made: T | undefined;
    await inFolder(async (folder) => {
      cpSync(origin, folder, { recursive: true });
      made = await work(db === undefined ? { folder } : { folder, db: await stores!.copy(db) });
    });
    return made!; // `work` has run to its end
  };
  await inFolder(async (folder) => {
    const origin = stores === undefined ? { folder } : { folder, db: await stores.create() };
    await rollcallHere(folder, ["companies", "create", "acme"], envOf(origin));
    system.write(folder);
    system.people = before;
    expect((await rollcallHere(folder, SYNC, envOf(origin))).exitCode).toBe(0);
    system.people = after;
    let latestMs = await inCopy(origin, async (place) => await run(place, null));
    for (let round = 0; round < rounds; round++)
      await inCopy(origin, async (place) => {
        await run(place, (0.3 + Math.random() * 0.8) * latestMs);
        if (place.db !== undefined) await stores!.settled(place.db);
        const ids = await storedIds(place.folder, place.db);
        const isBefore = ids.length === idsOf(before).length;
        expect(ids).toEqual(idsOf(isBefore ? before : after));
        seen[isBefore ? "before" : "after"]++;
        latestMs *= isBefore ? 1.05 : 0.9; // however busy the machine is, most are killed before the end
        expect((await rollcallHere(place.folder, SYNC, envOf(place))).exitCode).toBe(0);
        expect(await storedIds(place.folder, place.db)).toEqual(idsOf(after));
        const pulled = join(place.folder, place.db === undefined ? "rollcall.db-pulled" : "rollcall-pulled");
        expect(readdirSync(pulled).sort()).toEqual(["acme", "acme.lock"]);
        expect(readFileSync(join(pulled, "acme/people.json"), "utf8")).toContain('"E309"');
      });
  });
  await system.fake.stop();
  return seen;
}

async function run(place: Place, killAfterMs: number | null): Promise<number> {
  const startedAt = performance.now();
  const child = start(place.folder, SYNC, envOf(place));
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const exitCode = await child.exited;
  clearTimeout(timer);
  if (killAfterMs === null) expect(exitCode).toBe(0);
  return performance.now() - startedAt;
}
