// The queries that a draft writes or advises: ids beside people's names, and the policies and assignments that files show.

import { distance } from "fastest-levenshtein";
import { shown } from "../row-errors.ts";
import { namedFormat } from "../source/files.ts";
import { quotedName, tableName } from "../source/query.ts";
import { isLeftAmount, isTotal, isYearlyAmount, LEAVE, PERSON_START, unitOf } from "./column-names.ts";
import {
  AROUND_IDS,
  addressColumn,
  columnOf,
  decimalOf,
  fieldsFor,
  type Guess,
  idColumn,
  nameColumnsIn,
  placeOf,
  placeOfIds,
  totalsIn,
} from "./guess.ts";
import { type DayOrder, datesIn, type Sample } from "./sample.ts";

/** More values than these are no list that somebody reads. */
export const MAX_CHOICES = 20;

export function comments(lines: readonly string[], indent: string): string {
  return lines.map((line) => `${indent}// ${line.replace(/[\r\n\u2028\u2029]+/g, " ")}`).join("\n");
}

export const json = (value: unknown) => JSON.stringify(value);

const named = (name: string) => quotedName(name, true);

export function readKeys({ name, more, options }: Sample): object {
  const { encoding, delimiter, skipLines, sheet, at } = options;
  const keys = {
    from: more.length === 0 ? name : [name, ...more],
    encoding,
    delimiter,
    sheet,
    skipLines: skipLines || null,
    at,
  };
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
}

/** What must be looked at where the encoding was told by the letters. */
export function encodingAdvice(samples: readonly Sample[]): string[] {
  return samples.flatMap(({ name, options: { encoding } }) =>
    encoding === null || encoding.startsWith("utf-")
      ? []
      : [
          `${name} is not UTF-8. Its letters look like ${encoding}: if a name comes out wrong, correct "encoding"`,
        ],
  );
}

export function decimalKey(sample: Sample, column: string): object {
  const decimal = decimalOf(sample, column);
  return decimal === null ? {} : { decimal };
}

/** How amounts of balances become adjustments: which column is which policy's, only the reader knows. */
export function balanceAdvice(sample: Sample, balances: readonly string[]): string[] {
  const { columns } = sample;
  const person = columnOf(fieldsFor("adjustments", sample), LEAVE.worker);
  const first =
    balances.find(isLeftAmount) ?? balances.find((column) => !isYearlyAmount(column)) ?? balances[0]!;
  const unit = unitOf(first, columns.get(first)!) ?? "days";
  const source = {
    ...readKeys(sample),
    columns: { [person ?? "?"]: LEAVE.worker },
    values: { policyId: ["?"], minutes: [`{${first}}`], date: "2026-01-01" },
    units: { minutes: unit },
    ...decimalKey(sample, first),
    ignore: "*",
  };
  return [
    `${placeOf(sample)} has balances: ${balances.join(", ")}. Import what is left on a day as adjustments, one column for each policy:`,
    `  "adjustments": ${json(source)}`,
  ];
}

/** How people's own amounts become those of their assignments. */
export function yearlyAdvice(sample: Sample, amounts: readonly string[]): string[] {
  const { columns } = sample;
  const [first] = amounts;
  const units = { minutesPerPeriod: unitOf(first!, columns.get(first!)!) ?? "days" };
  return [
    `${placeOf(sample)} has what people get in a year: ${amounts.join(", ")}. Give that policy "schedule": "yearly", and let the query of`,
    `  assignments select p.${named(first!)} as minutesPerPeriod for it (null for other policies), with ${json({ units, ...decimalKey(sample, first!) }).slice(1, -1)}`,
  ];
}

/**
 * How a file is read: itself, or with a query that puts columns beside those that have people's names, with their ids, and beside dates
 * that no format fits. `read`: by column, the one to read in its place; the query's ids are in `ids`, with their fields.
 */
export function sourceLines(
  guess: Guess,
  people: Guess | undefined,
  notes: string[],
  ids: Map<string, string>,
  read: Map<string, string>,
): string[] {
  const { sample, byName, fields } = guess;
  const id = people === undefined ? undefined : idColumn(people);
  const tables = new Set([guess]);
  const added: string[] = [];
  const joins: string[] = [];
  if (people !== undefined && id !== undefined) {
    for (const [column, field] of byName) {
      const what = addressColumn(people, guess, column) === null ? "names" : "email addresses";
      notes.push(`${shown(column)} has ${what}: the query puts the ids of these people beside them`);
      const alias = `p${joins.length}`;
      ids.set(`id of ${column}`, field);
      added.push(`coalesce(${alias}.id, ${cellIn(guess, "l", column)}) as ${named(`id of ${column}`)}`);
      const { table, isSame } = namedPeople(people, alias, guess, column, { id: cellIn(people, "p", id) });
      joins.push(`left join ${table} on ${isSame}`);
      tables.add(people);
    }
  }
  for (const column of sample.epochs.keys()) {
    if (!fields.has(column)) continue;
    read.set(column, `date of ${column}`);
    added.push(`${cellIn(guess, "l", column)} as ${named(`date of ${column}`)}`);
  }
  for (const [column, { of, between, part }] of sample.ranges) {
    if (!fields.has(column)) continue;
    added.push(`${cellIn(guess, "l", column)} as ${named(column)}`);
    if (part === "first")
      notes.push(`${shown(of)} has the first and the last day: the query splits it at ${shown(between)}`);
  }
  if (added.length === 0)
    return Object.entries(readKeys(sample)).map(([key, value]) => `${json(key)}: ${json(value)}`);
  const query = [`select l.*, ${added.join(", ")} from ${tableOf(guess)} l`, ...joins].join(" ");
  return [`"tables": ${tablesOf(tables)}`, `"query": ${json(query)}`];
}

/**
 * In SQL, people with these cells, as `alias`, and whether a column of `l` names one: `Lind, Ana` is Ana Lind. `distinct` keeps SQLite
 * from comparing every name with every other: it looks names up in an index of its own.
 */
function namedPeople(
  people: Guess,
  alias: string,
  guess: Guess,
  column: string,
  cells: Readonly<Record<string, string>>,
): { readonly table: string; readonly isSame: string } {
  const select = Object.entries(cells).map(([name, cell]) => `${cell} as ${name}`);
  const table = (name: string) =>
    `(select distinct ${[...select, `${name} as name`].join(", ")} from ${tableOf(people)} p) ${alias}`;
  const place = placeOfIds(people, guess, column);
  if (place !== null) {
    const around = AROUND_IDS.filter((sign) =>
      guess.sample.columns.get(column)?.some((one) => one.includes(sign)),
    );
    const words = around.reduce(
      (cell, sign) => `replace(${cell}, ${text(sign)}, ' ')`,
      cellIn(guess, "l", column),
    );
    const word = {
      first: `substr(trim(${words}), 1, instr(trim(${words}) || ' ', ' ') - 1)`,
      last: `substr(trim(${words}), length(rtrim(trim(${words}), replace(${words}, ' ', ''))) + 1)`,
    };
    return {
      table: table(`trim(${cellIn(people, "p", idColumn(people)!)})`),
      isSame:
        place === "among"
          ? `instr(' ' || ${words} || ' ', ' ' || ${alias}.name || ' ') > 0` // compares everybody with every row
          : `${alias}.name = ${word[place]}`,
    };
  }
  const address = addressColumn(people, guess, column);
  if (address !== null) {
    const folded = (cell: string) => `lower(trim(${cell}))`;
    const own = folded(cellIn(guess, "l", column));
    return { table: table(folded(cellIn(people, "p", address))), isSame: `${alias}.name = ${own}` };
  }
  const columns = nameColumnsIn(people, guess, column) ?? [];
  // A comma in a part of a name does not turn it round.
  const valuesOf = (of: Guess, one: string, isWhole: boolean) => (isWhole ? of.sample.columns.get(one) : []);
  const whole = columns.map((one) =>
    wholeName(cellIn(people, "p", one), valuesOf(people, one, columns.length === 1)),
  );
  const name = wholeName(
    cellIn(guess, "l", column),
    valuesOf(guess, column, !guess.sample.joined.has(column)),
  );
  return { table: table(`lower(${whole.join(" || ' ' || ")})`), isSame: `${alias}.name = lower(${name})` };
}

function wholeName(cell: string, values: readonly string[] = []): string {
  if (!values.some((value) => value.includes(","))) return `trim(${cell})`;
  const comma = `instr(${cell}, ',')`;
  return `trim(trim(substr(${cell}, ${comma} + 1)) || ' ' || trim(substr(${cell}, 1, max(${comma} - 1, 0))))`;
}

function tableOf({ sample: { name, options } }: Guess): string {
  return tableName(`${namedFormat(name)?.stem ?? name} ${options.sheet ?? ""}`);
}

/** Last lines with fewer cells, which no table can have. */
function lastLines(guess: Guess): object {
  const totals = guess.sample.shortRows.length === 0 ? null : totalsIn(guess);
  return totals === null ? {} : { skip: { [totals.column]: totals.values } };
}

function tablesOf(guesses: Iterable<Guess>): string {
  const each = [...guesses].map(
    (guess) => `${json(tableOf(guess))}: ${json({ ...readKeys(guess.sample), ...lastLines(guess) })}`,
  );
  return `{ ${each.join(", ")} }`;
}

/** In SQL, a cell of a file's table; of JSON, `employee.id` is inside of the column `employee`. */
function cellIn(guess: Guess, alias: string, column: string): string {
  const { sample } = guess;
  const parts = sample.joined.get(column);
  if (parts !== undefined)
    return parts.map((part) => `trim(${cellIn(guess, alias, part)})`).join(" || ' ' || ");
  const range = sample.ranges.get(column);
  if (range !== undefined) {
    const cell = cellIn(guess, alias, range.of);
    const between = text(range.between);
    const at = `instr(${cell}, ${between})`;
    return range.part === "first"
      ? `trim(substr(${cell}, 1, instr(${cell} || ${between}, ${between}) - 1))`
      : `trim(substr(${cell}, case ${at} when 0 then 1 else ${at} + ${range.between.length} end))`;
  }
  const isJson = /^jsonl?$/.test(namedFormat(sample.name)?.format ?? "");
  const [outer, ...path] = isJson ? column.split(".") : [column];
  const inner = path.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `."${name}"`)).join("");
  const whole = `${alias}.${named(outer!)}`;
  const cell = inner === "" ? whole : `${whole} ->> ${text(`$${inner}`)}`;
  const form = sample.epochs.get(column);
  return form === undefined ? cell : `strftime(${text(form)}, substr(${cell}, 7) / 1000.0, 'unixepoch')`; // /Date(1735689600000)/
}

/** A text in SQL. */
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

const policyColumn = ({ fields }: Guess) => columnOf(fields, LEAVE.policy) ?? columnOf(fields, "policyId");

/** Where a file has no column for it, all of its leave is of one policy. */
export const ONE_POLICY = "PTO";

/** A kind of leave in the files. */
interface LeaveKind {
  readonly name: string;
  rows: number;
  readonly people: Set<string>;
}

/** The kinds of leave of the files, by their names; of the rows that were looked at. */
function leaveKinds(leave: readonly Guess[]): Map<string, LeaveKind> {
  const kinds = new Map<string, LeaveKind>();
  for (const guess of leave) {
    const { cells, rows } = guess.sample;
    const cellsOf = (column: string | undefined) => (column === undefined ? [] : (cells.get(column) ?? []));
    const column = policyColumn(guess);
    const names = cellsOf(column);
    const people = cellsOf(columnOf(guess.fields, LEAVE.worker) ?? columnOf(guess.byName, LEAVE.worker));
    for (let row = 0; row < rows; row++) {
      const name = column === undefined ? ONE_POLICY : (names[row] ?? "").trim();
      if (name === "" || isTotal(name)) continue;
      const kind = kinds.get(name) ?? { name, rows: 0, people: new Set() };
      kinds.set(name, kind);
      kind.rows++;
      kind.people.add((people[row] ?? "").trim().toLowerCase());
    }
  }
  return kinds;
}

/** A name of at least so many letters may be another one, mistyped. */
const MIN_LETTERS = 5;
/** One that comes so much more seldom than the other is taken for mistyped. */
const SELDOM = 20;

/** Two names of kinds of leave that differ by one letter, or by case alone. */
interface NearKinds {
  readonly seldom: LeaveKind;
  readonly usual: LeaveKind;
  readonly isMistyped: boolean;
}

function nearKinds(kinds: ReadonlyMap<string, LeaveKind>): NearKinds[] {
  const all = [...kinds.values()].toSorted((a, b) => b.rows - a.rows);
  return all.flatMap((seldom, at) => {
    const usual = all.slice(0, at).find((other) => areNear(seldom.name, other.name));
    return usual === undefined ? [] : [{ seldom, usual, isMistyped: seldom.rows * SELDOM <= usual.rows }];
  });
}

/** Whether one may be the other, mistyped. The first letter seldom is, and a digit tells kinds apart. */
function areNear(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase().replace(/\s+/g, " "), other.toLowerCase().replace(/\s+/g, " ")];
  const letters = (name: string) => [...name].toSorted().join("");
  if (a === b) return true;
  if (Math.min(a.length, b.length) < MIN_LETTERS || a[0] !== b[0]) return false;
  if (a.replace(/\D/g, "") !== b.replace(/\D/g, "")) return false;
  return distance(a, b) === 1 || (distance(a, b) === 2 && letters(a) === letters(b)); // two that are swapped
}

/** What to do about names that are nearly the same. */
function nearNotes(near: readonly NearKinds[]): string[] {
  const count = ({ rows }: LeaveKind) => (rows === 1 ? "1 row" : `${rows} rows`);
  return near.flatMap(({ seldom, usual, isMistyped }) => {
    const [one, other] = [shown(seldom.name), shown(usual.name)];
    const translation = `"translate": {"${LEAVE.policy}": {${one}: ${other}}}`;
    return isMistyped
      ? [
          `${one} (${count(seldom)}) seems to be ${other} (${count(usual)}), mistyped, so it is no policy here, and its rows are refused:`,
          `  mend the file, or add to requests ${translation}. If it is a kind of its own, add its policy here, and take it out`,
          "  of the query of assignments.",
        ]
      : [
          `${one} (${count(seldom)}) and ${other} (${count(usual)}) are nearly the same. If they are one, take one of them out here, and`,
          `  mend the file, or add to requests and assignments a "translate" such as {"policyId": {${one}: ${other}}}.`,
        ];
  });
}

export function policiesSection(leave: readonly Guess[], hasBalances: boolean): string {
  const kinds = leaveKinds(leave);
  const near = nearKinds(kinds);
  const mistyped = mistypedOf(near);
  const names = [...kinds.keys()].filter((name) => !mistyped.includes(name));
  const rules = hasBalances ? { schedule: "yearly", minutesPerPeriod: 0 } : { schedule: "unlimited" };
  const isQuery = names.length > MAX_CHOICES;
  const rows = names.map(
    (name) => `      ${json({ legacyId: name, name, timeOffTypeName: name, ...rules })}`,
  );
  const said = [
    ...(hasBalances
      ? [
          "There are balances in the files, so policies grant nothing: balances are what adjustments give, less all leave in the",
          "files. Leave up to the day of an exported balance is off it already: leave such requests out",
          "(docs/importing.md, Opening balances). Under an unlimited policy no adjustment would count.",
        ]
      : []),
    'The kinds of leave in the files. For balances, say what each grants: "schedule": "yearly" or "monthly", with',
    '"minutesPerPeriod" (see docs/importing.md, Fields).',
    ...nearNotes(near),
  ];
  return `  "policies": {
${comments(said, "    ")}
${isQuery ? policiesQuery(leave, mistyped) : `    "rows": [\n${rows.join(",\n")}\n    ]`},
    "values": { "paid": true, "unit": "day"${isQuery ? `, ${json(rules).slice(1, -1)}` : ""} }
  }`;
}

const mistypedOf = (near: readonly NearKinds[]) =>
  near.flatMap(({ seldom, isMistyped }) => (isMistyped ? [seldom.name] : []));

/** In SQL, the kind of leave of a row of `l`. */
function kindIn(guess: Guess): string {
  const column = policyColumn(guess);
  return column === undefined ? text(ONE_POLICY) : `trim(${cellIn(guess, "l", column)})`;
}

/** Too many kinds of leave to list. */
function policiesQuery(leave: readonly Guess[], mistyped: readonly string[]): string {
  const selects = leave.map((guess) => {
    const column = policyColumn(guess);
    const totals = (guess.sample.columns.get(column ?? "") ?? []).filter(isTotal).map((name) => name.trim());
    const kind = kindIn(guess);
    const none = ["", ...new Set([...totals, ...mistyped])].map(text);
    return `select distinct ${kind} as legacyId, ${kind} as name, ${kind} as timeOffTypeName from ${tableOf(guess)} l where ${kind} not in (${none.join(", ")})`;
  });
  return `    "tables": ${tablesOf(leave)},\n    "query": ${json(selects.join(" union "))}`;
}

/** A kind of leave that so many of the people with leave have taken is everybody's. */
const EVERYBODYS = 0.5;

export function assignmentsSection(leave: readonly Guess[], people: Guess, order: DayOrder | null): string {
  const start = columnOf(people.fields, PERSON_START);
  const found = start === undefined ? null : datesIn(people.sample.columns.get(start) ?? [], order);
  const isWorkbookDate = start !== undefined && people.sample.moments.has(start);
  const formats = [...new Set([...(isWorkbookDate ? ["yyyy-MM-dd"] : []), ...(found?.formats ?? [])])];
  const id = idColumn(people);
  const person = id === undefined ? "'?'" : cellIn(people, "p", id);
  const began = formats.length > 0 ? "startsOn" : "assignedAt";
  const first = start === undefined ? "'?'" : cellIn(people, "p", start);
  const select = (kind: string, from: string, [worker, day] = [person, first]) =>
    `select ${worker} as workerId, ${kind} as policyId, ${day} as ${began}, p._file, p._line from ${from}`;
  const kinds = leaveKinds(leave);
  const mistyped = mistypedOf(nearKinds(kinds));
  const taken = leave.map((guess) => {
    const names = columnOf(guess.byName, LEAVE.worker);
    const worker = columnOf(guess.fields, LEAVE.worker);
    const without =
      mistyped.length === 0 ? "" : ` where ${kindIn(guess)} not in (${mistyped.map(text).join(", ")})`;
    const leaveTable = `join ${tableOf(guess)} l on`;
    if (names === undefined) {
      const cell = worker === undefined ? "'?'" : trimmed(guess, worker);
      return `${select(kindIn(guess), `${tableOf(people)} p`)} ${leaveTable} ${person} = ${cell}${without}`;
    }
    const cells = { id: person, first_day: first, _file: "p._file", _line: "p._line" };
    const { table, isSame } = namedPeople(people, "p", guess, names, cells);
    return `${select(kindIn(guess), table, ["p.id", "p.first_day"])} ${leaveTable} ${isSame}${without}`;
  });
  const withLeave = new Set([...kinds.values()].flatMap((kind) => [...kind.people]));
  const hasBalances = leave.some(({ kind }) => kind === "adjustments"); // these tell who has what
  const [everybodys, others] = partition(
    [...kinds.values()].filter(({ name }) => !mistyped.includes(name)),
    (kind) => !hasBalances && kind.people.size >= withLeave.size * EVERYBODYS,
  );
  const list = everybodys.map(({ name }, at) => `select ${text(name)}${at === 0 ? " as kind" : ""}`);
  const totals = totalsIn(people)?.values.filter((value) => value !== "") ?? [];
  const noRows = totals.length === 0 ? "" : ` and ${person} not in (${totals.map(text).join(", ")})`;
  const ofEverybody =
    list.length === 0
      ? []
      : [
          `${select("k.kind", `${tableOf(people)} p`)} join (${list.join(" union all ")}) k where ${person} is not null${noRows}`,
        ];
  const said = [
    ...(everybodys.length === 0
      ? []
      : [
          `${listed(everybodys)}: everybody has ${everybodys.length === 1 ? "it" : "them"}, with leave or without, as at least half of those with leave do. If not everybody is`,
          "entitled, add a condition to the query, or take a kind out of it: then those who have such leave in the files have it.",
        ]),
    ...(others.length === 0
      ? []
      : [`${listed(others)}: those who have such leave${hasBalances ? " or a balance" : ""} in the files.`]),
    "Each from the first day of work on.",
  ];
  const selects = [...ofEverybody, ...taken];
  const query =
    selects.length > 1 ? selects.join(" union ") : selects.join().replace("select", "select distinct");
  const dates =
    formats.length === 0 ? "" : `,\n    "dates": ${json(formats.length > 1 ? formats : formats[0])}`;
  const locale = found?.locale == null ? "" : `,\n    "locale": ${json(found.locale)}`;
  return `  "assignments": {
${comments(said, "    ")}
    "tables": ${tablesOf([...leave, people])},
    "query": ${json(query)}${dates}${locale}
  }`;
}

/** In SQL, a cell of `l` without the space around it, where there is any. */
function trimmed(guess: Guess, column: string): string {
  const hasSpace = guess.sample.columns.get(column)?.some((value) => value !== value.trim()) ?? false;
  const cell = cellIn(guess, "l", column);
  return hasSpace ? `trim(${cell})` : cell;
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function listed(kinds: readonly LeaveKind[]): string {
  const names = kinds.slice(0, MAX_CHOICES).map(({ name }) => shown(name));
  const more = kinds.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
