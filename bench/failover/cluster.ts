// A cluster as operators run it, on loopback: etcd, two PostgreSQL servers managed by Patroni, HAProxy in front of the primary, and
// PgBouncer in front of HAProxy. All are Debian's packages.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { chown } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { freePort, temporaryFolder } from "../../test/support/postgres.ts";
import { unprivilegedUser } from "../../test/support/postgres-binaries.ts";

const PACKAGES: Readonly<Record<string, string>> = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  setsid: "util-linux",
};
const PASSWORD = "password";
const DATABASE = "rollcall";
const READER = "rollcall_reader";
const READY_MS = 120_000;

export interface ClusterOptions {
  /** Whether a commit waits for the standby. */
  readonly isSynchronous: boolean;
  /** How many seconds a silent primary stays the primary: Patroni's `ttl`. */
  readonly ttlSeconds: number;
}

/** One machine: a PostgreSQL server and the Patroni that manages it. */
export interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
}

/** SIGKILL is like a power cut of the node, SIGSTOP like a hung machine, and SIGCONT ends that. */
export type Blow = "SIGKILL" | "SIGSTOP" | "SIGCONT";

export interface Cluster {
  readonly nodes: readonly Node[];
  /** The owner's address, through HAProxy. */
  readonly owner: string;
  /** The servers' address, through HAProxy. */
  readonly direct: string;
  /** The servers' address, through PgBouncer. */
  readonly pooled: string;
  /** The address of one node for the role of the servers. */
  at(node: Node): string;
  /** The primary; null while there is none. */
  leader(): Promise<Node | null>;
  /** Resolves when one node leads and the other follows. */
  settled(): Promise<Node>;
  strike(node: Node, blow: Blow): Promise<void>;
  /** Starts a node that was killed. */
  revive(node: Node): void;
  /** A planned change of the primary. */
  switchOver(from: Node, to: Node): Promise<void>;
  restartPooler(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of Debian's newest installed PostgreSQL. */
function binFolder(): string {
  const path = globSync("/usr/lib/postgresql/*/bin/pg_rewind").toSorted().at(-1);
  if (path === undefined) throw new Error("It needs PostgreSQL: apt-get install postgresql (Debian)");
  return path.replace(/\/pg_rewind$/, "");
}

function requirePackages(): void {
  const missing = Object.entries(PACKAGES).filter(([command]) => Bun.which(command) === null);
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name).join(" ");
  throw new Error(`It needs ${packages}: apt-get install ${packages} (Debian)`);
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  requirePackages();
  const folder = temporaryFolder();
  const user = unprivilegedUser();
  if ("uid" in user) await chown(folder, user.uid, user.gid);
  const children = new Map<string, ChildProcess>();
  const begin = (name: string, command: string, args: readonly string[], more: SpawnOptions = {}) => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(command, [...args], { ...user, cwd: folder, stdio: ["ignore", log, log], ...more });
    children.set(name, child);
    return child;
  };
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  };

  const [etcdPort, peerPort, proxyPort, poolerPort] = await ports(4);
  begin("etcd", "etcd", [
    ...["--data-dir", join(folder, "etcd"), "--listen-client-urls", `http://127.0.0.1:${etcdPort}`],
    ...["--advertise-client-urls", `http://127.0.0.1:${etcdPort}`],
    ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`, "--unsafe-no-fsync"],
    ...["--initial-advertise-peer-urls", `http://127.0.0.1:${peerPort}`],
    ...["--initial-cluster", `default=http://127.0.0.1:${peerPort}`],
  ]);
  const nodes: Node[] = [];
  for (const name of ["node1", "node2"]) {
    const [port, restPort] = await ports(2);
    nodes.push({ name, port: port!, restPort: restPort! });
  }
  const startNode = (node: Node) => {
    const path = write(`${node.name}.yml`, patroniSettings(node, folder, etcdPort!, options));
    begin(node.name, "patroni", [path]);
  };
  for (const node of nodes) startNode(node);
  begin("haproxy", "haproxy", ["-f", write("haproxy.cfg", haproxySettings(nodes, proxyPort!)), "-db"]);
  write("users.txt", `"${READER}" "${PASSWORD}"\n`);
  const poolerSettings = write("pgbouncer.ini", pgbouncerSettings(folder, proxyPort!, poolerPort!));
  const startPooler = () => begin("pgbouncer", "pgbouncer", [poolerSettings]);
  startPooler();

  const address = (role: string, port: number, more = "") =>
    `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}${more}`;
  const rest = async (node: Node, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${node.restPort}${path}`, { ...init, signal: AbortSignal.timeout(2000) });
  const responds = (node: Node, path: string) =>
    rest(node, path).then(
      ({ ok }) => ok,
      () => false,
    );
  const leader = async () => {
    for (const node of nodes) if (await responds(node, "/primary")) return node;
    return null;
  };
  const cluster: Cluster = {
    nodes,
    owner: address("postgres", proxyPort!),
    direct: address(READER, proxyPort!),
    pooled: address(READER, poolerPort!, "?pooler=transaction"),
    at: (node) => address(READER, node.port),
    leader,
    async settled() {
      const until = Date.now() + READY_MS;
      while (Date.now() < until) {
        const primary = await leader();
        const standby = nodes.find((node) => node !== primary)!;
        const followed = options.isSynchronous ? "/synchronous" : "/replica?lag=0";
        if (primary !== null && (await responds(standby, followed))) return primary;
        await Bun.sleep(200);
      }
      throw new Error(
        `no primary with a standby:\n${[...children.keys()].map((name) => tail(join(folder, `${name}.log`))).join("\n")}`,
      );
    },
    async strike(node, blow) {
      const child = children.get(node.name)!;
      const data = join(folder, node.name);
      const pidFile = join(data, "postmaster.pid");
      const postmaster = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8").split("\n")[0]) : null;
      const pids = [child.pid!, ...(postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)])];
      // Freeze all processes first, so that none can shut down in an orderly way.
      if (blow === "SIGKILL") for (const pid of pids) signal(pid, "SIGSTOP");
      for (const pid of pids) signal(pid, blow);
      if (blow === "SIGKILL") await once(child, "close");
    },
    revive: startNode,
    async switchOver(from, to) {
      const body = JSON.stringify({ leader: from.name, candidate: to.name });
      const response = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, { method: "POST", body });
      if (!response.ok) throw new Error(`the switchover was refused: ${await response.text()}`);
    },
    async restartPooler() {
      const child = children.get("pgbouncer")!;
      child.kill("SIGKILL");
      await once(child, "close");
      startPooler();
    },
    async stop() {
      for (const node of nodes) await cluster.strike(node, "SIGKILL").catch(() => {});
      for (const [name, child] of children)
        if (!nodes.some((node) => node.name === name)) child.kill("SIGKILL");
    },
  };
  try {
    await cluster.settled();
    await makeDatabase(address("postgres", proxyPort!).replace(/\/[^/]*$/, "/postgres"));
  } catch (error) {
    for (const name of children.keys()) console.error(name, tail(join(folder, `${name}.log`)));
    await cluster.stop();
    throw error;
  }
  return cluster;
}

export const READER_ROLE = { name: READER, password: PASSWORD };

async function ports(count: number): Promise<number[]> {
  const ids = new Set<number>();
  while (ids.size < count) ids.add(await freePort());
  return [...ids];
}

async function makeDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${DATABASE}`);
  await client.end();
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it ended
  }
}

function signal(pid: number, name: Blow): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended.
  }
}

const tail = (path: string) => readFileSync(path, "utf8").split("\n").slice(-15).join("\n");

/** JSON is YAML. */
function patroniSettings(
  { name, port, restPort }: Node,
  folder: string,
  etcdPort: number,
  { isSynchronous, ttlSeconds }: ClusterOptions,
): string {
  const data = join(folder, name);
  mkdirSync(join(folder, "pass"), { recursive: true, mode: 0o777 });
  const login = (username: string) => ({ username, password: PASSWORD });
  // Patroni requires that `loop_wait` and twice `retry_timeout` fit into `ttl`.
  const third = Math.floor(ttlSeconds / 3);
  return JSON.stringify({
    scope: "rollcall",
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: ttlSeconds,
        loop_wait: third,
        retry_timeout: third,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: binFolder(),
      pgpass: join(folder, `${name}.pgpass`),
      authentication: {
        superuser: login("postgres"),
        replication: login("replicator"),
        rewind: login("rewinder"),
      },
      pg_hba: [
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication replicator 127.0.0.1/32 scram-sha-256",
      ],
      parameters: { unix_socket_directories: "", max_connections: 100, shared_buffers: "128MB" },
    },
  });
}

/** As in Patroni's documentation: its REST interface tells who leads, and sessions with other nodes are ended. */
function haproxySettings(nodes: readonly Node[], port: number): string {
  const servers = nodes.map(
    ({ name, port: at, restPort }) => `  server ${name} 127.0.0.1:${at} maxconn 200 check port ${restPort}`,
  );
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

/** The defaults, except that PgBouncer tries a database again sooner than 15 seconds after a refusal. */
function pgbouncerSettings(folder: string, proxyPort: number, port: number): string {
  return `[databases]
${DATABASE} = host=127.0.0.1 port=${proxyPort} dbname=${DATABASE}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
server_login_retry = 1
`;
}
