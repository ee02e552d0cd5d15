// Turns results into the table and the JSON file.
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
  /** The lowest allowed value. */
  readonly atLeast?: number;
  /** The server's CPU time for one response, in microseconds. */
  readonly cpuUs?: number;
  readonly against?: Comparison;
}

interface Comparison {
  readonly label: string;
  readonly ratio: number;
  readonly cpuRatio?: number;
  /** The lowest allowed ratio. */
  readonly reach?: number;
  /** The highest allowed ratio. */
  readonly atMost?: number;
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
  return measures.map(({ id, label, against }) => {
    const line = { id, label, value: median(rates(id)), unit: "/s", cpuUs: 1e6 / median(frugal(id)) };
    const other = measures.find((measure) => measure.id === against?.id);
    if (against === undefined || other === undefined) return line;
    const ratio = medianRatio(rates(id), rates(other.id));
    const cpuRatio = medianRatio(frugal(id), frugal(other.id));
    return { ...line, against: { label: other.label, ratio, cpuRatio, reach: against.reach } };
  });
}

/** Whether a line meets its floor; null if it has none. */
function isMet({ value, atMost, atLeast, against }: Line): boolean | null {
  if (atMost !== undefined) return value <= atMost;
  if (atLeast !== undefined) return value >= atLeast;
  if (against?.reach !== undefined) return against.ratio >= against.reach;
  if (against?.atMost !== undefined) return against.ratio <= against.atMost;
  return null;
}

const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2));

function row(line: Line): string {
  const { label, value, unit, cpuUs, atMost, atLeast, against } = line;
  const met = isMet(line);
  const limit = atMost === undefined ? against?.atMost : atMost;
  const reach = atLeast === undefined ? against?.reach : atLeast;
  const cells = [
    label,
    figure(value) + unit,
    cpuUs === undefined ? "" : `${cpuUs.toFixed(1)} µs`,
    against?.label ?? "",
    against === undefined ? "" : figure(against.ratio),
    against?.cpuRatio === undefined ? "" : figure(against.cpuRatio),
    reach !== undefined ? `≥ ${figure(reach)}` : limit === undefined ? "" : `≤ ${figure(limit)}`,
    met === null ? "" : met ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

export function table(lines: readonly Line[]): string {
  return [
    "| measure | median | CPU time each | against | ratio | by CPU time | reach | met |",
    "|---|---|---|---|---|---|---|---|",
    ...lines.map(row),
  ].join("\n");
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

/** Writes `bench/RESULTS.md` and `bench/results.json`. */
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
  const json = { machine, lines: lines.map((line) => ({ ...line, met: isMet(line) })), notes };
  writeFileSync(join(import.meta.dir, "results.json"), `${JSON.stringify(json, null, 2)}\n`);
}
