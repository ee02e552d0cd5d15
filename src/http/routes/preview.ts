// What leave would use (docs/api.md, Preview), from the facts of one balance.
import { readFacts } from "../../balance-facts.ts";
import { preview } from "../../balances/preview.ts";
import { type LeavePreview, previewLeave } from "../../resources/preview.ts";
import type { ParameterError, Values } from "../../resources/query.ts";
import type { CompanyReader } from "../../store/store.ts";
import { dayOfText, formatDay } from "../../time/day.ts";
import { invalidParameter } from "../problems.ts";
import { tooFarAhead } from "./balances.ts";
import { contentOf, route } from "./route.ts";

type QueryValues = Values<typeof previewLeave.parameters>;

const MOST_DAYS = 366;

export const previewRoute = route(
  previewLeave,
  async ({ company, values }) => contentOf(JSON.stringify(await readPreview(company, values))),
  previewErrors,
);

export function previewErrors(
  { workerId, policyId, startAt, ...asked }: QueryValues,
  today: string,
): ParameterError[] {
  const endAt = asked.endAt ?? startAt;
  const missing = Object.entries({ workerId, policyId, startAt }).flatMap(([parameter, value]) =>
    value === undefined ? [{ parameter, detail: "is missing: give workerId, policyId and startAt" }] : [],
  );
  if (startAt === undefined || endAt === undefined) return missing;
  const errors = [...missing, ...tooFarAhead(asked.endAt === undefined ? "startAt" : "endAt", endAt, today)];
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
    throw invalidParameter(
      "policyId",
      `"${policyId}" is not assigned to worker "${workerId}": give a policy that is`,
    );
  const { facts } = balance;
  if (facts.opening !== null && facts.opening.day >= first) {
    const openedOn = formatDay(facts.opening.day);
    throw invalidParameter("startAt", `"${startAt}" is not after the opening of this balance on ${openedOn}`);
  }
  const { days, before, after, most, isCovered, lost } = preview(facts, first, last, minutes);
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
