// The rows of everybody's balances, from what the API says: at each edge of a filter or a sum.
import { expect, test } from "bun:test";
import type { Balance, Expiration, Movement, Policy, Worker } from "../../src/client/index.ts";
import { groupOf, leftLast, rowsOf, sumOf } from "../../src/web/balances/balance-rows.ts";
import { directoryOf } from "../../src/web/data/directory.ts";

const EVERYBODY = { name: "", statuses: [], types: [], departments: [], locations: [], managers: [] };
const ALL = { filter: EVERYBODY, policies: [], losesMoreThan: null };

const worker = (id: string, department: string | null) =>
  ({
    id,
    displayName: id,
    department: department && { id: department, name: department },
  }) as unknown as Worker;
const movement = (workerId: string, policyId: string, figures: Partial<Movement>) =>
  ({ workerId, policyId, closing: 4320, used: 960, earned: 0, hasLeft: false, ...figures }) as Movement;
const balance = (workerId: string, policyId: string, figures: Partial<Balance>) =>
  ({ workerId, policyId, ...figures }) as Balance;
const loss = (workerId: string, date: string, minutes: number) =>
  ({ workerId, policyId: "vacation", date, minutes }) as Expiration;

const data = {
  movements: [
    movement("ana", "vacation", { earned: 4000 }),
    movement("ana", "study", { earned: 4000 }),
    movement("ana", "sick", {}),
    movement("bo", "vacation", {}),
    movement("gone", "vacation", { earned: 100, hasLeft: true }),
  ],
  // Bo's leave is denied since: less is used than on the chosen day.
  withBooked: [
    balance("ana", "vacation", { used: 1440, holds: 480 }),
    balance("bo", "vacation", { used: 480, holds: 120 }),
  ],
  losses: [loss("ana", "2027-01-01", 480), loss("ana", "2027-04-01", 240), loss("bo", "2026-12-01", 240)],
  policies: [
    { id: "vacation", isUnlimited: false, isPaidOut: true },
    { id: "study", isUnlimited: false, isPaidOut: false },
    { id: "sick", isUnlimited: true, isPaidOut: false },
  ] as Policy[],
  directory: directoryOf([worker("ana", "IT"), worker("bo", null), worker("gone", "IT")]),
};

test("a row has what is there, what is booked and pending after it, what is lost and owed", () => {
  expect(
    rowsOf(data, ALL).map(({ worker: person, policy, name, people, hasLeft, ...figures }) => [
      `${name} ${policy!.id}${hasLeft ? ", left" : ""}`,
      figures,
    ]),
  ).toEqual([
    [
      "ana vacation",
      {
        balance: 4320,
        booked: 480,
        requested: 480,
        lost: 720,
        expiresBy: "2026-12-31",
        paidOut: 4320,
        owed: 4000,
      },
    ],
    ["ana study", { balance: 4320, booked: 0, requested: 0, lost: 0, expiresBy: null, paidOut: 0, owed: 0 }],
    [
      "bo vacation",
      {
        balance: 4320,
        booked: 0,
        requested: 120,
        lost: 240,
        expiresBy: "2026-11-30",
        paidOut: 4320,
        owed: 0,
      },
    ],
    [
      "gone vacation, left",
      { balance: 4320, booked: 0, requested: 0, lost: 0, expiresBy: null, paidOut: 4320, owed: 100 },
    ],
  ]);
});

test("what a limit of the balance keeps from being granted does not expire", () => {
  const capped = { ...loss("ana", "2026-11-30", 960), cause: "balanceCap" } as Expiration;
  const [ana] = rowsOf({ ...data, losses: [capped, ...data.losses] }, ALL);
  expect([ana!.lost, ana!.expiresBy]).toEqual([720, "2026-12-31"]);
});

test("who loses just as much as is asked does not lose more", () => {
  const losing = (losesMoreThan: number) => rowsOf(data, { ...ALL, losesMoreThan }).map(({ name }) => name);
  expect([losing(239), losing(240), losing(720)]).toEqual([["ana", "bo"], ["ana"], []]);
  expect(rowsOf(data, { ...ALL, policies: ["study"] }).map(({ policy }) => policy!.id)).toEqual(["study"]);
});

test("a sum counts each person once, and has the first day of a loss", () => {
  const { people, expiresBy, balance: left, lost, worker: nobody } = sumOf("Total", rowsOf(data, ALL));
  expect([people, expiresBy, left, lost, nobody]).toEqual([3, "2026-11-30", 4 * 4320, 960, null]);
  expect(sumOf("None", []).expiresBy).toBeNull();
});

test("people who have left are a group of their own, the last one", () => {
  const groups = Map.groupBy(rowsOf(data, ALL), (row) => groupOf(row, "department", data.directory));
  expect([...groups].map(([name, rows]) => [name, rows.length])).toEqual([
    ["IT", 2],
    ["No department", 1],
    ["Have left", 1],
  ]);
  const called = (name: string) =>
    groupOf({ ...rowsOf(data, ALL)[0]!, worker: worker("ana", name) }, "department", data.directory);
  expect(["No department", "Have left"].map(called)).toEqual(["“No department”", "“Have left”"]);
  expect(["Have left", "IT", "Sales"].toSorted(leftLast)).toEqual(["IT", "Sales", "Have left"]);
});
