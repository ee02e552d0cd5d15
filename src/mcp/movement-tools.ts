// time_off_movements, time_off_expirations and closed_differences: figures for a month's end, hours that people will lose, and why
// closed figures differ today.
import { z } from "zod";
import { DIFFERENCE_CAUSES } from "../resources/closes.ts";
import { CAUSES, GROUPS, MOVEMENTS, type Movement } from "../resources/movements.ts";
import { CURSOR, choices, day, KNOWN_ON, quoted, ToolProblem, text } from "./arguments.ts";
import { hoursThatAddUp, idsMeant, inHours, ofSome } from "./time-off.ts";
import { ROWS_MAX, type ToolCall, tool, withWeekday, written } from "./tool.ts";
import { personOf, policyOf, reference } from "./worker-tools.ts";

const filterInputs = {
  from: day("The first day, included.").optional(),
  to: day("The last day, included.").optional(),
  ...ofSome,
  known_on: KNOWN_ON,
  cursor: CURSOR,
};

async function referencesOf(
  { workerId, policyId }: { readonly workerId: string | null; readonly policyId: string | null },
  call: ToolCall,
  knownOn: string | undefined,
) {
  return {
    person: workerId === null ? null : await personOf(workerId, call),
    policy: policyId === null ? null : await policyOf(policyId, call, knownOn),
  };
}

const PARTS = [
  ...(["restated", "granted", "used", "adjusted", "forfeited"] as const),
  ...(["expired", "opened", "moved", "revalued"] as const),
];
const SUBTRACTED = new Set<string>(["used", "forfeited", "expired"]);

function movementHours(minutes: Movement) {
  const signed = (name: string, amount: number) => (SUBTRACTED.has(name) ? 0 - amount : amount);
  const parts = PARTS.map((name) => signed(name, minutes[name]));
  const hours = hoursThatAddUp(minutes.opening, parts);
  return {
    ...Object.fromEntries(MOVEMENTS.map((name) => [name, inHours(minutes[name])])),
    ...Object.fromEntries(PARTS.map((name, at) => [name, signed(name, hours[at]!)])),
  };
}

const movementRow = z.strictObject({
  id: z.string(),
  person: reference.nullable(),
  policy: reference.nullable(),
  department: written.nullable(),
  isPaidOut: z.boolean().describe("Whether the remaining balance is paid out when somebody leaves."),
  hasLeft: z.boolean().describe("Whether these people's last day is over."),
  hours: z
    .strictObject(Object.fromEntries(MOVEMENTS.map((name) => [name, z.number()])))
    .describe("`used`, `forfeited` and `expired` are subtracted."),
});

export const timeOffMovements = tool({
  name: "time_off_movements",
  title: "Movements of balances",
  description:
    "Shows how balances changed between two days, in hours, for a month's end: opening + restated + granted - used + adjusted - forfeited - expired + opened + moved + revalued = closing. By policy unless group_by says otherwise. Without days, this month so far.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    ...filterInputs,
    group_by: choices(GROUPS, "What to group by; by default the policy.").optional(),
    after: text(
      "The name of a close. Openings are its figures; `restated` is what became known since.",
    ).optional(),
  }),
  row: movementRow,
  narrow: "Ask for some people or policies, or group by less.",
  cursor: ({ id }) => id,
  async run(given, call) {
    const { from, to, after, group_by: groupBy, known_on: knownOn, cursor } = given;
    const filters = { from, to, after, groupBy, knownOn, ...(await idsMeant(given, call, knownOn)) };
    const list = call.client.movements.list(filters);
    const { data, hasMore } = await list.page({ limit: ROWS_MAX, afterId: cursor });
    const rows = data.map(async (movement) => {
      const { id, department, isPaidOut, hasLeft } = movement;
      const references = await referencesOf(movement, call, knownOn);
      return { ...references, id, department, isPaidOut, hasLeft, hours: movementHours(movement) };
    });
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
  input: z.strictObject(filterInputs),
  row: z.strictObject({
    id: z.string(),
    day: z.string().describe("The first day on which they are gone."),
    person: reference.nullable(),
    policy: reference.nullable(),
    hours: z.number(),
    cause: z.enum(CAUSES),
  }),
  narrow: "Ask for some people or policies, or for fewer days.",
  cursor: ({ id }) => id,
  async run(given, call) {
    const { from, to, known_on: knownOn, cursor } = given;
    const filters = { from, to, knownOn, ...(await idsMeant(given, call, knownOn)) };
    const list = call.client.expirations.list(filters);
    const { data, hasMore } = await list.page({ limit: ROWS_MAX, afterId: cursor });
    const rows = data.map(async ({ id, workerId, policyId, date, minutes, cause }) => ({
      ...(await referencesOf({ workerId, policyId }, call, knownOn)),
      id,
      day: date,
      hours: inHours(minutes),
      cause,
    }));
    const heading =
      data.length === 0 ? "Nothing will be lost." : "Hours that will be lost, by person, policy and day:";
    return { heading, rows: await Promise.all(rows), total: null, hasMore };
  },
});

export const closedDifferences = tool({
  name: "closed_differences",
  title: "Why closed figures differ",
  description:
    "Shows whose balance of a closed period differs today from the closed figure, by how many hours, and why: leave that came late, was changed, denied or removed, an adjustment, a rule. The causes add up to the difference. By default for the newest close.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    close: text("The close: its name, such as 2026-10.").optional(),
    ...ofSome,
    cursor: CURSOR,
  }),
  row: z.strictObject({
    id: z.string(),
    person: reference,
    policy: reference,
    closedHours: z.number().describe("The figure that was closed."),
    nowHours: z.number().describe("The figure as known today."),
    differenceHours: z.number(),
    causes: z.array(
      z.strictObject({
        cause: z.enum(DIFFERENCE_CAUSES),
        sourceId: z.string().nullable().describe("The id of the request or adjustment."),
        hours: z.number(),
      }),
    ),
  }),
  facts: { close: z.string(), through: z.string(), knownOn: z.string() },
  narrow: "Ask for some people or policies.",
  cursor: ({ id }) => id,
  async run(given, call) {
    const closes = await call.client.closes.list();
    const { close: name = closes[0]?.id, cursor } = given;
    const close = closes.find(({ id }) => id === name);
    if (close === undefined) {
      const names = closes.slice(0, 5).map(({ id }) => id);
      throw new ToolProblem(
        names.length === 0
          ? "The company has no closes: an operator makes one with rollcall closes create"
          : `The company has no close ${quoted(name)}: the newest are ${names.join(", ")}`,
      );
    }
    const { through, knownOn } = close;
    const list = call.client.closes.differences(close.id, await idsMeant(given, call, knownOn));
    const { data, hasMore } = await list.page({ limit: ROWS_MAX, afterId: cursor });
    const rows = data.map(
      async ({ id, workerId, policyId, closedMinutes, nowMinutes, difference, causes }) => {
        const minutes = causes.map((cause) => cause.minutes);
        const hours = hoursThatAddUp(closedMinutes, minutes);
        return {
          id,
          person: await personOf(workerId, call),
          policy: await policyOf(policyId, call, knownOn),
          closedHours: inHours(closedMinutes),
          nowHours: inHours(nowMinutes),
          differenceHours: hoursThatAddUp(closedMinutes, [difference])[0]!,
          causes: causes.map(({ cause, sourceId }, at) => ({ cause, sourceId, hours: hours[at]! })),
        };
      },
    );
    const closeText = `the close ${close.id}, through ${withWeekday(through)}, as known on ${knownOn}`;
    const heading =
      data.length === 0
        ? `Nothing differs from ${closeText}.`
        : `Balances that differ from ${closeText}, in hours:`;
    const facts = { close: close.id, through, knownOn };
    return { heading, rows: await Promise.all(rows), facts, total: null, hasMore };
  },
});
