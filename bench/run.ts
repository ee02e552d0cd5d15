// npm run bench [-- --quick] [-- --only=hot,cold]: see docs/performance.md.
import { benchData } from "./data/build.ts";
import { busyShare, machine, requireTools } from "./machine.ts";
import { MEASURES } from "./measures.ts";
import { measurePeers } from "./peers.ts";
import { loadLines, table, writeResults } from "./report.ts";
import { runRounds } from "./rounds.ts";
import { measureImport } from "./single/import.ts";
import { measurePostgresImport } from "./single/import-postgres.ts";
import { measureLatency } from "./single/latency.ts";
import { measurePostgres } from "./single/postgres.ts";
import { measureProcesses } from "./single/processes.ts";
import { measureStartup } from "./single/startup.ts";
import { measureWholeLists } from "./single/whole-lists.ts";

const MEMORY_MB = 250;

const log = (line: string) => console.error(line);
const isQuick = process.argv.includes("--quick");
const only = process.argv
  .find((argument) => argument.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");

requireTools();
const plan = isQuick
  ? { rounds: 3, seconds: 2, warmUpSeconds: 1 }
  : { rounds: 3, seconds: 4, warmUpSeconds: 2 };
if (only?.join() === "peers") {
  console.log(table(await measurePeers(plan, log)));
  process.exit();
}
const data = await benchData(log);
const othersBefore = await busyShare();
const measures = MEASURES.filter(({ id }) => only === undefined || only.includes(id));
const { results, peakResidentBytes } = await runRounds(data, measures, plan, log);
const lines = loadLines(measures, results);
const notes: string[] = [];
if (only === undefined && !isQuick) await measureTheRest();
else {
  if (only?.includes("postgres")) await measurePostgresToo();
  if (only?.includes("import")) lines.push(...(await measureImport(log)));
}
console.log([table(lines), ...notes].join("\n"));

async function measurePostgresToo(): Promise<void> {
  try {
    lines.push(...(await measurePostgres(data, plan, log)));
    lines.push(...(await measurePostgresImport()));
  } catch (error) {
    notes.push(
      `PostgreSQL was not measured: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
    );
  }
}

async function measureTheRest(): Promise<void> {
  const memory = { id: "memory", label: "most resident memory under load", unit: " MB", atMost: MEMORY_MB };
  lines.push({ ...memory, value: peakResidentBytes / 1e6 });
  log("peers, processes, PostgreSQL, start, whole lists, import, latency …");
  lines.unshift(...(await measurePeers(plan, log)));
  lines.push(...(await measureProcesses(data, plan, log)));
  await measurePostgresToo();
  lines.push(...(await measureStartup(data)));
  lines.push(...(await measureWholeLists(data, log)));
  lines.push(...(await measureImport(log)));
  const hot = lines.find(({ id }) => id === "hot")!;
  lines.push(...(await measureLatency(data, hot.value, log)));
  writeResults(machine([othersBefore, await busyShare()]), lines, notes);
}
