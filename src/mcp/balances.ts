// time_off_balance and time_off_preview.
import { z } from "zod";
import type { Balance } from "../client/index.ts";
import { formatDay, utcDayOf } from "../time/day.ts";
import { parseDateTime } from "../time/instant.ts";
import { day, KNOWN_ON, ToolProblem, text, texts } from "./arguments.ts";
import { idsMeant, inHours, PERSON } from "./time-off.ts";
import { type ToolCall, tool, withWeekday } from "./tool.ts";
import { personOf, policyOf, reference } from "./worker-tools.ts";

/** A day of a balance in this tool. */
const HOURS_PER_DAY = 8;

const row = z.strictObject({
  person: reference,
  policy: reference,
  isUnlimited: z.boolean(),
  hours: z
    .number()
    .nullable()
    .describe("The balance on the day, including what is not usable yet; null if unlimited."),
  days: z.number().nullable().describe(`The same in days of ${HOURS_PER_DAY} hours.`),
  notUsableYetHours: z.number().describe("How much of it can be used only later."),
  usedHours: z
    .number()
    .describe("Approved time off, already subtracted: up to the day, or all of it if no day is given."),
  pendingHours: z.number().describe("The same for requested time off that is not approved yet."),
});

type Row = z.output<typeof row>;

export const timeOffBalance = tool({
  name: "time_off_balance",
  title: "Time-off balances",
  description:
    "Shows how much time off people have under each policy on a day, past or future: what has accrued by then, less leave that is approved or requested by then. Without a day: what has accrued by today, less all leave that is approved or requested, even after today. In hours, and in days of eight hours.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    people: texts(`Whose balances; give these, or managers. Each: ${PERSON}`).optional(),
    managers: texts(`Balances of those who report to one of these. Each: ${PERSON}`).optional(),
    on: day("The day; by default today, with later time off subtracted, too.").optional(),
    known_on: KNOWN_ON,
  }),
  row,
  facts: { on: z.string() },
  narrow: "Ask for fewer people.",
  async run({ people, managers, on, known_on: knownOn }, call) {
    if (people === undefined && managers === undefined)
      throw new ToolProblem("Give people, or managers: whose balances are meant?");
    const { workerIds } = await idsMeant({ people }, call);
    const { workerIds: managerIds } = await idsMeant({ people: managers }, call);
    const rows: Row[] = [];
    for await (const balance of call.client.balances.list({ workerIds, managerIds, endDate: on, knownOn }))
      rows.push(await rowOf(balance, call, knownOn));
    const knownAtMs = knownOn === undefined ? null : parseDateTime(knownOn);
    const then = knownAtMs === null ? (knownOn ?? call.today) : formatDay(utcDayOf(knownAtMs));
    const today = knownOn === undefined ? "today" : `on ${withWeekday(then)}`;
    const day =
      on === undefined
        ? `${today} (time off after ${knownOn === undefined ? "today" : "it"} is subtracted, too)`
        : `on ${withWeekday(on)}`;
    const moment = knownAtMs === null ? `at the end of ${withWeekday(then)}` : `on ${knownOn}`;
    const when = knownOn === undefined ? day : `${day}, as known ${moment}`;
    const what =
      rows.length === 0 ? "none, no policy is assigned." : `in hours and in days of ${HOURS_PER_DAY}:`;
    const heading = `Balances ${when}: ${what}`;
    return { heading, rows, facts: { on: on ?? then }, total: rows.length, hasMore: false };
  },
});

async function rowOf(balance: Balance, call: ToolCall, knownOn: string | undefined): Promise<Row> {
  const { workerId, policyId, accruedUnlocked, accruedLocked, used, holds } = balance;
  const isUnlimited = (await call.names.policy(policyId, knownOn))?.isUnlimited ?? false;
  const minutes = accruedUnlocked + accruedLocked - used - holds; // `available` may be less, by a cap on use
  return {
    person: await personOf(workerId, call),
    policy: await policyOf(policyId, call, knownOn),
    isUnlimited,
    hours: isUnlimited ? null : inHours(minutes),
    days: isUnlimited ? null : inHours(minutes / HOURS_PER_DAY),
    notUsableYetHours: inHours(accruedLocked),
    usedHours: inHours(used),
    pendingHours: inHours(holds),
  };
}

const previewRow = z.strictObject({
  person: reference,
  policy: reference,
  hours: z.number().describe("The hours that the leave uses."),
  days: z.number().describe("The number of days on which it uses hours."),
  hoursBefore: z
    .number()
    .nullable()
    .describe("The balance on the last day of the leave, without this leave."),
  hoursAfter: z.number().nullable(),
  mostHours: z
    .number()
    .nullable()
    .describe("The most that can be taken on the first day; null if unlimited."),
  isCovered: z
    .boolean()
    .describe(
      "Whether this leave can be taken: no day is below zero, or outside the employment or the assignment.",
    ),
  lostHours: z.number().describe("The hours that will be lost within a year, even with this leave."),
});

export const timeOffPreview = tool({
  name: "time_off_preview",
  title: "Preview of time off",
  description:
    "Shows what time off would use, what would be left, and the most that the person can take from its first day on without bringing later days below zero. Nothing is requested or stored.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    person: text(PERSON),
    policy: text("The policy: its name or its id."),
    from: day("The first day."),
    to: day("The last day, included; by default the first.").optional(),
    known_on: KNOWN_ON,
  }),
  row: previewRow,
  narrow: "Ask about one policy.",
  async run({ person, policy, from, to, known_on: knownOn }, call) {
    const worker = await call.names.workerMeant(person);
    const rows: z.output<typeof previewRow>[] = [];
    for (const { id } of await call.names.policiesMeant(policy, knownOn)) {
      const preview = await call.client.preview({
        workerId: worker.id,
        policyId: id,
        startAt: from,
        endAt: to,
        knownOn,
      });
      const hours = (minutes: number | null) => (minutes === null ? null : inHours(minutes));
      rows.push({
        person: await personOf(worker.id, call),
        policy: await policyOf(id, call, knownOn),
        hours: inHours(preview.minutes),
        days: preview.days.length,
        hoursBefore: hours(preview.balanceBefore),
        hoursAfter: hours(preview.balanceAfter),
        mostHours: hours(preview.mostMinutes),
        isCovered: preview.isCovered,
        lostHours: inHours(preview.lost.reduce((sum, { minutes }) => sum + minutes, 0)),
      });
    }
    return { heading: "The leave in hours:", rows, total: rows.length, hasMore: false };
  },
});
