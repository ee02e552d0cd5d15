// Pages on PostgreSQL, with Rollcall on one core and PostgreSQL on the other. For comparison, pgbench runs the same statements from
// Rollcall's core. wrk shares PostgreSQL's core, because Rollcall needs its own.

import { writeFileSync } from "node:fs";
import type { Sql } from "sql-template-tag";
import { LISTS } from "../../src/resources/kinds.ts";
import { conditionsOf } from "../../src/store/plan.ts";
import { factsStatement, pageStatements } from "../../src/store/postgres/sql.ts";
import { check } from "../check.ts";
import type { BenchData } from "../data/build.ts";
import { PATHS, type PathsName } from "../data/paths.ts";
import { BIG, dataPath } from "../data/shape.ts";
import { drivePgbench, withValues, writeScript } from "../load/pgbench.ts";
import { driveAgain, LOAD_CORE, type Load, SERVER_CORE } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import type { RoundPlan } from "../rounds.ts";
import { type RunningPostgres, startPostgres } from "../targets/postgres.ts";
import { cpuSeconds, type Running } from "../targets/process.ts";
import { startRollcall } from "../targets/rollcall.ts";

const ROUNDS = 3;
const CHECKED = { few: 8, many: 200 };
/** The size of Rollcall's pool for pages. */
const CONNECTIONS = 10;
const PAGE = { limit: 25 };
/** The cursor in a statement that pgbench replaces by a random one. */
const CURSOR = "wrk_80000000";

/** Without a cursor to draw, pgbench runs the statements of this many addresses. */
const SCRIPTS = 100;

interface Measure {
  readonly paths: PathsName;
  readonly label: string;
  /** The statement that Rollcall runs for an address. */
  statementOf(path: string): Sql;
  /** Whether the statement has a cursor, which pgbench draws. */
  readonly isDrawn: boolean;
  /** The share of pgbench's speed, by CPU time, that Rollcall must reach. */
  readonly floor?: number;
}

const MEASURES: readonly Measure[] = [
  {
    paths: "cold",
    label: "cold page on PostgreSQL",
    statementOf: () => pageStatements("workers", BIG.id, { ...PAGE, after: CURSOR }, [])[0]!,
    isDrawn: true,
    floor: 0.5,
  },
  {
    paths: "balances",
    label: "25 balances on PostgreSQL",
    statementOf: () => factsStatement(BIG.id, { ...PAGE, after: { workerId: CURSOR, policyId: "~" } }),
    isDrawn: true,
  },
  {
    paths: "requestsOfWorker",
    label: "requests of 1 worker on PostgreSQL",
    statementOf: requestsStatement,
    isDrawn: false,
    floor: 0.5,
  },
  {
    paths: "policyStatusMonth",
    label: "requests by policy, status and month on PostgreSQL",
    statementOf: requestsStatement,
    isDrawn: false,
    floor: 0.4,
  },
  {
    paths: "away",
    label: "who is away, a week, on PostgreSQL",
    statementOf: requestsStatement,
    isDrawn: false,
  },
];

function requestsStatement(path: string): Sql {
  const asked = [...new URL(path, "http://localhost").searchParams].map(([name, value]) => [
    name,
    /^(starts|ends)/.test(name) ? Date.parse(value) : [value],
  ]);
  const conditions = conditionsOf(LISTS.requests.api.filters, Object.fromEntries(asked));
  return pageStatements("requests", BIG.id, PAGE, conditions)[0]!;
}

/** Responses a second, and each server's CPU time for one response in microseconds. */
interface Sample {
  readonly rate: number;
  readonly ownUs: number;
  readonly postgresUs: number;
}

export async function measurePostgres(
  data: BenchData,
  plan: RoundPlan,
  log: (line: string) => void,
): Promise<Line[]> {
  if (Bun.which("pgbench") === null) throw new Error("it needs pgbench: apt-get install postgresql (Debian)");
  const postgres = await startPostgres(data.storePath, LOAD_CORE, log);
  const { url } = postgres;
  const { apiKey } = data;
  const rollcall = await startRollcall({ storePath: url, port: 4074, cacheMegabytes: 1, apiKey });
  try {
    const scripts = new Map<Measure, string[]>();
    for (const measure of MEASURES) scripts.set(measure, await prepare(data, measure, rollcall, postgres));
    const samples = new Map<string, Sample[]>();
    const take = async (id: string, run: () => Promise<Run>) => {
      const sample = await sampled(rollcall, postgres, run);
      samples.set(id, [...(samples.get(id) ?? []), sample]);
      const { rate, ownUs, postgresUs } = sample;
      log(`  ${id}: ${rate.toFixed(0)}/s, ${ownUs.toFixed(0)} µs and ${postgresUs.toFixed(0)} µs each`);
    };
    for (let round = 0; round <= ROUNDS; round++) {
      // The first round warms up.
      if (round === 1) samples.clear();
      const seconds = round === 0 ? plan.warmUpSeconds : plan.seconds;
      for (const measure of MEASURES) {
        const { paths } = measure;
        const load = { address: rollcall.address, pathsFile: dataPath(`${paths}.paths`), apiKey, seconds };
        await take(paths, () => wrk(load, log));
        await take(`pgbench ${paths}`, () => pgbench(scripts.get(measure)!, url, seconds));
      }
    }
    return MEASURES.map((measure) => lineOf(measure, samples));
  } finally {
    await rollcall.stop();
    await postgres.stop();
  }
}

/** Checks the responses, and that pgbench's statements give the same. Writes the addresses and the scripts. Returns the scripts. */
async function prepare(
  data: BenchData,
  { paths, statementOf, isDrawn }: Measure,
  rollcall: Running,
  postgres: RunningPostgres,
): Promise<string[]> {
  const all = PATHS[paths]();
  const { apiKey } = data;
  const target = { address: rollcall.address, apiKey, companyId: BIG.id, storePath: data.storePath };
  await check(target, all.slice(0, /^(away|policy|requests)/.test(paths) ? CHECKED.few : CHECKED.many));
  writeFileSync(dataPath(`${paths}.paths`), `${all.join("\n")}\n`);
  const asked = isDrawn ? [all[0]!.replace(/=.*/, `=${CURSOR}`)] : all.slice(0, SCRIPTS);
  const path = asked[0]!;
  const statement = statementOf(path);
  const response = await fetch(rollcall.address + path, { headers: { "x-api-key": apiKey } });
  const { data: served } = (await response.json()) as { data: { id: string; workerId?: string }[] }; // checked above
  const rows = await postgres.run<{ doc?: string; assignments?: { workerId: string }[] }>(
    withValues(statement),
  );
  const ids =
    rows[0]?.assignments?.map(({ workerId }) => workerId) ??
    rows.map(({ doc }) => (JSON.parse(doc!) as { id: string }).id);
  const idOf = (row: (typeof served)[number]) => (paths === "balances" ? row.workerId : row.id);
  if (served.length === 0 || !served.every((row, index) => idOf(row) === ids[index]))
    throw new Error(`pgbench would ask for something else than ${path}`);
  return asked.map((address, index) => writeScript(`${paths}-${index}`, statementOf(address), CURSOR));
}

interface Run {
  readonly rate: number;
  readonly responses: number;
}

async function wrk(load: Load, log: (line: string) => void): Promise<Run> {
  const { requestsPerSecond, requests } = await driveAgain(load, log);
  return { rate: requestsPerSecond, responses: requests };
}

function pgbench(scripts: readonly string[], url: string, seconds: number): Promise<Run> {
  return drivePgbench({ url, scripts, core: SERVER_CORE, connections: CONNECTIONS, seconds });
}

async function sampled(
  rollcall: Running,
  postgres: RunningPostgres,
  run: () => Promise<Run>,
): Promise<Sample> {
  const before = { own: cpuSeconds(rollcall.pid), postgres: postgres.cpuSeconds() };
  const { rate, responses } = await run();
  const each = (now: number, then: number) => ((now - then) / responses) * 1e6;
  return {
    rate,
    ownUs: each(cpuSeconds(rollcall.pid), before.own),
    postgresUs: each(postgres.cpuSeconds(), before.postgres),
  };
}

/** A speed by CPU time: as if each server had a core of its own, and the slower server set the pace. */
function lineOf({ paths, label, floor }: Measure, samples: ReadonlyMap<string, readonly Sample[]>): Line {
  const own = samples.get(paths)!;
  const others = samples.get(`pgbench ${paths}`)!;
  const slower = ({ ownUs, postgresUs }: Sample) => Math.max(ownUs, postgresUs);
  const ratios = (of: (sample: Sample, other: Sample) => number) =>
    median(own.map((sample, round) => of(sample, others[round]!)));
  return {
    id: `postgres ${paths}`,
    label: `${label} (${median(own.map(({ postgresUs }) => postgresUs)).toFixed(0)} µs of PostgreSQL)`,
    value: median(own.map(({ rate }) => rate)),
    unit: "/s",
    cpuUs: median(own.map(({ ownUs }) => ownUs)),
    against: {
      label: `pgbench with the same statement (${median(others.map(({ rate }) => rate)).toFixed(0)}/s)`,
      clock: ratios((sample, other) => sample.rate / other.rate),
      cpu: ratios((sample, other) => slower(sample) / slower(other)),
      ...(floor === undefined ? {} : { cpuAtMost: 1 / floor }),
    },
  };
}
