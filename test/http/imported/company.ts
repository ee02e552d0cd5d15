// A company that is imported from files and asked over HTTP, on the engine of the tests.
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import type { ImportOptions, ImportReport } from "../../../src/import/report.ts";
import { dayOfText } from "../../../src/time/day.ts";
import { type Files, folderOf } from "../../support/import-files.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { type Service, TODAY } from "../service.ts";

type Row = Readonly<Record<string, string>>;

/** Rows as a CSV file; a column that a row lacks is empty there. */
export function csv(...rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (row: Row) => columns.map((column) => `"${row[column] ?? ""}"`).join(",");
  return [columns.join(","), ...rows.map(line)].join("\n");
}

export const WORKER = {
  ...{ legacyId: "E1", firstName: "Ada", lastName: "Lind", email: "e1@example.com", isBusiness: "no" },
  ...{ status: "active", type: "employee", startDate: "2019-01-01" },
};

export const POLICY = {
  ...{ legacyId: "PTO", name: "Leave", paid: "yes", unit: "day", timeOffTypeName: "Vacation" },
  ...{ schedule: "yearly", minutesPerPeriod: "9600" },
};

export const LEAVE = {
  ...{ legacyId: "R1", workerId: "E1", timeOffPolicyId: "PTO", status: "approved", requestedMinutes: "960" },
  ...{ createdAt: "2025-01-01T00:00:00Z" },
};

export interface ImportedCompany {
  /** Of the company. */
  readonly key: string;
  load(files: Files, options?: Partial<ImportOptions>): Promise<ImportReport>;
  /** The body of a 200. */
  get<T>(path: string): Promise<T>;
}

let made = 0;

/** A new company in the store of a service. The day is `TODAY`. */
export async function importedCompany(service: Service): Promise<ImportedCompany> {
  const id = `company-${++made}`;
  await addCompany(service.writer, id);
  const key = await addKey(service.writer, id);
  return {
    key,
    async load(files, options = {}) {
      const { sources } = await findSources([folderOf(files)], null);
      const plain = {
        isDryRun: false,
        isPruning: false,
        today: dayOfText(TODAY),
        nowMs: 0,
        program: "tests",
      };
      return importCompany(service.writer, id, sources, { ...plain, ...options });
    },
    async get<T>(path: string) {
      const { status, text } = await service.call(path, { key });
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return JSON.parse(text) as T; // its schema was checked
    },
  };
}
