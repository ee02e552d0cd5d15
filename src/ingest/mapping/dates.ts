// Date formats of foreign exports: `dd/MM/yyyy`, `M/d/yyyy h:mm a` and the like, to the contract's notation.
import { Unfit } from "../values.ts";

/** The fields with days and with instants, of all kinds. */
export const DATE_FIELDS: Readonly<Record<string, "day" | "instant">> = {
  startDate: "day",
  endDate: "day",
  endsOn: "day",
  date: "day",
  assignedAt: "instant",
  createdAt: "instant",
  startAt: "instant",
  endAt: "instant",
};

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
  return { pattern: new RegExp(`^${pattern}$`) };
}

/** A function from a cell in the format to the contract's notation; without an offset in the format, times are UTC. */
export function dateReader(format: string, part: "day" | "instant"): (cell: unknown) => unknown {
  const known = compiledFormat(format);
  if (typeof known === "string") throw new RangeError(known); // the mapping was checked
  return (cell) => {
    if (typeof cell !== "string" || cell === "") return cell;
    const found = known.pattern.exec(cell.trim().toLowerCase())?.groups;
    if (found === undefined) return new Unfit(`does not have the form ${format}`, cell);
    const { y, M = "", d = "" } = found;
    const month = /^\d/.test(M) ? M : String(MONTHS.indexOf(M) + 1);
    const date = `${y}-${month.padStart(2, "0")}-${d.padStart(2, "0")}`;
    if (!isRealDay(date)) return new Unfit(`is not a day that exists (read as ${format})`, cell);
    if (part === "day") return date;
    const hour =
      found.h === undefined ? (found.H ?? "0") : String((Number(found.h) % 12) + (found.a === "pm" ? 12 : 0));
    const time = `${hour.padStart(2, "0")}:${found.m ?? "00"}:${found.s ?? "00"}.${found.S ?? "000"}`;
    return `${date}T${time}${(found.X ?? "Z").toUpperCase()}`;
  };
}

function isRealDay(date: string): boolean {
  const found = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(date);
}
