// What a draft asks about columns beside those of leave, or of people, which may change what a row means.
import { isSkippedBy, skipRules } from "../import/convert/columns.ts";
import { EMPTY_CELLS } from "../import/convert/import-rows.ts";
import { shown } from "../import/row-errors.ts";
import { countWorkDays, dateOf, MONDAY_TO_FRIDAY } from "../time/day.ts";
import { dayReaderOf } from "./draft-proofs.ts";
import {
  areYears,
  FIELD,
  type Guess,
  numberColumns,
  placeOf,
  rivalsOf,
  unitColumn,
  unusedColumns,
} from "./guess.ts";
import type { Sample, SampleColumn } from "./sample.ts";
import { areEnough, datesIn, isNothing } from "./sample-dates.ts";
import { amountsOf, type Section } from "./section.ts";
import * as words from "./words.ts";

/** Puts "?" beside columns of leave that may decide its policy, its days or its amount, with a question for each. */
export function askAboutLeave(guess: Guess, section: Section): void {
  askAboutPolicies(guess, section);
  askAboutEmpty(guess, section);
  askAboutHalves(guess, section);
  askAboutNothing(guess, section);
  askAboutRecurrence(guess, section);
  askAboutFlags(guess, section);
  askAboutYears(guess, section);
  askAboutCodes(guess, section);
  askAboutOtherRows(guess, section);
}

function ask(
  { source, questions }: Section,
  columns: readonly Pick<SampleColumn, "name">[],
  question: string,
): void {
  for (const { name } of columns) source.columns = { ...source.columns!, [name]: "?" };
  questions.push(`columns: ${question}`);
}

/** `Date` beside `Observed`: where a holiday is on a Saturday, the day off may be another one. */
export function askAboutObserved(guess: Guess, section: Section): void {
  const date = guess.fields.get("date")!;
  const others = rivalsOf(guess, "date").filter(({ values }) => datesIn(values).formats.length > 0);
  if (others.length > 0)
    ask(
      section,
      [date, ...others],
      `${namesOf([date, ...others])} differ: which is the day off? Write "date" beside it, and remove the others`,
    );
}

const namesOf = (columns: readonly SampleColumn[]) => columns.map(({ name }) => shown(name)).join(" and ");

/** `Policy` beside `Leave type`: one of them has the balance. */
function askAboutPolicies(guess: Guess, section: Section): void {
  const policy = guess.fields.get(FIELD.policy);
  if (policy === undefined) return;
  const hasKinds = ({ values }: SampleColumn) => values.some((value) => words.has("leaveKind", value));
  // `Vacation` in another column, and no such word in this one.
  const others = hasKinds(policy) ? [] : unusedColumns(guess.sample.columns, guess.fields).filter(hasKinds);
  const rivals = [...new Set([...rivalsOf(guess, FIELD.policy), ...others])].filter(
    (column) => column !== unitColumn(guess) && areKinds(column, policy) && !isSameDivision(column, policy),
  );
  if (rivals.length > 0)
    ask(
      section,
      [policy, ...rivals],
      `${namesOf([policy, ...rivals])} differ: which names the policy that the leave is taken from? Write "${FIELD.policy}" beside it, and remove the others`,
    );
}

/** Leave with an empty `To`, of one day in some programs, that goes on in others; people and kinds that are named above their rows alone. */
function askAboutEmpty({ fields, sample }: Guess, section: Section): void {
  const columns = section.source.columns as Readonly<Record<string, unknown>>; // as drafts write them
  const isEmpty = (cell: string) => cell.trim() === "" || isNothing(cell);
  const starts = fields.get(FIELD.start)!.cells;
  const rules = skipRules(section.source);
  const isLeftOut = (row: number) =>
    sample.columns.some(({ name, cells }) =>
      rules.some((rule) => rule.name === name && isSkippedBy(rule, cells[row]!)),
    );
  for (const field of [FIELD.worker, FIELD.policy, FIELD.end]) {
    const own = fields.get(field);
    const { placeholders, unread } = datesIn(field === FIELD.end ? own!.values : []); // `ongoing`, 9999-12-31
    const isWord = (cell: string) => cell === unread && !/\d/.test(cell); // others are wrong dates
    const isOpen = (cell: string) => isEmpty(cell) || isWord(cell) || placeholders.includes(cell);
    const open = own?.cells.find((cell, row) => isOpen(cell) && !isEmpty(starts[row]!) && !isLeftOut(row));
    if (own === undefined || open === undefined) continue;
    const { name } = own;
    const column = Object.keys(columns).find((name) => columns[name] === field) ?? name;
    ask(
      section,
      [{ name: column }],
      `${shown(name)} is ${open.trim() === "" ? "empty" : shown(open)} in rows of leave: ${EMPTY_CELLS[field]}. Or write "${field}", and leave out such rows: "skip": { ${shown(name)}: ${shown(open.trim())} }`,
    );
  }
}

const [MAX_KINDS, LONGEST_KIND] = [20, 40];

/** Whether values may be kinds of leave, as those of the policy are, and not remarks or halves of a day. */
function areKinds({ values, cells }: SampleColumn, policy: SampleColumn): boolean {
  const kinds = new Set(values);
  return (
    policy.cells.every((cell, row) => cell.trim() === "" || cells[row]!.trim() !== "") &&
    kinds.size <= MAX_KINDS &&
    values.every((value) => value.length <= LONGEST_KIND && !words.isYesOrNo(value)) &&
    !words.areHalfDays(values)
  );
}

/** Whether two columns have the same value in the same rows, under other names. */
function isSameDivision(column: SampleColumn, other: SampleColumn): boolean {
  const pairs = new Set(column.cells.map((cell, row) => `${cell}\0${other.cells[row]}`));
  return pairs.size === new Set(column.cells).size && pairs.size === new Set(other.cells).size;
}

/** The least amount of a whole day, by unit. */
const LEAST_DAY: Readonly<Record<string, number>> = { days: 1, hours: 6, minutes: 360, "HH:mm": 6 };

/** Whether numbers may be percent: 100 beside 50 or 75. */
export function areShares({ values }: SampleColumn): boolean {
  const numbers = values.map((value) => Number(value.replace(/%$/, "")));
  return numbers.includes(100) && numbers.every((number) => number >= 5 && number <= 100 && number % 5 === 0);
}

/** A time that is neither midnight nor the last minute of a day, also as a serial number. */
export const isTimeOfDay = (value: string) =>
  /(?<![\d:+-])(?!0?0:00|23:59|12:00(?::00)?\s*AM)\d{1,2}:\d{2}|^\d{5}\.\d+$/i.test(value.trim());

/** Whether a column has times of the day in cells of their own, not all of them midnight. */
export function areTimes({ values }: SampleColumn): boolean {
  const times = values.filter((value) =>
    /^\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?$/i.test(value.trim()),
  );
  const areOfDay = times.every((time) => Number.parseInt(time, 10) < 25) && times.some(isTimeOfDay);
  return areOfDay && areEnough(times.length, values.length, 0.9);
}

/** Whether a cell has another time than more than half of the rows, such as 13:00 where leave begins at 09:00, or where it has none. */
function unusualTimeIn(cells: readonly string[]): (cell: string) => boolean {
  const isUsual = (value: string) => cells.filter((other) => other === value).length > cells.length / 2;
  const areInSome = cells.some((cell) => cell.trim() === "");
  const usual = areInSome ? "" : [...new Set(cells)].find(isUsual);
  return (cell) => usual !== undefined && isTimeOfDay(cell) && cell !== usual;
}

/** `Start half day: Yes`, 50 percent, or a start at another time than most, beside an amount of whole days. */
function askAboutHalves({ sample, fields, amounts }: Guess, section: Section): void {
  const [amount, ...others] = amounts;
  const unit = amount === undefined ? null : amountsOf(amount).unit;
  if (amount === undefined || others.length > 0 || unit === null) return;
  const [readStart, readEnd] = [FIELD.start, FIELD.end].map((field) => dayReaderOf(section.source, field));
  const [starts, ends] = [fields.get(FIELD.start)!.cells, fields.get(FIELD.end)!.cells];
  const perDay = amount.cells.map((cell, row) => {
    const [first, last] = [readStart!(starts[row]!), readEnd!(ends[row]!)];
    const days =
      first === null || last === null || last < first ? 0 : countWorkDays(first, last, MONDAY_TO_FRIDAY);
    return days === 0 ? 0 : Number.parseFloat(cell.replace(",", ".")) / days;
  });
  const whole = Math.max(LEAST_DAY[unit]!, ...perDay.filter(Number.isFinite));
  const all = unusedColumns(sample.columns, fields).filter(
    (column) =>
      column !== amount &&
      (words.has("halfDay", column.name) ||
        words.areHalfDays(column.values) ||
        areShares(column) ||
        areTimes(column)),
  );
  const ofHalves = all.filter(({ values }) => words.areHalfDays(values));
  // From the morning to the afternoon is a whole day.
  const isHalf = (cell: string, row: number) =>
    words.isYes(cell) ||
    (Number.parseFloat(cell) < 100 && Number.parseFloat(cell) > 1) ||
    (words.areHalfDays([cell]) && ofHalves.every(({ cells }) => cells[row] === cell));
  const halves = all.filter((column) => {
    const ofLeave = column.cells.filter((_, row) => starts[row]!.trim() !== "");
    const isPart = areTimes(column) ? unusualTimeIn(ofLeave) : isHalf;
    return column.cells.some((cell, row) => isPart(cell, row) && perDay[row]! >= whole);
  });
  if (halves.length > 0)
    ask(
      section,
      [amount],
      `${shown(amount.name)} has whole days in rows with parts of days in ${namesOf(halves)}. Write "requestedMinutes" if it is right all the same, else compute the amount in a query (docs/mapping.md, Queries)`,
    );
}

/** Approved leave of 0 on a weekday: TimeOff.Management has 0 in `Deducted days` where a type of leave is not off the allowance. */
function askAboutNothing({ fields, amounts }: Guess, section: Section): void {
  const [amount, ...others] = amounts;
  if (amount === undefined || others.length > 0) return;
  const startOf = dayReaderOf(section.source, FIELD.start);
  const isTaken = (row: number) => {
    const day = startOf(fields.get(FIELD.start)!.cells[row]!);
    const status = fields.get(FIELD.status)?.cells[row];
    const isApproved = status === undefined || words.meaningOf(status, ["approved"]) !== null;
    return isApproved && day !== null && countWorkDays(day, day, MONDAY_TO_FRIDAY) === 1;
  };
  const nothing = amount.cells.filter((cell, row) => /^0+(?:[.,:]0+)*$/.test(cell.trim()) && isTaken(row));
  if (nothing.length > 0)
    ask(
      section,
      [amount],
      `${shown(amount.name)} is ${shown(nothing[0])} in rows of approved leave: does it take no time, on a holiday for example? Then write "requestedMinutes"; else compute the amount in a query (docs/mapping.md, Queries)`,
    );
}

/** `Weekdays: Mon`, `Repeat: weekly`: leave on some days of its span. */
function askAboutRecurrence({ sample, fields }: Guess, { source, questions }: Section): void {
  for (const column of unusedColumns(sample.columns, fields)) {
    if (column.values.length === 0) continue;
    const isNamed = words.has("recurs", column.name);
    const areSome =
      column.values.length < column.cells.length || column.values.some((value) => /[,;/&]/.test(value));
    const areWeekdays = column.values.every(words.areWeekdays) && (areSome || isNamed);
    const recurring = column.values.filter((value) => !words.isYesOrNo(value) || words.isYes(value));
    const values = new Set(recurring.filter((value) => !words.has("once", value)));
    if (values.size === 0 || !(areWeekdays || (isNamed && values.size <= MAX_KINDS))) continue;
    source.skip = { ...source.skip!, [column.name]: ["?"] };
    questions.push(
      `skip: is leave with ${[...values].slice(0, 3).map(shown).join(", ")} in ${shown(column.name)} on those days alone, or more often than its row says? Then make a row of each day in a query (docs/mapping.md, Queries); else remove the line`,
    );
  }
}

/** `Deduct from balance: No`, `Paid: No`: leave of one policy that does not all take from its balance. */
function askAboutFlags({ sample, fields }: Guess, { source, questions }: Section): void {
  for (const column of unusedColumns(sample.columns, fields)) {
    if (!words.has("takes", column.name) || !column.values.every(words.isYesOrNo)) continue;
    const others = [...new Set(column.values.filter((value) => !words.isYes(value)))];
    if (others.length === 0) continue;
    source.skip = { ...source.skip!, [column.name]: ["?"] };
    questions.push(
      `skip: does leave with ${others.map(shown).join(", ")} in ${shown(column.name)} take from the balance? If not, leave it out by writing these in place of "?", or give it a policy of its own in a query (docs/mapping.md, Queries); else remove the line`,
    );
  }
}

/** `Document Status: 0` beside `Approved`, as drafts in Frappe have: a second status in numbers, which the first one does not tell. */
function askAboutCodes({ sample, fields }: Guess, { source, questions }: Section): void {
  const status = fields.get(FIELD.status);
  if (status === undefined) return;
  for (const column of unusedColumns(sample.columns, fields)) {
    const codes = new Set(column.values);
    const areCodes = /stat(?:us|e)$/i.test(column.name) && [...codes].every((code) => /^\d$/.test(code));
    if (!areCodes) continue;
    const pairs = new Set(column.cells.map((cell, row) => `${status.cells[row]}\0${cell}`));
    if (pairs.size === new Set(status.cells).size) continue;
    source.skip = { ...source.skip!, [column.name]: ["?"] };
    questions.push(
      `skip: which of ${[...codes].map(shown).join(", ")} in ${shown(column.name)} are drafts, or cancelled, so that they do not count? List them in place of "?", or remove the line`,
    );
  }
}

/** `Replaces: 17`, `Parent ID: 17`: rows that name another row, of which they are a part or a newer version. */
function askAboutOtherRows({ sample, fields }: Guess, { source, questions }: Section): void {
  const id = fields.get(FIELD.id);
  if (id === undefined) return;
  const ids = new Set(id.values);
  const areNumbers = id.values.every((value) => /^\d{1,4}$/.test(value.trim()));
  for (const column of unusedColumns(sample.columns, fields)) {
    const isOther = (cell: string, row: number) => ids.has(cell) && cell !== id.cells[row];
    const others = column.cells.filter(isOther);
    const isNamed = !areNumbers || words.has("otherRow", column.name); // elsewhere, 3 may be anything
    if (others.length === 0 || others.length < column.values.length || !isNamed) continue;
    source.skip = { ...source.skip!, [column.name]: ["?"] };
    questions.push(
      `skip: rows with a value in ${shown(column.name)} name another row, such as ${shown(others[0])}: are they parts or newer versions of it, so that it counts twice? Write "*" to leave out the rows that name one; leave out those that are named in a query (docs/mapping.md, Corrections); or remove the line`,
    );
  }
}

/** `Leave year: 2025` beside leave in January 2026. Rollcall takes leave from the leave year of its days. */
function askAboutYears({ sample, fields }: Guess, { source, questions }: Section): void {
  const startOf = dayReaderOf(source, FIELD.start);
  const starts = fields.get(FIELD.start)!.cells.map(startOf);
  for (const column of unusedColumns(sample.columns, fields)) {
    if (!areYears(column.values)) continue;
    const others = column.cells.filter((year, row) => {
      const start = starts[row] ?? null;
      return year.trim() !== "" && start !== null && Number(year) !== dateOf(start).year;
    });
    if (others.length === 0) continue;
    source.skip = { ...source.skip!, [column.name]: ["?"] };
    questions.push(
      `skip: ${shown(column.name)} has ${shown(others[0])} beside leave of another year: is such leave taken from that year's balance? Here, leave takes from the leave year of its days. Move the balance with adjustments, then remove the line`,
    );
  }
}

/** What a table of people has beside them that belongs elsewhere, and the question for it. */
interface Beside {
  readonly place: string;
  readonly question: string;
}

function beside(
  { sample }: Pick<Guess, "sample">,
  columns: readonly SampleColumn[],
  question: string,
): Beside {
  return { place: `${placeOf(sample)}: ${columns.map(({ name }) => name).join(", ")}`, question };
}

/** The hours of each day of the week, or whether it is worked, beside people. */
export function weekHoursIn(people: Guess): Beside | null {
  const days = people.sample.columns.filter(
    ({ name, values }) => words.areWeekdays(name) && values.length > 0,
  );
  const question =
    "are these the days or the hours that people work? Map days to workDays, and hours to schedules, in a query";
  return days.length < LEAST_WEEKDAYS ? null : beside(people, days, question);
}

/** Amounts beside people that are named like leave, but not like balances, or like days: `leave_annual`, `CL`, `pl_taken`, `2026-01-01`. */
export function balancesBeside(people: Guess): Beside | null {
  const isOfLeave = ({ name }: SampleColumn) =>
    (["leaveKind", "leave", "shortKind", "taken"] as const).some((part) => words.has(part, name)) ||
    datesIn([name]).formats.length > 0;
  const amounts = unusedColumns(numberColumns(people.sample, 0), people.fields).filter(
    (column) => !words.has("balance", column.name) && isOfLeave(column),
  );
  const question =
    "what people have left, what they get in a year, or what they took? Map what is left to openings, and what they get to assignments";
  return amounts.length === 0 ? null : beside(people, amounts, question);
}

/** `02.02.-06.02.2026`, `2/2 to 6/2`: the first and the last day of leave. */
const SPAN =
  /\d{1,2}[./]\s?\d{1,2}[./\s\d]*(?:[-\u2013\u2014~]|\s\p{L}[\p{L}/]{0,3}\s)\s*\d{1,2}[./]\s?\d{1,2}/u;

/** Spans of days in a table of people or balances, which nothing reads: each is perhaps leave. */
export function spansBeside(sample: Sample): Beside | null {
  const areSpans = ({ values, made }: SampleColumn) =>
    made === null && areEnough(values.filter((value) => SPAN.test(value)).length, values.length, 0.5);
  const spans = sample.columns.filter(areSpans);
  const question =
    "first and last days: are they leave? Make a row of each in a file of leave, or in a query";
  return spans.length === 0 ? null : beside({ sample }, spans, question);
}

/** The day after which a part of a balance lapses, and its question: an opening has no last day. */
export function lapseBeside({ sample, fields }: Pick<Guess, "sample" | "fields">) {
  const column = unusedColumns(sample.columns, fields).find(
    ({ name, values }) => words.has("expires", name) && datesIn(values).formats.length > 0,
  );
  if (column === undefined) return null;
  const question = `columns: does a part of what is left lapse after ${shown(column.name)}? Then select it as carriedMinutes in a query, and say in policies when what was carried over expires (docs/importing.md, openings); remove the line in either case`;
  return { column, question };
}

const LEAST_WEEKDAYS = 4;
