// Links to the calendar of a worker's team for some days: to their week, or to each of their months.
import { Link } from "wouter";
import type { Worker } from "../../client/index.ts";
import { type DayRange, monthsOf, weekOf } from "../data/days.ts";
import { facts, monthName } from "../data/format.ts";
import { useServer } from "../data/queries.ts";
import { t } from "../texts/texts.ts";
import { teamCalendar } from "./settings.ts";

interface Props {
  readonly worker: Worker;
  readonly days: DayRange;
}

/** Renders nothing for viewers who see no team. */
export function TeamCalendar({ worker, days }: Props) {
  const { access } = useServer();
  const isInWeek = weekOf(days.first).end >= days.end;
  const months = monthsOf(days);
  return months.slice(0, isInWeek ? 1 : undefined).map((month) => {
    const calendar = teamCalendar(
      access,
      worker,
      Math.max(days.first, month.first),
      isInWeek ? null : "month",
    );
    const isNamed = months.length > 1 && !isInWeek;
    return (
      calendar && (
        <span key={month.first}>
          <Link href={calendar}>{facts(t("view.away"), isNamed && monthName(month.first))}</Link>{" "}
        </span>
      )
    );
  });
}
