// PostgreSQL on its own core. `rollcall copy` fills it once with the bench's data, which is kept for the next run.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SCHEMA } from "../../src/store/postgres/schema.ts";
import { freePort, serverIn } from "../../test/support/postgres.ts";
import { makeDataFolder } from "../../test/support/postgres-data.ts";
import { dataPath, STAMP } from "../data/shape.ts";
import { cpuSeconds } from "./process.ts";
import { ROLLCALL } from "./rollcall.ts";

/** The memory holds all data. Nothing is flushed to the disk, because the bench only reads. The rest are PostgreSQL's defaults. */
const SETTINGS = ["shared_buffers=4GB", "max_wal_size=8GB", "maintenance_work_mem=512MB"];

const POSTGRES_STAMP = `${STAMP} ${Bun.hash(SCHEMA).toString(36)}`;

const PREWARM =
  "select pg_prewarm(oid::regclass) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')";

export interface RunningPostgres {
  readonly url: string;
  run<R>(text: string): Promise<R[]>;
  /** The server's seconds of CPU time, including ended sessions. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

const DATABASE = "rollcall";

/** Starts the server on a core. Fills it first if it does not hold the embedded store's data. */
export async function startPostgres(
  storePath: string,
  core: number,
  log: (line: string) => void,
): Promise<RunningPostgres> {
  const folder = dataPath("postgres");
  const note = dataPath("postgres.stamp");
  const isFilled = existsSync(note) && readFileSync(note, "utf8") === POSTGRES_STAMP;
  if (!isFilled) rmSync(folder, { recursive: true, force: true });
  const server = serverIn(folder, await freePort(), SETTINGS);
  if (!isFilled) makeDataFolder(folder);
  await server.start();
  try {
    if (!isFilled) {
      log(`filling PostgreSQL with ${storePath} (once; some minutes) …`);
      await server.run(`create database ${DATABASE}`);
      await copy(storePath, server.url(DATABASE));
      await server.run("vacuum analyze", [], DATABASE);
      await server.run("create extension pg_prewarm", [], DATABASE);
    }
    await server.run(PREWARM, [], DATABASE);
    writeFileSync(note, POSTGRES_STAMP);
    const pid = Number(readFileSync(`${folder}/postmaster.pid`, "utf8").split("\n")[0]);
    // Later sessions inherit both settings. Running processes (checkpoints, vacuum) move to the same core.
    for (const id of [pid, ...childrenOf(pid)]) {
      Bun.spawnSync(["taskset", "-p", "-c", String(core), `${id}`]);
    }
    return {
      url: server.url(DATABASE),
      run: (text) => server.run(text, [], DATABASE),
      cpuSeconds: () => cpuSeconds(pid),
      stop: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function copy(storePath: string, url: string): Promise<void> {
  const child = Bun.spawn([ROLLCALL, "copy", "--from", storePath, "--to", url, "--json"], {
    stdout: "ignore",
    stderr: "pipe",
  });
  const problems = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`rollcall copy failed: ${problems}`);
}

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
}
