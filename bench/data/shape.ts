// What the bench serves: sizes, days, and the place of its files. Another shape or schema makes the data again.
import { join } from "node:path";
import { STORE_SCHEMA } from "../../src/store/sqlite/schema.ts";

export interface CompanyShape {
  readonly id: string;
  readonly workers: number;
  readonly requests: number;
  readonly policies: number;
}

/** The day for which balances are computed, and around which requests lie. */
export const TODAY = "2026-03-01";

/** The measured company. */
export const BIG: CompanyShape = { id: "big", workers: 200_000, requests: 2_000_000, policies: 20 };

/** Other companies, so that the indexes hold more than the measured one. */
export const OTHERS: readonly CompanyShape[] = Array.from({ length: 998 }, (_, index) => ({
  id: `other-${index}`,
  workers: 20,
  requests: 200,
  policies: 4,
}));

/** Increased by hand when the rows change. */
const ROWS_VERSION = 2;

/** Tells data of another shape or schema apart. */
export const STAMP = Bun.hash(
  JSON.stringify([ROWS_VERSION, TODAY, BIG, OTHERS.length, STORE_SCHEMA]),
).toString(36);

export const DATA_FOLDER = join(import.meta.dir, "..", ".data");

export const dataPath = (name: string) => join(DATA_FOLDER, name);
