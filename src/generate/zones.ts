// From local time to UTC. Intl knows the offsets but is slow to ask, so each zone's changes of offset are looked
// up once per year and kept.

import { type Day, firstOfMonth, yearOf } from "./days.ts";

const minutesPerDay = 1440;
const clocks = new Map<string, ZoneClock>();

/**
 * The instant, in minutes since 1970 began in UTC, at which the clocks of `timeZone` show `minuteOfDay` on `day`.
 * Of two such instants the earlier; where clocks skip that time, the instant of the skip.
 */
export function localToUtc(timeZone: string, day: Day, minuteOfDay: number): number {
  const local = day * minutesPerDay + minuteOfDay;
  if (timeZone === "UTC") return local;
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = new ZoneClock(timeZone);
    clocks.set(timeZone, clock);
  }
  const before = clock.offsetMinutes(local - minutesPerDay);
  const after = clock.offsetMinutes(local + minutesPerDay);
  if (before === after || clock.offsetMinutes(local - before) === before) return local - before;
  return clock.offsetMinutes(local - after) === after ? local - after : local - before;
}

interface Change {
  /** The first minute (UTC, since 1970) at which the offset holds. */
  from: number;
  offsetMinutes: number;
}

class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, Change[]>();

  constructor(timeZone: string) {
    const numeric = "numeric";
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
    });
  }

  /** Minutes east of UTC at an instant given in minutes since 1970. */
  offsetMinutes(epochMinutes: number): number {
    const year = yearOf(Math.floor(epochMinutes / minutesPerDay));
    let changes = this.#years.get(year);
    if (changes === undefined) {
      changes = this.#changesOf(year);
      this.#years.set(year, changes);
    }
    let last = changes.length - 1;
    while (last > 0 && changes[last]!.from > epochMinutes) last--;
    return changes[last]!.offsetMinutes;
  }

  // Looks every week: no zone has ever changed its clocks twice within one.
  #changesOf(year: number): Change[] {
    const end = firstOfMonth(year + 1, 0) * minutesPerDay;
    let known = firstOfMonth(year, 0) * minutesPerDay;
    const changes: Change[] = [{ from: known, offsetMinutes: this.#ask(known) }];
    while (known < end) {
      const next = Math.min(known + 7 * minutesPerDay, end);
      const offset = changes[changes.length - 1]!.offsetMinutes;
      if (this.#ask(next) !== offset) {
        let [low, high] = [known, next];
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2);
          if (this.#ask(middle) === offset) low = middle;
          else high = middle;
        }
        changes.push({ from: high, offsetMinutes: this.#ask(high) });
      }
      known = next;
    }
    return changes;
  }

  #ask(epochMinutes: number): number {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.#format.formatToParts(epochMinutes * 60_000))
      part[type] = Number(value);
    const local = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!);
    return local / 60_000 - epochMinutes;
  }
}
