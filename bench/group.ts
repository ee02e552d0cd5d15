// The night of a group on PostgreSQL: one large company and many small ones are imported again with 2 % changes, ten commands at a time,
// while a server reads. Prints what it took, as JSON. By default a fifth of 1,001 companies, in about ten minutes on two cores:
// `bun bench/group.ts --companies 200 --people 50 --large 4000 --nights 1`.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "../delivery/bundle.ts";
import { generateCompany } from "../src/generate/generate.ts";
import { openPostgresWriteStore } from "../src/store/postgres/write.ts";
import { freePort, serverIn } from "../test/support/postgres.ts";
import { makeDataFolder } from "../test/support/postgres-data.ts";
import { addKey } from "../test/support/stores.ts";
import { busyShare } from "./machine.ts";
import { cpuSeconds } from "./targets/process.ts";

const { values: options } = parseArgs({
  options: {
    companies: { type: "string", default: "200" },
    people: { type: "string", default: "50" },
    large: { type: "string", default: "4000" },
    nights: { type: "string", default: "1" },
    atOnce: { type: "string", default: "10" },
  },
});
const TODAY = "2026-03-01";
/** Small companies of one seed have the same files. */
const SEEDS = 20;
const READS_PER_SECOND = 20;
const CALM_SECONDS = 30;
const MIB = 2 ** 20;
/** Settings for a server that must not lose a commit, on a machine of 4 GiB. */
const SETTINGS = ["fsync=on", "full_page_writes=on", "shared_buffers=2GB", "max_wal_size=8GB"];

const LARGE = "large";
const small = Array.from({ length: Number(options.companies) }, (_, at) => `small-${at}`);
const folder = mkdtempSync(join(tmpdir(), "rollcall-group-"));
chmodSync(folder, 0o755);
const executable = join(folder, "rollcall");
const filesOf = (company: string) =>
  join(folder, company === LARGE ? LARGE : `seed-${Number(company.slice("small-".length)) % SEEDS}`);

/** Changes a value in 2 % of the rows of a file, each night in other rows. */
function change(path: string, column: string, night: number): void {
  const [header, ...rows] = readFileSync(path, "utf8").trimEnd().split("\n");
  const at = header!.split(",").indexOf(column);
  const changed = rows.map((row, number) => {
    const cells = row.split(",");
    if ((number + night) % 50 !== 0 || row.includes('"')) return row;
    cells[at] = `Night ${night}`;
    return cells.join(",");
  });
  writeFileSync(path, `${[header, ...changed].join("\n")}\n`);
}

/** Imports companies, several commands at a time. Returns their CPU time in seconds. */
async function importAll(companies: readonly string[], db: string, atOnce: number): Promise<number> {
  const left = [...companies];
  let seconds = 0;
  const take = async () => {
    for (let company = left.shift(); company !== undefined; company = left.shift()) {
      const command = Bun.spawn([executable, "import", filesOf(company), "--company", company, "--prune"], {
        env: { ROLLCALL_DB: db, PATH: process.env.PATH ?? "" },
        stdout: "ignore",
        stderr: "pipe",
      });
      const problems = await new Response(command.stderr).text();
      if ((await command.exited) !== 0) throw new Error(`${company}: ${problems}`);
      seconds += Number(command.resourceUsage()!.cpuTime.total) / 1e6;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  return seconds;
}

/** Reads pages at even intervals until `stop`. Returns, in milliseconds, the times from the due moment of a page to its end. */
function readPages(address: string, keys: readonly string[]) {
  const times: number[] = [];
  const refused: string[] = [];
  const pending = new Set<Promise<void>>();
  const paths = ["/v1/workers", "/v1/time_off/requests", "/v1/time_off/balances"];
  let count = 0;
  const read = async () => {
    const dueAtMs = performance.now();
    const [path, key] = [paths[count % paths.length]!, keys[count % keys.length]!];
    count++;
    const response = await fetch(address + path, { headers: { "x-api-key": key } });
    await response.arrayBuffer();
    if (response.status === 200) times.push(performance.now() - dueAtMs);
    else refused.push(`${path}: ${response.status}`);
  };
  const timer = setInterval(() => {
    const reading = read().finally(() => pending.delete(reading));
    pending.add(reading);
  }, 1000 / READS_PER_SECOND);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    if (refused.length > 0) throw new Error(`${refused.length} pages were not served: ${refused[0]}`);
    const sorted = times.toSorted((left, right) => left - right);
    const share = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)]! * 10) / 10;
    return { pages: sorted.length, p50Ms: share(0.5), p95Ms: share(0.95), p99Ms: share(0.99) };
  };
}

const log = (line: string) => console.error(`${new Date().toISOString()} ${line}`);
const rounded = (number: number) => Math.round(number * 10) / 10;

const target = `bun-${process.platform}-${process.arch}` as Bun.Build.CompileTarget; // the target of the Bun that runs this
await bundle({ form: "bench", to: { executable, runtime: process.execPath, target } });
mkdirSync(join(folder, "postgres"));
const data = join(folder, "postgres", "data");
makeDataFolder(data);
const postgres = serverIn(data, await freePort(), SETTINGS);
await postgres.start();
let server: Bun.Subprocess | null = null;
try {
  const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  await postgres.run("create database rollcall");
  const db = postgres.url("rollcall");
  const inStore = async (text: string) =>
    Number((await postgres.run<{ n: number }>(text, [], "rollcall"))[0]!.n);
  const sizeMiB = async () => Math.round((await inStore("select pg_database_size('rollcall') as n")) / MIB);
  const others = await busyShare();
  await generateCompany({ outDir: filesOf(LARGE), workers: Number(options.large), seed: 1, today: TODAY });
  for (const company of small.slice(0, SEEDS))
    await generateCompany({
      outDir: filesOf(company),
      workers: Number(options.people),
      seed: 2 + small.indexOf(company),
      today: TODAY,
    });
  const writer = await openPostgresWriteStore(db, { create: true });
  for (const id of [LARGE, ...small]) await writer.createCompany({ id, name: id, createdAtMs: Date.now() });
  const read = [LARGE, ...small.slice(0, 3)];
  const keys = await Promise.all(read.map((company) => addKey(writer, company)));
  await writer.close();

  log("first imports");
  const begun = { atMs: performance.now(), database: cpuSeconds(pid) };
  const firstCommands = await importAll([LARGE, ...small], db, Number(options.atOnce));
  const first = {
    wallSeconds: rounded((performance.now() - begun.atMs) / 1000),
    commandsCpuSeconds: rounded(firstCommands),
    databaseCpuSeconds: rounded(cpuSeconds(pid) - begun.database),
  };
  await postgres.run("vacuum analyze", [], "rollcall");
  const freshMiB = await sizeMiB();

  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  server = Bun.spawn(
    [executable, "serve", "--port", String(port), "--rate-limit", "0", "--log", "problems"],
    {
      env: { ROLLCALL_DB: db, PATH: process.env.PATH ?? "" },
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  while (
    !(await fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await Bun.sleep(100);
  const calmly = readPages(address, keys);
  await Bun.sleep(CALM_SECONDS * 1000);
  const calm = await calmly();

  const nights = [];
  for (let night = 1; night <= Number(options.nights); night++) {
    for (const company of [LARGE, ...small.slice(0, SEEDS)]) {
      change(join(filesOf(company), "requests.csv"), "reason", night);
      change(join(filesOf(company), "workers.csv"), "position", night);
    }
    log(`night ${night}`);
    const [atMs, database] = [performance.now(), cpuSeconds(pid)];
    let connections = 0;
    const sampling = setInterval(async () => {
      const now = await inStore(
        "select count(*) as n from pg_stat_activity where application_name = 'rollcall'",
      );
      connections = Math.max(connections, now);
    }, 1000);
    const reading = readPages(address, keys);
    const commands = await importAll([LARGE, ...small], db, Number(options.atOnce));
    const wallSeconds = rounded((performance.now() - atMs) / 1000);
    clearInterval(sampling);
    nights.push({
      wallSeconds,
      commandsCpuSeconds: rounded(commands),
      databaseCpuSeconds: rounded(cpuSeconds(pid) - database),
      connections,
      reads: await reading(),
      sizeMiB: await sizeMiB(),
    });
  }
  const vacuumed = performance.now();
  await postgres.run("vacuum analyze", [], "rollcall");
  const result = {
    companies: small.length + 1,
    people: Number(options.large) + small.length * Number(options.people),
    othersShare: rounded(others),
    first,
    freshMiB,
    calm,
    nights,
    vacuumSeconds: rounded((performance.now() - vacuumed) / 1000),
    changeMarksBytesPerRow: Math.round(
      await inStore("select pg_total_relation_size('change_marks')::float / count(*) as n from change_marks"),
    ),
  };
  console.log(JSON.stringify(result, null, 2));
} finally {
  server?.kill();
  await server?.exited;
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
