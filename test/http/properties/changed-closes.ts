// Property: whatever is imported after closes, each of them is verified; a balance differs if and only if its figure is another one than
// was closed; the causes add up to the difference, and name only what changed; the import says how many figures it changed; movements
// after a close begin with what was closed. Both engines give the same bytes.
import { expect, setSystemTime } from "bun:test";
import type { BalanceFacts } from "../../../src/balances/facts.ts";
import { closed } from "../../../src/http/routes/closes.ts";
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import { ImportRefused } from "../../../src/import/row-errors.ts";
import type { CloseDifference, DIFFERENCE_CAUSES } from "../../../src/resources/closes.ts";
import type { Movement } from "../../../src/resources/movements.ts";
import type { StoredClose } from "../../../src/store/store.ts";
import { addMonths, DAY_MS, dayOfText, firstOfMonth, formatDay, utcDayOf } from "../../../src/time/day.ts";
import { ENGINES } from "../../store/conformance/engines.ts";
import { folderOf, TestCompany } from "../../support/import-files.ts";
import { filesOf, type OddPerson, oddPeople, rowsOf, WORKPLACES } from "../../support/odd-people.ts";
import { randomOf } from "../../support/random-rows.ts";
import { addKey, closePeriod, createCompany } from "../../support/stores.ts";
import { type Service, startService } from "../service.ts";

type Random = (below: number) => number;
type Cause = (typeof DIFFERENCE_CAUSES)[number];

/** A change of a person by taking a part of another, and the causes that may name it. */
interface Mutation {
  readonly causes: readonly Cause[];
  change(facts: BalanceFacts, other: BalanceFacts, random: Random): BalanceFacts;
}

const without = <E>(list: readonly E[], at: number) => list.filter((_, place) => place !== at);
/** With one entry changed. */
function changed<E>(list: readonly E[], random: Random, change: (entry: E) => E): readonly E[] {
  const at = random(list.length);
  return list.map((entry, place) => (place === at ? change(entry) : entry));
}

/** What changes one balance of a person. */
const OF_BALANCE: readonly Mutation[] = [
  {
    causes: ["leaveAdded"],
    change: (facts, other) => ({ ...facts, requests: [...facts.requests, ...other.requests.slice(0, 2)] }),
  },
  {
    causes: ["leaveRemoved"],
    change: (facts, _, random) => ({
      ...facts,
      requests: without(facts.requests, random(facts.requests.length)),
    }),
  },
  {
    causes: ["leaveDenied"],
    change: (facts, _, random) => ({
      ...facts,
      requests: changed(facts.requests, random, (leave) => ({ ...leave, status: "denied" })),
    }),
  },
  {
    causes: ["leaveChanged", "leaveAdded"], // what was denied is known of no balance
    change: (facts, _, random) => ({
      ...facts,
      requests: changed(facts.requests, random, ({ dayMinutes: _, ...leave }) => ({
        ...leave,
        status: "approved",
        minutes: leave.minutes + 60,
        firstDay: leave.firstDay - 3,
      })),
    }),
  },
  {
    causes: ["adjustmentAdded"],
    change: (facts, other) => ({ ...facts, adjustments: [...facts.adjustments, ...other.adjustments] }),
  },
  {
    causes: ["adjustmentRemoved"],
    change: (facts) => ({ ...facts, adjustments: facts.adjustments.slice(1) }),
  },
  {
    causes: ["adjustmentChanged"],
    change: (facts, _, random) => ({
      ...facts,
      adjustments: changed(facts.adjustments, random, (entry) => ({
        ...entry,
        minutes: entry.minutes + 33.33,
      })),
    }),
  },
  { causes: ["rule"], change: (facts, other) => ({ ...facts, policy: other.policy }) },
  {
    causes: ["rule"],
    change: (facts) => ({
      ...facts,
      policy: {
        ...facts.policy,
        minutesPerPeriod: facts.policy.minutesPerPeriod === null ? null : facts.policy.minutesPerPeriod + 100,
      },
    }),
  },
  {
    causes: ["rule"], // of the policy from which the balance moved
    change: ({ movesFrom, ...facts }, other) => ({
      ...facts,
      movesFrom: movesFrom && { ...movesFrom, policy: other.policy },
    }),
  },
  {
    causes: ["assignment"],
    change: (facts, other) => ({
      ...facts,
      assignment: {
        ...facts.assignment,
        ...{ pauses: other.assignment.pauses, gaps: other.assignment.gaps, rates: other.assignment.rates },
        ...{ serviceFrom: other.assignment.serviceFrom },
      },
    }),
  },
  {
    causes: ["opening"],
    change: (facts, other) => ({
      ...facts,
      opening: facts.movesFrom === null ? other.opening : facts.opening,
    }),
  },
];

/** What changes all balances of a person. */
const OF_WORKER: readonly Mutation[] = [
  {
    causes: ["worker"],
    change: (facts, other) => {
      const { startDate, endDate, workDays } = other.worker;
      const last = endDate === null ? null : Math.max(endDate, startDate);
      return { ...facts, worker: { ...facts.worker, startDate, endDate: last, workDays } };
    },
  },
  {
    causes: ["schedule", "holiday"], // a schedule brings its calendar, or that of the workplace
    change: (facts, other) => ({ ...facts, worker: { ...facts.worker, schedules: other.worker.schedules } }),
  },
  {
    causes: ["holiday"],
    change: (facts, other) => ({
      ...facts,
      worker: {
        ...facts.worker,
        holidays: other.worker.holidays,
        schedules: facts.worker.schedules.map((schedule) => ({
          ...schedule,
          holidays: other.worker.holidays,
        })),
      },
    }),
  },
  {
    causes: ["workedHours"],
    change: (facts, other) => ({
      ...facts,
      workedHours: other.workedHours.map((entry) => ({ ...entry, minutes: Math.abs(entry.minutes) })),
    }),
  },
];

const ZONES = ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Tokyo"];

/** A changed person, and the causes that may name the change; null if nobody is there any more. */
function mutated(
  person: OddPerson,
  other: OddPerson,
  random: Random,
): { readonly person: OddPerson | null; readonly causes: readonly Cause[] } {
  const at = random(person.balances.length);
  const kind = random(13);
  if (kind === 0 && random(3) === 0) return { person: null, causes: [] };
  if (kind === 11)
    return { person: { ...person, workplaceNow: WORKPLACES[random(3)]! }, causes: ["holiday"] };
  if (kind === 0)
    return { person: { ...person, zoneNow: ZONES[random(ZONES.length)]! }, causes: ["leaveChanged"] };
  if (kind === 1) {
    const unassigned = person.unassigned?.includes(at) ? [] : [at];
    return { person: { ...person, unassigned }, causes: ["assignment"] };
  }
  const donor = other.balances[0]!;
  const isOfWorker = kind < 5;
  const mutations = isOfWorker ? OF_WORKER : OF_BALANCE;
  const { causes, change } = mutations[random(mutations.length)]!;
  const deep = (facts: BalanceFacts): BalanceFacts => {
    const next = change(facts, donor, random);
    return isOfWorker && facts.movesFrom !== null ? { ...next, movesFrom: deep(facts.movesFrom) } : next;
  };
  const balances = person.balances.map((facts, place) => (isOfWorker || place === at ? deep(facts) : facts));
  return { person: { ...person, balances }, causes };
}

interface Opened {
  readonly service: Service;
  readonly key: string;
}

/** A close, with the figures that were closed, by worker and policy. */
interface Closed {
  readonly close: StoredClose;
  readonly figures: ReadonlyMap<string, number>;
  /** Their closing balances. */
  readonly closings: ReadonlyMap<string, number>;
  /** By worker, what changed since. */
  readonly causes: Map<string, Set<Cause>>;
}

const pairOf = ({ workerId, policyId }: { workerId: string | null; policyId: string | null }) =>
  `${workerId} ${policyId}`;

export interface Months {
  readonly seed: number;
  readonly people: number;
  readonly months: number;
}

/** Returns how many differences were compared. */
export async function compareCloses({ seed, people: count, months }: Months): Promise<number> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const opened: Opened[] = [];
  for (const engine of ENGINES) {
    const { writer, reader, location, close } = await engine.openStore();
    await createCompany(writer, "acme");
    const store = { writer, reader, path: location.address, dispose: close };
    const today = () => formatDay(utcDayOf(Date.now()));
    opened.push({ service: await startService({ today }, store), key: await addKey(writer, "acme") });
  }
  /** The same of both engines. */
  async function same<T>(ask: (opened: Opened) => Promise<T>): Promise<T> {
    const [first, ...others] = [await ask(opened[0]!), await ask(opened[1]!)];
    for (const other of others) expect(other).toEqual(first);
    return first;
  }
  const lines = <T>(path: string, accept = "application/x-ndjson") =>
    same(async ({ service, key }) => {
      const { status, body } = await service.raw(path, { key, headers: { accept } });
      const text = new TextDecoder().decode(body);
      if (status !== 200) throw new Error(`${path}: ${text}`);
      return text;
    }).then((text) =>
      text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as T),
    ); // as the schema says
  const importing = (people: readonly OddPerson[]): Promise<readonly string[]> => {
    const folder = folderOf(filesOf(rowsOf(people)));
    return same(async ({ service }) => {
      const { sources } = await findSources([folder], null);
      const { notes } = await importCompany(service.writer, "acme", sources, {
        ...{ isPruning: true, allowedRemovals: 1, accepted: new Set(["changes-the-past"]) },
        ...{ today: utcDayOf(Date.now()), nowMs: Date.now() },
      });
      return notes;
    });
  };
  const scratch = await TestCompany.open();
  /** Whether an import takes the person: the parts of two people may not fit. */
  const isAccepted = async (person: OddPerson): Promise<boolean> => {
    try {
      await scratch.import(filesOf(rowsOf([person])), { isDryRun: true, today: utcDayOf(Date.now()) });
      return true;
    } catch (error) {
      if (error instanceof ImportRefused) return false;
      throw error;
    }
  };
  const movements = (query: string) =>
    lines<Movement>(`/v1/time_off/movements?groupBy=worker,policy&${query}`);
  /** What a close compares: the closing balance; under an unlimited policy all leave until then, below 0. */
  const figuresOn = async (day: number) => {
    const policies = await lines<{ id: string; isUnlimited: boolean }>("/v1/time_off/policies");
    const unlimited = new Set(policies.flatMap(({ id, isUnlimited }) => (isUnlimited ? id : [])));
    const rows = await movements(`from=2000-01-01&to=${formatDay(day)}`);
    const figureOf = ({ policyId, used, closing }: Movement) =>
      unlimited.has(policyId!) ? 0 - Math.round(used * 100) : Math.round(closing * 100); // they have one
    return {
      figures: new Map(rows.map((row) => [pairOf(row), figureOf(row)])),
      closings: new Map(rows.map((row) => [pairOf(row), Math.round(row.closing * 100)])),
    };
  };

  const donors = oddPeople(count, seed + 1);
  let people = oddPeople(count, seed);
  const closes: Closed[] = [];
  let compared = 0;
  try {
    for (let month = 0; month < months; month++) {
      const today = addMonths(dayOfText("2021-01-08"), month);
      setSystemTime(today * DAY_MS + 12 * 3_600_000);
      if (month === 0) await importing(people);
      const legacyIds = new Map(
        (await lines<{ id: string; legacyId: string }>("/v1/workers")).map(({ id, legacyId }) => [
          legacyId,
          id,
        ]),
      );
      // Changes.
      const erased = new Set<string>();
      const before = await Promise.all(closes.map(({ close }) => figuresOn(close.lastDay)));
      for (let step = 0; step < count; step++) {
        const person = pick(people);
        const { person: next, causes } = mutated(person, pick(donors), random);
        if (next !== null && !(await isAccepted(next))) continue;
        people = people.flatMap((each) => (each !== person ? each : (next ?? [])));
        const workerId = legacyIds.get(person.legacyId)!;
        if (next === null) erased.add(workerId);
        for (const { causes: all } of closes) {
          const ofWorker = all.get(workerId) ?? new Set();
          for (const cause of causes) ofWorker.add(cause);
          all.set(workerId, ofWorker);
        }
      }
      setSystemTime(Date.now() + 60_000);
      const notes = await importing(people);
      setSystemTime(Date.now() + 60_000);
      // What each close says of it.
      for (const [at, { close, figures, closings, causes }] of closes.entries()) {
        for (const pair of figures.keys())
          if (erased.has(pair.split(" ")[0]!))
            for (const map of [figures, closings]) (map as Map<string, number>).delete(pair);
        const { figures: now } = await figuresOn(close.lastDay);
        const path = `/v1/time_off/closes/${close.name}/differences`;
        const differences = await lines<CloseDifference>(path);
        const found = new Map(
          differences.map((row) => [
            pairOf(row),
            [row.closedMinutes, row.nowMinutes].map((m) => Math.round(m * 100)),
          ]),
        );
        const expected = new Map<string, number[]>();
        for (const pair of [...new Set([...figures.keys(), ...now.keys()])].toSorted()) {
          const [was, is] = [figures.get(pair) ?? 0, now.get(pair) ?? 0];
          if (was !== is) expected.set(pair, [was, is]);
        }
        expect([close.name, ...[...found].toSorted()]).toEqual([close.name, ...[...expected].toSorted()]);
        for (const row of differences) {
          compared++;
          const sum = row.causes.reduce((all, { minutes }) => all + Math.round(minutes * 100), 0);
          expect([pairOf(row), sum]).toEqual([pairOf(row), Math.round(row.difference * 100)]);
          const allowed = new Set<Cause>([...(causes.get(row.workerId) ?? []), "moved"]);
          const wrong = row.causes.filter(({ cause }) => !allowed.has(cause));
          if (wrong.length > 0)
            throw new Error(`${JSON.stringify(row)} has causes other than ${[...allowed].join(", ")}`);
        }
        // The import's own count, and the movements after the close.
        const moved = [...new Set([...before[at]!.figures.keys(), ...now.keys()])].filter(
          (pair) =>
            (before[at]!.figures.get(pair) ?? 0) !== (now.get(pair) ?? 0) && !erased.has(pair.split(" ")[0]!),
        ).length;
        const said = notes.find((note) => note.includes(`of the close ${close.name}:`)) ?? "changes 0 ";
        expect([close.name, Number(/changes (\d+) /.exec(said)![1])]).toEqual([close.name, moved]);
        const to = formatDay(today);
        const after = await movements(`after=${close.name}&to=${to}`);
        const plain = new Map(
          (await movements(`from=${formatDay(close.lastDay + 1)}&to=${to}`)).map((row) => [pairOf(row), row]),
        );
        for (const row of after) {
          const pair = pairOf(row);
          const [was, is] = [closings.get(pair) ?? 0, plain.get(pair)?.opening ?? 0];
          expect([pair, row.opening, Math.round(row.restated * 100)]).toEqual([
            pair,
            was / 100,
            Math.round(is * 100) - was,
          ]);
          expect(row.closing).toBe(plain.get(pair)?.closing ?? 0);
        }
        for (const { service } of opened) {
          const again = await closed(service.reader.company("acme").known(close.revision), close);
          const [stored] = (await service.reader.company("acme").closes()).filter(
            ({ name }) => name === close.name,
          );
          if (stored!.erasedWorkers === 0)
            expect([close.name, again.digest]).toEqual([close.name, close.digest]);
        }
      }
      // The next close: of the month before, or of days after the last import.
      const isLate = random(2) === 0;
      const lastDay = isLate ? today + 3 : firstOfMonth(today) - 1;
      if (isLate) setSystemTime(Date.now() + 4 * DAY_MS);
      const [made] = await Promise.all([
        same(({ service }) =>
          closePeriod(service, "acme", formatDay(lastDay), { firstDay: firstOfMonth(lastDay), lastDay }),
        ),
      ]);
      closes.push({ close: made!, ...(await figuresOn(lastDay)), causes: new Map() });
    }
    return compared;
  } finally {
    setSystemTime();
  }
}
