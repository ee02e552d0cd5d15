// Turns results into the table of `bench/RESULTS.md`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";
import type { Measure } from "./measures.ts";
import type { RoundResults } from "./rounds.ts";

/** One line of the results. */
export interface Line {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly unit: string;
  /** The highest allowed value. */
  readonly atMost?: number;
  /** The server's CPU time for one response, in microseconds. */
  readonly cpuUs?: number;
  readonly against?: Comparison;
}

interface Comparison {
  readonly label: string;
  /** This line's speed by the clock, in multiples of the other's. */
  readonly clock?: number;
  /** This line's CPU time for the same work, in multiples of the other's. */
  readonly cpu?: number;
  /** The lowest and the highest allowed `clock`. */
  readonly clockAtLeast?: number;
  readonly clockAtMost?: number;
  readonly cpuAtMost?: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const medianRatio = (own: readonly number[], others: readonly number[]) =>
  median(own.map((rate, round) => rate / others[round]!));

/** The median of each measure, and the median of its ratios round by round. */
export function loadLines(measures: readonly Measure[], results: RoundResults): Line[] {
  const rates = (id: string) => (results.get(id) ?? []).map((result) => result.requestsPerSecond);
  const frugal = (id: string) => (results.get(id) ?? []).map((result) => result.requestsPerCpuSecond);
  return measures.map(({ id, label, against, cpuAtMost }) => {
    const line = { id, label, value: median(rates(id)), unit: "/s", cpuUs: 1e6 / median(frugal(id)) };
    const other = measures.find((measure) => measure.id === against);
    if (other === undefined) return line;
    const clock = medianRatio(rates(id), rates(other.id));
    const cpu = medianRatio(frugal(other.id), frugal(id));
    const floor = cpuAtMost === undefined ? {} : { cpuAtMost };
    return { ...line, against: { label: other.label, clock, cpu, ...floor } };
  });
}

/** Whether a line meets its floor or limit; null if it has none. */
function isMet({ value, atMost, against = { label: "" } }: Line): boolean | null {
  const { clock, cpu, clockAtLeast, clockAtMost, cpuAtMost } = against;
  if (atMost !== undefined) return value <= atMost;
  if (clockAtLeast !== undefined) return clock! >= clockAtLeast;
  if (clockAtMost !== undefined) return clock! <= clockAtMost;
  if (cpuAtMost !== undefined) return cpu! <= cpuAtMost;
  return null;
}

function floorText({ atMost, against = { label: "" } }: Line): string {
  const { clockAtLeast, clockAtMost, cpuAtMost } = against;
  if (atMost !== undefined) return `≤ ${figure(atMost)}`;
  if (clockAtLeast !== undefined) return `clock ≥ ${figure(clockAtLeast)}`;
  if (clockAtMost !== undefined) return `clock ≤ ${figure(clockAtMost)}`;
  return cpuAtMost === undefined ? "" : `CPU ≤ ${figure(cpuAtMost)}`;
}

const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2));

function row(line: Line): string {
  const { label, value, unit, cpuUs, against } = line;
  const met = isMet(line);
  const cells = [
    label,
    figure(value) + unit,
    cpuUs === undefined ? "" : `${cpuUs.toFixed(1)} µs`,
    against?.label ?? "",
    against?.clock === undefined ? "" : figure(against.clock),
    against?.cpu === undefined ? "" : figure(against.cpu),
    floorText(line),
    met === null ? "" : met ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

export function table(lines: readonly Line[]): string {
  return [
    "| measure | median | CPU time each | against | by the clock, × | CPU time, × | floor | met |",
    "|---|---|---|---|---|---|---|---|",
    ...lines.map(row),
  ].join("\n");
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

/** Writes `bench/RESULTS.md`. */
export function writeResults(machine: Machine, lines: readonly Line[], notes: readonly string[]): void {
  const { processor, cores, memoryGiB, date, versions, othersShare } = machine;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const text = `# Results

Written by \`npm run bench\` on ${date}; how to read it is in [docs/performance.md](../docs/performance.md).
${processor}, ${cores} cores, ${memoryGiB} GiB; ${named.join(", ")}.
Before it began, other programs used ${percent(othersShare[0])} of the machine's CPU time, after it had ended ${percent(othersShare[1])}.

${table(lines)}
${notes.map((note) => `\n- ${note}`).join("")}
`;
  writeFileSync(join(import.meta.dir, "RESULTS.md"), text);
}
