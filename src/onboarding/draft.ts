// Drafts a mapping for unknown files. What names and values do not show becomes a question, with "?" for the answer.
import type { SourceMapping } from "../import/convert/schema.ts";
import { type Candidate, KNOWN_ENDINGS, kindOf, namedFormat } from "../import/read/files.ts";
import { UnreadableFile, UnstoredFormula } from "../import/read/records.ts";
import { oldSpreadsheetAdvice } from "../import/read/sources.ts";
import { sheetNames } from "../import/read/xlsx.ts";
import { shown } from "../import/row-errors.ts";
import { KINDS, type Kind } from "../resources/kinds.ts";
import { balancesBeside, spansBeside, weekHoursIn } from "./draft-doubts.ts";
import { provedBy } from "./draft-proofs.ts";
import {
  assignmentsSection,
  balanceAdvice,
  balancesSection,
  otherKinds,
  policiesSection,
  type WideBalances,
  wideBalances,
} from "./draft-queries.ts";
import { sectionOf } from "./draft-section.ts";
import {
  agreeOnPeople,
  amountColumns,
  areDifferent,
  balanceColumns,
  columnsCalled,
  dayOrdersOf,
  FIELD,
  type Guess,
  guessOf,
  isOfLeave,
  namedFields,
  namesPeople,
  nameWorkers,
  personColumn,
  placeOf,
} from "./guess.ts";
import {
  isTimed,
  isWorkbook,
  LEAST_DAYS,
  mergedSamples,
  type Sample,
  type SampleColumn,
  samplesOf,
  withDaysAsRows,
} from "./sample.ts";
import { areEnough, datesIn } from "./sample-dates.ts";
import type { Section } from "./section.ts";
import * as words from "./words.ts";

const UNKNOWN_FORM = `its name does not end in ${KNOWN_ENDINGS}: rename it to what it is, or unpack it`;

/** Archives, spreadsheets and other forms of tables. */
const MAY_HOLD_TABLES =
  /^(?!readme|licen[cs]e).*\.(?:zip|7z|rar|tar|tgz|gz|xlsb?|xlt[xm]|f?ods|numbers|txt|dat|prn|xml|html?|parquet)$/i;

export interface Draft {
  /** JSON with comments. */
  readonly text: string;
  readonly questions: readonly string[];
  /** Whether nothing importable was found. */
  readonly isEmpty: boolean;
}

/** What a draft says about whole files. */
class Remarks {
  /** The comments at its beginning. */
  readonly intro = [
    "A draft. Read every line, then check it: rollcall map check FILES --map THIS",
    "What each key means: docs/mapping.md",
  ];
  /** Why a file or sheet has no place in the draft. */
  readonly unplaced: Record<string, string> = {};
}

/** The draft for these files. A file that may be people, leave or balances but has no place becomes a question. */
export async function draftMapping(files: readonly Candidate[]): Promise<Draft> {
  const remarks = new Remarks();
  const samples: Sample[] = [];
  for (const file of files) samples.push(...(await samplesToDraft(file, remarks)));
  for (const sample of samples) remarkOnContent(sample, remarks);
  askAboutEncodings(samples, remarks);
  const guesses = guessesOf(mergedSamples(samples, endsAtTimes));
  const used = bestOfEachKind([...guesses.values()]);
  for (const guess of used.values()) askAboutRepeated(guess, remarks);
  const people = used.get("workers");
  if (people !== undefined && isOfLeave(people.sample))
    remarks.unplaced[placeOf(people.sample)] = "its rows of people have leave, too: map that to requests";
  for (const beside of people === undefined ? [] : [weekHoursIn(people), balancesBeside(people)])
    if (beside !== null) remarks.unplaced[beside.place] = beside.question;
  const holidays = used.get("holidays");
  if (holidays !== undefined) remarks.unplaced[placeOf(holidays.sample)] = whoHas(holidays, people);
  if (people !== undefined) agreeOnPeople(people, [...used.values()]);
  const { wide, hasBalances } = balancesIn(guesses, used, remarks);
  for (const [sample, guess] of guesses) {
    const isAsked = placeOf(sample) in remarks.unplaced || guess?.kind === "requests";
    const spans = isAsked ? null : spansBeside(sample);
    if (spans !== null) remarks.unplaced[spans.place] = spans.question;
  }
  return printedDraft(sectionsOf(used, wide, hasBalances), remarks);
}

/** The guess of each sample. Where a sample alone does not tell what its rows are, it may have a column of the people of another. */
function guessesOf(samples: readonly Sample[]): Map<Sample, Guess | null> {
  const alone = samples.map((sample) => ({ sample, guess: guessOf(sample) }));
  const people = bestOfEachKind(alone.map(({ guess }) => guess)).get("workers");
  return new Map(
    alone.map(({ sample, guess }) => {
      const person =
        people === undefined || guess === people || guess?.fields.has(FIELD.worker)
          ? undefined
          : personColumn(people, sample);
      const known = { ...sample, person };
      return person === undefined ? [sample, guess] : [known, guessOf(known)];
    }),
  );
}

/** The question which workplaces have the days of a calendar. No file of people says it. */
function whoHas(holidays: Guess, people: Guess | undefined): string {
  const place = people?.fields.get("location")?.values[0] ?? "Berlin";
  const calendar = holidays.fields.get("calendar")?.values[0] ?? place;
  const example = { legacyId: place, name: place, holidayCalendar: calendar };
  return `who has these days off? Name their calendar in workplaces: "workplaces": { "rows": [${JSON.stringify(example)}] } (docs/importing.md, workplaces)`;
}

/** The samples of a file, or remarks on why there are none. */
async function samplesToDraft(file: Candidate, { intro, unplaced }: Remarks): Promise<Sample[]> {
  if (namedFormat(file.name) === null) {
    if (isLikelyStem(file.name.replace(/\.\w+$/, "")) || MAY_HOLD_TABLES.test(file.name))
      unplaced[file.name] = oldSpreadsheetAdvice(file.name) ?? UNKNOWN_FORM;
    else intro.push(`${file.name} is not read: ${UNKNOWN_FORM}`);
    return [];
  }
  if (namedFormat(file.name)?.format === "ics") {
    intro.push(
      `${file.name} is read as holidays, and needs no mapping. Nobody has them off before workplaces name its calendar (docs/importing.md, workplaces)`,
    );
    return [];
  }
  try {
    const hidden = isWorkbook(file.name) ? (await sheetNames(file.path, file.within)).hidden : [];
    if (hidden.length > 0)
      intro.push(
        `${file.name}: ${hidden.map(shown).join(", ")} ${hidden.length === 1 ? "is hidden, and is" : "are hidden, and are"} not read`,
      );
    const samples = await samplesOf(
      file,
      (sample) => guessOf(withDaysAsRows(sample)) !== null,
      (part, { message }) => {
        unplaced[`${file.name}, ${part}`] = message;
      },
    );
    return samples.map(withDaysAsRows);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    unplaced[file.name] = error.message;
    return [];
  }
}

/** Remarks on a guessed encoding, on columns that were never computed or may be a second table, and on leave inside of other rows. */
function remarkOnContent(sample: Sample, { intro, unplaced }: Remarks): void {
  const { nested, unstored, aside } = sample;
  const encoding = guessedEncoding(sample);
  if (encoding !== null)
    intro.push(
      `${sample.name} is not UTF-8. Its letters look like ${encoding}: if a name comes out wrong, correct "encoding"`,
    );
  if (aside.length > 0)
    unplaced[`${placeOf(sample)}: ${aside.join(", ")}`] =
      "an empty column is before these. If they are a second table, move it to a file or sheet of its own, and draft again; else remove this line";
  for (const column of unstored) unplaced[`${placeOf(sample)}: ${column}`] = UnstoredFormula.problem;
  const ofLeave = ["requests", "adjustments", "work_hours"] as const;
  for (const { name, hasSpans } of nested)
    if (hasSpans || ofLeave.some((kind) => words.isNamedLikeKind(kind, name)))
      unplaced[`${placeOf(sample)}: ${name}`] =
        "it is a list inside of each row: export it as a list of its own";
}

/** Asks about columns whose name comes twice, as in two tables side by side: a query reads the first one alone. */
function askAboutRepeated({ sample, fields }: Guess, { unplaced }: Remarks): void {
  const used = new Set(
    [...fields.values()].flatMap(({ name, made }) => made?.of.map(({ name }) => name) ?? name),
  );
  for (const column of sample.repeated)
    if (used.has(column))
      unplaced[`${placeOf(sample)}: ${column}`] =
        "this column is there twice, with other values: rename one, or put two tables that are side by side below each other";
}

/** The encoding that was guessed from letters; null for UTF-8, and for a file with a byte order mark. */
function guessedEncoding({ options: { encoding } }: Sample): string | null {
  return encoding?.startsWith("utf-") ? null : encoding;
}

/** Asks about files whose letters look like two encodings: a program writes all its files in one, and few letters prove little. */
function askAboutEncodings(samples: readonly Sample[], { unplaced }: Remarks): void {
  const [first, ...others] = samples.filter((sample) => guessedEncoding(sample) !== null);
  if (first === undefined) return;
  const usual = guessedEncoding(first);
  for (const other of others) {
    const encoding = guessedEncoding(other);
    if (encoding !== usual)
      unplaced[`${placeOf(other)}: encoding`] =
        `its letters look like ${encoding}, those of ${placeOf(first)} like ${usual}. If one program wrote both, correct "encoding" where it is wrong`;
  }
}

/** Whether leave of a workbook ends at times, and not on days: one source reads either (endDay). Null if it has no ends. */
function endsAtTimes(sample: Sample): boolean | null {
  const ends = isWorkbook(sample.name) ? columnsCalled(FIELD.end, "requests", sample) : [];
  const values = ends.flatMap((end) => end.values);
  return values.length === 0 ? null : values.some(isTimed);
}

type UsedGuesses = ReadonlyMap<Kind, Guess>;

/** The guess with the highest score of each kind, and with rows if any has some. The draft uses only these. */
function bestOfEachKind(guesses: readonly (Guess | null)[]): UsedGuesses {
  const best = new Map<Kind, Guess>();
  const hasRows = ({ sample }: Guess) => Number(sample.rows > 0);
  const sorted = guesses
    .filter((guess) => guess !== null)
    .sort((a, b) => hasRows(b) - hasRows(a) || b.score - a.score);
  for (const guess of sorted) if (!best.has(guess.kind)) best.set(guess.kind, guess);
  return best;
}

/** Finds balances in rows or in columns, and remarks on files that the draft does not use. */
function balancesIn(guesses: ReadonlyMap<Sample, Guess | null>, used: UsedGuesses, remarks: Remarks) {
  const others = [...used.values()].filter(({ kind }) => kind !== "workers");
  const areInRows = used.has("adjustments") || used.has("openings");
  const wide: WideBalances[] = [];
  let hasBalances = areInRows;
  for (const [sample, guess] of guesses) {
    const isUsed = guess !== null && used.get(guess.kind) === guess;
    const columns = isUsed && guess.kind !== "workers" ? [] : balanceColumns(sample);
    if (columns.length === 0) {
      if (!isUsed) remarkOnUnused(sample, guess, used, remarks);
      continue;
    }
    // Entitlements of the people themselves. Other files say from when to when, or for which type of leave.
    const areYearly =
      isUsed && columns.every(({ name }) => words.has("yearly", name) && !words.has("left", name));
    hasBalances ||= !areYearly;
    const ofPeople =
      areYearly || areInRows || wide.length > 0 ? null : rowsOfPeople(sample, guess, used.get("workers"));
    if (ofPeople !== null) {
      wide.push(wideBalances(ofPeople, columns, others, guess?.kind === "workers"));
      continue;
    }
    remarks.intro.push(...balanceAdvice(sample, columns, areYearly));
    if (!isUsed)
      remarks.unplaced[placeOf(sample)] = "it has balances: what was left on which day, or what was added?";
  }
  return { wide, hasBalances };
}

/** A table of balances with the column that names people. Null if somebody has several rows, such as one for each type of leave. */
function rowsOfPeople(sample: Sample, own: Guess | null, people: Guess | undefined): Guess | null {
  const { fields } = namedFields("adjustments", sample);
  const worker = own === null ? fields.get(FIELD.worker) : own.fields.get(FIELD.id);
  if (worker === undefined || (own === null && (fields.has("policyId") || !areDifferent(worker.values))))
    return null;
  const ofWorkers = new Map<string, SampleColumn>([[FIELD.worker, worker]]);
  const date = fields.get("date");
  if (own === null && date !== undefined && datesIn(date.values).formats.length > 0)
    ofWorkers.set("date", date);
  const guess: Guess = {
    kind: "openings",
    sample,
    fields: ofWorkers,
    namings: new Map(),
    amounts: [],
    score: 0,
  };
  if (own === null && people !== undefined) nameWorkers(people, guess);
  return guess;
}

/** Remarks on a file that the draft does not use: a question if it may be people, leave or balances. */
function remarkOnUnused(sample: Sample, guess: Guess | null, used: UsedGuesses, remarks: Remarks): void {
  const { intro, unplaced } = remarks;
  const people = used.get("workers");
  const place = placeOf(sample);
  const columns = sample.columns.flatMap(({ name, made }) => (made === null ? [name] : []));
  const what = guess === null ? "it is not clear what its rows are" : `more ${guess.kind}?`;
  const nameless =
    sample.nameless.length < LEAST_DAYS
      ? ""
      : `; columns without a name: ${sample.nameless.length}. A name that is a formula needs a stored value`;
  const more = guess === null ? "" : `. If so, make a list: "${guess.kind}": [{…}, {…}]`;
  const said = `${what} (${columns.join(", ")}${nameless})${more}`;
  // Where no file has people, nothing tells whose rows these are.
  const isPlan = people === undefined || isPlanOf(people, sample);
  const isLikely =
    guess !== null ||
    isPlan ||
    sample.nameless.length >= LEAST_DAYS ||
    isNamedLikeAny(sample) ||
    isOfPeopleOrDays(sample);
  if (sample.rows === 0 && sample.unpivot !== undefined)
    unplaced[place] = "all cells below its days are empty: write what their colours mean into them";
  else if (sample.rows > 0 && isLikely) unplaced[place] = said;
  else intro.push(`${place}: ${said}`);
  const taken = columns.find((name) => / used$/i.test(name) && columns.includes(grantedBeside(name)));
  if (taken !== undefined)
    intro.push(
      `  is what is left ${shown(grantedBeside(taken))} less ${shown(taken)}? Then map openings, with a query that subtracts them`,
    );
}

function sectionsOf(byKind: UsedGuesses, wide: readonly WideBalances[], hasBalances: boolean): Section[] {
  const used = [...byKind.values()];
  const people = byKind.get("workers");
  const leave = (["requests", "adjustments", "openings"] as const).flatMap((kind) => byKind.get(kind) ?? []);
  const sections = used.map((guess) =>
    sectionOf(guess, dayOrdersOf(guess, used), people, otherKinds(guess, leave)),
  );
  if (wide.length > 0) sections.push(balancesSection(wide[0]!, people, dayOrdersOf(wide[0]!.guess, used)));
  askHoursOfDays(sections, byKind.get("requests"));
  if (leave.length + wide.length === 0) return sections;
  sections.push(policiesSection(leave, hasBalances, wide));
  if (people !== undefined) sections.push(assignmentsSection(leave, people, dayOrdersOf(people, used), wide));
  return sections;
}

/** Asks how many hours are a day where one file has days and another hours, as leave and balances may. Hours of whole days tell it. */
function askHoursOfDays(sections: readonly Section[], leave: Guess | undefined): void {
  const unitsOf = ({ source }: Section) => Object.values((source.units ?? {}) as object); // what drafts write
  const areHours = (unit: unknown) => unit === "hours" || unit === "HH:mm";
  const ofBalances = sections.filter(({ kind }) => kind !== "work_hours"); // a time sheet is in hours anyway
  const inHours = ofBalances.find((section) => unitsOf(section).some(areHours));
  if (inHours === undefined) return;
  const proof =
    inHours.kind === "requests" && leave ? provedBy(leave, inHours.source as SourceMapping) : null;
  const isTold = proof?.unit === "hours";
  const inDays = ofBalances.filter((section) => unitsOf(section).includes("days"));
  for (const { source, questions, notes, kind } of inDays) {
    if (source.hoursPerDay === "?" || (isTold && proof.perDay === 8)) continue;
    source.hoursPerDay = isTold ? proof.perDay : "?";
    if (isTold) notes.push(`a day is ${proof.perDay} hours: in ${inHours.kind}, it is ${proof.text}`);
    else
      questions.push(
        `hoursPerDay: how many hours are a day? ${kind} are in days, and ${inHours.kind} in hours`,
      );
  }
}

function printedDraft(sections: readonly Section[], { intro, unplaced }: Remarks): Draft {
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
  return (options.sheet === null ? files : [options.sheet]).some(isLikelyStem);
}

const isLikelyStem = (stem: string) =>
  kindOf(`${stem}.csv`) !== null || KINDS.some((kind) => words.isNamedLikeKind(kind, stem));

/** The number of a day in a month: `1`, `Mo 1.`, `01.03.`, `01-Mar`. */
const DAY_OF_MONTH = /(?<!\d)(?:0?[1-9]|[12]\d|3[01])(?!\d)/;

/** Whether a table may be leave or balances: it names the same people, in its first row or beside days or amounts of any form. */
function isPlanOf(people: Guess, sample: Sample): boolean {
  const days = sample.columns.filter(({ name }) => DAY_OF_MONTH.test(name));
  const isWide = days.length >= LEAST_DAYS || amountColumns(sample).length >= LEAST_AMOUNTS;
  const naming = sample.columns.filter((column) => namesPeople(people, column));
  const hasNumbers = ({ values }: SampleColumn) =>
    areEnough(values.filter((value) => /(?<![\p{L}\d])\d/u.test(value)).length, values.length, 0.5);
  const hasOthers = sample.columns.some((column) => !naming.includes(column) && hasNumbers(column));
  const isHeadedByOne = ({ name }: SampleColumn) =>
    namesPeople(people, { ...sample.columns[0]!, cells: [name], values: [name] });
  return (
    (naming.length > 0 && (isWide || hasOthers)) ||
    (sample.nameless.length > 0 && isWide) ||
    sample.columns.some(isHeadedByOne)
  );
}

/** Whether rows may be people, leave or balances: they have days or addresses. */
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

/** A table with fewer amounts is no plan: hours a week are one amount. */
const LEAST_AMOUNTS = 3;

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
