// What the kernel says of processes: from /proc where there is one, as `ps` need not be installed.
import { existsSync, readFileSync } from "node:fs";

const HAS_PROC = existsSync("/proc/self/status");

/** The memory that a process holds now, and the most that it ever held where the kernel tells; 0 once it has ended. */
export function residentBytes(pid: number): { now: number; most: number } {
  if (!HAS_PROC) {
    const now = Number(ps("-o", "rss=", "-p", String(pid))) * 1024;
    return { now, most: now };
  }
  const status = textOf(`/proc/${pid}/status`);
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
  return { now: field("VmRSS"), most: field("VmHWM") };
}

/** The processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  if (HAS_PROC) return numbers(textOf(`/proc/${pid}/task/${pid}/children`));
  const lines = ps("-A", "-o", "pid=,ppid=").trim().split("\n").map(numbers);
  return lines.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

function ps(...args: readonly string[]): string {
  return Bun.spawnSync(["ps", ...args]).stdout.toString();
}

function numbers(text: string): number[] {
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Empty for a process that has just ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
