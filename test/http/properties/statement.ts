// Property: movements, their openings after a close, and the causes of differences are those of statement-model.ts, whatever changes between
// closes: leave, adjustments, rules, openings, schedules, holidays, assignments, moves to other policies, workers' days and departments,
// removals. Groups are sums of single balances.
import { expect, setSystemTime } from "bun:test";
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import { ImportRefused } from "../../../src/import/row-errors.ts";
import type { CloseDifference } from "../../../src/resources/closes.ts";
import type { Movement } from "../../../src/resources/movements.ts";
import type { StoredClose } from "../../../src/store/store.ts";
import { DAY_MS, type Day, dayOfText, firstOfMonth, formatDay, utcDayOf } from "../../../src/time/day.ts";
import type { Engine } from "../../store/conformance/engine.ts";
import { folderOf } from "../../support/import-files.ts";
import { randomOf } from "../../support/random-rows.ts";
import { addKey, closePeriod, createCompany, type TestStore } from "../../support/stores.ts";
import { type Service, startService } from "../service.ts";
import { changeWorld } from "./statement-changes.ts";
import { COLUMNS, causesOf, comparedFigure, type Figures, figuresOn } from "./statement-model.ts";
import { balanceOf, Maker, rowsOf, type World } from "./statement-world.ts";

const HOUR_MS = 3_600_000;
const START = dayOfText("2025-01-06");

/** A close, with the company as it was then. */
interface Closed {
  readonly close: StoredClose;
  readonly world: World;
}

/** In hundredths of a minute. */
type Row = Record<(typeof SHOWN)[number], number>;
const SHOWN = ["opening", "restated", ...COLUMNS, "closing"] as const;

const hundredths = (minutes: number) => Math.round(minutes * 100);
const rowOf = (minutesOf: (column: (typeof SHOWN)[number]) => number) =>
  Object.fromEntries(SHOWN.map((column) => [column, minutesOf(column)])) as Row; // one entry per column
const shown = (movement: Movement) => rowOf((column) => hundredths(movement[column]));

/** A worker and a policy. */
type Pair = string;
const partsOf = (pair: Pair) => {
  const [worker, policy] = pair.split(" ") as [string, string];
  return { worker, policy };
};
const pairOf = ({ workerId, policyId }: { workerId: string | null; policyId: string | null }): Pair =>
  `${workerId} ${policyId}`;
const pairsOf = (world: World): Pair[] =>
  world.assignments.map(({ worker, policy }) => `${worker} ${policy}`);

function figuresOf(world: World, pair: Pair, day: Day): Figures | null {
  const balance = balanceOf(world, partsOf(pair));
  return balance === null ? null : figuresOn(balance.parts, day, balance.movesAwayOn);
}

/** What a list of movements should say of a balance; null if it should not be there. */
function movementOf(world: World, pair: Pair, from: Day, to: Day, known: World | null): Row | null {
  const end = figuresOf(world, pair, to);
  const was = known === null ? null : figuresOf(known, pair, from - 1);
  if (end === null && was === null) return null;
  const before = figuresOf(world, pair, from - 1);
  const after = end ?? before;
  const row = rowOf((column) =>
    column === "restated"
      ? 0
      : (after?.[column as keyof Figures] ?? 0) - (before?.[column as keyof Figures] ?? 0),
  );
  row.closing = after?.closing ?? 0;
  row.opening = known === null ? (before?.closing ?? 0) : (was?.closing ?? 0);
  row.restated = (before?.closing ?? 0) - row.opening;
  const others = row.adjusted - row.used - row.forfeited - row.expired + row.opened + row.moved;
  row.granted = row.closing - row.opening - row.restated - others;
  return row;
}

export interface Size {
  readonly seed: number;
  readonly people: number;
  readonly nights: number;
}

/** Returns how many rows and differences were compared. */
export async function compareStatements(engine: Engine, { seed, people, nights }: Size) {
  const { writer, reader, location, close } = await engine.openStore();
  const trial = await Trial.begin({ writer, reader, path: location.address, dispose: close }, seed, people);
  try {
    for (let night = 0; night < nights; night++) await trial.night(night);
    return trial.counts;
  } finally {
    setSystemTime();
  }
}

const today = () => utcDayOf(Date.now());

class Trial {
  readonly counts = { movements: 0, groups: 0, differences: 0, same: 0 };
  readonly #worlds: { readonly world: World; readonly atMs: number }[] = [];
  readonly #closes: Closed[] = [];

  private constructor(
    private readonly service: Service,
    private readonly key: string,
    private readonly maker: Maker,
    private world: World,
  ) {}

  static async begin(store: TestStore, seed: number, people: number): Promise<Trial> {
    await createCompany(store.writer, "acme");
    const service = await startService({ today: () => formatDay(today()) }, store);
    const maker = new Maker(randomOf(seed), START);
    return new Trial(service, await addKey(store.writer, "acme"), maker, maker.world(people));
  }

  /** An import of changes; then what all closes say of it, and another close. */
  async night(number: number): Promise<void> {
    setSystemTime((START + 31 * number + this.maker.random(20)) * DAY_MS + 6 * HOUR_MS);
    await this.#importNext(number === 0);
    setSystemTime(Date.now() + HOUR_MS);
    this.#worlds.push({ world: this.world, atMs: Date.now() });
    for (const { world, atMs } of [this.#worlds.at(-1)!, this.maker.pick(this.#worlds)]) {
      const from = START + this.maker.random(700) - 200;
      const to = from + this.maker.random(400);
      const days = `from=${formatDay(from)}&to=${formatDay(to)}`;
      const rows = this.#movements(world, from, to, null);
      await this.#compareMovements(`${days}&knownOn=${new Date(atMs).toISOString()}`, rows);
    }
    for (const close of this.#closes) await this.#compareClose(close);
    await this.#close(`night-${number}`);
  }

  async #importNext(isFirst: boolean): Promise<void> {
    const before = this.world;
    const steps = isFirst ? 0 : before.people.length * 2;
    for (let step = 0; step < steps; step++) this.world = changeWorld(this.world, this.maker, today());
    try {
      await this.#import();
    } catch (error) {
      if (isFirst || !(error instanceof ImportRefused)) throw error;
      this.world = before; // the changes do not fit each other
    }
  }

  async #import(): Promise<void> {
    const files = Object.entries(rowsOf(this.world)).map(([kind, rows]) => [
      `${kind}.jsonl`,
      rows.map((row) => JSON.stringify(row)).join("\n"),
    ]);
    const { sources } = await findSources([folderOf(Object.fromEntries(files))], null);
    await importCompany(this.service.writer, "acme", sources, {
      ...{ isDryRun: false, isPruning: true, allowedRemovals: 1, today: today(), nowMs: Date.now() },
      accepted: new Set(["changes-the-past", "unit-changed"]),
    });
  }

  /** Closes until a day in the last two months. */
  async #close(name: string): Promise<void> {
    const ago = this.maker.random(60);
    const lastDay = this.maker.pick([today(), today() - 1, firstOfMonth(today()) - 1, today() - ago]);
    const close = await closePeriod(this.service, "acme", name, { firstDay: firstOfMonth(lastDay), lastDay });
    this.#closes.push({ close, world: this.world });
  }

  async #lines<T>(path: string): Promise<T[]> {
    const headers = { accept: "application/x-ndjson" };
    const { status, body } = await this.service.raw(path, { key: this.key, headers });
    const text = new TextDecoder().decode(body);
    if (status !== 200) throw new Error(`${path}: ${text}`);
    const lines = text.split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as T); // as the schema says
  }

  /** Nothing is known of who was erased. */
  #isThere(pair: Pair): boolean {
    return this.world.people.some(({ id }) => id === partsOf(pair).worker);
  }

  #movements(world: World, from: Day, to: Day, known: World | null): Map<Pair, Row> {
    const pairs = new Set([...pairsOf(world), ...(known === null ? [] : pairsOf(known))]);
    const rows = new Map<Pair, Row>();
    for (const pair of [...pairs].filter((each) => this.#isThere(each))) {
      const row = movementOf(world, pair, from, to, known);
      if (row !== null) rows.set(pair, row);
    }
    return rows;
  }

  async #compareMovements(query: string, expected: ReadonlyMap<Pair, Row>): Promise<void> {
    const path = `/v1/time_off/movements?groupBy=worker,policy&${query}`;
    const sent = new Map((await this.#lines<Movement>(path)).map((row) => [pairOf(row), shown(row)]));
    for (const pair of new Set([...sent.keys(), ...expected.keys()]))
      expect([path, pair, sent.get(pair)]).toEqual([path, pair, expected.get(pair)]);
    this.counts.movements += sent.size;
  }

  async #compareClose({ close, world }: Closed): Promise<void> {
    const first = close.lastDay + 1;
    for (const to of [first, first + this.maker.random(40), first + this.maker.random(400)]) {
      const rows = this.#movements(this.world, first, to, world);
      const query = `after=${close.name}&to=${formatDay(to)}`;
      await this.#compareMovements(query, rows);
      await this.#compareGroups(query, rows, to);
    }
    const path = `/v1/time_off/closes/${close.name}/differences`;
    const sent = new Map((await this.#lines<CloseDifference>(path)).map((row) => [pairOf(row), row]));
    const pairs = new Set([...pairsOf(world), ...pairsOf(this.world)].filter((pair) => this.#isThere(pair)));
    for (const pair of pairs) {
      const expected = this.#difference(pair, world, close.lastDay);
      expect([path, pair, differenceOf(sent.get(pair))]).toEqual([path, pair, expected]);
      this.counts[expected === null ? "same" : "differences"]++;
      sent.delete(pair);
    }
    expect([path, ...sent.keys()]).toEqual([path]);
  }

  /** Groups are of the departments and last days of today. */
  async #compareGroups(query: string, rows: ReadonlyMap<Pair, Row>, to: Day): Promise<void> {
    const by = this.maker.pick(["policy", "department", "worker", "department,policy"]);
    const groups = new Map<string, Row>();
    for (const [pair, row] of rows) {
      const { worker, policy } = partsOf(pair);
      const { department, end } = this.world.people.find(({ id }) => id === worker)!;
      const { isPaidOut } = this.world.policies.find(({ id }) => id === policy)!;
      const name = JSON.stringify([
        ...[by.includes("worker") ? worker : null, by.includes("policy") ? policy : null],
        ...[by.includes("department") ? department : null, isPaidOut, end !== null && end <= to],
      ]);
      const sums = groups.get(name) ?? rowOf(() => 0);
      groups.set(
        name,
        rowOf((column) => sums[column] + row[column]),
      );
    }
    const path = `/v1/time_off/movements?groupBy=${by}&${query}`;
    const sent = (await this.#lines<Movement>(path)).map((row) => {
      const { workerId, policyId, department, isPaidOut, hasLeft } = row;
      return [JSON.stringify([workerId, policyId, department, isPaidOut, hasLeft]), shown(row)];
    });
    expect([path, sent.toSorted()]).toEqual([path, [...groups].toSorted()]);
    this.counts.groups += sent.length;
  }

  #difference(pair: Pair, known: World, day: Day): ReturnType<typeof differenceOf> {
    const of = partsOf(pair);
    const balances = [balanceOf(known, of), balanceOf(this.world, of)] as const;
    const [was, is] = balances.map((balance) => comparedFigure(balance, day)) as [number, number];
    if (was === is) return null;
    const causes = causesOf(...balances, day);
    return { was, is, difference: is - was, causes };
  }
}

function differenceOf(row: CloseDifference | undefined) {
  if (row === undefined) return null;
  const { closedMinutes, nowMinutes, difference } = row;
  return {
    ...{ was: hundredths(closedMinutes), is: hundredths(nowMinutes), difference: hundredths(difference) },
    causes: row.causes.map(({ cause, minutes, sourceId }) => ({
      ...{ cause: cause as string, minutes: hundredths(minutes), sourceId },
    })),
  };
}
