// Explains an amount in words, from the codes and values of the API (docs/balances.md, The explanation).
import type { BalanceDetailPart, Policy } from "../../client/index.ts";
import { dayOfText } from "../../time/day.ts";
import { amount, facts, number, plainText, shortRange } from "../data/format.ts";
import { months, partsText, rounded } from "../policies/rules.ts";
import { t } from "../texts/texts.ts";
import { expiryOf } from "./losses.ts";

type Unit = Policy["unit"];

/** `10 h × 29/30 for 2 – 30 Sept 2024 · the amount after 5 years of service`. */
export function detailIn(unit: Unit, parts: readonly BalanceDetailPart[]): string {
  return facts(...parts.map(({ code, values }) => t(`detail.${code}`, shown(values, unit))));
}

type Values = BalanceDetailPart["values"];

/** The values as texts, and texts made from several values. */
function shown(values: Values, unit: Unit): Record<string, string> {
  const texts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, valueText(name, value, unit)]),
  );
  const { from, through, by, how, toMinutes, minutes, on, grantedOn, carriedOn } = values;
  if (through !== undefined) texts.days = shortRange(dayOfText(String(from)), dayOfText(String(through)));
  if (by !== undefined) texts.counted = partsText(String(by));
  if (how !== undefined) texts.rounded = rounded(how, amount(Number(toMinutes), unit));
  if (grantedOn ?? carriedOn) texts.on = plainText(expiryOf(String(on))); // only time that expired has these
  if (minutes !== undefined) texts.product = product(texts);
  return texts;
}

function valueText(name: string, value: number | string, unit: Unit): string {
  if (name === "months") return months(value);
  if (typeof value === "number") return /minutes$/i.test(name) ? amount(value, unit) : number(value);
  return /^\d{4}-\d\d-\d\d$/.test(value) ? plainText(value) : value;
}

/** `(13 h − 10 h) ÷ 12 × 17/31`. */
function product({ minutes, lessMinutes, dividedBy, parts, of }: Readonly<Record<string, string>>): string {
  const whole = lessMinutes === undefined ? minutes : `(${minutes} − ${lessMinutes})`;
  return `${whole}${dividedBy === undefined ? "" : ` ÷ ${dividedBy}`}${of === undefined ? "" : ` × ${parts}/${of}`}`;
}
