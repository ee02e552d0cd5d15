// The days across the timeline: their names with how many are away, and the ground that marks weekends and today.
import { type Day, isWeekend } from "../time/days.ts";
import { dayOfMonth, shortDay, weekdayName } from "../time/format.ts";
import type { Scale } from "./settings.ts";

interface HeadsProps {
  readonly days: readonly Day[];
  readonly today: Day;
  readonly scale: Scale;
  readonly away: ReadonlyMap<Day, number>;
}

const kindOf = (day: Day, today: Day) =>
  `${isWeekend(day) ? " weekend" : ""}${day === today ? " today" : ""}`;

export function DayHeads({ days, today, scale, away }: HeadsProps) {
  return (
    <ol className="days">
      {days.map((day) => {
        const count = away.get(day) ?? 0;
        return (
          <li
            key={day}
            className={`day${kindOf(day, today)}`}
            aria-current={day === today ? "date" : undefined}
          >
            <span className="hidden">{`${shortDay(day)}: ${count} away`}</span>
            <span className="day-name" aria-hidden="true">
              {scale === "week" ? weekdayName(day) : weekdayName(day).slice(0, 2)}
            </span>
            <span className="day-number" aria-hidden="true">
              {dayOfMonth(day)}
            </span>
            <span className="day-count" aria-hidden="true">
              {count > 0 && count}
              {count > 0 && scale === "week" && <span className="wide-only"> away</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

export function DayGround({ days, today }: { readonly days: readonly Day[]; readonly today: Day }) {
  return (
    <div className="ground" aria-hidden="true">
      {days.map((day) => (
        <span key={day} className={`ground-day${kindOf(day, today)}`} />
      ))}
    </div>
  );
}
