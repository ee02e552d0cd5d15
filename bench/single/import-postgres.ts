// Imports files into PostgreSQL with full validation, compared with COPY of the same rows into the same tables without checks.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../../src/resources/kinds.ts";
import { freePort, serverIn } from "../../test/support/postgres.ts";
import { makeDataFolder } from "../../test/support/postgres-data.ts";
import { dataPath } from "../data/shape.ts";
import { type Line, median } from "../report.ts";
import { cpuSeconds } from "../targets/process.ts";
import { ROLLCALL } from "../targets/rollcall.ts";
import { generatedCompany } from "./import.ts";

/** About 13 rows a worker. */
const WORKERS = 5000;
const ROUNDS = 3;
/** The most CPU time, in multiples of COPY's. The import must reach 0.45 of COPY's speed. */
const CPU_AT_MOST = 1 / 0.45;
/** The tables that an import fills. */
const TABLES = [...KINDS, "request_buckets"];

interface Times {
  /** Seconds of wall-clock time. */
  readonly clock: number;
  /** Seconds of CPU time of Rollcall and the server. */
  readonly cpu: number;
}

export async function measurePostgresImport(): Promise<Line[]> {
  const folder = dataPath("import-postgres");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = await generatedCompany(join(folder, "files"), WORKERS);
  makeDataFolder(join(folder, "postgres"));
  const server = serverIn(join(folder, "postgres"), await freePort(), []);
  await server.start();
  try {
    const pid = Number(readFileSync(join(server.folder, "postmaster.pid"), "utf8").split("\n")[0]);
    const serverSeconds = () => cpuSeconds(pid);
    const [imports, copies]: [Times[], Times[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const [imported, plain] = [`imported${round}`, `plain${round}`];
      for (const name of [imported, plain]) await server.run(`create database ${name}`);
      run([ROLLCALL, "companies", "create", "acme", "--db", server.url(imported)]);
      await server.run("checkpoint");
      imports.push(
        await timed(serverSeconds, async () =>
          run([ROLLCALL, "import", files.folder, "--company", "acme", "--db", server.url(imported)]),
        ),
      );
      const path = (table: string) => join(folder, "postgres", `${table}.copy`); // the server may write there
      for (const table of TABLES) await server.run(`copy ${table} to '${path(table)}'`, [], imported);
      run([ROLLCALL, "companies", "create", "acme", "--db", server.url(plain)]);
      await server.run("checkpoint");
      const statements = TABLES.map((table) => `copy ${table} from '${path(table)}';`).join("\n");
      copies.push(
        await timed(serverSeconds, async () => {
          await server.run(`begin; ${statements} commit`, [], plain);
          return 0;
        }),
      );
      await requireSameCounts(server, imported, plain);
    }
    const ratio = (of: (times: Times) => number) =>
      median(imports.map((times, round) => of(times) / of(copies[round]!)));
    const rows = files.rows.toLocaleString("en");
    const copied = Math.round(files.rows / median(copies.map(({ clock }) => clock))).toLocaleString("en");
    return [
      {
        id: "postgres-import",
        label: `on PostgreSQL, import of ${rows} rows with validation`,
        value: files.rows / median(imports.map(({ clock }) => clock)),
        unit: " rows/s",
        cpuUs: (median(imports.map(({ cpu }) => cpu)) * 1e6) / files.rows,
        against: {
          label: `COPY (${copied} rows/s)`,
          clock: 1 / ratio(({ clock }) => clock),
          cpu: ratio(({ cpu }) => cpu),
          cpuAtMost: CPU_AT_MOST,
        },
      },
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** `work` returns its seconds of CPU time outside the server. */
async function timed(serverSeconds: () => number, work: () => Promise<number>): Promise<Times> {
  const [startedAt, before] = [performance.now(), serverSeconds()];
  const own = await work();
  return { clock: (performance.now() - startedAt) / 1000, cpu: own + serverSeconds() - before };
}

/** Runs a command. Returns its seconds of CPU time. */
function run(command: readonly string[]): number {
  const done = Bun.spawnSync([...command], { stdout: "ignore", stderr: "pipe" });
  if (done.exitCode !== 0) throw new Error(`${command.join(" ").slice(0, 200)} failed: ${done.stderr}`);
  return Number(done.resourceUsage.cpuTime.total) / 1e6;
}

async function requireSameCounts(
  server: ReturnType<typeof serverIn>,
  imported: string,
  plain: string,
): Promise<void> {
  for (const table of TABLES) {
    const [ours, other] = await Promise.all(
      [imported, plain].map(async (database) => {
        const counted = await server.run<{ count: string }>(`select count(*) from ${table}`, [], database);
        return Number(counted[0]!.count);
      }),
    );
    if (ours !== other) throw new Error(`COPY loaded ${other} ${table} of ${ours}`);
  }
}
