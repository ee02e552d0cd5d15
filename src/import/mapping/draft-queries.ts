// The queries that a draft writes or advises: ids beside people's names, and the policies and assignments that files show.

import { shown } from "../row-errors.ts";
import { namedFormat } from "../source/files.ts";
import { quotedName, tableName } from "../source/query.ts";
import type { ReadOptions } from "../source/records.ts";
import { isTotal, LEAVE, PERSON_START, unitOf } from "./column-names.ts";
import { columnOf, decimalOf, type Guess, nameColumns, targetsOf, totalsIn } from "./guess.ts";
import { type DayOrder, datesIn, type Sample } from "./sample.ts";

/** More values than these are no list that somebody reads. */
export const MAX_CHOICES = 20;

export function comments(lines: readonly string[], indent: string): string {
  return lines.map((line) => `${indent}// ${line.replace(/[\r\n\u2028\u2029]+/g, " ")}`).join("\n");
}

export const json = (value: unknown) => JSON.stringify(value);

const named = (name: string) => quotedName(name, true);

export function readKeys(name: string, { encoding, delimiter, skipLines, at }: ReadOptions): object {
  const keys = { from: name, encoding, delimiter, skipLines: skipLines || null, at };
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
}

export function decimalKey(values: readonly string[]): object {
  const decimal = decimalOf(values);
  return decimal === null ? {} : { decimal };
}

/** How people's own amounts become those of their assignments. */
export function yearlyAdvice({ name, columns }: Sample, amounts: readonly string[]): string[] {
  const [first] = amounts;
  const units = { minutesPerPeriod: unitOf(first!, columns.get(first!)!) ?? "days" };
  return [
    `${name} has what people get in a year: ${amounts.join(", ")}. Give that policy "schedule": "yearly", and let the query of`,
    `  assignments select p.${named(first!)} as minutesPerPeriod for it (null for other policies), with ${json({ units, ...decimalKey(columns.get(first!)!) }).slice(1, -1)}`,
  ];
}

/** How a file is read: itself, or with a query that puts people's ids into `ids` beside the columns that have their names. */
export function sourceLines(
  guess: Guess,
  people: Guess | undefined,
  notes: string[],
  ids: Map<string, string>,
): string[] {
  const { sample, byName } = guess;
  const id = people === undefined ? undefined : idColumn(people);
  if (byName.size === 0 || people === undefined || id === undefined)
    return Object.entries(readKeys(sample.name, sample.options)).map(
      ([key, value]) => `${json(key)}: ${json(value)}`,
    );
  const added: string[] = [];
  const joins: string[] = [];
  for (const [column, field] of byName) {
    notes.push(`${shown(column)} has names: the query puts the ids of these people beside them`);
    const alias = `p${joins.length}`;
    ids.set(`id of ${column}`, field);
    added.push(`coalesce(${alias}.${named(id)}, l.${named(column)}) as ${named(`id of ${column}`)}`);
    joins.push(`left join ${tableOf(people)} ${alias} on ${isNamed(people, alias, guess, column)}`);
  }
  const query = `select l.*, ${added.join(", ")} from ${tableOf(guess)} l ${joins.join(" ")}`;
  return [`"tables": ${tablesOf(new Set([guess, people]))}`, `"query": ${json(query)}`];
}

/** In SQL, whether a column of `l` names the person of `alias`: `Lind, Ana` is Ana Lind. */
function isNamed(people: Guess, alias: string, guess: Guess, column: string): string {
  const whole = nameColumns(people).map((one) =>
    wholeName(`${alias}.${named(one)}`, people.sample.columns.get(one)),
  );
  return `lower(${whole.join(" || ' ' || ")}) = lower(${wholeName(`l.${named(column)}`, guess.sample.columns.get(column))})`;
}

function wholeName(cell: string, values: readonly string[] = []): string {
  if (!values.some((value) => value.includes(","))) return `trim(${cell})`;
  const comma = `instr(${cell}, ',')`;
  return `trim(trim(substr(${cell}, ${comma} + 1)) || ' ' || trim(substr(${cell}, 1, max(${comma} - 1, 0))))`;
}

const idColumn = ({ fields }: Guess) =>
  [...fields].find(([, field]) => targetsOf(field).includes("legacyId"))?.[0];

const tableOf = ({ sample }: Guess) => tableName(namedFormat(sample.name)?.stem ?? sample.name);

/** Last lines with fewer cells, which no table can have. */
function lastLines(guess: Guess): object {
  const totals = guess.sample.shortRows.length === 0 ? null : totalsIn(guess);
  return totals === null ? {} : { skip: { [totals.column]: totals.values } };
}

function tablesOf(guesses: Iterable<Guess>): string {
  const each = [...guesses].map(
    (guess) =>
      `${json(tableOf(guess))}: ${json({ ...readKeys(guess.sample.name, guess.sample.options), ...lastLines(guess) })}`,
  );
  return `{ ${each.join(", ")} }`;
}

const policyColumn = ({ fields }: Guess) => columnOf(fields, LEAVE.policy) ?? columnOf(fields, "policyId");

/** Where a file has no column for it, all of its leave is of one policy. */
export const ONE_POLICY = "PTO";

export function policiesSection(leave: readonly Guess[], hasBalances: boolean): string {
  const all = leave.flatMap((guess) => {
    const column = policyColumn(guess);
    return column === undefined ? [ONE_POLICY] : (guess.sample.columns.get(column) ?? []);
  });
  const names = [...new Set(all.map((name) => name.trim()))].filter((name) => !isTotal(name));
  const rules = hasBalances ? { schedule: "yearly", minutesPerPeriod: 0 } : { schedule: "unlimited" };
  const isQuery = names.length > MAX_CHOICES && leave.every(isFlat);
  const rows = names.map(
    (name) => `      ${json({ legacyId: name, name, timeOffTypeName: name, ...rules })}`,
  );
  const said = [
    ...(hasBalances
      ? [
          "There are balances in the files, so policies grant nothing: balances are what adjustments give, less the leave after",
          "them. Under an unlimited policy none would count.",
        ]
      : []),
    'The kinds of leave in the files. For balances, say what each grants: "schedule": "yearly" or "monthly", with',
    '"minutesPerPeriod" (see docs/importing.md, Fields).',
  ];
  return `  "policies": {
${comments(said, "    ")}
${isQuery ? policiesQuery(leave) : `    "rows": [\n${rows.join(",\n")}\n    ]`},
    "values": { "paid": true, "unit": "day"${isQuery ? `, ${json(rules).slice(1, -1)}` : ""} }
  }`;
}

/** Whether a column is inside of another: in JSON, `employee.id`. */
const isNested = ({ sample }: Guess, column: string) => column.includes(".") && /json/i.test(sample.name);

/** Whether the column with the kinds of leave is one of the file's, and not inside of another. */
const isFlat = (guess: Guess) => !isNested(guess, policyColumn(guess) ?? "");

/** Too many kinds of leave to list. */
function policiesQuery(leave: readonly Guess[]): string {
  const selects = leave.map((guess) => {
    const column = policyColumn(guess);
    const totals = (guess.sample.columns.get(column ?? "") ?? []).filter(isTotal).map((name) => name.trim());
    const value = column === undefined ? `'${ONE_POLICY}'` : `trim(${named(column)})`;
    const none = ["", ...new Set(totals)].map((name) => `'${name.replaceAll("'", "''")}'`);
    return `select distinct ${value} as legacyId, ${value} as name, ${value} as timeOffTypeName from ${tableOf(guess)} where ${value} not in (${none.join(", ")})`;
  });
  return `    "tables": ${tablesOf(leave)},\n    "query": ${json(selects.join(" union "))}`;
}

export function assignmentsSection(leave: readonly Guess[], people: Guess, order: DayOrder | null): string {
  const quoted = (alias: string, column: string | undefined) =>
    column === undefined
      ? "'?'"
      : isNested(people, column)
        ? `${alias}.${named(column.split(".")[0]!)} ->> '$.${column.split(".").slice(1).join(".")}'`
        : `${alias}.${named(column)}`;
  const start = columnOf(people.fields, PERSON_START);
  const found = start === undefined ? null : datesIn(people.sample.columns.get(start) ?? [], order);
  const isWorkbookDate = start !== undefined && people.sample.moments.has(start);
  const formats = isWorkbookDate ? ["yyyy-MM-dd"] : (found?.formats ?? []);
  const person = quoted("p", idColumn(people));
  const began = formats.length > 0 ? "startsOn" : "assignedAt";
  const selects = leave.map((guess) => {
    const names = columnOf(guess.byName, LEAVE.worker);
    const worker = names === undefined ? quoted("l", columnOf(guess.fields, LEAVE.worker)) : person;
    const isSame = names === undefined ? `${person} = ${worker}` : isNamed(people, "p", guess, names);
    const column = policyColumn(guess);
    const policy = column === undefined ? `'${ONE_POLICY}'` : quoted("l", column);
    return `select ${leave.length > 1 ? "" : "distinct "}${worker} as workerId, ${policy} as policyId, ${quoted("p", start)} as ${began}, p._file, p._line from ${tableOf(guess)} l join ${tableOf(people)} p on ${isSame}`;
  });
  const dates =
    formats.length === 0 ? "" : `,\n    "dates": ${json(formats.length > 1 ? formats : formats[0])}`;
  const locale = found?.locale == null ? "" : `,\n    "locale": ${json(found.locale)}`;
  return `  "assignments": {
    // Everybody who has a kind of leave in the files, from their first day on.
    "tables": ${tablesOf([...leave, people])},
    "query": ${json(selects.join(" union "))}${dates}${locale}
  }`;
}
