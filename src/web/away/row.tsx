// One person's row: the name, a bar for each absence, and a card with its details.
import { Popover } from "@base-ui/react/popover";
import { memo } from "react";
import { Link } from "wouter";
import type { Policy, Worker } from "../../client/index.ts";
import {
  type Absence,
  absenceTitle,
  type Bar,
  type Lanes,
  requestStatusName,
  viewerText,
  whenText,
} from "../data/absences.ts";
import type { DayRange } from "../data/days.ts";
import { departmentOf, longName, underName } from "../data/directory.ts";
import { amount, clock, facts } from "../data/format.ts";
import { type HolidaysByDay, holidayNames, isWholeHoliday } from "../data/queries.ts";
import type { TimeOffType, TypeOf } from "../data/time-off-types.ts";
import { PersonName, Swatch } from "../parts/people-table.tsx";
import { Facts } from "../parts/states.tsx";
import { t } from "../texts/texts.ts";
import type { AwayRow } from "./away-rows.ts";

interface Props {
  readonly row: AwayRow;
  readonly index: number;
  /** The number of all rows. */
  readonly of: number;
  readonly top: number;
  /** The least height in pixels; a name with more lines needs more. */
  readonly height: number;
  /** The row's position among all lines. `measure` measures its height; undefined on paper. */
  readonly at: number;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
  readonly lanes: Lanes;
  readonly range: DayRange;
  readonly holidays: HolidaysByDay;
  readonly typeOf: TypeOf;
  readonly card: Popover.Handle<AbsencePayload>;
}

export const Row = memo(function Row({
  row,
  index,
  of,
  top,
  height,
  at,
  measure,
  lanes: { bars, lanes },
  range,
  holidays,
  typeOf,
  card,
}: Props) {
  const { worker } = row;
  return (
    <li
      ref={measure}
      data-index={at}
      data-row={index}
      aria-posinset={index + 1}
      aria-setsize={of}
      className="timeline-row person"
      style={{
        ...(measure === undefined ? { height } : { minHeight: height, transform: `translateY(${top}px)` }),
        "--lanes": lanes,
      }}
    >
      <div className="who">
        <PersonName worker={worker} />
        <bdi className="soft small clip">
          {worker.position === "" ? departmentOf(worker) : underName(worker)}
        </bdi>
      </div>
      <div className="track">
        {[...holidays].map(([day, own]) => (
          <span
            key={day}
            className={isWholeHoliday(own) ? "own-holiday" : "own-holiday part-holiday"}
            title={holidayNames(own)}
            style={{ insetInlineStart: `${((day - range.first) / (range.end - range.first)) * 100}%` }}
          />
        ))}
        {bars.map((bar) => (
          <Popover.Trigger
            key={bar.absence.request.id}
            handle={card}
            payload={{ absence: bar.absence, worker, ...typeOf(bar.absence.request.timeOffPolicyId) }}
            openOnHover
            delay={250}
            className={classOf(bar, typeOf)}
            style={{
              insetInlineStart: `${bar.left * 100}%`,
              width: `${bar.width * 100}%`,
              "--lane": bar.lane,
            }}
            aria-label={t("fact", {
              name: worker.displayName,
              value: absenceTitle(bar.absence, nameOf(bar.absence, typeOf)),
            })}
          >
            <span className="bar-letters" aria-hidden="true">
              {typeOf(bar.absence.request.timeOffPolicyId).type?.letters}
            </span>
            <span className="bar-text" aria-hidden="true">
              <bdi>{isPart(bar.absence) ? timesOf(bar.absence) : nameOf(bar.absence, typeOf)}</bdi>
            </span>
          </Popover.Trigger>
        ))}
      </div>
    </li>
  );
});

const nameOf = ({ request }: Absence, typeOf: TypeOf) =>
  typeOf(request.timeOffPolicyId).type?.name ?? t("timeOff");

/** Whether an absence is a part of one day. */
const isPart = ({ isWholeDays, firstDay, lastDay }: Absence) => !isWholeDays && firstDay === lastDay;

const timesOf = ({ startMinute, endMinute }: Absence) =>
  t("when.times", { start: clock(startMinute), end: clock(endMinute) });

/** On paper, a bar with a smaller share of the track has letters instead of a name. On a screen, CSS decides by width. */
const NARROW_SHARE = 0.09;

function classOf({ absence, startsBefore, endsAfter, width }: Bar, typeOf: TypeOf): string {
  const { type, policy } = typeOf(absence.request.timeOffPolicyId);
  const marks = [
    absence.request.status === "pending" && "pending",
    policy?.isAbsence === false && "at-work",
    isPart(absence) && "part",
    width < NARROW_SHARE && "narrow",
    startsBefore && "from-before",
    endsAfter && "to-after",
  ];
  return ["absence", type?.tone ?? "tone-none", ...marks.filter((mark) => mark !== false)].join(" ");
}

export interface AbsencePayload {
  readonly absence: Absence;
  readonly worker: Worker;
  readonly type: TimeOffType | null;
  readonly policy: Policy | null;
}

export function AbsenceCard({ handle }: { readonly handle: Popover.Handle<AbsencePayload> }) {
  return (
    <Popover.Root handle={handle}>
      {({ payload }) => (
        <Popover.Portal>
          <Popover.Positioner className="popup-layer" sideOffset={6} collisionPadding={12}>
            <Popover.Popup className="popup card">
              {payload !== undefined && <Details {...payload} />}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      )}
    </Popover.Root>
  );
}

function Details({ absence, worker, type, policy }: AbsencePayload) {
  const { request, zone } = absence;
  const full = longName(worker);
  return (
    <>
      <Popover.Title className="card-title">
        <bdi>{worker.displayName}</bdi>
      </Popover.Title>
      {full !== null && (
        <p className="soft small">
          <bdi>{full}</bdi>
        </p>
      )}
      <p className="card-type">
        <Swatch type={type} isPending={request.status === "pending"} />
        {facts(type?.name ?? t("timeOff"), requestStatusName(request.status))}
      </p>
      <Facts
        className="small"
        facts={{
          [t("field.when")]: whenText(absence),
          [t("field.timeZone")]: zone,
          [t("field.forYou")]: viewerText(absence),
          [t("field.amount")]:
            request.requestedMinutes === 0
              ? null
              : amount(request.requestedMinutes, absence.isWholeDays ? (policy?.unit ?? "hour") : "hour"),
          [t("field.policy")]: policy && <Link href={`/policies/${policy.id}`}>{policy.name}</Link>,
          [t("field.reason")]: request.reason && <bdi>{request.reason}</bdi>,
        }}
      />
    </>
  );
}
