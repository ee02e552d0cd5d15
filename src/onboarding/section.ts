// A part of a draft, for one kind: its keys, questions and notes. This file also finds how dates and amounts are written.
import { ambiguousDate } from "../import/convert/dates.ts";
import { type UnitName, unitNamed } from "../import/convert/units.ts";
import { minutesReader } from "../import/convert/values.ts";
import { isDelimited } from "../import/read/files.ts";
import { shown } from "../import/row-errors.ts";
import type { Kind } from "../resources/kinds.ts";
import { cellOf } from "../resources/registry.ts";
import { type DayOrders, type Guess, unitSaid } from "./guess.ts";
import { isWorkbook, type Sample, type SampleColumn } from "./sample.ts";
import { areElsewhere, areOfAnotherCalendar, datesIn, dayReader } from "./sample-dates.ts";
import { has } from "./words.ts";

export interface Section {
  readonly kind: Kind;
  readonly source: Record<string, unknown>;
  /** What only the reader knows. The mapping is refused while a "?" is in place of the answer. */
  readonly questions: string[];
  /** What the draft decided, and what it leaves out. */
  readonly notes: string[];
}

/** The section of a file, while it is drafted. */
export interface FileSection extends Section {
  readonly guess: Guess;
  readonly people: Guess | undefined;
  /** Kinds of leave in its balances that may have another name in leave. */
  readonly otherKinds: readonly string[];
}

/** A list of more values than this is not read by anybody. */
export const MAX_CHOICES = 20;

/** The texts that need a format: in a workbook only text cells, but all cells if a query reads the file. */
function textsIn({ values, texts, hasMoments }: SampleColumn, isQuery: boolean): readonly string[] {
  return hasMoments && !isQuery ? texts.filter((text) => !has("total", text)) : values;
}

/** The formats of these dates, by field or one for all, and the language of their months. */
export function datesOf(
  fields: ReadonlyMap<string, SampleColumn>,
  { ofFile, ofAll }: DayOrders,
  isQuery: boolean,
  doubts: Sample["doubts"],
  { kind, questions, notes }: Section,
): { dates?: unknown; locale?: string } {
  const formats: Record<string, unknown> = {};
  const locales: string[] = [];
  const unclear = new Map<string, string[]>();
  const told = new Set<SampleColumn>();
  for (const [field, column] of fields) {
    const dates = datesIn(textsIn(column, isQuery), ofFile);
    const question = dateQuestion(kind, field, column, dates.formats, doubts);
    const own =
      question === null ? dates.formats.map((format) => (format === dates.either[0] ? "?" : format)) : ["?"];
    if (own.length > 0) formats[field] = own.length > 1 ? own : own[0];
    if (dates.locale !== null) locales.push(dates.locale);
    if (told.has(column)) continue;
    told.add(column);
    const choice = dates.either.join(" or ");
    if (question !== null) questions.push(question);
    else if (choice !== "") unclear.set(choice, [...(unclear.get(choice) ?? []), shown(column.name)]);
    notes.push(...dateNotes(column, own, dates.unread));
  }
  for (const [either, names] of unclear) questions.push(orderQuestion(either, names, ofAll));
  const [locale] = locales;
  return { ...datesKey(formats, fields), ...(locale === undefined ? {} : { locale }) };
}

/** The question for dates that formats in another order read, too. `ofAll`: the order of the other files. */
function orderQuestion(either: string, names: readonly string[], ofAll: DayOrders["ofAll"]): string {
  const hint = ofAll === null ? "" : `. In other files, the ${ofAll} comes first`;
  const era = /(?:^|or )yy(?!y)/.test(either)
    ? ". Years of two digits are from 1950 to 2049, not those of an era such as Reiwa"
    : "";
  return `dates: ${either} in ${names.join(", ")}? No date in the file tells${hint}${era}`;
}

/** The mapping's `dates`: one format for all fields where there is only one, else the formats of each. */
function datesKey(
  formats: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, SampleColumn>,
): { dates?: unknown } {
  const [all, ...others] = new Set(Object.values(formats).map((format) => JSON.stringify(format)));
  if (all === undefined) return {};
  // A format with a time would hide which columns of a workbook are days.
  const isOfAll =
    !all.includes("mm") || [...fields].every(([field, { hasMoments }]) => field in formats || !hasMoments);
  return { dates: others.length === 0 && isOfAll ? JSON.parse(all) : formats };
}

/** The question for dates that the formats read, but as other days than were meant; null if they seem right. */
function dateQuestion(
  kind: Kind,
  field: string,
  { name: column, values }: SampleColumn,
  formats: readonly string[],
  doubts: Sample["doubts"],
): string | null {
  const name = shown(column);
  const swapped = doubts.find(({ code, part }) => code === "swapped-dates" && part.startsWith(`${name} (`));
  if (swapped !== undefined)
    return `dates: ${swapped.part}: did a spreadsheet of another language swap day and month? No date has a day above 12, and each text has. If so, export the data again as text, and draft again; if the dates are right, write the format of the texts`;
  if (cellOf(kind, field)?.holds === "day" && areElsewhere(values))
    return `dates: ${name} is at the same hour of UTC in each row, as midnights elsewhere are, so its days may be a day early. Make local days with a query, such as date(${name}, '+2 hours'), or write ${shown(formats[0])} to take the days as they are`;
  if (formats.length > 0 && areOfAnotherCalendar(values, formats))
    // without a format, all are placeholders
    return `dates: ${name}: are years such as in ${shown(values[0])} those of another calendar? Export them again as years such as 2026, or compute them in a query (docs/mapping.md, Queries); or write ${shown(formats[0])} if they are right`;
  const inTwoOrders = formats.filter((format) =>
    formats.some((other) => (ambiguousDate(format, other) ?? ambiguousDate(other, format)) !== null),
  );
  if (inTwoOrders.length > 0) {
    const examples = inTwoOrders.map((format) =>
      shown(values.find((value) => dayReader([format])(value) === null)),
    );
    return `dates: ${name} has ${examples.join(" beside ")}, so the day comes first in some rows, and the month in others. Export them again in one order; or write the order of one file, and give the other a source of its own: "${kind}": [{…}, {…}]`;
  }
  return null;
}

/** What the reader should know of the formats of a column. `unread`: a date that none of them fits. */
function dateNotes({ name }: SampleColumn, formats: readonly string[], unread: string | null): string[] {
  const notes: string[] = [];
  if (formats.length > 1)
    notes.push(`${shown(name)} mixes formats: each date is read with the first format that fits`);
  if (unread !== null)
    notes.push(
      formats.length === 0
        ? `no known format fits ${shown(name)}, such as ${shown(unread)}`
        : `none of these formats fits ${shown(unread)} in ${shown(name)}`,
    );
  return notes;
}

/** The unit of an amount, by the column's name or its values, or null; and how its numbers are written. */
export function amountsOf({ name: column, values }: SampleColumn) {
  const units = ownUnits(values);
  const isClock = values.length > 0 && values.every((value) => /^-?\d+:\d{2}(?::\d{2})?$/.test(value.trim()));
  const [own = null] = units?.units ?? [];
  const named = unitInName(column);
  const isContradicted = own !== null && named !== null && !units!.units.has(named);
  // Only the reader knows the unit of a number among others that have units.
  const unit = units?.hasPlain || isContradicted ? null : isClock ? "HH:mm" : (named ?? own);
  return {
    unit,
    /** The units in the values. */
    units: units?.units ?? new Set<UnitName>(),
  };
}

function unitInName(column: string): UnitName | null {
  const name = column.toLowerCase().replace(/holidays?/g, "");
  const said = unitSaid(column);
  const [named, ...others] = (["minutes", "hours", "days"] as const).filter(
    (unit) => has(unit, name) || unit === said,
  );
  return others.length === 0 ? (named ?? null) : null; // Days/Hours, Days (h)
}

/** The units in amounts such as `5 Days`, and whether other amounts have none; null if none has. */
function ownUnits(values: readonly string[]) {
  const read = minutesReader("hours", 8, values.some((value) => /\d,\d/.test(value)) ? "," : undefined);
  const hasUnit = (value: string) => /\d\s*\p{L}/u.test(value) && typeof read(value, null) === "number";
  const own = values.filter(hasUnit);
  const plain = values.filter((value) => !hasUnit(value));
  if (own.length === 0 || !plain.every((value) => /^[\d.,\s-]+$/.test(value))) return null;
  const words = own.flatMap((value) => value.match(/\p{L}+\.?/gu) ?? []);
  return { units: new Set(words.flatMap((word) => unitNamed(word) ?? [])), hasPlain: plain.length > 0 };
}

/** The mapping's `decimal` for the texts of amounts; none if they have points before their decimals. Numbers of a workbook need none. */
export function decimalKey({ name }: Sample, texts: readonly string[]): { decimal?: "," | "." | "?" } {
  const sign = decimalOf(texts, isDelimited(name) || isWorkbook(name));
  return sign === null ? {} : { decimal: sign };
}

/** What the day of a balance must mean: some systems take leave off when it is approved, and others on its days. */
export const LATER_LEAVE =
  "Is approved leave of later days off them already? Then add it again in a query (docs/mapping.md, Queries), or it counts twice";

/** The question for a decimal sign that the values do not tell: `1.440` may be 1440, as may `1,440`. */
export function decimalQuestion(names: string, values: readonly string[]): string {
  return values.some((value) => value.includes(","))
    ? `decimal: is the comma in ${names} before decimals (",") or between thousands (".")?`
    : `decimal: is the point in ${names} before decimals (".") or between thousands (",")?`;
}

/** The decimal sign, if most texts show that it is not a point; "?" if `1,500`, or `1.500` that people wrote, may be either. Null for a point. */
function decimalOf(texts: readonly string[], arePeoples: boolean): "," | "." | "?" | null {
  const count = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length;
  const points = count(/\d\.\d{1,2}(?!\d)/);
  if (count(/\d,\d{1,2}(?!\d)/) > points) return ",";
  const isPointUnclear =
    points === 0 && count(/(?<![\d.])[1-9]\d{0,2}\.\d{3}(?!\d)/) > 0 && count(/(?<!\d)0\.\d/) === 0;
  if (count(/\d,\d{3}(?!\d)/) === 0) {
    if (arePeoples && isPointUnclear) return "?";
    return count(/\d['’\s]\d{3}(?!\d)/) > 0 ? "." : null;
  }
  return count(/\d,\d{3}\.\d/) > 0 || points > 0 ? "." : "?";
}
