// The company of a key, and the age of its data.
import { z } from "zod";
import { dateTimeSchema, timeZoneSchema } from "./cells.ts";
import { known } from "./query.ts";
import {
  type ColumnType,
  type EndpointContract,
  onWire,
  routePattern,
  type Wire,
  wireSchema,
} from "./resource.ts";

/** The colours of the page for types of time off. */
export const COLORS = ["violet", "amber", "rose", "grey", "blue", "olive", "plum", "teal"] as const;
export type Color = (typeof COLORS)[number];

export const company = {
  schemaName: "Company",
  description: "A company, and how old its data is.",
  fields: {
    id: { wire: z.string().meta({ example: "acme" }) },
    name: { wire: z.string().meta({ example: "Acme Ltd" }) },
    timeZone: onWire(
      timeZoneSchema.nullable(),
      "The time zone of workers without one; null for UTC.",
      "Europe/Lisbon",
    ),
    colors: onWire(
      z.record(z.string(), z.enum(COLORS)),
      "The colours that the operator chose for types of time off, by `timeOffTypeId`.",
      { tot_6h3k9d2m7q4r8s1v5w0x: "blue" },
    ),
    dataAsOf: onWire(
      dateTimeSchema.nullable(),
      "When the last successful import ended, even if it changed nothing; null before the first.",
      "2026-03-01T05:00:12.345Z",
    ),
    changedAt: onWire(
      dateTimeSchema.nullable(),
      "When an import last changed something; null before the first that did.",
      "2026-02-28T05:00:11.002Z",
    ),
    knownSince: onWire(
      dateTimeSchema.nullable(),
      "The earliest moment that `knownOn` accepts now; null if there is no history.",
      "2024-02-01T05:00:09.870Z",
    ),
  },
};

export type CompanyObject = Wire<typeof company.fields>;

/** A company as it is stored. */
export interface Company {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** The zone of workers without one; null for UTC. */
  readonly timeZone: string | null;
  /** JSON: the colour of types of time off by id; null if none was chosen. */
  readonly colors: string | null;
  /** When the last successful import ended; null before the first. */
  readonly dataAsOfMs: number | null;
  /** When an import last changed something; null before the first that did. */
  readonly changedAtMs: number | null;
  /** How long the history is stored: `none`, `forever`, or months such as `25mo`; null for `HISTORY_DEFAULT`. */
  readonly history: string | null;
  /** How long old data is stored, such as `leavers=3y, requests=5y`; null for no limit. See `retentionMonths`. */
  readonly retention: string | null;
}

export const HISTORY_DEFAULT = "25mo";

/** The data that a retention limits: workers and requests after their last day, and reasons of requests. */
export const RETAINED = ["leavers", "requests", "reasons"] as const;
export type RetentionMonths = Partial<Record<(typeof RETAINED)[number], number>>;

/** Parses a retention such as `leavers=3y, reasons=18mo` into months; null if the text has another form. */
export function retentionMonths(text: string): RetentionMonths | null {
  const months: RetentionMonths = {};
  for (const part of text.split(",")) {
    const [, name, count, unit] = /^\s*(\w+)\s*=\s*([1-9]\d{0,2})(y|mo)\s*$/.exec(part) ?? [];
    const key = RETAINED.find((retained) => retained === name);
    if (key === undefined || months[key] !== undefined) return null;
    months[key] = Number(count) * (unit === "y" ? 12 : 1);
  }
  return months;
}

/** The types of a company's columns. Backups have the columns in this order. */
export const COMPANY_TYPES: Readonly<
  Record<keyof Company, { readonly type: ColumnType; readonly isOptional?: true }>
> = {
  id: { type: "text" },
  name: { type: "text" },
  createdAtMs: { type: "bigint" },
  timeZone: { type: "text", isOptional: true },
  colors: { type: "text", isOptional: true },
  dataAsOfMs: { type: "bigint", isOptional: true },
  changedAtMs: { type: "bigint", isOptional: true },
  history: { type: "text", isOptional: true },
  retention: { type: "text", isOptional: true },
};

export const COMPANY_COLUMNS = Object.keys(COMPANY_TYPES) as readonly (keyof Company)[]; // the keys of COMPANY_TYPES

/** The settings of a company that an operator may change. */
export type CompanySettings = Pick<Company, "name" | "timeZone" | "colors" | "history" | "retention">;

export function companySettings({ name, timeZone, colors, history, retention }: Company): CompanySettings {
  return { name, timeZone, colors, history, retention };
}

export function companyObject(row: Company, knownSinceMs: number | null): CompanyObject {
  const { id, name, timeZone, dataAsOfMs, changedAtMs } = row;
  return {
    id,
    name,
    timeZone,
    colors: colorsOf(row),
    dataAsOf: dateTime(dataAsOfMs),
    changedAt: dateTime(changedAtMs),
    knownSince: dateTime(knownSinceMs),
  };
}

/** The chosen colours by type id. */
export const colorsOf = ({ colors }: Pick<Company, "colors">): Record<string, Color> =>
  colors === null ? {} : JSON.parse(colors); // `companies set` wrote it

function dateTime(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}

export const retrieveCompany = {
  path: routePattern("/v1/company"),
  operationId: "retrieveCompany",
  summary: "Retrieve the company",
  description: "The company that the key belongs to, and how old its data is.",
  tag: "Company",
  scope: null,
  response: wireSchema(company),
  parameters: known,
} satisfies EndpointContract;
