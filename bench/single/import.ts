// Importing files with full validation, against sqlite3 loading the same files into tables without keys or checks: at first,
// again, and with some rows changed. And the size of the store.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { dataPath, TODAY } from "../data/shape.ts";
import { type Line, median } from "../report.ts";
import { ROLLCALL } from "../targets/rollcall.ts";

/** About 13 rows a worker. */
const WORKERS = 20_000;
const ROUNDS = 3;
const REACH = { first: 0.06, again: 0.3, size: 8 };
/** Requests are half of the rows: of each hundred rows one has another status. */
const CHANGED_EVERY = 50;
/** Seconds by the clock. */
interface Round {
  readonly first: number;
  readonly plain: number;
  readonly again: number;
  readonly changed: number;
}

/** The median of the rounds. In each, all are measured once, one after the other. */
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
        .map((ratio) => ratio.toFixed(2))
        .join(", ")} s`,
    );
  }
  rmSync(folder, { recursive: true });
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const rows = files.rows.toLocaleString("en");
  const plain = `sqlite3 .import (${Math.round(files.rows / of((round) => round.plain)).toLocaleString("en")} rows/s)`;
  const line = (id: string, label: string, seconds: number, against: NonNullable<Line["against"]>): Line => {
    return { id, label, value: files.rows / seconds, unit: " rows/s", against };
  };
  return [
    line(
      "import",
      `import of ${rows} rows with validation`,
      of(({ first }) => first),
      {
        label: plain,
        ratio: of((round) => round.plain / round.first),
        reach: REACH.first,
      },
    ),
    line(
      "import-again",
      "the same import again",
      of(({ again }) => again),
      {
        label: plain,
        ratio: of((round) => round.plain / round.again),
        reach: REACH.again,
      },
    ),
    line(
      "import-changed",
      "the same with 1 % of the rows changed",
      of(({ changed }) => changed),
      {
        label: "its time without changes",
        ratio: of((round) => round.changed / round.again),
      },
    ),
    {
      id: "store-size",
      label: "the store, in sizes of its files",
      value: size,
      unit: "",
      atMost: REACH.size,
    },
  ];
}

/** The files of the store, and of the database that sqlite3 fills. */
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

/** A folder of import files, and how many rows are in them. */
export async function generatedCompany(
  folder: string,
  workers: number,
): Promise<{ folder: string; rows: number }> {
  const counts = await generateCompany({ outDir: folder, workers, seed: 1, today: TODAY, overwrite: true });
  return { folder, rows: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Seconds that sqlite3 takes to load the files, each into a table of its own that has a text column for each of theirs. */
function plainImport(folder: string, files: string): number {
  const loads = readdirSync(files).map(
    (file) => `.import --csv ${join(files, file)} ${basename(file, ".csv")}`,
  );
  return timed(["sqlite3", join(folder, "plain.db"), "begin", ...loads, "commit"]);
}

/** Seconds. What was written before is on the disk when it begins. */
function timed(command: readonly string[]): number {
  run(["sync"]);
  const startedAt = performance.now();
  run(command);
  return (performance.now() - startedAt) / 1000;
}

function run(command: readonly string[]): string {
  const done = Bun.spawnSync([...command], { stdout: "pipe", stderr: "pipe" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ").slice(0, 200)} failed: ${done.stderr}`);
  return done.stdout.toString();
}
