// A bit that is flipped on disk is found without any flag, unless it is in text that is still valid, or in an unused part.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { findings, withCompany } from "./report.ts";

const FLIPS = 8;
/** So many that most of the file is in use. */
const WORKERS = 200;

/** Of a linear congruential generator: the same places in each run. */
function* places(bytes: number): Generator<readonly [at: number, bit: number]> {
  let state = 7;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  for (let count = 0; count < FLIPS; count++)
    yield [100 + Math.floor(next() * (bytes - 100)), 1 << Math.floor(next() * 8)];
}

test(
  "most flipped bits are found",
  () =>
    withCompany(async (db) => {
      const database = new Database(db);
      database.run("pragma journal_mode = delete");
      database.run("vacuum");
      database.close();
      const bytes = readFileSync(db);
      let found = 0;
      for (const [at, bit] of places(bytes.length)) {
        bytes[at]! ^= bit;
        writeFileSync(db, bytes);
        bytes[at]! ^= bit;
        if ((await findings(db)).length > 0) found++;
      }
      expect(found / FLIPS).toBeGreaterThan(0.5);
      writeFileSync(db, bytes);
      expect(await findings(db)).toEqual([]);
    }, WORKERS),
  120_000,
);
