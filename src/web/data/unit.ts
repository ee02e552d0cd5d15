// The unit of all amounts: the policy's, or hours if the viewer chose them. The browser remembers the choice.
import type { Policy } from "../../client/index.ts";

export type Unit = Policy["unit"];

const STORED = "rollcall.unit";
const listeners = new Set<() => void>();

/** Whether the viewer chose hours. Storage is refused to a passport that has no address, and missing outside a browser. */
export function wantsHours(): boolean {
  try {
    return localStorage.getItem(STORED) === "hour";
  } catch {
    return false;
  }
}

export function chooseUnit(next: Unit): void {
  localStorage.setItem(STORED, next);
  for (const listener of listeners) listener();
}

export function onUnitChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unit that amounts of a policy are shown in. */
export const shownUnit = (unit: Unit): Unit => (wantsHours() ? "hour" : unit);

/** The API does not tell the length of a working day: amounts in days count eight hours. */
export const minutesIn = (unit: Unit) => (unit === "day" ? 480 : 60);

const rounded = (value: number, by: number) => Math.round(value * by) / by + 0; // never -0

/** The API has some minutes to 0.01, and others more exactly: first all are to 0.01, so that equal amounts are shown equal. */
const inUnit = (minutes: number, unit: Unit, by: number) =>
  rounded(rounded(minutes, 100) / minutesIn(unit), by);

/** Minutes in the unit, to two decimals, as they are shown. */
export const figureOf = (minutes: number, unit: Unit) => inUnit(minutes, unit, 100);

/** The same to four decimals, for sheets: thousands of rows add up to the total that is shown. */
export const sheetFigure = (minutes: number, unit: Unit) => inUnit(minutes, unit, 10_000);

/** Minutes from one balance to another as both are shown, so that what is shown adds up. `round` is how they are shown. */
export const changeOf = (from: number, to: number, unit: Unit, round = figureOf) =>
  (round(to, unit) - round(from, unit)) * minutesIn(unit);
