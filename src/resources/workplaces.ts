// Workplaces: rows of their own, or created from names in workers' rows.
import { z } from "zod";
import * as cell from "./cells.ts";
import { createdAtSchema, legacyIdSchema, timeZoneSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import { column, filter, type ListResource, routePattern, type Wire } from "./resource.ts";

export const WORKPLACE_TYPES = ["office", "remote"] as const;

export const WORKPLACE_STATUSES = ["active", "archived"] as const;

export const workplaceTypeSchema = z.enum(WORKPLACE_TYPES).meta({ example: "office" });

export const workplaces = {
  kind: "workplaces",
  schemaName: "Workplace",
  description: "Where workers work: a place, or wherever they are.",
  idKind: "workplace",
  key: ["id"],
  fields: {
    id: { wire: idSchema("workplace"), cell: cell.id("workplace"), column: column.text("id") },
    name: {
      wire: z.string().meta({ maxLength: cell.NAME_MAX, example: "Lisbon" }),
      cell: cell.group,
      column: column.text("name"),
    },
    type: {
      wire: workplaceTypeSchema,
      cell: cell.choiceOr(WORKPLACE_TYPES, "office"),
      column: column.text("type"),
    },
    timeZone: {
      wire: timeZoneSchema.nullable().meta({ example: "Europe/Lisbon" }),
      cell: cell.optionalTimeZone,
    },
    holidayCalendarId: {
      wire: idSchema("holidayCalendar").nullable().meta({
        description: "The calendar whose holidays are not worked there; null if unknown.",
        example: "hca_9m4n7b2v6c1x8z3l5k0j",
      }),
      compute: ({ holidayCalendarId }) => holidayCalendarId,
    },
    legacyId: { wire: legacyIdSchema, cell: cell.legacyId, column: column.text("legacyId") },
    // Added later, so at the end: clients see the earlier fields in their old order.
    createdAt: {
      wire: createdAtSchema,
      cell: cell.optionalInstant,
    },
    status: {
      wire: z.enum(WORKPLACE_STATUSES).meta({ example: "active" }),
      cell: cell.choiceOr(WORKPLACE_STATUSES, "active"),
    },
    holidayCalendar: { cell: cell.optionalGroup, column: column.text("holidayCalendar") },
  },
  derived: {},
  isOfCompany: true,
  belongsTo: {},
  balanceColumns: ["holidayCalendar"],
  indexes: [{ name: "workplaces_legacy_id", columns: ["legacyId"], covers: [], rows: "few" }],
  api: {
    path: routePattern("/v1/workplaces"),
    tag: "Workers",
    scope: "workers:read",
    isRetrieved: true,
    filters: {
      legacyIds: filter("legacyId", query.legacyIds("workplaces", "S3")),
    },
  },
} as const satisfies ListResource;

export type Workplace = Wire<typeof workplaces.fields>;
