// One person's row: who, and a bar for each absence.
import { Popover } from "@base-ui/react/popover";
import { memo } from "react";
import { Link } from "wouter";
import { underName } from "../data/people.ts";
import type { Span } from "../time/days.ts";
import { clock } from "../time/format.ts";
import type { AbsencePayload } from "./absence-card.tsx";
import { absenceTitle } from "./absence-text.ts";
import { type Absence, type Bar, barsIn } from "./absences.ts";
import type { TypeOf } from "./away.tsx";
import type { AwayRow } from "./rows.ts";

interface Props {
  readonly row: AwayRow;
  readonly index: number;
  /** How many rows there are. */
  readonly of: number;
  readonly top: number;
  readonly height: number;
  readonly span: Span;
  readonly typeOf: TypeOf;
  readonly card: Popover.Handle<AbsencePayload>;
}

export const Row = memo(function Row({ row, index, of, top, height, span, typeOf, card }: Props) {
  const { worker, absences } = row;
  const { bars, lanes } = barsIn(span, absences);
  return (
    <li
      data-row={index}
      aria-posinset={index + 1}
      aria-setsize={of}
      className="timeline-row person"
      style={{ transform: `translateY(${top}px)`, height, "--lanes": lanes }}
    >
      <div className="who">
        <Link href={`/people/${worker.id}`}>
          <span className="clip">{worker.displayName}</span>
        </Link>
        <span className="soft small clip">{underName(worker)}</span>
      </div>
      <div className="track">
        {bars.map((bar) => (
          <Popover.Trigger
            key={bar.absence.request.id}
            handle={card}
            payload={{ absence: bar.absence, worker, ...typeOf(bar.absence.request.timeOffPolicyId) }}
            openOnHover
            delay={250}
            className={classOf(bar, typeOf)}
            style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%`, "--lane": bar.lane }}
            aria-label={`${worker.displayName}: ${absenceTitle(bar.absence, nameOf(bar.absence, typeOf))}`}
          >
            <span className="bar-text" aria-hidden="true">
              {bar.absence.isWholeDays ? nameOf(bar.absence, typeOf) : timesOf(bar.absence)}
            </span>
          </Popover.Trigger>
        ))}
      </div>
    </li>
  );
});

const nameOf = ({ request }: Absence, typeOf: TypeOf) =>
  typeOf(request.timeOffPolicyId).type?.name ?? "Time off";

const timesOf = ({ startMinute, endMinute }: Absence) => `${clock(startMinute)}–${clock(endMinute)}`;

function classOf({ absence, startsBefore, endsAfter }: Bar, typeOf: TypeOf): string {
  const tone = typeOf(absence.request.timeOffPolicyId).type?.tone ?? "tone-none";
  const isPart = !absence.isWholeDays && absence.firstDay === absence.lastDay;
  const marks = [
    absence.request.status === "pending" && "pending",
    isPart && "part",
    startsBefore && "from-before",
    endsAfter && "to-after",
  ];
  return ["absence", tone, ...marks.filter((mark) => mark !== false)].join(" ");
}
