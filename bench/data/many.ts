// Stores of many small companies, and of one of them alone: what a company pays for the others beside it. Built once,
// each company by an import of its own, in an order of no meaning, as a service grows.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Random } from "../../src/generate/random.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { fill, keyOf } from "./build.ts";
import { CompanyRows } from "./company.ts";
import { type CompanyShape, DATA_FOLDER, dataPath, STAMP } from "./shape.ts";

export const COMPANIES = 10_000;
export const WORKERS = 50;

export const companyAt = (index: number): CompanyShape => ({
  id: `company-${String(index).padStart(5, "0")}`,
  workers: WORKERS,
  requests: WORKERS * 10,
  policies: 4,
});

/** The company that is also in a store of its own. */
export const ALONE = companyAt(COMPANIES / 2);

export interface CompaniesStore {
  readonly storePath: string;
  /** By company. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface ManyData {
  readonly one: CompaniesStore;
  readonly many: CompaniesStore;
}

const MANY_STAMP = `${STAMP} ${COMPANIES} ${WORKERS}`;

/** The stores, built unless they are there already. */
export async function manyData(log: (line: string) => void): Promise<ManyData> {
  const notePath = dataPath("many.json");
  if (existsSync(notePath)) {
    const { stamp, ...data } = JSON.parse(readFileSync(notePath, "utf8")) as ManyData & { stamp: string }; // written below
    if (stamp === MANY_STAMP) return data;
  }
  mkdirSync(DATA_FOLDER, { recursive: true });
  log(`building a store of ${COMPANIES.toLocaleString("en")} companies (once; some minutes) …`);
  const indexes = Array.from({ length: COMPANIES }, (_, index) => index);
  const order = new Random(1, 9, 1).shuffled(indexes);
  const data = {
    one: await build("one", [ALONE], log),
    many: await build("many", order.map(companyAt), log),
  };
  writeFileSync(`${notePath}.partial`, JSON.stringify({ stamp: MANY_STAMP, ...data }));
  renameSync(`${notePath}.partial`, notePath);
  return data;
}

async function build(
  name: string,
  shapes: readonly CompanyShape[],
  log: (line: string) => void,
): Promise<CompaniesStore> {
  const storePath = dataPath(`${name}.db`);
  for (const suffix of ["", "-wal", "-shm", "-keys", "-keys-wal", "-keys-shm"])
    rmSync(storePath + suffix, { force: true });
  const store = openSqliteWriteStore(storePath, { create: true });
  const keys: Record<string, string> = {};
  for (const [index, shape] of shapes.entries()) {
    await fill(store, shape);
    keys[shape.id] = await keyOf(store, shape.id);
    if ((index + 1) % 1000 === 0) log(`  ${index + 1} companies`);
  }
  await store.close();
  return { storePath, keys };
}

/** Pages of a company's workers that are full: paths, in order. */
export function workerPages(shape: CompanyShape, pageSize = 25): string[] {
  const rows = new CompanyRows(shape);
  return Array.from(
    { length: shape.workers - pageSize },
    (_, index) => `/v1/workers?afterId=${rows.workerId(index)}`,
  );
}
