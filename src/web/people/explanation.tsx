// Explains a number of a balance, entry by entry, in words.
import type { ReactNode } from "react";
import type { BalanceEntry, Policy } from "../../client/index.ts";
import { dayOfText } from "../../time/day.ts";
import type { DayRange } from "../data/days.ts";
import { amount, plainDay, SEPARATOR, signed } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import { useSettings, yearsAfter } from "../data/settings.ts";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { detailIn } from "./detail.ts";
import type { Part } from "./leave-year.ts";

interface Props {
  readonly part: Part;
  readonly unit: Policy["unit"];
  readonly range: DayRange;
}

export function Explanation({ part, unit, range }: Props) {
  const { search, change } = useSettings();
  const before = part.minutes - sumOf(part.entries); // the balance at the end of the day before the leave year
  const hasBefore = part.kind === "carried" || (part.kind === "left" && Math.abs(before) >= 0.005);
  return (
    <div className="explanation small">
      <p className="soft">{t(`part.${part.kind}.meaning`)}</p>
      {hasBefore && (
        <p>
          {rich("part.before", {
            day: plainDay(range.first - 1),
            amount: <strong>{amount(before, unit)}</strong>,
          })}
          {part.kind === "carried" && before !== 0 && (
            <>
              {" "}
              <button
                type="button"
                onClick={({ currentTarget }) => {
                  currentTarget.closest(".balance")?.querySelector("a")?.focus(); // this button disappears
                  change({ year: String(yearsAfter(search) - 1) });
                }}
              >
                {t("leaveYear.previous")}
              </button>
            </>
          )}
        </p>
      )}
      {part.entries.length > 0 ? (
        <Entries
          label={t("fact", { name: t("entries"), value: t(`part.${part.kind}`) })}
          figures={[t("field.amount")]}
        >
          {part.entries.map((entry, index) => (
            <Entry key={`${entry.date} ${entry.sourceId ?? index}`} entry={entry} unit={unit} />
          ))}
        </Entries>
      ) : (
        !hasBefore && part.kind !== "canTake" && <p>{t("part.nothing")}</p>
      )}
    </div>
  );
}

interface EntriesProps {
  readonly label: string;
  /** The names of the columns of figures. */
  readonly figures: readonly string[];
  readonly children: ReactNode;
}

/** A scrolling table of days, events and figures. */
export function Entries({ label, figures, children }: EntriesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling element
    <section className="explanation-entries" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t("field.day")}</th>
            <th scope="col">{t("field.what")}</th>
            {figures.map((figure) => (
              <th key={figure} scope="col" className="figure">
                {figure}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const sumOf = (entries: readonly BalanceEntry[]) => entries.reduce((sum, { minutes }) => sum + minutes, 0);

function Entry({ entry, unit }: { readonly entry: BalanceEntry; readonly unit: Policy["unit"] }) {
  const today = useToday();
  const { date, kind, minutes, unlocksOn, detailParts } = entry;
  const day = dayOfText(date);
  const isBooked = kind === "used" && day > today;
  const isLocked = unlocksOn !== null && dayOfText(unlocksOn) > Math.max(today, day);
  return (
    <tr>
      <th scope="row" className="nowrap">
        {plainDay(day)}
      </th>
      <td>
        {t(isBooked ? "part.booked" : `entry.${kind}`)}
        {detailParts.length > 0 && <span className="soft">{SEPARATOR + detailIn(unit, detailParts)}</span>}
        {isLocked && (
          <span className="soft">
            {SEPARATOR + t("entry.locked", { day: plainDay(dayOfText(unlocksOn)) })}
          </span>
        )}
      </td>
      <td className="figure">{signed(minutes, unit)}</td>
    </tr>
  );
}
