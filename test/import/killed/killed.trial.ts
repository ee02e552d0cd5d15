// The same as killed.test.ts, with 100 kills on each engine.
import { expect, test } from "bun:test";
import { killImports, postgresCopies, sqliteCopies } from "./killed-imports.ts";

const ROUNDS = Number(process.env.ROLLCALL_TEST_KILLS ?? 100);

test.each([
  ["SQLite", sqliteCopies],
  ["PostgreSQL", postgresCopies],
])(
  "%s: killed at 100 random moments, the store is as before or as after",
  async (name, copies) => {
    const seen = await killImports(await copies(), ROUNDS);
    console.log(name, seen);
    expect(seen.before + seen.after).toBe(ROUNDS);
  },
  3_600_000,
);
