// Drafts a mapping for unknown files. What column names and values show is decided; the rest is a question, with "?" in place of the
// answer. The mapping is refused until all questions are answered.

import { compiledFormat, SERIALS } from "../import/convert/dates.ts";
import type { SourceMapping } from "../import/convert/schema.ts";
import { unitNamed } from "../import/convert/units.ts";
import { type Candidate, KNOWN_ENDINGS, kindOf, namedFormat } from "../import/read/files.ts";
import { UnreadableFile } from "../import/read/records.ts";
import { oldSpreadsheetAdvice } from "../import/read/sources.ts";
import { sheetNames } from "../import/read/xlsx.ts";
import { shown } from "../import/row-errors.ts";
import { KINDS, type Kind } from "../resources/kinds.ts";
import { cellOf, FILE_FIELDS } from "../resources/registry.ts";
import { LEAVE_AMOUNT } from "../resources/requests.ts";
import { FULL_NAME } from "../resources/workers.ts";
import { weekdayOf } from "../time/day.ts";
import { dayReaderOf, type Proof, provedBy } from "./draft-proofs.ts";
import {
  ADDRESS,
  addressless,
  assignmentsSection,
  balanceAdvice,
  balancesSection,
  idOf,
  ONE_POLICY,
  policiesSection,
  sourceOf,
  type WideBalances,
  wideBalances,
} from "./draft-queries.ts";
import {
  agreeOnPeople,
  amountColumns,
  areDifferent,
  areFractions,
  balanceColumns,
  type DayOrders,
  dateContent,
  dayOrdersOf,
  FIELD,
  type Guess,
  grantColumns,
  guessOf,
  isCalledAmount,
  isOfLeaveToo,
  isOneDayEach,
  mayBeTaken,
  namedFields,
  namesPeople,
  numbersBeside,
  placeOf,
  rivalsOf,
  strangersIn,
  totalsIn,
  unitColumn,
} from "./guess.ts";
import {
  isWorkbook,
  LEAST_DAYS,
  mergedSamples,
  type Sample,
  type SampleColumn,
  samplesOf,
  withDaysAsRows,
} from "./sample.ts";
import { areElsewhere, areEnough, datesIn, isNothing, timesOfUtc } from "./sample-dates.ts";
import { amountsOf, datesOf, decimalKey, decimalQuestion, type Section } from "./section.ts";
import * as words from "./words.ts";

const UNKNOWN_FORM = `its name does not end in ${KNOWN_ENDINGS}: rename it to what it is, or unpack it`;

export interface Draft {
  /** JSON with comments. */
  readonly text: string;
  readonly questions: readonly string[];
  /** Whether nothing importable was found. */
  readonly isEmpty: boolean;
}

/** The draft for these files. A file that may be people, leave or balances but has no place becomes a question. */
export async function draftMapping(files: readonly Candidate[]): Promise<Draft> {
  const samples: Sample[] = [];
  /** Why a file or sheet has no place in the draft. */
  const unplaced: Record<string, string> = {};
  const intro = [
    "A draft. Read every line, then check it: rollcall map check FILES --map THIS",
    "What each key means: docs/mapping.md",
  ];
  for (const file of files) {
    if (namedFormat(file.name) === null) {
      const stem = file.name.replace(/\.\w+$/, "");
      const isLikely =
        KINDS.some((kind) => words.isNamedLikeKind(kind, stem)) || kindOf(`${stem}.csv`) !== null;
      if (isLikely) unplaced[file.name] = oldSpreadsheetAdvice(file.name) ?? UNKNOWN_FORM;
      else intro.push(`${file.name} is not read: ${UNKNOWN_FORM}`);
      continue;
    }
    try {
      const hidden = isWorkbook(file.name) ? (await sheetNames(file.path, file.within)).hidden : [];
      if (hidden.length > 0)
        intro.push(
          `${file.name}: ${hidden.map(shown).join(", ")} ${hidden.length === 1 ? "is hidden, and is" : "are hidden, and are"} not read`,
        );
      const fileSamples = await samplesOf(file, (sample) => guessOf(withDaysAsRows(sample)) !== null);
      samples.push(...fileSamples.map(withDaysAsRows));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      unplaced[file.name] = error.message;
    }
  }
  for (const { name, options } of samples)
    if (options.encoding !== null && !options.encoding.startsWith("utf-"))
      intro.push(
        `${name} is not UTF-8. Its letters look like ${options.encoding}: if a name comes out wrong, correct "encoding"`,
      );
  const isOfLeave = (name: string) =>
    (["requests", "adjustments", "work_hours"] as const).some((kind) => words.isNamedLikeKind(kind, name));
  for (const sample of samples)
    for (const column of sample.nested.filter(isOfLeave))
      unplaced[`${placeOf(sample)}: ${column}`] =
        "it is a list inside of each row: export it as a list of its own";
  const guesses = mergedSamples(samples).map((sample) => ({ sample, guess: guessOf(sample) }));
  const byKind = new Map<Kind, Guess>();
  for (const { guess } of guesses.toSorted((a, b) => (b.guess?.score ?? 0) - (a.guess?.score ?? 0)))
    if (guess !== null && !byKind.has(guess.kind)) byKind.set(guess.kind, guess);
  const people = byKind.get("workers");
  if (people !== undefined && isOfLeaveToo(people))
    unplaced[placeOf(people.sample)] = "its rows of people have leave, too: map that to requests";
  const used = [...byKind.values()];
  const others = used.filter((guess) => guess !== people);
  if (people !== undefined) agreeOnPeople(people, others);
  let hasBalances = byKind.has("adjustments") || byKind.has("openings");
  const hasRows = hasBalances;
  const wide: WideBalances[] = [];
  for (const { sample, guess } of guesses) {
    const isUsed = guess !== null && used.includes(guess);
    const balances = isUsed && guess.kind !== "workers" ? [] : balanceColumns(sample);
    // Entitlements of the people themselves. Other files say from when to when, or for which type of leave.
    const isYearly =
      isUsed && balances.every(({ name }) => words.has("yearly", name) && !words.has("left", name));
    hasBalances ||= balances.length > 0 && !isYearly;
    const named = namedFields("adjustments", sample).fields;
    const worker = guess === null ? named.get(FIELD.worker) : guess.fields.get(FIELD.id);
    // Else each row has its own kind of leave, or people have balances of several days.
    const isRowEach = guess !== null || (!named.has("policyId") && areDifferent(worker?.values ?? []));
    if (balances.length > 0 && !isYearly && worker !== undefined && isRowEach && !hasRows)
      wide.push(wideBalances(sample, worker, balances, others, guess?.kind === "workers"));
    else if (balances.length > 0) intro.push(...balanceAdvice(sample, balances, isYearly));
    if (balances.length > 0 && !isUsed && !isYearly && wide.at(-1)?.sample !== sample)
      unplaced[placeOf(sample)] = "it has balances: what was left on which day, or what was added?";
    if (isUsed || balances.length > 0) continue;
    const what = guess === null ? "it is not clear what its rows are" : `more ${guess.kind}?`;
    const columns = sample.columns.flatMap(({ name, made }) => (made === null ? [name] : []));
    const said = `${what} (${columns.join(", ")})`;
    const isPlan = people !== undefined && isPlanOf(people, sample);
    if (sample.rows === 0 && sample.unpivot !== undefined)
      unplaced[placeOf(sample)] =
        "all cells below its days are empty: write what their colours mean into them";
    else if (
      sample.rows > 0 &&
      (guess !== null || isPlan || isNamedLikeAny(sample) || isOfPeopleOrDays(sample))
    )
      unplaced[placeOf(sample)] = said;
    else intro.push(`${placeOf(sample)}: ${said}`);
    const taken = columns.find((name) => / used$/i.test(name) && columns.includes(grantedBeside(name)));
    if (taken !== undefined)
      intro.push(
        `  is what is left ${shown(grantedBeside(taken))} less ${shown(taken)}? Then map openings, with a query that subtracts them`,
      );
  }
  const sections = used.map((guess) => sectionOf(guess, dayOrdersOf(guess, used), people));
  const leave = (["requests", "adjustments", "openings"] as const).flatMap((kind) => byKind.get(kind) ?? []);
  const [balances] = wide; // several files would have several days
  if (balances !== undefined) sections.push(balancesSection(balances));
  const hasLeave = leave.length + wide.length > 0;
  if (hasLeave) sections.push(policiesSection(leave, hasBalances, wide));
  if (hasLeave && people !== undefined) {
    const orders = dayOrdersOf(people, used);
    sections.push(assignmentsSection(leave, people, orders, wide));
  }
  const questions = [
    ...Object.entries(unplaced).map(([place, what]) => `${place}: ${what}`),
    ...sections.flatMap((section) => section.questions.map((question) => `${section.kind}: ${question}`)),
  ];
  if (questions.length > 0)
    intro.push(
      'Each "?" is a question, which the comments above it ask. The mapping is refused until all are answered',
    );
  const texts = sections.map(({ kind, source, questions, notes }) => {
    const said = [...questions.map((question) => `? ${question}`), ...notes];
    const lines = Object.entries(source).map(([key, value]) => `    ${entry(key, value, "    ")}`);
    return `  ${JSON.stringify(kind)}: {\n${comments(said, "    ")}${lines.join(",\n")}\n  }`;
  });
  if (Object.keys(unplaced).length > 0) {
    const asked =
      "// ? What is in these? Map it, in a source of its own or in a query, or leave it out; then remove these lines";
    texts.unshift(`  ${asked}\n  ${entry("?", unplaced, "  ")}`);
  }
  return {
    text: `{\n${comments(intro, "  ")}${texts.join(",\n")}\n}\n`,
    questions,
    isEmpty: sections.length === 0,
  };
}

/** Whether the name of a file or sheet resembles something importable. */
function isNamedLikeAny({ name, more, options }: Sample): boolean {
  const files = [name, ...more].map((file) => namedFormat(file)?.stem ?? "");
  const stems = options.sheet === null ? files : [options.sheet];
  return stems.some(
    (stem) => kindOf(`${stem}.csv`) !== null || KINDS.some((kind) => words.isNamedLikeKind(kind, stem)),
  );
}

/** Whether a table has the same people beside days of a month, or beside several amounts, so that it may be their leave or balances. */
function isPlanOf(people: Guess, sample: Sample): boolean {
  const days = sample.columns.filter(({ name }) => /^(?:[12]?\d|3[01])\.?$/.test(name.trim()));
  const isWide = days.length >= LEAST_DAYS || amountColumns(sample).length >= LEAST_AMOUNTS;
  return isWide && sample.columns.some((column) => namesPeople(people, column));
}

/** Whether rows have a day or somebody's address, so that they may be people, leave or balances. */
function isOfPeopleOrDays({ columns }: Sample): boolean {
  return columns.some(
    ({ values }) =>
      areEnough(values.filter((value) => value.includes("@")).length, values.length, 0.5) ||
      datesIn(values).formats.length > 0,
  );
}

function comments(lines: readonly string[], indent: string): string {
  return lines.map((line) => `${indent}// ${line.replace(/[\r\n\u2028\u2029]+/g, " ")}\n`).join("");
}

/** `Sick Leave Allocated` of `Sick Leave Used`. */
function grantedBeside(name: string): string {
  return name.replace(/used$/i, "Allocated");
}

/** Fewer amounts beside people are something else, such as hours a week. */
const LEAST_AMOUNTS = 3;

/** A list of more values than this is not read by anybody. */
const MAX_CHOICES = 20;
/** Longer values are written on several lines. */
const MAX_LINE = 100;

const entry = (key: string, value: unknown, indent: string) =>
  `${JSON.stringify(key)}: ${printed(value, indent)}`;

function printed(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const below = `${indent}  `;
  const items = (within: string) =>
    Array.isArray(value)
      ? value.map((item) => printed(item, within))
      : Object.entries(value).map(([key, item]) => entry(key, item, within));
  const line = Array.isArray(value) ? `[${items("").join(", ")}]` : `{ ${items("").join(", ")} }`;
  const isShort = !line.includes("\n") && indent.length + line.length <= MAX_LINE;
  const isRow = indent.length > 4 && !Object.values(value).some((item) => typeof item === "object");
  if (isShort || isRow) return line;
  return `${open}\n${below}${items(below).join(`,\n${below}`)}\n${indent}${close}`;
}

/** The draft's section for one file. */
function sectionOf(guess: Guess, orders: DayOrders, people: Guess | undefined): Section {
  const { kind, sample, fields } = guess;
  const section: Section = { kind, source: {}, questions: [], notes: [] };
  const { source, notes } = section;
  if (kind === "workers") nameQuestions(guess, section);
  Object.assign(source, sourceOf(guess, people, section));
  source.columns = columnsOf(guess, section);
  const dates = new Map([...fields].filter(([field]) => dateContent(kind, field) !== ""));
  Object.assign(source, datesOf(dates, orders, source.query !== undefined, sample.doubts, section));
  const proof = kind === "requests" ? provedBy(guess, source) : null;
  if (kind === "requests") {
    Object.assign(source, endDayOf(guess, source, proof, section));
    Object.assign(source, zoneOf(guess, source, section));
  }
  Object.assign(source, amountKeys(guess, source, people, proof, section));
  const translate = translations(guess, section);
  const values = missingValues(guess, section);
  if (Object.keys(translate).length > 0) source.translate = translate;
  if (Object.keys(values).length > 0) source.values = values;
  const skip = skipped(guess, section);
  if (Object.keys(skip).length > 0) source.skip = skip;
  source.ignore = "*";
  const made = [...fields.values(), ...sample.columns].flatMap((column) => column.made?.of ?? []);
  const used = new Set([...fields.values(), ...guess.amounts, ...made, unitColumn(guess)]);
  const rest = sample.columns.filter(
    (column) =>
      column.made === null && !used.has(column) && !(column.name in { ...source.columns!, ...skip }),
  );
  for (const number of sample.nameless)
    notes.push(`column ${number} has values, but no name in the header, so nothing reads it: name it`);
  if (rest.length > 0) notes.push(`not used: ${rest.map(({ name }) => name).join(", ")}`);
  return section;
}

/** The name of a field's column, in the query or else in the file. */
function nameIn({ fields, namings }: Guess, field: string): string | undefined {
  const column = fields.get(field);
  return column !== undefined && namings.has(field) ? idOf(column) : column?.name;
}

function columnsOf(guess: Guess, { questions }: Section): Record<string, string | string[]> {
  const { kind, sample, fields, amounts } = guess;
  const amount = kind === "requests" ? LEAVE_AMOUNT : "minutes";
  const columns = new Map<string, string[]>();
  for (const sampleColumn of sample.columns)
    for (const [field, column] of fields) {
      if (column !== sampleColumn) continue;
      const name = nameIn(guess, field)!;
      const isUnclear =
        (amounts.length > 1 && field === amount) || isLastFirst(field, column, fields.get(FIELD.email));
      columns.set(name, [...(columns.get(name) ?? []), isUnclear ? "?" : field]);
    }
  const [leave] = isOneDayEach(guess) ? amounts : [];
  const long = leave?.values.find(
    (value) => amountsOf(leave).unit === "days" && Number.parseFloat(value) > 1,
  );
  if (long !== undefined) {
    const { name } = fields.get(FIELD.start)!;
    questions.push(
      `columns: ${shown(name)} is one day, but ${shown(leave!.name)} has ${shown(long)} days: when does such leave end? Give its last day as ${FIELD.end} with a query (docs/mapping.md, Queries), or write ${JSON.stringify(columns.get(name))}`,
    );
    columns.set(name, ["?"]);
  }
  if (amounts.length > 1) {
    for (const { name } of amounts) columns.set(name, ["?"]);
    questions.push(
      `columns: which of ${amounts.map(({ name }) => shown(name)).join(", ")} is the amount? Write "${amount}" beside it, and remove the others${kind === "requests" ? "" : "; or add them up in a query (docs/mapping.md, Queries)"}`,
    );
  }
  const ends =
    kind === "workers" ? [FIELD.began, FIELD.ended] : kind === "requests" ? [FIELD.start, FIELD.end] : [];
  for (const field of ends) {
    const column = fields.get(field);
    const others = column === undefined ? [] : rivalsOf(guess, field);
    const isNotice = field === FIELD.ended && column !== undefined && words.has("notice", column.name);
    if (others.length === 0 && !isNotice) continue;
    const all = [column!, ...others].map(({ name }) => name);
    const own = columns.get(nameIn(guess, field)!) ?? [];
    const written = own.length > 1 ? own : field;
    for (const name of all) columns.set(name, ["?"]);
    questions.push(
      isNotice && others.length === 0
        ? `columns: is ${shown(all[0])} the last day of work, or the day on which somebody gave notice? Write "${field}" if it is the last day, or remove the line`
        : `columns: ${all.map(shown).join(" and ")} differ in some rows: which is the ${field === ends[0] ? "first" : "last"} day${kind === "workers" ? " of work" : ""}? Write ${JSON.stringify(written)} beside it, and remove the others`,
    );
  }
  const managers = kind === "workers" ? namedFields(kind, sample).fields.get(FIELD.manager) : undefined;
  const isLost = managers?.values.some((name) => !words.isNobody(name)) && !columns.has(managers.name);
  if (isLost && !fields.has(FIELD.manager)) {
    columns.set(managers!.name, ["?"]);
    questions.push(
      `columns: whom does ${shown(managers!.name)} name? Nobody, or several people, are called ${shown(managers!.values[0])} in this file. Find their ids with a query (docs/mapping.md, Queries), or remove the line: then nobody has a manager`,
    );
  }
  return Object.fromEntries([...columns].map(([name, all]) => [name, all.length > 1 ? all : all[0]!]));
}

/** Whether whole names begin with the last name, without a comma: `LE GALL Yann`, or by the column's name, or by addresses. */
function isLastFirst(field: string, { name, values, cells }: SampleColumn, email?: SampleColumn): boolean {
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

/** Questions about names. If some people have no email address, each gets a made-up one, because every worker needs one. */
function nameQuestions({ sample, fields }: Guess, { questions, notes }: Section): void {
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

/** A time of a workbook. If all of a column are midnight, they are days. */
const isTimed = (value: string) => /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value);

const SATURDAY = 5;

/** A time that is neither midnight nor the last minute of a day, also as a serial number. */
const isTimeOfDay = (value: string) =>
  /(?<![\d:+-])(?!0?0:00|23:59|12:00(?::00)?\s*AM)\d{1,2}:\d{2}|^\d{5}\.\d+$/i.test(value.trim());

/** Whether a column has times of the day in cells of their own, not all of them midnight. */
function areTimes({ values }: SampleColumn): boolean {
  const times = values.filter((value) =>
    /^\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?$/i.test(value.trim()),
  );
  const areOfDay = times.every((time) => Number.parseInt(time, 10) < 25) && times.some(isTimeOfDay);
  return areOfDay && areEnough(times.length, values.length, 0.9);
}

/** Whether an end without time includes its day. Leave that begins and ends on one day shows that it does. */
function endDayOf(
  guess: Guess,
  { dates, locale }: Record<string, unknown>,
  proof: Proof | null,
  { questions, notes }: Section,
) {
  const [start, end] = [guess.fields.get(FIELD.start)!, guess.fields.get(FIELD.end)!];
  const given = typeof dates === "object" && dates !== null && FIELD.end in dates ? dates[FIELD.end] : dates;
  const format = Array.isArray(given) ? given[0] : given;
  const compiled = typeof format === "string" ? compiledFormat(format, locale as string | undefined) : null; // set by `datesOf`
  const isDayAlone =
    format === "?" ||
    (format === SERIALS && end.values.every((value) => !value.includes("."))) ||
    (compiled === null
      ? end.hasMoments && !end.values.some(isTimed)
      : typeof compiled === "object" && compiled.isDayAlone);
  if (!isDayAlone) return {};
  const isOneDay = isOneDayEach(guess);
  if (isOneDay) notes.push("each row is one day of leave, and becomes a request of that day");
  if (isOneDay || end.cells.some((day, row) => day.trim() !== "" && day === start.cells[row]))
    return { endDay: "included" };
  if (proof !== null) {
    notes.push(`the amounts say that the last day is ${proof.endDay}: ${proof.text}`);
    return { endDay: proof.endDay };
  }
  questions.push(
    'endDay: is the last day part of the leave ("included"), or the day of return ("excluded")?',
  );
  return { endDay: "?" };
}

/** Times without an offset are in the worker's zone. If a column's name says UTC, the mapping must say so. */
function zoneOf({ fields }: Guess, { dates }: Record<string, unknown>, { questions, notes }: Section) {
  const moments = [FIELD.start, FIELD.end].flatMap((field) => fields.get(field) ?? []);
  const isLocal = JSON.stringify(dates ?? "").includes("HH") && !JSON.stringify(dates).includes("XXX");
  if (!isLocal) return {};
  if (moments.every(({ name }) => words.has("utc", name))) {
    notes.push(`${moments.map(({ name }) => shown(name)).join(", ")} are in UTC, as their names say`);
    return { zone: "UTC" };
  }
  const zones = fields.get("timeZone");
  if (zones === undefined) return {};
  questions.push(
    `zone: are these times in UTC, or local times in the zone of ${shown(zones.name)}? Write "UTC", or remove the line`,
  );
  return { zone: "?" };
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
        words.areHalfDays(column.values) ||
        areTimes(column) ||
        isNumber(column) ||
        column.values.some(saysHalf) ||
        (sample.unpivot === undefined &&
          (areFractions(column) || (column.values.length > 0 && isCalledAmount(column)))),
  );
}

/** Whether numbers may be percent: 100 beside 50 or 75. */
function areShares({ values }: SampleColumn): boolean {
  const numbers = values.map(Number);
  return numbers.includes(100) && numbers.every((number) => number >= 5 && number <= 100 && number % 5 === 0);
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

/** A kind of leave that takes half a day: `U/2`, `½ Urlaub`. */
const isHalfKind = (kind: string) => /½|\/\s*2\b|\b0?[.,]5\b/.test(kind) || words.has("halfDay", kind);

/** Which days count as leave without amounts: the worker's, if the file of people has them. A row for each day tells its day itself. */
function workDaysOf(
  guess: Guess,
  source: SourceMapping,
  people: Guess | undefined,
  { questions, notes }: Section,
): { workDays?: string } {
  const own = people?.fields.get("workDays");
  if (own !== undefined) {
    notes.push(`the working days are those of ${shown(own.name)}`);
    return {};
  }
  const day = dayReaderOf(source, FIELD.start);
  const days = isOneDayEach(guess) ? guess.fields.get(FIELD.start)!.values.map(day) : [null];
  if (days.every((day) => day !== null && weekdayOf(day) < SATURDAY)) return { workDays: "Mon-Sun" };
  questions.push(
    'workDays: which days of the week are working days, so that leave takes them? Write "Mon-Fri", "Mon-Sat" or "Sun-Thu"; or remove the line if workers have their workDays',
  );
  return { workDays: "?" };
}

function amountKeys(
  guess: Guess,
  source: SourceMapping,
  people: Guess | undefined,
  proof: Proof | null,
  section: Section,
): Record<string, unknown> {
  const { questions, notes } = section;
  const { kind, sample, fields, amounts } = guess;
  const field = [...fields.keys()].find((key) => cellOf(kind, key)?.holds === "minutes");
  if (field === undefined && kind !== "requests") return {};
  if (field === undefined) {
    notes.push("no column has an amount, so leave is counted in working days of 8 hours");
    const partDays = partDayColumns(guess)
      .map(({ name }) => shown(name))
      .concat(sample.nameless.map((number) => `column ${number}, which has no name`));
    if (partDays.length > 0)
      questions.push(
        `hoursPerDay: ${partDays.join(", ")}: parts of days would be counted as whole ones. Compute their amounts in a query (docs/mapping.md, Queries), or write 8`,
      );
    return { hoursPerDay: partDays.length > 0 ? "?" : 8, ...workDaysOf(guess, source, people, section) };
  }
  const all = amounts.length > 1 ? amounts : [fields.get(field)!];
  const names = all.map(({ name }) => shown(name));
  const [first, ...others] = all.map((column) => ({ column, ...amountsOf(column) }));
  const { column, unit, units, negative } = first!;
  const texts = all.flatMap((amount) => amount.texts);
  const given = decimalKey(sample, texts);
  // Amounts that count the days have a point before their decimals.
  const decimal =
    proof !== null && given.decimal === "?" && !texts.some((text) => text.includes(",")) ? {} : given;
  const name = shown(column.name);
  const ofRow = unitColumn(guess);
  const own = new Set([...units, ...(ofRow?.values ?? []).flatMap((word) => unitNamed(word) ?? [])]);
  const named = others.every((other) => other.unit === unit) ? unit : null;
  const unitOfAll = named ?? (units.size === 0 && ofRow === null ? (proof?.unit ?? null) : null);
  if (named === null && unitOfAll !== null) notes.push(`${name} is counted in ${unitOfAll}: ${proof!.text}`);
  if (ofRow === null && unitOfAll === null)
    questions.push(
      `units: what is ${names.join(" or ")} counted in: minutes, hours or days? Write it in place of the "?"`,
    );
  if (own.has("days") && own.size > 1)
    questions.push(`hoursPerDay: how many hours are a day? ${name} has days beside hours`);
  if (decimal.decimal === "?") questions.push(decimalQuestion(names.join(", "), texts));
  if (kind === "requests" && negative === "all")
    notes.push(`${name} is below 0 in every row: it is read as leave, with its sign inverted`);
  if (kind === "requests" && negative === "some")
    notes.push(
      `amounts below 0 in ${name} take leave back: add such rows up with what they correct in a query (docs/mapping.md, Corrections)`,
    );
  const clock = unitOfAll === "hours" && ofRow === null ? clockIn(texts) : undefined;
  const fraction = unitOfAll === "hours" && ofRow === null ? partOfDayIn(column.values) : undefined;
  if (fraction !== undefined)
    questions.push(
      `units: is ${shown(fraction)} in ${name} a part of 24 hours, as spreadsheets store times? Multiply it by 24 in a query (docs/mapping.md, Queries), or write "hours" if it is hours`,
    );
  if (clock !== undefined)
    questions.push(
      `units: is ${shown(clock)} in ${name} hours and minutes, or hours with decimals? Write "hours" if it has decimals; else put a colon in place of the point with a query (docs/mapping.md, Queries), and write "HH:mm"`,
    );
  const perDay = unitOfAll === "days" ? sample.columns.find(isHoursPerDay) : undefined;
  if (perDay !== undefined)
    questions.push(
      `hoursPerDay: a day has 8 hours, but ${shown(perDay.name)} has ${[...new Set(perDay.values)].slice(0, 3).map(shown).join(", ")}: write the hours of a day, or 8 if balances are in days`,
    );
  const isSignUnclear = mayBeTaken(guess);
  if (isSignUnclear)
    questions.push(
      `negate: is ${name} what people got, or leave that they took? If they took it, write "${field}" in place of the "?"; else remove the line`,
    );
  const isClear = unitOfAll !== null && clock === undefined && fraction === undefined;
  return {
    units: { [field]: ofRow !== null ? { column: ofRow.name } : isClear ? unitOfAll : "?" },
    ...decimal,
    ...(kind === "requests" && negative === "all" ? { negate: [field] } : {}),
    ...(isSignUnclear ? { negate: ["?"] } : {}),
    ...((own.has("days") && own.size > 1) || perDay !== undefined ? { hoursPerDay: "?" } : {}),
  };
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

/** Rows to skip: sums, and cancelled requests. */
function skipped(
  { kind, sample, fields, ...guess }: Guess,
  { notes, questions }: Section,
): Record<string, string[]> {
  const skip: Record<string, string[]> = {};
  const totals = totalsIn({ kind, sample, fields, ...guess });
  if (totals !== null) {
    skip[totals.column] = totals.values;
    notes.push(
      `rows with ${totals.values.map(shown).join(" or ")} in ${shown(totals.column)} look like totals or remarks and are left out`,
    );
  }
  const ofStatus =
    kind === "workers" || kind === "requests" ? fields : namedFields("requests", sample).fields;
  const status = ofStatus.get(FIELD.status);
  const isLeftOut = kind === "requests" ? words.isCancelled : isNotGranted;
  const leftOut = kind === "workers" ? [] : [...new Set(status?.values)].filter(isLeftOut);
  if (leftOut.length > 0) skip[status!.name] = leftOut;
  const used = new Set(fields.values());
  const inactive = (kind === "workers" && status !== undefined && goneIn(kind, status, true)?.values) || [];
  for (const column of sample.columns) {
    const isUsed = used.has(column) && column !== fields.get("reason");
    const gone = isUsed ? null : goneIn(kind, column, status !== undefined);
    if (gone === null) continue;
    const isTold = (word: string) =>
      leftOut.includes(word) ||
      (kind === "requests" && words.meaningOf(word, ["denied"]) !== null) ||
      (kind === "workers" && (inactive.includes(word) || words.meaningOf(word, ["inactive"]) !== null));
    const untold = column.cells.filter(
      (cell, row) => gone.values.includes(cell) && !isTold(status?.cells[row] ?? ""),
    );
    if (gone.isCertain) skip[column.name] = gone.values;
    if (gone.isCertain || untold.length === 0) continue;
    skip[column.name] = ["?"];
    const listed = [...new Set(untold)].map(shown).join(", ");
    const [what, answer] = gone.isDated ? [`a value, such as ${shown(untold[0])},`, '"*"'] : [listed, listed];
    questions.push(
      `skip: are ${kind} with ${what} in ${shown(column.name)} ${kind === "requests" ? "cancelled" : "gone"}? Write ${answer} to leave them out, or remove the line`,
    );
  }
  if (kind === "work_hours") {
    const kinds = sample.columns.find((column) => !used.has(column) && areKindsOfHours(column));
    if (kinds === undefined) return skip;
    skip[kinds.name] = ["?"];
    questions.push(
      `skip: which of ${[...new Set(kinds.values)].map(shown).join(", ")} in ${shown(kinds.name)} are not hours that were worked, such as leave? List them in place of "?"`,
    );
  }
  if (kind !== "requests") return skip;
  const policy = fields.get(FIELD.policy);
  const cancelled = [...new Set(policy?.values)].filter((type) =>
    type.split(/[^\p{L}\p{M}]+/u).some(words.isCancelled),
  );
  if (cancelled.length > 0) {
    skip[policy!.name] = ["?"];
    questions.push(
      `skip: which of ${cancelled.map(shown).join(", ")} in ${shown(policy!.name)} are cancelled, so that they are left out? List them in place of "?", or remove the line`,
    );
  }
  for (const { column, grants } of grantColumns(sample.columns, fields)) {
    skip[column.name] = grants;
    notes.push(
      `rows with ${grants.map(shown).join(" or ")} in ${shown(column.name)} are not leave and are left out; import them as adjustments where balances need them`,
    );
  }
  return skip;
}

/**
 * The cells of a column that say, beside the status, that their row does not count: a flag such as `isDeleted` or `active`, or the day of a
 * cancellation, or a second status. Null for another column.
 */
function goneIn(kind: Kind, { name, values }: SampleColumn, hasStatus: boolean) {
  const all = [...new Set(values)];
  const isOfWords = all.length <= MAX_CHOICES && !all.some((value) => value.length > LONGEST_STATE);
  const states = kind === "requests" && hasStatus && isOfWords ? all.filter(isRefused) : [];
  if (states.length > 0) return { values: states, isCertain: false, isDated: false };
  const bare = name.replace(/^is[\s_]?/i, "");
  const [isCancelled, isGone] = [words.isCancelled(bare), words.has("reversed", bare)];
  const isFlag = values.every(words.isYesOrNo);
  const isApproval = kind !== "workers" && words.meaningOf(bare, ["approved"]) !== null;
  if (isFlag && !isCancelled && !isGone && !isApproval && words.meaningOf(bare, ["active"]) === null)
    return null;
  if (isFlag) {
    const gone = all.filter((value) => words.isYes(value) === (isCancelled || isGone));
    const isCertain = kind === "requests" && isCancelled;
    return gone.length === 0 ? null : { values: gone, isCertain, isDated: false };
  }
  const isOfDays = () => datesIn(values).formats.length > 0;
  return (kind === "requests" && isCancelled) || (isGone && isOfDays())
    ? { values: all, isCertain: false, isDated: true }
    : null;
}

/** Longer texts are remarks. */
const LONGEST_STATE = 40;
const isRefused = (word: string) => words.isCancelled(word) || words.meaningOf(word, ["denied"]) !== null;

/** Whether a column tells hours that were worked from leave: by its name, or by a word for leave. */
function areKindsOfHours({ keys, values }: SampleColumn): boolean {
  const kinds = new Map(words.fieldNames("requests", keys)).get(FIELD.policy) ?? [];
  const count = new Set(values).size;
  const isNamed =
    keys.some((key) => kinds.includes(key)) || values.some((word) => words.has("leaveKind", word));
  return isNamed && count > 1 && count <= MAX_CHOICES;
}

/** Whether a status means that a requested amount does not count. */
function isNotGranted(word: string): boolean {
  const meant = words.meaningOf(word, cellOf("requests", FIELD.status)?.choices ?? []);
  return words.isCancelled(word) || (meant !== null && meant !== "approved");
}

type Table = Record<string, string>;

/** Fields in which `NULL` or `-` is no name. */
const MAY_BE_NOTHING = /^(?:department|workplace|location|position|reason)$/;

/** Translations for fields with a fixed list of values, with a question for each unknown word. */
function translations(guess: Guess, { questions, notes }: Section): Record<string, Table> {
  const { kind, fields } = guess;
  const tables: Record<string, Table> = {};
  const emptied = (field: string, none: readonly string[]) => {
    if (none.length > 0) tables[field] = Object.fromEntries(none.map((value) => [value, ""]));
  };
  for (const [field, column] of fields) {
    const all = [...new Set(column.values.map((value) => value.trim()))];
    const { choices, isRequired } = cellOf(kind, field) ?? {};
    if (dateContent(kind, field) !== "") {
      const { placeholders } = datesIn(all);
      if (placeholders.length > 0 && isRequired === true)
        notes.push(
          `${shown(column.name)} has no date in rows with ${placeholders.map(shown).join(" or ")}: every row needs ${field}`,
        );
      else emptied(field, placeholders);
    } else if (field === FIELD.manager) {
      emptied(field, all.filter(words.isNobody));
      const strangers = strangersIn(guess);
      if (strangers.length === 0 || strangers.length > MAX_CHOICES) continue; // an import names them
      tables[field] = { ...tables[field], ...Object.fromEntries(strangers.map((name) => [name, "?"])) };
      questions.push(
        `translate: ${field}: ${strangers.map(shown).join(", ")} in ${shown(column.name)} ${strangers.length === 1 ? "is none" : "are none"} of these people: write an id of one, or "" for nobody`,
      );
    }
    if (MAY_BE_NOTHING.test(field)) emptied(field, all.filter(isNothing));
    if (choices === undefined) continue;
    const values = all.filter((value) => kind !== "requests" || !words.isCancelled(value));
    if (values.length > MAX_CHOICES) {
      questions.push(
        `translate: ${shown(column.name)} has ${values.length} different values, so is it ${field}?`,
      );
      tables[field] = { "*": "?" };
      continue;
    }
    const isFlag = values.every(words.isYesOrNo);
    const ids = fields.get(FIELD.id)?.cells ?? [];
    const isPerson = (_: string, row: number) =>
      (ids[row] ?? "").trim() !== "" && !words.has("total", ids[row]!);
    const isEmpty = (cell: string) => cell.trim() === "";
    if (kind === "workers" && field === FIELD.status && column.cells.filter(isPerson).some(isEmpty))
      values.push("");
    const meant = (value: string) => {
      if (isFlag && choices.includes("active"))
        return words.isYes(value) === words.has("reversed", column.name) ? "inactive" : "active";
      return isFlag && words.isYes(value) && choices.includes("approved")
        ? "approved"
        : words.meaningOf(value, choices);
    };
    if (values.length > 0)
      tables[field] = Object.fromEntries(values.map((value) => [value, meant(value) ?? "?"]));
    const unknown = values.filter((value) => meant(value) === null).map(shown);
    if (unknown.length > 0)
      questions.push(
        `translate: ${field}: what is ${unknown.join(", ")}: one of ${choices.join(", ")}, or rows to "skip"?`,
      );
  }
  return tables;
}

/** Whether all leave begins at one hour of UTC, or two in summer and winter, which is not midnight, and ends where a day does, too. */
function areMidnightsElsewhere(fields: ReadonlyMap<string, SampleColumn>): boolean {
  if (fields.has("timeZone")) return false;
  const starts = fields.get(FIELD.start)!.values;
  const ends = new Set(timesOfUtc(fields.get(FIELD.end)!.values, 1));
  return areElsewhere(starts) && ends.difference(new Set(timesOfUtc(starts))).size === 0;
}

/** Values for required fields without a column. */
function missingValues(guess: Guess, { questions, notes }: Section) {
  const { kind, fields } = guess;
  const values: Record<string, unknown> = {};
  const id = fields.get(FIELD.id);
  const needed = FILE_FIELDS[kind].filter(
    (field) => cellOf(kind, field)?.isRequired === true && !fields.has(field),
  );
  for (const field of needed) {
    const isPart = FULL_NAME.parts.some((part) => part === field);
    if (isPart && kind === "workers" && !fields.has(FULL_NAME.name)) {
      values[field] = "?";
      if (values[FULL_NAME.parts[0]] === "?" && field !== FULL_NAME.parts[0]) continue;
      questions.push(
        `values: no column looks like names. Write firstName and lastName, for all of them or of columns, such as "{${id?.name ?? "a column"}}", or map the columns that have them`,
      );
      continue;
    }
    if (isPart || field === LEAVE_AMOUNT) continue;
    const isId = id !== undefined && fields.get(FULL_NAME.name) !== id; // a name cannot become an address
    if (field === "isBusiness") values[field] = false;
    else if (field === FIELD.email && isId)
      values[field] = `{${addressless(guess) === null ? id.name : ADDRESS}}@no-email.invalid`;
    else if (kind === "workers" && field === "type") {
      values[field] = "employee";
      notes.push('no column looks like type, so it is "employee" for everybody');
    } else if (kind === "requests" && (field === FIELD.status || field === FIELD.policy)) {
      values[field] = "?";
      questions.push(
        field === FIELD.status
          ? 'values: no column looks like status. Write "approved" if all of this leave is, or map the column that says so'
          : `values: no column looks like the type of leave. Write "${ONE_POLICY}" if all leave is of one policy, or map the column that has the type`,
      );
    } else if ((kind === "adjustments" || kind === "openings") && field === "date") {
      values[field] = "?";
      questions.push(
        kind === "openings" && !words.has("left", fields.get("minutes")!.name)
          ? `values: date: is ${shown(fields.get("minutes")!.name)} what was left, or what was added? If it was left, write the day: "2026-01-01". If it was added, also write adjustments in place of openings`
          : 'values: date: on which day were these the amounts? Write it: "2026-01-01"',
      );
    } else notes.push(`${field} is missing: every row needs it; add it to columns or values`);
  }
  if (kind === "requests" && areMidnightsElsewhere(fields)) {
    values.timeZone = "?";
    questions.push(
      `values: timeZone: ${shown(fields.get(FIELD.start)!.name)} is at the same hour in UTC in each row, as midnights elsewhere are. Write the time zone of the days, such as "Europe/Berlin", or remove the line if people have theirs`,
    );
  }
  if (kind === "requests" && id === undefined) {
    const parts = [FIELD.worker, FIELD.policy, FIELD.start].flatMap((field) => nameIn(guess, field) ?? []);
    values[FIELD.id] = parts.map((name) => `{${name}}`).join("|");
  }
  const { name, more, moreSheets, options } = guess.sample;
  const places = options.sheet === null ? [name, ...more] : [options.sheet, ...moreSheets];
  const ofGone = places.filter((place) => words.has("reversed", place));
  const isOpen = kind === "workers" && !fields.has(FIELD.status) && !fields.has(FIELD.ended);
  if (isOpen && ofGone.length > 0) {
    values.status = "?";
    questions.push(
      `values: status: are the people in ${ofGone.map(shown).join(", ")} gone? Write "inactive" for them, in a source of their own if others are still there, or remove the line`,
    );
  } else if (kind === "workers" && !fields.has(FIELD.status))
    notes.push(
      fields.has(FIELD.ended)
        ? "no column has a status: everybody is active from the first to the last day"
        : "no column has a status or a last day, so everybody is active from the first day on",
    );
  if (kind === "workers" && id === undefined)
    notes.push("legacyId is missing: which column tells people apart?");
  return values;
}
