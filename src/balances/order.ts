/** The order of facts, whichever they came in. */
import type { DayMinutes } from "./facts.ts";

interface Entry extends DayMinutes {
  readonly id?: string;
}

/** By day, minutes and id: a cap cuts the same whatever order they came in. Sorted entries are not copied. */
export function inOrder<E extends Entry>(entries: readonly E[]): readonly E[] {
  for (let at = 1; at < entries.length; at++)
    if (compare(entries[at - 1]!, entries[at]!) > 0) return [...entries].sort(compare);
  return entries;
}

function compare(a: Entry, b: Entry): number {
  const byMinutes = a.day - b.day || a.minutes - b.minutes;
  if (byMinutes !== 0 || a.id === undefined || b.id === undefined) return byMinutes;
  return a.id < b.id ? -1 : 1;
}
