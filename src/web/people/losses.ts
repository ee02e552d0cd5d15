// Losses of a balance, in words.
import type { Expiration, Policy } from "../../client/index.ts";
import { dayOfText, formatDay } from "../../time/day.ts";
import { amount, enumerated, listed, plainText } from "../data/format.ts";
import { t } from "../texts/texts.ts";

export type Loss = Pick<Expiration, "date" | "minutes">;

/** Whether a cap prevented the grant, so that no granted time is lost. */
export const isCap = ({ cause }: Pick<Expiration, "cause">) => cause === "balanceCap";

/** The day before a loss: the last day on which the time can be used. */
export const expiryOf = (date: string) => formatDay(dayOfText(date) - 1);

/** A text names at most this many days. */
const NAMED = 3;

/** The sum of each day, for the first few days: `184 h by 31 Dec 2026 and 40 h by 31 Mar 2027`. */
export const lossesText = (losses: readonly Loss[], unit: Policy["unit"]) =>
  sumsText(
    losses.map((loss) => ({ ...loss, date: expiryOf(loss.date) })),
    unit,
    "balance.loss",
  );

/** The same with unchanged days. `balance.cut` gives `184 h on 1 Jan 2027`. */
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
