/** A worker's minutes of each day, without holidays, and the share of full time (docs/balances.md, Schedules). */
import { type Day, isWorkDay, MONDAY_TO_FRIDAY, nearestWritable, weekdayOf } from "../time/day.ts";
import { type Coverage, coveredFrom, coveredThrough } from "./coverage.ts";
import { type Detail, part } from "./detail.ts";
import type { BalanceFacts, ScheduleFacts, WorkTime } from "./facts.ts";
import { add, divide, isEqual, multiply, type Rational, rational, sign, subtract, ZERO } from "./rational.ts";
import { type Version, versionOn } from "./versions.ts";

type Schedules = readonly ScheduleFacts[];

/** Minutes of a work day without a schedule. */
export const USUAL_MINUTES = 480;

/** What a worker without a schedule is taken to work. */
export function usualSchedule({ workDays, holidays }: WorkTime): ScheduleFacts {
  const week = [0, 1, 2, 3, 4, 5, 6].map((weekday) =>
    isWorkDay(weekday, workDays ?? MONDAY_TO_FRIDAY) ? USUAL_MINUTES : 0,
  );
  return { startsOn: nearestWritable(-Infinity), weeks: [week], fullTimeMinutesPerWeek: null, holidays };
}

/** The schedule that holds on a day; undefined before the first. */
export function scheduleOn(schedules: Schedules, day: Day): ScheduleFacts | undefined {
  return schedules.findLast(({ startsOn }) => startsOn <= day);
}

/** A day's minutes by schedule, as if it were no holiday. */
export function plannedMinutes({ startsOn, weeks }: ScheduleFacts, day: Day): number {
  const firstMonday = startsOn - weekdayOf(startsOn);
  const week = Math.floor((day - firstMonday) / 7) % weeks.length;
  return weeks[week]![weekdayOf(day)]!;
}

/** A day's minutes by schedule, less holidays. */
export function workedMinutes(schedule: ScheduleFacts, day: Day): Rational {
  return workedBetween([schedule], day, day, false);
}

/** The minutes worked on the days `first` through `last`. `first` must not be before the first schedule. */
export function workedBetween(schedules: Schedules, first: Day, last: Day, onHolidays: boolean): Rational {
  let sum = ZERO;
  for (const [at, schedule] of schedules.entries()) {
    const from = Math.max(first, schedule.startsOn);
    const through = Math.min(last, (schedules[at + 1]?.startsOn ?? Infinity) - 1);
    if (from > through) continue;
    sum = add(sum, plannedBetween(schedule, from, through));
    if (onHolidays) continue;
    let before: Day | null = null;
    for (const { day, minutes } of schedule.holidays) {
      // Of two holidays on one day, the first counts.
      if (day < from || day > through || day === before) continue;
      before = day;
      const planned = plannedMinutes(schedule, day);
      sum = subtract(sum, rational(Math.min(planned, minutes ?? planned)));
    }
  }
  return sum;
}

/** The same by one schedule, as if there were no holidays. Leave may last for years: whole turns of the weeks are multiplied. */
function plannedBetween(schedule: ScheduleFacts, first: Day, last: Day): Rational {
  const days = 7 * schedule.weeks.length;
  const turns = Math.floor((last - first + 1) / days);
  let sum = turns === 0 ? ZERO : multiply(turns, sumOf(schedule.weeks.flat()));
  for (let day = first + turns * days; day <= last; day++)
    sum = add(sum, rational(plannedMinutes(schedule, day)));
  return sum;
}

const sumOf = (minutes: readonly number[]) =>
  minutes.reduce<Rational>((sum, day) => add(sum, rational(day)), ZERO);

/** The share of full time, and the factor of grants, from a day on. */
export interface FactorStep {
  readonly from: Day;
  readonly share: Rational;
  /** Share × rate. */
  readonly factor: Rational;
}

/** The steps that scale grants, the first from -Infinity on; null: grants are not scaled. */
export function factorSteps(
  { assignment, policy, worker }: BalanceFacts,
  scaleWith = policy.rules.scaleWith,
): readonly FactorStep[] | null {
  const { rates } = assignment;
  const schedules = scaleWith === "share" ? worker.schedules : [];
  if (rates.length === 0 && schedules.length === 0) return null;
  const days = [
    ...new Set([-Infinity, ...rates.map(({ from }) => from), ...schedules.map(({ startsOn }) => startsOn)]),
  ];
  const steps: FactorStep[] = [];
  for (const from of days.sort((a, b) => a - b)) {
    const share = shareOf(scheduleOn(schedules, from));
    const percent = rates.findLast((rate) => rate.from <= from)?.percent ?? 100;
    const factor = multiply(share, divide(rational(percent), 100));
    const before = steps.at(-1);
    const isSame = before !== undefined && isEqual(before.share, share) && isEqual(before.factor, factor);
    if (!isSame) steps.push({ from, share, factor });
  }
  return steps;
}

/** The average week divided by that of full time; 1 if full time is unknown. */
function shareOf(schedule: ScheduleFacts | undefined): Rational {
  if (schedule === undefined || schedule.fullTimeMinutesPerWeek === null) return 1;
  const fullTime = multiply(rational(schedule.fullTimeMinutesPerWeek), schedule.weeks.length);
  return divide(sumOf(schedule.weeks.flat()), fullTime);
}

/** A revaluation of the balance (docs/balances.md, Shares and rates). */
export interface Revaluation {
  readonly on: Day;
  /** The new share divided by the old one. */
  readonly ratio: Rational;
  readonly detail: Detail;
}

/** The covered days whose share differs from the covered day before, sorted. */
export function revaluations(versions: readonly Version[], coverage: Coverage): readonly Revaluation[] {
  const revaluing = versions.find(({ rules }) => rules.revalue !== "none");
  const steps = revaluing === undefined ? null : factorSteps(revaluing.facts);
  if (steps === null) return [];
  const shareOn = (day: Day) => steps.findLast(({ from }) => from <= day)!.share; // the first is from the beginning
  const revalued: Revaluation[] = [];
  for (const { from } of steps) {
    if (from <= coverage.first || from > coverage.last) continue;
    const on = coveredFrom(coverage, from);
    if (revalued.at(-1)?.on === on || versionOn(versions, on).rules.revalue === "none") continue;
    const [before, now] = [shareOn(coveredThrough(coverage, on - 1)), shareOn(on)];
    if (sign(before) === 0 || isEqual(before, now)) continue;
    const detail = () => [part("revalued", { share: now, shareBefore: before })];
    revalued.push({ on, ratio: divide(now, before), detail });
  }
  return revalued;
}
