/** How an amount came about, as codes with values and as English text (docs/balances.md, The explanation). */
import { type Day, formatDay } from "../time/day.ts";
import { type Rational, toMillionths } from "./rational.ts";

/** `minutes` less `lessMinutes`, divided, times `parts / of`; what is left out changes nothing. */
interface Product {
  readonly minutes: number;
  readonly lessMinutes?: number;
  readonly dividedBy?: number;
  readonly parts?: number;
  readonly of?: number;
}

type Numbers<Name extends string> = Readonly<Record<Name, number>>;
/** `YYYY-MM-DD`, or a word. */
type Texts<Name extends string> = Readonly<Record<Name, string>>;
type Days = Texts<"from" | "through">;
type Cut = Numbers<"fromMinutes" | "minutes" | "capMinutes">;

/** The English text of each code. A text that begins with a comma, colon or space continues the one before. */
const TEXTS = {
  granted: (values: Product & Days) => `${productText(values)} for ${rangeText(values)}`,
  countedBy: ({ by }: Texts<"by">) => `by ${COUNTED[by] ?? `months begun by day ${by.split(":")[1]}`}`,
  rulesFrom: ({ from }: Texts<"from">) => `the rules from ${from} on`,
  ownAmount: () => "this worker's own amount",
  tier: ({ months }: Numbers<"months">) => `the amount after ${months} months of service`,
  share: ({ share }: Numbers<"share">) => `a share of ${share} of full time`,
  shareAndRate: ({ factor }: Numbers<"factor">) => `× ${factor}, share and rate`,
  since: ({ from }: Texts<"from">) => ` from ${from} on`,
  restOfYear: ({ on }: Texts<"on">) => `the rest of the year, as ${on} is reached`,
  firstYear: ({ months }: Numbers<"months">) => `as ${months} months of the first year are over`,
  total: ({ minutes }: Numbers<"minutes">) => `${minutes} in all`,
  sumRounded: ({ fromMinutes, minutes }: Numbers<"fromMinutes" | "minutes">) =>
    `${fromMinutes} become ${minutes} by rounding the year's sum`,
  rounded: ({ fromMinutes, how, toMinutes }: Numbers<"fromMinutes" | "toMinutes"> & Texts<"how">) =>
    `${fromMinutes} rounded ${how === "nearest" ? "to the nearest" : `${how} to a`} multiple of ${toMinutes}`,
  totalRounded: ({
    fromMinutes,
    minutes,
    beforeMinutes,
  }: Numbers<"fromMinutes" | "minutes" | "beforeMinutes">) =>
    `the period's total of ${fromMinutes} is ${minutes} once rounded, ${beforeMinutes} were granted before`,
  onlyUncut: () => "only what a cap had not cut is taken",
  yearlyCap: (values: Cut) => cutText(values, "yearly"),
  balanceCap: (values: Cut) => cutText(values, "balance"),
  hoursWorked: ({
    hours,
    minutesPerChunk,
    hoursPerChunk,
  }: Numbers<"hours" | "minutesPerChunk" | "hoursPerChunk">) =>
    `${hours} hours × ${minutesPerChunk}${hoursPerChunk === 1 ? "" : `/${hoursPerChunk}`}`,
  rate: ({ factor }: Numbers<"factor">) => ` × ${factor}, the rate`,
  payPeriod: ({ from }: Texts<"from">) => ` in the pay period from ${from}`,
  locked: () => "from time that is still locked",
  revalued: ({ share, shareBefore }: Numbers<"share" | "shareBefore">) =>
    `what is left × ${share} ÷ ${shareBefore}, as the share of full time changes`,
  movesAway: () => "what is left moves to the policy that follows",
  movesHere: () => "what was left under the policy before",
  policyEnds: () => "what is left ends with the policy",
  openingCarried: ({ minutes }: Numbers<"minutes">) => `opening, of which ${minutes} were carried over`,
  opening: () => "opening, as imported",
  adjustment: () => "adjustment, as imported",
  carryoverLimit: ({ minutes, limitMinutes }: Numbers<"minutes" | "limitMinutes">) =>
    `the year ends with ${minutes}, of which ${limitMinutes} may be carried over`,
  grantExpired: ({
    minutes,
    grantedMinutes,
    grantedOn,
    on,
  }: Numbers<"minutes" | "grantedMinutes"> & Texts<"grantedOn" | "on">) =>
    `${minutes} of the ${grantedMinutes} granted on ${grantedOn} were not used before ${on}`,
  carriedExpired: ({
    minutes,
    carriedOn,
    takenMinutes,
    on,
  }: Numbers<"minutes" | "takenMinutes"> & Texts<"carriedOn" | "on">) =>
    `${minutes} carried over on ${carriedOn}, ${takenMinutes} taken before ${on}`,
  notCovered: ({ minutes }: Numbers<"minutes">) =>
    `not employed under the policy then, so ${minutes} are kept`,
  neverExpire: ({ minutes }: Numbers<"minutes">) => `, ${minutes} never expire`,
  leave: (values: Days & Texts<"status">) => `${values.status} leave, ${rangeText(values)}`,
  leavePart: (values: Product & { readonly by: keyof typeof SPREAD }) =>
    `: ${productText(values)}, by ${SPREAD[values.by]}`,
  writtenDays: () => "as the source wrote for each day",
  writtenPart: ({ minutes, ofMinutes }: Numbers<"minutes" | "ofMinutes">) => `: ${minutes} of ${ofMinutes}`,
  heldLess: ({ minutes }: Numbers<"minutes">) => `only ${minutes} of them would still be taken`,
} as const;

const COUNTED: Readonly<Record<string, string>> = {
  monthsStarted: "months started",
  halfMonths: "months of at least 15 days",
  fullMonths: "full months",
  serviceMonths: "full months of service",
  thirtieths: "days of months of thirty days",
};

const SPREAD = {
  minutesWorked: "minutes worked",
  workDays: "work days",
  calendarDays: "calendar days",
} as const;

export type DetailCode = keyof typeof TEXTS;
type ValuesOf<C extends DetailCode> = Parameters<(typeof TEXTS)[C]> extends [infer V] ? V : NoValues;
type NoValues = Readonly<Record<string, never>>;

/** One fact about an amount. Values called minutes, or ending so, are minutes; days are `YYYY-MM-DD`. */
export interface DetailPart {
  readonly code: DetailCode;
  readonly values: Readonly<Record<string, number | string>>;
}

/** Makes the parts when they are asked for. */
export type Detail = () => readonly DetailPart[];

/** The codes that need no values. */
type Plain = { [C in DetailCode]: Parameters<(typeof TEXTS)[C]> extends [] ? C : never }[DetailCode];

export function part<C extends DetailCode>(
  code: C,
  ...[values]: C extends Plain ? [] : [ValuesOf<C>]
): DetailPart {
  return { code, values: { ...(values as DetailPart["values"] | undefined) } }; // all values are numbers or texts
}

/** `600 × 29/30 for 2024-09-02 to 2024-09-30; the amount after 60 months of service`. */
export function detailText(parts: readonly DetailPart[]): string {
  let text = "";
  for (const { code, values } of parts) {
    const next = TEXTS[code](values as never); // `part` made them of this code
    text += text === "" || /^[ ,:]/.test(next) ? next : `; ${next}`;
  }
  return text;
}

export function rangeOf(first: Day, last: Day): Days {
  return { from: formatDay(first), through: formatDay(last) };
}

/** `parts / of`; nothing for a whole. */
export function fractionOf(parts: Rational, of: Rational): Pick<Product, "parts" | "of"> {
  return parts === of ? {} : { parts: toMillionths(parts), of: toMillionths(of) };
}

function productText({ minutes, lessMinutes, dividedBy, parts, of }: Product): string {
  const amount = lessMinutes === undefined ? String(minutes) : `(${minutes} − ${lessMinutes})`;
  return (
    amount +
    (dividedBy === undefined ? "" : ` ÷ ${dividedBy}`) +
    (of === undefined ? "" : ` × ${parts}/${of}`)
  );
}

function rangeText({ from, through }: Days): string {
  return from === through ? from : `${from} to ${through}`;
}

function cutText({ fromMinutes, minutes, capMinutes }: Cut, which: string): string {
  return `${fromMinutes} cut to ${minutes} by the ${which} cap of ${capMinutes}`;
}
