// A policy's rules in words (docs/balances.md, The rules of a policy). What is at its default is not said, but for when something is granted.
import type { Policy } from "../../client/index.ts";
import { addMonths, dayOfText } from "../../time/day.ts";
import { amount, monthDay, number, plainText } from "../data/format.ts";

type Rules = Policy["rules"];

/** What is granted, how often and when. */
export function grantText({ schedule, unit, rules, ...policy }: Policy): string {
  const time = WHEN[String(rules.accrualTiming ?? "start")]!;
  const minutes = policy.minutesPerPeriod ?? 0;
  switch (schedule) {
    case "unlimited":
      return "Unlimited: there is no set amount.";
    case "per_hour_worked":
      return `${amount(policy.minutesPerChunk ?? 0, "hour")} for every ${number(policy.hoursWorkedPerChunk ?? 0)} hours worked.`;
    case "monthly":
      return `${amount(minutes, unit)} a month, ${time}: ${amount(minutes * 12, unit)} a year.`;
    case "yearly": {
      const parts = rules.instalments === undefined ? "" : ` in parts, ${EVERY[String(rules.instalments)]}`;
      return `${amount(minutes, unit)} a year${parts}, ${time}.`;
    }
  }
}

/** A sentence for each other rule that is not at its default, and for each change on a date. */
export function ruleTexts(policy: Policy): string[] {
  return [...textsOf(policy.rules, policy), ...policy.changes.map((change) => changeText(policy, change))];
}

function textsOf(rules: Rules, policy: Policy): string[] {
  return Object.entries(rules).flatMap(([rule, value]) => SAYS[rule]?.(value, policy) ?? []);
}

/** `From 1 January 2027 on: 25 days a year, at its start. It carries over at most 5 days.` */
function changeText(policy: Policy, { from, rules, ...amounts }: Policy["changes"][number]): string {
  const ended = Object.keys(rules).filter((rule) => rules[rule] === "none");
  const begun = Object.fromEntries(Object.entries(rules).filter(([rule]) => !ended.includes(rule)));
  const kept = Object.fromEntries(Object.entries(policy.rules).filter(([rule]) => !ended.includes(rule)));
  const before = Object.fromEntries(Object.entries(policy.rules).filter(([rule]) => ended.includes(rule)));
  const then = {
    ...policy,
    minutesPerPeriod: amounts.minutesPerPeriod ?? policy.minutesPerPeriod,
    minutesPerChunk: amounts.minutesPerChunk ?? policy.minutesPerChunk,
    hoursWorkedPerChunk: amounts.hoursWorkedPerChunk ?? policy.hoursWorkedPerChunk,
    rules: { ...kept, ...begun },
  };
  const isGrant = Object.values(amounts).some((value) => value !== null) || "accrualTiming" in rules;
  const texts = [
    ...(isGrant ? [grantText(then)] : []),
    ...textsOf(begun, then),
    ...textsOf(before, policy).map((text) => `No longer: ${text}`),
  ];
  return `From ${plainText(from)} on: ${texts.join(" ")}`;
}

const WHEN: Readonly<Record<string, string>> = {
  start: "at its start",
  end: "after its end",
  lastDay: "on its last day",
};

const EVERY: Readonly<Record<string, string>> = {
  daily: "every day",
  weekly: "every week",
  biweekly: "every two weeks",
  fourWeekly: "every four weeks",
  semimonthly: "twice a month",
  monthly: "every month",
  quarterly: "every quarter",
  halfYearly: "every half year",
};

const PARTS: Readonly<Record<string, string>> = {
  monthsStarted: "months that have begun",
  halfMonths: "half months",
  fullMonths: "full months",
  serviceMonths: "full months of service",
  thirtieths: "days, of months of thirty days",
};

const ROUNDED: Readonly<Record<string, string>> = {
  up: "up to",
  down: "down to",
  halfUpKeep: "up to, from half of it on,",
};

const roundedTo = (how: Rules[string] | undefined) => ROUNDED[String(how)] ?? "to the nearest";

/** `5 years`, `18 months`. */
function months(count: Rules[string]): string {
  const [size, unit] = Number(count) % 12 === 0 ? [Number(count) / 12, "year"] : [Number(count), "month"];
  return `${size} ${unit}${size === 1 ? "" : "s"}`;
}

/** Of `60:800; 120:1000`. */
function tiers(text: Rules[string], unit: Policy["unit"]): string {
  const each = String(text)
    .split(";")
    .map((tier) => tier.split(":"));
  return each
    .map(([after, minutes]) => `${amount(Number(minutes), unit)} after ${months(Number(after))} of service`)
    .join(", ");
}

/** Of an `MM-DD`, in a year without a leap day. */
const dayIn2026 = (text: Rules[string]) => dayOfText(`2026-${text}`);

/** The last day on which what was carried over can be used, if the year begins on the same day for everybody. */
function expiry(count: Rules[string], { rules }: Policy): string {
  if (rules.periodAnchor === "anniversary") return "";
  const begins = dayIn2026(rules.carryoverOn ?? rules.yearStartsOn ?? "01-01");
  return `: the last day is ${monthDay(addMonths(begins, Number(count)) - 1)}`;
}

type Say = (value: Rules[string], policy: Policy) => string;
const minutes =
  (say: (amount: string, policy: Policy) => string): Say =>
  (value, policy) =>
    say(amount(Number(value), policy.unit), policy);

/** `accrualTiming` and `instalments` are in what is granted; how something is rounded, with what it is rounded to. */
const SAYS: Readonly<Record<string, Say>> = {
  periodAnchor: () => "Months and years begin on the day of the assignment.",
  prorate: () => "Who joins within a period gets all of its amount.",
  prorateBy: (by) =>
    `Who joins within a period gets a share by ${PARTS[String(by)] ?? `months in which they began by day ${String(by).split(":")[1]}`}.`,
  instalmentsFrom: (day) => `The parts are counted from ${plainText(String(day))}.`,
  yearStartsOn: (day) => `The leave year starts on ${monthDay(dayIn2026(day))}.`,
  waitingPeriodDays: (days) => `It can be used from ${days} days after the assignment on.`,
  tiers: (text, { unit }) => `It grows: ${tiers(text, unit)}.`,
  tierFrom: (from) =>
    `A new amount holds ${from === "sameDay" ? "from the day itself" : "for all of its year"}.`,
  serviceCounts: () => "Pauses do not count as service.",
  firstYearWholeAfterMonths: (count) =>
    `The first year grants full twelfths, and the rest after ${months(count)} of service.`,
  scaleWith: () => "It follows the share of full time.",
  revalue: (how) =>
    how === "weeks"
      ? "What is granted and what is left are weeks: they are worth what is worked."
      : "What is left is revalued when that share changes.",
  firstYearGrants: () => "The first year comes month by month.",
  whenItEnds: () => "What is left when it ends is lost.",
  payPeriods: (every) => `What hours worked have earned comes ${EVERY[String(every)]}.`,
  payPeriodsFrom: (day) => `One of these periods begins on ${plainText(String(day))}.`,
  roundGrantsToMinutes: minutes(
    (to, { rules }) => `Each grant is rounded ${roundedTo(rules.roundGrants)} ${to}.`,
  ),
  roundSumToMinutes: minutes(
    (to, { rules }) =>
      `What a year has granted is rounded ${roundedTo(rules.roundSum)} ${to}${rules.roundSumOn === "yearEnd" ? " at its end" : ""}.`,
  ),
  yearlyAccrualCapMinutes: minutes((most) => `It grants at most ${most} in a leave year.`),
  balanceCapMinutes: minutes((most) => `It grants nothing above a balance of ${most}.`),
  balanceCapTiers: (text, { unit }) => `The highest balance is ${tiers(text, unit)}.`,
  useCapMinutes: minutes((most) => `At most ${most} can be used in a leave year.`),
  carryoverLimitMinutes: minutes((most, { rules }) =>
    rules.carryoverLimitMinutes === 0 ? "It carries over nothing." : `It carries over at most ${most}.`,
  ),
  carryoverLimitTiers: (text, { unit }) => `It carries over at most ${tiers(text, unit)}.`,
  carryoverOn: (day) => `Carry-over is on ${monthDay(dayIn2026(day))}.`,
  carryoverKeepsMinutes: minutes((kept) => `${kept} of what was carried over never expires.`),
  carryoverExpiresAfterMonths: (count, policy) =>
    `What was carried over expires after ${months(count)}${expiry(count, policy)}.`,
  carryoverExpiresAfterDays: (days) => `What was carried over expires after ${days} days.`,
  grantsExpireAfterMonths: (count) => `Each grant expires after ${months(count)}.`,
};
