// Builds the measured store once, through the store's interface, without files or validation.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { newKey } from "../../src/http/new-key.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import type { ImportTransaction, WriteStore } from "../../src/store/store.ts";
import type { Kind, Rows } from "../../src/store/tables.ts";
import { CompanyRows } from "./company.ts";
import { policyRow } from "./policies.ts";
import { BIG, type CompanyShape, DATA_FOLDER, dataPath, OTHERS, STAMP } from "./shape.ts";

export interface BenchData {
  readonly storePath: string;
  /** A key of the measured company. */
  readonly apiKey: string;
  readonly buildSeconds: number;
}

const BATCH_ROWS = 5000;

/** Returns the data. Builds it if it does not exist. */
export async function benchData(log: (line: string) => void): Promise<BenchData> {
  const notePath = dataPath("data.json");
  if (existsSync(notePath)) {
    const { stamp, ...data } = JSON.parse(readFileSync(notePath, "utf8")) as BenchData & { stamp: string };
    if (stamp === STAMP) return data;
    rmSync(notePath);
  }
  mkdirSync(DATA_FOLDER, { recursive: true });
  log("building the store (once; some minutes) …");
  const startedAt = performance.now();
  const storePath = dataPath("store.db");
  for (const suffix of ["", "-wal", "-shm", "-keys"]) rmSync(storePath + suffix, { force: true });
  const store = openSqliteWriteStore(storePath, { create: true });
  for (const shape of [BIG, ...OTHERS]) await fill(store, shape);
  const apiKey = await keyOf(store, BIG.id);
  await store.close();
  const data = { storePath, apiKey, buildSeconds: (performance.now() - startedAt) / 1000 };
  writeFileSync(`${notePath}.partial`, JSON.stringify({ stamp: STAMP, ...data }));
  renameSync(`${notePath}.partial`, notePath);
  log(`built in ${data.buildSeconds.toFixed(0)} s`);
  return data;
}

async function keyOf(store: WriteStore, companyId: string): Promise<string> {
  const { apiKey, stored } = newKey({ companyId, name: "bench" }, Date.now());
  await store.createSecret(stored);
  return apiKey;
}

async function fill(store: WriteStore, shape: CompanyShape): Promise<void> {
  await store.createCompany({ id: shape.id, name: shape.id, createdAtMs: 0 });
  await store.change(shape.id, async (transaction) => {
    const rows = new CompanyRows(shape);
    const { workers, requests, policies } = shape;
    await put(transaction, "policies", policies, (index) => [policyRow(shape.id, index)]);
    await put(transaction, "workers", workers, (index) => [rows.worker(index)]);
    await put(transaction, "assignments", workers, (index) => rows.assignments(index));
    await put(transaction, "requests", requests, (index) => [rows.request(index)]);
    await put(transaction, "adjustments", workers, (index) =>
      [rows.adjustment(index)].filter((row) => row !== null),
    );
    await put(transaction, "work_hours", workers, (index) => rows.workHours(index));
    return { result: null, changed: true, commit: true };
  });
}

async function put<K extends Kind>(
  transaction: ImportTransaction,
  kind: K,
  count: number,
  rowsOf: (index: number) => Rows[K][],
): Promise<void> {
  let batch: Rows[K][] = [];
  for (let index = 0; index < count; index++) {
    batch.push(...rowsOf(index));
    if (batch.length < BATCH_ROWS) continue;
    await transaction.put(kind, batch);
    batch = [];
  }
  await transaction.put(kind, batch);
}
