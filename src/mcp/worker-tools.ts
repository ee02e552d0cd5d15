// find_people.
import { z } from "zod";
import type { Worker } from "../client/index.ts";
import { WORKER_STATUSES } from "../resources/workers.ts";
import { CURSOR, choice, text } from "./arguments.ts";
import { type ToolCall, type ToolRows, tool, written } from "./tool.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export const reference = z.strictObject({ name: written, id: z.string() });

/** The worker's id and name; the id for a name if an import just removed the worker. */
export async function personOf(id: string, { names }: ToolCall): Promise<z.output<typeof reference>> {
  return { id, name: (await names.worker(id))?.name ?? id };
}

/** The policy's id and name. A policy that is gone has the name that was known at `knownOn`, or else its id. */
export async function policyOf(
  id: string,
  { names }: ToolCall,
  knownOn?: string,
): Promise<z.output<typeof reference>> {
  const policy = (await names.policy(id)) ?? (await names.policy(id, knownOn));
  return { id, name: policy?.name ?? id };
}

const row = z.strictObject({
  id: z.string(),
  name: written,
  status: z.string(),
  type: z.string(),
  position: written,
  department: written.nullable(),
  workplace: written.nullable(),
  manager: reference.nullable(),
  workEmail: written.nullable(),
  firstDay: z.string(),
  lastDay: z.string().nullable(),
  timeZone: z.string().nullable(),
  legacyId: written.nullable().describe("The id in the source system."),
});

type Row = z.output<typeof row>;

const input = z.strictObject({
  name: text("The beginning of each word of a name, as in `an ga`. Case and accents are ignored.").optional(),
  email: text("The whole work address.").optional(),
  status: choice(WORKER_STATUSES, "Only people with this status.").optional(),
  limit: z
    .int({ error: `must be a whole number from 1 to ${LIMIT_MAX}` })
    .min(1, { error: `is not between 1 and ${LIMIT_MAX}` })
    .max(LIMIT_MAX, { error: `is not between 1 and ${LIMIT_MAX}` })
    .describe(`How many people at most; by default ${LIMIT_DEFAULT}.`)
    .optional(),
  cursor: CURSOR,
});

type Given = z.output<typeof input>;

export const findPeople = tool({
  name: "find_people",
  title: "Find people",
  description:
    "Finds people of the company by name, work address or status, and shows who they are: job, department, workplace, manager, first and last day. Without arguments it lists everybody.",
  scopes: ["workers:read"],
  input,
  row,
  narrow: "Give more of the name, or a status.",
  cursor: ({ id }) => id,
  async run(given, call) {
    const { workers, total, hasMore } =
      given.name === undefined ? await listed(given, call) : await named(given.name, given, call);
    const heading =
      total === null ? "People of the company:" : total === 0 ? "Nobody fits." : `${total} fit:`;
    return { heading, rows: await Promise.all(workers.map((worker) => rowOf(worker, call))), total, hasMore };
  },
});

type Page = Pick<ToolRows<Row>, "total" | "hasMore"> & { readonly workers: readonly Worker[] };

/** A page of the API's list. */
async function listed(
  { email, status, limit = LIMIT_DEFAULT, cursor }: Given,
  { client }: ToolCall,
): Promise<Page> {
  const filter = { workEmail: email, statuses: status === undefined ? undefined : [status] };
  const { data, hasMore } = await client.workers.list(filter).page({ limit, afterId: cursor });
  return { workers: data, total: hasMore || cursor !== undefined ? null : data.length, hasMore };
}

/** Finds workers by name in the index, and retrieves those of the page one by one. */
async function named(
  name: string,
  { email, status, limit = LIMIT_DEFAULT, cursor = "" }: Given,
  { client, names }: ToolCall,
): Promise<Page> {
  let fitting = (await names.search(name)).filter(
    (worker) => status === undefined || worker.status === status,
  );
  if (email !== undefined) {
    const { data } = await client.workers.list({ workEmail: email }).page({ limit: LIMIT_MAX });
    fitting = fitting.filter(({ id }) => data.some((worker) => worker.id === id));
  }
  const after = fitting.filter(({ id }) => id > cursor);
  const workers = await Promise.all(after.slice(0, limit).map(({ id }) => client.workers.retrieve(id)));
  return { workers, total: fitting.length, hasMore: after.length > limit };
}

async function rowOf(worker: Worker, call: ToolCall): Promise<Row> {
  return {
    id: worker.id,
    name: worker.displayName,
    status: worker.status,
    type: worker.type,
    position: worker.position,
    department: worker.department?.name ?? null,
    workplace: worker.primaryWorkplace?.name ?? null,
    manager: worker.managerId === null ? null : await personOf(worker.managerId, call),
    workEmail: worker.workEmail,
    firstDay: worker.startDate,
    lastDay: worker.endDate,
    timeZone: worker.timeZone,
    legacyId: worker.legacyId,
  };
}
