// Guesses what a file contains: what its rows are, which column is which field, and how it names people.
import { type UnitName, unitNamed } from "../import/convert/units.ts";
import { minutesReader } from "../import/convert/values.ts";
import { kindOf, namedFormat } from "../import/read/files.ts";
import { shown } from "../import/row-errors.ts";
import type { Kind } from "../resources/kinds.ts";
import { cellOf, FILE_FIELDS, problemOf } from "../resources/registry.ts";
import { LEAVE_AMOUNT } from "../resources/requests.ts";
import { FULL_NAME } from "../resources/workers.ts";
import { formatDay, SATURDAY, weekdayOf } from "../time/day.ts";
import {
  bareName,
  evaluated,
  isWorkbook,
  SAMPLE_ROWS,
  type Sample,
  type SampleColumn,
  type Sql,
} from "./sample.ts";
import {
  areEnough,
  type DayOrder,
  datesIn,
  dayReader,
  isNothing,
  orderOf,
  timesOfUtc,
} from "./sample-dates.ts";
import * as words from "./words.ts";

/** A file with the guessed kind of its rows, and a score. */
export interface Guess {
  readonly kind: Kind;
  readonly sample: Sample;
  /** The column of each field. */
  readonly fields: Map<string, SampleColumn>;
  /** How columns name people, for fields that do not have their ids. */
  readonly namings: Map<string, Naming>;
  /** Columns that may be the amount, if there are several. */
  readonly amounts: readonly SampleColumn[];
  readonly score: number;
}

/** Fields of a request and a worker, and fields with the same meaning in several kinds. */
export const FIELD = {
  id: "legacyId",
  email: "email",
  manager: "managerId",
  began: "startDate",
  ended: "endDate",
  worker: "workerId",
  policy: "timeOffPolicyId",
  start: "startAt",
  end: "endAt",
  asked: "createdAt",
  status: "status",
} as const;

/** What a file of each kind must have: one field of each list. */
const NEEDED: readonly (readonly [Kind, readonly (readonly string[])[]])[] = [
  [
    "workers",
    [
      [...FULL_NAME.parts, FULL_NAME.name],
      [FIELD.began, FIELD.email, FIELD.status, "position"],
    ],
  ],
  ["requests", [[FIELD.worker], [FIELD.start], [FIELD.end]]],
  ["work_hours", [[FIELD.worker], ["date"], ["minutes"]]],
  ["adjustments", [[FIELD.worker], ["minutes"], ["policyId", "date"]]],
  ["departments", [["name"]]],
  ["holidays", [["name"], ["date"]]],
];

/** A number that may be an amount, or somebody's id. */
const SMALL_NUMBER = /^\d{1,3}(?:[.,]\d+)?$/;

/** A kind scores one for each field, and this much for the file's name. */
const NAME_SCORE = 3;

const nameOf = (sample: Sample) => sample.options.sheet ?? namedFormat(sample.name)?.stem ?? "";

/** The kind with the highest score; null if required fields are missing for every kind, or if only a person can tell. */
export function guessOf(sample: Sample): Guess | null {
  const name = nameOf(sample);
  const ofRequests = namedFields("requests", sample);
  const areHolidays = isOfHolidays(name, sample, ofRequests.fields);
  const guesses = NEEDED.flatMap(([kind, needed]) => {
    if (areHolidays !== (kind === "holidays")) return [];
    const { fields, amounts } = kind === "requests" ? ofRequests : namedFields(kind, sample);
    if (isAnotherKind(kind, sample, fields, ofRequests)) return [];
    const isNamed = words.isNamedLikeKind(kind, name);
    const has = (some: readonly string[]) => some.some((field) => fields.has(field));
    // A file of people without names, or with little else, is recognised by its own name, or by first and last days of work.
    const areEmployments =
      fields.has(FIELD.began) && fields.has(FIELD.ended) && !ofRequests.fields.has(FIELD.start);
    const isPeople =
      kind === "workers" &&
      fields.has(FIELD.id) &&
      (areEmployments || (isNamed && ofRequests.amounts.length === 0));
    if (!(isPeople ? has(needed[0]!) || fields.has(FIELD.began) : needed.every(has))) return [];
    const score = new Set(fields.values()).size + (isNamed ? NAME_SCORE : 0);
    return [{ kind, sample, fields, namings: new Map(), amounts, score }];
  });
  const [best = null] = guesses.sort((a, b) => b.score - a.score);
  return best?.kind === "adjustments" ? adjustmentsOrOpenings(best) : best;
}

/** Whether a table is not of a kind, although its columns are named like those of the kind. */
function isAnotherKind(
  kind: Kind,
  sample: Sample,
  fields: FieldColumns,
  ofRequests: ReturnType<typeof namedFields>,
): boolean {
  if (kind === "requests") return !areLeave(sample, fields) || isAccount(sample.columns, fields);
  if (kind === "workers") return !fields.has(FIELD.began) && hasLeave(ofRequests);
  if (kind === "adjustments")
    return !fields.has("date") && isLeaveWithoutEnd(sample, fields, ofRequests.fields);
  return kind === "departments" && kindOf(`${nameOf(sample)}.csv`) !== kind;
}

/** Whether amounts are of leave that has a first day and no last day. Read as adjustments, they would lose their days. */
function isLeaveWithoutEnd(sample: Sample, fields: FieldColumns, ofRequests: FieldColumns): boolean {
  const [start, amount] = [ofRequests.get(FIELD.start), fields.get("minutes")];
  const isDated = start !== undefined && datesIn(start.values).formats.length > 0;
  const areOthers = (["granted", "allocation", "left"] as const).some(
    (part) => words.has(part, amount?.name ?? "") || words.has(part, nameOf(sample)),
  );
  return isDated && !ofRequests.has(FIELD.end) && !areOthers;
}

/** Whether rows are leave, and not what people were granted. Grants have a first and a last day, too. */
function areLeave(sample: Sample, fields: FieldColumns): boolean {
  const { columns } = sample;
  const name = nameOf(sample);
  const areGrants = words.has("granted", name) || columns.some((column) => words.has("granted", column.name));
  const areAllocations =
    words.has("allocation", name) ||
    kindsOfRows(columns, new Map()).some(({ grants, all }) => grants.length === all.length);
  return !areAllocations && (!areGrants || fields.has(FIELD.status));
}

/** Adjustments, or openings if the amounts are balances; null for balances of several days, which must not be added up. */
function adjustmentsOrOpenings(guess: Guess): Guess | null {
  const { sample, amounts } = guess;
  const totals = amounts.slice(0, 1).flatMap((amount) => totalsBeside(sample, amount));
  if (!areLeft(guess)) return { ...guess, amounts: [...amounts, ...totals] };
  const left = amounts.filter(({ name }) => words.has("left", name));
  if (isOfBalances(guess)) {
    guess.fields.delete("expiresOn"); // of a balance, only a part lapses
    return { ...guess, kind: "openings", amounts: [...left, ...totals] };
  }
  return left.length < amounts.length ? guess : null;
}

/** Columns of totals that have more than an amount in some rows, unless another column than of carried days tells how much. */
function totalsBeside({ columns }: Sample, amount: SampleColumn): SampleColumn[] {
  const isTold = (differences: readonly number[], { name, cells }: SampleColumn) =>
    !words.has("carried", name) && differences.every((more, row) => more === numberOf(cells[row]!));
  return columns.filter((total) => {
    const differences = total.cells.map((cell, row) => numberOf(cell) - numberOf(amount.cells[row]!));
    return (
      words.has("total", total.name) &&
      !words.has("amount", total.name) &&
      differences.every((more) => more >= 0) &&
      differences.some((more) => more > 0) &&
      !columns.some((column) => isTold(differences, column)) &&
      (words.has("left", total.name) || !words.has("left", amount.name) || !words.has("granted", total.name))
    );
  });
}

/** Whether amounts are what is left: the column is named so, or else the file. */
function areLeft({ fields, sample }: Guess): boolean {
  const { name } = fields.get("minutes")!;
  const file = nameOf(sample);
  return words.has("left", name) || (words.has("left", file) && !isAddition(name) && !isAddition(file));
}

/** Whether a name says that amounts are added, not taken. */
const isAddition = (name: string) => words.has("granted", name) || words.has("grant", name);

/** Whether adjustments may be leave that was taken: none is below 0, and nothing says that they were granted. */
export function mayBeTaken({ kind, sample, fields, amounts }: Guess): boolean {
  const file = nameOf(sample);
  const all = amounts.flatMap(({ values }) => values.filter((value) => !words.has("total", value)));
  const isSaid = isAddition(fields.get("minutes")?.name ?? "") || words.has("granted", file);
  // Leave has a first and a last day, and negative rows that take it back; so may an account.
  const hasDays = [FIELD.start, FIELD.end].every(
    (field) => columnsCalled(field, "requests", sample).length > 0,
  );
  const mayBe = hasDays ? !all.every(isNegative) : !all.some(isNegative);
  return kind === "adjustments" && !isSaid && mayBe;
}

/** Whether amounts are the balances of one day: nobody has two under a policy. */
function isOfBalances({ fields }: Guess): boolean {
  const [worker, policy] = [FIELD.worker, "policyId"].map((field) => fields.get(field));
  if (policy === undefined) return false;
  const isOther = [...fields.keys()].some(
    (field) => field !== "expiresOn" && !FILE_FIELDS.openings.includes(field),
  );
  return !isOther && areDifferent(worker!.cells.map((cell, row) => `${cell}\0${policy.cells[row]}`));
}

/** The column of each field. A column is one field, but may also fill others that have none. */
class FieldColumns extends Map<string, SampleColumn> {
  readonly free: Set<SampleColumn>;

  constructor({ columns }: Sample) {
    super();
    this.free = new Set(columns);
  }

  /** Takes the first matching column, if the field has none yet. */
  take(field: string, isOne: (column: SampleColumn) => boolean): void {
    const column = this.has(field) ? undefined : [...this.free].find(isOne);
    if (column === undefined) return;
    this.set(field, column);
    this.free.delete(column);
  }

  /** Lets a field's column also fill another field. */
  fill(field: string, from: string): void {
    const column = this.get(from);
    if (column !== undefined && !this.has(field)) this.set(field, column);
  }
}

/** Whether a table has public holidays: it or a column is called so, each lasts a day, and a calendar has a day once. */
function isOfHolidays(table: string, sample: Sample, ofRequests: FieldColumns): boolean {
  const holidays = namedFields("holidays", sample).fields;
  const [name, date, calendar] = ["name", "date", "calendar"].map((field) => holidays.get(field));
  if (name === undefined || date === undefined) return false;
  if (![table, name.name].some((word) => words.has("holidays", word))) return false;
  const [worker, start, end] = [FIELD.worker, FIELD.start, FIELD.end].map((field) => ofRequests.get(field));
  const days = new Set(date.cells.map((day, row) => `${calendar?.cells[row]} ${day}`));
  return (
    (worker === undefined || worker === name) &&
    (end === undefined || end === start || areOfOneDay(name, date, start, end)) &&
    areEnough(days.size, date.cells.length, ENOUGH) // people's leave is of several on a day
  );
}

/** Whether rows last a day, up to its end or the next midnight, and no name comes twice in a year, as those of people with leave do. */
function areOfOneDay(
  name: SampleColumn,
  date: SampleColumn,
  start: SampleColumn | undefined,
  end: SampleColumn,
): boolean {
  // In another zone than UTC, the day of an instant is unclear.
  if (start === undefined || (date === start && timesOfUtc(start.values).some((minute) => minute > 0)))
    return false;
  const [firstDay, lastDay] = [start, end].map(({ values }) => dayReader(datesIn(values).formats));
  const names = new Set<string>();
  return start.cells.every((cell, row) => {
    const [first, last] = [firstDay!(cell), lastDay!(end.cells[row]!)];
    const count = names.add(
      `${name.cells[row]} ${first === null ? cell : formatDay(first).slice(0, 4)}`,
    ).size;
    return first !== null && last !== null && last >= first && last - first <= 1 && count === row + 1;
  });
}

/** The column of each field, by its name or values; and the columns that may be the amount of leave. */
export function namedFields(kind: Kind, sample: Sample) {
  const fields = new FieldColumns(sample);
  const named = words.namesInTurn(
    kind,
    sample.columns.flatMap(({ keys }) => keys),
  );
  fields.take(kind === "workers" ? FIELD.id : FIELD.worker, ({ name }) => name === sample.person);
  for (const names of named)
    for (const [field, all] of names)
      for (const name of field === LEAVE_AMOUNT ? [] : all)
        fields.take(
          field,
          (column) =>
            column.names.has(name) &&
            canFill(kind, field, column) &&
            (field !== FULL_NAME.name || isWholeName(column, fields)),
        );
  const states = named.flatMap((names) => names.get(FIELD.status) ?? []);
  fields.take(FIELD.status, (column) => isCalledOne(column, states)); // codes, if no column has words
  if (kind === "workers") completePerson(fields);
  if (kind === "departments") fields.fill(FIELD.id, "name");
  if (kind === "adjustments") completeAdjustment(sample, fields);
  const known = named[0]!.get(LEAVE_AMOUNT) ?? [];
  const amounts = kind === "requests" ? completeLeave(sample, fields, known) : amountsBeside(sample, fields);
  return { fields, amounts };
}

/** Adjustments may name their day and amount otherwise: an allocation by its first day, a table of balances by one column. */
function completeAdjustment(sample: Sample, fields: FieldColumns): void {
  const [began] = columnsCalled(FIELD.start, "requests", sample);
  if (words.has("allocation", nameOf(sample))) fields.take("date", (column) => column === began);
  fields.take("policyId", hasKindsOfLeave);
  const balances = fields.has("policyId") ? balanceColumns(sample) : [];
  if (balances.length === 1) fields.take("minutes", (column) => column === balances[0]);
}

/** Whether the values of a column that is called like a field can be the field's. */
function canFill(kind: Kind, field: string, column: SampleColumn): boolean {
  const { values, cells } = column;
  const isNeeded = field === FIELD.id || cellOf(kind, field)?.isRequired === true;
  if (isNeeded && values.length === 0 && cells.length > 0) return false;
  if (field === "position") {
    const areRoles = /role/i.test(column.name) && words.areAccessRoles(values);
    return !areRoles && !words.areSalutations(values) && !areCodes(column);
  }
  if (field === FIELD.status) return !areCodes(column);
  if (field === FIELD.policy && values.length > 0 && (values.every(isUnit) || words.areDayLengths(values)))
    return false;
  const areTimes = values.length > 0 && values.every((value) => /^\d{1,2}[:h]\d{2}/.test(value.trim()));
  if ((field === FIELD.start || field === FIELD.end) && areTimes) return false;
  if (field === "minutes") return values.length === 0 || values.some(isNumber);
  if (field === "workDays") return values.every((value) => problemOf(kind, field, value) === null);
  return !isFlag(column) || dateContent(kind, field) === "";
}

/** The amount of hours or adjustments, and other columns of numbers, which may be amounts, too. */
function amountsBeside({ columns }: Sample, fields: FieldColumns): SampleColumn[] {
  const amount = fields.get("minutes");
  if (amount === undefined) return [];
  return [amount, ...numbersBeside(columns, fields).filter((column) => !areSame(column, amount))];
}

/** The columns that no field has. */
export function unusedColumns(
  columns: readonly SampleColumn[],
  fields: ReadonlyMap<string, SampleColumn>,
): SampleColumn[] {
  const used = new Set(fields.values());
  return columns.filter((column) => !used.has(column));
}

/** Unused columns of numbers that may be amounts, and not ids, years, sums or times of the day. */
export function numbersBeside(
  columns: readonly SampleColumn[],
  fields: ReadonlyMap<string, SampleColumn>,
): SampleColumn[] {
  const isAmount = (value: string) =>
    isNumber(value) && !value.includes(":") && Math.abs(Number.parseFloat(value)) < 1000;
  return unusedColumns(columns, fields).filter(
    (column) =>
      column.made === null &&
      !/^is[\s_]/i.test(column.name) &&
      !words.has("number", column.name) &&
      !words.has("total", column.name) &&
      column.values.length > 0 &&
      column.values.every(isAmount),
  );
}

const isUnit = (word: string) => unitNamed(word) !== undefined;

const isCalledOne = (column: SampleColumn, names: readonly string[]) =>
  names.some((name) => column.names.has(name));

/** Unused columns that are called like a field's column, but have other values in some rows. */
export function rivalsOf({ kind, sample, fields }: Guess, field: string): SampleColumn[] {
  const own = fields.get(field);
  const differs = (cell: string, row: number) =>
    cell.trim() !== "" && own!.cells[row]!.trim() !== "" && cell !== own!.cells[row];
  return unusedColumns(columnsCalled(field, kind, sample), fields).filter(
    (column) => !isFlag(column) && canFill(kind, field, column) && column.cells.some(differs),
  );
}

/** The columns that are called like those of a field, in this order. */
export function columnsCalled(field: string, kind: Kind, { columns }: Sample): SampleColumn[] {
  const named = words.namesInTurn(
    kind,
    columns.flatMap(({ keys }) => keys),
  );
  const all = named.flatMap((names) => names.get(field) ?? []);
  return columns.filter((column) => isCalledOne(column, all));
}

const isFlag = ({ values }: SampleColumn) => values.length > 0 && values.every(words.isYesOrNo);

/** Numbers that stand for words of another table: `3` for an employment status. */
const areCodes = (column: SampleColumn) =>
  column.values.length > 0 &&
  !isFlag(column) &&
  column.values.every((value) => /^\d+$/.test(value.trim()) || isNothing(value));

const isEmail = (field: string) => /email$/i.test(field);

function completePerson(fields: FieldColumns): void {
  const whole = fields.get(FULL_NAME.name);
  const parts = FULL_NAME.parts.filter((part) => !fields.has(part));
  const [only] = FULL_NAME.parts.filter((part) => fields.has(part));
  const isWhole = ({ values }: SampleColumn) =>
    areEnough(values.filter((value) => /\S\s+\S/.test(value)).length, values.length, ENOUGH);
  if (whole === undefined && parts.length === 1 && isWhole(fields.get(only!)!)) {
    fields.set(FULL_NAME.name, fields.get(only!)!); // `nome`, with first and last names
    fields.delete(only!);
  } else if (whole !== undefined && parts.length === 1) {
    fields.delete(FULL_NAME.name); // `name` beside `last name`, or beside `first name`
    fields.set(parts[0]!, whole);
  } else if (whole !== undefined && FULL_NAME.parts.every((part) => fields.has(part))) {
    fields.delete(FULL_NAME.name); // beside first and last names, it is the display name
    if (!fields.has(FULL_NAME.shown)) fields.set(FULL_NAME.shown, whole);
  }
  // An address that several people have is somebody else's, such as their manager's.
  const isAddress = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim());
  fields.take(FIELD.email, (column) => isMostly(column, isAddress) && areDifferent(column.values));
  for (const field of FILE_FIELDS.workers) if (isEmail(field)) fields.fill(field, FIELD.email);
  // `Aktywny` and `Nieaktywny`, whatever the column is called.
  const isState = (word: string) => words.meaningOf(word, ["active", "inactive"]) !== null;
  const isGone = (word: string) => words.meaningOf(word, ["inactive"]) !== null;
  fields.take(FIELD.status, (column) => isMostly(column, isState) && column.values.some(isGone));
  // `Terminated`, `isDeleted`: flags of people who are gone.
  fields.take(FIELD.status, (column) => words.has("reversed", column.name) && isFlag(column));
  fields.take(
    FIELD.id,
    ({ name, values, cells }) =>
      words.has("number", name) && values.length === cells.length && areDifferent(values),
  );
}

/** The path of the object that a column of JSON is in: `department` for `department.name`. */
const objectOf = ({ name }: SampleColumn) => name.slice(0, Math.max(name.lastIndexOf("."), 0));

/** Whether a column of names is of the people. Inside of an object beside their first and last names, as `manager.name` is, it has theirs. */
function isWholeName(column: SampleColumn, fields: FieldColumns): boolean {
  const parts = FULL_NAME.parts.flatMap((part) => fields.get(part) ?? []);
  if (parts.every((part) => objectOf(part) === objectOf(column))) return true;
  const rows = [...column.cells.keys()].filter((row) => column.cells[row]!.trim() !== "");
  const hasName = (row: number) =>
    parts.every(({ cells }) => words.nameKey(column.cells[row]!).includes(words.nameKey(cells[row]!)));
  return areEnough(rows.filter(hasName).length, rows.length, ENOUGH);
}

/** Recognises columns of leave by their values. Returns those that may be the amount. */
function completeLeave(
  { columns, rows, unpivot }: Sample,
  fields: FieldColumns,
  known: readonly string[],
): SampleColumn[] {
  const isKnown = ({ keys }: SampleColumn) => keys.some((key) => known.includes(key));
  // Beside days in columns, other amounts are those of several days.
  const amounts = [...fields.free].filter(
    (column) => isAmount(column, isKnown(column)) && (unpivot === undefined || column.name === unpivot.to),
  );
  fields.take(LEAVE_AMOUNT, (column) => column === amounts[0]);
  const numbersLeave = (name: string) => words.has("leave", name) && words.has("number", name);
  fields.take(FIELD.id, ({ name, values }) => numbersLeave(name) && areDifferent(values));
  const isOfLeave = fields.has(FIELD.policy) || amounts.length > 0;
  fields.take(FIELD.worker, ({ made }) => isOfLeave && made?.as === "whole name");
  if (!fields.has(FIELD.start) && !fields.has(FIELD.end)) {
    fields.take(FIELD.start, ({ made }) => made?.as === "first day");
    fields.take(FIELD.end, ({ made }) => made?.as === "last day");
    if (fields.has(FIELD.worker) && fields.has(FIELD.policy) && areTaken(columns, fields))
      fields.take(
        FIELD.start,
        (column) => isDayColumn(column) && areEnough(column.values.length, rows, 0.95),
      );
  }
  if (fields.has(FIELD.start))
    fields.take(
      FIELD.end,
      ({ name, values }) => words.has("back", name) && datesIn(values).formats.length > 0,
    );
  if (fields.has(FIELD.start) && isDayColumn(fields.get(FIELD.start)!)) fields.fill(FIELD.end, FIELD.start);
  fields.fill(FIELD.asked, FIELD.start);
  const states = cellOf("requests", FIELD.status)?.choices ?? [];
  const isState = (word: string) => words.has("cancelled", word) || words.meaningOf(word, states) !== null;
  fields.take(FIELD.status, (column) => isMostly(column, isState));
  fields.take(FIELD.policy, hasKindsOfLeave);
  const reason = fields.get("reason");
  if (!fields.has(FIELD.policy) && reason !== undefined && hasKindsOfLeave(reason)) {
    fields.set(FIELD.policy, reason); // absence.io calls the kind of leave so
    fields.delete("reason");
  }
  // A number of rows, unless it starts again for each person or export.
  const isCount = (values: readonly string[]) => values.every((value) => SMALL_NUMBER.test(value.trim()));
  fields.take(
    FIELD.id,
    ({ name, values, made }) =>
      made === null &&
      rows > 1 &&
      values.length === rows &&
      words.has("number", name) &&
      areDifferent(values) &&
      !isCount(values),
  );
  // If some leave has no id, ids are made for all of it.
  const starts = fields.get(FIELD.start)?.cells;
  const isWithoutId = (cell: string, row: number) => cell.trim() === "" && starts?.[row]?.trim() !== "";
  if (fields.get(FIELD.id)?.cells.some(isWithoutId)) fields.delete(FIELD.id);
  return amounts.every((amount) => areSame(amount, amounts[0]!)) ? amounts.slice(0, 1) : amounts;
}

const hasKindsOfLeave = (column: SampleColumn) => isMostly(column, (word) => words.has("leaveKind", word));

/** Whether a column is filled in most rows, always with such words. */
function isMostly({ values, cells }: SampleColumn, isOne: (word: string) => boolean): boolean {
  return areEnough(values.length, cells.length, ENOUGH) && [...new Set(values)].every(isOne);
}

export const areDifferent = (values: readonly string[]) => new Set(values).size === values.length;

/** A day, not the first one of several. */
function isDayColumn({ keys, made }: SampleColumn): boolean {
  return (made === null || made.as === "date") && keys.some(words.isDayOfLeave);
}

export const isOfLeave = (sample: Sample) => hasLeave(namedFields("requests", sample));

/** Whether columns named as those of requests have leave: its kind, its first day, and its last one or its amount. */
function hasLeave({ fields, amounts }: ReturnType<typeof namedFields>): boolean {
  const policy = fields.get(FIELD.policy);
  const isOfLeave = (name: string) => words.has("leaveKind", name) || words.has("leave", name);
  const isNamed = policy !== undefined && (isOfLeave(policy.name) || hasKindsOfLeave(policy));
  return isNamed && fields.has(FIELD.start) && (fields.has(FIELD.end) || amounts.length > 0);
}

/** Whether each request is one day. */
export function isOneDayEach({ kind, fields }: Guess): boolean {
  return kind === "requests" && fields.get(FIELD.end) === fields.get(FIELD.start);
}

/** A kind of leave that takes half a day: `U/2`, `½ Urlaub`. */
export const isHalfKind = (kind: string) => /½|\/\s*2\b|\b0?[.,]5\b/.test(kind) || words.has("halfDay", kind);

/** Kinds that may be parts of days: `½V`, `V/2`, `V am`, `V4`, `V/P` and `HV` beside `V`. Each with the kind of the whole day, if clear. */
export function partKindsIn(guess: Guess): ReadonlyMap<string, string | null> {
  const [policy, start] = [FIELD.policy, FIELD.start].map((field) => guess.fields.get(field));
  if (guess.sample.unpivot === undefined || policy === undefined || !areWeekdays(start!)) return new Map();
  const kinds = [...new Set(policy.values.map((kind) => kind.trim()))];
  const lettersOf = (kind: string) =>
    kind
      .split(/[^\p{L}\p{M}]+/u)
      .filter((word) => word !== "h" && !words.areHalfDays([word]))
      .map(words.nameKey)
      .join("");
  const wholes = new Map(
    kinds.flatMap((kind) => (lettersOf(kind) === words.nameKey(kind) ? [[lettersOf(kind), kind]] : [])),
  );
  const isOfSeveral = (kind: string) => {
    const parts = kind.split(/[/+&,;]/).map(words.nameKey);
    return parts.length > 1 && !parts.includes("") && parts.some((part) => wholes.has(part));
  };
  return new Map(
    kinds.flatMap((kind): [string, string | null][] => {
      const letters = lettersOf(kind);
      const whole = wholes.get(letters) ?? null;
      if (words.nameKey(kind) !== letters && whole !== null) return [[kind, whole]];
      const isHalf =
        isHalfKind(kind) || isOfSeveral(kind) || (/^h/.test(letters) && wholes.has(letters.slice(1)));
      return isHalf ? [[kind, null]] : [];
    }),
  );
}

/** Whether all days are from Monday to Friday, in the only order that they have. */
function areWeekdays({ values }: SampleColumn): boolean {
  const { formats, either } = datesIn(values);
  const dayOf = dayReader(formats);
  return either.length === 0 && values.map(dayOf).every((day) => day !== null && weekdayOf(day) < SATURDAY);
}

/** Whether amounts are leave, and not additions to and removals from an account. */
function areTaken(columns: readonly SampleColumn[], fields: FieldColumns): boolean {
  if (new Set(columns.find(isDayColumn)?.values).size < 2) return false;
  // With a status, a few negative amounts take leave back.
  return negativesIn(columns, fields) <= (fields.has(FIELD.status) ? FEW : 0);
}

/** Whether amounts are of both signs, as those of an account are: grants beside what was taken. */
function isAccount(columns: readonly SampleColumn[], fields: FieldColumns): boolean {
  const share = negativesIn(columns, fields);
  return share > FEW && share < 1 - FEW && !areCorrected(columns, fields);
}

const FEW = 0.2;

/** How much more or less a day of a grant has than a day of leave, at least. */
const UNLIKE = 3;

/** Whether amounts of both signs have about as much for each of their days, as leave and what is taken back of it have. */
function areCorrected(columns: readonly SampleColumn[], fields: FieldColumns): boolean {
  const [amount, start, end] = [LEAVE_AMOUNT, FIELD.start, FIELD.end].map((field) => fields.get(field));
  if (amount === undefined || start === undefined || end === undefined) return false;
  const [firstOf, lastOf] = [start, end].map(({ values }) => dayReader(datesIn(values).formats));
  const daysOf = (row: number) => {
    const [first, last] = [firstOf!(start.cells[row]!), lastOf!(end.cells[row]!)];
    return first === null || last === null ? null : last - first + 1;
  };
  const perDay = (rows: readonly number[]) => {
    const dated = rows.filter((row) => daysOf(row) !== null);
    const amounts = dated.map((row) => numberOf(amount.cells[row]!.replace(/[^\d.,]/g, "")));
    return sum(amounts) / sum(dated.map((row) => daysOf(row)!));
  };
  const rows = rowsOfLeave(columns, fields);
  const [taken = [], others = []] = [true, false].map((isBelow) =>
    rows.filter((row) => isNegative(amount.cells[row]!) === isBelow),
  );
  const ratio = perDay(taken) / perDay(others);
  return ratio < UNLIKE && ratio > 1 / UNLIKE;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The share of amounts of leave that are negative, in rows that are not grants by another column. */
export function negativesIn(
  columns: readonly SampleColumn[],
  fields: ReadonlyMap<string, SampleColumn>,
): number {
  const rows = rowsOfLeave(columns, fields);
  const { cells = [] } = fields.get(LEAVE_AMOUNT) ?? {};
  return rows.length === 0 ? 0 : rows.filter((row) => isNegative(cells[row]!)).length / rows.length;
}

/** The rows with an amount of leave that are not grants by another column. */
function rowsOfLeave(columns: readonly SampleColumn[], fields: ReadonlyMap<string, SampleColumn>): number[] {
  const others = grantColumns(columns, fields);
  const { cells = [] } = fields.get(LEAVE_AMOUNT) ?? {};
  const isGrant = (row: number) => others.some(({ column, grants }) => grants.includes(column.cells[row]!));
  return [...cells.keys()].filter((row) => isNumber(cells[row]!) && !isGrant(row));
}

/** Columns that tell leave from accruals and corrections, and their words for those. */
export function grantColumns(columns: readonly SampleColumn[], fields: ReadonlyMap<string, SampleColumn>) {
  return kindsOfRows(columns, fields).filter(({ grants, all }) => grants.length < all.length);
}

/** Columns that say what a row is, with their words, and those for accruals and corrections. */
function kindsOfRows(columns: readonly SampleColumn[], fields: ReadonlyMap<string, SampleColumn>) {
  return unusedColumns(columns, fields).flatMap((column) => {
    if (!words.has("kindOfRow", column.name)) return [];
    const all = [...new Set(column.values)];
    const grants = all.filter((word) => words.has("grant", word) || words.has("allocation", word));
    return grants.length === 0 ? [] : [{ column, grants, all }];
  });
}

export function isNegative(amount: string): boolean {
  return /^[-(\u2212]|-$/.test(amount.trim());
}

function isNumber(value: string): boolean {
  if (/^\d{1,2}\.\d{1,2}\.\d{2,4}$/.test(value.trim())) return false; // a date
  const isPlain = /^\(?[-+\u2212]?[\d.,:\s'’]+\)?-?$/.test(value.trim());
  return isPlain || typeof minutesReader("hours", 8)(value, null) === "number";
}

/** Whether a column is named like the amount of leave, and not like something that is counted otherwise. */
export function isCalledAmount({ name, keys }: SampleColumn): boolean {
  const known = words.fieldNames("requests", keys).get(LEAVE_AMOUNT) ?? [];
  return keys.some((key) => known.includes(key)) && !words.has("notAmount", bareName(name));
}

/** The unit that a name says in brackets or at its end: `Absence (h)`, `Urlaub in Std.`. */
export function unitSaid(name: string): UnitName | undefined {
  const [, bracketed, last] =
    /[([]\s*(?:in\s+)?(\p{L}+\.?)\s*[)\]]|\sin\s+(\p{L}+\.?)\s*$/iu.exec(name) ?? [];
  return unitNamed(bracketed ?? last ?? "");
}

/** Whether a column seems to have amounts of leave, by its name and values. */
function isAmount({ name, values, cells, made }: SampleColumn, isKnown: boolean): boolean {
  const hasAny = (...parts: readonly words.Part[]) => parts.some((part) => words.has(part, bareName(name)));
  if (made !== null || hasAny("balance") || words.areHalfDays(values)) return false;
  const isNamed = hasAny("amount", "minutes", "hours", "days") || unitSaid(name) !== undefined;
  const isUnknown = !isNamed || hasAny("notAmount", "halfDay");
  if (!isKnown && isUnknown) return false;
  if (cells.length === 0) return isKnown; // there is a header alone
  return values.length > cells.length / 2 && areEnough(values.filter(isNumber).length, values.length, ENOUGH);
}

const numberOf = (cell: string) => Number.parseFloat(cell.replace(",", "."));

function areSame(column: SampleColumn, other: SampleColumn): boolean {
  const units = new Set([column, other].map(({ name }) => words.has("hours", name)));
  return (
    units.size === 1 && column.cells.every((cell, row) => numberOf(cell) === numberOf(other.cells[row]!))
  );
}

/** Columns with amounts that people have or are granted. A balance's id is none. A file of balances may name only the types. */
export function balanceColumns({ name: file, columns, rows }: Sample): SampleColumn[] {
  const areLeft = words.has("left", file) && !columns.some(({ name }) => words.has("amount", name));
  return amountColumns({ columns, rows }).filter(
    ({ name }) =>
      words.has("balance", name) || words.has("left", name) || (areLeft && words.has("leaveKind", name)),
  );
}

/** With more columns, some add up by chance. */
const MAX_PARTS = 6;

/** The columns that make an amount in each row: what was carried over and granted, less what was taken, is what is left. */
export function partsOf(amount: SampleColumn, others: readonly SampleColumn[]): SampleColumn[] {
  const numbers = others.filter((column) => column !== amount && column.values.every(isNumber));
  const rows = [...amount.cells.keys()].filter((row) => amount.cells[row]!.trim() !== "");
  const different = new Set(rows.map((row) => [amount, ...numbers].map(({ cells }) => cells[row]).join(";")));
  // In fewer rows than columns, some add up by chance.
  if (different.size < numbers.length || numbers.length > MAX_PARTS) return [];
  const cellsOf = (column: SampleColumn) => rows.map((row) => numberOf(column.cells[row]! || "0"));
  const isZero = (rest: readonly number[]) => rest.every((number) => Math.abs(number) < 0.005);
  const search = (rest: readonly number[], left: readonly SampleColumn[]): SampleColumn[] | null => {
    const [first, ...later] = left;
    if (first === undefined) return isZero(rest) ? [] : null;
    const cells = cellsOf(first);
    for (const sign of isZero(cells) ? [0] : [1, -1, 0]) {
      const found = search(
        rest.map((number, at) => number - sign * cells[at]!),
        later,
      );
      if (found !== null) return sign === 0 ? found : [first, ...found];
    }
    return null;
  };
  const parts = search(cellsOf(amount), numbers) ?? [];
  return parts.length > 1 ? parts : [];
}

/** Whether a column of numbers may be the amounts: some have decimals or are percentages, and none is as large as money. */
export function areFractions({ name, values }: SampleColumn): boolean {
  const percentages = values.map((value) => Number(/^(\d{1,3})(?:[.,]0+)?\s*%$/.exec(value.trim())?.[1]));
  if (percentages.length > 0 && percentages.every((percent) => percent <= 100))
    return percentages.some((percent) => percent < 100);
  const number = /^\d{1,3}(?:[.,](?<decimals>\d{1,2}))?$/;
  const decimals = values.map((value) => number.exec(value.trim())?.groups);
  const isOther = words.has("balance", name) || words.has("notAmount", name);
  return !isOther && decimals.every(Boolean) && decimals.some((groups) => Number(groups?.decimals ?? 0) > 0);
}

export const areYears = (values: readonly string[]) =>
  values.every((value) => /^(?:19|20)\d\d$/.test(value.trim()));

/** Columns of numbers that are neither ids, nor years, nor sums, nor what was taken. */
export function amountColumns(sample: Pick<Sample, "columns" | "rows">, leastShare = 0.5): SampleColumn[] {
  return numberColumns(sample, leastShare).filter(({ name }) => !words.has("amount", name));
}

/** Columns of numbers that are neither ids, nor years, nor sums. */
export function numberColumns(
  { columns, rows }: Pick<Sample, "columns" | "rows">,
  leastShare: number,
): SampleColumn[] {
  return columns.filter(
    ({ name, values }) =>
      !/(?:^|[\s_-])id$/i.test(name) &&
      !words.has("total", name) &&
      values.length > rows * leastShare &&
      values.every(isNumber) &&
      !areYears(values),
  );
}

/** The column with each row's unit; null if there is none. Another word in it is a mistake of the file. */
export function unitColumn({ sample, fields }: Guess): SampleColumn | null {
  const hasUnits = ({ values }: SampleColumn) =>
    areEnough(values.filter((value) => unitNamed(value) !== undefined).length, values.length, 0.9);
  // In other columns, single letters may mean anything, such as somebody's sex.
  const unused = unusedColumns(sample.columns, fields);
  return unused.find((column) => words.has("unit", column.name) && hasUnits(column)) ?? null;
}

/** Which date a field takes, if any. */
export function dateContent(kind: Kind, field: string): string {
  const holds = cellOf(kind, field)?.holds ?? "";
  return /day|instant|end/.test(holds) ? holds : "";
}

/** Whether dates begin with the day, the month or the year, as the columns of a file show, and as those of all files do. Files may differ. */
export interface DayOrders {
  readonly ofFile: DayOrder | null;
  readonly ofAll: DayOrder | null;
}

export function dayOrdersOf({ sample }: Guess, all: readonly Guess[]): DayOrders {
  const ofFile = all.filter((guess) => guess.sample.name === sample.name);
  return { ofFile: dayOrderIn(ofFile), ofAll: dayOrderIn(all) };
}

function dayOrderIn(guesses: readonly Guess[]): DayOrder | null {
  const orders = guesses.flatMap((guess) => [
    ...[...guess.fields].flatMap(([field, column]) =>
      dateContent(guess.kind, field) === "" ? [] : (datesIn(column.values).order ?? []),
    ),
    ...(orderOfSpans(guess) ?? []),
  ]);
  const [order = null, ...others] = new Set(orders);
  return others.length === 0 ? order : null;
}

/** Longer leave, or leave that ends before it begins, shows that its dates were read in a wrong order. */
const LONGEST_SPAN_DAYS = 366;

/** The only order in which all leave has a possible length, if each other order fails in two rows or more. */
function orderOfSpans({ kind, fields }: Guess): DayOrder[] | null {
  const [start, end] = [fields.get(FIELD.start), fields.get(FIELD.end)];
  if (kind !== "requests" || start === undefined || end === undefined || start === end) return null;
  const [starts, ends] = [datesIn(start.values).either, datesIn(end.values).either];
  const failures = starts.flatMap((format) => {
    const order = orderOf(format);
    const endFormat = ends.find((other) => orderOf(other) === order);
    if (order === null || endFormat === undefined) return [];
    const [first, last] = [format, endFormat].map((each) => dayReader([each]));
    const isImpossible = (cell: string, row: number) => {
      const [from, to] = [first!(cell), last!(end.cells[row]!)];
      return from !== null && to !== null && (to < from || to - from > LONGEST_SPAN_DAYS);
    };
    return [{ order, count: start.cells.filter(isImpossible).length }];
  });
  const possible = failures.filter(({ count }) => count < 2);
  return failures.length === starts.length && possible.length === 1 && possible[0]!.count === 0
    ? [possible[0]!.order]
    : null;
}

/** Rows that are sums or remarks, not people without leave: the column that names people, and its values there. */
export function totalsIn(
  { kind, sample, fields }: Pick<Guess, "kind" | "sample" | "fields">,
  people: Guess | undefined,
): { column: string; values: string[] } | null {
  const naming = fields.get(kind === "workers" ? FIELD.id : FIELD.worker);
  if (naming === undefined) return null;
  const column = naming.made?.of[0] ?? naming;
  const isTotalName = (cell: string) => words.has("total", cell) || isSubtotal(sample, cell);
  const names = new Set(column.values.filter(isTotalName).map((value) => value.trim()));
  const nameless = [...column.cells.keys()].filter((row) => column.cells[row]!.trim() === "");
  const isPlan = sample.unpivot !== undefined;
  const isTotal = (row: number) =>
    sample.columns.some(
      ({ cells }) => isTotalName(cells[row]!) || (isPlan && words.areWeekdays(cells[row]!)),
    ) || isSum(sample, row, nameless);
  const isRemark = (name: string) =>
    name === ""
      ? nameless.every(isTotal)
      : !column.values.some((value) => value.trim() === name) &&
        !(people !== undefined && namesPeople(people, { ...column, cells: [name], values: [name] }));
  // In a plan of days, a row of one cell is somebody without leave, and becomes no row.
  const short = isPlan && isWorkbook(sample.name) ? [] : sample.shortRows;
  for (const row of short) {
    const name = (row.get(column.name) ?? "").trim();
    if (isRemark(name)) names.add(name);
  }
  if (nameless.length > 0 && nameless.every(isTotal)) names.add("");
  const named = column.values.filter((value) => !names.has(value.trim()));
  // A day in a remark is another one in the next export.
  const lasting = [...names].map((name) => {
    const [, beginning] = /^(\p{L}[^\d]{6,}?)\d/u.exec(name) ?? [];
    const isOfAll = beginning !== undefined && !named.some((person) => person.trim().startsWith(beginning));
    return isOfAll ? `${beginning}*` : name;
  });
  return names.size === 0 ? null : { column: column.name, values: [...new Set(lasting)] };
}

/** What Excel and LibreOffice write after the name of a group whose rows they add up. */
const SUBTOTAL = /^(.+)\s(?:total|totaal|totale|sum|summe|suma|ergebnis|résultat|resultado)$/i;

/** Whether a cell names a group of rows and says that they are added up: `E0701 Total`. */
function isSubtotal({ columns }: Sample, cell: string): boolean {
  const [, group] = SUBTOTAL.exec(cell.trim()) ?? [];
  return group !== undefined && columns.some(({ values }) => values.some((value) => value.trim() === group));
}

/** Whether a row without a person has, in each of its cells, the sum of the rows with one. */
function isSum({ columns }: Sample, row: number, nameless: readonly number[]): boolean {
  const sums = columns.filter(({ cells }) => cells[row]!.trim() !== "");
  return (
    sums.length > 0 &&
    sums.every(({ cells }) => {
      const numbers = cells.map((cell) => Number(cell.replace(",", ".")));
      const added = numbers.filter((number, at) => number !== 0 && !nameless.includes(at));
      return added.length > 1 && Math.abs(sum(added) - numbers[row]!) < 0.005;
    })
  );
}

// How files name people ----------------------------------------------------------------------------------------------

/** The share of people of one file that must be in the other. The rest may have left, or be totals. */
const ENOUGH = 0.8;
const folded = (text: string) => text.trim().toLowerCase();
const peopleIn = ({ values }: SampleColumn) =>
  new Set(values.filter((value) => !words.has("total", value)).map(folded));

/** Whether values are numbers, or end in some, as ids do. */
const isNumbered = ({ values }: SampleColumn) =>
  values.every((value) => /^[\p{L}-]*\d+$/u.test(value.trim()));

/** Whether values number the rows, from 0 or 1 on, in any order. Lists of people and of leave may both do so, and mean nobody by it. */
function areRowNumbers({ cells }: SampleColumn): boolean {
  const numbers = cells.map(Number).toSorted((a, b) => a - b);
  return numbers[0]! <= 1 && numbers.every((number, at) => number === numbers[0]! + at);
}

/** The column of a sample in which the people of a file have their number under the same name, whatever it is: `PNR`, `Matr.`. */
export function personColumn(people: Guess, { columns }: Sample): string | undefined {
  const { sample } = people;
  const areNumbers = (column: SampleColumn) =>
    column.made === null &&
    column.values.length >= sample.rows * ENOUGH &&
    isNumbered(column) &&
    areDifferent(column.values);
  const numbers = sample.columns.filter(areNumbers);
  return columns.find(
    (column) =>
      !areRowNumbers(column) &&
      numbers.some((number) => number.name === column.name && hasPeopleOf(column, number)),
  )?.name;
}

/** Makes all files name people alike: by the first column of workers that all have, else by a query that finds ids. */
export function agreeOnPeople(people: Guess, others: readonly Guess[]): void {
  const { fields, sample } = people;
  const leave = others.filter((guess) => guess.fields.has(FIELD.worker));
  // Names change, and two people may share one: if there are ids, a query finds them by name.
  const byName = fields.has(FIELD.id) ? [] : [FULL_NAME.name, FULL_NAME.shown];
  const named = [FIELD.id, FIELD.email, ...byName].flatMap((field) => fields.get(field) ?? []);
  // Without an id, it is the number that all files have under one name.
  const isAlike = (column: SampleColumn, { sample, fields: own }: Guess) =>
    column.name === own.get(FIELD.worker)!.name ||
    (!fields.has(FIELD.id) && isNumbered(column) && sample.columns.some(({ name }) => name === column.name));
  const alike = unusedColumns(sample.columns, fields).filter((column) =>
    leave.some((guess) => isAlike(column, guess)),
  );
  for (const guess of leave) takePersonsId(guess, people);
  for (const column of [...named, ...alike]) {
    const known = new Set(column.values.map(folded));
    if (known.size < column.values.length || column.values.length < sample.rows * ENOUGH) continue;
    const columns = leave.map((guess) => columnNaming(guess, column, people));
    if (!columns.every((column) => column !== null)) continue;
    for (const [at, guess] of leave.entries()) guess.fields.set(FIELD.worker, columns[at]!);
    setId(fields, column);
    break;
  }
  const email = fields.get(FIELD.email);
  if (!fields.has(FIELD.id) && email !== undefined && new Set(email.values).size === sample.rows)
    setId(fields, email);
  nameManagers(people);
  for (const guess of leave) {
    const column = guess.fields.get(FIELD.worker)!;
    if (!nameWorkers(people, guess) && column.made !== null) guess.fields.delete(FIELD.worker);
  }
}

/** An `ID` of leave that is the id of the person whom each row names beside it is not one of the row: it names the person. */
function takePersonsId(guess: Guess, people: Guess): void {
  const { kind, fields } = guess;
  const [id, worker] = [fields.get(FIELD.id), fields.get(FIELD.worker)!];
  const own = people.fields.get(FIELD.id);
  if (kind !== "requests" || id === undefined || own === undefined) return;
  if (words.has("leave", id.name) || !hasPeopleOf(id, own) || hasPeopleOf(worker, own)) return;
  const naming = namingOf(people, worker);
  const named = naming === null ? null : namedBy(naming, people, [...new Set(worker.values)]);
  const isOfPerson = (cell: string, row: number) =>
    folded(cell) === folded(named?.get(worker.cells[row]!) ?? "");
  if (!areEnough(id.cells.filter(isOfPerson).length, id.cells.length, ENOUGH)) return;
  fields.set(FIELD.worker, id);
  fields.delete(FIELD.id);
}

/** Finds how a file names people: by their ids, or otherwise. False if in no known way. */
export function nameWorkers(people: Guess, guess: Guess): boolean {
  const byId = columnNaming(guess, people.fields.get(FIELD.id), people);
  const naming = byId === null ? namingOf(people, guess.fields.get(FIELD.worker)!) : null;
  if (byId !== null) guess.fields.set(FIELD.worker, byId);
  if (naming !== null) guess.namings.set(FIELD.worker, naming);
  return byId !== null || naming !== null;
}

/** The cells of a column of managers that name somebody. */
function managersIn({ values }: SampleColumn): string[] {
  return [...new Set(values.map((value) => value.trim()))].filter((value) => !words.isNobody(value));
}

/** Finds how managers are named: by ids, or by the way that finds most of them. Without any, they are nobody's field. */
function nameManagers(people: Guess): void {
  const { fields, namings } = people;
  const column = fields.get(FIELD.manager);
  const ids = new Set(fields.get(FIELD.id)?.values.map(folded));
  if (column === undefined) return;
  const managers = managersIn(column);
  let most = managers.filter((manager) => ids.has(folded(manager))).length;
  for (const naming of most === managers.length ? [] : waysToName(people, column)) {
    const { size } = namedBy(naming, people, managers) ?? new Set();
    if (size <= most) continue;
    most = size;
    namings.set(FIELD.manager, naming);
  }
  if (managers.length > 0 && most === 0) fields.delete(FIELD.manager);
}

/** Managers who are not among the people. Only some rows of a large file are known, so it has none. */
export function strangersIn(people: Guess): string[] {
  const column = people.fields.get(FIELD.manager);
  if (column === undefined || people.sample.rows >= SAMPLE_ROWS) return [];
  const managers = managersIn(column);
  const naming = people.namings.get(FIELD.manager);
  const ids = new Set(people.fields.get(FIELD.id)?.values.map(folded));
  const known =
    naming === undefined
      ? new Set(managers.filter((manager) => ids.has(folded(manager))))
      : (namedBy(naming, people, managers) ?? new Set());
  return managers.filter((manager) => !known.has(manager));
}

/** Makes a column the workers' id, besides its own field. Numbers in a column such as "Employee" are not names. */
function setId(fields: Map<string, SampleColumn>, column: SampleColumn): void {
  const areNumbers = column.values.every((value) => !/\p{L}/u.test(value));
  for (const [field, fieldColumn] of fields) if (areNumbers && fieldColumn === column) fields.delete(field);
  fields.set(FIELD.id, column);
}

/** The column that has these ids of people: by its own name, else an unused column that has those of most people. */
function columnNaming(
  { sample, fields }: Guess,
  id: SampleColumn | undefined,
  people: Guess,
): SampleColumn | null {
  const isNaming = (column: SampleColumn) =>
    column.made === null &&
    id !== undefined &&
    hasPeopleOf(column, id) &&
    !otherIds(people, id, column).some((other) => isSameName(other, column));
  const usual = fields.get(FIELD.worker)!;
  if (isNaming(usual)) return usual;
  const isOfRows = areDifferent(usual.values) && namingOf(people, usual) === null; // the name of each row
  const isOther = (column: SampleColumn) =>
    (id !== undefined && isSameName(column, id) && !areRowNumbers(column)) ||
    (!words.has("otherPerson", column.name) &&
      !column.values.every((value) => SMALL_NUMBER.test(value)) &&
      (isOfRows || areSamePeople(column, usual)));
  const unused = unusedColumns(sample.columns, fields);
  return unused.find((column) => isOther(column) && isNaming(column)) ?? null;
}

/** Whether most people of a column are in the other one. */
function hasPeopleOf(column: SampleColumn, ids: SampleColumn): boolean {
  const named = peopleIn(column);
  return areEnough(named.intersection(new Set(ids.values.map(folded))).size, named.size, ENOUGH);
}

const isSameName = (column: SampleColumn, other: SampleColumn) => column.keys[0] === other.keys[0];

/** Columns of people that have the values of a column, and by which these are other people than by this id: `ID` beside `Employee number`. */
function otherIds(people: Guess, id: SampleColumn, column: SampleColumn): SampleColumn[] {
  if (isSameName(id, column)) return [];
  const isOfOthers = ({ cells }: SampleColumn) =>
    cells.some((cell, row) => cell.trim() !== "" && folded(cell) !== folded(id.cells[row]!));
  const isId = (other: SampleColumn) =>
    other.made === null && areDifferent(other.values) && hasPeopleOf(column, other);
  const others = people.sample.columns.filter((other) => other !== id && other !== column && isId(other));
  const called = columnsCalled(FIELD.id, "workers", people.sample);
  return others.filter((other) => isOfOthers(other) && (isSameName(other, column) || called.includes(other)));
}

/** The question whose ids these are, if they are those of several columns of people: 7 may be an `ID` or an `Employee number`. */
export function whoseIds(people: Guess, column: SampleColumn, field: string): string | null {
  const id = people.fields.get(FIELD.id);
  const others = id !== undefined && hasPeopleOf(column, id) ? otherIds(people, id, column) : [];
  if (id === undefined || others.length === 0) return null;
  const names = [id, ...others].map(({ name }) => shown(name)).join(" and ");
  return `columns: ${shown(column.name)} has values of ${names}, by which they are other people. Write "${field}" if it is ${shown(id.name)}. Else first make the other column the legacyId of workers, and name it in the query of assignments`;
}

/** Whether a column may name the people of another one: each of most values has one beside it. An approver has several. */
function areSamePeople(column: SampleColumn, other: SampleColumn): boolean {
  const beside = Map.groupBy(column.cells.keys(), (row) => folded(column.cells[row]!));
  beside.delete("");
  const isOne = (rows: readonly number[]) => new Set(rows.map((row) => folded(other.cells[row]!))).size === 1;
  return areEnough([...beside.values()].filter(isOne).length, beside.size, ENOUGH);
}

/** How a column names people without their id. */
export interface Naming {
  readonly what: string;
  /** The name of each person in SQL, and the columns of the file of people from which it is made. */
  readonly of: readonly SampleColumn[];
  readonly name: Sql;
  /** The parts of a cell that may be the name. */
  readonly among: readonly Sql[];
}

/** The first way of naming that matches most cells of the column, none of them with two people. */
function namingOf(people: Guess, column: SampleColumn): Naming | null {
  if (!people.fields.has(FIELD.id)) return null;
  const cells = [...new Set(column.values)].filter(
    (value) => !words.has("total", value) && !words.isNobody(value),
  );
  const isFound = (naming: Naming) =>
    areEnough(namedBy(naming, people, cells)?.size ?? 0, cells.length, ENOUGH);
  return cells.length === 0 ? null : (waysToName(people, column).find(isFound) ?? null);
}

/** The cells that name somebody in this way, with the id; null if two people have one name. */
function namedBy(
  { of, name, among }: Naming,
  people: Guess,
  cells: readonly string[],
): Map<string, string> | null {
  const ids = people.fields.get(FIELD.id)?.cells ?? [];
  const idOf = new Map<string, string>();
  for (const [row, called] of evaluated(name, of).entries()) {
    const id = ids[row] ?? "";
    if (called === "" || id.trim() === "" || words.has("total", id)) continue;
    if ((idOf.get(called) ?? id) !== id) return null;
    idOf.set(called, id);
  }
  const found = among.flatMap((word) =>
    evaluated(word, [{ cells }]).flatMap((value, at): [string, string][] =>
      idOf.has(value) ? [[cells[at]!, idOf.get(value)!]] : [],
    ),
  );
  return new Map(found);
}

/** Whether a column has the people of a file, by their ids or otherwise. */
export function namesPeople(people: Guess, column: SampleColumn): boolean {
  const id = people.fields.get(FIELD.id);
  return (id !== undefined && hasPeopleOf(column, id)) || namingOf(people, column) !== null;
}

/** Characters between an id and a name. */
const AROUND_IDS = ["(", ")", "[", "]", ",", ";", ":", "|"];

function waysToName(people: Guess, column: SampleColumn): Naming[] {
  const { sample, fields } = people;
  const folded: Sql = (cell) => `lower(trim(${cell}))`;
  // `Lind, Ana` is Ana Lind. A comma inside a part of a name does not swap it.
  const nameIn = ({ made, values }: SampleColumn): Sql => {
    if (made !== null || !values.some((value) => value.includes(","))) return folded;
    return (cell) => {
      const comma = `instr(${cell}, ',')`;
      return `lower(trim(trim(substr(${cell}, ${comma} + 1)) || ' ' || trim(substr(${cell}, 1, max(${comma} - 1, 0)))))`;
    };
  };
  const around = AROUND_IDS.filter((sign) => column.values.some((value) => value.includes(sign)));
  const spaced = (cell: string) =>
    `trim(${around.reduce((inner, sign) => `replace(${inner}, '${sign}', ' ')`, cell)})`;
  const firstWord: Sql = (cell) => `substr(${spaced(cell)}, 1, instr(${spaced(cell)} || ' ', ' ') - 1)`;
  const lastWord: Sql = (cell) =>
    `substr(${spaced(cell)}, length(rtrim(${spaced(cell)}, replace(${spaced(cell)}, ' ', ''))) + 1)`;
  const id = fields.get(FIELD.id);
  if (id === undefined) return [];
  const own = otherIds(people, id, column).find((other) => isSameName(other, column));
  if (own !== undefined)
    return [{ what: `values of ${shown(own.name)}`, of: [own], name: folded, among: [folded] }];
  const isWord = !id.values.every((value) => SMALL_NUMBER.test(value.trim()));
  const among = isWord ? [firstWord, lastWord] : [];
  const ways: Naming[] = [
    { what: "ids among other words", of: [id], name: (cell) => `trim(${cell})`, among },
  ];
  // The key of a table of a database, by which its other tables name its rows.
  const key = sample.columns.find((column) => column.name.trim().toLowerCase() === "id");
  const areKeys = !column.values.some((value) => id.values.includes(value));
  if (key !== undefined && key !== id && areKeys && areDifferent(key.values))
    ways.push({ what: `values of ${shown(key.name)}`, of: [key], name: folded, among: [folded] });
  const bare: Sql = (cell) => `ltrim(ltrim(lower(trim(${cell})), 'abcdefghijklmnopqrstuvwxyz-_#. '), '0')`;
  const numbered = /^([a-z]*)[-_#. ]*\d+$/i;
  const letters = new Set(
    [...id.values, ...column.values].map((value) => numbered.exec(value.trim())?.[1]?.toLowerCase()),
  );
  letters.delete("");
  // `E-1` and `X-1` are two people; `E-1` and `1` may be one.
  if (!letters.has(undefined) && letters.size < 2)
    ways.push({ what: "ids with other letters or zeros in front", of: [id], name: bare, among: [bare] });
  // Some programs write the numbers of a column with empty cells as decimals.
  const integer: Sql = (cell) => `cast(cast(${cell} as integer) as text)`;
  if (column.values.every((value) => /^\d+\.0+$/.test(value.trim())))
    ways.push({ what: "ids with decimals", of: [id], name: (cell) => `trim(${cell})`, among: [integer] });
  for (const [field, email] of fields)
    if (isEmail(field)) ways.push({ what: "email addresses", of: [email], name: folded, among: [folded] });
  const parts = FULL_NAME.parts.flatMap((part) => fields.get(part) ?? []);
  const joined: Sql = (...cells) => `lower(${cells.map((cell) => `trim(${cell})`).join(" || ' ' || ")})`;
  if (parts.length === FULL_NAME.parts.length)
    for (const of of [parts, parts.toReversed()])
      ways.push({ what: "names", of, name: joined, among: [nameIn(column)] });
  const whole = fields.get(FULL_NAME.name);
  if (whole !== undefined)
    ways.push({ what: "names", of: [whole], name: nameIn(whole), among: [nameIn(column)] });
  const isOwnName = (other: SampleColumn) =>
    other.made === null &&
    areDifferent(other.values) &&
    !other.values.some((value) => SMALL_NUMBER.test(value.trim()));
  for (const other of unusedColumns(sample.columns, fields).filter(isOwnName))
    ways.push({ what: `values of ${shown(other.name)}`, of: [other], name: folded, among: [folded] });
  return ways;
}

/** A file as a draft's comments name it, with the sheet if a workbook has several. */
export function placeOf({ name, more, moreSheets, options, list }: Sample): string {
  if (list) return `${name}, list ${JSON.stringify(list)}`;
  const sheets = [options.sheet, ...moreSheets].map((sheet) => JSON.stringify(sheet)).join(", ");
  return options.sheet === null ? [name, ...more].join(", ") : `${name}, sheet ${sheets}`;
}
