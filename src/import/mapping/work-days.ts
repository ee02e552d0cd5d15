// The days of a week on which people work, such as `Mon-Fri` or `Mon,Tue,Thu`: which they are, and how many lie in a span.
import { type Day, weekdayOf } from "../../time/day.ts";

const NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** The days, bit 0 for Monday; null where the text is none. A range may go over the week's end: `Sun-Thu`. */
export function workDaysOf(text: string): number | null {
  let days = 0;
  for (const part of text.toLowerCase().split(",")) {
    const [first, last = first, ...more] = part.split("-").map((name) => NAMES.indexOf(name.trim()));
    if (first === undefined || first < 0 || last! < 0 || more.length > 0) return null;
    for (let day = first; ; day = (day + 1) % 7) {
      days |= 1 << day;
      if (day === last) break;
    }
  }
  return days;
}

/** How many days from `first` through `last` are among `workDays`. */
export function countWorkDays(first: Day, last: Day, workDays: number): number {
  let count = 0;
  for (let day = first; day <= last; day++) if ((workDays >> weekdayOf(day)) & 1) count++;
  return count;
}
