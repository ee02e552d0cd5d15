// Who is away today and until when, and who is next.

import type { Day } from "../../time/day.ts";
import { type Absence, countOf, viewerText } from "../data/absences.ts";
import type { Group, Grouping } from "../data/directory.ts";
import { departmentOf, workplaceOf } from "../data/directory.ts";
import { clock, enumerated, facts, number, SEPARATOR, shortDay, shortDays } from "../data/format.ts";
import type { ChangeSettings } from "../data/settings.ts";
import type { TypeOf } from "../data/time-off-types.ts";
import { Initials, PersonName, Swatch, zoneName } from "../parts/people-table.tsx";
import { t } from "../texts/texts.ts";
import { type AwayPerson, NEXT_DAYS } from "./away-rows.ts";
import type { AwaySettings } from "./settings.ts";

interface Props {
  readonly settings: AwaySettings;
  readonly change: ChangeSettings;
  readonly now: readonly Group<AwayPerson>[];
  readonly next: readonly Group<AwayPerson>[];
  readonly typeOf: TypeOf;
}

/** Who is away today, and who is next. Folded, each list is one line. */
export function AwayLists({ settings, change, now, next, typeOf }: Props) {
  const { today, areListsOpen: isOpen } = settings;
  const shared = { settings, typeOf };
  return (
    <div className="away-lists" id="away-lists" data-open={isOpen}>
      <AwayList
        {...shared}
        id="away-today"
        title={t("away.today", { day: shortDay(today) })}
        empty={t("away.nobodyToday")}
        groups={now}
      />
      <AwayList
        {...shared}
        id="away-next"
        title={t("away.next")}
        note={t("away.until", { day: shortDay(today + NEXT_DAYS) })}
        empty={t("away.nobodyNext", { days: number(NEXT_DAYS) })}
        groups={next}
      />
      <button
        type="button"
        className="quiet fold"
        aria-expanded={isOpen}
        aria-controls="away-lists"
        onClick={() => change({ lists: isOpen ? null : "open" })}
      >
        {t(isOpen ? "lists.less" : "lists.more")}
      </button>
    </div>
  );
}

/** How many people a folded list shows. */
const FOLDED_PEOPLE = 8;

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
          {title} <Count people={people} />
        </h2>
        {isOpen && note !== undefined && <span className="soft small">{note}</span>}
      </header>
      {people.length === 0 && <p className="soft">{empty}</p>}
      {(isOpen || people.length === 0 ? groups : [{ name: null, items: people.slice(0, FOLDED_PEOPLE) }]).map(
        (group) => (
          <div key={group.name ?? ""}>
            {isOpen && group.name !== null && (
              <h3 className="group-name small">
                <bdi>{group.name}</bdi> <Count people={group.items} />
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
    </section>
  );
}

/** `7`, or `7, 2 pending`: people with pending requests are not away yet. Screen readers get the noun, too. */
function Count({ people }: { readonly people: readonly AwayPerson[] }) {
  const counts = { ...countOf(people.map(({ absence }) => [absence])) };
  return (
    <>
      <span className="count" aria-hidden="true">
        {t("away.countShort", counts)}
      </span>
      <span className="hidden">{t("away.count", counts)}</span>
    </>
  );
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
  const place = facts(grouping !== "department" && departmentOf(worker), grouping !== "location" && location);
  return (
    <li className="away-item">
      <Initials worker={worker} />
      <div className="away-who">
        <PersonName worker={worker} />
        <span className="soft small clip">
          <Swatch type={type} isPending={isPending} />{" "}
          {facts(type?.name ?? t("timeOff"), isPending && t("request.pending"))}
          {place !== "" && <span className="wide-only">{SEPARATOR + place}</span>}
        </span>
      </div>
      <div className="away-when">
        <span>{whenAway({ worker, absence, away }, today)}</span>
        <span className="soft small">{whenBack({ worker, absence, away })}</span>
      </div>
    </li>
  );
}

/** `09:00 in Auckland`, for times that differ from the viewer's clock. */
const withZone = (times: string, absence: Absence) =>
  viewerText(absence) === null ? times : t("when.inZone", { times, zone: zoneName(absence.zone) });

/** `until Fri 27 Nov`, `Mon 23 – Fri 27 Nov`, or the hours of a part of a day. */
function whenAway({ absence, away }: AwayPerson, today: Day): string {
  const { firstDay, lastDay, startMinute, endMinute, isWholeDays } = absence;
  if (!isWholeDays && firstDay === lastDay) {
    const hasZoneBelow = away.backMinute > 0; // `whenBack` names the zone
    const times = t("when.times", { start: clock(startMinute), end: clock(endMinute) });
    const hours = hasZoneBelow ? times : withZone(times, absence);
    return firstDay > today ? enumerated([shortDay(firstDay), hours]) : hours;
  }
  if (firstDay > today)
    return firstDay === away.lastDay ? shortDay(firstDay) : shortDays(firstDay, away.lastDay);
  return away.lastDay === today ? t("away.todayOnly") : t("away.until", { day: shortDay(away.lastDay) });
}

function whenBack({ absence, away: { backOn, backMinute } }: AwayPerson): string {
  if (backMinute === 0) return t("away.back", { day: shortDay(backOn) });
  return t("away.backAt", { time: withZone(clock(backMinute), absence) });
}
