// What changes in the companies of statement-world.ts from one night to the next.
import type { Day } from "../../../src/time/day.ts";
import type { Maker, World } from "./statement-world.ts";

type Change = (world: World, maker: Maker, today: Day) => World;

/** With one entry changed, of those that may be. */
function changed<E>(
  list: readonly E[],
  maker: Maker,
  change: (entry: E) => E,
  may: (entry: E) => boolean = () => true,
) {
  const open = list.filter(may);
  if (open.length === 0) return list;
  const entry = maker.pick(open);
  return list.map((each) => (each === entry ? change(each) : each));
}
function without<E>(list: readonly E[], maker: Maker): readonly E[] {
  const entry = list.length === 0 ? null : maker.pick(list);
  return list.filter((each) => each !== entry);
}

const moves = (world: World, { worker, policy }: { worker: string; policy: string }) =>
  world.assignments.some(
    (row) =>
      row.worker === worker && row.movesFrom !== null && (row.policy === policy || row.movesFrom === policy),
  );

const LEAVE: Change[] = [
  (world, maker, today) => ({
    ...world,
    leave: [...world.leave, maker.leave(maker.pick(world.assignments), today)],
  }),
  (world, maker) => ({ ...world, leave: without(world.leave, maker) }),
  (world, maker) => ({
    ...world,
    leave: changed(world.leave, maker, (leave) => ({
      ...leave,
      status: maker.pick(["approved", "denied", "pending"]),
    })),
  }),
  (world, maker) => ({
    ...world,
    leave: changed(world.leave, maker, (leave) => ({
      ...leave,
      ...{
        first: leave.first - 2,
        last: leave.last + maker.random(3),
        minutes: leave.minutes + 60,
        days: null,
      },
    })),
  }),
  (world, maker) => ({
    ...world, // half a day
    leave: changed(world.leave, maker, (leave) => ({
      ...leave,
      minutes: 240,
      days: [{ day: leave.last, minutes: 240 }],
    })),
  }),
];

const ADJUSTMENTS: Change[] = [
  (world, maker, today) => ({
    ...world,
    adjustments: [...world.adjustments, maker.adjustment(maker.pick(world.assignments), today)],
  }),
  (world, maker) => ({ ...world, adjustments: without(world.adjustments, maker) }),
  (world, maker) => ({
    ...world,
    adjustments: changed(world.adjustments, maker, (entry) => ({
      ...entry,
      minutes: entry.minutes + 33.25,
      day: entry.day + 3,
    })),
  }),
];

const RULES: Change[] = [
  (world, maker, today) => ({
    ...world, // a raise
    policies: changed(world.policies, maker, (policy) => {
      const { schedule, changes } = policy.rule;
      if (schedule === "unlimited") return policy;
      const { amount, hours, limit, balanceCap, tiers } = maker.terms(schedule);
      const terms = maker.pick([
        { amount, hours },
        { limit, balanceCap },
        { amount, hours, tiers },
      ]);
      const from = Math.max(today - 200 + maker.random(400), (changes.at(-1)?.from ?? 0) + 1);
      return { ...policy, rule: { ...policy.rule, changes: [...changes, { from, terms }] } };
    }),
  }),
  (world, maker) => ({
    ...world,
    policies: changed(world.policies, maker, (policy) =>
      policy.rule.schedule === "unlimited"
        ? policy
        : {
            ...policy,
            rule: { ...policy.rule, terms: { ...policy.rule.terms, limit: maker.random(20) * 240 } },
          },
    ),
  }),
];

const PEOPLE: Change[] = [
  (world, maker) => ({
    ...world,
    people: changed(world.people, maker, (person) => ({ ...person, end: null })),
  }),
  (world, maker, today) => ({
    ...world,
    people: changed(world.people, maker, (person) => ({
      ...person,
      end: Math.max(person.start, today - 40 + maker.random(80)),
    })),
  }),
  (world, maker) => ({
    ...world,
    people: changed(world.people, maker, (person) => {
      const { workDays, department, workplace } = maker.person(null);
      return maker.pick([
        { ...person, workDays },
        { ...person, department },
        { ...person, workplace },
      ]);
    }),
  }),
  (world, maker) => ({
    ...world,
    people: changed(world.people, maker, (person) => ({
      ...person,
      schedule: maker.schedule(person.start - 30),
    })),
  }),
  (world, maker) => ({
    ...world,
    people: changed(world.people, maker, (person) => ({ ...person, hours: maker.person(null).hours })),
  }),
  (world, maker) => {
    if (maker.random(4) > 0) return world;
    const { id } = maker.pick(world.people.slice(1)); // the first one manages others
    const isOther = ({ worker }: { worker: string }) => worker !== id;
    return {
      ...world,
      people: world.people
        .filter((person) => person.id !== id)
        .map((person) => (person.manager === id ? { ...person, manager: null } : person)),
      assignments: world.assignments.filter(isOther),
      leave: world.leave.filter(isOther),
      adjustments: world.adjustments.filter(isOther),
      openings: world.openings.filter(isOther),
    };
  },
];

const ASSIGNMENTS: Change[] = [
  (world, maker, today) => ({
    ...world, // a rehire
    assignments: changed(
      world.assignments,
      maker,
      (row) => ({ ...row, end: null, pauses: [], gaps: [maker.span(today - 500, 100)] }),
      (row) => !moves(world, row),
    ),
  }),
  (world, maker) => ({
    ...world,
    assignments: changed(
      world.assignments,
      maker,
      (row) => {
        const { pauses, gaps, serviceFrom } = maker.assignment(row.start);
        return maker.pick([
          { ...row, pauses, gaps },
          { ...row, serviceFrom },
        ]);
      },
      (row) => !moves(world, row),
    ),
  }),
  (world, maker) => {
    const row = maker.pick(world.assignments);
    return moves(world, row)
      ? world
      : { ...world, assignments: world.assignments.filter((each) => each !== row) };
  },
  (world, maker) => {
    const person = maker.pick(world.people);
    const { id } = maker.pick(world.policies);
    if (world.assignments.some(({ worker, policy }) => worker === person.id && policy === id)) return world;
    const made = { worker: person.id, policy: id, movesFrom: null, ...maker.assignment(person.start) };
    return { ...world, assignments: [...world.assignments, made] };
  },
  (world, maker, today) => {
    const row = maker.pick(world.assignments);
    const next = maker.pick(world.policies);
    const day = today - 100 + maker.random(200);
    const [old] = world.policies.filter(({ id }) => id === row.policy);
    const isFree = !world.assignments.some(
      ({ worker, policy }) => worker === row.worker && policy === next.id,
    );
    const canMove =
      [old!, next].every(({ rule }) => rule.schedule !== "unlimited") &&
      old!.rule.terms.expiresAfter === null;
    if (moves(world, row) || !isFree || !canMove || day <= row.start) return world;
    const made = { ...maker.assignment(day), worker: row.worker, policy: next.id, movesFrom: row.policy };
    return {
      ...world, // another policy
      assignments: [
        ...world.assignments.filter((each) => each !== row),
        { ...row, end: day - 1, pauses: [], gaps: [] },
        { ...made, pauses: [], gaps: [] },
      ],
    };
  },
  (world, maker) => {
    const row = maker.pick(world.assignments);
    if (moves(world, row)) return world;
    const others = world.openings.filter(
      ({ worker, policy }) => worker !== row.worker || policy !== row.policy,
    );
    return { ...world, openings: [...others, ...maker.opening(row, world.policies)] };
  },
  (world, maker) => {
    const place = maker.pick(Object.keys(world.holidays));
    const list = world.holidays[place]!;
    const day = list[0]!.day + maker.random(300);
    const holiday = [...list.slice(1).filter((entry) => entry.day !== day), { day, minutes: null }];
    return { ...world, holidays: { ...world.holidays, [place]: holiday } };
  },
];

const KINDS = [LEAVE, LEAVE, ADJUSTMENTS, RULES, PEOPLE, ASSIGNMENTS];

export function changeWorld(world: World, maker: Maker, today: Day): World {
  return maker.pick(maker.pick(KINDS))(world, maker, today);
}
