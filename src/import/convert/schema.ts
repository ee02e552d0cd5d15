// The schema of mappings (docs/mapping.md). A kind has one or more sources. Editors get it as a JSON Schema.
import { z } from "zod";
import { workDays } from "../../resources/balance-cells.ts";
import { KINDS, type Kind } from "../../resources/kinds.ts";
import { cellOf, FILE_FIELDS } from "../../resources/registry.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { isTimeZone } from "../../time/zone.ts";
import { completeSchema } from "./complete.ts";
import { compiledFormat, isLocale } from "./dates.ts";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "is not text, a number, true, false or null",
});

const nonEmpty = z.string().min(1, { error: "is empty" });

const oneOrSeveral = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
  error: "is neither a name nor a list of names",
});

const dateFormat = z.string().superRefine((format, context) => {
  const compiled = compiledFormat(format);
  if (typeof compiled === "string") context.addIssue({ code: "custom", message: compiled });
});

const dateFormats = z.union([dateFormat, z.array(dateFormat).min(1)], { error: datesError });

const hoursInDay = z
  .number({ error: "is not a number of hours" })
  .refine((hours) => hours > 0 && hours <= 24, { error: "is not above 0 and at most 24 hours" });

const unit = z.union(
  [
    z.enum(["minutes", "hours", "days", "HH:mm"]),
    z.strictObject({ days: hoursInDay }),
    z.strictObject({ column: z.string().min(1), days: hoursInDay.optional() }),
  ],
  {
    error:
      'is not "minutes", "hours", "days" (of 8 hours), "HH:mm", {"days": hours in a day} or {"column": "the column with the unit of each row"}',
  },
);

export type Unit = z.output<typeof unit>;

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

const fileKeys = {
  encoding: encoding.optional(),
  delimiter: z
    .string()
    .refine((text) => text.length === 1 && !/["\r\n]/.test(text), {
      error: 'is not one character such as ";"',
    })
    .optional(),
  skipLines: z
    .int({ error: "is not a whole number of lines" })
    .min(0, { error: "is below 0" })
    .max(1000, { error: "is more than 1000 lines" })
    .optional(),
  headerRows: z
    .literal([1, 2], { error: "is not 1 or 2: the names of columns, and those of groups above them" })
    .optional(),
  sheet: oneOrSeveral.optional(),
  at: nonEmpty.optional(),
  take: z.literal("last", { error: 'is not "last"' }).optional(),
};

const exampleError = (example: string) => ({ error: `is not an object such as ${example}` });

const skip = z.record(
  z.string(),
  z.union([scalar, z.array(scalar)], { error: "is neither a value nor a list of values" }),
  exampleError('{"Status": ["Cancelled"]}'),
);

const tableFiles = z.union(
  [
    oneOrSeveral,
    z.strictObject({
      from: oneOrSeveral,
      ...fileKeys,
      skip: skip.optional(),
      optional: z.literal(true, { error: "is not true" }).optional(),
      columns: z.array(nonEmpty, { error: "is not a list of columns" }).optional(),
    }),
  ],
  {
    error:
      'is neither a file, a list of files, nor an object such as {"from": "Leave_*.csv", "skipLines": 3}',
  },
);

export const tablesSchema = z.record(z.string(), tableFiles, exampleError('{"leave": "Leave_*.csv"}'));

const sourceKeys = {
  from: oneOrSeveral.optional(),
  rows: z.array(z.record(z.string(), z.unknown()), { error: "is not a list of rows" }).optional(),
  query: z
    .union([z.string().min(1), z.strictObject({ file: z.string().min(1) })], {
      error: 'is neither SQL nor {"file": "workers.sql"}',
    })
    .optional(),
  tables: tablesSchema.optional(),
  ...fileKeys,
  columns: z.record(z.string(), oneOrSeveral, exampleError('{"Surname": "lastName"}')).optional(),
  values: z
    .record(
      z.string(),
      z.union([scalar, z.array(scalar).min(1)], {
        error: "is not text, a number, true, false, null, or a list of these",
      }),
      exampleError('{"type": "employee"}'),
    )
    .optional(),
  translate: z
    .record(
      z.string(),
      z.record(z.string(), scalar, exampleError('{"A": "active"}')),
      exampleError('{"status": {"A": "active"}}'),
    )
    .optional(),
  dates: z.union([dateFormats, z.record(z.string(), dateFormats)], { error: datesError }).optional(),
  locale: z
    .string()
    .refine(isLocale, { error: "is not a language with names of months, such as de or fr-CA" })
    .optional(),
  endDay: z.enum(["included", "excluded"], { error: 'is neither "included" nor "excluded"' }).optional(),
  zone: zone.optional(),
  units: z.record(z.string(), unit, exampleError('{"requestedMinutes": "hours"}')).optional(),
  decimal: z.enum([",", "."], { error: 'is neither "," nor "."' }).optional(),
  negate: z.array(z.string(), { error: "is not a list of fields" }).min(1).optional(),
  hoursPerDay: hoursInDay.optional(),
  workDays: z
    .string()
    .refine((text) => typeof workDays.read(text) === "number", {
      error: "is not days such as Mon-Fri or Mon,Tue,Thu",
    })
    .optional(),
  skip: skip.optional(),
  complete: completeSchema.optional(),
  changes: z.literal("nextPeriod", { error: 'is not "nextPeriod"' }).optional(),
  was: z.record(z.string(), nonEmpty).optional(),
  /** Turns columns into rows. `columns`: their names or a pattern. `as`: the column for their names. `to`: the column for their cells. */
  unpivot: z.strictObject({ columns: oneOrSeveral, as: nonEmpty, to: nonEmpty.default("value") }).optional(),
  ignore: z
    .union([z.literal("*"), z.array(z.string())], { error: 'is neither a list of columns nor "*"' })
    .optional(),
};

export const sourceSchema = z.strictObject(sourceKeys, exampleError('{"from": "people.csv"}'));

/** Where the rows of a kind come from, and how they become import rows. */
export type SourceMapping = Omit<z.output<typeof sourceSchema>, "query"> & {
  /** SQL, or a file with it. */
  readonly query?: string | { readonly file: string; readonly sql?: string } | undefined;
};
export type Unpivot = NonNullable<SourceMapping["unpivot"]>;
export type FileKeys = Pick<SourceMapping, keyof typeof fileKeys>;
export type Tables = z.output<typeof tablesSchema>;

/** The keys of a mapping besides the kinds. */
export const MAPPING_KEYS = ["$schema", "extends", "tables"] as const;

/** A source of a mapping. */
export interface NamedMapping {
  /** The mapping's name, for messages. */
  readonly label: string;
  /** The source's path in the mapping, such as `workers` or `workers[1]`. */
  readonly path: string;
  readonly mapping: SourceMapping;
}

/** A mapping that was read and checked. */
export interface LoadedMapping {
  /** Whether it is a preset. The files of a preset have fixed names. */
  readonly isPreset: boolean;
  readonly label: string;
  readonly sources: ReadonlyMap<Kind, readonly NamedMapping[]>;
  readonly tables: Tables;
}

function datesError(issue: { input?: unknown }): string {
  const formats = Array.isArray(issue.input) ? issue.input : [issue.input];
  for (const format of formats) {
    const compiled = typeof format === "string" ? compiledFormat(format) : null;
    if (typeof compiled === "string")
      return formats.length > 1 ? `${JSON.stringify(format)} ${compiled}` : compiled;
  }
  return "is neither a format such as dd/MM/yyyy, a list of formats, nor an object of field and format";
}

/** A list that a mapping may also write as a single text. */
export function asList(given: string | readonly string[]): readonly string[] {
  return typeof given === "string" ? [given] : given;
}

/** The formats of a field's dates, in the order in which they are tried; empty if the mapping names none. */
export function dateFormatsOf({ dates }: SourceMapping, field: string): readonly string[] {
  const formats = typeof dates === "object" && !Array.isArray(dates) ? dates[field] : dates;
  return formats === undefined ? [] : asList(formats);
}

/** The fields of a kind that a mapping can fill. For workers also the whole name, which fills two fields. */
export function mappableFields(kind: Kind): readonly string[] {
  return kind === "workers" ? [...FILE_FIELDS.workers, FULL_NAME.name] : FILE_FIELDS[kind];
}

// The JSON Schema of mappings, so that editors can complete and check them.

type Schema = Record<string, unknown>;

/** The JSON Schema, draft 2020-12. It lists the fields of each kind. */
export function mappingJsonSchema(): Schema {
  const options = { io: "input", unrepresentable: "any", reused: "inline" } as const;
  const { $schema: dialect, ...source } = z.toJSONSchema(sourceSchema, options);
  const { $schema: _, ...tables } = z.toJSONSchema(tablesSchema, options);
  const definitions = Object.fromEntries(
    KINDS.map((kind) => [kind, kindSchema(kind, source as unknown as Schema)]), // the schema of an object
  );
  const kinds = KINDS.map((kind) => {
    const source = { $ref: `#/$defs/${kind}` };
    return [kind, { oneOf: [source, { type: "array", items: source, minItems: 1 }, { type: "null" }] }];
  });
  return {
    $schema: dialect,
    title: "Rollcall mapping",
    description: "How files of another system become the rows of a company: docs/mapping.md",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      extends: {
        type: "string",
        description: "A preset or a mapping beside this one, which this one extends",
      },
      tables,
      ...Object.fromEntries(kinds),
    },
    $defs: definitions,
  };
}

function kindSchema(kind: Kind, source: Schema): Schema {
  const fields = mappableFields(kind);
  const properties = { ...(source.properties as Record<string, Schema>) }; // the schema of an object has them
  const field = { enum: fields };
  /** A schema of an object whose keys are the fields of the kind. */
  const byField = (schema: Schema, schemaOf: (field: string) => unknown) => ({
    ...schema,
    additionalProperties: false,
    propertyNames: undefined,
    properties: Object.fromEntries(fields.map((name) => [name, schemaOf(name)])),
  });
  const choicesOf = (name: string) => {
    const choices = cellOf(kind, name)?.choices;
    return choices === undefined ? {} : { enum: [...choices, null] };
  };
  const valueSchema = properties.values!.additionalProperties;
  return {
    ...source,
    properties: {
      ...properties,
      columns: {
        ...properties.columns,
        additionalProperties: { oneOf: [field, { type: "array", items: field, minItems: 1 }] },
      },
      values: byField(properties.values!, () => valueSchema),
      translate: byField(properties.translate!, (name) => ({
        type: "object",
        additionalProperties: choicesOf(name),
      })),
      negate: { type: "array", items: field },
    },
  };
}
