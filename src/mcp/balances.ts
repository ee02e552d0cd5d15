// time_off_balance.
import { z } from "zod";
import type { Balance } from "../client/index.ts";
import { day, texts } from "./arguments.ts";
import { personOf, policyOf, reference } from "./people.ts";
import { inHours, PERSON } from "./time-off.ts";
import { type ToolCall, tool, withWeekday } from "./tool.ts";

/** As for all balances in this tool. */
const HOURS_PER_DAY = 8;

const row = z.strictObject({
  person: reference,
  policy: reference,
  isUnlimited: z.boolean(),
  hours: z.number().nullable().meta({
    description: "What the person has on the day, what is not usable yet included; null if unlimited.",
  }),
  days: z
    .number()
    .nullable()
    .meta({ description: `The same in days of ${HOURS_PER_DAY} hours.` }),
  notUsableYetHours: z.number().meta({ description: "How much of it can be used only later." }),
  usedHours: z.number().meta({
    description: "Approved time off, taken off already: up to the day, or all of it where none was given.",
  }),
  pendingHours: z.number().meta({ description: "The same of time off that is requested, not approved." }),
});

type Row = z.output<typeof row>;

export const timeOffBalance = tool({
  name: "time_off_balance",
  title: "Time-off balances",
  description:
    "Says how much time off people have, under each policy, on a day in the past or the future: what accrues until then, less what is approved or requested until then. Without a day: what has accrued until today, less all that is approved or requested, after today, too. In hours, and in days of eight hours.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    people: texts(`Whose balances. Each: ${PERSON}`),
    on: day("The day. When left out, today, and time off after it is taken off, too.").optional(),
  }),
  row,
  facts: { on: z.string() },
  narrow: "Ask for fewer people.",
  async run({ people, on }, call) {
    const workers = await Promise.all(people.map((one) => call.names.workerMeant(one)));
    const workerIds = [...new Set(workers.map(({ id }) => id))];
    const rows: Row[] = [];
    for await (const balance of call.client.balances.list({ workerIds, endDate: on }))
      rows.push(await rowOf(balance, call));
    const when =
      on === undefined ? "today (time off after today is taken off, too)" : `on ${withWeekday(on)}`;
    const what =
      rows.length === 0 ? "none, no policy is assigned." : `in hours and in days of ${HOURS_PER_DAY}:`;
    const heading = `Balances ${when}: ${what}`;
    return { heading, rows, facts: { on: on ?? call.today }, total: rows.length, hasMore: false };
  },
});

async function rowOf(balance: Balance, call: ToolCall): Promise<Row> {
  const { workerId, policyId, available, accruedLocked, used, holds } = balance;
  const isUnlimited = (await call.names.policy(policyId))?.isUnlimited ?? false;
  const minutes = available + accruedLocked;
  return {
    person: await personOf(workerId, call),
    policy: await policyOf(policyId, call),
    isUnlimited,
    hours: isUnlimited ? null : inHours(minutes),
    days: isUnlimited ? null : inHours(minutes / HOURS_PER_DAY),
    notUsableYetHours: inHours(accruedLocked),
    usedHours: inHours(used),
    pendingHours: inHours(holds),
  };
}
