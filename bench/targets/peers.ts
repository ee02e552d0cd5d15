// Other ways to serve the same rows over HTTP. Each is asked for 25 workers in the fastest way that it offers.
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PEER_JSON, PEER_TABLE } from "../data/peers.ts";
import { BIG, dataPath } from "../data/shape.ts";
import { type Running, start } from "./process.ts";

export interface Peer {
  readonly name: string;
  /** How many times as fast Rollcall must be. */
  readonly reach?: number;
  /** Where its packages are. */
  readonly folder: string;
  /** The address of 25 workers after this one. */
  readonly path: (workerId: string, index: number) => string;
  readonly headers?: Readonly<Record<string, string>>;
  start(): Promise<Running>;
}

const PEERS = join(import.meta.dir, "..", "peers");
const DIRECTUS = join(PEERS, "directus");
const DIRECTUS_TOKEN = "a-token-of-the-bench";

export const isInstalled = (peer: Peer) => existsSync(join(peer.folder, "node_modules"));

export const ALL_PEERS: readonly Peer[] = [
  {
    name: "json-server, from an id on",
    reach: 40,
    folder: PEERS,
    path: (id) => `/workers?id_gte=${id}&_limit=25`,
    start: startJsonServer,
  },
  {
    name: "json-server, from a number of rows on, which skips and doubles rows when others come",
    folder: PEERS,
    path: (_, index) => `/workers?_start=${index % (BIG.workers - 25)}&_limit=25`,
    start: startJsonServer,
  },
  {
    name: "Soul",
    reach: 10,
    folder: PEERS,
    path: (id) => `/api/tables/workers/rows?_limit=25&_ordering=id&_filters=id__gt:${id}`,
    start: () =>
      start({
        command: [join(PEERS, "node_modules/.bin/soul"), "-d", PEER_TABLE, "-p", "4082"],
        address: "http://127.0.0.1:4082",
        readyPath: "/api/tables/workers/rows?_limit=1",
        cwd: dataPath("."),
      }),
  },
  {
    name: "Directus",
    reach: 100,
    folder: DIRECTUS,
    // It compares texts for equality alone, so a place in the list is a number of rows.
    path: (_, index) => `/items/workers?limit=25&sort=id&offset=${index % (BIG.workers - 25)}`,
    headers: { authorization: `Bearer ${DIRECTUS_TOKEN}` },
    start: startDirectus,
  },
];

function startJsonServer(): Promise<Running> {
  return start({
    command: [join(PEERS, "node_modules/.bin/json-server"), PEER_JSON, "--port", "4081", "--quiet"],
    address: "http://127.0.0.1:4081",
    readyPath: "/workers?_limit=1",
  });
}

/** On a copy of the table, in which it keeps tables of its own. */
async function startDirectus(): Promise<Running> {
  const database = dataPath("directus.db");
  rmSync(database, { force: true });
  copyFileSync(PEER_TABLE, database);
  const env = {
    DB_CLIENT: "sqlite3",
    DB_FILENAME: database,
    KEY: "bench",
    SECRET: "bench",
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_PASSWORD: "bench",
    ADMIN_TOKEN: DIRECTUS_TOKEN,
    HOST: "127.0.0.1",
    PORT: "4083",
    LOG_LEVEL: "error",
    TELEMETRY: "false",
  };
  const command = join(DIRECTUS, "node_modules/.bin/directus");
  const made = Bun.spawnSync([command, "bootstrap"], { env: { ...process.env, ...env }, cwd: DIRECTUS });
  if (made.exitCode !== 0) throw new Error(`directus bootstrap failed: ${made.stdout}${made.stderr}`);
  return start({
    command: [command, "start"],
    address: "http://127.0.0.1:4083",
    readyPath: "/items/workers?limit=1",
    headers: { authorization: `Bearer ${DIRECTUS_TOKEN}` },
    env,
    cwd: DIRECTUS,
  });
}
