// Random rows that are hard on an engine: ids whose order depends on bytes, text that needs escaping, fractions.
import { REQUEST_STATUSES } from "../../src/resources/requests.ts";
import { WORKER_STATUSES, WORKER_TYPES } from "../../src/resources/workers.ts";
import type { Rows } from "../../src/store/tables.ts";
import {
  adjustmentRow,
  assignmentRow,
  departmentRow,
  holidayRow,
  policyRow,
  requestRow,
  withOtherLists,
  workerRow,
  workHoursRow,
  workplaceRow,
} from "./rows.ts";
import { type AllRows, noRows } from "./stores.ts";

/** Text with everything that a wire format, a quoting rule or a collation may stumble over. */
const AWKWARD = [
  "\\N",
  "tab\there",
  "quote \" and '",
  "line\nbreak\r",
  "back\\slash",
  "Ærøskøbing 渋谷 🙂",
  "",
  "{a,b}",
  "null",
];

const OPAQUE = ["a", "B", "Z", "_", "-", "0", "9", "z", "aa", "a-", "a_", "AB", "Ab", "aB"];

const DAY_MS = 86_400_000;

/** A small random generator (mulberry32), so that a failure can be repeated. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/**
 * Rows in key order, every reference kept: `workers` workers, three policies, about five requests a worker. A new column or list takes its
 * values from the row's number: a further random draw would change all rows after it, and tests rely on those.
 */
export function makeFacts(seed: number, workers: number): AllRows {
  const random = randomOf(seed);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
  const awkward = () => `${pick(AWKWARD)}${seed}`;
  const opaque = (number: number) => `${pick(OPAQUE)}${number.toString(36)}${pick(OPAQUE)}`;
  const legacy = (kind: string, number: number) =>
    random(4) === 0 ? null : `${kind} ${number} ${pick(AWKWARD)}`;
  // Terms have a generator of their own, so that they do not change what else is random.
  const randomTerms = randomOf(seed + 1);
  const termsOf = (texts: readonly string[]) => [null, ...texts][randomTerms(texts.length + 1)] ?? null;
  const doc = (id: string) => JSON.stringify({ id, seed, text: awkward() });

  const policies = ["top_b", "top_B", "top_-x"].map((id, number) => ({
    ...policyRow(id),
    legacyId: legacy("policy", number),
    doc: doc(id),
    terms: JSON.stringify({
      schedule: number === 1 ? "per_hour_worked" : "monthly",
      minutesPerPeriod: 600,
      text: awkward(),
    }),
  }));
  const facts: AllRows = {
    ...noRows(),
    departments: [
      departmentRow("dpt_-x", { name: "R&D", legacyId: "D\\2", parentId: "dpt_B" }),
      departmentRow("dpt_B", { name: "Sales, EU", parentId: "dpt_b" }),
      departmentRow("dpt_b", { name: `${AWKWARD[5]}${seed}`, legacyId: "D 1" }),
    ],
    workplaces: [
      workplaceRow("wkp_B", { name: "Zürich", legacyId: "W 1", type: "remote" }),
      {
        ...workplaceRow("wkp_b", { name: `Lisbon${seed}`, legacyId: "W-2", timeZone: "Europe/Lisbon" }),
        holidayCalendar: "Berlin",
      },
    ],
    holidays: [
      holidayRow("hol_B", { date: "2026-01-01", legacyId: "H 1" }),
      holidayRow("hol_b", {
        calendarId: "hca_all",
        date: "2025-12-24",
        legacyId: "H\n2",
        minutes: 240.5,
        name: `Eve${seed}`,
      }),
    ],
    policies,
    policy_changes: [
      { policyId: "top_B", day: 20_000 + (seed % 100), terms: `{"minutesPerPeriod":${700 + (seed % 100)}}` },
      { policyId: "top_b", day: 19_000, terms: '{"minutesPerPeriod":650.5,"carryoverLimitMinutes":"none"}' },
    ],
  };

  for (let number = 0; number < workers; number++) {
    const workerId = `wrk_${opaque(number)}`;
    facts.workers.push({
      ...workerRow(workerId),
      legacyId: legacy("worker", number),
      doc: doc(workerId),
      status: pick(WORKER_STATUSES),
      type: pick(WORKER_TYPES),
      workEmailFolded: random(5) === 0 ? null : `${number % 7}é@example.com`,
      startDay: -25_000 + random(100_000),
      endDay: random(2) === 0 ? null : 84_000 + random(300),
      timeZone: pick([null, "Europe/Berlin", "Pacific/Apia"]),
      terms: termsOf(['{"workDays":31}']),
      departmentId: pick([null, "dpt_-x", "dpt_B", "dpt_b"]),
      workplaceId: pick([null, "wkp_B", "wkp_b"]),
      managerId: number === 0 || random(3) === 0 ? null : facts.workers[random(number)]!.id,
    });
    const calendar = [null, "Berlin", "none"][number % 3]!;
    if (number % 4 === 1)
      for (const day of [19_000 + number, 19_500])
        facts.schedules.push({
          ...{ workerId, day, calendar },
          terms: `{"minutesPerWeekday":[[480,480,480,480,${number},0,0]]}`,
        });
    for (const policy of policies) {
      if (random(3) === 0) continue;
      const id = `toa_${opaque(facts.assignments.length)}`;
      const endsDay = random(2) === 0 ? null : random(20_000);
      const openedOn = randomTerms(3);
      if (openedOn > 0)
        facts.openings.push({
          ...{ workerId, policyId: policy.id, day: 19_000 + openedOn, minutes: 480.25 },
          carriedMinutes: openedOn === 1 ? null : 60,
          accruedMinutes: openedOn === 1 ? 400 : null,
        });
      if (openedOn > 0)
        facts.reported.push({ workerId, policyId: policy.id, day: 19_000 + openedOn, minutes: -0.25 });
      facts.assignments.push({
        ...assignmentRow(id, workerId, policy.id),
        doc: doc(id),
        assignedDay: random(20_000),
        endsDay,
        movesFrom: policy.id === "top_b" && random(3) === 0 ? "top_B" : null,
        terms: termsOf(['{"minutesPerPeriod":7200.5}', '{"pauses":[{"first":19000,"last":19040}]}']),
      });
    }
    for (let count = random(10); count > 0; count--) facts.requests.push(request(workerId));
    for (let count = random(3); count > 0; count--) {
      const id = `adj_${opaque(facts.adjustments.length)}`;
      const minutes = (random(2000) - 1000) / 3;
      const legacyId = legacy("adjustment", facts.adjustments.length);
      const note = pick([null, awkward()]);
      facts.adjustments.push(
        adjustmentRow(id, workerId, pick(policies).id, { legacyId, day: random(20_000), minutes, note }),
      );
    }
    for (let day = random(4); day > 0; day--) {
      facts.work_hours.push(workHoursRow(workerId, 20_000 - day, 480.1 * day));
    }
  }
  return sorted(withOtherLists(facts, ["B", "b"], null, String(seed)));

  function request(workerId: string): Rows["requests"] {
    const number = facts.requests.length;
    const id = `${pick(["tor_", "", "REQ-"])}${opaque(number)}`;
    const startAtMs = (19_000 + random(1000)) * DAY_MS + random(DAY_MS);
    const endAtMs = startAtMs + random(5 * DAY_MS);
    return {
      ...requestRow(id, workerId, "top_b"),
      legacyId: legacy("request", number),
      doc: doc(id),
      policyId: pick(policies).id,
      status: pick(REQUEST_STATUSES),
      startAtMs,
      endAtMs,
      firstDay: Math.floor(startAtMs / DAY_MS),
      lastDay: Math.floor(endAtMs / DAY_MS),
      minutes: random(10_000) / 7,
      timeZone: pick([null, null, "America/New_York"]),
      terms: termsOf(['{"dayMinutes":[{"day":19000,"minutes":240.5}]}']),
    };
  }
}

/**
 * Rows with the same ids and other values: of a company that a query would mix up with the first one. Requests and adjustments have
 * other owners, the workers other workplaces, and each policy gives time without a limit.
 */
export function twinsOf(facts: AllRows): AllRows {
  const next = <T>(list: readonly T[], row: T, by = 1): T => list[(list.indexOf(row) + by) % list.length]!;
  const { workers, policies, workplaces } = facts;
  const ownerOf = (workerId: string) =>
    next(
      workers.map(({ id }) => id),
      workerId,
    );
  const policyOf = (policyId: string) =>
    next(
      policies.map(({ id }) => id),
      policyId,
    );
  const longerBy = (days: number, { firstDay, lastDay, startAtMs, endAtMs }: Rows["requests"]) => ({
    ...{ firstDay: firstDay - days, lastDay: lastDay + days },
    ...{ startAtMs: startAtMs - days * DAY_MS, endAtMs: endAtMs + days * DAY_MS },
  });
  const twin = <R extends object>(row: R): R => {
    const doc = "doc" in row ? { doc: JSON.stringify({ ...JSON.parse(String(row.doc)), twin: true }) } : {};
    const isTimed = "minutes" in row && row.minutes !== null;
    const isNamed = "legacyId" in row && row.legacyId !== null;
    return {
      ...row,
      ...doc,
      ...(isNamed ? { legacyId: `twin of ${row.legacyId}` } : {}),
      ...(isTimed ? { minutes: Math.abs(Number(row.minutes)) + 100.5 } : {}),
    };
  };
  return {
    ...(Object.fromEntries(Object.entries(facts).map(([kind, rows]) => [kind, rows.map(twin)])) as AllRows), // one entry per kind
    workers: workers.map((row, at) => ({
      ...twin(row),
      ...{ status: next(WORKER_STATUSES, row.status), type: next(WORKER_TYPES, row.type) },
      ...{
        startDay: row.startDay + 40,
        endDay: row.endDay === null ? 20_000 : null,
        managerId: at % 2 === 0 ? workers[0]!.id : "wrk_nobody",
      },
      ...{ workEmailFolded: `twin${at}@example.com`, timeZone: "Asia/Tokyo", terms: '{"workDays":3}' },
      ...{ workplaceId: workplaces[at % workplaces.length]!.id, departmentId: "Twins" },
    })),
    workplaces: workplaces.map((row) => ({ ...twin(row), holidayCalendar: "Twins" })),
    holidays: facts.holidays.map((row) => ({
      ...twin(row),
      calendar: "Berlin",
      day: row.day + 7,
      name: "Twin",
    })),
    policies: policies.map((row) => ({ ...twin(row), terms: '{"isUnlimited":true,"schedule":"unlimited"}' })),
    assignments: facts.assignments.map((row) => ({
      ...twin(row),
      ...{ assignedDay: row.assignedDay + 3, endsDay: row.assignedDay + 9, terms: '{"minutesPerPeriod":1}' },
      movesFrom: row.policyId === "top_-x" ? "top_B" : null,
    })),
    requests: facts.requests.map((row, at) => ({
      ...twin(row),
      ...{ workerId: ownerOf(row.workerId), policyId: policyOf(row.policyId) },
      ...{ status: next(REQUEST_STATUSES, row.status), timeZone: null, terms: null },
      ...(at % 2 === 0 ? longerBy(90, row) : {}),
    })),
    openings: facts.openings.map((row) => ({ ...twin(row), day: row.day + 1000 })),
    adjustments: facts.adjustments.map((row, at) => ({
      ...twin(row),
      ...{
        workerId: ownerOf(row.workerId),
        policyId: policyOf(row.policyId),
        day: at % 2 === 0 ? 19_999 : 19_998,
        expiresDay: 20_100,
      },
    })),
    schedules: facts.schedules.map((row) => ({ ...twin(row), terms: '{"twin":true}', calendar: "Berlin" })),
  };
}

/** Bytes decide; ids are ASCII, where JavaScript's order is the bytes' order. */
export function compareIds(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function sorted(facts: AllRows): AllRows {
  for (const kind of ["workers", "policies", "requests", "adjustments"] as const) {
    facts[kind].sort((left, right) => compareIds(left.id, right.id));
  }
  for (const kind of ["assignments", "openings", "reported"] as const) {
    facts[kind].sort(
      (left, right) => compareIds(left.workerId, right.workerId) || compareIds(left.policyId, right.policyId),
    );
  }
  for (const kind of ["work_hours", "schedules"] as const)
    facts[kind].sort((left, right) => compareIds(left.workerId, right.workerId) || left.day - right.day);
  return facts;
}
