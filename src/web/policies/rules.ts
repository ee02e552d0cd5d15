// A policy's rules in words (docs/balances.md, The rules of a policy). Defaults are left out, except when something is granted.
import type { Policy } from "../../client/index.ts";
import { addMonths, dayOfText } from "../../time/day.ts";
import { amount, enumerated, monthDay, number, plainText } from "../data/format.ts";
import { isText, t } from "../texts/texts.ts";

type Rules = Policy["rules"];
type Rule = Rules[string];

/** The text of a rule's value, such as `rule.every.monthly`; the value itself if there is no text. */
function valueText(key: string, value: Rule | undefined): string {
  const whole = `${key}.${value}`;
  return isText(whole) ? t(whole) : String(value);
}

const every = (value: Rule) => valueText("rule.every", value);
/** `fullMonths`, or `startsBy:15` with a day of the month. */
export function partsText(by: string): string {
  const [, day] = by.split(":");
  return day === undefined
    ? valueText("rule.part", by)
    : t("rule.part.startsBy", { day: number(Number(day)) });
}

export const rounded = (how: Rule | undefined, to: string) => {
  const key = `rule.rounded.${how ?? "nearest"}`;
  return t(isText(key) ? key : "rule.rounded.nearest", { to });
};

/** A sentence on grants: the amount, how often, and when. */
export function grantText({ schedule, unit, rules, ...policy }: Policy): string {
  const timing = String(rules.accrualTiming ?? "start");
  const minutes = policy.minutesPerPeriod ?? 0;
  switch (schedule) {
    case "unlimited":
      return t("grant.unlimited");
    case "per_hour_worked":
      return t("grant.perHour", {
        amount: amount(policy.minutesPerChunk ?? 0, "hour"),
        count: policy.hoursWorkedPerChunk ?? 0,
        hours: number(policy.hoursWorkedPerChunk ?? 0),
      });
    case "monthly":
      return t("grant.monthly", { amount: amount(minutes, unit), year: amount(minutes * 12, unit), timing });
    case "yearly":
      return rules.instalments === undefined
        ? t("grant.yearly", { amount: amount(minutes, unit), timing })
        : t("grant.instalments", { amount: amount(minutes, unit), timing, every: every(rules.instalments) });
  }
}

/** A sentence for each rule that is not a default and not in `grantText`, and for each dated change. */
export function ruleTexts(policy: Policy): string[] {
  return [...textsOf(policy.rules, policy), ...policy.changes.map((change) => changeText(policy, change))];
}

function textsOf(rules: Rules, policy: Policy): string[] {
  return Object.entries(rules).flatMap(([rule, value]) => {
    const key = `rule.${rule}`;
    return isText(key) ? [t(key, { ...VALUES[rule]?.(value, policy) })] : [];
  });
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
    ...textsOf(before, policy).map((text) => t("rule.noLonger", { text })),
  ];
  return t("rule.change", { day: plainText(from), texts: texts.join(" ") });
}

/** `5 years`, `18 months`. */
export const months = (count: Rule): string =>
  Number(count) % 12 === 0
    ? t("span.years", { count: Number(count) / 12 })
    : t("span.months", { count: Number(count) });

/** Tiers such as `60:800; 120:1000` in words. */
function tiers(text: Rule, unit: Policy["unit"]): string {
  const each = String(text)
    .split(";")
    .map((tier) => tier.split(":"));
  return enumerated(
    each.map(([after, minutes]) =>
      t("rule.tier", { amount: amount(Number(minutes), unit), months: months(Number(after)) }),
    ),
  );
}

/** An `MM-DD` in a year without a leap day. */
const dayIn2026 = (text: Rule) => dayOfText(`2026-${text}`);

/** The last day to use carried-over time, if everybody's year begins on the same day; else empty. */
function lastUse(count: Rule, { rules }: Policy): string {
  if (rules.periodAnchor === "anniversary") return "";
  const begins = dayIn2026(rules.carryoverOn ?? rules.yearStartsOn ?? "01-01");
  return monthDay(addMonths(begins, Number(count)) - 1);
}

type Values = (value: Rule, policy: Policy) => Readonly<Record<string, string | number>>;

const ofAmount: Values = (value, { unit }) => ({ amount: amount(Number(value), unit) });
const ofDay: Values = (value) => ({ day: monthDay(dayIn2026(value)) });
const ofDate: Values = (value) => ({ day: plainText(String(value)) });
const ofMonths: Values = (value) => ({ months: months(value) });
const ofDays: Values = (value) => ({ days: Number(value) });
const ofTiers: Values = (value, { unit }) => ({ tiers: tiers(value, unit) });

/** The values in the sentence of each rule. A rule without an entry has none; `roundGrants` and `roundSum` are in other sentences. */
const VALUES: Readonly<Record<string, Values>> = {
  prorateBy: (by) => ({ parts: partsText(String(by)) }),
  revalue: (how) => ({ how: String(how) }),
  instalmentsFrom: ofDate,
  yearStartsOn: ofDay,
  waitingPeriodDays: ofDays,
  tiers: ofTiers,
  tierFrom: (from) => ({ from: String(from) }),
  firstYearWholeAfterMonths: ofMonths,
  payPeriods: (value) => ({ every: every(value) }),
  payPeriodsFrom: ofDate,
  roundGrantsToMinutes: (value, { rules, unit }) => ({
    rounded: rounded(rules.roundGrants, amount(Number(value), unit)),
  }),
  roundSumToMinutes: (value, { rules, unit }) => ({
    rounded: rounded(rules.roundSum, amount(Number(value), unit)),
    on: String(rules.roundSumOn ?? "every"),
  }),
  yearlyAccrualCapMinutes: ofAmount,
  balanceCapMinutes: ofAmount,
  balanceCapTiers: ofTiers,
  useCapMinutes: ofAmount,
  carryoverLimitMinutes: (value, policy) => ({ ...ofAmount(value, policy), minutes: Number(value) }),
  carryoverLimitTiers: ofTiers,
  carryoverOn: ofDay,
  carryoverKeepsMinutes: ofAmount,
  carryoverExpiresAfterMonths: (value, policy) => {
    const day = lastUse(value, policy);
    return { months: months(value), day, hasDay: String(day !== "") };
  },
  carryoverExpiresAfterDays: ofDays,
  grantsExpireAfterMonths: ofMonths,
};
