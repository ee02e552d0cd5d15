// The shape of the bench's data: sizes, days, and the folder of its files. If the shape or the schema changes, the data is made again.
import { join } from "node:path";
import { STORE_SCHEMA } from "../../src/store/sqlite/schema.ts";

export interface CompanyShape {
  readonly id: string;
  readonly workers: number;
  readonly requests: number;
  readonly policies: number;
}

/** The day for which balances are computed. Requests lie around it. */
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

/** Increase it when the rows change. */
const ROWS_VERSION = 2;

/** A name of this shape and schema. */
export const STAMP = Bun.hash(
  JSON.stringify([ROWS_VERSION, TODAY, BIG, OTHERS.length, STORE_SCHEMA]),
).toString(36);

export const DATA_FOLDER = join(import.meta.dir, "..", ".data");

export const dataPath = (name: string) => join(DATA_FOLDER, name);
