// The balance over a leave year: a line that steps on the day on which something happens.
import { nice, ticks } from "d3-array";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Policy } from "../../client/index.ts";
import { addMonths, type Day, firstOfMonth } from "../../time/day.ts";
import { amount, DAY_MINUTES, number, plainDay, shortMonth } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import { t } from "../texts/texts.tsx";
import type { LeaveYear, Step } from "./leave-year.ts";

const HEIGHT = 168;
const MARGIN = { top: 20, right: 12, bottom: 24, left: 36 };

interface Props {
  readonly name: string;
  readonly unit: Policy["unit"];
  /** The balance begins here. */
  readonly since: Day;
  readonly year: LeaveYear;
}

export function BalanceLine({ name, unit, since, year }: Props) {
  const today = useToday();
  const [figure, width] = useWidth<HTMLElement>();
  const perUnit = unit === "day" ? DAY_MINUTES : 60;
  const { first, end } = year.range;
  const steps = year.steps.filter(({ day }) => day >= since);
  const values = steps.map(({ minutes }) => minutes / perUnit);
  const [low, high] = nice(Math.min(0, ...values), Math.max(1, ...values), 4);
  const x = between([first, end], [MARGIN.left, Math.max(width, 200) - MARGIN.right]);
  const y = between([low, high], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const at = ({ minutes }: Step) => y(minutes / perUnit);
  const begin = Math.max(first, since);
  // Today's steps have happened; the rest of the year is what is known of it now.
  const turn = Math.min(Math.max(today + 1, begin), end);
  const now = today >= begin && today < end ? stepAt(steps, today) : null;
  const months = monthsOf(first, end);

  return (
    <figure ref={figure} className="line" aria-busy={width === 0}>
      <svg width={Math.max(width, 200)} height={HEIGHT} role="img" aria-label={inWords(name, unit, year)}>
        {ticks(low, high, 4).map((tick) => (
          <g key={tick} className={tick === 0 ? "grid zero" : "grid"}>
            <line x1={MARGIN.left} x2={x(end)} y1={y(tick)} y2={y(tick)} />
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
        {now !== null && (
          <line className="now" x1={x(today)} x2={x(today)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
        )}
        <path className="past" d={stairs(steps, begin, turn, x, at)} />
        <path className="projected" d={stairs(steps, turn, end, x, at)} />
        {now !== null && <circle className="dot" cx={x(today)} cy={at(now)} r="4" />}
        {now !== null && (
          <text
            className="now-label"
            x={x(today) > width / 2 ? x(today) - 8 : x(today) + 8}
            y={MARGIN.top - 8}
            textAnchor={x(today) > width / 2 ? "end" : "start"}
          >
            {t("day.today")}
          </text>
        )}
      </svg>
    </figure>
  );
}

/** The step that holds on a day: the last that is not after it. */
function stepAt(steps: readonly Step[], day: Day): Step | null {
  return steps.findLast((step) => step.day <= day) ?? steps[0] ?? null;
}

/** A path along the steps from one day to another: level, and straight up or down where a step is. */
function stairs(
  steps: readonly Step[],
  from: Day,
  to: Day,
  x: (day: Day) => number,
  at: (step: Step) => number,
): string {
  const start = stepAt(steps, from);
  if (start === null || from >= to) return "";
  const inside = steps.filter(({ day }) => day > from && day < to);
  const path = inside.map((step) => `H${x(step.day)}V${at(step)}`).join("");
  return `M${x(from)} ${at(start)}${path}H${x(to)}`;
}

function monthsOf(first: Day, end: Day): Day[] {
  const months: Day[] = [];
  for (let month = firstOfMonth(first); month < end; month = addMonths(month, 1)) {
    if (month + 15 >= first && month + 15 < end) months.push(month);
  }
  return months;
}

/** The straight line that takes one range to the other. */
function between([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  return (value: number) => start + ((value - from) / (to - from)) * (end - start);
}

function inWords(name: string, unit: Policy["unit"], { range, parts }: LeaveYear): string {
  const left = t("balance.loss", {
    amount: amount(parts.at(-1)!.minutes, unit),
    day: plainDay(range.end - 1),
  });
  return t("fact", { name, value: left });
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
