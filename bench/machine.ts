// The machine and the tools, which results depend on.
import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

const TOOLS = [
  { command: "taskset", packageName: "util-linux", version: ["--version"] },
  { command: "wrk", packageName: "wrk", version: ["-v"] },
  { command: "sqlite3", packageName: "sqlite3", version: ["--version"] },
  { command: "curl", packageName: "curl", version: ["--version"] },
] as const;

/** Raises an Error that names every missing tool and its package. */
export function requireTools(): void {
  const missing = TOOLS.filter(({ command }) => Bun.which(command) === null);
  if (missing.length === 0) return;
  const names = missing.map(({ command }) => command).join(", ");
  const packages = missing.map(({ packageName }) => packageName).join(" ");
  throw new Error(`The bench needs ${names}: apt-get install ${packages} (Debian)`);
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly date: string;
  readonly versions: Readonly<Record<string, string>>;
  /** The share of CPU time that other programs used before and after the bench, 0 to 1. */
  readonly othersShare: readonly [before: number, after: number];
}

export function machine(othersShare: Machine["othersShare"]): Machine {
  const versions: Record<string, string> = { bun: Bun.version };
  for (const { command, version } of TOOLS.slice(1)) {
    const run = Bun.spawnSync([command, ...version]);
    versions[command] = /\d+\.\d+(\.\d+)?/.exec(`${run.stdout}${run.stderr}`)?.[0] ?? "unknown";
  }
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    date: new Date().toISOString().slice(0, 10),
    versions,
    othersShare,
  };
}

/** The share of CPU time in use, 0 to 1, while nothing of the bench runs. */
export async function busyShare(): Promise<number> {
  const before = ticks();
  await Bun.sleep(3000);
  const after = ticks();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function ticks(): { idle: number; all: number } {
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0]!.split(/\s+/).slice(1, 9).map(Number);
  return { idle: fields[3]! + fields[4]!, all: fields.reduce((sum, field) => sum + field, 0) };
}
