// What is lost of a balance, in words.
import type { Expiration, Policy } from "../../client/index.ts";
import { dayOfText, formatDay } from "../../time/day.ts";
import { amount, enumerated, listed, plainText } from "../data/format.ts";
import { t } from "../texts/texts.ts";

export type Loss = Pick<Expiration, "date" | "minutes">;

/** Whether the time is never granted, because of a cap, rather than lost. */
export const isCap = ({ cause }: Pick<Expiration, "cause">) => cause === "balanceCap";

/** The last day on which time can be used, if it is gone on this day: the day before. */
export const expiryOf = (date: string) => formatDay(dayOfText(date) - 1);

/** How many days a text names at most. */
const NAMED = 3;

/** The sum for each day: `184 h by 31 Dec 2026 and 40 h by 31 Mar 2027`. Only the first days if there are many. */
export const lossesText = (losses: readonly Loss[], unit: Policy["unit"]) =>
  sumsText(
    losses.map((loss) => ({ ...loss, date: expiryOf(loss.date) })),
    unit,
    "balance.loss",
  );

/** The same with the days as they are; of `balance.cut`: `184 h on 1 Jan 2027`. */
export function sumsText(
  losses: readonly Loss[],
  unit: Policy["unit"],
  each: "balance.loss" | "balance.cut",
): string {
  const [first, others] =
    losses.length > NAMED + 1 ? [losses.slice(0, NAMED), losses.slice(NAMED)] : [losses, []];
  const days = first.map(({ date, minutes }) =>
    t(each, { amount: amount(minutes, unit), day: plainText(date) }),
  );
  if (others.length === 0) return listed(days);
  const rest = others.reduce((sum, { minutes }) => sum + minutes, 0);
  return t("balance.lossesMore", {
    losses: enumerated(days),
    amount: amount(rest, unit),
    day: plainText(others.at(-1)!.date),
  });
}

export const byDay = (losses: readonly Loss[]): Loss[] =>
  [...Map.groupBy(losses, ({ date }) => date)].map(([date, own]) => ({
    date,
    minutes: own.reduce((sum, { minutes }) => sum + minutes, 0),
  }));
