// A draft mapping of files that nobody has mapped yet: kinds and fields by the names of columns, formats by their values.
// Where it cannot tell, it writes comments.

import { normalised, ValidationError } from "../../resources/cells.ts";
import { cellOf, type FactKind } from "../../resources/registry.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { shown } from "../row-errors.ts";
import { type Candidate, isDelimited, namedFormat, openRecords } from "../source/files.ts";
import { tableName } from "../source/query.ts";
import {
  type Cell,
  DEFAULT_OPTIONS,
  LocalMoment,
  type ReadOptions,
  UnreadableFile,
} from "../source/records.ts";
import { firstBytes } from "../source/text.ts";
import {
  ALSO_FILLS,
  fieldSynonyms,
  KIND_SIGNS,
  LEAVE,
  meantChoice,
  PERSON_MANAGER,
  PERSON_START,
  PREFIXES,
  unitOf,
} from "./column-names.ts";
import { compiledFormat, dateReader } from "./dates.ts";

/** Rows that are looked at. */
const SAMPLE_ROWS = 2000;
const MAX_CHOICES = 20;

/** A file whose columns are known. */
interface Sample {
  readonly name: string;
  readonly options: ReadOptions;
  /** The values of each column, as text; empty ones left out. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** Columns that hold dates of a workbook. */
  readonly moments: ReadonlySet<string>;
}

const FORMATS = [
  "yyyy-MM-dd",
  "dd/MM/yyyy",
  "MM/dd/yyyy",
  "d/M/yyyy",
  "M/d/yyyy",
  "dd.MM.yyyy",
  "d.M.yyyy",
  "dd-MM-yyyy",
  "MM-dd-yyyy",
  "yyyy/MM/dd",
  "dd MMM yyyy",
  "d MMM yyyy",
  "dd-MMM-yyyy",
  "MMM d, yyyy",
  "MMMM d, yyyy",
  "d MMMM yyyy",
  "dd.MM.yy",
  "M/d/yy",
  "d/M/yy",
  "yyyy-MM",
  "yyyy-MM-dd HH:mm:ss",
  "yyyy-MM-dd HH:mm",
  "yyyy-MM-dd'T'HH:mm:ss",
  "yyyy-MM-dd'T'HH:mm:ssXXX",
  "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  "dd/MM/yyyy HH:mm",
  "MM/dd/yyyy HH:mm",
  "dd.MM.yyyy HH:mm",
  "M/d/yyyy h:mm a",
];

/** The formats that fit every value; those that read every value as a day that exists, if there are any. */
function formatsOf(values: readonly string[]): string[] {
  if (values.length === 0) return [];
  const fitting = FORMATS.filter((format) => {
    const compiled = compiledFormat(format);
    return (
      typeof compiled === "object" &&
      values.every((value) => compiled.pattern.test(value.trim().toLowerCase()))
    );
  });
  const existing = fitting.filter((format) => {
    const read = dateReader([format], { holds: "instant", locale: undefined, zone: null, endDay: null });
    return values.every((value) => !(read(value) instanceof ValidationError));
  });
  return existing.length > 0 ? existing : fitting;
}

/** The text of a draft for these files: JSON with comments. A file that cannot be read is a comment. */
export async function draftMapping(files: readonly Candidate[]): Promise<string> {
  const samples: Sample[] = [];
  const sections: string[] = [];
  const unknown: string[] = [];
  for (const file of files) {
    const { name } = file;
    try {
      samples.push(await sampleOf(file));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      unknown.push(`  // ${name} ${error.message}`);
    }
  }
  const guessed = samples.map((sample) => ({ sample, guess: guessOf(sample) }));
  const byKind = new Map<FactKind, { sample: Sample; fields: Map<string, string> }>();
  for (const { sample, guess } of guessed.toSorted((a, b) => (b.guess?.score ?? 0) - (a.guess?.score ?? 0)))
    if (guess !== null && !byKind.has(guess.kind))
      byKind.set(guess.kind, { sample, fields: fieldsFor(guess.kind, sample) });
  for (const { sample, guess } of guessed) {
    if (guess !== null && byKind.get(guess.kind)?.sample === sample) continue;
    const what = guess === null ? "it is not clear what its rows are" : `more ${guess.kind}?`;
    unknown.push(`  // ${sample.name}: ${what} (${[...sample.columns.keys()].join(", ")})`);
  }
  for (const [kind, { sample, fields }] of byKind) sections.push(section(kind, sample, fields));
  const ofPolicies = ["requests", "adjustments"] as const;
  const leave = ofPolicies.flatMap((kind) => byKind.get(kind) ?? []);
  const people = byKind.get("workers");
  if (leave.length > 0 && !byKind.has("policies")) sections.push(policiesSection(leave));
  if (leave.length > 0 && people !== undefined && !byKind.has("assignments"))
    sections.push(assignmentsSection(leave, people));
  const intro = [
    "  // A draft. Read every line, then check it: rollcall map check FILES --map THIS",
    "  // What each key means: docs/mapping.md",
  ];
  return `{\n${[...intro, ...unknown].join("\n")}\n${sections.join(",\n")}\n}\n`;
}

async function sampleOf({ path, name, within }: Candidate): Promise<Sample> {
  let failure: unknown = null;
  for (const found of optionsToTry(path, name, within)) {
    const options = { ...found, within };
    try {
      return await read(path, name, options);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      failure = error;
      const samples: Sample[] = [];
      for (const at of error.arrays) samples.push(await read(path, name, { ...options, at }));
      const known = samples.find((sample) => guessOf(sample) !== null) ?? samples[0];
      if (known !== undefined) return known;
    }
  }
  throw failure;
}

async function read(path: string, name: string, options: ReadOptions): Promise<Sample> {
  const reader = await openRecords(path, options, []);
  const columns = new Map<string, string[]>();
  const moments = new Set<string>();
  const add = (column: string, cell: Cell) => {
    const values = columns.get(column) ?? [];
    columns.set(column, values);
    if (cell instanceof LocalMoment) moments.add(column);
    if (cell !== null && cell !== undefined && cell !== "") values.push(String(cell));
  };
  const flatten = (column: string, cell: Cell, depth: number) => {
    const isNested = typeof cell === "object" && cell !== null && cell.constructor === Object && depth < 6;
    if (!isNested) add(column, Array.isArray(cell) ? null : cell);
    else for (const [key, below] of Object.entries(cell)) flatten(`${column}.${key}`, below, depth + 1);
  };
  let rows = 0;
  for await (const records of reader.records()) {
    for (const { cells, problem } of records)
      if (problem === undefined)
        for (const [at, column] of reader.header.entries()) flatten(column, cells[at] ?? null, 0);
    rows += records.length;
    if (rows >= SAMPLE_ROWS) break;
  }
  await reader.close();
  if (rows === 0) for (const column of reader.header) add(column, null);
  columns.delete("");
  return { name, options, columns, moments };
}

const DELIMITERS = [",", ";", "\t", "|"];

/** How a file may be read: of delimited text, by its first lines the encoding, the delimiter and the title lines. */
function optionsToTry(path: string, name: string, within: string | null): ReadOptions[] {
  if (!isDelimited(name) || /\.gz$/i.test(name)) return [DEFAULT_OPTIONS];
  const bytes = firstBytes(path, within, 65_536);
  if (bytes.length === 0) return [DEFAULT_OPTIONS];
  const mark = bytes.readUIntBE(0, Math.min(2, bytes.length));
  const encoding =
    mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : isUtf8(bytes) ? null : "windows-1252";
  const lines = new TextDecoder(encoding ?? "utf-8").decode(bytes).split(/\r?\n/).slice(0, 25);
  const unquoted = lines.map((line) => line.replace(/"[^"]*"/g, ""));
  const widths = (delimiter: string) => unquoted.map((line) => line.split(delimiter).length);
  const [best] = DELIMITERS.map((delimiter) => ({ delimiter, widest: Math.max(...widths(delimiter)) })).sort(
    (a, b) => b.widest - a.widest,
  );
  const wide = (width: number) => width >= Math.max(2, best!.widest * 0.8);
  const skipLines = Math.max(0, widths(best!.delimiter).findIndex(wide));
  const namesDelimiter = /^sep=/i.test(lines[0] ?? "");
  const isUsual = namesDelimiter || best!.delimiter === (/\.tsv$/i.test(name) ? "\t" : ",");
  const delimiter = isUsual ? null : best!.delimiter;
  return [{ ...DEFAULT_OPTIONS, encoding, delimiter, skipLines: namesDelimiter ? 0 : skipLines }];
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** What the rows of a file are, by the fields that its columns' names mean, and how much speaks for it. */
function guessOf(sample: Sample): { kind: FactKind; score: number } | null {
  const own = namedFormat(sample.name)?.stem ?? "";
  let best: { kind: FactKind; score: number } | null = null;
  for (const { kind, needs, words } of KIND_SIGNS) {
    const fields = new Set(fieldsFor(kind, sample).values());
    if (!needs.every((some) => some.some((field) => fields.has(field)))) continue;
    const score = fields.size + (words.some((word) => normalised(own).includes(word)) ? 3 : 0);
    if (best === null || score > best.score) best = { kind, score };
  }
  return best;
}

/**
 * By column, the field that its name means; each field once, in the order of how sure the name is. Names that need their
 * prefix taken off (`employee_first_name`) come last.
 */
function fieldsFor(kind: FactKind, { columns }: Sample): Map<string, string> {
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const prefix of ["", ...(PREFIXES[kind] ?? [])]) {
    for (const [field, names] of fieldSynonyms(kind)) {
      for (const name of names) {
        const column = [...columns.keys()].find(
          (one) =>
            !found.has(one) &&
            (normalised(one) === prefix + name ||
              normalised(one).endsWith(`.${prefix}${name}`) ||
              normalised(one).endsWith(`.${prefix}${name}.value`)),
        );
        if (column === undefined || taken.has(field)) continue;
        found.set(column, field);
        taken.add(field);
      }
    }
  }
  const columnOf = (field: string) => [...found].find(([, one]) => one === field)?.[0] ?? "";
  const manager = columnOf(PERSON_MANAGER);
  const people = new Set(columns.get(columnOf("legacyId")));
  // A name, or the id of another list
  if (!(columns.get(manager) ?? []).every((id) => people.has(id))) found.delete(manager);
  return found;
}

const json = (value: unknown) => JSON.stringify(value);

function section(kind: FactKind, sample: Sample, fields: ReadonlyMap<string, string>): string {
  const lines: string[] = [`"from": ${json(sample.name)}`];
  const { encoding, delimiter, skipLines, at } = sample.options;
  if (encoding !== null) lines.push(`"encoding": ${json(encoding)}`);
  if (delimiter !== null) lines.push(`"delimiter": ${json(delimiter)}`);
  if (skipLines > 0) lines.push(`"skipLines": ${skipLines}`);
  if (at !== null) lines.push(`"at": ${json(at)}`);
  const taken = new Set(fields.values());
  const columnLines = [...fields].map(([column, field]) => {
    const also = ALSO_FILLS[field]?.filter((other) => !taken.has(other)) ?? [];
    const target = also.length > 0 ? [field, ...also] : field;
    return `${json(column)}: ${json(target)}`;
  });
  lines.push(`"columns": {\n      ${columnLines.join(",\n      ")}\n    }`);
  const dates = [...fields].flatMap(([column, field]) => {
    const holds = cellOf(kind, field)?.holds ?? "";
    if (!/day|instant|end/.test(holds) || sample.moments.has(column)) return [];
    return [{ column, field, holds, formats: formatsOf(sample.columns.get(column) ?? []) }];
  });
  const dateLines = dates.flatMap(({ field, formats }) =>
    formats[0] === undefined ? [] : [`${json(field)}: ${json(formats[0])}`],
  );
  if (kind === "requests" && !taken.has(LEAVE.asked)) {
    const start = dates.find(({ field }) => field === LEAVE.start)?.formats[0];
    if (start !== undefined) dateLines.push(`${json(LEAVE.asked)}: ${json(start)}`);
  }
  const notes: string[] = [];
  for (const { column, formats } of dates) {
    if (formats.length > 1) notes.push(`${shown(column)} would also fit ${formats.slice(1).join(", ")}`);
    if (formats.length === 0 && (sample.columns.get(column) ?? []).length > 0)
      notes.push(`no known format fits ${shown(column)}, such as ${shown(sample.columns.get(column)![0])}`);
  }
  if (dateLines.length > 0) lines.push(`"dates": { ${dateLines.join(", ")} }`);
  if (kind === "requests") {
    const end = dates.find(({ field }) => field === LEAVE.end)?.formats[0];
    const compiled = end === undefined ? null : compiledFormat(end);
    const isDay =
      (typeof compiled === "object" && compiled?.isDayAlone) ||
      (end === undefined && sample.moments.size > 0);
    if (isDay) {
      lines.push('"endDay": "included"');
      notes.push('is the last day part of the leave ("included"), or the day of return ("excluded")?');
    }
  }
  const amounts = [...fields].filter(([, field]) => cellOf(kind, field)?.holds === "minutes");
  if (kind === "requests" && amounts.length === 0) {
    lines.push('"hoursPerDay": 8', '"workDays": "Mon-Fri"');
    notes.push("no column has an amount, so leave is counted in working days of 8 hours");
  }
  for (const [column, field] of amounts) {
    const unit = unitOf(column, sample.columns.get(column) ?? []);
    lines.push(`"units": { ${json(field)}: ${json(unit ?? "minutes")} }`);
    if (unit === null) notes.push(`what is ${shown(column)} counted in: minutes, hours or days?`);
    if ((sample.columns.get(column) ?? []).some((value) => /^-?\d+,\d+$/.test(value)))
      lines.push('"decimal": ","');
  }
  lines.push(...translations(kind, sample, fields, notes));
  const { values, missing } = missingValues(kind, taken, fields);
  if (values.length > 0) lines.push(`"values": {\n      ${values.join(",\n      ")}\n    }`);
  const rest = [...sample.columns.keys()].filter((column) => !fields.has(column));
  lines.push('"ignore": "*"');
  if (rest.length > 0) notes.push(`not used: ${rest.join(", ")}`);
  const comments = [...missing, ...notes].map((note) => `    // ${note}\n`).join("");
  return `  ${json(kind)}: {\n${comments}    ${lines.join(",\n    ")}\n  }`;
}

/** Tables for fields that have a fixed list of values: what is meant is guessed, the rest is left to fill in. */
function translations(
  kind: FactKind,
  sample: Sample,
  fields: ReadonlyMap<string, string>,
  notes: string[],
): string[] {
  const tables = [...fields].flatMap(([column, field]) => {
    const choices = cellOf(kind, field)?.choices;
    const values = [...new Set(sample.columns.get(column) ?? [])];
    if (choices === undefined || values.length === 0) return [];
    if (values.length > MAX_CHOICES) {
      notes.push(`${shown(column)} has ${values.length} different values, so is it ${field}?`);
      return [];
    }
    const pairs = values.map((value) => [value, meantChoice(value, choices)] as const);
    const unknown = pairs.filter(([, choice]) => choice === null).map(([value]) => shown(value));
    if (unknown.length > 0)
      notes.push(`${field}: what is ${unknown.join(", ")}: one of ${choices.join(", ")}, or rows to "skip"?`);
    const known = pairs.flatMap(([value, choice]) =>
      choice === null ? [] : [`${json(value)}: ${json(choice)}`],
    );
    return known.length === 0 ? [] : [`${json(field)}: { ${known.join(", ")} }`];
  });
  return tables.length === 0 ? [] : [`"translate": { ${tables.join(", ")} }`];
}

/** Values for fields that every row needs and no column has, and what to say of those that cannot be guessed. */
function missingValues(
  kind: FactKind,
  taken: ReadonlySet<string>,
  fields: ReadonlyMap<string, string>,
): { readonly values: string[]; readonly missing: string[] } {
  const values: string[] = [];
  const missing: string[] = [];
  const columnOf = (field: string) => [...fields].find(([, one]) => one === field)?.[0];
  const guesses: Readonly<Record<string, unknown>> = {
    isBusiness: false,
    type: "employee",
    status: kind === "requests" ? "approved" : "active",
  };
  const isSplit = taken.has(FULL_NAME.name);
  for (const field of requiredFields(kind)) {
    if (kind === "requests" && cellOf(kind, field)?.holds === "minutes") continue;
    if (taken.has(field) || (field === LEAVE.asked && taken.has(LEAVE.start))) continue;
    if (isSplit && FULL_NAME.parts.some((part) => part === field)) continue;
    const id = columnOf("legacyId");
    if (field === "email" && id !== undefined) values.push(`"email": ${json(`{${id}}@no-email.invalid`)}`);
    else if (field in guesses) values.push(`${json(field)}: ${json(guesses[field])}`);
    else if (kind === "adjustments" && field === "date")
      missing.push(
        'date is missing: on which day were these the amounts? Add it to values: "date": "2026-01-01"',
      );
    else missing.push(`${field} is missing: every row needs it; add it to columns or values`);
  }
  if (kind === "requests" && !taken.has("legacyId")) {
    const parts = [LEAVE.worker, LEAVE.policy, LEAVE.start].flatMap((field) => columnOf(field) ?? []);
    values.push(`"legacyId": ${json(parts.map((column) => `{${column}}`).join("|"))}`);
  }
  if (kind === "workers" && !taken.has("legacyId"))
    missing.push("legacyId is missing: which column tells people apart?");
  return { values, missing };
}

function requiredFields(kind: FactKind): string[] {
  return fieldSynonyms(kind)
    .map(([field]) => field)
    .filter((field) => cellOf(kind, field)?.isRequired ?? false)
    .concat(kind === "workers" ? ["isBusiness"] : []);
}

interface Found {
  readonly sample: Sample;
  readonly fields: ReadonlyMap<string, string>;
}

function columnFor({ fields }: Found, field: string): string | undefined {
  return [...fields].find(([, one]) => one === field)?.[0];
}

const policyColumn = (found: Found) => columnFor(found, LEAVE.policy) ?? columnFor(found, "policyId");

function policiesSection(leave: readonly Found[]): string {
  const all = leave.flatMap((found) => {
    const column = policyColumn(found);
    return column === undefined ? ["PTO"] : (found.sample.columns.get(column) ?? []);
  });
  const names = [...new Set(all)].slice(0, MAX_CHOICES);
  const rows = names.map(
    (name) => `      ${json({ legacyId: name, name, timeOffTypeName: name, schedule: "unlimited" })}`,
  );
  return `  "policies": {
    // The kinds of leave in the files. For balances, say what each grants: "schedule": "yearly" or "monthly", with
    // "minutesPerPeriod" (see docs/importing.md, Fields).
    "rows": [\n${rows.join(",\n")}\n    ],
    "values": { "paid": true, "unit": "day" }
  }`;
}

function assignmentsSection(leave: readonly Found[], people: Found): string {
  const table = ({ sample }: Found) => tableName(namedFormat(sample.name)?.stem ?? sample.name);
  const quoted = (alias: string, column: string | undefined) =>
    column === undefined
      ? "'?'"
      : column.includes(".")
        ? `${alias}."${column.split(".")[0]}" ->> '$.${column.split(".").slice(1).join(".")}'`
        : `${alias}."${column}"`;
  const start = columnFor(people, PERSON_START);
  const isWorkbookDate = start !== undefined && people.sample.moments.has(start);
  const format = isWorkbookDate
    ? "yyyy-MM-dd"
    : formatsOf(start === undefined ? [] : (people.sample.columns.get(start) ?? []))[0];
  const person = quoted("p", columnFor(people, "legacyId"));
  const selects = leave.map((found) => {
    const worker = quoted("l", columnFor(found, "workerId"));
    const column = policyColumn(found);
    const policy = column === undefined ? "'PTO'" : quoted("l", column);
    return `select ${leave.length > 1 ? "" : "distinct "}${worker} as workerId, ${policy} as policyId, ${quoted("p", start)} as assignedAt from ${table(found)} l join ${table(people)} p on ${person} = ${worker}`;
  });
  const tables = [...leave, people].map((found) => {
    const { encoding, delimiter, skipLines, at } = found.sample.options;
    const keys = { from: found.sample.name, encoding, delimiter, skipLines: skipLines || null, at };
    const given = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
    return `${json(table(found))}: ${json(given)}`;
  });
  return `  "assignments": {
    // Everybody who has a kind of leave in the files, from their first day on.
    "tables": { ${tables.join(", ")} },
    "query": ${json(selects.join(" union "))}${format === undefined ? "" : `,\n    "dates": ${json(format)}`}
  }`;
}
