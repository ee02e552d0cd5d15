// Property: whatever people there are, each is found by the words and choices that are theirs, and by no others. Groups have everybody once,
// in the order of the groups' names, and in each group in the order as before.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Worker } from "../../src/client/index.ts";
import { HIDDEN_WORKER } from "../../src/web/data/away-only.ts";
import {
  directoryOf,
  filterPeople,
  GROUPINGS,
  grouped,
  groupingsOf,
  NO_FILTER,
  type PeopleFilter,
  STATUSES,
  TYPES,
  underName,
  worksIn,
} from "../../src/web/data/directory.ts";

const named = <N extends string | null>(name: N) => (name === null ? null : { id: `id of ${name}`, name });

function worker(id: string, fields: Partial<Worker> = {}): Worker {
  const names = { displayName: id, firstName: id, lastName: id };
  return { ...HIDDEN_WORKER, id, ...names, managerId: null, department: null, ...fields } as Worker; // the rest is not looked at
}

const office = (name: string | null) =>
  name === null ? null : { id: `id of ${name}`, name, type: "office" as const };

const PLACES = ["Ålborg", "Lima", "Åbo", null];
const TEAMS = ["Sales", "IT", null];

const somebody = fc
  .record({
    status: fc.constantFrom(...STATUSES),
    type: fc.constantFrom(...TYPES),
    department: fc.constantFrom(...TEAMS).map(named),
    primaryWorkplace: fc.constantFrom(...PLACES).map(office),
    managerId: fc.constantFrom("wrk_0", "wrk_1", "wrk_gone", null),
  })
  .map((fields) => fields as Partial<Worker>);
const people = fc
  .array(somebody, { maxLength: 12 })
  .map((all) => all.map((fields, at) => worker(`wrk_${at}`, fields)));

/** Each choice of the filters: its values, and which of them a worker has. */
const CHOICES = {
  statuses: [STATUSES, (one) => one.status],
  types: [TYPES, (one) => one.type],
  departments: [["Sales", "IT"], (one) => one.department?.name],
  locations: [["Ålborg", "Lima", "Åbo"], (one) => one.primaryWorkplace?.name],
  managers: [["wrk_0", "wrk_1"], (one) => one.managerId],
} as const satisfies Record<
  Exclude<keyof PeopleFilter, "name">,
  readonly [readonly string[], (one: Worker) => string | null | undefined]
>;

test("a name is found as people write it: in Japanese without a space, and without the marks that nobody sees", () => {
  const all = [
    worker("wrk_kanji", { displayName: "山田 太郎", firstName: "太郎", lastName: "山田" }),
    worker("wrk_mark", { displayName: "\u202bדנה\u202c לוי", firstName: "\u202bדנה\u202c", lastName: "לוי" }),
    worker("wrk_zero", { displayName: "Zo\u200be Wu\ufeff", firstName: "Zo\u200be", lastName: "Wu\ufeff" }),
  ];
  const found = (name: string) => filterPeople(all, { ...NO_FILTER, name }).map(({ id }) => id);
  expect(found("山田太郎")).toEqual(["wrk_kanji"]);
  expect(found("山田 太郎")).toEqual(["wrk_kanji"]);
  expect(found("דנה לוי")).toEqual(["wrk_mark"]);
  expect(found("zoe wu")).toEqual(["wrk_zero"]);
});

test("a choice shows those who have one of its values, in their order; two choices those who have both", () => {
  const chosen = fc.record(
    {
      statuses: fc.subarray([...STATUSES]),
      types: fc.subarray([...TYPES]),
      departments: fc.subarray([...CHOICES.departments[0]]),
      locations: fc.subarray([...CHOICES.locations[0]]),
      managers: fc.subarray([...CHOICES.managers[0]]),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(people, chosen, (all, choices) => {
      let left = all;
      for (const [choice, values] of Object.entries(choices) as [keyof typeof CHOICES, string[]][])
        if (values.length > 0)
          left = left.filter((one) => values.some((value) => value === CHOICES[choice][1](one)));
      expect(filterPeople(all, { ...NO_FILTER, ...choices })).toEqual(left);
    }),
  );
});

test("somebody is found by a word of each name, the job, department, workplace and address, and by all words together", () => {
  const ana = worker("wrk_ana", {
    ...{ displayName: "Anita Sol", preferredName: "Nita", firstName: "Anabel", lastName: "Solé" },
    ...{ position: "Clerk", email: "ana@home.example", workEmail: "a.sol@work.example" },
    department: named("Sales"),
    primaryWorkplace: office("Lima"),
  });
  const bo = worker("wrk_bo", { displayName: "Bo", firstName: "Bo", lastName: "Ray", position: "" });
  const found = (name: string) =>
    filterPeople([ana, bo], { ...NO_FILTER, name }).map(({ displayName }) => displayName);
  for (const word of "anita nita ANABEL sole solé clerk ana@home a.sol@work sales lima sol,anita".split(" "))
    expect(found(word), word).toEqual(["Anita Sol"]);
  expect(found("lima, clerk  anabel")).toEqual(["Anita Sol"]);
  expect(found("anita ray")).toEqual([]);
  expect(found("solsales")).toEqual([]); // a word is of one text
  expect(found(" , ")).toEqual(["Anita Sol", "Bo"]);
});

test("the filters offer each department, workplace and manager that somebody has, once, in the order of names", () => {
  fc.assert(
    fc.property(people, (all) => {
      const directory = directoryOf(all);
      const has = (of: (one: Worker) => string | null | undefined) => new Set(all.map(of));
      const [teams, places, managers] = [
        has((one) => one.department?.name),
        has((one) => one.primaryWorkplace?.name),
        has((one) => one.managerId),
      ];
      // The order of words with accents, as in a dictionary.
      expect(directory.departments).toEqual(["IT", "Sales"].filter((name) => teams.has(name)));
      expect(directory.locations).toEqual(["Åbo", "Ålborg", "Lima"].filter((name) => places.has(name)));
      const ids = directory.managers.map(({ id }) => id);
      expect(ids).toEqual(all.map(({ id }) => id).filter((id) => managers.has(id)));
      const offered = {
        ...{ department: directory.departments, location: directory.locations, manager: ids },
      };
      expect(groupingsOf(directory)).toEqual(GROUPINGS.filter((grouping) => offered[grouping].length > 0));
    }),
  );
});

test("managers are offered by name, whatever their ids", () => {
  const [zoe, adam] = [worker("wrk_a", { displayName: "Zoe" }), worker("wrk_z", { displayName: "Adam" })];
  const reports = [worker("wrk_1", { managerId: "wrk_a" }), worker("wrk_2", { managerId: "wrk_z" })];
  expect(directoryOf([zoe, adam, ...reports]).managers).toEqual([adam, zoe]);
});

test("groups have everybody once, sorted by their names; those without one come last", () => {
  const nameOf = {
    department: (one: Worker) => one.department?.name ?? "No department",
    location: (one: Worker) => one.primaryWorkplace?.name ?? "No location",
    manager: (one: Worker, all: readonly Worker[]) =>
      all.find(({ id }) => id === one.managerId)?.displayName ?? "No manager",
  };
  const order = ["IT", "Sales", "Åbo", "Ålborg", "Lima", "wrk_0", "wrk_1"];
  fc.assert(
    fc.property(people, fc.constantFrom(...GROUPINGS), (all, grouping) => {
      const groups = grouped(all, grouping, (one) => one, directoryOf(all));
      const names = new Set(all.map((one) => nameOf[grouping](one, all)));
      const none = `No ${grouping}`;
      expect(groups).toEqual(
        [...order, none]
          .filter((name) => names.has(name))
          .map((name) => ({ name, items: all.filter((one) => nameOf[grouping](one, all) === name) })),
      );
    }),
  );
  const [ana] = [worker("wrk_ana")];
  expect(grouped([ana], null, (one) => one, directoryOf([ana]))).toEqual([{ name: null, items: [ana] }]);
  expect(grouped([], null, (one: Worker) => one, directoryOf([]))).toEqual([]);
});

test("somebody works in days if one of them is from the first to the last day of work", () => {
  const text = (day: number) => `2026-01-${String(day).padStart(2, "0")}`;
  const firstJanuary = 20_454; // 2026-01-01, in days since 1970
  const day = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(day, fc.option(day), day, fc.integer({ min: 1, max: 6 }), (start, end, from, days) => {
      fc.pre(end === null || end >= start);
      const range = { first: firstJanuary + from - 1, end: firstJanuary + from - 1 + days };
      const shown = Array.from({ length: days }, (_, at) => from + at);
      expect(worksIn(range, { startDate: text(start), endDate: end === null ? null : text(end) })).toBe(
        shown.some((one) => one >= start && (end === null || one <= end)),
      );
    }),
  );
});

test("below a name is the full name if it differs, and the job, or else the kind of employment", () => {
  const bill = { displayName: "Bill Harris", firstName: "William", lastName: "Harris" };
  expect(underName(worker("wrk_1", { ...bill, position: "Clerk" }))).toBe("William Harris · Clerk");
  expect(underName(worker("wrk_1", { ...bill, firstName: "bill", position: "", type: "contractor" }))).toBe(
    "Contractor",
  );
  expect(underName(worker("wrk_1", { ...bill, displayName: "Bill", lastName: "Harris", position: "" }))).toBe(
    "William Harris · Employee",
  );
});
