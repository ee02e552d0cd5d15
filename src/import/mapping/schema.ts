// The mapping file of a foreign export: what it may say (docs/importing.md, Mappings).
import { z } from "zod";
import { FACT_KINDS, type FactKind } from "../../store/tables.ts";
import { isTimeZone } from "../../time/zone.ts";
import { compiledFormat } from "./dates.ts";

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

export const kindMappingSchema = z.strictObject({
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

export const mappingSchema = z.strictObject(
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

/** The fields that a column of a mapping fills. */
export function fieldsOf(target: string | readonly string[]): readonly string[] {
  return typeof target === "string" ? [target] : target;
}

/** The format of a field's dates, where the mapping names one. */
export function dateFormatOf(mapping: KindMapping, field: string): string | undefined {
  return typeof mapping.dates === "string" ? mapping.dates : mapping.dates?.[field];
}
