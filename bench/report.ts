// From the results of the rounds to the table and the JSON file.
import type { Machine } from "./machine.ts";
import type { Measure } from "./measures.ts";
import type { RoundResults } from "./rounds.ts";

/** One line of the results. */
export interface Line {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly unit: string;
  /** Processor time of the server for one answer, in microseconds. */
  readonly processorUs?: number;
  /** What the ratio is to, the ratio, and what it must reach. */
  readonly against?: {
    readonly label: string;
    readonly ratio: number;
    readonly reach: number;
    readonly processorRatio?: number;
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of each measure, and the median of its ratios round by round. */
export function loadLines(measures: readonly Measure[], results: RoundResults): Line[] {
  const rates = (id: string) => (results.get(id) ?? []).map(({ requestsPerSecond }) => requestsPerSecond);
  const frugal = (id: string) => (results.get(id) ?? []).map((one) => one.requestsPerProcessorSecond);
  return measures.map(({ id, label, against }) => {
    const own = rates(id);
    const line = { id, label, value: median(own), unit: "/s", processorUs: 1e6 / median(frugal(id)) };
    const other = measures.find((one) => one.id === against?.id);
    if (against === undefined || other === undefined) return line;
    const ratio = medianRatio(own, rates(other.id));
    const processorRatio = medianRatio(frugal(id), frugal(other.id));
    return { ...line, against: { label: other.label, ratio, reach: against.reach, processorRatio } };
  });
}

const medianRatio = (own: readonly number[], others: readonly number[]) =>
  median(own.map((rate, round) => rate / others[round]!));

export function report(machine: Machine, measures: readonly Measure[], results: RoundResults) {
  const lines = loadLines(measures, results);
  return { lines, machine, table: table(lines) };
}

function table(lines: readonly Line[]): string {
  const rows = lines.map(({ label, value, unit, processorUs, against }) => {
    const shown = `${value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2)}${unit}`;
    const cost = processorUs === undefined ? "" : `${processorUs.toFixed(1)} µs`;
    if (against === undefined) return `| ${label} | ${shown} | ${cost} | | | | | |`;
    const { ratio, reach, processorRatio } = against;
    const verdict = ratio >= reach ? "yes" : "**no**";
    return `| ${label} | ${shown} | ${cost} | ${against.label} | ${ratio.toFixed(2)} | ${processorRatio?.toFixed(2) ?? ""} | ${reach.toFixed(2)} | ${verdict} |`;
  });
  return [
    "| measure | median | processor time each | against | ratio | by processor time | reach | met |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
