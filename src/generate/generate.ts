// Writes a whole company as import files, one worker after another, so that memory does not grow with its size.
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CsvFile } from "../csv-file.ts";
import { dayOfText } from "../time/day.ts";
import { holidayRows, scheduleRows, workplaceRows } from "./calendars.ts";
import { type Policy, policies, policyRow } from "./policies.ts";
import { timeOffOf } from "./time-off.ts";
import { Roster, workerRow } from "./workers.ts";

export interface GenerateOptions {
  /** Created if missing, readable only by its owner. */
  outDir: string;
  /** How many workers; at least 1. */
  workers: number;
  /** A whole number. Another seed gives another company. */
  seed: number;
  /** `YYYY-MM-DD`: earlier days are past. */
  today: string;
  requestsPerWorker?: number;
  /** Replaces existing files. */
  overwrite?: boolean;
  /** Called now and then, and at the end, with the number of workers written. */
  onProgress?: (done: number, total: number) => void;
}

const KINDS = [
  ...(["workplaces", "holidays", "workers", "schedules", "policies"] as const),
  ...(["assignments", "requests", "adjustments", "work_hours"] as const),
] as const;
type Kind = (typeof KINDS)[number];

/** Rows written, per file. */
export type GeneratedCounts = Record<Kind, number>;

const progressEvery = 1000;

/**
 * Writes the company as CSV files into `outDir`. The same seed, sizes and today give the same bytes. All files are written under temporary
 * names and then renamed, so a failed run leaves the folder as it was. Raises an Error that says what to do if a file exists already. The
 * command has checked the other options.
 */
export async function generateCompany(options: GenerateOptions): Promise<GeneratedCounts> {
  const { outDir, workers, seed, requestsPerWorker = 10 } = options;
  requireUsable(options);
  const today = dayOfText(options.today);
  const isNew = mkdirSync(outDir, { recursive: true, mode: 0o700 }) !== undefined;
  const files = new Map<Kind, CsvFile>();
  const write = (kind: Kind, rows: readonly Parameters<CsvFile["write"]>[0][]) => {
    for (const row of rows) {
      const file = files.get(kind) ?? new CsvFile(join(outDir, fileNameOf(kind)), Object.keys(row));
      files.set(kind, file);
      file.write(row);
    }
  };
  const discard = () => {
    for (const file of files.values()) file.discard();
    if (isNew && readdirSync(outDir).length === 0) rmdirSync(outDir);
  };
  process.once("exit", discard); // a signal may end the process
  try {
    const roster = new Roster(seed, today);
    write("workplaces", workplaceRows());
    write("holidays", holidayRows(today));
    const assigned = new Set<Policy>();
    for (let index = 0; index < workers; index++) {
      const worker = roster.worker(index);
      const timeOff = timeOffOf(worker, { seed, workers, today, requestsPerWorker });
      for (const policy of timeOff.policies) assigned.add(policy);
      write("workers", [workerRow(worker)]);
      write("schedules", scheduleRows(worker));
      write("assignments", timeOff.assignments);
      write("requests", timeOff.requests);
      write("adjustments", timeOff.adjustments);
      write("work_hours", timeOff.workHours);
      if ((index + 1) % progressEvery === 0) {
        options.onProgress?.(index + 1, workers);
        await new Promise(setImmediate); // lets signals and timers through
      }
    }
    write("policies", policies.filter((policy) => assigned.has(policy)).map(policyRow));
    for (const file of files.values()) file.close();
    for (const kind of KINDS) if (!files.has(kind)) rmSync(join(outDir, fileNameOf(kind)), { force: true });
    for (const file of files.values()) file.publish();
  } catch (error) {
    discard();
    throw error;
  } finally {
    process.removeListener("exit", discard);
  }
  options.onProgress?.(workers, workers);
  return Object.fromEntries(KINDS.map((kind) => [kind, files.get(kind)?.rows ?? 0])) as GeneratedCounts; // every kind
}

const fileNameOf = (kind: Kind) => `${kind}.csv`;

/** Raises an Error that says what to do if the day is too far from now, or existing files must not be replaced. */
function requireUsable({ outDir, today, overwrite }: GenerateOptions): void {
  if (today < "1950-01-01" || today > "2190-12-31") throw new Error(`today: ${today} is not in 1950 to 2190`);
  const there = KINDS.map(fileNameOf).filter((name) => existsSync(join(outDir, name)));
  if (there.length === 0 || overwrite) return;
  throw new Error(
    `${outDir} already holds ${there.join(", ")}; choose another folder, or allow overwriting (--overwrite)`,
  );
}
