// The age of each company's data. Old data may be right, so it is a note, not a finding: the exit code stays 0.
import type { Finding } from "../../store/engine.ts";
import type { Company } from "../../store/store.ts";
import { DAY_MS } from "../../time/day.ts";
import { instantText } from "../output.ts";

const OLD_AFTER_DAYS = 7;

/** A note for each company whose data is older than a week, or was never imported. */
export function ageNotes(companies: readonly Company[], nowMs: number): Finding[] {
  return companies.flatMap(({ id, dataAsOfMs }) => {
    if (dataAsOfMs === null)
      return {
        check: "age",
        problem: `company ${id}: no data was ever imported`,
        advice: `rollcall import <files> --company ${id}`,
      };
    const days = Math.floor((nowMs - dataAsOfMs) / DAY_MS);
    if (days < OLD_AFTER_DAYS) return [];
    return {
      check: "age",
      problem: `company ${id}: data was last imported ${days} days ago, at ${instantText(dataAsOfMs)}`,
      advice: `if imports are scheduled, see why none succeeded since; then rollcall import <files> --company ${id}`,
    };
  });
}

/** When each company's data was last imported, as text. */
export function ageLines(companies: readonly Company[]): string[] {
  return companies.map(
    ({ id, dataAsOfMs }) => `company ${id}: last import ${instantText(dataAsOfMs) ?? "never"}`,
  );
}
