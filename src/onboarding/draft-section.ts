// The section of one file in a draft: its columns, dates, amounts, words and values, and what they ask.
import { isSurelyFamilyFirst } from "../full-name.ts";
import { compiledFormat, SERIALS } from "../import/convert/dates.ts";
import { dateFormatsOf } from "../import/convert/schema.ts";
import { unitNamed } from "../import/convert/units.ts";
import { shown } from "../import/row-errors.ts";
import type { Kind } from "../resources/kinds.ts";
import { cellOf, FILE_FIELDS } from "../resources/registry.ts";
import { LEAVE_AMOUNT } from "../resources/requests.ts";
import { FULL_NAME } from "../resources/workers.ts";
import { SATURDAY, weekdayOf } from "../time/day.ts";
import {
  areShares,
  areTimes,
  askAboutLeave,
  askAboutObserved,
  isTimeOfDay,
  lapseBeside,
} from "./draft-doubts.ts";
import { dayReaderOf, type Proof, provedBy } from "./draft-proofs.ts";
import { ADDRESS, addressless, nameIn, ONE_POLICY, sourceOf } from "./draft-queries.ts";
import { skipped } from "./draft-skips.ts";
import {
  areDifferent,
  areFractions,
  columnsCalled,
  type DayOrders,
  dateContent,
  FIELD,
  type Guess,
  grantColumns,
  isCalledAmount,
  isHalfKind,
  isOneDayEach,
  mayBeTaken,
  namedFields,
  negativesIn,
  numbersBeside,
  partKindsIn,
  placeOf,
  rivalsOf,
  strangersIn,
  unitColumn,
  unusedColumns,
  whoseIds,
} from "./guess.ts";
import { isTimed, type SampleColumn } from "./sample.ts";
import {
  areElsewhere,
  datesIn,
  dayReader,
  isMidnight,
  isNothing,
  timesOfUtc,
  withoutMidnight,
} from "./sample-dates.ts";
import {
  amountsOf,
  datesOf,
  decimalKey,
  decimalQuestion,
  type FileSection,
  LATER_LEAVE,
  MAX_CHOICES,
  type Section,
} from "./section.ts";
import * as words from "./words.ts";

/** The draft's section for one file. The keys come in this order. */
export function sectionOf(
  guess: Guess,
  orders: DayOrders,
  people: Guess | undefined,
  otherKinds: readonly string[],
): Section {
  const { kind, sample, fields } = guess;
  const section: FileSection = { kind, source: {}, questions: [], notes: [], guess, people, otherKinds };
  const { source } = section;
  if (kind === "workers") nameQuestions(section);
  if (isOneDayEach(guess)) giveEachDayAnId(section);
  Object.assign(source, sourceOf(guess, people, section));
  source.columns = columnsOf(section);
  const dates = new Map([...fields].filter(([field]) => dateContent(kind, field) !== ""));
  Object.assign(source, datesOf(dates, orders, source.query !== undefined, sample.doubts, section));
  if (kind === "requests") splitWholeDays(section);
  const proof = kind === "requests" ? provedBy(guess, source) : null;
  if (kind === "requests") {
    addEndDay(section, proof);
    addZone(section);
  }
  const amount = [...fields.keys()].find((field) => cellOf(kind, field)?.holds === "minutes");
  if (amount !== undefined) addAmount(section, amount, guess.amounts.length > 1 ? null : proof);
  else if (kind === "requests") addWorkingDays(section);
  const tables = {
    translate: { ...translations(section), ...source.translate! },
    values: { ...missingValues(section), ...source.values! },
    skip: skipped(section),
  };
  for (const [key, table] of Object.entries(tables)) if (Object.keys(table).length > 0) source[key] = table;
  if (kind === "requests") askAboutLeave(guess, section);
  if (kind === "holidays") askAboutObserved(guess, section);
  source.ignore = "*";
  noteUnread(section, Object.values(tables.values));
  return section;
}

/** Notes the columns that the section leaves out. `templates`: the values that the section writes. */
function noteUnread({ guess, source, notes }: FileSection, templates: readonly unknown[]): void {
  const { fields, sample, amounts } = guess;
  const made = [...fields.values(), ...sample.columns].flatMap((column) => column.made?.of ?? []);
  const used = new Set([...fields.values(), ...amounts, ...made, unitColumn(guess)]);
  const rest = sample.columns.filter(
    (column) =>
      column.made === null &&
      !used.has(column) &&
      !templates.join().includes(`{${column.name}}`) &&
      !Object.hasOwn({ ...source.columns!, ...source.skip! }, column.name),
  );
  for (const number of sample.nameless)
    notes.push(`column ${number} has values, but no name in the header, so nothing reads it: name it`);
  if (rest.length > 0) notes.push(`not used: ${rest.map(({ name }) => name).join(", ")}`);
}

/** The fields of each column, with "?" for those that only the reader knows. */
type ColumnFields = Map<string, string[]>;

function columnsOf(section: FileSection): Record<string, string | string[]> {
  const { kind, guess } = section;
  const amount = kind === "requests" ? LEAVE_AMOUNT : "minutes";
  const columns = guessedFields(guess, amount);
  if (isOneDayEach(guess)) askAboutLongDays(section, columns);
  if (guess.amounts.length > 1) askAboutAmounts(section, columns, amount);
  for (const [field, what] of Object.entries(SPANS[kind] ?? {}))
    askAboutRivals(section, columns, field, what);
  if (kind === "workers") askAboutManagers(section, columns);
  if (kind === "workers") askAboutLastDays(section, columns);
  askWhoseIds(section, columns, kind === "workers" ? FIELD.manager : FIELD.worker);
  if (kind === "adjustments") askAboutExpiry(section, columns);
  const lapse = kind === "openings" ? lapseBeside(guess) : null;
  if (lapse !== null) {
    columns.set(lapse.column.name, ["?"]);
    section.questions.push(lapse.question);
  }
  return Object.fromEntries([...columns].map(([name, all]) => [name, all.length > 1 ? all : all[0]!]));
}

/** The guessed fields of each column. `amount`: the field of amounts, of which only the reader knows which column has it if several may. */
function guessedFields(guess: Guess, amount: string): ColumnFields {
  const { sample, fields, amounts } = guess;
  const columns: ColumnFields = new Map();
  for (const sampleColumn of sample.columns)
    for (const [field, column] of fields) {
      if (column !== sampleColumn) continue;
      const name = nameIn(guess, field)!;
      const isUnclear =
        (amounts.length > 1 && field === amount) || isLastFirst(field, column, fields.get(FIELD.email));
      columns.set(name, [...(columns.get(name) ?? []), isUnclear ? "?" : field]);
    }
  return columns;
}

/** Whether columns that may be the amount are in units of their own: `Days` beside `Hours`. */
function areInOwnUnits(columns: readonly SampleColumn[]): boolean {
  const units = new Set(columns.map((column) => amountsOf(column).unit));
  return units.size > 1 && !units.has(null);
}

/** Asks which of several columns is the amount. `field`: the amount's. */
function askAboutAmounts(
  { kind, guess, questions }: FileSection,
  columns: ColumnFields,
  field: string,
): void {
  for (const { name } of guess.amounts) columns.set(name, ["?"]);
  const areInUnits = areInOwnUnits(guess.amounts);
  const names = guess.amounts.map((column) =>
    areInUnits ? `${shown(column.name)} (${amountsOf(column).unit})` : shown(column.name),
  );
  questions.push(
    `columns: which of ${names.join(", ")} is the amount? Write "${field}" beside it,${areInUnits ? " its unit into units," : ""} and remove the others${kind === "requests" ? "" : "; or add them up in a query (docs/mapping.md, Queries)"}`,
  );
}

const SPANS: { readonly [K in Kind]?: Readonly<Record<string, string>> } = {
  workers: { [FIELD.began]: "first day of work", [FIELD.ended]: "last day of work" },
  requests: { [FIELD.start]: "first day", [FIELD.end]: "last day" },
};

/** Asks when leave of several days ends, in a file with one day in each row. */
function askAboutLongDays({ guess, questions }: FileSection, columns: ColumnFields): void {
  const [leave] = guess.amounts;
  const isInDays = leave !== undefined && amountsOf(leave).unit === "days";
  const long = isInDays ? leave.values.find((value) => Number.parseFloat(value) > 1) : undefined;
  if (leave === undefined || long === undefined) return;
  const { name } = guess.fields.get(FIELD.start)!;
  questions.push(
    `columns: ${shown(name)} is one day, but ${shown(leave.name)} has ${shown(long)} days: when does such leave end? Give its last day as ${FIELD.end} with a query (docs/mapping.md, Queries), or write ${JSON.stringify(columns.get(name))}`,
  );
  columns.set(name, ["?"]);
}

/** Asks which of several columns is a first or last day, and whether the day of a notice is the last day. */
function askAboutRivals(section: FileSection, columns: ColumnFields, field: string, what: string): void {
  const { guess, questions } = section;
  const column = guess.fields.get(field);
  const rivals = column === undefined ? [] : rivalsOf(guess, field);
  const isNotice = field === FIELD.ended && column !== undefined && words.has("notice", column.name);
  if (rivals.length === 0 && !isNotice) return;
  const names = [column!, ...rivals].map(({ name }) => name);
  const own = columns.get(nameIn(guess, field)!) ?? [];
  for (const name of names) columns.set(name, ["?"]);
  questions.push(
    rivals.length === 0
      ? `columns: is ${shown(names[0])} the last day of work, or the day on which somebody gave notice? Write "${field}" if it is the last day, or remove the line`
      : `columns: ${names.map(shown).join(" and ")} differ in some rows: which is the ${what}? Write ${JSON.stringify(own.length > 1 ? own : field)} beside it, and remove the others`,
  );
}

/** Asks whether grants lapse after the last day that is beside them. */
function askAboutExpiry({ guess, questions }: FileSection, columns: ColumnFields): void {
  const { sample, fields } = guess;
  const ends = columnsCalled(FIELD.end, "requests", sample);
  const isLast = (column: SampleColumn) =>
    (ends.includes(column) || words.has("expires", column.name)) && datesIn(column.values).formats.length > 0;
  const last = unusedColumns(sample.columns, fields).find(isLast);
  if (last === undefined || fields.has("expiresOn")) return;
  columns.set(last.name, ["?"]);
  questions.push(
    `columns: does what is left of each row lapse after ${shown(last.name)}? Then select the day after it as expiresOn in a query (docs/mapping.md, Queries); else remove the line`,
  );
}

/** Asks whom a column of managers names, if nobody is found. */
function askAboutManagers({ kind, guess, questions }: FileSection, columns: ColumnFields): void {
  const managers = namedFields(kind, guess.sample).fields.get(FIELD.manager);
  if (managers === undefined || guess.fields.has(FIELD.manager) || columns.has(managers.name)) return;
  if (managers.values.every(words.isNobody)) return;
  columns.set(managers.name, ["?"]);
  questions.push(
    `columns: whom does ${shown(managers.name)} name? Nobody, or several people, are called ${shown(managers.values[0])} in this file. Find their ids with a query (docs/mapping.md, Queries), or remove the line: then nobody has a manager`,
  );
}

/** Asks whether days that at most half of the people have, each after the first day of work, are the last ones, if no column is called so. */
function askAboutLastDays({ guess, questions }: FileSection, columns: ColumnFields): void {
  const { sample, fields } = guess;
  const began = fields.get(FIELD.began);
  if (fields.has(FIELD.ended)) return;
  const startOf = dayReader(datesIn(began?.values ?? []).formats);
  const mayBeLast = ({ values, cells }: SampleColumn) => {
    const { formats, locale } = datesIn(values);
    const dayOf = dayReader(formats, locale ?? undefined);
    const isAfter = (cell: string, row: number) =>
      (dayOf(cell) ?? 0) > (startOf(began?.cells[row] ?? "") ?? 0);
    const areAfter = cells.every((cell, row) => cell.trim() === "" || isAfter(cell, row));
    return formats.length > 0 && values.length <= cells.length / 2 && areAfter;
  };
  for (const { name } of unusedColumns(sample.columns, fields).filter(mayBeLast)) {
    columns.set(name, ["?"]);
    questions.push(
      `columns: is ${shown(name)} the last day of work? Write "${FIELD.ended}" if it is, or remove the line: then these people stay active`,
    );
  }
}

/** Asks which ids of people these are, if they are those of several columns. */
function askWhoseIds(section: FileSection, columns: ColumnFields, field: string): void {
  const { kind, guess, questions } = section;
  const people = kind === "workers" ? guess : section.people;
  const column = guess.fields.get(field);
  if (people === undefined || column === undefined || guess.namings.has(field)) return;
  const question = whoseIds(people, column, field);
  if (question === null) return;
  columns.set(column.name, ["?"]);
  questions.push(question);
}

/** Whether whole names have the last name first, without a comma: `LE GALL Yann`, or by the column's name, or by addresses. */
function isLastFirst(field: string, { name, values, cells }: SampleColumn, email?: SampleColumn): boolean {
  if (values.length > 0 && values.every((value) => isSurelyFamilyFirst(value.trim()))) return false;
  const capitals = values.filter((value) =>
    /^\P{Ll}*\p{Lu}{2}\P{Ll}*\s\p{Lu}\p{Ll}[^\s]*$/u.test(value.trim()),
  );
  // `Lind Ana` has ana.lind@example.com
  const reversed = cells.filter((cell, row) => {
    const parts = cell.trim().split(/\s+/).map(words.nameKey);
    const [address = ""] = (email?.cells[row] ?? "").trim().toLowerCase().split("@");
    return parts.length === 2 && address === parts.toReversed().join(".");
  });
  const most = Math.max(capitals.length, reversed.length);
  const isSo = words.isLastNameFirst(name) || (values.length > 0 && most >= values.length * 0.8);
  return field === FULL_NAME.name && isSo && !values.some((value) => value.includes(","));
}

/** Rows of the days of one request have its id. Each day becomes a request, so the id of a day is that of the request and the day. */
function giveEachDayAnId({ guess: { fields }, source, notes }: FileSection): void {
  const id = fields.get(FIELD.id);
  const day = fields.get(FIELD.start)!;
  if (id === undefined || areDifferent(id.values)) return;
  const same = [FIELD.worker, FIELD.policy, FIELD.status].flatMap((field) => fields.get(field) ?? []);
  const ofOne = [...Map.groupBy(id.cells.keys(), (row) => id.cells[row]!).values()];
  const isRequest = (rows: readonly number[]) =>
    same.every(({ cells }) => new Set(rows.map((row) => cells[row]!)).size === 1) &&
    areDifferent(rows.map((row) => day.cells[row]!));
  if (!ofOne.every(isRequest)) return; // versions of a request, or mistakes
  fields.delete(FIELD.id);
  source.values = { [FIELD.id]: `{${id.name}}|{${day.name}}` };
  notes.push(
    `${shown(id.name)} is that of several days, and each day becomes a request: its id is made of both`,
  );
}

/** Questions about names. If some people have no email address, each gets a made-up one, because every worker needs one. */
function nameQuestions({ guess, questions, notes }: FileSection): void {
  const { sample, fields } = guess;
  const ids = fields.get(FIELD.id);
  const email = fields.get(FIELD.email);
  const totals = ids?.values.filter((id) => words.has("total", id)).length ?? 0;
  if (ids !== undefined && email !== undefined && email.values.length < sample.rows - totals)
    fields.delete(FIELD.email);
  if (ids !== undefined && new Set(ids.values).size < ids.values.length * 0.95)
    notes.push(
      `${shown(ids.name)} has the same people several times: take one row of each with a query (docs/mapping.md, Histories)`,
    );
  const whole = fields.get(FULL_NAME.name);
  if (whole !== undefined && isLastFirst(FULL_NAME.name, whole, email))
    questions.push(
      `columns: ${shown(whole.name)} seems to have the last name first, without a comma. Names are split before the last word: write "${FULL_NAME.name}" if that is right; else put the parts into ${FULL_NAME.parts.join(" and ")} with a query (docs/mapping.md, Queries)`,
    );
}

/** Whether a column has days alone, without a time. */
function areDays(column: SampleColumn, [format]: readonly string[], locale: unknown): boolean {
  if (format === undefined) return column.hasMoments && !column.values.some(isTimed);
  if (format === SERIALS) return column.values.every((value) => !value.includes("."));
  const compiled = compiledFormat(format, locale as string | undefined); // set by `datesOf`
  return format === "?" || (typeof compiled === "object" && compiled.isDayAlone);
}

/** Makes days of midnights that whole days have beside the times of others, so that `endDay` says whether the last day is included. */
function splitWholeDays({ guess: { fields }, source, questions }: FileSection): void {
  const [start, end] = [fields.get(FIELD.start)!, fields.get(FIELD.end)!];
  const whole = [...end.cells.keys()].filter((row) => isMidnight(end.cells[row]!));
  const isMixed = end.values.some((value) => !isNothing(value) && !isMidnight(value));
  // Where leave begins at another time, midnight is the moment of its end.
  if (!isMixed || whole.length === 0 || whole.some((row) => isTimeOfDay(start.cells[row]!))) return;
  const [startFormats, endFormats] = [FIELD.start, FIELD.end].map((field) => {
    const formats = dateFormatsOf(source, field);
    const cells = whole.map((row) => fields.get(field)!.cells[row]!);
    return [...new Set([...formats.map((format) => withoutMidnight(format, new Set(cells))), ...formats])];
  });
  const compiled = compiledFormat(endFormats?.[0] ?? "", source.locale as string | undefined); // set by `datesOf`
  if (typeof compiled === "object" && compiled.isDayAlone) {
    const ofAll = [...fields.keys()].filter((field) => dateContent("requests", field) !== "");
    const dates = ofAll.map((field) => {
      const formats = dateFormatsOf(source, field);
      return [field, formats.length > 1 ? formats : formats[0]];
    });
    source.dates = { ...Object.fromEntries(dates), [FIELD.start]: startFormats, [FIELD.end]: endFormats };
  } else {
    source.endDay = "?";
    questions.push(
      `endDay: ${shown(end.name)} has midnights beside other times: does leave that ends at ${shown(end.cells[whole[0]!])} last through that day? Then read the file with a query that adds a day to such ends; remove the line in either case`,
    );
  }
}

/** Whether an end without time includes its day. Leave that begins and ends on one day shows that it does. */
function addEndDay({ guess, source, questions, notes }: FileSection, proof: Proof | null): void {
  const [start, end] = [guess.fields.get(FIELD.start)!, guess.fields.get(FIELD.end)!];
  if (!areDays(end, dateFormatsOf(source, FIELD.end), source.locale)) return;
  const isOneDay = isOneDayEach(guess);
  const isBack = words.has("back", end.name);
  if (isOneDay) notes.push("each row is one day of leave, and becomes a request of that day");
  const isSameDay = end.cells.some((day, row) => day.trim() !== "" && day === start.cells[row]);
  if (isOneDay || (isSameDay && !isBack)) source.endDay = "included";
  else if (proof !== null) {
    source.endDay = proof.endDay;
    notes.push(`the amounts say that the last day is ${proof.endDay}: ${proof.text}`);
  } else if (isBack && !isSameDay) {
    source.endDay = "excluded";
    notes.push(`${shown(end.name)} is the day of return, which is not part of the leave`);
  } else {
    source.endDay = "?";
    questions.push(
      'endDay: is the last day part of the leave ("included"), or the day of return ("excluded")?',
    );
  }
}

/** Times without an offset are in the worker's zone. If a column's name says UTC, the mapping must say so. */
function addZone({ guess: { fields }, people, source, questions, notes }: FileSection): void {
  const formats = JSON.stringify(source.dates ?? "");
  const moments = [FIELD.start, FIELD.end].flatMap((field) => fields.get(field) ?? []);
  const isTimed = !areDays(moments[0]!, dateFormatsOf(source, FIELD.start), source.locale);
  if (!(isTimed || formats.includes("HH")) || formats.includes("XXX")) return;
  const ofPeople = people?.fields.get("timeZone");
  const areSeveral = isTimed && new Set(ofPeople?.values).size > 1;
  const zones = fields.get("timeZone") ?? (areSeveral ? ofPeople : undefined);
  if (moments.every(({ name }) => words.has("utc", name))) {
    source.zone = "UTC";
    notes.push(`${moments.map(({ name }) => shown(name)).join(", ")} are in UTC, as their names say`);
  } else if (zones !== undefined) {
    source.zone = "?";
    questions.push(
      `zone: are these times in UTC, in the zone of the person who exported them, or in that of ${shown(zones.name)}? Write "UTC" or the zone, such as "Europe/Madrid", or remove the line`,
    );
  }
}

/** Columns that tell of leave that takes less than its days: half days, times of the day, other numbers, or remarks on half days. */
function partDayColumns({ sample, fields }: Guess): SampleColumn[] {
  const used = new Set(fields.values());
  const ends = [fields.get(FIELD.start)!, fields.get(FIELD.end)!];
  const numbers = sample.unpivot === undefined ? numbersBeside(sample.columns, fields) : [];
  const isOfTime = (name: string) =>
    (["hours", "days", "minutes"] as const).some((unit) => words.has(unit, name));
  const isNumber = (column: SampleColumn) =>
    numbers.includes(column) &&
    !words.has("balance", column.name) &&
    (isOfTime(column.name) || areShares(column));
  return sample.columns.filter((column) =>
    used.has(column)
      ? (ends.includes(column) && column.values.some((value) => isTimeOfDay(value) || hasHalf(value))) ||
        (column === fields.get(FIELD.policy) && column.values.some(isHalfKind)) ||
        (column === fields.get("reason") && column.values.some(saysHalf))
      : words.has("halfDay", column.name) ||
        (/\d{4}-\d{2}-\d{2}$/.test(column.name) && column.values.length > 0) ||
        words.areHalfDays(column.values) ||
        areTimes(column) ||
        isNumber(column) ||
        column.values.some(saysHalf) ||
        (sample.unpivot === undefined &&
          (areFractions(column) || (column.values.length > 0 && isCalledAmount(column)))),
  );
}

/** Whether a remark has a word for half days: `half day (morning)`. */
function saysHalf(remark: string): boolean {
  const all = remark.split(/[^\p{L}\p{M}-]+/u).filter((word) => word.length > 2);
  const isHalf = (word: string, at: number) =>
    words.areHalfDays([word]) || words.areHalfDays([`${word} ${all[at + 1] ?? ""}`]);
  return remark.includes("½") || all.some(isHalf);
}

/** `03/03/2025 AM`, `13 mai 2025 (matin)` */
const hasHalf = (value: string) => words.areHalfDays([/[\p{L}-]+(?=\)?\s*$)/u.exec(value)?.[0] ?? ""]);

/** How leave without amounts is counted: in working days of 8 hours. */
function addWorkingDays(section: FileSection): void {
  const { guess, source, questions, notes } = section;
  notes.push("no column has an amount, so leave is counted in working days of 8 hours");
  const policy = guess.fields.get(FIELD.policy);
  const parts = partKindsIn(guess);
  const partDays = partDayColumns(guess)
    .filter((column) => parts.size === 0 || column !== policy)
    .map(({ name }) => shown(name))
    .concat(guess.sample.nameless.map((number) => `column ${number}, which has no name`));
  const [inTwoCases] = guess.sample.unpivot === undefined ? [] : kindsInTwoCases(policy);
  if (parts.size > 0 && partDays.length === 0 && inTwoCases === undefined) {
    addPartsOfDays(section, parts);
    return;
  }
  if (inTwoCases !== undefined)
    questions.push(
      `hoursPerDay: is ${inTwoCases.map(shown).join(" or ")} in ${shown(policy!.name)} a part of a day? A mapping does not tell them apart: replace one in the file, such as by ${shown(`${inTwoCases[0]}/2`)}, and draft again; or write 8 if both are whole days`,
    );
  // A query has no rows of a plan's days yet.
  const remedy =
    guess.sample.unpivot === undefined
      ? "Compute their amounts in a query (docs/mapping.md, Queries)"
      : 'Give them a source of their own, with the other kinds in "skip" and their hours';
  if (partDays.length > 0)
    questions.push(
      `hoursPerDay: ${partDays.join(", ")}: parts of days would be counted as whole ones. ${remedy}, or write 8`,
    );
  source.hoursPerDay = partDays.length > 0 || inTwoCases !== undefined ? "?" : 8;
  addWorkDays(section);
}

/** Kinds of leave that differ in capital letters alone: `U` and `u`. */
function kindsInTwoCases(policy: SampleColumn | undefined): string[][] {
  const kinds = new Set(policy?.values.map((kind) => kind.trim()));
  return [...Map.groupBy(kinds, (kind) => kind.toLowerCase()).values()].filter(({ length }) => length > 1);
}

/** The amounts of a plan of days by its kinds of leave, of which some may be parts of days. */
function addPartsOfDays(
  { guess, source, questions }: FileSection,
  parts: ReadonlyMap<string, string | null>,
): void {
  const { name } = guess.fields.get(FIELD.policy)!;
  const ofWholes = [...parts].filter(([, whole]) => whole !== null);
  source.units = { [LEAVE_AMOUNT]: "days" };
  source.translate = {
    [LEAVE_AMOUNT]: { ...translated([...parts.keys()], "?"), "*": "1" },
    ...(ofWholes.length > 0 && { [FIELD.policy]: Object.fromEntries(ofWholes) }),
  };
  source.values = { [LEAVE_AMOUNT]: `{${name}}` };
  questions.push(
    `translate: ${LEAVE_AMOUNT}: are ${[...parts.keys()].map(shown).join(", ")} in ${shown(name)} parts of days? Write how many days each takes, such as "0.5" or "1", and in ${FIELD.policy} of which kind each is, if it is not its own`,
  );
}

/** Which days count as leave: the worker's, if the file of people has them. A row for each day tells its day itself. */
function addWorkDays({ guess, people, source, questions, notes }: FileSection): void {
  const own = people?.fields.get("workDays");
  if (own !== undefined) {
    notes.push(`the working days are those of ${shown(own.name)}`);
    return;
  }
  const day = dayReaderOf(source, FIELD.start);
  const days = isOneDayEach(guess) ? guess.fields.get(FIELD.start)!.values.map(day) : [null];
  const areWeekdays = days.every((day) => day !== null && weekdayOf(day) < SATURDAY);
  source.workDays = areWeekdays ? "Mon-Sun" : "?";
  if (!areWeekdays)
    questions.push(
      'workDays: which days of the week are working days, so that leave takes them? Write "Mon-Fri", "Mon-Sat" or "Sun-Thu"; or remove the line if workers have their workDays',
    );
}

/** The unit, decimals and sign of an amount, which several columns may be. */
function addAmount(section: FileSection, field: string, proof: Proof | null): void {
  const { kind, guess, source, questions, notes } = section;
  const columns = guess.amounts.length > 1 ? guess.amounts : [guess.fields.get(field)!];
  const name = shown(columns[0]!.name);
  const unit = unitOf(section, columns, proof);
  source.units = { [field]: unit.written };
  const texts = columns.flatMap((column) => column.texts);
  const { decimal } = decimalKey(guess.sample, texts);
  // Amounts that count the days have a point before their decimals.
  const isPoint = proof !== null && decimal === "?" && !texts.some((text) => text.includes(","));
  if (decimal !== undefined && !isPoint) source.decimal = decimal;
  if (source.decimal === "?")
    questions.push(decimalQuestion(columns.map(({ name }) => shown(name)).join(", "), texts));
  const negative = kind === "requests" ? negativesIn(guess.sample.columns, guess.fields) : 0;
  if (mayBeTaken(guess)) {
    source.negate = ["?"];
    const [both] = grantColumns(guess.sample.columns, guess.fields);
    const some =
      both === undefined
        ? ""
        : `. If ${shown(both.column.name)} tells which is which, put a minus before what was taken in a query (docs/mapping.md, Queries), and remove the line`;
    questions.push(
      `negate: is ${name} what people got, or leave that they took? If they took it, write "${field}" in place of the "?"; else remove the line${some}`,
    );
  } else if (negative === 1) {
    source.negate = [field];
    notes.push(`${name} is below 0 in every row: it is read as leave, with its sign inverted`);
  } else if (negative > 0)
    notes.push(
      `amounts below 0 in ${name} take leave back: add such rows up with what they correct in a query (docs/mapping.md, Corrections)`,
    );
  askHoursPerDay(section, columns[0]!, unit.ofAll);
}

/** The unit that all rows of an amount have, and what the draft writes. */
function unitOf(
  { guess, questions, notes }: FileSection,
  columns: readonly SampleColumn[],
  proof: Proof | null,
) {
  const [first = null, ...others] = new Set(columns.map((column) => amountsOf(column).unit));
  const named = others.length === 0 ? first : null;
  const ofRow = unitColumn(guess);
  const [name] = columns.map(({ name }) => shown(name));
  if (areInOwnUnits(columns)) return { ofAll: null, written: "?" }; // which column it is says it
  if (ofRow !== null) {
    // `quantityInDays` is in days also where the leave is booked in hours.
    const isOther =
      first !== null && first !== "HH:mm" && ofRow.values.some((word) => unitNamed(word) !== first);
    if (!isOther) return { ofAll: named, written: { column: ofRow.name } };
    questions.push(
      `units: ${name} is called ${first}, and ${shown(ofRow.name)} has ${[...new Set(ofRow.values)].map(shown).join(", ")}: which is right? Write ${shown(first)}, or ${JSON.stringify({ column: ofRow.name })}`,
    );
    return { ofAll: named, written: "?" };
  }
  const isProved = named === null && amountsOf(columns[0]!).units.size === 0 && proof !== null;
  if (isProved) notes.push(`${name} is counted in ${proof.unit}: ${proof.text}`);
  const ofAll = isProved ? proof.unit : named;
  const part = ofAll === "hours" ? partOfDayIn(columns[0]!.values) : undefined;
  const clock = ofAll === "hours" ? clockIn(columns.flatMap(({ texts }) => texts)) : undefined;
  const areSeconds = columns.some((column) => /seconds/i.test(column.name));
  if (ofAll === null)
    questions.push(
      `units: what is ${columns.map(({ name }) => shown(name)).join(" or ")} counted in: minutes, hours or days? Write it in place of the "?"${areSeconds ? "; divide seconds by 60 in a query (docs/mapping.md, Queries)" : ""}`,
    );
  if (part !== undefined)
    questions.push(
      `units: is ${shown(part)} in ${name} a part of 24 hours, as spreadsheets store times? Multiply it by 24 in a query (docs/mapping.md, Queries), or write "hours" if it is hours`,
    );
  if (clock !== undefined)
    questions.push(
      `units: is ${shown(clock)} in ${name} hours and minutes, or hours with decimals? Write "hours" if it has decimals; else put a colon in place of the point with a query (docs/mapping.md, Queries), and write "HH:mm"`,
    );
  return { ofAll, written: part === undefined && clock === undefined ? (ofAll ?? "?") : "?" };
}

/** Asks for the hours of a day, for days beside hours and for days beside a column of hours a day. */
function askHoursPerDay(
  { guess, source, questions }: FileSection,
  column: SampleColumn,
  unit: string | null,
): void {
  const ofRows = (unitColumn(guess)?.values ?? []).flatMap((word) => unitNamed(word) ?? []);
  const units = new Set([...amountsOf(column).units, ...ofRows]);
  const perDay = unit === "days" ? guess.sample.columns.find(isHoursPerDay) : undefined;
  if (units.has("days") && units.size > 1) {
    source.hoursPerDay = "?";
    questions.push(`hoursPerDay: how many hours are a day? ${shown(column.name)} has days beside hours`);
  }
  if (perDay !== undefined) {
    source.hoursPerDay = "?";
    questions.push(
      `hoursPerDay: a day has 8 hours, but ${shown(perDay.name)} has ${[...new Set(perDay.values)].slice(0, 3).map(shown).join(", ")}: write the hours of a day, or 8 if balances are in days`,
    );
  }
}

/** The first amount if all may be hours and minutes with a point between them: `7.30`, `3.45`. */
function clockIn(texts: readonly string[]): string | undefined {
  const areClocks = texts.every((text) => /^-?\d{1,3}[.,](?:00|15|30|45)$/.test(text.trim()));
  return areClocks ? texts.find((text) => /(?:15|30|45)$/.test(text.trim())) : undefined;
}

/** The first amount that is no whole minute, if no amount is an hour: `0.33333`, as spreadsheets store 8:00. */
function partOfDayIn(values: readonly string[]): string | undefined {
  const numbers = values.map((value) => Number(value.replace(",", ".")));
  return numbers.every((number) => Math.abs(number) < 1)
    ? values.find((value) => /[.,]\d{3}/.test(value))
    : undefined;
}

/** Whether a column has the hours of a day, not all of them 8. */
function isHoursPerDay({ name, values }: SampleColumn): boolean {
  const isNamed = ["hours", "days", "notAmount"].every((part) => words.has(part as words.Part, name));
  return isNamed && values.some((value) => Number(value.replace(",", ".")) !== 8);
}

type Table = Record<string, string>;

/** Fields in which `NULL` or `-` is no name. */
const MAY_BE_NOTHING = /^(?:department|workplace|location|position|reason|timeZone)$/;

function translations(section: FileSection): Record<string, Table> {
  const tables = [...section.guess.fields].map(([field, column]) => [
    field,
    translation(section, field, column),
  ]);
  return Object.fromEntries(tables.filter(([, table]) => Object.keys(table!).length > 0));
}

/** The translation of words for nothing, or of the words of a field with a fixed list of values. */
function translation(section: FileSection, field: string, column: SampleColumn): Table {
  const { kind, guess, otherKinds, questions, notes } = section;
  const all = [...new Set(column.values.map((value) => value.trim()))];
  const { choices, isRequired } = cellOf(kind, field) ?? {};
  if (choices !== undefined) return translatedChoices(section, field, column, choices);
  if (field === "policyId" && otherKinds.length > 0) {
    questions.push(
      `translate: ${field}: no leave is called ${otherKinds.map(shown).join(", ")}, and some leave has no balance: which kind of leave is it? Write its name in policies, here and in place of '?' in the query of assignments; add what is a kind of its own to policies`,
    );
    return translated(otherKinds, "?");
  }
  if (MAY_BE_NOTHING.test(field)) return translated(all.filter(isNothing), "");
  if (field === FIELD.manager) {
    const nobody = translated(all.filter(words.isNobody), "");
    const strangers = strangersIn(guess);
    if (strangers.length === 0 || strangers.length > MAX_CHOICES) return nobody; // an import names them
    questions.push(
      `translate: ${field}: ${strangers.map(shown).join(", ")} in ${shown(column.name)} ${strangers.length === 1 ? "is none" : "are none"} of these people: write an id of one, or "" for nobody`,
    );
    return { ...nobody, ...translated(strangers, "?") };
  }
  if (dateContent(kind, field) === "") return {};
  const { placeholders, formats } = datesIn(all);
  if (isRequired !== true) {
    const others = formats.length === 0 ? [] : all.filter((value) => !/\d/.test(value) && !isNothing(value));
    if (others.length > 0)
      questions.push(
        `translate: ${field}: do rows with ${others.map(shown).join(" or ")} in ${shown(column.name)} have no date? If so, write ""`,
      );
    return { ...translated(placeholders, ""), ...translated(others, "?") };
  }
  if (placeholders.length > 0)
    notes.push(
      `${shown(column.name)} has no date in rows with ${placeholders.map(shown).join(" or ")}: every row needs ${field}`,
    );
  return {};
}

const translated = (words: readonly string[], as: "" | "?"): Table =>
  Object.fromEntries(words.map((word) => [word, as]));

/** Translates words to the values that a field has, with a question for each unknown word. */
function translatedChoices(
  { kind, guess, questions }: FileSection,
  field: string,
  column: SampleColumn,
  choices: readonly string[],
): Table {
  const all = new Set(column.values.map((value) => value.trim()));
  const values = [...all].filter((value) => kind !== "requests" || !words.isSurelyCancelled(value));
  if (values.length > MAX_CHOICES) {
    questions.push(
      `translate: ${shown(column.name)} has ${values.length} different values, so is it ${field}?`,
    );
    return { "*": "?" };
  }
  const isFlag = values.every(words.isYesOrNo);
  if (field === FIELD.status && isEmptyForSomebody(guess, column)) values.push("");
  const isReversed = words.has("reversed", column.name);
  const isNamedFlag =
    isReversed || words.meaningOf(column.name.replace(/^is[\s_]?/i, ""), ["active"]) !== null;
  const meant = (value: string) => {
    if (value === "" && isFlag && !isNamedFlag) return null; // `1` of `emp_status` may be a key
    if (isFlag && choices.includes("active"))
      return words.isYes(value) === isReversed ? "inactive" : "active";
    return isFlag && words.isYes(value) && choices.includes("approved")
      ? "approved"
      : words.meaningOf(value, choices);
  };
  const approvals = choices.includes("approved") ? words.approvalsIn(values) : [];
  if (approvals.length > 0)
    questions.push(
      `translate: ${field}: ${approvals.map(shown).join(" and ")} may be two steps of one approval: which is the last? Write "approved" for it, and "pending" for a step before it; or "approved" for all that count`,
    );
  const unknown = values.filter((value) => meant(value) === null).map(shown);
  if (unknown.length > 0)
    questions.push(
      `translate: ${field}: what is ${unknown.join(", ")}: one of ${choices.join(", ")}, or rows to "skip"?`,
    );
  return Object.fromEntries(
    values.map((value) => [value, approvals.includes(value) ? "?" : (meant(value) ?? "?")]),
  );
}

function isEmptyForSomebody({ kind, fields }: Guess, { cells }: SampleColumn): boolean {
  const people = fields.get(kind === "workers" ? FIELD.id : FIELD.worker)?.cells ?? [];
  const isPerson = (name: string) => name.trim() !== "" && !words.has("total", name);
  return cells.some((cell, row) => cell.trim() === "" && isPerson(people[row] ?? ""));
}

/** Whether all leave begins at one hour of UTC, or two in summer and winter, which is not midnight, and ends where a day does, too. */
function areMidnightsElsewhere(fields: ReadonlyMap<string, SampleColumn>): boolean {
  if (fields.has("timeZone")) return false;
  const starts = fields.get(FIELD.start)!.values;
  const midnights = new Set(timesOfUtc(starts));
  const endThere = (addSeconds: number) =>
    new Set(timesOfUtc(fields.get(FIELD.end)!.values, addSeconds)).isSubsetOf(midnights);
  return areElsewhere(starts) && (endThere(0) || endThere(1));
}

/** Values for fields without a column. */
function missingValues(section: FileSection): Record<string, unknown> {
  const { kind, guess, questions, notes } = section;
  const { fields } = guess;
  const values: Record<string, unknown> = {};
  if (kind === "workers") addToPeople(section, values);
  if (kind === "requests") addToRequests(section, values);
  if ((kind === "adjustments" || kind === "openings") && !fields.has("date")) {
    values.date = "?";
    const { name } = fields.get("minutes")!;
    questions.push(
      kind === "openings" && !words.has("left", name)
        ? `values: date: is ${shown(name)} what was left, or what was added? If it was left, write the day at whose end: "2025-12-31" for the start of 2026. ${LATER_LEAVE}. If it was added, also write adjustments in place of openings`
        : `values: date: on which day were these the amounts? Write it: "2025-12-31"${kind === "openings" ? `. ${LATER_LEAVE}` : ""}`,
    );
  }
  if (kind === "holidays" && !fields.has("calendar")) {
    values.calendar = "?";
    questions.push(
      'values: calendar: whose holidays are these? Write a name for their calendar, such as "Berlin"',
    );
  }
  const others = [...fields.keys(), ...Object.keys(values), LEAVE_AMOUNT];
  if (fields.has(FULL_NAME.name)) others.push(...FULL_NAME.parts);
  for (const field of FILE_FIELDS[kind])
    if (cellOf(kind, field)?.isRequired === true && !others.includes(field))
      notes.push(`${field} is missing: every row needs it; add it to columns or values`);
  if (kind === "workers") noteAssumptions(section, values);
  return values;
}

function addToPeople({ guess, questions }: FileSection, values: Record<string, unknown>): void {
  const { fields, sample } = guess;
  const id = fields.get(FIELD.id);
  // A name cannot become an address.
  if (!fields.has(FIELD.email) && id !== undefined && fields.get(FULL_NAME.name) !== id)
    values.email = `{${addressless(guess) === null ? id.name : ADDRESS}}@no-email.invalid`;
  for (const part of FULL_NAME.parts)
    if (!fields.has(part) && !fields.has(FULL_NAME.name)) values[part] = "?";
  if (Object.keys(values).some((field) => values[field] === "?"))
    questions.push(
      `values: no column looks like names. Write firstName and lastName, for all of them or of columns, such as "{${id?.name ?? "a column"}}", or map the columns that have them`,
    );
  if (!fields.has("isBusiness")) values.isBusiness = false;
  if (!fields.has("type")) values.type = "employee";
  const { name, more, moreSheets, options } = sample;
  const places = options.sheet === null ? [name, ...more] : [options.sheet, ...moreSheets];
  const ofGone = places.filter((place) => words.has("reversed", place));
  if (fields.has(FIELD.status) || fields.has(FIELD.ended) || ofGone.length === 0) return;
  values.status = "?";
  questions.push(
    `values: status: are the people in ${ofGone.map(shown).join(", ")} gone? Write "inactive" for them, in a source of their own if others are still there, or remove the line`,
  );
}

/** Notes what is assumed of people without a type or a status. */
function noteAssumptions({ guess: { fields }, notes }: FileSection, values: Record<string, unknown>): void {
  if (!fields.has("type")) notes.push('no column looks like type, so it is "employee" for everybody');
  if (!fields.has(FIELD.status) && values.status !== "?")
    notes.push(
      fields.has(FIELD.ended)
        ? "no column has a status: everybody is active from the first to the last day"
        : "no column has a status or a last day, so everybody is active from the first day on",
    );
  if (!fields.has(FIELD.id)) notes.push("legacyId is missing: which column tells people apart?");
}

function addToRequests({ guess, questions }: FileSection, values: Record<string, unknown>): void {
  const { sample, fields } = guess;
  const isOfMany = sample.more.length + sample.moreSheets.length > 0;
  const each = (what: string) =>
    isOfMany ? `, or give each of ${placeOf(sample)} a source of its own with its ${what}` : "";
  if (!fields.has(FIELD.status)) {
    values.status = "?";
    questions.push(
      `values: no column looks like status. Write "approved" if all of this leave is, or map the column that says so${each("status")}`,
    );
  }
  if (!fields.has(FIELD.policy)) {
    values[FIELD.policy] = "?";
    questions.push(
      `values: no column looks like the type of leave. Write "${ONE_POLICY}" if all leave is of one policy, or map the column that has the type${each("type")}`,
    );
  }
  if (areMidnightsElsewhere(fields)) {
    values.timeZone = "?";
    questions.push(
      `values: timeZone: ${shown(fields.get(FIELD.start)!.name)} is at the same hour in UTC in each row, as midnights elsewhere are. Write the time zone of the days, such as "Europe/Berlin", or remove the line if people have theirs`,
    );
  }
  if (!fields.has(FIELD.id)) values[FIELD.id] = idOfLeave(guess);
}

/** A template that makes the id of leave: of its person, kind and first day, and of the half or time of day where a person has several on one. */
function idOfLeave(guess: Guess): string {
  const { sample, fields } = guess;
  const parts = [FIELD.worker, FIELD.policy, FIELD.start].filter((field) => fields.has(field));
  const isUnique = (columns: readonly SampleColumn[]) =>
    areDifferent(
      [...Array(sample.rows).keys()].map((row) => columns.map(({ cells }) => cells[row]).join("|")),
    );
  const own = parts.map((field) => fields.get(field)!);
  const ofDay = sample.columns.filter(
    (column) => column.made === null && (words.areHalfDays(column.values) || areTimes(column)),
  );
  const more = isUnique(own) ? undefined : ofDay.find((column) => isUnique([...own, column]));
  const names = [...parts.map((field) => nameIn(guess, field)!), ...(more === undefined ? [] : [more.name])];
  return names.map((name) => `{${name}}`).join("|");
}
