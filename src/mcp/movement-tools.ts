// time_off_movements and time_off_expirations: figures for a month's end, and what people will lose.
import { z } from "zod";
import { CAUSES, GROUPS, MOVEMENTS } from "../resources/movements.ts";
import { choices, day, KNOWN_ON, text } from "./arguments.ts";
import { idsMeant, inHours, ofSome } from "./time-off.ts";
import { type ToolCall, tool, written } from "./tool.ts";
import { personOf, policyOf, reference } from "./worker-tools.ts";

const filters = {
  from: day("The first day, included.").optional(),
  to: day("The last day, included.").optional(),
  ...ofSome,
  known_on: KNOWN_ON,
  cursor: text("The `nextCursor` of the last call.").optional(),
};

const PAGE_ROWS = 100;

async function referencesOf(workerId: string | null, policyId: string | null, call: ToolCall) {
  return {
    person: workerId === null ? null : await personOf(workerId, call),
    policy: policyId === null ? null : await policyOf(policyId, call),
  };
}

const movementRow = z.strictObject({
  id: z.string(),
  person: reference.nullable(),
  policy: reference.nullable(),
  department: written.nullable(),
  isPaidOut: z.boolean().meta({ description: "Whether what is left is owed when somebody leaves." }),
  hasLeft: z.boolean().meta({ description: "Whether these people's last day is over." }),
  hours: z
    .strictObject(Object.fromEntries(MOVEMENTS.map((name) => [name, z.number()])))
    .meta({ description: "`used`, `forfeited` and `expired` are subtracted." }),
});

export const timeOffMovements = tool({
  name: "time_off_movements",
  title: "Movements of balances",
  description:
    "Shows how balances changed between two days, in hours, for a month's end: opening + granted - used + adjusted - forfeited - expired + opened + moved + revalued = closing. By policy unless group_by says otherwise. Without days, this month so far.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    ...filters,
    group_by: choices(GROUPS, "What to group by; by default the policy.").optional(),
  }),
  row: movementRow,
  narrow: "Ask for some people or policies, or group by less.",
  cursor: ({ id }) => id,
  async run(given, call) {
    const { from, to, group_by: groupBy, known_on: knownOn, cursor } = given;
    const list = call.client.movements.list({ from, to, groupBy, knownOn, ...(await idsMeant(given, call)) });
    const { data, hasMore } = await list.page({ limit: PAGE_ROWS, afterId: cursor });
    const rows = data.map(async ({ workerId, policyId, id, department, isPaidOut, hasLeft, ...minutes }) => ({
      ...(await referencesOf(workerId, policyId, call)),
      ...{ id, department, isPaidOut, hasLeft },
      hours: Object.fromEntries(MOVEMENTS.map((name) => [name, inHours(minutes[name])])),
    }));
    const heading = data.length === 0 ? "There are no balances." : "Movements of balances:";
    return { heading, rows: await Promise.all(rows), total: null, hasMore };
  },
});

export const timeOffExpirations = tool({
  name: "time_off_expirations",
  title: "Time off that will be lost",
  description:
    "Shows how many hours people will lose, on which day and by which rule, if only approved leave is taken. Without days, from today for a year.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject(filters),
  row: z.strictObject({
    id: z.string(),
    day: z.string().meta({ description: "The first day without it." }),
    person: reference.nullable(),
    policy: reference.nullable(),
    hours: z.number(),
    cause: z.enum(CAUSES),
  }),
  narrow: "Ask for some people or policies, or for fewer days.",
  cursor: ({ id }) => id,
  async run(given, call) {
    const { from, to, known_on: knownOn, cursor } = given;
    const list = call.client.expirations.list({ from, to, knownOn, ...(await idsMeant(given, call)) });
    const { data, hasMore } = await list.page({ limit: PAGE_ROWS, afterId: cursor });
    const rows = data.map(async ({ id, workerId, policyId, date, minutes, cause }) => ({
      ...(await referencesOf(workerId, policyId, call)),
      ...{ id, day: date, hours: inHours(minutes), cause },
    }));
    const heading =
      data.length === 0 ? "Nothing will be lost." : "What will be lost, by person, policy and day:";
    return { heading, rows: await Promise.all(rows), total: null, hasMore };
  },
});
