// What a number of a balance is made of, entry by entry, in words.
import type { BalanceEntry, Policy } from "../../client/index.ts";
import { dayOfText } from "../../time/day.ts";
import type { DayRange } from "../data/days.ts";
import { amount, plainDay } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import { detailIn } from "./detail.ts";
import type { Part } from "./leave-year.ts";

const KIND_NAME: Record<BalanceEntry["kind"], string> = {
  opening: "Opening balance",
  moved: "Moved between policies",
  accrual: "Granted",
  adjustment: "Adjusted",
  forfeit: "Forfeited",
  expiry: "Expired",
  revalued: "Revalued",
  used: "Used",
  hold: "Requested",
};

/** What a part is, for whoever reads the word for the first time. */
const MEANING: Record<Part["kind"], string> = {
  entitlement: "Everything that is granted in this leave year, through its last day.",
  carried: "What was left of the years before, without what was forfeited when this one began.",
  adjusted: "Changes by hand: opening balances, corrections, pay-outs.",
  lost: "Time carried over that was not used in time, and time that was forfeited.",
  used: "Approved leave up to and including today.",
  booked: "Approved leave after today.",
  requested: "Requests that are not decided yet. They count as taken.",
  left: "All of the above together.",
};

interface Props {
  readonly part: Part;
  readonly unit: Policy["unit"];
  readonly range: DayRange;
}

export function Explanation({ part, unit, range }: Props) {
  const carried = part.kind === "carried" ? part.minutes - sumOf(part.entries) : 0;
  return (
    <div className="explanation small">
      <p className="soft">{MEANING[part.kind]}</p>
      {part.kind === "carried" && (
        <p>
          Balance at the end of {plainDay(range.first - 1)}: <strong>{amount(carried, unit)}</strong>
        </p>
      )}
      {part.entries.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
        <section className="explanation-entries" aria-label={`Entries: ${part.name}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">What</th>
                <th scope="col" className="figure">
                  Amount
                </th>
              </tr>
            </thead>
            <tbody>
              {part.entries.map((entry, index) => (
                <Entry key={`${entry.date} ${entry.sourceId ?? index}`} entry={entry} unit={unit} />
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        part.kind !== "carried" && <p>Nothing in this leave year.</p>
      )}
    </div>
  );
}

const sumOf = (entries: readonly BalanceEntry[]) => entries.reduce((sum, { minutes }) => sum + minutes, 0);

function Entry({ entry, unit }: { readonly entry: BalanceEntry; readonly unit: Policy["unit"] }) {
  const today = useToday();
  const { date, kind, minutes, unlocksOn, detail } = entry;
  const day = dayOfText(date);
  const isBooked = kind === "used" && day > today;
  const isLocked = unlocksOn !== null && dayOfText(unlocksOn) > Math.max(today, day);
  return (
    <tr>
      <td className="nowrap">{plainDay(day)}</td>
      <td>
        {isBooked ? "Booked" : KIND_NAME[kind]}
        {detail !== "" && <span className="soft"> · {detailIn(unit, detail)}</span>}
        {isLocked && <span className="soft"> · usable from {plainDay(dayOfText(unlocksOn))}</span>}
      </td>
      <td className="figure">
        {minutes < 0 ? "− " : minutes > 0 ? "+ " : ""}
        {amount(Math.abs(minutes), unit)}
      </td>
    </tr>
  );
}
