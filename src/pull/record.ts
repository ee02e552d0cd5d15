// pull.json: what a pull says of its folder. It has nothing of a person, and no secret.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { KINDS } from "../resources/kinds.ts";
import { PullRefused } from "./errors.ts";
import { PROOFS } from "./pages.ts";

export const RECORD_FILE = "pull.json";

const day = z.iso.date();

const pulledFile = z.object({
  rows: z.number(),
  /** What the API said of all rows; null where it did not. */
  total: z.number().nullable(),
  /** Why no row is missing; null: rows may be missing, so nothing is pruned by this file. */
  proof: z.enum(PROOFS).nullable(),
  /** Of how many rows of the file that it asks `each` of the API refused to tell. */
  refused: z.number().optional(),
  /** SHA-256, in hexadecimal. */
  sha256: z.string(),
});

const pullRecord = z.object({
  /** The pull file or the preset. */
  pull: z.string(),
  /** Rollcall's. */
  version: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  today: day,
  files: z.record(z.string(), pulledFile),
  /** What the folder has all of; a kind that is not named is there whole. */
  complete: z.partialRecord(
    z.enum(KINDS),
    z.strictObject({
      endsOnOrAfter: day.optional(),
      startsOnOrAfter: day.optional(),
      updatedSince: day.optional(),
    }),
  ),
});

export type PulledFile = z.output<typeof pulledFile>;
export type PullRecord = z.output<typeof pullRecord>;

/** What a pull says of the folder; null where no pull wrote it. Raises PullRefused for a record that no pull wrote. */
export function readRecord(folder: string): PullRecord | null {
  const path = join(folder, RECORD_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null; // whatever else is wrong with the folder, its other files tell
  }
  const read = pullRecord.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new PullRefused(
    `${path} is not as a pull writes it: pull again, or remove it to import the other files whole`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
