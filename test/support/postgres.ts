// A real PostgreSQL for the tests, from npm. A server that cannot start fails the test that wanted it: none is skipped.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import pg from "pg";
import { fastFolder } from "./fast-folder.ts";
import { programsFolder, type User, type Version } from "./postgres-binaries.ts";
import { makeDataFolder, PASSWORD, USER } from "./postgres-data.ts";

/** Quick rather than durable, reachable over loopback only, and with nothing outside its folder. */
const FLAGS = [
  "fsync=off",
  "full_page_writes=off",
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "dynamic_shared_memory_type=mmap",
];

export interface SharedServer {
  readonly port: number;
  /** The address of a database of this server. */
  url(database?: string, user?: string, password?: string): string;
  /** Runs SQL as the administrator: in `database` on a connection of its own, else on the one that makes databases. */
  run<R>(text: string, values?: unknown[], database?: string): Promise<R[]>;
  /** A new database, and its address: empty, or a copy of a template. */
  createDatabase(template?: Template): Promise<string>;
  /** Removes the database of an address, and ends its sessions. */
  dropDatabase(address: string): Promise<void>;
}

/** What new databases are copied from. A server makes it when it is first asked for. */
export interface Template {
  readonly name: string;
  fill(address: string): Promise<void>;
}

export interface Server extends SharedServer {
  readonly folder: string;
  start(): Promise<void>;
  /** Ends every session and stops. */
  stop(): Promise<void>;
}

/** The variable in which `with-postgres.ts` says where a server for all test files is. */
export const SHARED_PORT = "TEST_POSTGRES_PORT";

const SHARED = Symbol.for("rollcall.test.postgres");
const GUARDS = Symbol.for("rollcall.test.postgres.guards");
// Test files are separate modules of one process, so what they share hangs on the global object.
const shared = globalThis as { [SHARED]?: Promise<SharedServer>; [GUARDS]?: Bun.Subprocess[] };

/** The server that all tests of this run share, or all of this file. */
export function sharedServer(): Promise<SharedServer> {
  const port = process.env[SHARED_PORT];
  shared[SHARED] ??= port === undefined ? newServer() : Promise.resolve(serverAt(Number(port), () => {}));
  return shared[SHARED];
}

/** A server of its own, for a test that stops it. `settings` are PostgreSQL's, as `name=value`. */
export async function newServer(settings: readonly string[] = [], version: Version = 18): Promise<Server> {
  const folder = join(temporaryFolder(), "data");
  makeDataFolder(folder, version);
  const server = serverIn(folder, await freePort(), settings, version);
  await server.start();
  return server;
}

/** A folder that is removed, and whose servers are ended, when this process ends, however it ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-postgres-"));
  chmodSync(folder, 0o755); // PostgreSQL runs as a user of its own where the tests run as root
  // `bun test` raises no exit event. This process sees its input close when the test process is gone.
  const script = `trap '' INT TERM HUP; cat >/dev/null
    for file in "$0"/*/postmaster.pid; do [ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"; done
    for _ in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$0" && exit; sleep 0.2; done`;
  const guard = Bun.spawn(["sh", "-c", script, folder], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  guard.unref();
  shared[GUARDS] = [...(shared[GUARDS] ?? []), guard]; // once collected as garbage, its input would close
  return folder;
}

/** A server that runs. What happens to an idle connection goes to `note`. */
function serverAt(port: number, note: (message: unknown) => void): SharedServer {
  const url = (database = "postgres", user = USER, password = PASSWORD) =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url(database) });
    client.on("error", note);
    await client.connect();
    return client;
  };
  /** Makes and removes databases, and is asked again and again: a connection costs 30 ms of CPU time. */
  let administrator: Promise<pg.Client> | null = null;
  const administer = async <R>(work: (client: pg.Client) => Promise<R>): Promise<R> => {
    const forget = () => {
      administrator = null;
    };
    administrator ??= connect("postgres").then((client) => client.once("end", forget));
    administrator.catch(forget);
    return work(await administrator);
  };
  const connected = async <R>(database: string, work: (client: pg.Client) => Promise<R>): Promise<R> => {
    const client = await connect(database);
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const run = <R>(text: string, values: unknown[] = [], database?: string): Promise<R[]> => {
    const query = async (client: pg.Client) => (await client.query(text, values)).rows as R[]; // the caller's own text
    return database === undefined ? administer(query) : connected(database, query);
  };
  const made = new Set<string>();
  /** Other test files may want it at the same moment: one makes it, and they wait for that. */
  const make = async (client: pg.Client, { name, fill }: Template): Promise<void> => {
    await client.query("select pg_advisory_lock(1)");
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) {
      await client.query(`create database ${name}_part`);
      await fill(url(`${name}_part`));
      await client.query(`alter database ${name}_part rename to ${name}`);
    }
    await client.query("select pg_advisory_unlock(1)");
    made.add(name);
  };
  return {
    port,
    url,
    run,
    async createDatabase(template): Promise<string> {
      const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
      await administer(async (client) => {
        if (template !== undefined && !made.has(template.name)) await make(client, template);
        // To log each page, as is the default, takes three times as much CPU time as to copy the files.
        const from = template?.name ?? "template1";
        await client.query(`create database ${name} template ${from} strategy file_copy`);
      });
      return url(name);
    },
    async dropDatabase(address): Promise<void> {
      const name = new URL(address).pathname.slice(1);
      await administer((client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** A server on a data folder that is there already. */
export function serverIn(
  folder: string,
  port: number,
  settings: readonly string[] = [],
  version: Version = 18,
): Server {
  const log: string[] = [];
  const note = (message: unknown) => {
    log.push(String(message));
    if (log.length > 200) log.shift();
  };
  const programs = programsFolder(dirname(folder), version);
  let postgres: ChildProcess | null = null;
  const noted = (child: ChildProcess) => {
    child.stdout?.on("data", note);
    child.stderr?.on("data", note);
    return child;
  };
  const server = serverAt(port, note);
  return {
    ...server,
    folder,
    /** Resolves when the server accepts connections; a standby does while it follows. */
    async start(): Promise<void> {
      const options = [...FLAGS, ...settings].flatMap((setting) => ["-c", setting]);
      const started = noted(
        spawn(join(programs, "postgres"), ["-D", folder, "-p", String(port), ...options], {
          ...ownerOf(folder),
          cwd: folder,
        }),
      );
      postgres = started;
      for (let tries = 0; tries < 600 && started.exitCode === null; tries++) {
        if (await server.run("select 1").then(Boolean, () => false)) return;
        await Bun.sleep(20);
      }
      throw new Error(`PostgreSQL did not start:\n${log.join("")}`);
    },
    async stop(): Promise<void> {
      if (postgres === null || postgres.exitCode !== null) return;
      const ended = once(postgres, "close");
      postgres.kill("SIGINT");
      await ended;
    },
  };
}

/** PostgreSQL runs as nobody else, and never as root. */
function ownerOf(folder: string): User {
  const { uid, gid } = statSync(folder);
  return process.getuid?.() === 0 ? { uid, gid } : {};
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
