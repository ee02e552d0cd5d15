// How names are compared, and which known name a mistyped one was probably meant to be.
import { distance } from "fastest-levenshtein";

/** A name as names are matched: case, spaces, `_` and `-` do not count (docs/importing.md, Files). */
export function normalised(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}

/** The known name nearest to `name`, where one is near enough to be meant; else null. */
export function nearest(name: string, known: readonly string[]): string | null {
  const wanted = normalised(name).slice(0, 100);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const other = normalised(candidate);
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const found = distance(wanted, other);
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/** ` (did you mean X?)`, or nothing where no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? "" : ` (did you mean ${meant}?)`;
}
