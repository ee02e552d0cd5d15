// The line of a balance over a year: as it stood, and as it is projected.
import { nice, ticks } from "d3-array";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Policy } from "../../client/index.ts";
import { type Day, dayOf } from "../../time/day.ts";
import { amount, DAY_MINUTES, longDay, number, plainDay, shortMonth } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import type { Line, Point } from "./balance-year.ts";

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
  const [first, last] = [dayOf(year, 1, 1), dayOf(year, 12, 31)];

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
  const xOf = ({ day }: Point) => x(day);
  const probed = probeX === null ? null : nearest(shown, xOf, probeX);
  const isThisYear = today >= first && today <= last;
  const months = Array.from({ length: 12 }, (_, index) => dayOf(year, index + 1, 1));

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
            {amount(end.minutes, unit)} projected
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
  if (end !== undefined) parts.push(`${amount(end.minutes, unit)} on ${longDay(end.day)} projected`);
  return parts.join("; ");
}

interface ProbeProps {
  readonly point: Point;
  readonly unit: Policy["unit"];
  readonly isProjected: boolean;
  readonly x: number;
  readonly y: number;
  /** Of the whole drawing; the words stay inside. */
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
}

/** What the line says where the pointer is: the nearest point, its day and its amount. */
function LineProbe({ point, unit, isProjected, x, y, width, top, bottom }: ProbeProps) {
  const isRight = x > width / 2;
  return (
    <g className="probe">
      <line x1={x} x2={x} y1={top} y2={bottom} />
      <circle cx={x} cy={y} r="4" />
      <text x={isRight ? x - 8 : x + 8} y={bottom - 8} textAnchor={isRight ? "end" : "start"}>
        {plainDay(point.day)}: {amount(point.minutes, unit)}
        {isProjected && " projected"}
      </text>
    </g>
  );
}

/** The point that is drawn nearest to `x`, or null without points. */
function nearest(points: readonly Point[], xOf: (point: Point) => number, x: number): Point | null {
  let best: Point | null = null;
  for (const point of points) {
    if (best === null || Math.abs(xOf(point) - x) < Math.abs(xOf(best) - x)) best = point;
  }
  return best;
}

interface TableProps {
  readonly unit: Policy["unit"];
  readonly past: readonly Point[];
  readonly projected: readonly Point[];
  readonly today: Day;
}

/** The points of a line as a table, for who cannot see it and who wants the numbers. */
function LineTable({ unit, past, projected, today }: TableProps) {
  const rows = [...past, ...projected.filter(({ day }) => day > today)];
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Balance</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ day, minutes }) => (
          <tr key={day}>
            <td>{longDay(day)}</td>
            <td>
              {amount(minutes, unit)}
              {day > today && <span className="soft"> projected</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The width of an element, in CSS pixels; follows the element. */
function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
