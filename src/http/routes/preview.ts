// What leave would use (docs/api.md, Preview), from the facts of one balance.

import { readFacts } from "../../balance-facts.ts";
import type { HolidayFacts } from "../../balances/facts.ts";
import { preview } from "../../balances/preview.ts";
import type { Holiday } from "../../resources/holidays.ts";
import type { ListKind } from "../../resources/kinds.ts";
import { type LeavePreview, previewLeave } from "../../resources/preview.ts";
import type { ParameterError, Values } from "../../resources/query.ts";
import type { Worker } from "../../resources/workers.ts";
import type { Workplace } from "../../resources/workplaces.ts";
import type { CompanyReader } from "../../store/store.ts";
import { type Day, dayOfText, formatDay } from "../../time/day.ts";
import { invalidParameters } from "../problems.ts";
import { tooFarAhead } from "./balances.ts";
import { contentOf, route } from "./route.ts";

type QueryValues = Values<typeof previewLeave.parameters>;

const MOST_DAYS = 366;
/** More holidays than a calendar has in so many days. */
const ALL_HOLIDAYS = 100_000;

export const previewRoute = route(
  previewLeave,
  async ({ company, values }) => contentOf(JSON.stringify(await readPreview(company, values))),
  previewErrors,
);

export function previewErrors(
  { workerId, policyId, startAt, endAt = startAt }: QueryValues,
  today: string,
): ParameterError[] {
  const missing = Object.entries({ workerId, policyId, startAt }).flatMap(([parameter, value]) =>
    value === undefined ? [{ parameter, detail: "is missing: give workerId, policyId and startAt" }] : [],
  );
  if (startAt === undefined || endAt === undefined) return missing;
  const errors = [...missing, ...tooFarAhead("endAt", endAt, today)];
  if (endAt < startAt)
    errors.push({ parameter: "startAt", detail: `"${startAt}" is after endAt "${endAt}": swap them` });
  if (dayOfText(endAt) - dayOfText(startAt) > MOST_DAYS)
    errors.push({
      parameter: "endAt",
      detail: `"${endAt}" is more than ${MOST_DAYS} days after startAt "${startAt}"`,
    });
  return errors;
}

export function readPreview(company: CompanyReader, values: QueryValues): Promise<LeavePreview> {
  return company.atOneVersion((reader) => previewOf(reader, values));
}

async function previewOf(company: CompanyReader, values: QueryValues): Promise<LeavePreview> {
  const { workerId, policyId, startAt, endAt = startAt, minutes = null } = values;
  const [first, last] = [dayOfText(startAt!), dayOfText(endAt!)]; // `previewErrors` asks for them
  const query = { workerIds: [workerId!], policyIds: [policyId!], limit: 1, withIds: true };
  const [balance] = (await readFacts(company, query)).assignments;
  if (balance === undefined)
    throw invalidParameters([
      {
        parameter: "policyId",
        detail: `"${policyId}" is not assigned to worker "${workerId}": give a policy that is`,
      },
    ]);
  const { facts } = balance;
  if (facts.opening !== null && facts.opening.day >= first) {
    const openedOn = formatDay(facts.opening.day);
    throw invalidParameters([
      {
        parameter: "startAt",
        detail: `"${startAt}" is not after the opening of this balance on ${openedOn}`,
      },
    ]);
  }
  const holidays = minutes === null ? await workplaceHolidays(company, workerId!, first, last) : []; // given minutes are spread
  const { days, before, after, most, isCovered, lost } = preview(facts, first, last, minutes, holidays);
  const { isUnlimited } = facts.policy;
  return {
    workerId: workerId!,
    policyId: policyId!,
    minutes: days.reduce((sum, day) => sum + Math.round(day.minutes * 100), 0) / 100,
    days: days.map(({ day, minutes: ofDay }) => ({ date: formatDay(day), minutes: ofDay })),
    balanceBefore: isUnlimited ? null : before,
    balanceAfter: isUnlimited ? null : after,
    mostMinutes: isUnlimited ? null : most,
    isCovered,
    lost: lost.map(({ day, minutes: ofLoss, cause }) => ({ date: formatDay(day), minutes: ofLoss, cause })),
  };
}

/** The holidays of the worker's workplace on these days, in order. */
async function workplaceHolidays(
  company: CompanyReader,
  workerId: string,
  first: Day,
  last: Day,
): Promise<HolidayFacts[]> {
  const read = async <T>(kind: ListKind, id: string) => {
    const doc = await company.object(kind, id);
    return doc === null ? null : (JSON.parse(doc) as T); // documents of the kind
  };
  const worker = await read<Worker>("workers", workerId);
  const workplace =
    worker?.primaryWorkplace && (await read<Workplace>("workplaces", worker.primaryWorkplace.id));
  if (!workplace?.holidayCalendarId) return [];
  const { docs } = await company.list("holidays", { limit: ALL_HOLIDAYS }, [
    { column: "calendarId", is: "in", values: [workplace.holidayCalendarId] },
    { column: "day", is: ">=", values: [first] },
    { column: "day", is: "<", values: [last + 1] },
  ]);
  return docs
    .map((doc) => JSON.parse(doc) as Holiday) // documents of holidays
    .map(({ date, minutes }) => ({ day: dayOfText(date), minutes }))
    .sort((a, b) => a.day - b.day);
}
