// The line of a balance over a year: as it stood, and as it will be if everything unlocks.
import { nice, ticks } from "d3-array";
import { useState } from "react";
import type { Policy } from "../../client/index.ts";
import { useToday } from "../data/server.ts";
import { useWidth } from "../parts/width.ts";
import { type Day, firstOfMonth } from "../time/days.ts";
import { amount, DAY_MINUTES, longDay, number, shortMonth } from "../time/format.ts";
import type { Line, Point } from "./balance-year.ts";
import { LineProbe, nearest } from "./line-probe.tsx";
import { LineTable } from "./line-table.tsx";

const HEIGHT = 168;
const MARGIN = { top: 20, right: 12, bottom: 24, left: 36 };

interface Props {
  readonly name: string;
  readonly unit: Policy["unit"];
  readonly year: number;
  /** The balance begins here. */
  readonly since: Day;
  readonly line: Line | undefined;
}

export function BalanceLine({ name, unit, year, since, line }: Props) {
  const today = useToday();
  const [figure, width] = useWidth<HTMLElement>();
  const [probeX, setProbeX] = useState<number | null>(null);
  const past = (line?.past ?? []).filter(({ day }) => day >= since);
  const projected = (line?.projected ?? []).filter(({ day }) => day >= since);
  const perUnit = unit === "day" ? DAY_MINUTES : 60;
  const [first, last] = [firstOfMonth(year, 0), firstOfMonth(year + 1, 0) - 1];

  const values = [...past, ...projected].map(({ minutes }) => minutes / perUnit);
  const [low, high] = nice(Math.min(0, ...values), Math.max(1, ...values), 4);
  const x = between([first, last], [MARGIN.left, Math.max(width, 200) - MARGIN.right]);
  const y = between([low, high], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const path = (points: readonly Point[]) =>
    points
      .map(({ day, minutes }, index) => `${index === 0 ? "M" : "L"}${x(day)} ${y(minutes / perUnit)}`)
      .join("");
  const end = projected.at(-1);
  const shown = [...past, ...projected.filter(({ day }) => day > today)];
  const placeOf = ({ day }: Point) => x(day);
  const probed = probeX === null ? null : nearest(shown, placeOf, probeX);
  const isThisYear = today >= first && today <= last;
  const months = Array.from({ length: 12 }, (_, month) => firstOfMonth(year, month));

  return (
    <figure ref={figure} className="line" aria-busy={line?.isComplete !== true}>
      <svg
        width={Math.max(width, 200)}
        height={HEIGHT}
        role="img"
        aria-label={inWords(name, unit, past, projected)}
        onPointerMove={(event) => setProbeX(event.nativeEvent.offsetX)}
        onPointerLeave={() => setProbeX(null)}
      >
        {ticks(low, high, 4).map((tick) => (
          <g key={tick} className={tick === 0 ? "grid zero" : "grid"}>
            <line x1={MARGIN.left} x2={x(last)} y1={y(tick)} y2={y(tick)} />
            <text x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {number(tick)}
            </text>
          </g>
        ))}
        {months.map((month, index) => (
          <text key={month} className="month" x={x(month + 15)} y={HEIGHT - 6} textAnchor="middle">
            {width > 460 || index % 3 === 0 ? shortMonth(month) : ""}
          </text>
        ))}
        {isThisYear && (
          <line className="now" x1={x(today)} x2={x(today)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
        )}
        <path className="past" d={path(past)} />
        <path className="projected" d={path(projected)} />
        {isThisYear && past.length > 0 && (
          <circle className="dot" cx={x(today)} cy={y(past.at(-1)!.minutes / perUnit)} r="4" />
        )}
        {end !== undefined && projected.length > 1 && (
          <text className="projected-label" x={x(last)} y={MARGIN.top - 8} textAnchor="end">
            {amount(end.minutes, unit)} if everything unlocks
          </text>
        )}
        {probed !== null && (
          <LineProbe
            point={probed}
            unit={unit}
            isProjected={probed.day > today}
            x={x(probed.day)}
            y={y(probed.minutes / perUnit)}
            width={width}
            top={MARGIN.top}
            bottom={HEIGHT - MARGIN.bottom}
          />
        )}
      </svg>
      <details className="small">
        <summary>Numbers of {year}</summary>
        <LineTable unit={unit} past={past} projected={projected} today={today} />
      </details>
    </figure>
  );
}

/** The straight line that takes one range to the other. */
function between([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  return (value: number) => start + ((value - from) / (to - from)) * (end - start);
}

function inWords(
  name: string,
  unit: Policy["unit"],
  past: readonly Point[],
  projected: readonly Point[],
): string {
  const [now, end] = [past.at(-1), projected.at(-1)];
  const parts = [`${name} over the year`];
  if (now !== undefined) parts.push(`${amount(now.minutes, unit)} on ${longDay(now.day)}`);
  if (end !== undefined)
    parts.push(`${amount(end.minutes, unit)} on ${longDay(end.day)} if everything unlocks`);
  return parts.join("; ");
}
