// What a clock on the wall shows in a time zone, from the browser's own time-zone data.
import { type Day, dayOf } from "./days.ts";

export interface WallTime {
  readonly day: Day;
  /** Since local midnight. */
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = newFormat(zone);
    formats.set(zone, format);
  }
  return format;
}

/** A zone that the browser's data does not know (yet) is shown in UTC, like one that is not given. */
function newFormat(timeZone: string): Intl.DateTimeFormat {
  const fields = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  } as const;
  try {
    return new Intl.DateTimeFormat("sv-SE", { ...fields, hourCycle: "h23", timeZone });
  } catch {
    return new Intl.DateTimeFormat("sv-SE", { ...fields, hourCycle: "h23", timeZone: "UTC" });
  }
}

/** The local day and time of an instant. Swedish writes them as `2026-11-21 09:30`. */
export function wallTime(instant: string, zone: string): WallTime {
  const text = formatOf(zone).format(new Date(instant));
  return { day: dayOf(text), minute: Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16)) };
}

export function viewerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
