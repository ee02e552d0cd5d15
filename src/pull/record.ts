// pull.json: the record of a pulled folder. It contains no personal data and no secret.
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
  /** The number of rows according to the API; null if it gives none. */
  total: z.number().nullable(),
  /** Why no row is missing; null if rows may be missing, so that nothing is pruned by this file. */
  proof: z.enum(PROOFS).nullable(),
  /** The number of rows of the `each` file for which the API refused the request. */
  refused: z.number().optional(),
  /** How many rows have a value at each path of `needs` and `wants`. */
  filled: z.record(z.string(), z.number()).optional(),
  /** SHA-256, in hexadecimal. */
  sha256: z.string(),
});

const pullRecord = z.object({
  /** The pull file or the preset. */
  pull: z.string(),
  /** Rollcall's version. */
  version: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  today: day,
  files: z.record(z.string(), pulledFile),
  /** The range for which each kind is complete. A kind that is not named is complete as a whole. */
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

/** The record of a pulled folder; null if there is none. Raises PullRefused for an invalid record. */
export function readRecord(folder: string): PullRecord | null {
  const path = join(folder, RECORD_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // only reading a file can fail here
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new PullRefused(`${path} cannot be read (${code}): check its permissions and its disk`);
  }
  const read = pullRecord.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new PullRefused(
    `${path} is not a valid record: pull again, or remove it to import the other files as complete`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
