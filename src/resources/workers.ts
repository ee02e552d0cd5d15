// Workers: the wire object, the list and the retrieval.
import { z } from "zod";
import { dateSchema, emailSchema, timeZoneSchema } from "./fields.ts";
import { idSchema } from "./ids.ts";
import { cursors, type ListContract, listOf, one, type RetrieveContract } from "./lists.ts";

export const WORKER_STATUSES = ["onboarding", "active", "offboarding", "inactive"] as const;
export const WORKER_TYPES = ["employee", "contractor"] as const;

/** A worker, key by key in the order of the wire. */
export const workerSchema = z
  .strictObject({
    id: idSchema("worker", "wrk_3f9k2m7q8r5t1v4w6x0z"),
    businessName: z
      .string()
      .nullable()
      .meta({ description: "The business's name; null when the worker is a person." }),
    displayName: z.string().meta({ description: "The name to show.", example: "Françoise Lind" }),
    email: emailSchema,
    endDate: dateSchema.nullable().meta({ description: "The last day; null when none is known." }),
    firstName: z.string().meta({ example: "Françoise" }),
    isBusiness: z.boolean().meta({ description: "Whether the worker is a business rather than a person." }),
    lastName: z.string().meta({ example: "Lind" }),
    position: z.string().meta({ description: "The job title; may be empty.", example: "Payroll engineer" }),
    preferredName: z.string().nullable(),
    startDate: dateSchema.meta({ description: "The first day." }),
    status: z.enum(WORKER_STATUSES),
    timeZone: timeZoneSchema.nullable(),
    type: z.enum(WORKER_TYPES),
    workEmail: emailSchema.nullable(),
  })
  .meta({
    id: "Worker",
    description: "Someone who works for the company, as an employee or as a contractor.",
  });

export type Worker = z.infer<typeof workerSchema>;

export const listWorkers = {
  path: "/v1/workers",
  operationId: "listWorkers",
  summary: "List workers",
  description: "Workers in the order of their ids. Filters combine with AND; the values of one list with OR.",
  tag: "Workers",
  scope: "workers:read",
  item: workerSchema,
  response: listOf("WorkerList", workerSchema),
  parameters: {
    ...cursors("worker"),
    workEmail: one(
      emailSchema.meta({
        description: "The whole work address, in any case. In a URL that you write yourself, `+` is `%2B`.",
        example: "francoise@example.com",
      }),
    ),
    statuses: listOf.choices(WORKER_STATUSES, "Only workers with one of these statuses.", "active"),
    types: listOf.choices(WORKER_TYPES, "Only workers of one of these types.", "employee"),
  },
} satisfies ListContract;

export const retrieveWorker = {
  path: "/v1/workers/{id}",
  operationId: "retrieveWorker",
  summary: "Retrieve a worker",
  description: "One worker by id.",
  tag: "Workers",
  scope: "workers:read",
  notFound: "worker_not_found",
  id: idSchema("worker", "wrk_3f9k2m7q8r5t1v4w6x0z").meta({ description: "The worker's id." }),
  response: workerSchema,
  parameters: {},
} satisfies RetrieveContract;
