// The same as killed.all.test.ts, with 100 kills on each engine, of imports, of imports that erase people, of restores, and of backups.
import { describe, expect, test } from "bun:test";
import {
  erasing,
  importing,
  killBackups,
  killChanges,
  postgresCopies,
  restoring,
  sqliteCopies,
} from "./killed-imports.ts";

const ROUNDS = Number(process.env.ROLLCALL_TEST_KILLS ?? 100);

describe.each([
  ["SQLite", sqliteCopies],
  ["PostgreSQL", postgresCopies],
])("%s", (name, copies) => {
  test.each([
    ["import", importing],
    ["erasure", erasing],
    ["restore", restoring],
  ])(
    "%s: killed at random moments, the store is as before or as after",
    async (command, change) => {
      const seen = await killChanges(await copies(), ROUNDS, change);
      console.log(name, command, seen);
      expect(seen.before + seen.after).toBe(ROUNDS);
    },
    3_600_000,
  );

  test("backup: a file that is there is whole", async () => {
    const seen = await killBackups(await copies(), ROUNDS);
    console.log(name, "backup", seen);
    expect(seen.none + seen.whole).toBe(ROUNDS);
  }, 3_600_000);
});
