// What a draft guesses of a file: what its rows are, which column is which field, and how people are named in it.
import type { FactKind } from "../../resources/kinds.ts";
import { cellOf } from "../../resources/registry.ts";
import { LEAVE_AMOUNT } from "../../resources/requests.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { shown } from "../row-errors.ts";
import { namedFormat } from "../source/files.ts";
import {
  ALSO_FILLS,
  AMOUNT_WORDS,
  areSalutations,
  BALANCE_WORDS,
  bareNameKey,
  fieldSynonyms,
  isAboutCancelling,
  isGrant,
  isLeaveKind,
  isNamedOfHalfDays,
  isNamedRequestId,
  isTotal,
  KIND_SIGNS,
  LEAVE,
  LEAVE_DAY,
  meantChoice,
  nameKey,
  PERSON_MANAGER,
  PERSON_POSITION,
  PREFIXES,
} from "./column-names.ts";
import { areEnough, type DayOrder, datesIn, dayOrderOf, type Sample } from "./sample.ts";
import { minutesReader, unitNamed } from "./values.ts";

/** A file, what its rows are, and by column the field that it is. */
export interface Guess {
  readonly kind: FactKind;
  readonly sample: Sample;
  readonly fields: Map<string, string>;
  /** Columns that name people by whole names where ids are needed, and the field that the id belongs in. */
  readonly byName: Map<string, string>;
}

/** A file as a draft's comments name it, and the sheet where a workbook has several. */
export function placeOf({ name, more, options }: Sample): string {
  return options.sheet === null ? [name, ...more].join(", ") : `${name}, sheet ${shown(options.sheet)}`;
}

/** What the rows of a file are, by the fields that its columns' names mean, and how much speaks for it. */
export function kindOfSample(sample: Sample): { kind: FactKind; score: number } | null {
  const own = sample.options.sheet ?? namedFormat(sample.name)?.stem ?? "";
  let best: { kind: FactKind; score: number } | null = null;
  for (const { kind, needs, words } of KIND_SIGNS) {
    const found = fieldsFor(kind, sample);
    const fields = new Set(found.values());
    const has = (field: string) => fields.has(field) || (field === LEAVE.end && isOneDayEach(found));
    if (!needs.every((some) => some.some(has))) continue;
    const score = fields.size + (words.some((word) => nameKey(own).includes(word)) ? 3 : 0);
    if (best === null || score > best.score) best = { kind, score };
  }
  return best;
}

/**
 * By column, the field that its name means; each field once, in the order of how sure the name is. Names that need their
 * prefix taken off (`employee_first_name`) come last.
 */
export function fieldsFor(kind: FactKind, sample: Sample): Map<string, string> {
  const { columns } = sample;
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const prefix of ["", ...(PREFIXES[kind] ?? [])]) {
    for (const [field, names] of fieldSynonyms(kind)) {
      for (const name of names) {
        const isThis = (key: string) =>
          key === prefix + name ||
          key.endsWith(`.${prefix}${name}`) ||
          key.endsWith(`.${prefix}${name}.value`);
        const column = [...columns.keys()].find(
          (one) =>
            !found.has(one) &&
            (isThis(nameKey(one)) || isThis(bareNameKey(one))) &&
            !(field === PERSON_POSITION && areSalutations(columns.get(one)!)),
        );
        if (column === undefined || taken.has(field)) continue;
        found.set(column, field);
        taken.add(field);
      }
    }
  }
  if (kind === "workers") {
    splitName(found);
    const addresses = taken.has("email") ? undefined : columnOfWords(sample, found, isAddress);
    const own = sample.columns.get(addresses ?? "") ?? [];
    // One address of several people is another's, such as their manager's.
    if (addresses !== undefined && new Set(own).size === own.length) found.set(addresses, "email");
  }
  if (kind === "requests") {
    const [amount] = taken.has(LEAVE_AMOUNT) ? [] : amountColumns(sample, found);
    if (amount !== undefined) found.set(amount, LEAVE_AMOUNT);
    const id = taken.has("legacyId") ? undefined : requestId(sample, found);
    if (id !== undefined) found.set(id, "legacyId");
    const [names] = sample.joined.keys();
    const isOfLeave = taken.has(LEAVE.policy) || columnOf(found, LEAVE_AMOUNT) !== undefined;
    if (!taken.has(LEAVE.worker) && names !== undefined && isOfLeave) found.set(names, LEAVE.worker);
    for (const [column, { part }] of taken.has(LEAVE.start) || taken.has(LEAVE.end) ? [] : sample.ranges) {
      const field = part === "first" ? LEAVE.start : LEAVE.end;
      if (columnOf(found, field) === undefined) found.set(column, field);
    }
    const day = dayOfLeave(sample, found);
    if (day !== undefined) found.set(day, LEAVE.start);
    const status = taken.has(LEAVE_STATUS) ? undefined : statusByWords(sample, found);
    if (status !== undefined) found.set(status, LEAVE_STATUS);
    const reason = columnOf(found, LEAVE_REASON);
    const others = new Map([...found].filter(([column]) => column !== reason));
    const policy = taken.has(LEAVE.policy) ? undefined : columnOfWords(sample, others, isLeaveKind);
    if (policy !== undefined) found.set(policy, LEAVE.policy); // also the reason, if each is a kind of leave
  }
  return found;
}

/** A column that is nothing else, and numbers requests by its name: no two rows have the same. */
function requestId({ columns }: Sample, found: ReadonlyMap<string, string>): string | undefined {
  return [...columns].find(
    ([column, ids]) => !found.has(column) && isNamedRequestId(column) && new Set(ids).size === ids.length,
  )?.[0];
}

const isAddress = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim());
const LEAVE_STATUS = "status";
const LEAVE_REASON = "reason";

/** A column that is nothing else, and whose words all say what became of a request. */
function statusByWords(sample: Sample, found: ReadonlyMap<string, string>): string | undefined {
  const choices = cellOf("requests", LEAVE_STATUS)?.choices ?? [];
  return columnOfWords(
    sample,
    found,
    (word) => isAboutCancelling(word) || meantChoice(word, choices) !== null,
  );
}

/** A column that is nothing else, with a value in most rows, all of which are such words. */
function columnOfWords(
  { columns, rows }: Sample,
  found: ReadonlyMap<string, string>,
  isOne: (word: string) => boolean,
): string | undefined {
  return [...columns].find(
    ([column, words]) =>
      !found.has(column) && areEnough(words.length, rows, ENOUGH) && [...new Set(words)].every(isOne),
  )?.[0];
}

/** Of times and of working time, not of leave. */
const NO_AMOUNT =
  /^(?:start|end|begin|from|to|von|bis|debut|fin|desde|hasta)|perday|perweek|weekly|daily|fte|rate|time$/;

/** Other columns that seem to have amounts of leave, by their names and values. */
export function amountColumns(sample: Sample, fields: ReadonlyMap<string, string>): string[] {
  return [...sample.columns].flatMap(([column, values]) => {
    const name = bareNameKey(column);
    const isOther = NO_AMOUNT.test(name) || BALANCE_WORDS.test(name) || isNamedOfHalfDays(column);
    const isNamed = AMOUNT_WORDS.test(name) && !isOther;
    const isAmounts =
      values.length > sample.rows / 2 && areEnough(values.filter(isAmount).length, values.length, ENOUGH);
    return isNamed && isAmounts && !fields.has(column) ? [column] : [];
  });
}

function isAmount(value: string): boolean {
  return (
    /^\(?[-+\u2212]?[\d.,:\s'’]+\)?-?$/.test(value.trim()) ||
    typeof minutesReader("hours", 8)(value, null) === "number"
  );
}

/** Nearly every row has its day: others are totals. */
const ENOUGH_DAYS = 0.95;

/** The column with the day, in a file that has a row for each day of leave: of a policy, and seldom below 0. */
function dayOfLeave(sample: Sample, found: ReadonlyMap<string, string>): string | undefined {
  const { columns, rows } = sample;
  const of = (field: string) => columnOf(found, field);
  if (of(LEAVE.start) !== undefined || of(LEAVE.end) !== undefined) return undefined;
  if (of(LEAVE.worker) === undefined || of(LEAVE.policy) === undefined) return undefined;
  const grants = grantColumns(sample, found);
  const isLeave = (row: number) =>
    !grants.some(({ column, words }) => words.includes(sample.cells.get(column)?.[row] ?? ""));
  const amounts = (sample.cells.get(of(LEAVE_AMOUNT) ?? "") ?? []).filter(
    (amount, row) => amount !== "" && isLeave(row),
  );
  // With a status, a few amounts below 0 take leave back; otherwise they are what was taken from an account.
  const mayBeNegative = of("status") === undefined ? 0 : amounts.length / 5;
  if (amounts.filter(isNegative).length > mayBeNegative) return undefined;
  return [...columns].find(
    ([column, days]) =>
      LEAVE_DAY.has(bareNameKey(column)) &&
      areEnough(days.length, rows, ENOUGH_DAYS) &&
      new Set(days).size > 1 &&
      !found.has(column),
  )?.[0];
}

/** What is in the names of columns that say what a row is. */
const KIND_OF_ROW = /type|kind|action|event|transaction|vorgang|buchung|operation|mouvement|movimiento/;

/** Other columns that tell leave from accruals and corrections, and their words for these. */
export function grantColumns(
  { columns }: Sample,
  fields: ReadonlyMap<string, string>,
): { column: string; words: string[] }[] {
  return [...columns].flatMap(([column, values]) => {
    if (fields.has(column) || !KIND_OF_ROW.test(nameKey(column))) return [];
    const all = [...new Set(values)];
    const words = all.filter(isGrant);
    return words.length === 0 || words.length === all.length ? [] : [{ column, words }];
  });
}

export function isNegative(amount: string): boolean {
  return /^[-(\u2212]|-$/.test(amount.trim());
}

/** Whether each of these requests is one day of leave. */
export function isOneDayEach(fields: ReadonlyMap<string, string>): boolean {
  const start = columnOf(fields, LEAVE.start);
  return (
    start !== undefined && columnOf(fields, LEAVE.end) === undefined && LEAVE_DAY.has(bareNameKey(start))
  );
}

/** A whole name beside its parts is how the worker is shown. */
function splitName(fields: Map<string, string>): void {
  const taken = new Set(fields.values());
  const column = columnOf(fields, FULL_NAME.name);
  if (column === undefined || !FULL_NAME.parts.every((part) => taken.has(part))) return;
  if (taken.has(FULL_NAME.shown)) fields.delete(column);
  else fields.set(column, FULL_NAME.shown);
}

export function columnOf(fields: ReadonlyMap<string, string>, field: string): string | undefined {
  return [...fields].find(([, one]) => one === field)?.[0];
}

/** Most of the people of one file must be in the other, but some may have left, or be totals. */
const ENOUGH = 0.8;

/**
 * Makes every file name people as the file of workers does: by its ids or, where another file has none of these, by email
 * address or name. What names managers otherwise is no manager's id.
 */
export function agreeOnPeople(people: Guess | undefined, others: readonly Guess[]): void {
  if (people === undefined) return;
  const named = ["legacyId", "email", FULL_NAME.name, FULL_NAME.shown].flatMap(
    (field) => columnOf(people.fields, field) ?? [],
  );
  const needed = others.filter(({ fields }) => columnOf(fields, LEAVE.worker) !== undefined);
  const shared = needed.map(({ fields }) => columnOf(fields, LEAVE.worker)!);
  for (const column of [...named, ...shared.filter((one) => !people.fields.has(one))]) {
    const values = people.sample.columns.get(column) ?? [];
    const known = new Set(values.map(folded));
    const isName = known.size === values.length && values.length >= people.sample.rows * ENOUGH;
    const found = needed.map((guess) => columnNaming(guess, known));
    if (!isName || !found.every((one) => one !== null)) continue;
    for (const [at, guess] of needed.entries()) renameWorker(guess, found[at]!);
    nameBy(people, column);
    break;
  }
  const email = columnOf(people.fields, "email");
  const hasEmails = new Set(people.sample.columns.get(email ?? "")).size === people.sample.rows;
  if (idColumn(people) === undefined && email !== undefined && hasEmails) nameBy(people, email);
  const ids = new Set(people.sample.columns.get(idColumn(people) ?? "")?.map(folded));
  const manager = columnOf(people.fields, PERSON_MANAGER);
  // A name, or the id of another list
  const isKnown = (id: string) => ids.has(folded(id)) || NOBODY.test(id.trim());
  if (manager !== undefined && !(people.sample.columns.get(manager) ?? []).every(isKnown)) {
    people.fields.delete(manager);
    if (
      nameColumnsIn(people, people, manager) !== null ||
      addressColumn(people, people, manager) !== null ||
      placeOfIds(people, people, manager) !== null
    )
      people.byName.set(manager, PERSON_MANAGER);
  }
  for (const guess of needed) {
    const column = columnOf(guess.fields, LEAVE.worker)!;
    const isByName =
      columnNaming(guess, ids) === null &&
      (nameColumnsIn(people, guess, column) !== null || placeOfIds(people, guess, column) !== null);
    if (isByName) guess.byName.set(column, LEAVE.worker);
    if (isByName || guess.sample.joined.has(column)) guess.fields.delete(column);
  }
}

/** What stands for no manager. */
export const NOBODY = /^(?:no[\s_-]?manager|none|n\/a|null|[-\u2013\u2014]+)$/i;

/**
 * The columns that make the whole names that another column has, each of which is one person's: `Lind, Ana` is Ana Lind, and all may be
 * `Lind Ana`. Null where it has no such names.
 */
export function nameColumnsIn(people: Guess, guess: Guess, column: string): string[] | null {
  const columns = nameColumns(people);
  const orders = columns.length > 1 ? [columns, columns.toReversed()] : [columns];
  return orders.find((order) => hasNamesOf(people, guess, column, order)) ?? null;
}

function hasNamesOf(people: Guess, { sample }: Guess, column: string, columns: readonly string[]): boolean {
  const id = idColumn(people);
  const { cells, rows } = people.sample;
  if (columns.length === 0 || id === undefined) return false;
  const textOf = (one: string, row: number) => (cells.get(one)?.[row] ?? "").trim();
  const ofPeople = Array.from({ length: rows }, (_, row) => row).filter(
    (row) => textOf(id, row) !== "" && !isTotal(textOf(id, row)),
  );
  if (ofPeople.some((row) => columns.some((one) => textOf(one, row) === ""))) return false;
  const names = ofPeople.map((row) => wholeName(columns.map((one) => textOf(one, row)).join(" ")));
  const known = new Set(names);
  const used = new Set((sample.columns.get(column) ?? []).filter((one) => !isTotal(one)).map(wholeName));
  return known.size === names.length && areEnough(used.intersection(known).size, used.size, ENOUGH);
}

/** The column with people's addresses, if another one has them in place of ids, and each is one person's; null otherwise. */
export function addressColumn(people: Guess, { sample }: Guess, column: string): string | null {
  const [email] = ["email", ...ALSO_FILLS.email!].flatMap((field) => columnOf(people.fields, field) ?? []);
  const id = idColumn(people);
  if (email === undefined || id === undefined) return null;
  const { cells } = people.sample;
  const known = new Map<string, string>();
  for (const [row, address] of cells.get(email)!.entries()) {
    if (address === "") continue;
    const its = cells.get(id)?.[row] ?? "";
    if ((known.get(folded(address)) ?? its) !== its) return null;
    known.set(folded(address), its);
  }
  const used = new Set((sample.columns.get(column) ?? []).filter((one) => !isTotal(one)).map(folded));
  const found = [...used].filter((one) => known.has(one)).length;
  return areEnough(found, used.size, ENOUGH) ? email : null;
}

/** What stands between an id and a name. */
export const AROUND_IDS = ["(", ")", "[", "]", ",", ";", ":", "|"];

/** Where a column has these people's ids among other words, `Ana Lind E001` or `Lind, Ana (E001)`; null where it has none. */
export function placeOfIds(
  people: Guess,
  { sample }: Guess,
  column: string,
): "first" | "last" | "among" | null {
  const ids = new Set(people.sample.columns.get(idColumn(people) ?? "")?.map((id) => id.trim()));
  const values = new Set((sample.columns.get(column) ?? []).filter((one) => !isTotal(one)));
  const isId = (word: string) => ids.has(word) && !SMALL_NUMBER.test(word);
  const found = [...values].flatMap((value) => {
    const words = value.split(/[\s()[\],;:|]+/).filter((word) => word !== "");
    return words.filter(isId).length === 1 ? [words] : [];
  });
  if (!areEnough(found.length, values.size, ENOUGH)) return null;
  if (found.every((words) => isId(words.at(-1)!))) return "last";
  return found.every((words) => isId(words[0]!)) ? "first" : "among";
}

/** The column that has people's ids. */
export const idColumn = ({ fields }: Guess) =>
  [...fields].find(([, field]) => targetsOf(field).includes("legacyId"))?.[0];

/** The columns that make somebody's whole name: one, or the first and the last name; none where there are neither. */
function nameColumns({ fields }: Guess): string[] {
  const found = FULL_NAME.parts.flatMap((part) => columnOf(fields, part) ?? []);
  const whole = [...fields].find(([, one]) => targetsOf(one).includes(FULL_NAME.name))?.[0];
  return found.length === FULL_NAME.parts.length ? found : whole === undefined ? [] : [whole];
}

function wholeName(text: string): string {
  const comma = text.indexOf(",");
  return folded(comma < 0 ? text : `${text.slice(comma + 1).trim()} ${text.slice(0, comma).trim()}`);
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}

/** A number that may be one of days, hours or a list as well as somebody's id. */
const SMALL_NUMBER = /^\d{1,3}(?:[.,]\d+)?$/;

/** The column of a file that names these people: the one whose name says so, else one that is nothing else and names most of them. */
function columnNaming({ sample, fields }: Guess, known: ReadonlySet<string>): string | null {
  const found = (column: string) => {
    const values = new Set((sample.columns.get(column) ?? []).filter((value) => !isTotal(value)).map(folded));
    return { column, values, count: values.intersection(known).size };
  };
  const isNaming = ({ values, count }: ReturnType<typeof found>) => areEnough(count, values.size, ENOUGH);
  const usual = found(columnOf(fields, LEAVE.worker)!);
  if (isNaming(usual) && !sample.joined.has(usual.column)) return usual.column;
  const others = [...sample.columns.keys()]
    .filter((column) => !fields.has(column) && !sample.joined.has(column))
    .map(found);
  const [best] = others
    .filter((one) => isNaming(one) && ![...one.values].every((value) => SMALL_NUMBER.test(value)))
    .sort((a, b) => b.count / b.values.size - a.count / a.values.size);
  return best?.column ?? null;
}

function renameWorker({ fields }: Guess, column: string): void {
  const before = columnOf(fields, LEAVE.worker);
  if (before === column || before === undefined) return;
  fields.delete(before);
  fields.set(column, LEAVE.worker);
}

/** Lets a column be the workers' id, besides what else it is. */
function nameBy({ sample, fields }: Guess, column: string): void {
  const before = columnOf(fields, "legacyId");
  if (before === column) return;
  if (before !== undefined) fields.delete(before);
  const isNumbers = (sample.columns.get(column) ?? []).every((value) => !/\p{L}/u.test(value));
  // Numbers in a column such as "Employee" are no names.
  fields.set(column, isNumbers || !fields.has(column) ? "legacyId" : `legacyId+${fields.get(column)}`);
}

/** The fields that a column fills. */
export function targetsOf(field: string): string[] {
  return field.split("+");
}

/** Values of the column that names people by which totals and remarks are told from rows. */
export function totalsIn({
  kind,
  sample,
  fields,
  byName,
}: Guess): { column: string; values: string[] } | null {
  const naming =
    columnOf(fields, kind === "workers" ? "legacyId" : LEAVE.worker) ?? columnOf(byName, LEAVE.worker);
  if (naming === undefined) return null;
  const column = sample.joined.get(naming)?.[0] ?? naming;
  const values = sample.columns.get(column) ?? [];
  const found = new Set(values.filter(isTotal).map((value) => value.trim()));
  for (const row of sample.shortRows) found.add((row.get(column) ?? "").trim());
  const blanks = sample.rows - values.length;
  if (blanks > 0 && blanks <= Math.max(2, sample.rows / 20)) found.add("");
  return found.size === 0 ? null : { column, values: [...found] };
}

/** Columns with amounts that people have or are granted, in a file that names people. */
export function balanceColumns({ columns, rows }: Sample): string[] {
  return [...columns].flatMap(([column, values]) =>
    BALANCE_WORDS.test(nameKey(column)) && values.length > rows / 2 && values.every(isAmount) ? [column] : [],
  );
}

const UNIT_COLUMN = /unit|einheit|unidad|eenheid/;

/** Most values of a column of units must be known ones: another is a mistake of the file. */
const ENOUGH_UNITS = 0.9;

/** The column with the unit of each row; null where there is none. */
export function unitColumn({ columns }: Sample, fields: ReadonlyMap<string, string>): string | null {
  const found = [...columns].flatMap(([column, values]) =>
    !fields.has(column) &&
    areEnough(values.filter((value) => unitNamed(value) !== undefined).length, values.length, ENOUGH_UNITS)
      ? [column]
      : [],
  );
  // Letters alone may say anything, such as somebody's sex.
  const hasWords = (column: string) => columns.get(column)!.some((value) => /\p{L}{2}/u.test(value));
  return found.find((column) => UNIT_COLUMN.test(nameKey(column))) ?? found.find(hasWords) ?? null;
}

/** The sign before decimals, where most numbers show that it is not a plain point; null otherwise. */
export function decimalOf({ name, columns }: Sample, column: string): "," | "." | null {
  const values = columns.get(column) ?? [];
  const commas = values.filter((value) => /\d,\d{1,2}(?!\d)/.test(value)).length;
  const points = values.filter((value) => /\d\.\d{1,2}(?!\d)/.test(value)).length;
  // Of a workbook, points are those of numbers, which need nothing.
  if (commas > (namedFormat(name)?.format === "xlsx" ? 0 : points)) return ",";
  return values.some((value) => /\d,\d{3}(?:\.\d|\b)/.test(value)) ? "." : null;
}

/** Whether the dates of these files begin with the day or the month, where any column shows it. */
export function dayOrderIn(guesses: readonly Guess[]): DayOrder | null {
  const orders = guesses.flatMap(({ kind, sample, fields }) =>
    [...fields].flatMap(([column, field]) =>
      dateContent(kind, field) === "" ? [] : [dayOrderOf(datesIn(sample.columns.get(column) ?? []))],
    ),
  );
  const sure = new Set(orders.filter((order) => order !== null));
  const [order = null] = sure;
  return sure.size === 1 ? order : null;
}

/** Whether a field takes a date, and what of it. */
export function dateContent(kind: FactKind, field: string): string {
  const holds = cellOf(kind, targetsOf(field)[0]!)?.holds ?? "";
  return /day|instant|end/.test(holds) ? holds : "";
}
