// A year of balances, as the API computes them: at the beginning and at the end of each month, and today.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Balance } from "../../client/index.ts";
import { addMonths, type Day, dayOf } from "../../time/day.ts";
import { balancesOf, useServer, useToday } from "../data/queries.ts";

export interface Point {
  readonly day: Day;
  readonly minutes: number;
}

/** `past` through today: what was available. `projected` from today: what will be available once all of it has unlocked. */
export interface Line {
  readonly past: readonly Point[];
  readonly projected: readonly Point[];
  readonly isComplete: boolean;
}

function daysOf(year: number, today: Day): Day[] {
  const firsts = Array.from({ length: 12 }, (_, index) => dayOf(year, index + 1, 1));
  const days = firsts.flatMap((first) => [first, addMonths(first, 1) - 1]);
  const isThisYear = today >= days[0]! && today <= days.at(-1)!;
  return [...new Set(isThisYear ? [...days, today] : days)].sort((a, b) => a - b);
}

/** A line for each policy, by policy id; empty until the responses arrive. */
export function useBalanceYear(workerId: string, year: number): ReadonlyMap<string, Line> {
  const server = useServer();
  const today = useToday();
  const days = useMemo(() => daysOf(year, today), [year, today]);
  return useQueries({
    queries: days.map((day) => ({ ...balancesOf(server, workerId, day), staleTime: 300_000 })),
    combine: (responses) =>
      linesOf(
        days,
        today,
        responses.map(({ data }) => data),
      ),
  });
}

function linesOf(days: readonly Day[], today: Day, responses: readonly (readonly Balance[] | undefined)[]) {
  const lines = new Map<string, { past: Point[]; projected: Point[]; isComplete: boolean }>();
  const isComplete = responses.every((balances) => balances !== undefined);
  responses.forEach((balances, index) => {
    const day = days[index]!;
    for (const { policyId, available, accruedLocked } of balances ?? []) {
      let line = lines.get(policyId);
      if (line === undefined) {
        line = { past: [], projected: [], isComplete };
        lines.set(policyId, line);
      }
      if (day <= today) line.past.push({ day, minutes: available });
      if (day >= today) line.projected.push({ day, minutes: available + accruedLocked });
    }
  });
  return lines;
}
