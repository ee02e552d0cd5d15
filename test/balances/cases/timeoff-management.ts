/**
 * Allowances of TimeOff.Management: t/unit/model/user_allowance.js at 5b1c1be08038. The allowance of a year that is not employed in
 * whole is rounded to days. Where it accrues, it does so day by day, rounded to half a day.
 */
import { DAY, type Suite } from "./case.ts";

const inWholeDays = { roundGrantsToMinutes: DAY } as const;
const byDay = { instalments: "daily", accrualTiming: "end", roundSumToMinutes: DAY / 2 } as const;

export const TIMEOFF_MANAGEMENT: Suite = {
  cases: [
    {
      source: "begun last year, no end",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2015-07-14",
      opening: ["2015-12-31", 0],
      left: { "2016-07-20": 20 },
    },
    {
      source: "begun last year, ends this year",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2015-04-23",
      ends: "2016-04-01",
      opening: ["2015-12-31", 0],
      left: { "2016-02-20": 20 - 15 },
    },
    {
      source: "begun last year, ends next year",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2015-04-23",
      ends: "2017-04-01",
      opening: ["2015-12-31", 0],
      left: { "2016-07-20": 20 },
    },
    {
      source: "begun this year, no end",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2018-04-01",
      left: { "2018-07-20": 20 - 5 },
    },
    {
      source: "begins and ends this year",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2016-04-01",
      ends: "2016-10-01",
      left: { "2016-07-20": 20 - 10 },
    },
    {
      source: "begun this year, ends next year",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2018-04-01",
      ends: "2019-10-01",
      left: { "2018-07-20": 20 - 5 },
    },
    {
      source: "begins in a later year, no end",
      title: "nothing is available before it",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2018-04-01",
      left: { "2016-07-20": 0 },
    },
    {
      source: "begins next year, ends",
      title: "nothing is available before it",
      yearly: 20,
      rules: inWholeDays,
      assigned: "2017-04-01",
      ends: "2017-10-01",
      left: { "2016-07-20": 0 },
    },
    {
      source: "begun last year, 1 February",
      yearly: 24,
      rules: byDay,
      assigned: "2016-10-01",
      opening: ["2016-12-31", 0],
      left: { "2017-02-01": 24 - 22, "2017-12-31": 24 },
    },
    {
      source: "begun in April, 1 July",
      yearly: 24,
      rules: byDay,
      assigned: "2016-04-01",
      left: { "2016-07-01": 18 - 12, "2017-01-01": 18 },
    },
    {
      source: "begun in April, 1 July, 10 days carried over",
      yearly: 24,
      rules: byDay,
      assigned: "2016-04-01",
      adjustments: { "2016-04-01": 10 },
      left: { "2016-07-01": 28 - 12, "2017-01-01": 28 },
    },
    {
      source: "begun in April, 1 July, adjusted by 4 days",
      title:
        "the adjustment is earned day by day in its year: a rate of 19 ÷ 15, as the year's allowance is 15 + 4",
      yearly: 20,
      rules: byDay,
      assigned: "2016-04-01",
      rates: "2016-04-01:126.67%; 2017-01-01:100%",
      left: { "2016-07-01": 19 - 12.5, "2017-01-01": 19, "2018-01-01": 19 + 20 },
    },
    {
      source: "begun last year, 1 January",
      yearly: 24,
      rules: byDay,
      assigned: "2016-04-01",
      opening: ["2016-12-31", 0],
      left: { "2017-01-01": 0 },
    },
    {
      source: "begun last year, 14 January",
      yearly: 24,
      rules: byDay,
      assigned: "2016-04-01",
      opening: ["2016-12-31", 0],
      left: { "2017-01-14": 24 - 23 },
    },
    {
      source: "begun last year, 31 December",
      yearly: 24,
      rules: byDay,
      assigned: "2016-04-01",
      opening: ["2016-12-31", 0],
      left: { "2017-12-31": 24 },
    },
    {
      source: "begun last year, 15 December",
      yearly: 24,
      rules: byDay,
      assigned: "2016-04-01",
      opening: ["2016-12-31", 0],
      left: { "2017-12-15": 24 - 1 },
    },
    {
      source: "begun this year, asked for the year before",
      yearly: 24,
      rules: inWholeDays,
      assigned: "2019-01-01",
      left: { "2018-01-01": 0 },
    },
    {
      source: "begun this year, asked for this year",
      yearly: 24,
      rules: inWholeDays,
      assigned: "2019-01-01",
      left: { "2019-06-01": 24 },
    },
  ],
  unsayable: [],
};
