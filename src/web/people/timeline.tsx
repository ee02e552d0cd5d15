// A balance over one or two leave years: a line with steps for grants, leave and losses, the leave below it, and a movable day with the
// time that can be taken on it. A table has the same for people who do not see the line.

import { useQuery } from "@tanstack/react-query";
import { nice, ticks } from "d3-array";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Balance, BalanceEntry, Policy } from "../../client/index.ts";
import { addMonths, type Day, dayOfText, firstOfMonth, formatDay } from "../../time/day.ts";
import type { Absence } from "../data/absences.ts";
import { type DayRange, storedDay } from "../data/days.ts";
import { amount, enumerated, number, plainDay, shortMonth, signed } from "../data/format.ts";
import { previewOf, useServer, useToday } from "../data/queries.ts";
import { useSettings } from "../data/settings.ts";
import { minutesIn, shownUnit } from "../data/unit.ts";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { Entries } from "./explanation.tsx";
import { firstTakeable } from "./leave-year.ts";
import { type Leave, PlannedLeave } from "./planned-leave.tsx";

const HEIGHT = 190;
const MARGIN = { top: 22, right: 12, bottom: 40, left: 40 };
const NARROWEST = 200;

interface Props {
  readonly name: string;
  readonly unit: Policy["unit"];
  /** The first day of the balance. */
  readonly since: Day;
  readonly range: DayRange;
  /** The first day of the next leave year. */
  readonly turnOfYear: Day;
  /** The balance at the beginning, in minutes. `entries` change it. */
  readonly opening: number;
  readonly entries: readonly BalanceEntry[];
  readonly absences: readonly Absence[];
  readonly tone: string;
  /** Null if no leave can be taken in this year. */
  readonly balance: Balance | null;
}

/** The balance from this day on. */
interface Step {
  readonly day: Day;
  readonly minutes: number;
}

export function Timeline(props: Props) {
  const { name, unit, since, range, turnOfYear, opening, entries, absences, tone, balance } = props;
  const today = useToday();
  const { workerId } = useServer();
  const [figure, measured] = useWidth<HTMLElement>();
  const [moved, setMoved, chosenLast, setLast] = usePlan(balance);
  const width = Math.max(measured, NARROWEST);
  const { first, end } = range;
  const from = Math.min(Math.max(first, balance === null ? today : firstTakeable(balance, today)), end - 1);
  const day = Math.min(Math.max(moved ?? from, from), end - 1);
  const latest = Math.min(end - 1, day + LONGEST);
  const last =
    moved === null && chosenLast === null ? null : Math.max(day, Math.min(chosenLast ?? day, latest));
  const leave = useMemo(() => ({ first: day, last }), [day, last]);
  const asked = useSettled(leave);
  const isSettled = asked.first === day;
  const taken = useTakeable(balance, asked.first, unit);
  const [isOpened, setOpened] = useState(false);
  const saysTakeable = isOpened && balance !== null;
  // No steps for pending leave, which is shown below the line, and for grants that a cap cut to nothing.
  const approved = entries.filter(({ kind, minutes }) => kind !== "hold" && minutes !== 0);
  const steps = stepsOf(Math.max(first, since), opening, approved);
  const perUnit = minutesIn(shownUnit(unit));
  const values = steps.map(({ minutes }) => minutes / perUnit);
  const [low, high] = nice(Math.min(0, ...values), Math.max(1, ...values), 4);
  const x = between([first, end], [MARGIN.left, width - MARGIN.right]);
  const y = between([low, high], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const at = ({ minutes }: Step) => y(minutes / perUnit);
  // Steps until today have happened; later ones are a forecast.
  const turn = Math.min(Math.max(today + 1, first), end);
  const drops = dropsOf(entries, first);
  const months = monthsOf(range);
  const longest = Math.max(...months.map((month) => shortMonth(month).length));
  const fits = (each: number) => (each * (width - MARGIN.left)) / months.length > longest * 6.5 + 8;
  const each = [1, 3, 6].find(fits) ?? 12;

  return (
    // Time goes from left to right in every language, as in the field below.
    <figure ref={figure} className="line" aria-label={name} aria-busy={measured === 0} dir="ltr">
      {balance !== null && (
        <p className="can-take" dir="auto" aria-live="polite" aria-busy={!isSettled || taken === null}>
          {rich("timeline.canTake", {
            day: plainDay(day),
            amount: (isSettled && taken) || "…",
            own: balance.workerId === workerId ? "yes" : "no",
          })}
        </p>
      )}
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="xMinYMin"
        aria-hidden="true"
      >
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
            {index % each === 0 ? shortMonth(month) : ""}
          </text>
        ))}
        {absences.map(({ request, firstDay, lastDay }) => (
          <rect
            key={request.id}
            className={`leave ${tone}${request.status === "pending" ? " asked" : ""}`}
            x={x(Math.max(firstDay, first))}
            width={Math.max(3, x(Math.min(lastDay + 1, end)) - x(Math.max(firstDay, first)))}
            y={HEIGHT - MARGIN.bottom + 6}
            height="10"
            rx="2"
          >
            <title>{plainDay(firstDay)}</title>
          </rect>
        ))}
        {today >= first && today < end && (
          <>
            <line className="now" x1={x(today)} x2={x(today)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
            <text
              className="now-label"
              x={x(today)}
              y={MARGIN.top - 8}
              textAnchor={x(today) > width / 2 ? "end" : "start"}
            >
              {t("day.today")}
            </text>
          </>
        )}
        <path className="past" d={stairs(steps, Math.max(first, since), turn, x, at)} />
        <path className="projected" d={stairs(steps, turn, end, x, at)} />
        {balance !== null && (
          <>
            <line className="chosen" x1={x(day)} x2={x(day)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
            <circle className="dot" cx={x(day)} cy={at(stepAt(steps, day) ?? steps[0]!)} r="5" />
          </>
        )}
        {drops.map(({ day: on, from: before, to }) => {
          const text = signed(to - before, unit);
          const isLeft = x(on) - MARGIN.left > text.length * 7; // so that the text does not cover the figures of the axis
          return (
            <g key={on} className="drop">
              <line x1={x(on)} x2={x(on)} y1={y(before / perUnit)} y2={y(to / perUnit)} />
              <text
                x={x(on) + (isLeft ? -5 : 5)}
                y={(y(before / perUnit) + y(to / perUnit)) / 2}
                dy="0.32em"
                textAnchor={isLeft ? "end" : "start"}
              >
                {text}
              </text>
            </g>
          );
        })}
      </svg>
      {balance !== null && (
        <input
          type="range"
          className="day-slider"
          aria-label={t("timeline.day", { name })}
          aria-valuetext={plainDay(day)} // a status above says what can be taken, once it is known
          min={from}
          max={end - 1}
          value={day}
          style={{
            marginInlineStart: x(from) - 8,
            width: x(end) - x(from) + 16,
          }}
          onChange={({ target }) => setMoved(Number(target.value))}
        />
      )}
      {balance !== null && (
        <PlannedLeave
          name={name}
          unit={unit}
          balance={balance}
          days={{ first: from, end }}
          latest={latest}
          turn={turnOfYear}
          leave={leave}
          asked={asked}
          onFirst={setMoved}
          onLast={setLast}
        />
      )}
      <details className="small" dir="auto" onToggle={() => setOpened(true)}>
        <summary>{t("timeline.table")}</summary>
        <Entries
          label={t("fact", { name, value: t("timeline.table") })}
          figures={[t("figure.balance"), ...(saysTakeable ? [t("timeline.take")] : [])]}
        >
          {steps.slice(1).map(({ day: on, minutes }) => (
            <tr key={on}>
              <th scope="row" className="nowrap">
                {plainDay(on)}
              </th>
              <td>{whatHappens(on, approved, today, unit)}</td>
              <td className="figure">{amount(minutes, unit)}</td>
              {saysTakeable && (
                <td className="figure">
                  {on >= from && <Takeable balance={balance} day={on} unit={unit} />}
                </td>
              )}
            </tr>
          ))}
        </Entries>
      </details>
    </figure>
  );
}

/** The first and last day of planned leave, each with its setter. The address keeps them for one policy. */
function usePlan(balance: Balance | null) {
  const { search, change } = useSettings();
  const keep = useRef(change);
  keep.current = change;
  const policy = balance?.policyId ?? "";
  const stored = (name: string) => (search.get("leave") === policy ? storedDay(search.get(name)) : null);
  const [first, setFirst] = useState(() => stored("from"));
  const [last, setLast] = useState(() => stored("to"));
  useEffect(() => {
    if (first === null && last === null) return;
    const [from, to] = [first, last].map((day) => (day === null ? "" : formatDay(day)));
    const timer = setTimeout(() => keep.current({ leave: policy, from: from!, to: to! }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [policy, first, last]);
  return [first, setFirst, last, setLast] as const;
}

/** The last day of leave is at most this many days after the first (src/http/routes/preview.ts). */
const LONGEST = 366;

/** The request is sent when the chosen days have not changed for this long. */
const SETTLED_MS = 150;

function useSettled(leave: Leave): Leave {
  const [settled, setSettled] = useState(leave);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(leave), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [leave]);
  return settled;
}

/** The amount that can be taken on a day, from a preview; null until it has come. */
function useTakeable(balance: Balance | null, day: Day, unit: Policy["unit"]): string | null {
  const server = useServer();
  const { data, isError } = useQuery({
    ...previewOf(server, balance ?? NO_BALANCE, day),
    enabled: balance !== null,
  });
  return isError ? "–" : data === undefined ? null : amount(data.mostMinutes ?? 0, unit);
}

const NO_BALANCE = { workerId: "", policyId: "" };

interface TakeableProps {
  readonly balance: Balance;
  readonly day: Day;
  readonly unit: Policy["unit"];
}

const Takeable = ({ balance, day, unit }: TakeableProps) => useTakeable(balance, day, unit) ?? "…";

/** `Granted + 2 days, Booked − 1 day`. */
function whatHappens(day: Day, entries: readonly BalanceEntry[], today: Day, unit: Policy["unit"]): string {
  const texts = entries
    .filter(({ date }) => dayOfText(date) === day)
    .map(({ kind, minutes }) => {
      const name = t(kind === "used" && day > today ? "part.booked" : `entry.${kind}`);
      return `${name} ${signed(minutes, unit)}`;
    });
  return enumerated(texts);
}

function stepsOf(first: Day, opening: number, entries: readonly BalanceEntry[]): readonly Step[] {
  const byDay = new Map<Day, number>([[first - 1, opening]]);
  let minutes = opening;
  for (const entry of entries) {
    minutes += entry.minutes;
    byDay.set(dayOfText(entry.date), minutes);
  }
  return [...byDay].map(([day, balance]) => ({ day, minutes: balance }));
}

interface Drop {
  readonly day: Day;
  /** Minutes before and after. */
  readonly from: number;
  readonly to: number;
}

/** The losses after the first day of the range, one drop for each day. */
function dropsOf(entries: readonly BalanceEntry[], first: Day): readonly Drop[] {
  const lost = entries.filter(
    ({ kind, date }) => (kind === "forfeit" || kind === "expiry") && dayOfText(date) > first,
  );
  return [...Map.groupBy(lost, ({ date }) => dayOfText(date))].map(([day, own]) => {
    const to = own.at(-1)!.balance; // pending leave is not lost
    return { day, from: to - own.reduce((sum, { minutes }) => sum + minutes, 0), to };
  });
}

/** The step that applies on a day: the last one until then. */
const stepAt = (steps: readonly Step[], day: Day): Step | undefined =>
  steps.findLast((step) => step.day <= day) ?? steps[0];

/** The path along the steps between two days: level, and vertical at each step. */
function stairs(
  steps: readonly Step[],
  from: Day,
  to: Day,
  x: (day: Day) => number,
  at: (step: Step) => number,
): string {
  const start = stepAt(steps, from);
  if (start === undefined || from >= to) return "";
  const inside = steps.filter(({ day }) => day > from && day < to);
  const path = inside.map((step) => `H${x(step.day)}V${at(step)}`).join("");
  return `M${x(from)} ${at(start)}${path}H${x(to)}`;
}

function monthsOf({ first, end }: DayRange): Day[] {
  const months: Day[] = [];
  for (let month = firstOfMonth(first); month < end; month = addMonths(month, 1)) {
    if (month + 15 >= first && month + 15 < end) months.push(month);
  }
  return months;
}

/** The linear function from one range to the other. */
function between([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  return (value: number) => start + ((value - from) / (to - from)) * (end - start);
}

/** The width of an element in CSS pixels; follows its changes. */
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
