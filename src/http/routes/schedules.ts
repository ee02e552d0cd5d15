// The minutes that a worker is scheduled to work, by day (docs/api.md, Schedule), computed from schedules and holidays.
import { workTimeOf } from "../../balance-facts.ts";
import { toHundredths } from "../../balances/rational.ts";
import { scheduleOn, workedMinutes } from "../../balances/working-time.ts";
import type { Values } from "../../resources/query.ts";
import { retrieveSchedule, type WorkSchedule } from "../../resources/schedules.ts";
import { NO_WORK_TIME } from "../../store/queries.ts";
import { formatDay } from "../../time/day.ts";
import { spanErrors, spanOf } from "./days.ts";
import { type HandlerInput, retrieveRoute } from "./route.ts";

type QueryValues = Values<typeof retrieveSchedule.parameters>;

export const scheduleRetrieval = retrieveRoute(retrieveSchedule, readSchedule, spanErrors);

async function readSchedule(
  { company, values, today }: HandlerInput<QueryValues>,
  workerId: string,
): Promise<string | null> {
  const stored = await company.atOneVersion(async (reader) =>
    (await reader.object("workers", workerId)) === null
      ? null
      : ((await reader.workTimes([workerId])).get(workerId) ?? NO_WORK_TIME),
  );
  if (stored === null) return null;
  const { schedules } = workTimeOf(stored);
  const days: WorkSchedule["days"] = [];
  const { from, to } = spanOf(values, today);
  for (let day = from; day <= to; day++) {
    const schedule = scheduleOn(schedules, day);
    const { holidays } = stored.schedules.findLast((schedule) => schedule.day <= day) ?? stored;
    days.push({
      date: formatDay(day),
      minutes: schedule === undefined ? null : toHundredths(workedMinutes(schedule, day)) / 100,
      holiday: holidays.find((holiday) => holiday.day === day)?.name ?? null,
    });
  }
  return JSON.stringify({ workerId, days } satisfies WorkSchedule);
}
