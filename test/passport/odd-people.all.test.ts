// The figures of passports of people whose data is odd: see odd-passports.ts. odd-people.trial.ts has more people.
import { test } from "bun:test";
import { compareOddPassports } from "./odd-passports.ts";

test(
  "the figures of odd people's passports are those that are served, on both engines",
  () => compareOddPassports(30, 2026),
  120_000,
);
