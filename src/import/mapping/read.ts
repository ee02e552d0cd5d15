// Reading a mapping file: every mistake in it is told in words, with its path, before any row is read.
import { readFile, stat } from "node:fs/promises";
import type { z } from "zod";
import { didYouMean } from "../../resources/cells.ts";
import { cellOf, FILE_FIELDS, problemOf } from "../../resources/registry.ts";
import { FACT_KINDS, type FactKind } from "../../store/tables.ts";
import { ImportRefused, shown } from "../row-errors.ts";
import type { Cell } from "../source/records.ts";
import { conversionOf, fieldsOfColumn, ignoredByName } from "./columns.ts";
import { compiledFormat } from "./dates.ts";
import {
  dateFormatOf,
  fieldsOf,
  type KindMapping,
  kindMappingSchema,
  type Mapping,
  mappingSchema,
} from "./schema.ts";

/** No mapping that a person wrote is near it. */
const MAX_BYTES = 1_048_576;

/** Reads a mapping. Raises ImportRefused with every mistake, each with its path in the file. `label` names the file. */
export async function readMapping(path: string, label: string): Promise<Mapping> {
  const file = await stat(path);
  if (!file.isFile()) throw new ImportRefused([`${label}: is not a file`]);
  if (file.size > MAX_BYTES)
    throw new ImportRefused([`${label}: is larger than 1 MB: a mapping is a page of JSON. Is it the data?`]);
  let content: unknown;
  try {
    content = JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    throw new ImportRefused([`${label}: is not valid JSON: ${error.message}`]);
  }
  const parsed = mappingSchema.safeParse(content, { reportInput: true });
  if (!parsed.success)
    throw new ImportRefused(parsed.error.issues.flatMap((issue) => issueText(label, issue)));
  const mapping = Object.fromEntries(
    Object.entries(parsed.data).filter(([, value]) => value !== undefined),
  ) as Mapping; // as parsed
  const mistakes = FACT_KINDS.flatMap((kind) => {
    const kindMapping = mapping[kind];
    return kindMapping === undefined
      ? []
      : fieldMistakes(kind, kindMapping).map((text) => `${label}: ${kind}.${text}`);
  });
  if (Object.keys(mapping).length === 0)
    mistakes.push(`${label}: maps nothing: name at least one of ${FACT_KINDS.join(", ")}`);
  if (mistakes.length > 0) throw new ImportRefused(mistakes);
  return mapping;
}

function issueText(label: string, issue: z.core.$ZodIssue): string[] {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const known: readonly string[] =
      issue.path.length === 0 ? FACT_KINDS : Object.keys(kindMappingSchema.shape);
    const where = path === "" ? "" : `${path}: `;
    return issue.keys.map(
      (key) => `${label}: ${where}${shown(key)} is not one of ${known.join(", ")}${didYouMean(key, known)}`,
    );
  }
  const isMissing = issue.code !== "custom" && issue.input === undefined;
  const value = typeof issue.input === "object" || isMissing ? "" : `${shown(issue.input)} `;
  const message = isMissing ? "is missing" : issue.code === "invalid_type" ? notOfType(issue) : issue.message;
  return [`${label}: ${path === "" ? "" : `${path}: `}${value}${message}`];
}

/** What an object of the mapping looks like, by the key that holds it. */
const EXAMPLES: Readonly<Record<string, string>> = {
  columns: '{"Surname": "lastName"}',
  values: '{"type": "employee"}',
  translate: '{"status": {"A": "active"}}',
  units: '{"requestedMinutes": "hours"}',
  skip: '{"Status": ["Cancelled"]}',
};

function notOfType({ path, expected }: z.core.$ZodIssueInvalidType): string {
  if (expected === "string") return "is not text";
  if (expected !== "object" && expected !== "record") return `is not of type ${expected}`;
  const [kind, key, ...rest] = path.map(String);
  const example =
    kind === undefined
      ? '{"workers": {"from": "people.csv"}}'
      : key === undefined
        ? '{"from": "people.csv"}'
        : rest.length > 0
          ? '{"A": "active"}'
          : EXAMPLES[key];
  return `is not an object such as ${example ?? "{ }"}`;
}

/** Mistakes that concern the fields of the kind, each with its path below the kind. */
function fieldMistakes(kind: FactKind, mapping: KindMapping): string[] {
  const fields = FILE_FIELDS[kind];
  const holding = (...contents: readonly string[]) =>
    fields.filter((field) => contents.includes(cellOf(kind, field)!.holds));
  const mistakes: string[] = [];
  const fedBy = new Map<string, string>();
  const check = (path: string, field: string, among = fields, what = `a field of ${kind}`) => {
    if (!among.includes(field))
      mistakes.push(`${path}: ${shown(field)} is not ${what}${didYouMean(field, among)}`);
  };
  for (const [column, target] of Object.entries(mapping.columns ?? {})) {
    for (const field of fieldsOf(target)) {
      const isReversed = !fields.includes(field) && fields.includes(column);
      if (isReversed) {
        mistakes.push(
          `columns.${column}: columns are written theirs: ours, and ${shown(field)} is not a field of ${kind}. Is it the other way round, ${shown(field)}: ${shown(column)}?`,
        );
      } else check(`columns.${column}`, field);
      const other = fedBy.get(field);
      if (other !== undefined)
        mistakes.push(`columns.${column}: ${field} is already taken from the column ${shown(other)}`);
      fedBy.set(field, column);
    }
  }
  for (const field of Object.keys(mapping.values ?? {})) {
    check("values", field);
    if (fedBy.has(field))
      mistakes.push(`values: ${field} is already taken from the column ${shown(fedBy.get(field)!)}`);
  }
  for (const field of Object.keys(mapping.translate ?? {})) check("translate", field);
  for (const column of ignoredByName(mapping)) {
    if (mapping.columns !== undefined && fieldsOfColumn(mapping, column) !== null)
      mistakes.push(`ignore: ${shown(column)} is in columns too: take it out of one of them`);
  }
  if (typeof mapping.dates === "object") {
    const dates = holding("day", "instant", "local instant");
    for (const field of Object.keys(mapping.dates))
      check("dates", field, dates, `a date or date-time of ${kind}`);
  }
  const amounts = holding("minutes");
  for (const field of Object.keys(mapping.units ?? {}))
    check("units", field, amounts, `an amount of minutes of ${kind}`);
  return [...mistakes, ...valueMistakes(kind, mapping), ...localTimeMistakes(kind, mapping)];
}

/** Fixed values, and what cells are translated to, that no row could have. */
function valueMistakes(kind: FactKind, mapping: KindMapping): string[] {
  const fields = FILE_FIELDS[kind];
  const mistake = (path: string, field: string, value: Cell, taken: Cell) => {
    const problem = problemOf(kind, field, taken);
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
    return mistake(`values.${field}`, field, value, value);
  });
  const translated = of(mapping.translate).flatMap((field) => {
    const convert = conversionOf(kind, mapping, field) ?? ((cell: Cell) => cell);
    return Object.entries(mapping.translate![field]!).flatMap(([from, value]) =>
      mistake(`translate.${field}.${from}`, field, value, convert(value)),
    );
  });
  return [...fixed, ...translated];
}

/** Mistakes of the keys that say where and when local dates are; whether leave lasts through its end day is never guessed. */
function localTimeMistakes(kind: FactKind, mapping: KindMapping): string[] {
  const { columns, endDay } = mapping;
  if (kind !== "requests") {
    return (["endDay", "zone"] as const)
      .filter((key) => mapping[key] !== undefined)
      .map((key) => `${key}: is for requests alone`);
  }
  const isTaken =
    columns === undefined || Object.values(columns).some((to) => fieldsOf(to).includes("endAt"));
  const format = isTaken ? dateFormatOf(mapping, "endAt") : undefined;
  const compiled = format === undefined ? undefined : compiledFormat(format);
  const isDayAlone = typeof compiled === "object" && compiled.isDayAlone;
  if (isDayAlone && endDay === undefined) {
    return [
      `endDay: is missing, but endAt is a day alone (${format}): say "included" if leave lasts through that day, "excluded" if it ends when that day begins`,
    ];
  }
  if (!isDayAlone && endDay !== undefined) {
    return [
      "endDay: is for an endAt that is a day alone: name such a format in dates, as dd/MM/yyyy (or dd/MM/yyyy '00:00' for a time that means nothing)",
    ];
  }
  return [];
}
