/**
 * Accounts of Urlaubsverwaltung: src/test/java/org/synyx/urlaubsverwaltung/{account,workingtime}/ at 4d787c64c76c. What was carried
 * over ends with March, but for the days that do not expire.
 */
import { type Case, DAY, type Leave, type Suite } from "./case.ts";

/** An account of 2022: so many days a year, so many from 2021, so many of which do not expire. */
function account(
  source: string,
  [annual, remaining, kept]: readonly [annual: number, remaining: number, kept: number],
  leave: readonly Leave[],
  left: Readonly<Record<string, number>>,
): Case {
  return {
    source,
    yearly: annual,
    rules: { carryoverExpiresAfterMonths: 3, ...(kept > 0 && { carryoverKeepsMinutes: kept * DAY }) },
    assigned: "2021-01-01",
    opening: ["2021-12-31", remaining],
    leave,
    left,
  };
}

/** So many days used before April, and after it. */
const used = (before: number, after: number): readonly Leave[] => [
  ["2022-02-07", "2022-02-07", before],
  ["2022-06-06", "2022-06-06", after],
];

const STARTS: readonly (readonly [day: string, of30: number, of24: number])[] = [
  ["2022-01-12", 30, 24],
  ["2022-02-16", 28, 22],
  ["2022-03-13", 25, 20],
  ["2022-04-20", 23, 18],
  ["2022-05-01", 20, 16],
  ["2022-06-03", 18, 14],
  ["2022-07-14", 15, 12],
  ["2022-08-17", 13, 10],
  ["2022-09-12", 10, 8],
  ["2022-10-11", 8, 6],
  ["2022-11-01", 5, 4],
  ["2022-12-31", 3, 2],
];

function begun(assigned: string, annual: number, days: number): Case {
  return {
    source: "AccountInteractionServiceImplTest, testDefaultAccountCreation",
    title: `${annual} days, begun on ${assigned}`,
    yearly: annual,
    rules: { prorateBy: "monthsStarted", roundGrantsToMinutes: DAY, roundGrants: "up" },
    assigned,
    granted: { "2022-12-31": days },
  };
}

const LEFT = "VacationDaysLeftTest, ";
const SERVICE = "VacationDaysServiceTest, ";

export const URLAUBSVERWALTUNG: Suite = {
  cases: [
    ...STARTS.map(([assigned, days]) => begun(assigned, 30, days)),
    ...STARTS.map(([assigned, , days]) => begun(assigned, 24, days)),
    account(`${LEFT}ensureCorrectVacationDaysLeftWithUsedDaysBeforeAndAfterApril`, [28, 5, 2], used(5, 10), {
      "2022-12-31": 18,
    }),
    account(`${LEFT}ensureCorrectVacationDaysLeftWithOnlyUsedDaysAfterApril`, [28, 5, 2], used(0, 10), {
      "2022-12-31": 20,
    }),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsedDaysbeforeExpiryDateGreaterThanRemainingVacationDays`,
      [28, 5, 2],
      used(10, 5),
      { "2022-12-31": 18 },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsedDaysLessThanRemainingVacationDays`,
      [28, 5, 2],
      used(2, 2),
      {
        "2022-12-31": 28,
      },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithOnlyUsedDaysbeforeExpiryDateLessThanRemainingVacationDays`,
      [28, 5, 2],
      used(3, 0),
      { "2022-12-31": 28 + 2 },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsingDifferenceOfNotExpiringRemainingVacationDays`,
      [28, 5, 2],
      used(4, 0),
      { "2022-12-31": 28 + 1 },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsingNotExpiringRemainingVacationDays`,
      [28, 5, 2],
      used(4, 2),
      {
        "2022-12-31": 27,
      },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsingAllRemainingVacationDaysbeforeExpiryDate`,
      [28, 5, 2],
      used(5, 2),
      { "2022-12-31": 26 },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsingAllRemainingVacationDaysbeforeExpiryDateWithoutUsedDaysAfterApril`,
      [28, 5, 2],
      used(5, 0),
      { "2022-12-31": 28 },
    ),
    account(
      `${LEFT}ensureCorrectVacationDaysLeftWithUsingAllRemainingVacationDaysExpiringAndNotExpiring`,
      [28, 5, 2],
      used(4, 1),
      { "2022-12-31": 28 },
    ),
    account(`${LEFT}getRemainingVacationDaysLeftForThisYearAndBeforeExpiryDate`, [10, 5, 0], used(1, 0), {
      "2022-03-31": 10 + 4,
    }),
    {
      source: `${LEFT}getRemainingVacationDaysLeftIfDaysDoesNotExpire`,
      yearly: 10,
      assigned: "2021-01-01",
      opening: ["2021-12-31", 4],
      left: { "2022-01-01": 10 + 4 },
    },
    account(`${LEFT}getRemainingVacationDaysLeftForThisYearAndAfterApril`, [10, 5, 5], used(1, 1), {
      "2022-12-31": 10 + 3,
    }),
    account(
      `${SERVICE}testGetVacationDaysUsedOfOneRemainingVacationDays`,
      [30, 10, 0],
      [
        ["2022-01-03", "2022-01-22", 20],
        ["2022-04-02", "2022-04-21", 20],
      ],
      { "2022-12-31": 0 },
    ),
    account(
      `${SERVICE}ensureToGetTotalLeftVacationDaysForPastYear`,
      [30, 6, 2],
      [
        ["2022-01-04", "2022-01-07", 4],
        ["2022-05-02", "2022-05-02", 1],
      ],
      { "2022-12-31": 31 },
    ),
    account(
      `${SERVICE}ensureToGetTotalLeftVacationDaysForThisYearExpiryDate`,
      [30, 7, 3],
      [
        ["2022-01-04", "2022-01-07", 4],
        ["2022-05-02", "2022-05-02", 1],
      ],
      { "2022-12-31": 32 },
    ),
    account(
      `${SERVICE}testGetTotalVacationDaysForThisYearAfterApril`,
      [30, 7, 3],
      [
        ["2022-01-04", "2022-01-07", 4],
        ["2022-05-02", "2022-05-04", 3],
      ],
      { "2022-12-31": 30 },
    ),
    account(
      `${SERVICE}testGetVacationDaysLeft`,
      [30, 6, 2],
      [
        ["2022-01-04", "2022-01-07", 4],
        ["2022-04-01", "2022-04-20", 20],
      ],
      { "2022-12-31": 12 },
    ),
    {
      source: `${SERVICE}testGetVacationDaysLeftWithoutExpire`,
      yearly: 30,
      assigned: "2021-01-01",
      opening: ["2021-12-31", 6],
      leave: [
        ["2022-01-04", "2022-01-07", 4],
        ["2022-04-01", "2022-04-20", 20],
      ],
      left: { "2022-12-31": 12 },
    },
    account(
      `${SERVICE}testGetVacationDaysLeftWithRemainingAlreadyUsed`,
      [30, 6, 2],
      [
        ["2022-01-04", "2022-01-07", 4],
        ["2022-04-01", "2022-04-20", 20],
        ["2023-01-04", "2023-01-07", 4],
      ],
      { "2022-12-31": 12 },
    ),
    account(
      `${SERVICE}ensureGetVacationDaysLeftWithApplicationBeforeExpiryDate`,
      [30, 10, 0],
      [["2022-03-07", "2022-03-18", 10]],
      { "2022-12-31": 30 },
    ),
    account(
      `${SERVICE}ensureGetVacationDaysLeftWithApplicationAfterExpiryDate`,
      [30, 10, 0],
      [["2022-06-06", "2022-06-17", 10]],
      { "2022-12-31": 20 },
    ),
    {
      ...account(
        `${SERVICE}ensureGetVacationDaysLeftWithApplicationOverlappingExpiryDate`,
        [30, 10, 0],
        [["2022-03-28", "2022-04-08", 10]],
        { "2022-12-31": 24 },
      ),
      workDays: 0b0011111,
    },
    {
      ...account(
        `${SERVICE}ensureGetVacationDaysLeftWithApplicationStartingInPreviousYear`,
        [30, 5, 0],
        [["2021-12-27", "2022-01-07", 10]],
        { "2022-12-31": 30 },
      ),
      workDays: 0b0011111,
    },
    {
      ...account(
        `${SERVICE}ensureGetVacationDaysLeftWithApplicationEndingInNextYear`,
        [30, 0, 0],
        [["2022-12-26", "2023-01-07", 10]],
        { "2022-12-31": 25 },
      ),
      workDays: 0b0011111,
    },
    account(
      `${SERVICE}ensureGetVacationDaysLeftWithHalfDayApplicationOnWorkingDayWithHalfPublicHoliday`,
      [30, 0, 0],
      [["2022-12-24", "2022-12-24", 0.5]],
      { "2022-12-31": 29.5 },
    ),
    account(`${SERVICE}ensureGetTotalLeftVacationDaysRespectsClockBeforeAndAfterExpiry`, [30, 5, 2], [], {
      "2022-03-01": 35,
      "2022-05-01": 32,
    }),
  ],
  unsayable: [],
};
