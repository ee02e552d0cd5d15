// Small companies whose facts change, as import files and as what statement-model.ts computes from.
import { formatDay } from "../../../src/time/day.ts";
import type { Assignment, Balance, Entry, Leave, Parts, Rule, Span, Terms } from "./statement-model.ts";

type Random = (below: number) => number;
type Day = number;
interface OfBalance {
  readonly worker: string;
  readonly policy: string;
}

export interface Person {
  readonly id: string;
  readonly start: Day;
  readonly end: Day | null;
  readonly workDays: readonly number[];
  readonly department: string;
  readonly manager: string | null;
  readonly workplace: string;
  readonly schedule: Parts["schedule"];
  readonly hours: readonly Entry[];
}

export interface World {
  readonly people: readonly Person[];
  readonly policies: readonly {
    readonly id: string;
    readonly unit: string;
    readonly isPaidOut: boolean;
    readonly rule: Rule;
  }[];
  readonly assignments: readonly (OfBalance & Assignment & { readonly movesFrom: string | null })[];
  readonly leave: readonly (OfBalance & Leave)[];
  readonly adjustments: readonly (OfBalance & Entry & { readonly id: string })[];
  readonly openings: readonly (OfBalance & Entry)[];
  readonly holidays: Readonly<Record<string, Parts["holiday"]>>;
}

const WORKPLACES = ["wkp_north", "wkp_south"];
const DEPARTMENTS = ["Sales", "Care", "Kitchen"];
const WEEKS = [
  [0, 1, 2, 3, 4],
  [0, 1, 3],
  [6, 0, 1, 2, 3],
];

/** Makes up parts of a company. */
export class Maker {
  private made = 0;
  constructor(
    readonly random: Random,
    private readonly start: Day,
  ) {}

  pick<T>(list: readonly T[]): T {
    return list[this.random(list.length)]!;
  }

  maybe<T>(oneOf: number, make: () => T): T | null {
    return this.random(oneOf) === 0 ? make() : null;
  }

  id(prefix: string): string {
    return `${prefix}${String(++this.made).padStart(5, "0")}`;
  }

  terms(schedule: Rule["schedule"]): Terms {
    const { random } = this;
    const isHourly = schedule === "per_hour_worked";
    const large = schedule === "yearly" ? 12 : 1;
    const amount = isHourly ? (100 + random(600)) / 100 : large * (480 + random(40) * 7.25);
    return {
      amount,
      hours: isHourly ? this.pick([1, 3, 30]) : null,
      timing: isHourly ? "start" : this.pick(["start", "end", "lastDay"] as const),
      prorate: isHourly || random(4) > 0,
      limit: this.maybe(2, () => random(20) * 240),
      expiresAfter: this.maybe(3, () => this.pick([1, 3, 6, 12, 15])),
      balanceCap: this.maybe(4, () => 2400 + random(40) * 240),
      yearlyCap: this.maybe(5, () => 3000 + random(40) * 99.5),
      tiers: this.maybe(3, () => [
        { months: 6 + random(20), amount: amount + 60 },
        { months: 30 + random(30), amount: amount + 133.5 },
      ]),
    };
  }

  policy(): World["policies"][number] {
    const schedule = this.pick(["monthly", "yearly", "yearly", "per_hour_worked", "unlimited"] as const);
    const anchor = this.pick(["calendar", "calendar", "anniversary"] as const);
    const yearStartsInMonth = anchor === "calendar" ? this.pick([1, 1, 4, 7]) : 1;
    const rule = {
      ...{ schedule, anchor, yearStartsInMonth, changes: [] },
      terms: schedule === "unlimited" ? { ...this.terms("monthly"), amount: 0 } : this.terms(schedule),
    };
    return {
      ...{ id: this.id("top_"), unit: this.pick(["hour", "day"]), rule },
      isPaidOut: schedule !== "unlimited" && this.random(2) === 0,
    };
  }

  span(from: Day, length: number): Span {
    const first = from + this.random(700);
    return { first, last: first + this.random(length) };
  }

  person(manager: string | null): Person {
    const { random, start } = this;
    const first = start - 400 + random(800);
    const hours = Array.from({ length: random(8) }, () => ({
      day: start + random(700),
      minutes: 30 * random(60),
    }));
    return {
      ...{ id: this.id("wrk_"), start: first, end: this.maybe(5, () => first + random(1100)), manager },
      ...{ workDays: this.pick(WEEKS), department: this.pick(DEPARTMENTS), workplace: this.pick(WORKPLACES) },
      schedule: this.random(2) === 0 ? [] : this.schedule(first - 30),
      hours: [...new Map(hours.map((entry) => [entry.day, entry])).values()],
    };
  }

  schedule(from: Day): Parts["schedule"] {
    const week = () => Array.from({ length: 7 }, () => this.pick([0, 480, 480, 240, 456]));
    return [
      { from, week: week() },
      ...(this.random(2) === 0 ? [] : [{ from: from + 31 + this.random(500), week: week() }]),
    ];
  }

  assignment(start: Day): Assignment {
    const { random } = this;
    const pauses = this.maybe(4, () => [this.span(start, 60)]) ?? [];
    const gap = this.span(start, 200);
    const isApart = pauses.every(({ first, last }) => last < gap.first || first > gap.last);
    return {
      ...{ start, end: this.maybe(6, () => start + random(1000)), pauses },
      amount: null,
      serviceFrom: this.maybe(4, () => start - random(900)),
      gaps: isApart && random(5) === 0 ? [gap] : [],
    };
  }

  leave(of: OfBalance, from: Day): World["leave"][number] {
    const { random } = this;
    const first = from + random(500) - 150;
    const last = first + random(12);
    const minutes = 120 + random(200) * 24.25;
    const days =
      random(4) > 0
        ? null
        : [
            { day: first, minutes: Math.floor(minutes / 2) },
            ...(last > first ? [{ day: last, minutes: minutes - Math.floor(minutes / 2) }] : []),
          ];
    return {
      ...{ worker: of.worker, policy: of.policy, id: this.id("tor_"), first, last },
      ...{ minutes: days?.length === 1 ? days[0]!.minutes : minutes, days },
      status: this.pick(["approved", "approved", "approved", "pending", "denied"]),
    };
  }

  adjustment(of: OfBalance, from: Day): World["adjustments"][number] {
    const { random } = this;
    const minutes = random(4000) / 4 - 500;
    return {
      worker: of.worker,
      policy: of.policy,
      id: this.id("adj_"),
      day: from + random(500) - 150,
      minutes,
    };
  }

  world(count: number): World {
    const { random, start } = this;
    const policies = Array.from({ length: 7 }, () => this.policy());
    const people: Person[] = [];
    for (let at = 0; at < count; at++) people.push(this.person(at === 0 ? null : this.pick(people).id));
    const assignments = people.flatMap((person) => this.assignmentsOf(person.id, person.start, policies));
    const holidays = Object.fromEntries(
      WORKPLACES.map((workplace) => [
        workplace,
        [...new Set(Array.from({ length: 40 }, () => start + random(800)))].map((day) => ({
          ...{ day, minutes: this.maybe(3, () => 240) },
        })),
      ]),
    );
    return {
      ...{ people, policies, assignments, holidays },
      leave: assignments.flatMap((of) => Array.from({ length: random(6) }, () => this.leave(of, start))),
      adjustments: assignments.flatMap((of) =>
        Array.from({ length: random(3) }, () => this.adjustment(of, start)),
      ),
      openings: assignments.flatMap((of) => (random(6) === 0 ? this.opening(of, policies) : [])),
    };
  }

  /** An opening, where there may be one. */
  opening(
    { worker, policy, start, movesFrom }: World["assignments"][number],
    policies: World["policies"],
  ): World["openings"] {
    const { schedule } = policies.find(({ id }) => id === policy)!.rule;
    if (schedule === "unlimited" || movesFrom !== null) return [];
    return [{ worker, policy, day: start + this.random(300), minutes: 10 * this.random(400) }];
  }

  private assignmentsOf(worker: string, start: Day, policies: World["policies"]): World["assignments"] {
    const made = policies
      .filter(() => this.random(5) < 2)
      .map(({ id }) => ({
        worker,
        policy: id,
        movesFrom: null as string | null,
        ...this.assignment(start + this.random(60)),
      }));
    const [old, next] = made;
    const ruleOf = (id: string) => policies.find((policy) => policy.id === id)!.rule;
    const canMove =
      old !== undefined &&
      next !== undefined &&
      [old, next].every(({ policy }) => ruleOf(policy).schedule !== "unlimited") &&
      ruleOf(old.policy).terms.expiresAfter === null &&
      this.random(2) === 0;
    if (!canMove) return made;
    const day = Math.max(old.start + 30 + this.random(400), start);
    const moving = { ...old, end: day - 1, pauses: [], gaps: [] };
    return [
      moving,
      { ...next, start: day, end: null, pauses: [], gaps: [], movesFrom: old.policy },
      ...made.slice(2),
    ];
  }
}

const isOf =
  ({ worker, policy }: OfBalance) =>
  (row: OfBalance) =>
    row.worker === worker && row.policy === policy;

/** What a balance is made of; null without an assignment. */
export function balanceOf(world: World, of: OfBalance): Balance | null {
  const assigned = world.assignments.find(isOf(of));
  const person = world.people.find(({ id }) => id === of.worker);
  if (assigned === undefined || person === undefined) return null;
  const { worker, policy, movesFrom, ...assignment } = assigned;
  const before = movesFrom === null ? null : balanceOf(world, { worker, policy: movesFrom });
  const parts: Parts = {
    rule: world.policies.find(({ id }) => id === policy)!.rule,
    worker: { start: person.start, end: person.end, workDays: person.workDays },
    ...{ assignment, schedule: person.schedule, workedHours: person.hours },
    holiday: world.holidays[person.workplace]!,
    moved: before?.parts ?? null,
    opening: world.openings.find(isOf(of)) ?? null,
    adjustments: world.adjustments.filter(isOf(of)),
    leave: world.leave.filter(isOf(of)),
  };
  const next = world.assignments.find((row) => row.worker === worker && row.movesFrom === policy);
  return { parts, movesAwayOn: next?.start ?? null };
}

type Cells = Record<string, string | number | boolean | null>;
const date = (day: Day | null) => (day === null ? null : formatDay(day));
const spans = (list: readonly Span[]) =>
  list.map(({ first, last }) => `${formatDay(first)}/${formatDay(last)}`).join("; ") || null;
const DAY_NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Names of rules in files, of the terms that are given. */
function ruleCells(schedule: Rule["schedule"], terms: Partial<Terms>, none: string | null): Cells {
  const cells: Cells = {};
  const isHourly = schedule === "per_hour_worked";
  const put = (name: string, value: string | number | boolean | null | undefined) => {
    if (value !== undefined) cells[name] = value ?? none;
  };
  put(isHourly ? "minutesPerChunk" : "minutesPerPeriod", terms.amount);
  if (isHourly) put("hoursWorkedPerChunk", terms.hours);
  else put("accrualTiming", terms.timing);
  if (!isHourly) put("prorate", terms.prorate);
  put("carryoverLimitMinutes", terms.limit);
  put("carryoverExpiresAfterMonths", terms.expiresAfter);
  put("balanceCapMinutes", terms.balanceCap);
  put("yearlyAccrualCapMinutes", terms.yearlyCap);
  const tiers = terms.tiers?.map(({ months, amount }) => `${months}:${amount}`).join("; ");
  put("tiers", terms.tiers === null ? null : tiers);
  return cells;
}

function policyRow({ id, unit, isPaidOut, rule }: World["policies"][number]): Cells {
  const { schedule, anchor, yearStartsInMonth, terms } = rule;
  const cells = { id, name: id, paid: true, unit, isPaidOut, schedule, timeOffTypeName: "Leave" };
  if (schedule === "unlimited") return cells;
  const yearStartsOn = anchor === "calendar" ? `${String(yearStartsInMonth).padStart(2, "0")}-01` : null;
  return { ...cells, periodAnchor: anchor, yearStartsOn, ...ruleCells(schedule, terms, null) };
}

/** The rows of import files, by kind. */
export function rowsOf(world: World): Record<string, Cells[]> {
  const names = new Map(world.people.map(({ id }, at) => [id, `Nº ${at}`]));
  return {
    workplaces: WORKPLACES.map((id) => ({ id, name: id, holidayCalendar: id })),
    holidays: Object.entries(world.holidays).flatMap(([calendar, days]) =>
      days.map(({ day, minutes }) => ({ calendar, name: "A day off", date: date(day), minutes })),
    ),
    workers: world.people.map(({ id, start, end, workDays, department, manager, workplace }) => ({
      ...{ id, firstName: "A", lastName: names.get(id)!, email: `${id}@example.com`, type: "employee" },
      ...{
        isBusiness: false,
        startDate: date(start),
        endDate: date(end),
        department,
        workplaceId: workplace,
      },
      ...{ managerId: manager, workDays: workDays.map((day) => DAY_NAMES[day]).join(",") },
    })),
    policies: world.policies.map(policyRow),
    policy_changes: world.policies.flatMap(({ id, rule }) =>
      rule.changes.map(({ from, terms }) => ({
        ...{ policyId: id, from: date(from), ...ruleCells(rule.schedule, terms, "none") },
      })),
    ),
    assignments: world.assignments.map(({ worker, policy, start, end, amount, ...row }) => ({
      ...{ id: `toa_${worker.slice(4)}${policy.slice(4)}`, workerId: worker, policyId: policy },
      ...{ startsOn: date(start), endsOn: date(end), minutesPerPeriod: amount },
      ...{ serviceFrom: date(row.serviceFrom), pauses: spans(row.pauses), gaps: spans(row.gaps) },
      movesFrom: row.movesFrom,
    })),
    requests: world.leave.map(({ id, worker, policy, first, last, minutes, status, days }) => ({
      ...{ id, workerId: worker, timeOffPolicyId: policy, requestedMinutes: minutes, status },
      ...{ startAt: `${date(first)}T00:00:00Z`, endAt: `${date(last + 1)}T00:00:00Z` },
      createdAt: "2024-01-01T00:00:00Z",
      dayMinutes: days?.map((entry) => `${date(entry.day)}:${entry.minutes}`).join("; ") ?? null,
    })),
    adjustments: world.adjustments.map(({ id, worker, policy, day, minutes }) => ({
      ...{ id, workerId: worker, policyId: policy, date: date(day), minutes },
    })),
    work_hours: world.people.flatMap(({ id, hours }) =>
      hours.map(({ day, minutes }) => ({ workerId: id, date: date(day), minutes })),
    ),
    openings: world.openings.map(({ worker, policy, day, minutes }) => ({
      ...{ workerId: worker, policyId: policy, date: date(day), minutes },
    })),
    schedules: world.people.flatMap(({ id, schedule }) =>
      schedule.map(({ from, week }) => ({
        ...{ workerId: id, startsOn: date(from), minutesPerWeekday: week.join(",") },
      })),
    ),
  };
}
