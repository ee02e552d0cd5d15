// Planned leave: its first and last day, its minutes, whether it can be taken, and a link to the team's calendar of these days.
import { useQuery } from "@tanstack/react-query";
import type { Balance, LeavePreview, Policy } from "../../client/index.ts";
import { type Day, dayOfText } from "../../time/day.ts";
import { TeamCalendar } from "../away/team-calendar.tsx";
import type { DayRange } from "../data/days.ts";
import { amount, shortRange } from "../data/format.ts";
import { previewOf, useServer, useWorker } from "../data/queries.ts";
import { DayField } from "../parts/search.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { byDay, isCap, lossesText } from "./losses.ts";

export interface Leave {
  readonly first: Day;
  /** Null until a day is chosen. */
  readonly last: Day | null;
}

interface Props {
  readonly name: string;
  readonly unit: Policy["unit"];
  readonly balance: Balance;
  /** Days that can be chosen. */
  readonly days: DayRange;
  /** The latest last day. */
  readonly latest: Day;
  /** The first day of the next leave year. */
  readonly turn: Day;
  readonly leave: Leave;
  /** The leave of the latest request to the server. It follows `leave` with a delay. */
  readonly asked: Leave;
  readonly onFirst: (day: Day) => void;
  readonly onLast: (day: Day) => void;
}

export function PlannedLeave(props: Props) {
  const { name, unit, balance, days, latest, turn, leave, asked, onFirst, onLast } = props;
  const { first, last } = asked;
  const server = useServer();
  const { data: worker } = useWorker(balance.workerId);
  const preview = previewOf(server, balance, first, last ?? first); // docs/balances.md, A preview
  const { data, isPending } = useQuery({ ...preview, enabled: last !== null });
  const field = (label: string, day: Day, within: DayRange, onChange: (day: Day) => void) => (
    <DayField
      before={label}
      label={t("fact", { name, value: label })}
      day={day}
      within={within}
      onChange={onChange}
    />
  );
  return (
    <p className="small planned" dir="auto">
      {field(t("field.firstDay"), leave.first, days, onFirst)}
      {field(t("field.lastDay"), leave.last ?? leave.first, { first: leave.first, end: latest + 1 }, onLast)}
      {last !== null && (
        <span role="status" aria-busy={isPending || asked !== leave}>
          {data === undefined
            ? isPending
              ? "…"
              : "–"
            : effectText(data, unit, { first, end: last + 1 }, last < turn || first >= turn)}
        </span>
      )}{" "}
      {worker && (
        <TeamCalendar worker={worker} days={{ first: leave.first, end: (leave.last ?? leave.first) + 1 }} />
      )}
    </p>
  );
}

/**
 * The minutes of the leave, and whether it can be taken. If it is in one leave year, also the rest that could still be taken after it: the
 * maximum less the leave less what expires during it. Then what expires although this leave is taken.
 */
function effectText(
  { minutes, mostMinutes, isCovered, lost }: LeavePreview,
  unit: Policy["unit"],
  { first, end }: DayRange,
  isInOneYear: boolean,
) {
  const most = mostMinutes ?? 0; // null for unlimited policies, which have no timeline
  const isKnown = isInOneYear && isCovered === minutes <= most;
  const losses = byDay(isCovered ? lost.filter((loss) => !isCap(loss) && dayOfText(loss.date) > first) : []);
  const during = losses.filter(({ date }) => dayOfText(date) < end);
  const left = most - minutes - during.reduce((sum, loss) => sum + loss.minutes, 0);
  return (
    <>
      {rich(!isKnown ? "timeline.judged" : isCovered ? "timeline.leaves" : "timeline.exceeds", {
        range: shortRange(first, end - 1),
        amount: amount(minutes, unit),
        left: amount(isCovered ? left : most, unit),
        covered: isCovered ? "yes" : "no",
      })}
      {losses.length > 0 && ` ${t("balance.losses", { losses: lossesText(losses, unit) })}`}
    </>
  );
}
