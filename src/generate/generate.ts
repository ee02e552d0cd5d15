// Writes a whole company as import files, one worker after another, so that memory does not grow with its size.

import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { CsvFile } from "../csv-file.ts";
import { dayOfText } from "../time/day.ts";
import {
  holidayColumns,
  holidayRows,
  scheduleColumns,
  scheduleRows,
  workplaceColumns,
  workplaceRows,
} from "./calendars.ts";
import { assignmentColumns, type Policy, policies, policyColumns, policyRow } from "./policies.ts";
import { requestColumns } from "./requests.ts";
import { adjustmentColumns, timeOffOf, workHoursColumns } from "./time-off.ts";
import { Roster, workerColumns, workerRow } from "./workers.ts";

export interface GenerateOptions {
  /** Created if missing, readable only by its owner. */
  outDir: string;
  /** How many workers; at least 1. */
  workers: number;
  /** A whole number. Another seed gives another company. */
  seed: number;
  /** `YYYY-MM-DD`: earlier days are past. */
  today: string;
  /** The average number of requests per worker; by default 10. */
  requestsPerWorker?: number;
  /** Replaces existing files. */
  overwrite?: boolean;
  /** Called sometimes with the number of workers written, and at the end. */
  onProgress?: (done: number, total: number) => void;
}

/** The columns of each file. */
const COLUMNS = {
  workplaces: workplaceColumns,
  holidays: holidayColumns,
  workers: workerColumns,
  schedules: scheduleColumns,
  policies: policyColumns,
  assignments: assignmentColumns,
  requests: requestColumns,
  adjustments: adjustmentColumns,
  work_hours: workHoursColumns,
};
type Kind = keyof typeof COLUMNS;
const kinds = Object.keys(COLUMNS) as readonly Kind[]; // the keys are Kinds

/** Rows written, per file. */
export type GeneratedCounts = Record<Kind, number>;

const progressEvery = 1000;

/**
 * Writes the company as CSV files into `outDir`. The same seed, sizes and today give the same bytes. Files get their names when all of them
 * are written, so a failed run leaves the folder as it was. Raises an Error that says what to do if a file exists already. The command has
 * checked the other options.
 */
export async function generateCompany(options: GenerateOptions): Promise<GeneratedCounts> {
  const { outDir, workers, seed, requestsPerWorker = 10 } = options;
  requireUsable(options);
  const today = dayOfText(options.today);
  const isNew = mkdirSync(outDir, { recursive: true, mode: 0o700 }) !== undefined;
  const made = kinds.map(
    (kind) => [kind, new CsvFile<readonly string[]>(join(outDir, fileNameOf(kind)), COLUMNS[kind])] as const,
  );
  const files = Object.fromEntries(made) as unknown as { readonly [K in Kind]: CsvFile<(typeof COLUMNS)[K]> }; // every kind
  const discard = () => {
    for (const file of Object.values(files)) file.discard();
    if (isNew && readdirSync(outDir).length === 0) rmdirSync(outDir);
  };
  process.once("exit", discard); // a signal may end the process
  try {
    const roster = new Roster(seed, today);
    for (const row of workplaceRows()) files.workplaces.write(row);
    for (const row of holidayRows(today)) files.holidays.write(row);
    const assigned = new Set<Policy>();
    for (let index = 0; index < workers; index++) {
      const worker = roster.worker(index);
      const timeOff = timeOffOf(worker, { seed, workers, today, requestsPerWorker });
      files.workers.write(workerRow(worker));
      for (const row of scheduleRows(worker)) files.schedules.write(row);
      for (const policy of timeOff.policies) assigned.add(policy);
      for (const row of timeOff.assignments) files.assignments.write(row);
      for (const row of timeOff.requests) files.requests.write(row);
      for (const row of timeOff.adjustments) files.adjustments.write(row);
      for (const row of timeOff.workHours) files.work_hours.write(row);
      if ((index + 1) % progressEvery === 0) {
        options.onProgress?.(index + 1, workers);
        await new Promise(setImmediate); // lets signals and timers through
      }
    }
    for (const policy of policies) if (assigned.has(policy)) files.policies.write(policyRow(policy));
    for (const file of Object.values(files)) file.close();
    for (const file of Object.values(files)) file.publish();
  } catch (error) {
    discard();
    throw error;
  } finally {
    process.removeListener("exit", discard);
  }
  options.onProgress?.(workers, workers);
  return Object.fromEntries(kinds.map((kind) => [kind, files[kind].rows])) as GeneratedCounts; // as above
}

const fileNameOf = (kind: Kind) => `${kind}.csv`;

/** Raises an Error that says what to do if the day is too far from now, or existing files must not be replaced. */
function requireUsable({ outDir, today, overwrite }: GenerateOptions): void {
  if (today < "1950-01-01" || today > "2190-12-31") throw new Error(`today: ${today} is not in 1950 to 2190`);
  const there = kinds.map(fileNameOf).filter((name) => existsSync(join(outDir, name)));
  if (there.length === 0 || overwrite) return;
  throw new Error(
    `${outDir} already holds ${there.join(", ")}; choose another folder, or allow overwriting (--overwrite)`,
  );
}
