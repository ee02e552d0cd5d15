// Workers: who works for the company.
import { z } from "zod";
import { fullName, isFamilyFirst } from "../full-name.ts";
import * as balanceCell from "./balance-cells.ts";
import * as cell from "./cells.ts";
import {
  dateSchema,
  dateTimeSchema,
  emailSchema,
  foldEmail,
  legacyIdSchema,
  timeZoneSchema,
} from "./cells.ts";
import { type Department, departments } from "./departments.ts";
import { EXAMPLE_ID, idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  type AwayKey,
  column,
  filter,
  type ImportRow,
  type ListResource,
  type Report,
  type Row,
  routePattern,
  type Wire,
} from "./resource.ts";
import { WORKPLACE_TYPES, type Workplace, workplaces, workplaceTypeSchema } from "./workplaces.ts";

export const WORKER_STATUSES = [
  "draft",
  "invited",
  "onboarding",
  "active",
  "offboarding",
  "inactive",
] as const;
export const WORKER_TYPES = ["employee", "contractor"] as const;

/** Objects that a worker's object repeats. When they change, an import updates the workers (`src/import/load/kinds/workers.ts`). */
export interface EmbeddedObjects {
  readonly department: Pick<Department, "id" | "name"> | null;
  readonly primaryWorkplace: Pick<Workplace, "id" | "name" | "type"> | null;
  readonly manager: z.infer<typeof managerSchema>;
  /** RFC 3339. */
  readonly updatedAt: string;
}

const computedFrom = <K extends keyof EmbeddedObjects>(key: K) => ({
  compute: ({ objects }: Readonly<Record<string, unknown>>) => (objects as EmbeddedObjects)[key], // rowOf's caller adds them
});

const departmentSchema = z
  .strictObject({ id: idSchema("department"), name: departments.fields.name.wire })
  .nullable()
  .meta({ example: { id: EXAMPLE_ID.department, name: "Payroll" } });

const workplaceSchema = z
  .strictObject({ id: idSchema("workplace"), name: workplaces.fields.name.wire, type: workplaceTypeSchema })
  .nullable()
  .meta({ example: { id: EXAMPLE_ID.workplace, name: "Lisbon", type: "office" } });

const managerSchema = z
  .strictObject({
    id: idSchema("worker"),
    firstName: z.string(),
    lastName: z.string(),
    displayName: z.string(),
  })
  .nullable()
  .meta({
    description: "The names of the manager.",
    example: {
      id: "wrk_7c4d2b9n6v1x8z5q0w3e",
      firstName: "Ana",
      lastName: "Sol",
      displayName: "Ana Sol",
    },
  });

export const workers = {
  kind: "workers",
  schemaName: "Worker",
  description: "Someone who works for the company, as an employee or as a contractor.",
  idKind: "worker",
  key: ["id"],
  fields: {
    id: { wire: idSchema("worker"), cell: cell.id("worker"), column: column.text("id"), isAway: true },
    businessName: {
      wire: z.string().nullable().meta({
        maxLength: cell.NAME_MAX,
        description: "The business's name; null if the worker is a person.",
        example: null,
      }),
      cell: cell.optionalText,
    },
    displayName: {
      wire: z.string().meta({
        maxLength: cell.WHOLE_NAME_MAX,
        description: "The name to show.",
        example: "Françoise Lind",
      }),
      cell: cell.optionalWholeName,
      isAway: true,
    },
    email: { wire: emailSchema.meta({ example: "francoise.lind@example.org" }), cell: cell.email },
    endDate: {
      wire: dateSchema.nullable().meta({ description: "The last day; null if unknown.", example: null }),
      cell: cell.optionalDay,
      column: column.day("endDay"),
    },
    firstName: { wire: z.string().meta({ maxLength: cell.NAME_MAX, example: "Françoise" }), cell: cell.text },
    isBusiness: {
      wire: z
        .boolean()
        .meta({ description: "Whether the worker is a business rather than a person.", example: false }),
      cell: cell.boolean,
    },
    lastName: { wire: z.string().meta({ maxLength: cell.NAME_MAX, example: "Lind" }), cell: cell.text },
    position: {
      wire: z.string().meta({
        maxLength: cell.TITLE_MAX,
        description: "The job title; may be empty.",
        example: "Payroll engineer",
      }),
      cell: cell.titleOrEmpty,
    },
    preferredName: {
      wire: z.string().nullable().meta({ maxLength: cell.NAME_MAX, example: null }),
      cell: cell.optionalText,
    },
    startDate: {
      wire: dateSchema.meta({ description: "The first day.", example: "2024-03-01" }),
      cell: cell.day,
      column: column.day("startDay"),
    },
    status: {
      wire: z.enum(WORKER_STATUSES).meta({ example: "active" }),
      cell: cell.choiceOrNoColumn(WORKER_STATUSES), // see `statusOf` for the default
      column: column.text("status"),
    },
    timeZone: {
      wire: timeZoneSchema.nullable().meta({ example: "Europe/Berlin" }),
      cell: cell.optionalTimeZone,
      column: column.text("timeZone"),
      isAway: true,
    },
    type: {
      wire: z.enum(WORKER_TYPES).meta({ example: "employee" }),
      cell: cell.choice(WORKER_TYPES),
      column: column.text("type"),
    },
    workEmail: {
      wire: emailSchema.nullable().meta({ example: "francoise@example.com" }),
      cell: cell.optionalEmail,
      column: column.text("workEmailFolded", (email: string | null) =>
        email === null ? null : foldEmail(email),
      ),
    },
    // Added later, so at the end: clients see the earlier fields in their old order.
    legacyId: { wire: legacyIdSchema, cell: cell.legacyId, column: column.text("legacyId") },
    department: {
      wire: departmentSchema,
      ...computedFrom("department"),
      cell: cell.optionalGroup, // the department's name, if a file has no `departmentId`
      isAway: true,
    },
    primaryWorkplace: { wire: workplaceSchema, ...computedFrom("primaryWorkplace"), isAway: true },
    managerId: {
      wire: idSchema("worker").nullable().meta({
        description: "The worker's manager; null if unknown.",
        example: "wrk_7c4d2b9n6v1x8z5q0w3e",
      }),
      cell: cell.optionalReference,
      column: column.text("managerId"),
      isAway: true,
    },
    manager: { wire: managerSchema, ...computedFrom("manager") },
    latestRehireDate: {
      wire: dateSchema.nullable().meta({
        description: "The first day of the newest employment; null if it is the only one.",
        example: null,
      }),
      cell: cell.optionalDay,
    },
    terminationReason: {
      wire: z.string().nullable().meta({ maxLength: cell.PROSE_MAX, example: null }),
      cell: cell.optionalProse,
      isReason: true,
    },
    updatedAt: {
      wire: dateTimeSchema.describe("When an import last changed this object."),
      ...computedFrom("updatedAt"),
    },
    departmentId: { cell: cell.optionalReference, column: column.text("departmentId") },
    workplaceId: { cell: cell.optionalReference, column: column.text("workplaceId") },
    /** The workplace's name, if a file has no `workplaceId`. */
    workplace: { cell: cell.optionalGroup },
    /** The former name of `workplace`. */
    location: { cell: cell.optionalGroup },
    workplaceType: { cell: cell.optionalChoice(WORKPLACE_TYPES) },
    workDays: { cell: balanceCell.workDays, isTerm: true },
  },
  derived: {},
  isOfCompany: false,
  belongsTo: { departmentId: "departments", workplaceId: "workplaces" },
  balanceColumns: ["legacyId", "startDay", "endDay", "terms", "workplaceId"],
  indexes: [
    { name: "workers_email", columns: ["workEmailFolded"], covers: [], rows: "few" },
    { name: "workers_legacy_id", columns: ["legacyId"], covers: [], rows: "few" },
    { name: "workers_manager", columns: ["managerId"], covers: [], rows: "many" },
    { name: "workers_department", columns: ["departmentId"], covers: [], rows: "many" },
    { name: "workers_workplace", columns: ["workplaceId"], covers: [], rows: "many" },
    { name: "workers_status", columns: ["status", "type"], covers: [], rows: "many" },
  ],
  api: {
    path: routePattern("/v1/workers"),
    tag: "Workers",
    scope: "workers:read",
    isRetrieved: true,
    filters: {
      workEmail: filter(
        "workEmailFolded",
        query.single(
          emailSchema.transform(foldEmail).meta({
            description:
              "The whole work address, in any case. In a URL that you write yourself, `+` is `%2B`.",
            example: "francoise@example.com",
          }),
        ),
      ),
      statuses: filter(
        "status",
        query.choices(WORKER_STATUSES, "Only workers with one of these statuses.", "active"),
      ),
      types: filter("type", query.choices(WORKER_TYPES, "Only workers of one of these types.", "employee")),
      legacyIds: filter("legacyId", query.legacyIds("workers")),
      departmentIds: filter(
        "departmentId",
        query.ids("department", "Only workers of one of these departments."),
      ),
      workplaceIds: filter("workplaceId", query.ids("workplace", "Only workers at one of these workplaces.")),
      managerIds: filter(
        "managerId",
        query.ids("worker", "Only workers who report to one of these workers."),
      ),
    },
  },
} as const satisfies ListResource;

export type Worker = Wire<typeof workers.fields>;
/** The fields of workers for callers who see only who is away (docs/security.md, Sign-in through a proxy). */
export type AwayWorker = Pick<Worker, AwayKey<typeof workers.fields>>;
export type WorkerRow = Row<typeof workers>;
type WorkerImportRow = ImportRow<typeof workers.fields>;

export function checkWorker(worker: WorkerImportRow, report: Report<WorkerImportRow>): void {
  const { startDate, endDate, isBusiness, businessName } = worker;
  if (endDate !== null && endDate < startDate) report("endDate", "is before startDate", "startDate");
  if (!isBusiness && businessName !== null) {
    report(
      "businessName",
      "is given although isBusiness is false: leave it empty, or say that the worker is a business",
    );
  }
}

/** The default display name (docs/api.md, Resources, Worker). */
export function displayName(importRow: WorkerImportRow): string {
  if (importRow.displayName !== null) return importRow.displayName;
  if (importRow.isBusiness && importRow.businessName !== null) return importRow.businessName;
  return importRow.preferredName ?? fullName(importRow.firstName, importRow.lastName);
}

/** By default, somebody is active from the first to the last day. `today` is in days since 1970-01-01. */
export function statusOf({ status, startDate, endDate }: WorkerImportRow, today: number): Worker["status"] {
  if (status !== null) return status;
  return startDate > today ? "onboarding" : endDate !== null && endDate < today ? "inactive" : "active";
}

/** The statuses of people who are there, or who are about to come or go. */
export const STAFF_STATUSES = ["onboarding", "active", "offboarding"] as const satisfies Worker["status"][];

/** Whether everybody may learn that a worker is away: not for drafts, invited workers, and who has left by `today`, `YYYY-MM-DD`. */
export function mayBeAway(worker: Worker, today: string): boolean {
  const statuses: readonly Worker["status"][] = STAFF_STATUSES;
  return statuses.includes(worker.status) && !hasLeft(worker, today);
}

/** Whether a worker has left by `today`: the files may say `active` for long after the last day. */
export function hasLeft({ status, endDate }: Worker, today: string): boolean {
  return status === "inactive" || (endDate !== null && endDate < today);
}

/** A mapping's field for the whole name. The family name is before a comma (`Last, First`), else the last word; in East Asia the first. */
export const FULL_NAME = {
  name: "fullName",
  parts: ["firstName", "lastName"],
  /** The field for a whole name if its parts have their own columns. */
  shown: "displayName",
  /** The parts; the first is empty if there is only one word. */
  split(text: string): readonly [first: string, last: string] {
    const words = (part: string) => part.trim().replace(/\s+/g, " ");
    const comma = text.indexOf(",");
    if (comma !== -1) return [words(text.slice(comma + 1)), words(text.slice(0, comma))];
    const whole = words(text);
    const space = isFamilyFirst(whole) ? whole.indexOf(" ") : whole.lastIndexOf(" ");
    if (space === -1) return ["", whole];
    const [before, after] = [whole.slice(0, space), whole.slice(space + 1)];
    return isFamilyFirst(whole) ? [after, before] : [before, after];
  },
} as const;

/** A worker's name for people to read. */
export function nameOf(worker: Worker): string {
  return worker.displayName || fullName(worker.firstName, worker.lastName);
}
