// The English text of an explanation's parts (docs/balances.md, The explanation).

/** The English text of each code, with values in braces. A text that begins with a comma, colon or space continues the one before. */
export const DETAIL_TEXTS = {
  granted: "{product} for {days}",
  countedBy: "by {by}",
  rulesFrom: "the rules from {from} on",
  ownAmount: "this worker's own amount",
  tier: "the amount after {months} months of service",
  share: "a share of {share} of full time",
  shareAndRate: "× {factor}, share and rate",
  since: " from {from} on",
  restOfYear: "the rest of the year, as {on} is reached",
  firstYear: "as {months} months of the first year are over",
  total: "{minutes} in all",
  sumRounded: "{fromMinutes} become {minutes} by rounding the year's sum",
  rounded: "{fromMinutes} rounded {how} multiple of {toMinutes}",
  totalRounded:
    "the period's total of {fromMinutes} is {minutes} once rounded, {beforeMinutes} were granted before",
  onlyUncut: "only what a cap had not cut is taken",
  yearlyCap: "{fromMinutes} cut to {minutes} by the yearly cap of {capMinutes}",
  balanceCap: "{fromMinutes} cut to {minutes} by the balance cap of {capMinutes}",
  hoursWorked: "{hours} hours × {minutesPerChunk}{perHours}",
  rate: " × {factor}, the rate",
  payPeriod: " in the pay period from {from}",
  locked: "from time that is still locked",
  revalued: "what is left × {share} ÷ {shareBefore}, as the share of full time changes",
  movesAway: "what is left moves to the policy that follows",
  movesHere: "what was left under the policy before",
  policyEnds: "what is left ends with the policy",
  openingCarried: "opening, of which {minutes} were carried over",
  opening: "opening, as imported",
  adjustment: "adjustment, as imported",
  carryoverLimit: "the year ends with {minutes}, of which {limitMinutes} may be carried over",
  grantExpired: "{minutes} of the {grantedMinutes} granted on {grantedOn} were not used before {on}",
  carriedExpired: "{minutes} carried over on {carriedOn}, {takenMinutes} taken before {on}",
  notCovered: "not employed under the policy then, so {minutes} are kept",
  neverExpire: ", {minutes} never expire",
  leave: "{status} leave, {days}",
  leavePart: ": {product}, by {by}",
  writtenDays: "as the source wrote for each day",
  writtenPart: ": {minutes} of {ofMinutes}",
  heldLess: "only {minutes} of them would still be taken",
} as const;

type Values = Readonly<Record<string, number | string>>;

/** The words for names in braces that are not simply a value. */
const WRITTEN: Readonly<Record<string, (values: Values) => string>> = {
  product({ minutes, lessMinutes, dividedBy, parts, of }) {
    const amount = lessMinutes === undefined ? String(minutes) : `(${minutes} − ${lessMinutes})`;
    const divided = dividedBy === undefined ? "" : ` ÷ ${dividedBy}`;
    return amount + divided + (of === undefined ? "" : ` × ${parts}/${of}`);
  },
  days: ({ from, through }) => (from === through ? String(from) : `${from} to ${through}`),
  by: ({ by }) => WORDS[by!] ?? `months begun by day ${String(by).split(":")[1]}`,
  how: ({ how }) => WORDS[how!]!, // WORDS has every way of rounding
  perHours: ({ hoursPerChunk }) => (hoursPerChunk === 1 ? "" : `/${hoursPerChunk}`),
};

const WORDS: Readonly<Record<string, string>> = {
  monthsStarted: "months started",
  halfMonths: "months of at least 15 days",
  fullMonths: "full months",
  serviceMonths: "full months of service",
  thirtieths: "days of months of thirty days",
  minutesWorked: "minutes worked",
  workDays: "work days",
  calendarDays: "calendar days",
  nearest: "to the nearest",
  up: "up to a",
  down: "down to a",
};

interface DetailPart {
  readonly code: keyof typeof DETAIL_TEXTS;
  readonly values: Values;
}

/** Each text, split at its braces: the pieces at odd positions are names. */
const PIECES = new Map(Object.entries(DETAIL_TEXTS).map(([code, text]) => [code, text.split(/[{}]/)]));

/** `600 × 29/30 for 2024-09-02 to 2024-09-30; the amount after 60 months of service`. */
export function detailText(parts: readonly DetailPart[]): string {
  let text = "";
  for (const { code, values } of parts) {
    const pieces = PIECES.get(code)!; // PIECES has every code
    if (text !== "" && !/^[ ,:]/.test(pieces[0]!)) text += "; ";
    for (const [at, piece] of pieces.entries())
      text += at % 2 === 0 ? piece : (WRITTEN[piece]?.(values) ?? values[piece]);
  }
  return text;
}
