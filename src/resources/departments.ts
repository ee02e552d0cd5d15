// Departments: rows of their own, or created from names in workers' rows.
import { z } from "zod";
import * as cell from "./cells.ts";
import { createdAtSchema, legacyIdSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import { column, filter, type ListResource, routePattern, type Wire } from "./resource.ts";

export const departments = {
  kind: "departments",
  schemaName: "Department",
  description: "A part of the company that workers belong to.",
  idKind: "department",
  key: ["id"],
  fields: {
    id: { wire: idSchema("department"), cell: cell.id("department"), column: column.text("id") },
    name: {
      wire: z.string().meta({ maxLength: cell.NAME_MAX, example: "Payroll" }),
      cell: cell.group,
      column: column.text("name"),
    },
    legacyId: { wire: legacyIdSchema, cell: cell.legacyId, column: column.text("legacyId") },
    parentId: {
      wire: idSchema("department").nullable().meta({ description: "The parent department.", example: null }),
      cell: cell.optionalReference,
      column: column.text("parentId"),
    },
    // Added later, so at the end: clients see the earlier fields in their old order.
    createdAt: {
      wire: createdAtSchema,
      cell: cell.optionalInstant,
    },
  },
  derived: {},
  isOfCompany: true,
  belongsTo: { parentId: "departments" },
  balanceColumns: [],
  indexes: [
    { name: "departments_legacy_id", columns: ["legacyId"], covers: [], rows: "few" },
    { name: "departments_parent", columns: ["parentId"], covers: [], rows: "few" },
  ],
  api: {
    path: routePattern("/v1/departments"),
    tag: "Workers",
    scope: "workers:read",
    isRetrieved: true,
    filters: {
      legacyIds: filter("legacyId", query.legacyIds("departments", "D7")),
    },
  },
} as const satisfies ListResource;

export type Department = Wire<typeof departments.fields>;
