// The same as odd-people.all.test.ts, with 320 people.
import { test } from "bun:test";
import { compareOddPassports } from "./odd-passports.ts";

const PEOPLE = Number(process.env.ROLLCALL_TRIAL_PEOPLE ?? 320);

test("the figures of odd people's passports are those that are served, on both engines", () =>
  compareOddPassports(PEOPLE, 2027));
