// A real store in a temporary folder, and files to import into it.
import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readMapping } from "../../src/import/convert/mapping-file.ts";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import type { ImportOptions, ImportReport } from "../../src/import/report.ts";
import { ImportRefused } from "../../src/import/row-errors.ts";
import { PRESET_MAPPINGS } from "../../src/onboarding/presets/index.ts";
import { KINDS } from "../../src/resources/kinds.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import type { WriteStore } from "../../src/store/store.ts";
import type { Kind, Rows } from "../../src/store/tables.ts";
import { fastFolder } from "./fast-folder.ts";

/** A new folder. It is removed after the test that asks for it; after the file's tests, if none does. */
export function temporaryFolder(parent = fastFolder()): string {
  const folder = mkdtempSync(join(parent, "rollcall-import-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Writes files into a new folder. Texts are given as lines without indentation. */
export function folderOf(files: Files): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true }); // there may be no files
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? unindented(content) : content);
  }
  return folder;
}

function unindented(text: string): string {
  return text.replace(/^\n/, "").replace(/^ +/gm, "").trimEnd().concat("\n");
}

/** 2025-06-01, near the dates of the rows that tests make. */
const TODAY = 20_240;
const PLAIN_IMPORT = {
  isDryRun: false,
  isPruning: false,
  today: TODAY,
  /** 2025-06-01T12:00:00Z. */
  nowMs: 1_748_779_200_000,
  program: "tests",
};

type Stored = { [K in Kind]: Rows[K][] };

/** A store with the company `acme`. */
export class TestCompany {
  readonly id = "acme";
  readonly store: WriteStore;

  private constructor(readonly path: string) {
    this.store = openSqliteWriteStore(path, { create: true });
  }

  static async open(): Promise<TestCompany> {
    const company = new TestCompany(join(temporaryFolder(), "store.db"));
    await company.store.createCompany({ id: company.id, name: "Acme", createdAtMs: 0 });
    return company;
  }

  async importFolder(
    folder: string | readonly string[],
    options: Partial<ImportOptions> = {},
    mapPath?: string,
  ): Promise<ImportReport> {
    const loaded = mapPath === undefined ? null : await readMapping(mapPath, PRESET_MAPPINGS);
    const { sources, unread } = await findSources([folder].flat(), loaded);
    return importCompany(this.store, this.id, sources, { ...PLAIN_IMPORT, unread, ...options });
  }

  import(files: Files, options: Partial<ImportOptions> = {}): Promise<ImportReport> {
    return this.importFolder(folderOf(files), options);
  }

  /** The findings of an import that must be refused. */
  async refused(files: Files, options: Partial<ImportOptions> = {}): Promise<readonly string[]> {
    return findingsOf(this.import(files, options));
  }

  async stored(): Promise<Stored> {
    const stored = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Stored; // one entry per kind
    await this.store.export(this.id, async (kind, rows) => void (stored[kind] as unknown[]).push(...rows)); // rows of that kind
    return stored;
  }
}

export async function findingsOf(work: Promise<unknown>): Promise<readonly string[]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ImportRefused)
      return error.moreRows > 0 ? [...error.mistakes, `+${error.moreRows}`] : error.mistakes;
    throw error;
  }
  throw new Error("the import was not refused");
}

/** Counts as `added/changed/unchanged/removed`, by file. */
export function counted(report: ImportReport): Record<string, string> {
  return Object.fromEntries(
    report.files.map(({ file, added, changed, unchanged, removed }) => [
      file,
      `${added}/${changed}/${unchanged}/${removed}`,
    ]),
  );
}

const WORKER_HEADER = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,timeZone";

/** A file of workers with these legacy ids. */
export function workersCsv(...legacyIds: readonly string[]): string {
  return [
    WORKER_HEADER,
    ...legacyIds.map(
      (id) => `${id},Ana,Lind,${id.toLowerCase()}@example.com,no,2024-01-01,active,employee,Europe/Berlin`,
    ),
  ].join("\n");
}

export const POLICIES_CSV = `
  legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit
  PTO,Annual leave,yes,monthly,600,Vacation,hour
  SICK,Sick leave,yes,yearly,4800,Sick leave,day`;

export const REQUEST_HEADER =
  "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId";

/** A file of requests: each is `legacyId status workerId`. */
export function requestsCsv(...requests: readonly string[]): string {
  return [
    REQUEST_HEADER,
    ...requests.map((request) => {
      const [id, status, worker] = request.split(" ");
      return `${id},2025-01-01T00:00:00Z,2025-03-03T08:00:00+01:00,2025-03-03T16:00:00+01:00,480,${status},PTO,${worker}`;
    }),
  ].join("\n");
}

export const ASSIGNMENTS_CSV = `
  workerId,policyId,assignedAt
  E1,PTO,2024-01-01T00:00:00Z
  E2,PTO,2024-01-01T00:00:00Z`;

/** A small company: two workers, two policies, two assignments, two requests. */
export const SMALL: Files = {
  "workers.csv": workersCsv("E1", "E2"),
  "policies.csv": POLICIES_CSV,
  "assignments.csv": ASSIGNMENTS_CSV,
  "requests.csv": requestsCsv("R1 approved E1", "R2 pending E2"),
};
