// The mapping file of a foreign export: what it may say, and its mistakes in words (docs/importing.md, Mappings).
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { isTimeZone } from "../../balances/zones.ts";
import { FACT_KINDS, type FactKind } from "../../store/tables.ts";
import { ImportRefused, shown } from "../bad-rows.ts";
import { KINDS } from "../facts/facts.ts";
import { didYouMean } from "../suggest.ts";
import { compiledFormat, DATE_FIELDS } from "./dates.ts";
import { MINUTE_FIELDS } from "./units.ts";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "is not text, a number, true, false or null",
});

const oneOrSeveral = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
  error: "is neither a name nor a list of names",
});

const dateFormat = z.string().superRefine((format, context) => {
  const compiled = compiledFormat(format);
  if (typeof compiled === "string") context.addIssue({ code: "custom", message: compiled });
});

const unit = z.union(
  [z.enum(["minutes", "hours", "days"]), z.strictObject({ days: z.number().positive().max(24) })],
  {
    error: 'is not "minutes", "hours", "days" (of 8 hours) or {"days": hours in a day}',
  },
);

const encoding = z.string().refine(
  (label) => {
    try {
      return new TextDecoder(label).encoding !== "";
    } catch {
      return false;
    }
  },
  { error: "is not an encoding such as utf-8, windows-1252 or utf-16le" },
);

const zone = z.string().refine(isTimeZone, {
  error: "is not a time zone of the IANA database, such as Europe/Berlin or UTC",
});

const kindMappingSchema = z.strictObject({
  from: oneOrSeveral,
  columns: z.record(z.string(), oneOrSeveral).optional(),
  values: z.record(z.string(), scalar).optional(),
  translate: z.record(z.string(), z.record(z.string(), scalar)).optional(),
  dates: z.union([dateFormat, z.record(z.string(), dateFormat)], { error: badDates }).optional(),
  endDay: z.enum(["included", "excluded"], { error: 'is neither "included" nor "excluded"' }).optional(),
  zone: zone.optional(),
  units: z.record(z.string(), unit).optional(),
  decimal: z.enum([",", "."], { error: 'is neither "," nor "."' }).optional(),
  delimiter: z
    .string()
    .refine((text) => text.length === 1 && !/["\r\n]/.test(text), {
      error: 'is not one character such as ";"',
    })
    .optional(),
  encoding: encoding.optional(),
  skip: z.record(z.string(), z.union([scalar, z.array(scalar)])).optional(),
  ignore: z
    .union([z.literal("*"), z.array(z.string())], { error: 'is neither a list of columns nor "*"' })
    .optional(),
});

/** How one kind of facts comes out of a foreign file. */
export type KindMapping = z.output<typeof kindMappingSchema>;
export type Mapping = Partial<Record<FactKind, KindMapping>>;

const mappingSchema = z.strictObject(
  Object.fromEntries(FACT_KINDS.map((kind) => [kind, kindMappingSchema.optional()])) as Record<
    FactKind,
    z.ZodOptional<typeof kindMappingSchema>
  >, // one entry per kind
);

function badDates(issue: { input?: unknown }): string {
  const found = typeof issue.input === "string" ? compiledFormat(issue.input) : null;
  return typeof found === "string"
    ? found
    : "is neither a format such as dd/MM/yyyy nor an object of field and format";
}

/** The fields that a column of a mapping feeds. */
export function fieldsOf(target: string | readonly string[]): readonly string[] {
  return typeof target === "string" ? [target] : target;
}

/** The format of a field's dates, where the mapping names one. */
export function dateFormatOf(mapping: KindMapping, field: string): string | undefined {
  return typeof mapping.dates === "string" ? mapping.dates : mapping.dates?.[field];
}

/** Reads a mapping. Raises ImportRefused with every mistake, each with its path in the file. `label` names the file. */
export async function readMapping(path: string, label: string): Promise<Mapping> {
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
  const { fields } = KINDS[kind];
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
  if (typeof mapping.dates === "object") {
    const dates = fields.filter((field) => field in DATE_FIELDS);
    for (const field of Object.keys(mapping.dates))
      check("dates", field, dates, `a date or date-time of ${kind}`);
  }
  const amounts = fields.filter((field) => MINUTE_FIELDS.has(field));
  for (const field of Object.keys(mapping.units ?? {}))
    check("units", field, amounts, `an amount of minutes of ${kind}`);
  return [...mistakes, ...localTimeMistakes(kind, mapping)];
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
