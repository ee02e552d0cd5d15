// A year of a team: the more people are away, the darker a day. Days with too few people are listed.
import { Link } from "wouter";
import { type Day, firstOfMonth, formatDay, weekdayOf } from "../../time/day.ts";
import { countText } from "../data/absences.ts";
import { daysIn, isWeekend } from "../data/days.ts";
import { facts, longDay, monthName, plainDay, shortDay, shortMonth } from "../data/format.ts";
import { t } from "../texts/texts.ts";
import { type DayCount, type DayCounts, dayText, isThin, thereOn } from "./away-rows.ts";
import { type AwaySettings, type Least, leastText } from "./settings.ts";

interface Props {
  readonly settings: AwaySettings;
  readonly counts: DayCounts;
}

/** The number of shades. */
const STEPS = 5;

export function YearOfAway({ settings: { range, counted, today, least, path }, counts }: Props) {
  const months = [...Map.groupBy(daysIn(range), firstOfMonth)];
  const thin = [...counts].filter(([day, count]) => day >= today && isThin(day, count, least));
  return (
    <div className="year-of-away">
      <section className="heat-frame" aria-label={t("year.heat")}>
        <table className="heat" aria-label={t("year.heat")}>
          <tbody>
            {months.map(([month, days]) => (
              <tr key={month}>
                <th scope="row" aria-label={monthName(month)}>
                  {shortMonth(month)}
                </th>
                {Array.from({ length: weekdayOf(month) }, (_, at) => (
                  <td key={`before ${at}`} aria-hidden="true" />
                ))}
                {days.map((day) => (
                  <Cell key={day} day={day} count={counts.get(day)!} least={least} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section aria-labelledby="forecast">
        <h2 id="forecast">
          {t("forecast", { least: leastText(least) })}{" "}
          <span className="soft small">{t("away.until", { day: plainDay(counted.end - 1) })}</span>
        </h2>
        {thin.length === 0 ? (
          <p className="soft">{t("forecast.none")}</p>
        ) : (
          <ul className="forecast">
            {thin.map(([day, count]) => (
              <li key={day}>
                <Link href={`${path}?view=week&day=${formatDay(day)}`}>
                  {day < range.end ? shortDay(day) : longDay(day)}
                </Link>{" "}
                <span className="soft small">
                  {facts(t("forecast.there", { there: thereOn(count), of: count.of }), countText(count))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

interface CellProps {
  readonly day: Day;
  readonly count: DayCount;
  readonly least: Least;
}

function Cell({ day, count, least }: CellProps) {
  const share = count.of === 0 ? 0 : count.away / count.of;
  const step = share === 0 ? 0 : Math.min(STEPS, 1 + Math.floor(share * 2 * STEPS));
  const said = dayText(day, count, least);
  const marks = [
    isWeekend(day) && "weekend",
    count.of === 0 && count.off > 0 && "holiday",
    isThin(day, count, least) && "thin",
  ];
  return (
    <td
      className={["heat-day", `heat-${step}`, ...marks].filter((mark) => mark !== false).join(" ")}
      title={said}
      data-away={count.away || undefined}
    >
      <span className="hidden">{said}</span>
    </td>
  );
}
