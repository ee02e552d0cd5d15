// The timeline: a row for each person, of which only those in sight are there; days across, the same for all rows.
import { Popover } from "@base-ui/react/popover";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { type Day, daysIn } from "../time/days.ts";
import { AbsenceCard, type AbsencePayload } from "./absence-card.tsx";
import type { TypeOf } from "./away.tsx";
import { DayGround, DayHeads } from "./day-heads.tsx";
import { useMoreDays } from "./more-days.ts";
import { Row } from "./row.tsx";
import type { AwayRow } from "./rows.ts";
import type { AwaySettings } from "./settings.ts";

const ROW_PX = 48;

interface Props {
  readonly settings: AwaySettings;
  readonly rows: readonly AwayRow[];
  readonly away: ReadonlyMap<Day, number>;
  readonly typeOf: TypeOf;
  /** The days or the filters have changed, and the absences are still on their way. */
  readonly isStale: boolean;
}

export function Timeline({ settings, rows, away, typeOf, isStale }: Props) {
  const { span, scale, today } = settings;
  const days = daysIn(span);
  const scroller = useRef<HTMLDivElement>(null);
  const [card] = useState(() => Popover.createHandle<AbsencePayload>());
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    getItemKey: (index) => rows[index]!.worker.id,
  });

  // Where not all days fit, today is in sight at once.
  useLayoutEffect(() => {
    const day = today - span.first;
    const element = scroller.current;
    if (element === null || day < 0 || today >= span.end) return;
    const track = element.querySelector<HTMLElement>(".track")?.offsetWidth ?? 0;
    element.scrollLeft = (track / (span.end - span.first)) * (day - 1);
  }, [today, span]);

  const more = useMoreDays(scroller, days.length);

  return (
    <div className="timeline-frame" data-more={more}>
      <section
        ref={scroller}
        className={`timeline timeline-${scale}`}
        aria-label="People and the days they are away"
        aria-busy={isStale}
        style={{ "--days": days.length }}
      >
        <div className="timeline-head timeline-row">
          <div className="who">
            <span className="soft small">Person</span>
          </div>
          <div className="track">
            <DayHeads days={days} today={today} scale={scale} away={away} />
          </div>
        </div>
        <div className="timeline-body" style={{ height: virtual.getTotalSize() }}>
          <DayGround days={days} today={today} />
          <ul onKeyDown={moveByRow}>
            {virtual.getVirtualItems().map(({ key, index, start }) => (
              <Row
                key={key}
                row={rows[index]!}
                index={index}
                of={rows.length}
                top={start}
                height={ROW_PX}
                span={span}
                typeOf={typeOf}
                card={card}
              />
            ))}
          </ul>
        </div>
        <AbsenceCard handle={card} />
      </section>
    </div>
  );
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
