// Nightly syncs with an API that has a window: no request is ever lost, and one that is deleted inside the window goes.
import { expect } from "bun:test";
import { formatDay, parseDay } from "../../src/time/day.ts";
import { inFolder, rollcallHere } from "../cli/command.ts";
import { KEY, System, storedIds } from "./system.ts";

const WINDOW_DAYS = 14;
const PEOPLE = ["E1", "E2", "E3", "E4", "E5"];
const FIRST_NIGHT = parseDay("2026-01-01")!;

/** Syncs on so many nights. Each night leave is added, moved or deleted. Says how many requests there are, and how many were deleted. */
export async function syncNights(count: number): Promise<{ stored: number; deleted: number }> {
  const system = await System.start();
  const leave = new Map<string, Set<number>>(PEOPLE.map((id) => [id, new Set()]));
  let deleted = 0;
  await inFolder(async (folder) => {
    await rollcallHere(folder, ["companies", "create", "acme"]);
    system.write(folder, WINDOW_DAYS);
    for (let night = 0; night < count; night++) {
      const today = FIRST_NIGHT + night;
      for (const [at, days] of [...leave.values()].entries()) {
        if ((night + at) % 3 === 0) days.add(today + ((night * 7 + at * 5) % 25) - 10);
        const inside = [...days].filter((day) => day >= today - WINDOW_DAYS);
        if ((night * 5 + at) % 8 === 0 && inside.length > 2) {
          days.delete(inside[night % inside.length]!);
          deleted++;
        }
      }
      system.people = PEOPLE.map((id) => ({ id, leave: [...leave.get(id)!].map(formatDay) }));
      const day = ["--today", formatDay(today)];
      const args = [
        "sync",
        "hr.pull.json",
        "--company",
        "acme",
        ...day,
        "--strict",
        "--accept",
        "same-start-date",
      ];
      expect(await rollcallHere(folder, args, KEY)).toMatchObject({ exitCode: 0, stderr: "" });
      if (night % 10 !== 9 && night !== count - 1) continue;
      const expected = system.people.flatMap(({ id, leave }) => [id, ...leave.map((day) => `${id}-${day}`)]);
      expect(await storedIds(folder)).toEqual(expected.sort());
    }
  });
  await system.fake.stop();
  return { stored: [...leave.values()].reduce((sum, days) => sum + days.size, 0), deleted };
}
