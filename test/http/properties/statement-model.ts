// A small model of docs/balances.md and docs/record.md, written from them alone: what a balance is made of on a day, and why it is another
// one with other facts. It knows fewer rules than test/balances/model.ts.

/** Days since 1970-01-01. */
type Day = number;
type Fraction = readonly [bigint, bigint];

const ZERO: Fraction = [0n, 1n];
function reduced(top: bigint, bottom: bigint): Fraction {
  let [a, b] = [top < 0n ? -top : top, bottom];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? ZERO : [top / a, bottom / a];
}
const plus = ([a, b]: Fraction, [c, d]: Fraction) => reduced(a * d + c * b, b * d);
const minus = (left: Fraction, [c, d]: Fraction) => plus(left, [-c, d]);
const times = ([a, b]: Fraction, [c, d]: Fraction) => reduced(a * c, b * d);
const over = (left: Fraction, [c, d]: Fraction) => times(left, c < 0n ? [-d, -c] : [d, c]);
const isAbove = (a: Fraction, b: Fraction) => minus(a, b)[0] > 0n;
const least = (a: Fraction, b: Fraction) => (isAbove(a, b) ? b : a);
const most = (a: Fraction, b: Fraction) => (isAbove(a, b) ? a : b);
/** Of a number with at most two decimals. */
const exact = (value: number) => reduced(BigInt(Math.round(value * 100)), 100n);
const count = (value: number): Fraction => [BigInt(value), 1n];

/** In hundredths, halves away from zero. */
function hundredths([top, bottom]: Fraction): number {
  const size = top < 0n ? -top : top;
  const result = Number((size * 200n + bottom) / (2n * bottom));
  return top < 0n ? -result : result;
}

export interface Span {
  readonly first: Day;
  readonly last: Day;
}

export interface Terms {
  readonly amount: number;
  readonly hours: number | null;
  readonly timing: "start" | "end" | "lastDay";
  readonly prorate: boolean;
  readonly limit: number | null;
  readonly expiresAfter: number | null;
  readonly balanceCap: number | null;
  readonly yearlyCap: number | null;
  readonly tiers: readonly { readonly months: number; readonly amount: number }[] | null;
}

export interface Rule {
  readonly schedule: "monthly" | "yearly" | "per_hour_worked" | "unlimited";
  readonly anchor: "calendar" | "anniversary";
  readonly yearStartsInMonth: number;
  readonly terms: Terms;
  readonly changes: readonly { readonly from: Day; readonly terms: Partial<Terms> }[];
}

export interface Assignment {
  readonly start: Day;
  readonly end: Day | null;
  readonly amount: number | null;
  readonly serviceFrom: Day | null;
  readonly pauses: readonly Span[];
  readonly gaps: readonly Span[];
}

export interface Leave extends Span {
  readonly id: string;
  readonly minutes: number;
  readonly status: string;
  readonly days: readonly { readonly day: Day; readonly minutes: number }[] | null;
}

export interface Entry {
  readonly day: Day;
  readonly minutes: number;
}

/** All that a balance is made of. The keys are the causes, in the order of docs/record.md. */
export interface Parts {
  readonly rule: Rule;
  readonly worker: { readonly start: Day; readonly end: Day | null; readonly workDays: readonly number[] };
  readonly assignment: Assignment;
  readonly schedule: readonly { readonly from: Day; readonly week: readonly number[] }[];
  readonly holiday: readonly { readonly day: Day; readonly minutes: number | null }[];
  readonly moved: Parts | null;
  readonly opening: Entry | null;
  readonly workedHours: readonly Entry[];
  readonly adjustments: readonly (Entry & { readonly id: string })[];
  readonly leave: readonly Leave[];
}

const DAY_MS = 86_400_000;
const weekdayOf = (day: Day) => (((day + 3) % 7) + 7) % 7; // Monday is 0

function monthsLater(day: Day, months: number): Day {
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last)) / DAY_MS;
}

const isIn = (spans: readonly Span[], day: Day) =>
  spans.some(({ first, last }) => day >= first && day <= last);
const isEmployed = ({ worker, assignment }: Parts, day: Day) =>
  day >= Math.max(worker.start, assignment.start) &&
  day <= Math.min(worker.end ?? Infinity, assignment.end ?? Infinity) &&
  !isIn(assignment.gaps, day);
const isCovered = (parts: Parts, day: Day) => isEmployed(parts, day) && !isIn(parts.assignment.pauses, day);

function termsOn({ terms, changes }: Rule, day: Day): Terms {
  return Object.assign({}, terms, ...changes.filter(({ from }) => from <= day).map((change) => change.terms));
}

/** The first days of all periods of so many months, from the one that has `from` on. */
function* periodStarts({ rule, assignment }: Parts, months: number, from: Day): Generator<Day> {
  const { anchor, yearStartsInMonth } = rule;
  const origin =
    anchor === "anniversary" ? assignment.start : Date.UTC(1990, yearStartsInMonth - 1, 1) / DAY_MS;
  let at = Math.floor((from - origin) / 366 / (months / 12)) - 2;
  while (monthsLater(origin, (at + 1) * months) <= from) at++;
  for (; ; at++) yield monthsLater(origin, at * months);
}

function yearOf(parts: Parts, day: Day): Day {
  return periodStarts(parts, 12, day).next().value as Day; // it never ends
}

/** The amount for who has completed so much service. */
function amountOn(parts: Parts, day: Day): number {
  const { rule, worker, assignment } = parts;
  const { amount, tiers } = termsOn(rule, day);
  if (assignment.amount !== null) return assignment.amount;
  const reached = (tiers ?? []).filter(({ months }) => {
    let due = monthsLater(assignment.serviceFrom ?? worker.start, months);
    for (const { first, last } of assignment.gaps) if (first < due) due += last - first + 1;
    return due <= day;
  });
  return reached.at(-1)?.amount ?? amount;
}

interface Grant {
  readonly day: Day;
  readonly minutes: Fraction;
}

function grantsOf(parts: Parts, until: Day): Grant[] {
  const { rule, worker, assignment, workedHours } = parts;
  if (rule.schedule === "unlimited") return [];
  if (rule.schedule === "per_hour_worked")
    return workedHours
      .filter(({ day }) => day <= until && isCovered(parts, day))
      .map(({ day, minutes }) => {
        const { hours } = termsOn(rule, day);
        return {
          day,
          minutes: over(times(exact(amountOn(parts, day)), exact(minutes)), count(60 * hours!)),
        };
      });
  const grants: Grant[] = [];
  const months = rule.schedule === "monthly" ? 1 : 12;
  const starts = periodStarts(parts, months, Math.max(worker.start, assignment.start));
  let first = starts.next().value as Day; // it never ends
  while (first <= until) {
    const next = starts.next().value as Day;
    const covered = Array.from({ length: next - first }, (_, at) => first + at).filter((day) =>
      isCovered(parts, day),
    );
    if (covered.length > 0) grants.push(grantOf(parts, covered, next - first));
    first = next;
  }
  return grants.filter(({ day }) => day <= until);
}

function grantOf(parts: Parts, covered: readonly Day[], length: number): Grant {
  const { timing, prorate } = termsOn(parts.rule, covered[0]!);
  const amount = exact(amountOn(parts, covered[0]!));
  return {
    day: timing === "start" ? covered[0]! : covered.at(-1)! + (timing === "end" ? 1 : 0),
    minutes: prorate ? times(amount, reduced(BigInt(covered.length), BigInt(length))) : amount,
  };
}

/** The minutes of a request by day. */
function daysOf(leave: Leave, { worker, schedule, holiday }: Parts): { day: Day; minutes: Fraction }[] {
  if (leave.days !== null) return leave.days.map(({ day, minutes }) => ({ day, minutes: exact(minutes) }));
  const days = Array.from({ length: leave.last - leave.first + 1 }, (_, at) => leave.first + at);
  const scheduled = (day: Day) => schedule.findLast(({ from }) => from <= day)?.week[weekdayOf(day)] ?? 0;
  const assumed = (day: Day) => (worker.workDays.includes(weekdayOf(day)) ? 480 : 0);
  const off = (day: Day) =>
    Math.max(0, ...holiday.filter((one) => one.day === day).map(({ minutes }) => minutes ?? Infinity));
  const hasSchedule = schedule.length > 0 && schedule[0]!.from <= leave.first;
  const ways = [
    ...(hasSchedule ? [(day: Day) => Math.max(0, scheduled(day) - off(day)), scheduled] : []),
    ...[(day: Day) => Math.max(0, assumed(day) - off(day)), assumed, () => 1],
  ];
  for (const way of ways) {
    const weights = days.map(way);
    const sum = weights.reduce((all, weight) => all + weight, 0);
    if (sum === 0) continue;
    return days.map((day, at) => ({
      day,
      minutes: over(times(exact(leave.minutes), exact(weights[at]!)), exact(sum)),
    }));
  }
  return [];
}

export const COLUMNS = ["granted", "used", "adjusted", "forfeited", "expired", "opened", "moved"] as const;
type Column = (typeof COLUMNS)[number];
/** The sums until a day, of what is added and of what is taken. */
type Sums = Record<Column, Fraction>;

/** One balance, day by day. */
class Statement {
  readonly sums = Object.fromEntries(COLUMNS.map((column) => [column, ZERO])) as Sums;
  movedAway = ZERO;
  private running = ZERO;
  private readonly grants: readonly Grant[];
  private readonly taken = new Map<Day, Fraction>();
  private readonly accruedIn = new Map<Day, Fraction>();
  private carried: { expiresOn: Day; left: Fraction }[] = [];

  constructor(
    private readonly parts: Parts,
    until: Day,
    private readonly movesAwayOn: Day | null,
  ) {
    this.grants = grantsOf(parts, until);
    for (const leave of parts.leave)
      if (leave.status === "approved")
        for (const { day, minutes } of daysOf(leave, parts))
          if (day <= until) this.taken.set(day, plus(this.taken.get(day) ?? ZERO, minutes));
    const { adjustments, opening, assignment } = parts;
    const days = new Set([
      ...[...this.taken.keys()].flatMap((day) => [day, day + 1]),
      ...this.grants.map(({ day }) => day),
      ...adjustments.map(({ day }) => day),
      ...[assignment.start, movesAwayOn ?? assignment.start, opening?.day ?? assignment.start],
    ]);
    const years = periodStarts(parts, 12, assignment.start);
    for (let year = years.next().value as Day; year <= until; year = years.next().value as Day)
      for (let months = 0; months <= 24; months++) days.add(monthsLater(year, months));
    for (const day of [...days].toSorted((a, b) => a - b)) if (day <= until) this.pass(day);
  }

  /** Posts unless an opening contains it. */
  private post(column: Column, minutes: Fraction, day: Day, sign: 1n | -1n = 1n): void {
    if (this.parts.opening !== null && day <= this.parts.opening.day && column !== "opened") return;
    this.sums[column] = plus(this.sums[column], minutes);
    this.running = plus(this.running, [sign * minutes[0], minutes[1]]);
  }

  private take(minutes: Fraction): void {
    for (const carried of this.carried) carried.left = minus(carried.left, minutes);
  }

  private pass(day: Day): void {
    const { parts, movesAwayOn } = this;
    const { rule, moved, assignment, opening } = parts;
    if (rule.schedule !== "unlimited") {
      if (moved !== null && day === assignment.start)
        this.post("moved", new Statement(moved, day, day).movedAway, day);
      this.expire(day);
      this.endYear(day);
      const today = parts.adjustments.filter((entry) => entry.day === day);
      for (const { minutes } of today) {
        this.post("adjusted", exact(minutes), day);
        if (minutes < 0 && day > (opening?.day ?? -Infinity)) this.take(exact(-minutes));
      }
      for (const grant of this.grants) if (grant.day === day) this.accrue(grant);
      if (day === movesAwayOn) {
        this.movedAway = this.running;
        this.post("moved", minus(ZERO, this.running), day);
      }
    }
    const taken = this.taken.get(day) ?? ZERO;
    this.post("used", taken, day, -1n);
    if (day > (opening?.day ?? -Infinity)) this.take(taken);
    if (rule.schedule === "unlimited") this.post("granted", taken, day);
    else if (day === opening?.day) this.post("opened", exact(opening.minutes), day);
  }

  private expire(day: Day): void {
    for (const carried of this.carried) {
      if (carried.expiresOn !== day || !isEmployed(this.parts, day)) continue;
      const lost = most(ZERO, least(carried.left, this.running));
      this.post("expired", lost, day, -1n);
      this.take(lost);
    }
  }

  private endYear(day: Day): void {
    const { parts } = this;
    const { start } = parts.assignment;
    const wasEmployed = isEmployed(parts, day - 1) || (parts.moved !== null && day === start);
    if (yearOf(parts, day) !== day || !isEmployed(parts, day) || !wasEmployed) return;
    const { limit, expiresAfter } = termsOn(parts.rule, day);
    if (limit !== null && isAbove(this.running, exact(limit)))
      this.post("forfeited", minus(this.running, exact(limit)), day, -1n);
    if (expiresAfter !== null)
      this.carried.push({ expiresOn: monthsLater(day, expiresAfter), left: most(ZERO, this.running) });
  }

  private accrue({ day, minutes }: Grant): void {
    const { rule, opening } = this.parts;
    const year = yearOf(this.parts, day);
    const accrued = this.accruedIn.get(year) ?? ZERO;
    const { yearlyCap } = termsOn(rule, year);
    const { balanceCap } = termsOn(rule, day);
    let granted = minutes;
    if (yearlyCap !== null) granted = most(ZERO, least(granted, minus(exact(yearlyCap), accrued)));
    if (balanceCap !== null && day > (opening?.day ?? -Infinity))
      granted = most(ZERO, least(granted, minus(exact(balanceCap), this.running)));
    this.accruedIn.set(year, plus(accrued, granted));
    this.post("granted", granted, day);
  }
}

export type Figures = Record<Column, number> & { readonly closing: number };

/** The sums at the end of a day, in hundredths of a minute; null before an opening. */
export function figuresOn(parts: Parts, day: Day, movesAwayOn: Day | null): Figures | null {
  if (parts.opening !== null && day < parts.opening.day) return null;
  const { sums } = new Statement(parts, day, movesAwayOn);
  const { used, ...posted } = sums;
  const { granted, adjusted, forfeited, expired, opened, moved } = posted;
  const accrued = minus(plus(plus(plus(granted, adjusted), opened), moved), plus(forfeited, expired));
  const rounded = Object.fromEntries(COLUMNS.map((column) => [column, hundredths(sums[column])]));
  return { ...(rounded as Record<Column, number>), closing: hundredths(accrued) - hundredths(used) };
}

interface Cause {
  readonly cause: string;
  readonly minutes: number;
  readonly sourceId: string | null;
}

/** A balance: what it is made of, and when it moves to another policy. */
export interface Balance {
  readonly parts: Parts;
  readonly movesAwayOn: Day | null;
}

/** The figure that a close compares: the closing; under an unlimited policy the leave until then, below 0. */
function figureOf(parts: Parts, day: Day, movesAwayOn: Day | null): number {
  const figures = figuresOn(parts, day, movesAwayOn);
  if (figures === null) return 0;
  return parts.rule.schedule === "unlimited" ? 0 - figures.used : figures.closing;
}

/** The same of a balance; 0 of none. */
export const comparedFigure = (balance: Balance | null, day: Day) =>
  balance === null ? 0 : figureOf(balance.parts, day, balance.movesAwayOn);

const WHOLE = [
  "rule",
  "worker",
  "assignment",
  "schedule",
  "holiday",
  "moved",
  "opening",
  "workedHours",
] as const;

type Replace = (parts: Parts, now: Parts) => Parts;

function entriesOf({ moved, adjustments, leave }: Parts): Pick<Parts, "adjustments" | "leave"> {
  return {
    adjustments: [...adjustments, ...(moved?.adjustments ?? [])],
    leave: [...leave, ...(moved?.leave ?? [])],
  };
}

/** Why a balance of a day is another one today: each part is replaced in turn, also of the balance that moved here. */
export function causesOf(known: Balance | null, now: Balance | null, day: Day): Cause[] {
  if (known === null || now === null) {
    const minutes = comparedFigure(now, day) - comparedFigure(known, day);
    return minutes === 0 ? [] : [{ cause: "assignment", minutes, sourceId: null }];
  }
  let parts = known.parts;
  let { movesAwayOn } = known;
  let before = comparedFigure(known, day);
  const causes: Cause[] = [];
  const step = (cause: string, replace: Replace, sourceId: string | null = null) => {
    const { moved } = parts;
    parts = replace(parts, now.parts);
    if (moved !== null && now.parts.moved !== null)
      parts = { ...parts, moved: replace(moved, now.parts.moved) };
    const figure = figureOf(parts, day, movesAwayOn);
    if (figure !== before) causes.push({ cause, minutes: figure - before, sourceId });
    before = figure;
  };
  for (const cause of WHOLE) {
    if (cause === "assignment") ({ movesAwayOn } = now);
    step(cause, (was, is) => ({ ...was, [cause]: is[cause] }));
  }
  const [then, since] = [entriesOf(known.parts), entriesOf(now.parts)];
  const inOrder = <E extends { readonly id: string }>(
    was: readonly E[],
    is: readonly E[],
    dayOf: (entry: E) => Day,
  ) =>
    [...new Map([...is, ...was].map((entry) => [entry.id, entry])).values()].toSorted(
      (a, b) => dayOf(a) - dayOf(b) || (a.id < b.id ? -1 : 1),
    );
  const put = <E extends { readonly id: string }>(list: readonly E[], now: readonly E[], id: string) => [
    ...list.filter((each) => each.id !== id),
    ...now.filter((each) => each.id === id),
  ];
  for (const { id } of inOrder(then.adjustments, since.adjustments, (entry) => entry.day)) {
    const [was, is] = [then, since].map(({ adjustments }) => adjustments.find((entry) => entry.id === id));
    const kind = was === undefined ? "Added" : is === undefined ? "Removed" : "Changed";
    step(
      `adjustment${kind}`,
      (old, today) => ({ ...old, adjustments: put(old.adjustments, today.adjustments, id) }),
      id,
    );
  }
  for (const { id } of inOrder(then.leave, since.leave, (entry) => entry.first)) {
    const [was, is] = [then, since].map(({ leave }) => leave.find((entry) => entry.id === id));
    const isDenied = is?.status === "denied" && was?.status !== "denied";
    const wasNothing = was === undefined || was.status === "denied";
    const kind = wasNothing ? "Added" : is === undefined ? "Removed" : isDenied ? "Denied" : "Changed";
    step(`leave${kind}`, (old, today) => ({ ...old, leave: put(old.leave, today.leave, id) }), id);
  }
  return causes;
}
