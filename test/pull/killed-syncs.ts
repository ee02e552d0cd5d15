// A sync that is killed at any moment leaves the company as it was before, or as it is after; and the next run is right.
import { expect } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, rollcallHere, start } from "../cli/command.ts";
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

/** Kills syncs at so many random moments. Says how many of them left the company as before, and as after. */
export async function killSyncs(rounds: number): Promise<{ before: number; after: number }> {
  const system = await System.start();
  const [before, after] = [
    people(300, ["2026-05-04", "2026-05-05"]),
    people(310, ["2026-05-05", "2026-05-06"]),
  ];
  const seen = { before: 0, after: 0 };
  await inFolder(async (origin) => {
    await rollcallHere(origin, ["companies", "create", "acme"]);
    system.write(origin);
    system.people = before;
    expect((await rollcallHere(origin, SYNC, KEY)).exitCode).toBe(0);
    system.people = after;
    let latestMs = await inCopy(origin, async (folder) => await run(folder, null));
    for (let round = 0; round < rounds; round++)
      await inCopy(origin, async (folder) => {
        await run(folder, (0.3 + Math.random() * 0.8) * latestMs);
        const ids = await storedIds(folder);
        const isBefore = ids.length === idsOf(before).length;
        expect(ids).toEqual(idsOf(isBefore ? before : after));
        seen[isBefore ? "before" : "after"]++;
        latestMs *= isBefore ? 1.05 : 0.9; // however busy the machine is, most are killed before the end
        expect((await rollcallHere(folder, SYNC, KEY)).exitCode).toBe(0);
        expect(await storedIds(folder)).toEqual(idsOf(after));
        const pulled = join(folder, "rollcall.db-pulled");
        expect(readdirSync(pulled).sort()).toEqual(["acme", "acme.lock"]);
        expect(readFileSync(join(pulled, "acme/people.json"), "utf8")).toContain('"E309"');
      });
  });
  await system.fake.stop();
  return seen;
}

async function inCopy<T>(origin: string, work: (folder: string) => Promise<T>): Promise<T> {
  let made: T | undefined;
  await inFolder(async (folder) => {
    cpSync(origin, folder, { recursive: true });
    made = await work(folder);
  });
  return made!; // `work` has run to its end
}

async function run(folder: string, killAfterMs: number | null): Promise<number> {
  const startedAt = performance.now();
  const child = start(folder, SYNC, KEY);
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const exitCode = await child.exited;
  clearTimeout(timer);
  if (killAfterMs === null) expect(exitCode).toBe(0);
  expect(existsSync(join(folder, "rollcall.db"))).toBe(true);
  return performance.now() - startedAt;
}
