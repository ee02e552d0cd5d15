// Each rule of a policy is one sentence, which says its value in the policy's unit (docs/balances.md, The rules of a policy). A change of
// the policy says what is new.
import { expect, test } from "bun:test";
import type { Policy } from "../../src/client/index.ts";
import { RULES } from "../../src/resources/policies.ts";
import { grantText, partsText, ruleTexts } from "../../src/web/policies/rules.ts";

/** Without the spaces that keep an amount on one line. */
const plain = (text: string) => text.replaceAll("\u00a0", " ");

const POLICY: Policy = {
  ...{ id: "top_1", name: "Leave", description: null, paid: true, unit: "day", schedule: "yearly" },
  ...{ minutesPerPeriod: 9600, minutesPerChunk: null, hoursWorkedPerChunk: null, isUnlimited: false },
  ...{ timeOffTypeId: "tot_1", timeOffTypeName: "Vacation", legacyId: null, isAbsence: true },
  ...{ isPaidOut: true, rules: {}, changes: [] },
};

const granted = (policy: Partial<Policy>) => plain(grantText({ ...POLICY, ...policy }));
const ruled = (rules: Policy["rules"], policy: Partial<Policy> = {}) =>
  ruleTexts({ ...POLICY, ...policy, rules }).map(plain);

const GRANT = "20 days a year, credited at the year’s start.";

/** A value of each rule, and its sentence: of the grant, for those that say how much is granted when. */
const SENTENCES: Readonly<Record<(typeof RULES)[number], readonly [Policy["rules"][string], string]>> = {
  accrualTiming: ["end", "20 days a year, credited after the year’s end."],
  periodAnchor: ["anniversary", "Months and years begin on the day of the assignment."],
  prorate: [false, "Who joins within a period gets all of its amount."],
  waitingPeriodDays: [90, "It can be used from 90 days after the assignment on."],
  carryoverLimitMinutes: [2400, "It carries over at most 5 days."],
  balanceCapMinutes: [9600, "It grants nothing above a balance of 20 days."],
  prorateBy: ["halfMonths", "Who joins within a period gets a share by half months."],
  instalments: ["quarterly", "20 days a year in parts, every quarter, credited at each part’s start."],
  instalmentsFrom: ["2026-01-05", "The parts are counted from 5 Jan 2026."],
  yearStartsOn: ["04-01", "The leave year starts on 1 April."],
  tiers: [
    "60:10560; 18:10080; 12:9840",
    "It grows: 22 days after 5 years of service, 21 days after 18 months of service, 20.5 days after 1 year of service.",
  ],
  tierFrom: ["sameYear", "A new amount holds for all of its year."],
  roundGrantsToMinutes: [240, "Each grant is rounded to the nearest 0.5 days."],
  roundGrants: ["up", "Each grant is rounded up to 0.5 days."],
  yearlyAccrualCapMinutes: [12_000, "It grants at most 25 days in a leave year."],
  carryoverExpiresAfterMonths: [3, "What was carried over expires after 3 months: the last day is 31 March."],
  carryoverExpiresAfterDays: [100, "What was carried over expires after 100 days."],
  carryoverKeepsMinutes: [480, "1 day of what was carried over never expires."],
  carryoverOn: ["03-31", "Carry-over is on 31 March."],
  grantsExpireAfterMonths: [12, "Each grant expires after 1 year."],
  balanceCapTiers: ["60:14400", "The highest balance is 30 days after 5 years of service."],
  carryoverLimitTiers: ["60:4800", "It carries over at most 10 days after 5 years of service."],
  useCapMinutes: [7200, "At most 15 days can be used in a leave year."],
  roundSumToMinutes: [240, "What a year has granted is rounded to the nearest 0.5 days."],
  roundSum: ["halfUpKeep", "What a year has granted is rounded up to 0.5 days, from half of it on."],
  roundSumOn: ["yearEnd", "What a year has granted is rounded to the nearest 0.5 days at its end."],
  firstYearWholeAfterMonths: [
    6,
    "The first year grants full twelfths, and the rest after 6 months of service.",
  ],
  firstYearGrants: ["monthly", "The first year comes month by month."],
  serviceCounts: ["assigned", "Pauses do not count as service."],
  payPeriods: ["biweekly", "Time earned by hours worked is credited every two weeks."],
  payPeriodsFrom: ["2026-01-05", "One of these periods begins on 5 Jan 2026."],
  scaleWith: ["share", "It follows the share of full time."],
  revalue: ["remaining", "What is left is revalued when that share changes."],
  whenItEnds: ["forfeit", "What is left when it ends is lost."],
};

/** What a rule is about: how something is rounded says nothing alone. */
const WITH: Readonly<Record<string, Policy["rules"]>> = {
  roundGrants: { roundGrantsToMinutes: 240 },
  roundSum: { roundSumToMinutes: 240 },
  roundSumOn: { roundSumToMinutes: 240 },
};

test.each(RULES)("the rule %s has its sentence", (rule) => {
  const [value, sentence] = SENTENCES[rule];
  const rules = { ...WITH[rule], [rule]: value };
  const texts = [granted({ rules }), ...ruled(rules)];
  expect(texts).toEqual(sentence.startsWith("20 days") ? [sentence] : [GRANT, sentence]);
});

test.each([
  [
    { schedule: "unlimited", minutesPerPeriod: null, isUnlimited: true },
    "Unlimited: there is no set amount.",
  ],
  [
    { schedule: "monthly", minutesPerPeriod: 800 },
    "1.67 days a month, credited at the month’s start: 20 days a year.",
  ],
  [
    { schedule: "monthly", minutesPerPeriod: 800, rules: { accrualTiming: "lastDay" } },
    "1.67 days a month, credited on the month’s last day: 20 days a year.",
  ],
  [
    { schedule: "per_hour_worked", minutesPerPeriod: null, minutesPerChunk: 90, hoursWorkedPerChunk: 30 },
    "1.5 h for every 30 hours worked.", // hours, though the policy is in days
  ],
  [
    { schedule: "per_hour_worked", minutesPerPeriod: null, minutesPerChunk: 3, hoursWorkedPerChunk: 1 },
    "0.05 h for every 1 hour worked.",
  ],
  [{ unit: "hour" }, "160 h a year, credited at the year’s start."],
  [
    { unit: "hour", rules: { instalments: "semimonthly", accrualTiming: "end" } },
    "160 h a year in parts, twice a month, credited after each part’s end.",
  ],
] as const satisfies readonly (readonly [Partial<Policy>, string])[])(
  "what is granted, how often and when: %o",
  (policy, sentence) => expect(granted(policy)).toBe(sentence),
);

test("amounts of rules are in the policy's unit, too", () => {
  const rules = {
    useCapMinutes: 7200,
    tiers: "60:10560",
    roundGrantsToMinutes: 30,
    carryoverLimitMinutes: 0,
  };
  expect(ruled(rules, { unit: "hour" })).toEqual([
    "At most 120 h can be used in a leave year.",
    "It grows: 176 h after 5 years of service.",
    "Each grant is rounded to the nearest 0.5 h.",
    "It carries over nothing.",
  ]);
});

test("the last day to use what was carried over is that of the day on which it is carried over", () => {
  const last = (rules: Policy["rules"]) => ruled({ ...rules, carryoverExpiresAfterMonths: 3 }).at(-1);
  const after = "What was carried over expires after 3 months";
  expect(last({ yearStartsOn: "04-01" })).toBe(`${after}: the last day is 30 June.`);
  expect(last({ yearStartsOn: "04-01", carryoverOn: "07-01" })).toBe(
    `${after}: the last day is 30 September.`,
  );
  expect(last({ periodAnchor: "anniversary" })).toBe(`${after}.`); // everybody's is another
});

test("the parts of a period are in words, and a day in the viewer's numbers", () => {
  expect(["fullMonths", "serviceMonths", "startsBy:15"].map(partsText)).toEqual([
    "full months",
    "full months of service",
    "months in which they began by day 15",
  ]);
});

type Change = Policy["changes"][number];
const changed = (change: Partial<Change>, policy: Partial<Policy> = {}) => {
  const changes = [{ from: "2027-01-01", rules: {}, ...change } as Change];
  return plain(ruleTexts({ ...POLICY, ...policy, changes }).at(-1)!).replace("From 1 Jan 2027 on: ", "");
};
const BY_HOURS = {
  schedule: "per_hour_worked",
  minutesPerPeriod: null,
  minutesPerChunk: 60,
  hoursWorkedPerChunk: 30,
} as const;

test.each([
  ["an amount", { minutesPerPeriod: 12_000 }, {}, "25 days a year, credited at the year’s start."],
  [
    "an amount, under the rules that stay",
    { minutesPerPeriod: 12_000 },
    { rules: { accrualTiming: "end" } },
    "25 days a year, credited after the year’s end.",
  ],
  [
    "when it is credited",
    { rules: { accrualTiming: "end" } },
    {},
    "20 days a year, credited after the year’s end.",
  ],
  ["minutes for hours", { minutesPerChunk: 120 }, BY_HOURS, "2 h for every 30 hours worked."],
  ["hours for minutes", { hoursWorkedPerChunk: 40 }, BY_HOURS, "1 h for every 40 hours worked."],
  [
    "a rule alone",
    { rules: { balanceCapMinutes: 24_000 } },
    {},
    "It grants nothing above a balance of 50 days.",
  ],
  [
    "how something is rounded that stays",
    { rules: { roundGrantsToMinutes: 60 } },
    { rules: { roundGrants: "up" } },
    "Each grant is rounded up to 0.13 days.",
  ],
  [
    "the end of a rule",
    { rules: { carryoverLimitMinutes: "none" } },
    { rules: { carryoverLimitMinutes: 2400, useCapMinutes: 7200 } },
    "No longer: It carries over at most 5 days.",
  ],
] as const satisfies readonly (readonly [string, Partial<Change>, Partial<Policy>, string])[])(
  "a change on a date says what is new: %s",
  (_what, change, policy, text) => expect(changed({ ...change }, policy)).toBe(text),
);

test("changes come after the rules, each with its day", () => {
  const changes: Policy["changes"] = [
    { from: "2027-01-01", minutesPerPeriod: 12_000, rules: { balanceCapMinutes: 24_000 } },
    { from: "2028-01-01", minutesPerPeriod: null, rules: { carryoverLimitMinutes: "none" } },
  ];
  expect(ruled({ carryoverLimitMinutes: 2400 }, { changes })).toEqual([
    "It carries over at most 5 days.",
    "From 1 Jan 2027 on: 25 days a year, credited at the year’s start. It grants nothing above a balance of 50 days.",
    "From 1 Jan 2028 on: No longer: It carries over at most 5 days.",
  ]);
});
