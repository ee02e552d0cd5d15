// Date formats of foreign exports: `dd/MM/yyyy`, `M/d/yyyy h:mm a` and the like, to days and instants.

import { type Content, LocalTime, ValidationError } from "../../resources/cells.ts";
import { DAY_MS, parseDay } from "../../time/day.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Each token's pattern; the first letter tells the part. */
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: "\\d{4}",
  MMM: MONTHS.join("|"),
  MM: "\\d{2}",
  M: "\\d{1,2}",
  dd: "\\d{2}",
  d: "\\d{1,2}",
  HH: "\\d{2}",
  H: "\\d{1,2}",
  hh: "\\d{2}",
  h: "\\d{1,2}",
  mm: "\\d{2}",
  ss: "\\d{2}",
  SSS: "\\d{3}",
  a: "am|pm",
  XXX: "z|[+-]\\d{2}:\\d{2}",
};

const PIECE = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']/g;

interface Format {
  readonly pattern: RegExp;
  /** No time of day. */
  readonly isDayAlone: boolean;
}

const compiled = new Map<string, Format | string>();

/** The compiled format, or what is wrong with it. */
export function compiledFormat(format: string): Format | string {
  let known = compiled.get(format);
  if (known === undefined) {
    known = compile(format);
    compiled.set(format, known);
  }
  return known;
}

function compile(format: string): Format | string {
  const parts = new Set<string>();
  let pattern = "";
  let length = 0;
  for (const [piece, quoted, letter] of format.matchAll(PIECE)) {
    length += piece.length;
    if (letter === undefined) {
      pattern += (quoted ?? piece).replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").toLowerCase();
      continue;
    }
    const token = TOKENS[piece];
    if (token === undefined) return `has ${piece}, which is none of ${Object.keys(TOKENS).join(", ")}`;
    if (parts.has(letter)) return `has ${letter} twice`;
    parts.add(letter);
    pattern += `(?<${letter}>${token})`;
  }
  if (length !== format.length) return "has a quote that is never closed";
  for (const part of ["y", "M", "d"])
    if (!parts.has(part)) return "does not have year, month and day, such as dd/MM/yyyy";
  if (parts.has("h") !== parts.has("a")) return "needs h and a together: a 12-hour clock with am or pm";
  return { pattern: new RegExp(`^${pattern}$`), isDayAlone: !parts.has("H") && !parts.has("h") };
}

/** How a field's dates are read, beyond their format. */
export interface DateReading {
  readonly holds: Extract<Content, "day" | "instant" | "local instant">;
  /** The zone of local times; null: the request's own, else the worker's, else UTC. */
  readonly zone: string | null;
  /** Whether the day is the last one, so that its end is meant. */
  readonly isLastDay: boolean;
}

/** A function from a cell in the format to the contract's notation, or to a LocalTime; ValidationError where it does not have the format. */
export function dateReader(
  format: string,
  { holds, zone, isLastDay }: DateReading,
): (cell: unknown) => unknown {
  const known = compiledFormat(format);
  if (typeof known === "string") throw new RangeError(known); // the mapping was checked
  return (cell) => {
    if (typeof cell !== "string" || cell === "") return cell;
    const found = known.pattern.exec(cell.trim().toLowerCase())?.groups;
    if (found === undefined) return new ValidationError(`does not have the form ${format}`);
    const { y, M = "", d = "" } = found;
    const month = /^\d/.test(M) ? M : String(MONTHS.indexOf(M) + 1);
    const date = `${y}-${month.padStart(2, "0")}-${d.padStart(2, "0")}`;
    const day = parseDay(date);
    if (day === null) return new ValidationError(`is a day that does not exist (read as ${format})`);
    if (holds === "day") return date;
    const timeMs = timeOfDayMs(found);
    if (timeMs === null) return new ValidationError(`is a time that does not exist (read as ${format})`);
    const localMs = day * DAY_MS + (isLastDay ? DAY_MS : timeMs);
    const offset = found.X;
    if (holds === "local instant" && offset === undefined) return new LocalTime(localMs, zone, cell);
    return new Date(localMs - offsetMs(offset ?? "z")).toISOString();
  };
}

/** The time of day in milliseconds; null where no clock shows it. */
function timeOfDayMs(found: Readonly<Record<string, string | undefined>>): number | null {
  const hour =
    found.h === undefined ? Number(found.H ?? 0) : (Number(found.h) % 12) + (found.a === "pm" ? 12 : 0);
  const [minute, second] = [Number(found.m ?? 0), Number(found.s ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || Number(found.h ?? 1) > 12) return null;
  return ((hour * 60 + minute) * 60 + second) * 1000 + Number(found.S ?? 0);
}

/** The milliseconds of `z` or `+02:00`. */
function offsetMs(offset: string): number {
  if (offset === "z") return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return (offset.startsWith("-") ? -minutes : minutes) * 60_000;
}
