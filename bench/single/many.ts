// What a company pays for 9,999 others beside it: the same company's pages, start and imports in a store of its own and in a
// store of many, on both engines. One second of each in turn, before every other program, so that CPU times can be compared
// on a machine that is busy with other things.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Random } from "../../src/generate/random.ts";
import { check } from "../check.ts";
import {
  ALONE,
  COMPANIES,
  type CompaniesStore,
  companyAt,
  type ManyData,
  workerPages,
} from "../data/many.ts";
import { dataPath } from "../data/shape.ts";
import { driveAgain, LOAD_CORE, type Load } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import { startPostgres } from "../targets/postgres.ts";
import { cpuSeconds, peakResidentBytes, type Running } from "../targets/process.ts";
import { ROLLCALL, startRollcall } from "../targets/rollcall.ts";

const ROUNDS = 5;
/** Until nearly all companies were asked for once: a server runs for weeks. */
const WARM_UP_ROUNDS = 5;
const STARTS = 5;
const IMPORTS = 5;
const AT_MOST = 1.2;
const MEMORY_MB = 250;
const CHECKED = 8;
const HOT_PAGES = 25;
const DRAWS = 50_000;
/** Other programs go on between two slices. */
const PAUSE_MS = 250;

type Side = "one" | "many";
const SIDES = ["one", "many"] as const;

/** Who is asked, for what. `cacheMegabytes`: 0 reads each page from the store. */
interface Measure {
  readonly id: "cold" | "hot" | "every";
  readonly label: string;
  readonly cacheMegabytes: number;
  lines(side: Side, store: CompaniesStore): string[];
}

const line = (path: string, apiKey: string) => `${path}\t\t${apiKey}`;

function pagesOf(companies: readonly number[], pages: readonly number[], { keys }: CompaniesStore): string[] {
  return companies.map((company, index) => {
    const shape = companyAt(company);
    return line(workerPages(shape)[pages[index]!]!, keys[shape.id]!);
  });
}

const drawn = (count: number, below: number, seed: number) => {
  const random = new Random(1, 8, seed);
  return Array.from({ length: count }, () => random.whole(0, below - 1));
};
const alone = ({ keys }: CompaniesStore) => workerPages(ALONE).map((path) => line(path, keys[ALONE.id]!));
const shuffled = new Random(1, 8, 3).shuffled(Array.from({ length: COMPANIES }, (_, index) => index));

const MEASURES: readonly Measure[] = [
  {
    id: "cold",
    label: "cold page of any of 10,000 companies",
    cacheMegabytes: 0,
    lines: (side, store) =>
      side === "one" ? alone(store) : pagesOf(drawn(DRAWS, COMPANIES, 1), drawn(DRAWS, HOT_PAGES, 2), store),
  },
  {
    id: "hot",
    label: "hot page, of 25 of 10,000 companies",
    cacheMegabytes: 64,
    lines: (side, store) =>
      side === "one"
        ? alone(store)
        : pagesOf(shuffled.slice(0, HOT_PAGES), Array<number>(HOT_PAGES).fill(0), store),
  },
  {
    id: "every",
    label: "a page of each of 10,000 companies, over and over",
    cacheMegabytes: 64,
    lines: (side, store) =>
      side === "one" ? alone(store) : pagesOf(shuffled, Array<number>(COMPANIES).fill(0), store),
  },
];

/** Rates, and microseconds of CPU time for one response: of Rollcall and of the database beside it. */
interface Sample {
  readonly rate: number;
  readonly ownUs: number;
  readonly databaseUs: number;
}

interface Engine {
  readonly name: string;
  address(side: Side): string;
  /** CPU time of a database that is a process of its own. */
  cpuSeconds(): number;
}

export async function measureMany(
  data: ManyData,
  engines: readonly ("embedded" | "postgres")[],
  log: (line: string) => void,
): Promise<Line[]> {
  const lines: Line[] = [];
  if (engines.includes("embedded")) {
    const embedded: Engine = {
      name: "the embedded store",
      address: (side) => data[side].storePath,
      cpuSeconds: () => 0,
    };
    lines.push(...(await measureEngine(embedded, data, log)));
  }
  if (engines.includes("postgres")) {
    const postgres = await postgresOf(data, log);
    try {
      lines.push(...(await measureEngine(postgres.engine, data, log)));
    } finally {
      await postgres.server.stop();
    }
  }
  return lines;
}

/** Two databases of one server on the load's core: the one that is asked is the one that works. */
async function postgresOf(data: ManyData, log: (line: string) => void) {
  const server = await startPostgres(
    {
      name: "postgres-many",
      databases: { one: data.one.storePath, many: data.many.storePath },
      core: LOAD_CORE,
      isUrgent: true,
    },
    log,
  );
  const engine: Engine = {
    name: "PostgreSQL",
    address: (side) => server.url(side),
    cpuSeconds: () => server.cpuSeconds(),
  };
  return { server, engine };
}

async function measureEngine(engine: Engine, data: ManyData, log: (line: string) => void): Promise<Line[]> {
  const samples = new Map<string, Sample[]>();
  const servers: Running[] = [];
  try {
    const loads: { id: string; server: Running; load: Load }[] = [];
    let port = 4080;
    for (const measure of MEASURES) {
      for (const side of SIDES) {
        const store = data[side];
        const apiKey = store.keys[ALONE.id]!;
        const { cacheMegabytes } = measure;
        const server = await startRollcall({
          storePath: engine.address(side),
          port: port++,
          cacheMegabytes,
          apiKey,
          isUrgent: true,
        });
        servers.push(server);
        const lines = measure.lines(side, store);
        await checkLines(server, store, lines);
        const pathsFile = dataPath(`many-${measure.id}-${side}.paths`);
        writeFileSync(pathsFile, `${lines.join("\n")}\n`);
        const load = { address: server.address, pathsFile, apiKey, seconds: 1, isUrgent: true };
        loads.push({ id: `${measure.id} ${side}`, server, load });
      }
    }
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const { id, server, load } of loads) {
        const before = { own: cpuSeconds(server.pid), database: engine.cpuSeconds() };
        const { requests, requestsPerSecond: rate } = await driveAgain(load, log);
        const each = (now: number, then: number) => ((now - then) / requests) * 1e6;
        const ownUs = each(cpuSeconds(server.pid), before.own);
        const databaseUs = each(engine.cpuSeconds(), before.database);
        await Bun.sleep(PAUSE_MS);
        if (round < 0) continue; // it warms up
        samples.set(id, [...(samples.get(id) ?? []), { rate, ownUs, databaseUs }]);
        log(
          `  ${engine.name}, ${id}: ${rate.toFixed(0)}/s, ${ownUs.toFixed(1)} + ${databaseUs.toFixed(1)} µs each`,
        );
      }
    }
    const peak = Math.max(...servers.map(({ pid }) => peakResidentBytes(pid))) / 1e6;
    const memory: Line = {
      id: `many memory, ${engine.name}`,
      label: `most resident memory with 10,000 companies, ${engine.name}`,
      value: peak,
      unit: " MB",
      atMost: MEMORY_MB,
    };
    return [
      ...MEASURES.map((measure) => pageLine(engine, measure, samples)),
      memory,
      await startLine(engine, data),
      ...(await importLines(engine, log)),
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function checkLines(
  { address }: Running,
  { storePath, keys }: CompaniesStore,
  lines: readonly string[],
): Promise<void> {
  const companyOf = new Map(Object.entries(keys).map(([companyId, apiKey]) => [apiKey, companyId]));
  for (const one of lines.slice(0, CHECKED)) {
    const [path, , apiKey] = one.split("\t") as [string, string, string]; // as `line` writes it
    await check({ address, apiKey, companyId: companyOf.get(apiKey)!, storePath }, [path]);
  }
}

function pageLine(engine: Engine, { id, label }: Measure, samples: ReadonlyMap<string, Sample[]>): Line {
  const [one, many] = SIDES.map((side) => samples.get(`${id} ${side}`)!) as [Sample[], Sample[]]; // of each side
  const cpu = ({ ownUs, databaseUs }: Sample) => ownUs + databaseUs;
  const ratios = (of: (own: Sample, other: Sample) => number) =>
    median(many.map((sample, round) => of(sample, one[round]!)));
  const database = median(many.map(({ databaseUs }) => databaseUs));
  return {
    id: `many ${id}, ${engine.name}`,
    label: `${label}, ${engine.name}${database === 0 ? "" : ` (${database.toFixed(0)} µs of it)`}`,
    value: median(many.map(({ rate }) => rate)),
    unit: "/s",
    cpuUs: median(many.map(({ ownUs }) => ownUs)),
    against: {
      label: `one company in a store of its own (${Math.round(median(one.map(({ rate }) => rate)))}/s)`,
      ratio: ratios((sample, other) => sample.rate / other.rate),
      cpuRatio: ratios((sample, other) => cpu(other) / cpu(sample)),
      ...(id === "every" ? {} : { reach: 1 / AT_MOST }),
    },
  };
}

async function startLine(engine: Engine, data: ManyData): Promise<Line> {
  const started: Record<Side, number[]> = { one: [], many: [] };
  for (let run = 0; run < STARTS; run++) {
    for (const side of SIDES) {
      const server = await startRollcall({
        storePath: engine.address(side),
        port: 4079,
        cacheMegabytes: 64,
        apiKey: data[side].keys[ALONE.id]!,
        isUrgent: true,
      });
      started[side].push(server.startedInMs / 1000);
      await server.stop();
    }
  }
  return {
    id: `many start, ${engine.name}`,
    label: `start to first response with 10,000 companies, ${engine.name}`,
    value: median(started.many),
    unit: " s",
    against: {
      label: `with one (${median(started.one).toFixed(2)} s)`,
      ratio: median(started.many.map((seconds, run) => seconds / started.one[run]!)),
      atMost: AT_MOST,
    },
  };
}

// Imports of one company -----------------------------------------------------------------------------------------------

interface Import {
  readonly id: string;
  readonly label: string;
  /** What is done to the files before each run. */
  prepare(folder: string, run: number): Promise<void>;
  readonly options: readonly string[];
}

const workersOf = (folder: string) => `${folder}/workers.csv`;

async function changeTitles(folder: string, run: number): Promise<void> {
  const [head, ...rows] = (await Bun.file(workersOf(folder)).text()).trimEnd().split("\n");
  // A position of the first row; every other cell stays.
  const column = head!.split(",").indexOf("position");
  const cells = rows[0]!.split(",");
  cells[column] = `Position ${run}`;
  await Bun.write(workersOf(folder), `${[head, cells.join(","), ...rows.slice(1)].join("\n")}\n`);
}

const REQUESTS = "requests.csv";

/** Leaves out the last request, which is there again the next time. */
async function dropRequest(folder: string, run: number): Promise<void> {
  const lines = (await Bun.file(`${folder}/whole-requests`).text()).trimEnd().split("\n");
  await Bun.write(`${folder}/${REQUESTS}`, `${lines.slice(0, run % 2 === 0 ? -1 : undefined).join("\n")}\n`);
}

const IMPORTS_OF_ONE: readonly Import[] = [
  { id: "same", label: "with nothing new", prepare: async () => {}, options: [] },
  { id: "changed", label: "with one row changed", prepare: changeTitles, options: [] },
  { id: "pruned", label: "with a row removed or added", prepare: dropRequest, options: ["--prune"] },
];

async function importLines(engine: Engine, log: (line: string) => void): Promise<Line[]> {
  const lines: Line[] = [];
  for (const side of SIDES) {
    const folder = dataPath(`many-import-${side}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await run(engine, [
      "export",
      "--company",
      ALONE.id,
      "--out",
      `${folder}/files`,
      "--db",
      engine.address(side),
    ]);
    await Bun.write(`${folder}/files/whole-requests`, Bun.file(`${folder}/files/${REQUESTS}`));
  }
  for (const { id, label, prepare, options } of IMPORTS_OF_ONE) {
    const cost: Record<Side, number[]> = { one: [], many: [] };
    for (let turn = 0; turn < IMPORTS; turn++) {
      for (const side of SIDES) {
        const files = dataPath(`many-import-${side}/files`);
        await prepare(files, turn);
        const given = ["workers", "policies", "assignments", "requests", "adjustments", "work_hours"]
          .map((kind) => `${files}/${kind}.csv`)
          .filter((path) => Bun.file(path).size > 0);
        const command = ["import", ...given, "--company", ALONE.id, ...options, "--db", engine.address(side)];
        cost[side].push(await run(engine, command));
      }
    }
    const [one, many] = [median(cost.one), median(cost.many)];
    log(`  ${engine.name}, import ${id}: ${one.toFixed(3)} and ${many.toFixed(3)} s`);
    lines.push({
      id: `many import ${id}, ${engine.name}`,
      label: `import of one of 10,000 companies ${label}, CPU time, ${engine.name}`,
      value: many,
      unit: " s",
      against: {
        label: `in a store of its own (${one.toFixed(2)} s)`,
        ratio: median(cost.many.map((seconds, turn) => seconds / cost.one[turn]!)),
        atMost: AT_MOST,
      },
    });
  }
  return lines;
}

/** Runs a command. Seconds of CPU time that it took, with the database's. */
async function run(engine: Engine, command: readonly string[]): Promise<number> {
  const before = engine.cpuSeconds();
  const child = Bun.spawn([ROLLCALL, ...command], { stdout: "ignore", stderr: "pipe" });
  const problems = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`rollcall ${command.join(" ")} failed: ${problems}`);
  const { cpuTime } = child.resourceUsage()!;
  return Number(cpuTime.total) / 1e6 + engine.cpuSeconds() - before;
}
