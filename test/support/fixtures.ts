// Stores for tests: companies, keys and rows made through the write interface, each row with the wire object that an
// import would have written. What a test does not speak of has a default.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_RULES, type PolicyFacts } from "../../src/balances/facts.ts";
import { type KeyOptions, newKey } from "../../src/cli/new-key.ts";
import type { Assignment } from "../../src/resources/assignments.ts";
import { foldEmail } from "../../src/resources/fields.ts";
import type { Policy } from "../../src/resources/policies.ts";
import type { TimeOffRequest } from "../../src/resources/requests.ts";
import type { Worker } from "../../src/resources/workers.ts";
import { openPostgresReadStore } from "../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../src/store/postgres/write.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import type { ReadStore, StoredKey, WriteStore } from "../../src/store/store.ts";
import { FACT_KINDS, type Rows } from "../../src/store/tables.ts";
import { utcDayOf } from "../../src/time/day.ts";
import { fastFolder } from "./fast-folder.ts";
import { sharedServer } from "./postgres.ts";

export type Facts = { [K in keyof Rows]?: readonly Rows[K][] };

export interface TestStore {
  readonly path: string;
  readonly writer: WriteStore;
  readonly reader: ReadStore;
  /** Closes both and removes the files. */
  dispose(): Promise<void>;
}

/** A store of the engine that `ROLLCALL_TEST_ENGINE` names: the embedded one unless it is `postgres`. */
export function openTestStore(): Promise<TestStore> {
  const engine = process.env.ROLLCALL_TEST_ENGINE ?? "sqlite";
  if (engine === "postgres") return openPostgresTestStore();
  if (engine === "sqlite") return openSqliteTestStore();
  throw new Error(`ROLLCALL_TEST_ENGINE: "${engine}" is not one of sqlite, postgres`);
}

async function openPostgresTestStore(): Promise<TestStore> {
  const server = await sharedServer();
  const path = await server.createDatabase();
  const writer = await openPostgresWriteStore(path, { create: true });
  const reader = await openPostgresReadStore(path);
  return {
    path,
    writer,
    reader,
    async dispose() {
      await reader.close();
      await writer.close();
      await server.run(`drop database ${new URL(path).pathname.slice(1)} with (force)`);
    },
  };
}

async function openSqliteTestStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-test-"));
  const path = join(folder, "rollcall.db");
  const writer = openSqliteWriteStore(path, { create: true });
  const reader = openSqliteReadStore(path);
  return {
    path,
    writer,
    reader,
    async dispose() {
      await reader.close();
      await writer.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function addCompany(writer: WriteStore, id: string, facts: Facts = {}): Promise<void> {
  await writer.createCompany({ id, name: `Company ${id}`, createdAtMs: 1_772_000_000_000 });
  await putFacts(writer, id, facts);
}

export function putFacts(writer: WriteStore, companyId: string, facts: Facts): Promise<void> {
  return writer.import(companyId, async (transaction) => {
    for (const kind of FACT_KINDS) await transaction.put(kind, facts[kind] ?? []);
    return { result: undefined, changed: true, commit: true };
  });
}

/** Makes a key and gives it in clear; `change` is what happened to it since. */
export async function addKey(
  writer: WriteStore,
  companyId: string,
  options: Partial<KeyOptions> & { readonly change?: Partial<StoredKey> } = {},
): Promise<string> {
  const { change, ...rest } = options;
  const { apiKey, stored } = newKey({ companyId, name: "test", ...rest }, Date.now());
  await writer.createKey({ ...stored, ...change });
  return apiKey;
}

const days = (date: string) => utcDayOf(Date.parse(date));

export function workerRow(
  id: string,
  fields: Partial<Worker> & { readonly legacyId?: string } = {},
): Rows["workers"] {
  const { legacyId, ...given } = fields;
  const doc: Worker = {
    id,
    businessName: null,
    displayName: "Ana Sol",
    email: "ana@example.com",
    endDate: null,
    firstName: "Ana",
    isBusiness: false,
    lastName: "Sol",
    position: "",
    preferredName: null,
    startDate: "2024-01-01",
    status: "active",
    timeZone: null,
    type: "employee",
    workEmail: null,
    ...given,
  };
  return {
    id,
    legacyId: legacyId ?? null,
    doc: JSON.stringify(doc),
    status: doc.status,
    type: doc.type,
    workEmailFolded: doc.workEmail === null ? null : foldEmail(doc.workEmail),
    startDay: days(doc.startDate),
    endDay: doc.endDate === null ? null : days(doc.endDate),
    timeZone: doc.timeZone,
  };
}

/** A monthly policy of 600 minutes, unless told otherwise. */
export function policyRow(id: string, fields: Partial<Policy> = {}): Rows["policies"] {
  const doc: Policy = {
    id,
    description: null,
    hoursWorkedPerChunk: null,
    isUnlimited: false,
    minutesPerChunk: null,
    minutesPerPeriod: 600,
    name: "Annual leave",
    paid: true,
    schedule: "monthly",
    timeOffTypeId: "tot_vacation",
    timeOffTypeName: "Vacation",
    unit: "day",
    ...fields,
  };
  const terms: PolicyFacts = {
    schedule: doc.schedule,
    minutesPerPeriod: doc.minutesPerPeriod,
    minutesPerChunk: doc.minutesPerChunk,
    hoursWorkedPerChunk: doc.hoursWorkedPerChunk,
    isUnlimited: doc.isUnlimited,
    rules: DEFAULT_RULES,
  };
  return { id, legacyId: null, doc: JSON.stringify(doc), terms: JSON.stringify(terms) };
}

export function assignmentRow(
  id: string,
  workerId: string,
  policyId: string,
  assignedAt = "2026-01-01T00:00:00.000Z",
): Rows["assignments"] {
  const doc: Assignment = { id, assignedAt, policyId, workerId };
  return { id, workerId, policyId, doc: JSON.stringify(doc), assignedDay: days(assignedAt), endsDay: null };
}

/** An approved day, 2026-03-02, unless told otherwise. Its local days are UTC days. */
export function requestRow(
  id: string,
  workerId: string,
  policyId: string,
  fields: Partial<TimeOffRequest> = {},
): Rows["requests"] {
  const doc: TimeOffRequest = {
    id,
    createdAt: "2026-02-01T08:00:00.000Z",
    endAt: "2026-03-03T00:00:00.000Z",
    reason: null,
    requestedMinutes: 480,
    startAt: "2026-03-02T00:00:00.000Z",
    status: "approved",
    timeOffPolicyId: policyId,
    timeZone: null,
    workerId,
    ...fields,
  };
  const startAtMs = Date.parse(doc.startAt);
  const endAtMs = Date.parse(doc.endAt);
  return {
    id,
    legacyId: null,
    doc: JSON.stringify(doc),
    workerId,
    policyId,
    status: doc.status,
    startAtMs,
    endAtMs,
    firstDay: utcDayOf(startAtMs),
    lastDay: utcDayOf(Math.max(startAtMs, endAtMs - 1)),
    minutes: doc.requestedMinutes,
    timeZone: doc.timeZone,
  };
}
