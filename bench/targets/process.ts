// A server as a child process on its own core.
import { existsSync, readFileSync } from "node:fs";
import { dataPath } from "../data/shape.ts";
import { SERVER_CORE } from "../load/wrk.ts";

export interface Running {
  /** Scheme, host and port. */
  readonly address: string;
  readonly pid: number;
  /** The time from the start of the process to its first response. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly command: readonly string[];
  readonly address: string;
  /** A path that returns 200 once the server works. */
  readonly readyPath: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its cores; by default the server's core. */
  readonly cores?: string;
  readonly timeoutMs?: number;
}

/** Starts a server and waits for its first response. Raises an Error with its output if there is none. */
export async function start(options: StartOptions): Promise<Running> {
  const startedAt = performance.now();
  const child = Bun.spawn(["taskset", "-c", options.cores ?? String(SERVER_CORE), ...options.command], {
    stdout: "ignore",
    stderr: Bun.file(dataPath(`${new URL(options.address).port}.log`)),
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const until = startedAt + (options.timeoutMs ?? 60_000);
  while (!(await isReady(options))) {
    if (child.exitCode !== null || performance.now() > until) {
      child.kill();
      throw new Error(`${options.command.join(" ")} gave no response`);
    }
    await Bun.sleep(2);
  }
  return {
    address: options.address,
    pid: child.pid,
    startedInMs: performance.now() - startedAt,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function isReady({ address, readyPath, headers }: StartOptions): Promise<boolean> {
  try {
    const response = await fetch(address + readyPath, { headers: headers ?? {} });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** The most resident memory of a process, in bytes. */
export function peakResidentBytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** The CPU seconds of a process and its children, including ended ones. */
export function cpuSeconds(pid: number): number {
  for (;;) {
    try {
      return secondsOf(pid);
    } catch (error) {
      // A child ended meanwhile, and its parent's figures now include its time.
      if (!existsSync(`/proc/${pid}`)) throw error;
    }
  }
}

function secondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.reduce((sum, child) => sum + secondsOf(Number(child)), own);
}

/** The kernel's unit of CPU time, on nearly every Linux machine. */
const TICKS_PER_SECOND = 100;
