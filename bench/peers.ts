// npm run bench -- --only=peers: Rollcall compared with programs that an engineer might write instead, on a company of 5,000 people.
// `constant` sends constant bytes, which is the limit of Bun. `plain` runs a statement, joins the texts and sends a tag, without keys or
// checks. `framework` is Fastify with schemas and a key, over a native SQLite. The measure is the server's CPU time for each response.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../src/generate/random.ts";
import { STORE_SCHEMA } from "../src/store/sqlite/schema.ts";
import { dataPath } from "./data/shape.ts";
import { driveAgain } from "./load/wrk.ts";
import { type Line, median } from "./report.ts";
import type { RoundPlan } from "./rounds.ts";
import { cpuSeconds, type Running, start } from "./targets/process.ts";
import { ROLLCALL, startRollcall } from "./targets/rollcall.ts";

const WORKERS = 5000;
const PAGE = 25;
/** Fetched from the npm registry when the bench runs, because only this bench needs them. */
const FRAMEWORK_PACKAGES = ["fastify@5.12.8", "@fastify/etag@6.2.0", "libsql@0.5.29"];
const COMPANY = "peers";

/** Servers with their addresses. `floors`: the most CPU time allowed, in multiples of another measure's. */
const MEASURES = [
  { id: "constant", label: "a page, constant bytes", server: "constant", paths: "page" },
  { id: "plainPage", label: "cold page, plain", server: "plain", paths: "page" },
  { id: "frameworkPage", label: "cold page, framework", server: "framework", paths: "page" },
  { id: "frameworkWorker", label: "one worker, framework", server: "framework", paths: "worker" },
  { id: "hotPage", label: "hot page", server: "cached", paths: "hot", floors: [["constant", 3]] },
  {
    id: "coldPage",
    label: "cold page",
    server: "uncached",
    paths: "page",
    floors: [
      ["plainPage", 1.8],
      ["frameworkPage", 0.5],
    ],
  },
  {
    id: "oneWorker",
    label: "one worker",
    server: "uncached",
    paths: "worker",
    floors: [["frameworkWorker", 0.9]],
  },
  {
    id: "workersRequests",
    label: "requests of one worker",
    server: "uncached",
    paths: "requests",
    floors: [["coldPage", 1.3]],
  },
  {
    id: "balancePage",
    label: "25 balances, computed",
    server: "uncached",
    paths: "balances",
    floors: [["coldPage", 4.5]],
  },
] as const satisfies readonly {
  id: string;
  label: string;
  server: string;
  paths: string;
  floors?: readonly (readonly [string, number])[];
}[];

type ServerName = (typeof MEASURES)[number]["server"];

export async function measurePeers(plan: RoundPlan, log: (line: string) => void): Promise<Line[]> {
  const { storePath, apiKey, workerIds } = await peersStore(log);
  const servers = await startServers(storePath, apiKey);
  try {
    const drawn = new Random(1, 7, 1).shuffled([...workerIds]);
    const paths = {
      hot: workerIds.filter((_, at) => at % 50 === 0).map((id) => `/v1/workers?afterId=${id}`),
      page: drawn.map((id) => `/v1/workers?afterId=${id}`),
      worker: drawn.map((id) => `/v1/workers/${id}`),
      requests: drawn.map((id) => `/v1/time_off/requests?workerIds=${id}`),
      balances: drawn.map((id) => `/v1/time_off/balances?afterId=${id}`),
    };
    await requireSamePages(servers, apiKey, paths.page.slice(0, 20));
    const cpuUs = new Map<string, number[]>(MEASURES.map(({ id }) => [id, []]));
    const rates = new Map<string, number[]>(MEASURES.map(({ id }) => [id, []]));
    for (let round = 0; round <= plan.rounds; round++) {
      log(round === 0 ? "warming up …" : `round ${round} of ${plan.rounds} …`);
      for (const { id, server, paths: name } of MEASURES) {
        const pathsFile = dataPath(`peers-${name}.paths`);
        writeFileSync(pathsFile, `${paths[name].join("\n")}\n`);
        const { address, pid } = servers[server];
        const before = cpuSeconds(pid);
        const seconds = round === 0 ? plan.warmUpSeconds : plan.seconds;
        const load = await driveAgain({ address, pathsFile, apiKey, seconds }, log);
        if (round === 0) continue;
        cpuUs.get(id)!.push((1e6 * (cpuSeconds(pid) - before)) / load.requests);
        rates.get(id)!.push(load.requestsPerSecond);
        log(`  ${id}: ${cpuUs.get(id)!.at(-1)!.toFixed(1)} µs of CPU each`);
      }
    }
    return MEASURES.flatMap((measure): Line[] => {
      const { id, label } = measure;
      const line = { id, label, value: median(rates.get(id)!), unit: "/s", cpuUs: median(cpuUs.get(id)!) };
      const floors = "floors" in measure ? measure.floors : [];
      if (floors.length === 0) return [line];
      return floors.map(([other, cpuAtMost]) => {
        const ratios = (of: ReadonlyMap<string, number[]>) =>
          median(of.get(id)!.map((own, round) => own / of.get(other)![round]!));
        const against = MEASURES.find((measure) => measure.id === other)!.label;
        return { ...line, against: { label: against, clock: ratios(rates), cpu: ratios(cpuUs), cpuAtMost } };
      });
    });
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** A made-up company of 5,000 people in a store of its own, made once. */
async function peersStore(log: (line: string) => void) {
  const folder = dataPath("peers");
  const storePath = join(folder, `store-${Bun.hash(STORE_SCHEMA).toString(36)}.db`); // a changed schema needs a new store
  const run = async (...args: string[]) => {
    const child = Bun.spawn([ROLLCALL, ...args], { cwd: folder, stdout: "pipe", stderr: "inherit" });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`rollcall ${args.join(" ")} failed`);
    return text;
  };
  mkdirSync(folder, { recursive: true });
  if (!existsSync(storePath)) {
    log(`making a company of ${WORKERS} people …`);
    await run("generate", "--out", "files", "--workers", String(WORKERS), "--overwrite");
    await run("companies", "create", COMPANY, "--db", storePath);
    await run("import", "files", "--company", COMPANY, "--db", storePath);
  }
  const apiKey = (await run("keys", "create", "--company", COMPANY, "--db", storePath, "--quiet")).trim();
  const workers = JSON.parse(
    await run("workers", "list", "--company", COMPANY, "--db", storePath, "--json"),
  ) as { readonly id: string }[];
  const workerIds = workers.map(({ id }) => id).sort();
  return { storePath, apiKey, workerIds: workerIds.slice(0, -PAGE) };
}

async function startServers(storePath: string, apiKey: string): Promise<Record<ServerName, Running>> {
  const own = (port: number, cacheMegabytes: number) =>
    startRollcall({ storePath, port, cacheMegabytes, apiKey });
  const uncached = await own(4082, 1);
  const page = await fetch(`${uncached.address}/v1/workers?limit=${PAGE}`, {
    headers: { "x-api-key": apiKey },
  });
  const bytesFile = dataPath("peers/page.json");
  writeFileSync(bytesFile, new Uint8Array(await page.arrayBuffer()));
  const folder = dataPath("peers/framework");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules"))) {
    writeFileSync(join(folder, "package.json"), "{}\n");
    Bun.spawnSync(["npm", "install", "--no-audit", "--no-fund", ...FRAMEWORK_PACKAGES], { cwd: folder });
  }
  writeFileSync(
    join(folder, "server.mjs"),
    await Bun.file(join(import.meta.dir, "peers/framework.mjs")).text(),
  );
  const peer = (port: number, command: readonly string[]) =>
    start({
      command: [...command, String(port)],
      address: `http://127.0.0.1:${port}`,
      readyPath: `/v1/workers?limit=${PAGE}`,
      headers: { "x-api-key": apiKey },
    });
  const here = (name: string) => join(import.meta.dir, "peers", name);
  return {
    constant: await peer(4083, [process.execPath, here("constant.ts"), bytesFile]),
    plain: await peer(4084, [process.execPath, here("plain.ts"), storePath, COMPANY]),
    framework: await peer(4085, ["node", join(folder, "server.mjs"), storePath, COMPANY, apiKey]),
    cached: await own(4081, 64),
    uncached,
  };
}

/** Checks that all peers send the same objects. */
async function requireSamePages(
  servers: Record<ServerName, Running>,
  apiKey: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const pages = await Promise.all(
      (["plain", "framework", "uncached"] as const).map(async (name) => {
        const response = await fetch(servers[name].address + path, { headers: { "x-api-key": apiKey } });
        return JSON.stringify(((await response.json()) as { data: unknown }).data);
      }),
    );
    if (new Set(pages).size > 1) throw new Error(`${path}: the peers send other objects`);
  }
}
