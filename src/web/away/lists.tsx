// Who is away today, and who is next: until when, and back on which day.

import type { Day } from "../../time/day.ts";
import { type Absence, countOf, countText, viewerText } from "../data/absences.ts";
import { clock, number, shortDay, shortDays } from "../data/format.ts";
import type { Group, Grouping } from "../data/people.ts";
import { departmentOf, workplaceOf } from "../data/people.ts";
import type { ChangeSettings } from "../data/settings.ts";
import type { TypeOf } from "../data/time-off-types.ts";
import { Initials, PersonName, zoneName } from "../parts/people-table.tsx";
import { type AwayPerson, NEXT_DAYS } from "./rows.ts";
import type { AwaySettings } from "./settings.ts";

interface Props {
  readonly settings: AwaySettings;
  readonly change: ChangeSettings;
  readonly now: readonly Group<AwayPerson>[];
  readonly next: readonly Group<AwayPerson>[];
  readonly typeOf: TypeOf;
}

/** One line each while they are folded, else whole. */
export function AwayLists({ settings, change, now, next, typeOf }: Props) {
  const { today, areListsOpen: isOpen } = settings;
  const shared = { settings, typeOf };
  return (
    <div className="away-lists" id="away-lists" data-open={isOpen}>
      <AwayList
        {...shared}
        id="away-today"
        title={`Away today, ${shortDay(today)}`}
        empty="Nobody is away today."
        groups={now}
      />
      <AwayList
        {...shared}
        id="away-next"
        title="Away next"
        note={`until ${shortDay(today + NEXT_DAYS)}`}
        empty={`Nobody else in the next ${NEXT_DAYS} days.`}
        groups={next}
      />
      <button
        type="button"
        className="quiet fold"
        aria-expanded={isOpen}
        aria-controls="away-lists"
        onClick={() => change({ lists: isOpen ? null : "open" })}
      >
        {isOpen ? "Fold" : "Unfold"}
      </button>
    </div>
  );
}

/** So many fit into a line. */
const FIRST = 8;

interface ListProps {
  readonly settings: AwaySettings;
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly empty: string;
  readonly groups: readonly Group<AwayPerson>[];
  readonly typeOf: TypeOf;
}

function AwayList({ settings, id, title, note, empty, groups, typeOf }: ListProps) {
  const { today, grouping, areListsOpen: isOpen } = settings;
  const people = groups.flatMap(({ items }) => items);
  return (
    <section className="away-list panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>
          {title} <span className="count">{countShort(people)}</span>
        </h2>
        {isOpen && note !== undefined && <span className="soft small">{note}</span>}
      </header>
      {people.length === 0 && <p className="soft">{empty}</p>}
      {(isOpen || people.length === 0 ? groups : [{ name: null, items: people.slice(0, FIRST) }]).map(
        (group) => (
          <div key={group.name ?? ""}>
            {isOpen && group.name !== null && (
              <h3 className="group-name small">
                <bdi>{group.name}</bdi>
              </h3>
            )}
            <ul>
              {group.items.map((person) => (
                <AwayItem
                  key={person.worker.id}
                  person={person}
                  today={today}
                  grouping={grouping}
                  typeOf={typeOf}
                />
              ))}
            </ul>
          </div>
        ),
      )}
      {!isOpen && people.length > FIRST && (
        <span className="soft small more">and {number(people.length - FIRST)} more</span>
      )}
    </section>
  );
}

/** `7`, or `7, 2 asked`: those who have asked are not away yet. */
function countShort(people: readonly AwayPerson[]): string {
  return countText(countOf(people.map(({ absence }) => [absence]))).replace(" away", "");
}

interface ItemProps {
  readonly person: AwayPerson;
  readonly today: Day;
  readonly grouping: Grouping | null;
  readonly typeOf: TypeOf;
}

function AwayItem({ person: { worker, absence, away }, today, grouping, typeOf }: ItemProps) {
  const { type } = typeOf(absence.request.timeOffPolicyId);
  const isPending = absence.request.status === "pending";
  const location = workplaceOf(worker) ?? zoneName(worker.timeZone);
  const place = [grouping !== "department" && departmentOf(worker), grouping !== "location" && location]
    .filter(Boolean)
    .join(" · ");
  return (
    <li className="away-item">
      <Initials worker={worker} />
      <div className="away-who">
        <PersonName worker={worker} />
        <span className="soft small clip">
          <span
            className={`swatch ${type?.tone ?? "tone-none"} ${isPending ? "pending" : ""}`}
            aria-hidden="true"
          />{" "}
          {type?.name ?? "Time off"}
          {isPending && " (pending)"}
          {place !== "" && <span className="wide-only"> · {place}</span>}
        </span>
      </div>
      <div className="away-when">
        <span>{whenAway({ worker, absence, away }, today)}</span>
        <span className="soft small">{whenBack({ worker, absence, away })}</span>
      </div>
    </li>
  );
}

/** ` in Auckland`, for times that are others on the viewer's clock; else nothing. */
const inZone = (absence: Absence) => (viewerText(absence) === null ? "" : ` in ${zoneName(absence.zone)}`);

/** `until Fri 27 Nov`, `Mon 23 – Fri 27 Nov`, or the hours of a part of a day. */
function whenAway({ absence, away }: AwayPerson, today: Day): string {
  const { firstDay, lastDay, startMinute, endMinute, isWholeDays } = absence;
  if (!isWholeDays && firstDay === lastDay) {
    const isNamedBelow = away.backMinute > 0;
    const hours = `${clock(startMinute)}–${clock(endMinute)}${isNamedBelow ? "" : inZone(absence)}`;
    return firstDay > today ? `${shortDay(firstDay)}, ${hours}` : hours;
  }
  if (firstDay > today)
    return firstDay === away.lastDay ? shortDay(firstDay) : shortDays(firstDay, away.lastDay);
  return away.lastDay === today ? "today only" : `until ${shortDay(away.lastDay)}`;
}

function whenBack({ absence, away: { backOn, backMinute } }: AwayPerson): string {
  if (backMinute === 0) return `back ${shortDay(backOn)}`;
  return `back at ${clock(backMinute)}${inZone(absence)}`;
}
