// What the view shows, as its address says it.
import { useMemo } from "react";
import { type PeopleFilter, STATUSES, TYPES } from "../data/people.ts";
import { useListed, useSettings } from "../data/search.ts";
import { useToday } from "../data/server.ts";
import { type Day, dayText, monthOf, parseDay, type Span, weekOf } from "../time/days.ts";

export type Scale = "week" | "month";

export interface AwaySettings extends PeopleFilter {
  readonly today: Day;
  readonly scale: Scale;
  readonly span: Span;
  readonly policies: readonly string[];
  /** Also people who are there. */
  readonly everyone: boolean;
}

export function useAwaySettings() {
  const { search, change } = useSettings();
  const today = useToday();
  const scale: Scale = search.get("view") === "month" ? "month" : "week";
  const day = parseDay(search.get("day")) ?? today;
  const spanOf = scale === "month" ? monthOf : weekOf;
  const span = useMemo(() => spanOf(day), [spanOf, day]);
  const settings: AwaySettings = {
    today,
    scale,
    span,
    name: search.get("name") ?? "",
    statuses: useListed(search.get("status"), STATUSES),
    types: useListed(search.get("type"), TYPES),
    policies: useListed(search.get("policy")),
    everyone: search.get("who") === "everyone",
  };
  const goTo = (next: Day) =>
    change({ day: spanOf(next).first === spanOf(today).first ? null : dayText(next) });
  return {
    settings,
    change,
    showScale: (next: Scale) => change({ view: next === "week" ? null : next }),
    back: () => goTo(span.first - 1),
    forward: () => goTo(span.end),
    goToday: () => goTo(today),
  };
}
