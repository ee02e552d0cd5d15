// The unit of the tables of balances: days unless the viewer chose hours, which is remembered.
import { useState } from "react";
import type { Policy } from "../../client/index.ts";
import { DAY_MINUTES } from "../data/format.ts";

export type Unit = Policy["unit"];

const STORED = "rollcall.unit";

export function useUnit(): [Unit, (unit: Unit) => void] {
  const [unit, setUnit] = useState<Unit>(localStorage.getItem(STORED) === "hour" ? "hour" : "day");
  const change = (next: Unit) => {
    localStorage.setItem(STORED, next);
    setUnit(next);
  };
  return [unit, change];
}

export const minutesIn = (unit: Unit) => (unit === "day" ? DAY_MINUTES : 60);

/** Minutes in the unit, to two decimals, as they are shown and exported. */
export const figureOf = (minutes: number, unit: Unit) => Math.round((minutes / minutesIn(unit)) * 100) / 100;
