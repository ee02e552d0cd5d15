// Pages on PostgreSQL: Rollcall on one core and PostgreSQL on the other, compared with pgbench running the same statement from Rollcall's
// core. wrk shares PostgreSQL's core, because Rollcall needs its own.

import { writeFileSync } from "node:fs";
import type { Sql } from "sql-template-tag";
import { factsStatement, pageStatements } from "../../src/store/postgres/sql.ts";
import { check } from "../check.ts";
import type { BenchData } from "../data/build.ts";
import { PATHS, type PathsName } from "../data/paths.ts";
import { BIG, dataPath } from "../data/shape.ts";
import { drivePgbench, scriptPath, withValues, writeScript } from "../load/pgbench.ts";
import { driveAgain, LOAD_CORE, type Load, SERVER_CORE } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import type { RoundPlan } from "../rounds.ts";
import { type RunningPostgres, startPostgres } from "../targets/postgres.ts";
import { cpuSeconds, type Running } from "../targets/process.ts";
import { startRollcall } from "../targets/rollcall.ts";

const ROUNDS = 3;
const REACH_PGBENCH = 0.5;
const CHECKED = { few: 8, many: 200 };
/** As many as Rollcall opens for pages. */
const CONNECTIONS = 10;
const PAGE = { limit: 25 };
/** Stands for the place that pgbench draws. */
const CURSOR = "wrk_80000000";

interface Measure {
  readonly paths: PathsName;
  readonly label: string;
  /** The floor of the ratio to the cold page; without it, the measure is compared with pgbench. */
  readonly ofCold?: number;
}

const MEASURES: readonly Measure[] = [
  { paths: "cold", label: "cold page on PostgreSQL" },
  { paths: "balances", label: "25 balances on PostgreSQL" },
  { paths: "requestsOfWorker", label: "requests of 1 worker on PostgreSQL", ofCold: 0.7 },
  { paths: "policyStatusMonth", label: "requests by policy, status and month on PostgreSQL", ofCold: 0.3 },
  { paths: "away", label: "who is away, a week, on PostgreSQL", ofCold: 0.4 },
];

/** The statements for pgbench. */
const STATEMENTS: Partial<Record<PathsName, Sql>> = {
  cold: pageStatements("workers", BIG.id, { ...PAGE, after: CURSOR }, [])[0]!,
  balances: factsStatement(BIG.id, { ...PAGE, after: { workerId: CURSOR, policyId: null } }),
};

/** Responses a second, and each server's microseconds of CPU time for one. */
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
    for (const { paths } of MEASURES) await prepare(data, paths, rollcall, postgres);
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
      for (const { paths } of MEASURES) {
        const load = { address: rollcall.address, pathsFile: dataPath(`${paths}.paths`), apiKey, seconds };
        await take(paths, () => wrk(load, log));
        if (STATEMENTS[paths] !== undefined)
          await take(`pgbench ${paths}`, () => pgbench(paths, url, seconds));
      }
    }
    return MEASURES.map((measure) => lineOf(measure, samples));
  } finally {
    await rollcall.stop();
    await postgres.stop();
  }
}

/** Writes the addresses and the script, after checking the responses and pgbench's result. */
async function prepare(
  data: BenchData,
  paths: PathsName,
  rollcall: Running,
  postgres: RunningPostgres,
): Promise<void> {
  const all = PATHS[paths]();
  const { apiKey } = data;
  const target = { address: rollcall.address, apiKey, companyId: BIG.id, storePath: data.storePath };
  await check(target, all.slice(0, /^(away|policy|requests)/.test(paths) ? CHECKED.few : CHECKED.many));
  writeFileSync(dataPath(`${paths}.paths`), `${all.join("\n")}\n`);
  const statement = STATEMENTS[paths];
  if (statement === undefined) return;
  writeScript(paths, statement, CURSOR);
  const path = all[0]!.replace(/=.*/, `=${CURSOR}`);
  const response = await fetch(rollcall.address + path, { headers: { "x-api-key": apiKey } });
  const { data: served } = (await response.json()) as { data: { id: string; workerId?: string }[] }; // checked above
  const rows = await postgres.run<{ doc?: string; assignments?: { workerId: string }[] }>(
    withValues(statement),
  );
  const ids =
    rows[0]?.assignments?.map(({ workerId }) => workerId) ??
    rows.map(({ doc }) => (JSON.parse(doc!) as { id: string }).id);
  const isSame = served.every((row, index) => (row.workerId ?? row.id) === ids[index]);
  if (served.length !== PAGE.limit || !isSame)
    throw new Error(`pgbench would ask for something else than ${path}`);
}

interface Run {
  readonly rate: number;
  readonly responses: number;
}

async function wrk(load: Load, log: (line: string) => void): Promise<Run> {
  const { requestsPerSecond, requests } = await driveAgain(load, log);
  return { rate: requestsPerSecond, responses: requests };
}

function pgbench(paths: PathsName, url: string, seconds: number): Promise<Run> {
  const script = scriptPath(paths);
  return drivePgbench({ url, script, core: SERVER_CORE, connections: CONNECTIONS, seconds });
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

/** By CPU time: as if each server had its own core and the slower one set the pace. */
function lineOf({ paths, label, ofCold }: Measure, samples: ReadonlyMap<string, readonly Sample[]>): Line {
  const own = samples.get(paths)!;
  const others = samples.get(ofCold === undefined ? `pgbench ${paths}` : "cold")!;
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
      label:
        ofCold === undefined
          ? `pgbench (${median(others.map(({ rate }) => rate)).toFixed(0)}/s)`
          : "cold page on PostgreSQL",
      ratio: ratios((sample, other) => sample.rate / other.rate),
      cpuRatio: ratios((sample, other) => slower(other) / slower(sample)),
      reach: ofCold ?? REACH_PGBENCH,
    },
  };
}
