// What is lost, in words: by the last day on which it can be used, and of many days the first ones.
import { expect, test } from "bun:test";
import { byDay, isCap, type Loss, lossesText } from "../../../src/web/people/losses.ts";

const loss = (date: string, days: number): Loss => ({ date, minutes: days * 480 });
/** With plain spaces. */
const said = (...losses: Loss[]) => lossesText(losses, "day").replaceAll("\u00a0", " ");

test("up to four days are named, each with its amount", () => {
  const [first, second, third, fourth] = ["2027-01-01", "2027-04-01", "2027-05-01", "2027-06-01"].map(
    (date) => loss(date, 2),
  ) as [Loss, Loss, Loss, Loss];
  expect(said(first)).toBe("2 days by 31 Dec 2026");
  expect(said(first, second)).toBe("2 days by 31 Dec 2026 and 2 days by 31 Mar 2027");
  expect(said(first, second, third, fourth)).toEndWith("2 days by 30 Apr 2027 and 2 days by 31 May 2027");
});

test("of five days and more, three are named, and the sum of the others by the last one", () => {
  const losses = [1, 2, 3, 4, 5].map((month) => loss(`2027-0${month}-01`, month));
  expect(said(...losses)).toBe(
    "1 day by 31 Dec 2026, 2 days by 31 Jan 2027, 3 days by 28 Feb 2027, and 9 days more by 30 Apr 2027",
  );
});

test("losses of one day are one sum", () => {
  expect(byDay([loss("2027-01-01", 1), loss("2027-01-01", 2), loss("2027-04-01", 4)])).toEqual([
    loss("2027-01-01", 3),
    loss("2027-04-01", 4),
  ]);
});

test("what a cap keeps from being granted is not lost", () => {
  expect(isCap({ cause: "balanceCap" })).toBe(true);
  expect(isCap({ cause: "carryoverExpiry" })).toBe(false);
});
