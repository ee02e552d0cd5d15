// The unit of all amounts: the policy's, or hours if the viewer chose them. The browser remembers the choice.
import { useSyncExternalStore } from "react";
import type { Policy } from "../../client/index.ts";

export type Unit = Policy["unit"];

const STORED = "rollcall.unit";
const listeners = new Set<() => void>();

const wantsHours = () => globalThis.localStorage?.getItem(STORED) === "hour";

/** The unit that amounts of a policy are shown in. */
export const shownUnit = (unit: Unit): Unit => (wantsHours() ? "hour" : unit);

/** The viewer's unit, by default `day`, and a function that changes it for all views. */
export function useUnit(): [Unit, (unit: Unit) => void] {
  const isHours = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, wantsHours);
  const change = (next: Unit) => {
    localStorage.setItem(STORED, next);
    for (const listener of listeners) listener();
  };
  return [isHours ? "hour" : "day", change];
}

export const minutesIn = (unit: Unit) => (unit === "day" ? 480 : 60);

/** Minutes in the unit, to two decimals, as they are shown and exported. */
export const figureOf = (minutes: number, unit: Unit) => Math.round((minutes / minutesIn(unit)) * 100) / 100;
