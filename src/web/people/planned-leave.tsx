// Leave that somebody thinks about: its first and last day, what it takes, what can still be taken, and the way to who else is away then.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Balance, LeavePreview, Policy } from "../../client/index.ts";
import { type Day, formatDay } from "../../time/day.ts";
import type { DayRange } from "../data/days.ts";
import { amount, shortRange } from "../data/format.ts";
import { previewOf, useServer } from "../data/queries.ts";
import { DayField } from "../parts/search.tsx";
import { seesAway, visibleWorkers } from "../session.ts";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";

interface Props {
  readonly name: string;
  readonly unit: Policy["unit"];
  readonly balance: Balance;
  /** Days that can be chosen. */
  readonly days: DayRange;
  /** The first day of the leave. */
  readonly day: Day;
  readonly onDay: (day: Day) => void;
}

export function PlannedLeave({ name, unit, balance, days, day, onDay }: Props) {
  const [chosen, setLast] = useState<Day | null>(null);
  const last = Math.max(chosen ?? day, day);
  const { access } = useServer();
  const calendar = visibleWorkers(access) === "company" ? "/" : "/away";
  return (
    <p className="small planned" dir="auto">
      <DayField label={t("timeline.first", { name })} day={day} within={days} onChange={onDay} /> –{" "}
      <DayField
        label={t("timeline.last", { name })}
        day={last}
        within={{ first: day, end: days.end }}
        onChange={setLast}
      />{" "}
      {chosen !== null && <Effect unit={unit} balance={balance} first={day} last={last} />}{" "}
      {seesAway(access) && <Link href={`${calendar}?day=${formatDay(day)}`}>{t("view.away")}</Link>}
    </p>
  );
}

interface EffectProps {
  readonly unit: Policy["unit"];
  readonly balance: Balance;
  readonly first: Day;
  readonly last: Day;
}

/** What the leave takes, and what can be taken beside it, as the preview says (docs/balances.md, A preview). */
function Effect({ unit, balance, first, last }: EffectProps) {
  const { data, isPending } = useQuery(previewOf(useServer(), balance, first, last));
  return (
    <span role="status" aria-busy={isPending}>
      {data === undefined ? (isPending ? "…" : "–") : effectText(data, unit, shortRange(first, last))}
    </span>
  );
}

function effectText({ minutes, mostMinutes }: LeavePreview, unit: Policy["unit"], range: string) {
  const most = mostMinutes ?? 0; // null for unlimited policies, which have no timeline
  const isEnough = minutes <= most;
  return rich(isEnough ? "timeline.leaves" : "timeline.exceeds", {
    range,
    amount: amount(minutes, unit),
    left: amount(isEnough ? most - minutes : most, unit),
    b: (text) => <strong>{text}</strong>,
  });
}
