// The timeline: a row for each person, and days across. Only visible rows are in the document.
import { Popover } from "@base-ui/react/popover";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Day } from "../../time/day.ts";
import { barsIn, countText, type Lanes } from "../data/absences.ts";
import { type DayRange, daysIn, isWeekend } from "../data/days.ts";
import { dayOfMonth, facts, narrowWeekday, number, peopleCount, weekdayName } from "../data/format.ts";
import { type HolidaysOf, holidayNames } from "../data/queries.ts";
import type { TypeOf } from "../data/time-off-types.ts";
import { useWhole } from "../parts/printing.ts";
import { t } from "../texts/texts.ts";
import { type AwayGroup, type AwayRow, type DayCount, type DayCounts, dayText, isThin } from "./away-rows.ts";
import { AbsenceCard, type AbsencePayload, Row } from "./row.tsx";
import type { AwaySettings } from "./settings.ts";

const ROW_PX = 48;
const PRINTED_ROW_PX = 34;
const GROUP_PX = 34;
const LANE_PX = 18;

interface Props {
  readonly settings: AwaySettings;
  readonly groups: readonly AwayGroup[];
  /** The number of rows of people in all groups. */
  readonly people: number;
  readonly counts: DayCounts;
  readonly holidaysOf: HolidaysOf;
  readonly typeOf: TypeOf;
  /** Whether the days or filters changed and the absences are still loading. */
  readonly isStale: boolean;
}

/** A line: the head of a group with its counts, or a person with the position among all people. */
type Line =
  | { readonly kind: "group"; readonly name: string; readonly size: string }
  | { readonly kind: "person"; readonly row: AwayRow; readonly index: number; readonly lanes: Lanes };

function linesOf(groups: readonly AwayGroup[], range: DayRange): Line[] {
  let index = 0;
  return groups.flatMap(({ name, items, of, ...count }) => {
    const people = items.map(
      (row): Line => ({ kind: "person", row, index: index++, lanes: barsIn(range, row.absences) }),
    );
    return name === null
      ? people
      : [{ kind: "group", name, size: facts(peopleCount(of), countText(count)) }, ...people];
  });
}

export function Timeline({ settings, groups, people, counts, holidaysOf, typeOf, isStale }: Props) {
  const { range, scale, today } = settings;
  const days = daysIn(range);
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(groups, range), [groups, range]);
  const [card] = useState(() => Popover.createHandle<AbsencePayload>());
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(lines[index]!),
    overscan: 8,
    getItemKey: (index) => keyOf(lines[index]!),
  });

  // If not all days fit, scroll to today before the first paint.
  useLayoutEffect(() => {
    const day = today - range.first;
    const element = scroller.current;
    if (element === null || day < 0 || today >= range.end) return;
    const track = element.querySelector<HTMLElement>(".track")?.offsetWidth ?? 0;
    element.scrollLeft = directionOf(element) * (track / (range.end - range.first)) * (day - 1);
  }, [today, range]);

  const whole = useWhole(lines.length);
  const shown =
    whole?.map((index) => ({ key: keyOf(lines[index]!), index, start: 0 })) ?? virtual.getVirtualItems();
  const more = useMoreDays(scroller, days.length);

  return (
    <div className="timeline-frame" data-more={more}>
      <section
        ref={scroller}
        className={`timeline timeline-${scale}`}
        aria-label={t("timeline")}
        aria-busy={isStale}
        style={{ "--days": days.length }}
        onFocus={revealBar}
      >
        <div className="timeline-head timeline-row">
          <div className="who">
            <span className="soft small">{t("field.person")}</span>
          </div>
          <div className="track">
            <DayHeads days={days} settings={settings} counts={counts} />
          </div>
        </div>
        <div className="timeline-body" style={{ height: virtual.getTotalSize() }}>
          <DayGround days={days} today={today} />
          <ul onKeyDown={moveByRow}>
            {shown.map(({ key, index, start }) => {
              const line = lines[index]!;
              return line.kind === "group" ? (
                <li
                  key={key}
                  className="timeline-group"
                  style={{
                    height: GROUP_PX,
                    ...(whole === null ? { transform: `translateY(${start}px)` } : {}),
                  }}
                >
                  <h3 className="small">
                    <bdi>{line.name}</bdi> <span className="soft">{line.size}</span>
                  </h3>
                </li>
              ) : (
                <Row
                  key={key}
                  row={line.row}
                  index={line.index}
                  of={people}
                  top={start}
                  height={heightOf(line, whole === null ? ROW_PX : PRINTED_ROW_PX)}
                  measure={whole === null ? virtual.measureElement : undefined}
                  at={index}
                  lanes={line.lanes}
                  range={range}
                  holidays={holidaysOf(line.row.worker)}
                  typeOf={typeOf}
                  card={card}
                />
              );
            })}
          </ul>
        </div>
        <AbsenceCard handle={card} />
      </section>
    </div>
  );
}

const keyOf = (line: Line) => (line.kind === "group" ? `group ${line.name}` : line.row.worker.id);

/** The height of a line in pixels. Overlapping requests are stacked, each in a readable lane. */
function heightOf(line: Line, least = ROW_PX): number {
  return line.kind === "group" ? GROUP_PX : Math.max(least, line.lanes.lanes * LANE_PX + 14);
}

/** The arrow keys move between people. */
function moveByRow(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const row = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
  if (step === 0 || row === null) return;
  const next = Number(row.dataset.row) + step;
  const link = event.currentTarget.querySelector<HTMLElement>(`[data-row="${next}"] .who a`);
  if (link === null) return;
  event.preventDefault();
  link.focus();
}

/** The width of a fading edge. At least as much of a bar beside it is visible. */
const EDGE_PX = 36;

/** Scrolls a focused bar that the names or the edges cover. Browsers scroll only to elements outside the window. */
function revealBar({ target, currentTarget: scroller }: FocusEvent<HTMLElement>): void {
  if (!target.matches(".absence:focus-visible")) return;
  const [bar, frame] = [target.getBoundingClientRect(), scroller.getBoundingClientRect()];
  const names = scroller.querySelector<HTMLElement>(".who")?.offsetWidth ?? 0;
  const isLeft = directionOf(scroller) > 0;
  const [first, last] = isLeft
    ? [frame.left + names + EDGE_PX, frame.right - EDGE_PX]
    : [frame.left + EDGE_PX, frame.right - names - EDGE_PX];
  if (bar.left < first && bar.right < first + EDGE_PX) scroller.scrollLeft -= first - bar.left;
  else if (bar.right > last && bar.left > last - EDGE_PX)
    scroller.scrollLeft += Math.min(bar.right - last, bar.left - first);
}

interface HeadsProps {
  readonly days: readonly Day[];
  readonly settings: AwaySettings;
  readonly counts: DayCounts;
}

const NOBODY: DayCount = { away: 0, asked: 0, of: 0, off: 0, holidays: new Set() };

const kindOf = (day: Day, today: Day) =>
  `${isWeekend(day) ? " weekend" : ""}${day === today ? " today" : ""}`;

/** The shade of a day on which everybody, or only a part, has a holiday. */
function shadeOf({ of, holidays }: DayCount): string {
  if (holidays.size === 0) return "";
  return of === 0 ? " holiday" : " part-holiday";
}

function DayHeads({ days, settings: { today, scale, least }, counts }: HeadsProps) {
  return (
    <ol className="days">
      {days.map((day) => {
        const count = counts.get(day) ?? NOBODY;
        const names = holidayNames(count.holidays);
        return (
          <li
            key={day}
            className={`day${kindOf(day, today)}${shadeOf(count)}${isThin(day, count, least) ? " thin" : ""}`}
            title={names || undefined}
            aria-current={day === today ? "date" : undefined}
          >
            <span className="hidden">{dayText(day, count, least)}</span>
            <span className="day-name" aria-hidden="true">
              {scale === "week" ? weekdayName(day) : narrowWeekday(day)}
            </span>
            <span className="day-number" aria-hidden="true">
              {dayOfMonth(day)}
            </span>
            <span className="day-count" aria-hidden="true">
              {count.away > 0 && number(count.away)}
              {count.asked > 0 && <span className="asked">+{number(count.asked)}</span>}
              {count.away > 0 && scale === "week" && (
                <span className="wide-only"> {t("day.of", { of: count.of })}</span>
              )}
            </span>
            {scale === "week" && names !== "" && (
              <bdi className="day-name clip" aria-hidden="true">
                {names}
              </bdi>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function DayGround({ days, today }: { readonly days: readonly Day[]; readonly today: Day }) {
  return (
    <div className="ground" aria-hidden="true">
      {days.map((day) => (
        <span key={day} className={`ground-day${kindOf(day, today)}`} />
      ))}
    </div>
  );
}

type MoreDays = "none" | "before" | "after" | "both";

/** Whether a narrow timeline has more days beyond its edges. */
function useMoreDays(scroller: RefObject<HTMLElement | null>, days: number): MoreDays {
  const [more, setMore] = useState<MoreDays>("none");
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || days === 0) return;
    const look = () => setMore(moreOf(element));
    look();
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroller, days]);
  return more;
}

/** In right-to-left text, scroll positions are negative. */
const directionOf = (element: HTMLElement) => (getComputedStyle(element).direction === "rtl" ? -1 : 1);

function moreOf({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): MoreDays {
  const scrolled = Math.abs(scrollLeft);
  const before = scrolled > 1; // positions may be fractions
  const after = scrolled + clientWidth < scrollWidth - 1;
  if (before) return after ? "both" : "before";
  return after ? "after" : "none";
}
