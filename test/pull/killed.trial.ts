// kill -9 at 100 moments of a sync, on each engine.
import { expect, test } from "bun:test";
import { postgresCopies } from "../import/killed/killed-imports.ts";
import { killSyncs } from "./killed-syncs.ts";

const ROUNDS = Number(process.env.ROLLCALL_TEST_KILLS ?? 100);

test.each([
  ["SQLite", async () => undefined],
  ["PostgreSQL", postgresCopies],
])(
  "%s: killed at random moments, the company is as before or as after",
  async (name, stores) => {
    const seen = await killSyncs(ROUNDS, await stores());
    console.log(name, seen);
    expect(seen.before + seen.after).toBe(ROUNDS);
  },
  3_600_000,
);
