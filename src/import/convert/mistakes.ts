// Mistakes in a mapping: unknown fields, values that no row can have, and keys that contradict each other.
import { didYouMean } from "../../resources/cells.ts";
import { isNamedKind, type Kind } from "../../resources/kinds.ts";
import { cellOf, problemOf, readImportRow } from "../../resources/registry.ts";
import { LEAVE_SPAN } from "../../resources/requests.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { namedFormat } from "../read/files.ts";
import { JsonRecords } from "../read/json-record.ts";
import type { Cell } from "../read/records.ts";
import { shown } from "../row-errors.ts";
import { Columns, columnsNeeded, fieldsOfColumn, ignoredByName, skipRules } from "./columns.ts";
import { dayColumnsOf } from "./complete.ts";
import { ambiguousDate, compiledFormat, SERIALS } from "./dates.ts";
import { asList, dateFormatsOf, mappableFields, type NamedMapping, type SourceMapping } from "./schema.ts";
import { conversionOf, fixedValue, templateOf } from "./values.ts";

/** Every mistake of a source, with its path in the mapping. */
export function sourceMistakes(kind: Kind, source: NamedMapping): string[] {
  const { label, path, mapping } = source;
  const mistakes = [
    ...originMistakes(mapping),
    ...fieldMistakes(kind, mapping),
    ...templateMistakes(mapping),
    ...formatMistakes(mapping),
    ...completeMistakes(kind, mapping),
    ...(mapping.changes !== undefined && kind !== "policies" ? ["changes: is for policies alone"] : []),
    ...(mapping.was !== undefined && !isNamedKind(kind) ? [`was: ${kind} have no legacyId`] : []),
  ];
  if (mistakes.length === 0)
    mistakes.push(...valueMistakes(kind, mapping), ...localTimeMistakes(kind, mapping));
  if (mistakes.length === 0) mistakes.push(...rowMistakes(kind, source));
  return mistakes.map((text) => `${label}: ${path}${/^[.:[]/.test(text) ? "" : "."}${text}`);
}

/** Mistakes of the keys that say where rows come from: one of three, each with its own keys. */
function originMistakes(mapping: SourceMapping): string[] {
  const origins = (["from", "rows", "query"] as const).filter((key) => mapping[key] !== undefined);
  const mistakes: string[] = [];
  if (origins.length === 0)
    mistakes.push(': has no "from" (a file), "query" (SQL over the files) or "rows" (the rows themselves)');
  if (origins.length > 1)
    mistakes.push(`: has ${origins.map((key) => `"${key}"`).join(" and ")}: a source has only one of them`);
  const isFile = mapping.from !== undefined;
  if (mapping.take !== undefined && !isFile) mistakes.push('take: is for "from" alone');
  if (mapping.unpivot !== undefined && mapping.rows !== undefined)
    mistakes.push("unpivot: is for files and queries");
  if (mapping.tables !== undefined && mapping.query === undefined)
    mistakes.push('tables: is for "query" alone');
  const reading = (["encoding", "delimiter", "skipLines", "headerRows", "sheet", "at"] as const).filter(
    (key) => mapping[key] !== undefined,
  );
  if (mapping.rows !== undefined)
    mistakes.push(...reading.map((key) => `${key}: is for files, and this source has its own rows`));
  return mistakes;
}

/** Unknown fields, and fields that cannot have this key. */
function fieldMistakes(kind: Kind, mapping: SourceMapping): string[] {
  const { columns = {}, values = {}, translate = {}, dates, units = {}, negate = [] } = mapping;
  const fields = mappableFields(kind);
  const holding = (...contents: readonly string[]) =>
    fields.filter((field) => contents.includes(cellOf(kind, field)?.holds ?? ""));
  const unknown = (path: string, named: readonly string[], among = fields, what = `a field of ${kind}`) =>
    named
      .filter((field) => !among.includes(field))
      .map((field) => `${path}: ${shown(field)} is not ${what}${didYouMean(field, among)}`);
  const ofColumns = Object.entries(columns).flatMap(([column, target]) =>
    asList(target).flatMap((field) =>
      fields.includes(column) && !fields.includes(field)
        ? `columns.${column}: write the file's column first and then our field, but ${shown(field)} is not a field of ${kind}. Did you mean ${shown(field)}: ${shown(column)}?`
        : unknown(`columns.${column}`, [field]),
    ),
  );
  const datesByField = typeof dates === "object" && !Array.isArray(dates) ? Object.keys(dates) : [];
  const days = holding("day", "instant", "local instant", "local end");
  return [
    ...ofColumns,
    ...unknown("values", Object.keys(values)),
    ...takenTwice(mapping),
    ...unknown("translate", Object.keys(translate)),
    ...unknown("dates", datesByField, days, `a date or date-time of ${kind}`),
    ...unknown("units", Object.keys(units), holding("minutes"), `an amount of minutes of ${kind}`),
    ...unknown("negate", negate, holding("minutes", "number"), `a number of ${kind}`),
  ];
}

/** Fields that come from two places, and columns that are read and ignored. */
function takenTwice(mapping: SourceMapping): string[] {
  const { columns = {}, values = {} } = mapping;
  const mistakes: string[] = [];
  const takenFrom = new Map<string, string>();
  const note = (path: string, field: string) => {
    if (takenFrom.has(field))
      mistakes.push(`${path}: ${field} is already taken from the column ${shown(takenFrom.get(field)!)}`);
  };
  for (const [column, target] of Object.entries(columns))
    for (const field of asList(target)) {
      note(`columns.${column}`, field);
      takenFrom.set(field, column);
    }
  for (const field of Object.keys(values)) note("values", field);
  const isGiven = (field: string) => takenFrom.has(field) || values[field] !== undefined;
  for (const field of FULL_NAME.parts)
    if (isGiven(FULL_NAME.name) && isGiven(field))
      mistakes.push(`columns: ${field} is part of ${FULL_NAME.name}: remove one of them`);
  for (const column of ignoredByName(mapping))
    if (mapping.columns !== undefined && fieldsOfColumn(mapping, column) !== null)
      mistakes.push(`ignore: ${shown(column)} is in columns too: remove it from one of them`);
  return mistakes;
}

/** Invalid templates, lists of different lengths, and questions. */
function templateMistakes(mapping: SourceMapping): string[] {
  const mistakes = skipRules(mapping)
    .filter(({ values }) => values.has("?"))
    .map(({ name }) => `skip.${name}: "?" is an unanswered question`);
  const lengths = new Map<number, string>();
  for (const [field, value] of Object.entries(mapping.values ?? {})) {
    if (Array.isArray(value)) lengths.set(value.length, field);
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === "?") mistakes.push(`values.${field}: "?" is an unanswered question`);
      try {
        templateOf(item);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        mistakes.push(`values.${field}: ${shown(item)} ${error.message}`);
      }
    }
  }
  if (lengths.size > 1) {
    const lists = [...lengths].map(([length, field]) => `${field} has ${length}`).join(", ");
    mistakes.push(`values: lists make one row per element, so they must be equally long, but ${lists}`);
  }
  return mistakes;
}

/** Formats that do not fit the mapping's language, and lists that read one column in two orders of day and month. */
function formatMistakes(mapping: SourceMapping): string[] {
  const { dates, locale } = mapping;
  if (dates === undefined) return [];
  const lists = typeof dates === "object" && !Array.isArray(dates) ? Object.values(dates) : [dates];
  const wrong = lists.flatMap(asList).flatMap((format) => {
    const problem = locale === undefined ? null : compiledFormat(format, locale);
    return typeof problem === "string" ? [`dates: ${shown(format)} ${problem}`] : [];
  });
  const unclear = lists.map(asList).flatMap((list) =>
    list.flatMap((item, at) =>
      list.slice(at + 1).flatMap((other) => {
        const date = ambiguousDate(item, other) ?? ambiguousDate(other, item);
        return date === null
          ? []
          : [
              `dates: ${shown(item)} and ${shown(other)} read ${shown(date)} as two different days: a column has one order of day and month`,
            ];
      }),
    ),
  );
  return [...wrong, ...unclear];
}

function completeMistakes(kind: Kind, { complete }: SourceMapping): string[] {
  if (complete === undefined || dayColumnsOf(kind) !== null) return [];
  const { updatedSince, ...byDay } = complete;
  return Object.keys(byDay).map((key) => `complete.${key}: ${kind} have no days`);
}

/** Fixed values and translations that no row can have. */
function valueMistakes(kind: Kind, mapping: SourceMapping): string[] {
  const fields = mappableFields(kind).filter((field) => field !== FULL_NAME.name);
  const mistake = (path: string, field: string, value: Cell, taken: Cell) => {
    const problem = problemOf(kind, field, taken) ?? (value === "?" ? "is an unanswered question" : null);
    if (problem === null) return [];
    return [
      value === null || value === ""
        ? `${path}: is empty, but every row needs ${field}`
        : `${path}: ${shown(value)} ${problem}`,
    ];
  };
  const of = (table: Readonly<Record<string, unknown>> | undefined) =>
    fields.filter((field) => Object.hasOwn(table ?? {}, field));
  const fixed = of(mapping.values).flatMap((field) => {
    const value = mapping.values![field]!;
    const list = Array.isArray(value) ? value : [value];
    return list.flatMap((item, at) => {
      if (templateOf(item) !== null) return [];
      const path = Array.isArray(value) ? `values.${field}[${at}]` : `values.${field}`;
      return mistake(path, field, item, fixedValue(item));
    });
  });
  const translated = of(mapping.translate).flatMap((field) => {
    const convert = conversionOf(kind, mapping, field);
    return Object.entries(mapping.translate![field]!).flatMap(([from, value]) =>
      mistake(`translate.${field}.${from}`, field, value, convert === null ? value : convert(value, "hours")),
    );
  });
  return [...fixed, ...translated];
}

/** Mistakes of the keys for days and times of leave. Whether leave lasts through its end day is never guessed. */
function localTimeMistakes(kind: Kind, mapping: SourceMapping): string[] {
  const { columns, endDay } = mapping;
  if (kind !== "requests") {
    return (["endDay", "zone", "hoursPerDay", "workDays"] as const)
      .filter((key) => mapping[key] !== undefined && !(key === "hoursPerDay" && mapping.units !== undefined))
      .map((key) => `${key}: is only for requests`);
  }
  if (mapping.workDays !== undefined && mapping.hoursPerDay === undefined)
    return ["workDays: says which days count, but hoursPerDay is missing"];
  const { end } = LEAVE_SPAN;
  const isTaken =
    columns === undefined ||
    Object.values(columns).some((to) => asList(to).includes(end)) ||
    mapping.values?.[end] !== undefined;
  const formats = isTaken ? dateFormatsOf(mapping, end) : [];
  const isDayAlone = formats
    .map((format) => compiledFormat(format, mapping.locale))
    .map((format) => typeof format === "object" && format.isDayAlone);
  if (isDayAlone.includes(true) && endDay === undefined) {
    return [
      `endDay: is missing, but ${end} is a day alone (${formats[isDayAlone.indexOf(true)]}): say "included" if leave lasts through that day, "excluded" if it ends when that day begins`,
    ];
  }
  const hasNoFormats = formats.length === 0 && dateFormatsOf(mapping, LEAVE_SPAN.start).length === 0;
  // Ends that are workbook dates need no format, even if some starts are text.
  const mayBeDates =
    formats.includes(SERIALS) ||
    (formats.length === 0 &&
      [mapping.from].flat().some((name) => namedFormat(name ?? "")?.format === "xlsx"));
  if (!isDayAlone.includes(true) && endDay !== undefined && !((hasNoFormats || mayBeDates) && isTaken)) {
    return [
      `endDay: is for an ${end} that is a day alone: name such a format in dates, as dd/MM/yyyy (or dd/MM/yyyy '00:00' for a time that means nothing)`,
    ];
  }
  return [];
}

/** Mistakes of rows in the mapping itself. */
function rowMistakes(kind: Kind, source: NamedMapping): string[] {
  const { rows } = source.mapping;
  if (rows === undefined || rows.length === 0) return [];
  const columns = new Columns(kind, source);
  const records = new JsonRecords(columnsNeeded(source.mapping).map(({ column }) => column));
  const read = rows.map((row, at) => records.recordOf(at, row));
  const wrong = [...columns.extend(records.header), ...columns.missing()].map((text) => `rows: ${text}`);
  if (wrong.length > 0) return wrong;
  return read.flatMap(({ cells }, at) => {
    const written = columns.written(cells);
    return columns.rows(cells).flatMap((row, element) =>
      readImportRow(kind, row).problems.map(({ field, message }) => {
        const cell = written[element]![field];
        return `rows[${at}].${field}: ${cell === null || cell === "" || cell === undefined ? "" : `${shown(cell)} `}${message}`;
      }),
    );
  });
}
