// team_capacity: how many hours people can work in a period.
import { z } from "zod";
import { CAPACITY_GROUPS, CAPACITY_MINUTES, PERIODS } from "../resources/capacity.ts";
import { CURSOR, choice, day, texts } from "./arguments.ts";
import { hoursThatAddUp, idsMeant, inHours, PERSON } from "./time-off.ts";
import { ROWS_MAX, tool, written } from "./tool.ts";
import { personOf, reference } from "./worker-tools.ts";

export const teamCapacity = tool({
  name: "team_capacity",
  title: "Capacity of a team",
  description:
    "Shows how many hours people can work in each day, week or month: scheduled hours, holidays, approved and pending leave, and the hours that are left. Without group_by, for all people together. Without days, for the week from today.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    from: day("The first day, included.").optional(),
    to: day("The last day, included, at most 366 days later.").optional(),
    by: choice(PERIODS, "The period of each row; by default a week, from Monday.").optional(),
    group_by: choice(CAPACITY_GROUPS, "How rows are grouped; by default one row for all people.").optional(),
    people: texts(`Only these people. Each: ${PERSON}`).optional(),
    managers: texts(`Only those who report to one of these. Each: ${PERSON}`).optional(),
    cursor: CURSOR,
  }),
  row: z.strictObject({
    id: z.string(),
    from: z.string(),
    to: z.string().describe("The last day, included."),
    person: reference.nullable(),
    department: written.nullable(),
    people: z.number().describe("How many people are employed in the period."),
    withoutSchedule: z
      .number()
      .describe("How many of them have no schedule: eight hours are assumed on each of their work days."),
    hours: z.strictObject(Object.fromEntries(CAPACITY_MINUTES.map((name) => [name, z.number()]))),
  }),
  narrow: "Ask for fewer days, for weeks or months, or for some people.",
  cursor: ({ id }) => id,
  async run({ from, to, by, group_by: groupBy, people, managers, cursor }, call) {
    const { workerIds } = await idsMeant({ people }, call);
    const { workerIds: managerIds } = await idsMeant({ people: managers }, call);
    const list = call.client.capacity.list({ from, to, by, groupBy, workerIds, managerIds });
    const { data, hasMore } = await list.page({ limit: ROWS_MAX, afterId: cursor });
    const rows = data.map(async ({ id, workerId, department, workers, assumedWorkers, ...row }) => {
      const { scheduled, left } = row;
      const parts = [row.holidays, row.approved, row.pending];
      const [holidays = 0, approved = 0, pending = 0] = hoursThatAddUp(left, parts);
      return {
        id,
        from: row.from,
        to: row.to,
        department,
        people: workers,
        withoutSchedule: assumedWorkers,
        person: workerId === null ? null : await personOf(workerId, call),
        hours: { scheduled: inHours(scheduled), holidays, approved, pending, left: inHours(left) },
      };
    });
    const heading =
      data.length === 0 ? "Nobody is employed in these days." : "The hours that people can work:";
    return { heading, rows: await Promise.all(rows), total: null, hasMore };
  },
});
