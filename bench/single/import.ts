// Imports files with full validation: first, again, and with some rows changed. For comparison, sqlite3 loads the same files into tables
// without keys or checks. Measures the size of the store, too.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { dataPath, TODAY } from "../data/shape.ts";
import { type Line, median } from "../report.ts";
import { ROLLCALL } from "../targets/rollcall.ts";

/** About 13 rows a worker. */
const WORKERS = 20_000;
const ROUNDS = 3;
/** The most CPU time: `first` and `again` in multiples of `sqlite3 .import` (0.08 and 0.3 of its speed), `changed` of `again`. */
const CPU_AT_MOST = { first: 1 / 0.08, again: 1 / 0.3, changed: 1.8 };
const SIZE_AT_MOST = 8;

/** Every 50th request gets another status. Requests are half of the rows, so 1 % of the rows change. */
const CHANGED_EVERY = 50;
/** Seconds by the clock, and of CPU time. */
interface Times {
  readonly clock: number;
  readonly cpu: number;
}

type Round = Readonly<Record<"first" | "plain" | "again" | "changed", Times>>;

/** The medians of the rounds. Each round measures everything once. */
export async function measureImport(log: (line: string) => void): Promise<Line[]> {
  const folder = dataPath("import");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const files = await generatedCompany(join(folder, "files"), WORKERS);
  const changedFiles = join(folder, "changed");
  cpSync(files.folder, changedFiles, { recursive: true });
  changeSome(join(changedFiles, "requests.csv"));
  const store = join(folder, "store.db");
  const importFrom = (from: string) => timed([ROLLCALL, "import", from, "--company", "acme", "--db", store]);
  const rounds: Round[] = [];
  let size = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of storeFiles(folder)) rmSync(path);
    run([ROLLCALL, "companies", "create", "acme", "--db", store]);
    const first = importFrom(files.folder);
    size = statSync(store).size / bytesIn(files.folder);
    const taken = {
      first,
      plain: plainImport(folder, files.folder),
      again: importFrom(files.folder),
      changed: importFrom(changedFiles),
    };
    rounds.push(taken);
    log(
      `  first, plain, again, changed: ${Object.values(taken)
        .map(({ clock, cpu }) => `${clock.toFixed(2)} (CPU ${cpu.toFixed(2)})`)
        .join(", ")} s`,
    );
  }
  rmSync(folder, { recursive: true });
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const ratios = (one: keyof Round, other: keyof Round) => ({
    clock: of((round) => round[other].clock / round[one].clock), // the ratio of speeds
    cpu: of((round) => round[one].cpu / round[other].cpu),
  });
  const rows = files.rows.toLocaleString("en");
  const plain = `sqlite3 .import (${Math.round(files.rows / of((round) => round.plain.clock)).toLocaleString("en")} rows/s)`;
  const line = (
    id: string,
    label: string,
    what: keyof Round,
    against: NonNullable<Line["against"]>,
  ): Line => {
    const seconds = median(rounds.map((round) => round[what].clock));
    const cpuUs = (median(rounds.map((round) => round[what].cpu)) * 1e6) / files.rows;
    return { id, label, value: files.rows / seconds, unit: " rows/s", cpuUs, against };
  };
  return [
    line("import", `import of ${rows} rows with validation`, "first", {
      label: plain,
      ...ratios("first", "plain"),
      cpuAtMost: CPU_AT_MOST.first,
    }),
    line("import-again", "the same import again", "again", {
      label: plain,
      ...ratios("again", "plain"),
      cpuAtMost: CPU_AT_MOST.again,
    }),
    line("import-changed", "the same with 1 % of the rows changed", "changed", {
      label: "the same import again",
      ...ratios("changed", "again"),
      cpuAtMost: CPU_AT_MOST.changed,
    }),
    {
      id: "store-size",
      label: "the store, in sizes of its files",
      value: size,
      unit: "",
      atMost: SIZE_AT_MOST,
    },
  ];
}

/** The files of the store, and of sqlite3's database. */
function storeFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^(store|plain)\.db/.test(name))
    .map((name) => join(folder, name));
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** Denies some approved requests. */
function changeSome(path: string): void {
  const lines = readFileSync(path, "utf8").split("\n");
  let approved = 0;
  const changed = lines.map((line) => {
    const isNext = line.includes(",approved,") && ++approved % CHANGED_EVERY === 0;
    return isNext ? line.replace(",approved,", ",denied,") : line;
  });
  writeFileSync(path, changed.join("\n"));
}

/** A folder of import files, and the number of their rows. */
export async function generatedCompany(
  folder: string,
  workers: number,
): Promise<{ folder: string; rows: number }> {
  const counts = await generateCompany({ outDir: folder, workers, seed: 1, today: TODAY, overwrite: true });
  return { folder, rows: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Times sqlite3 as it loads each file into a table of its own, with a text column for each column of the file. */
function plainImport(folder: string, files: string): Times {
  const loads = readdirSync(files).map(
    (file) => `.import --csv ${join(files, file)} ${basename(file, ".csv")}`,
  );
  return timed(["sqlite3", join(folder, "plain.db"), "begin", ...loads, "commit"]);
}

/** Times a command. All earlier writes are flushed to the disk before it begins. */
function timed(command: readonly string[]): Times {
  run(["sync"]);
  const startedAt = performance.now();
  const cpu = run(command);
  return { clock: (performance.now() - startedAt) / 1000, cpu };
}

/** Runs a command. Returns its seconds of CPU time. */
function run(command: readonly string[]): number {
  const done = Bun.spawnSync([...command], { stdout: "pipe", stderr: "pipe" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ").slice(0, 200)} failed: ${done.stderr}`);
  return Number(done.resourceUsage.cpuTime.total) / 1e6;
}
