// Reads everything that a store holds, with SQL that both engines share.
import sql, { raw } from "sql-template-tag";
import { isListKind } from "../resources/kinds.ts";
import { readRecords, rowsInOrder, states } from "./history.ts";
import * as queries from "./queries.ts";
import {
  type Company,
  type Contents,
  type KindSize,
  type StoredCalendar,
  type StoredImport,
  type StoredKey,
  type StoredRecord,
  unknownCompany,
  type VisitRecords,
} from "./store.ts";
import { columnName, type Execute, KINDS, type Kind, type Rows, selected, TABLES } from "./tables.ts";

/** How many objects of a kind are measured. Ids are random, so the first rows are a fair sample. */
const MEASURED_ROWS = 1000;

/** All rows of a kind in key order, in batches. */
export function scanRows<K extends Kind>(
  execute: Execute,
  companyId: string,
  kind: K,
): AsyncGenerator<readonly Rows[K][]> {
  const { key, columns } = TABLES[kind];
  const order = key.map((property) => [columnName(property), property] as const);
  return rowsInOrder<Rows[K]>(execute, companyId, kind, order, raw(selected(columns)));
}

/** The contents that `read` reads, of one moment if it reads a snapshot. `readSecrets` reads keys and feeds from another file. */
export class StoredContents implements Contents {
  readonly #read: Execute;
  readonly #readSecrets: Execute;

  constructor(read: Execute, readSecrets: Execute = read) {
    this.#read = read;
    this.#readSecrets = readSecrets;
  }

  companies(): Promise<Company[]> {
    return this.#read(queries.companies());
  }

  async imports(companyId: string): Promise<StoredImport[]> {
    const rows = await this.#read<{ failed: number; record: string }>(sql`
      select has_failed as "failed", record as "record"
      from import_records
      where company_id = ${companyId}
      order by number`);
    return rows.map(({ failed, record }) => ({ hasFailed: failed === 1, record }));
  }

  async keys(companyId?: string): Promise<StoredKey[]> {
    const rows = await this.#readSecrets<queries.KeyRow>(queries.listedSecrets("keys", companyId));
    return rows.map(queries.toKey);
  }

  async feeds(companyId?: string): Promise<StoredCalendar[]> {
    const rows = await this.#readSecrets<queries.CalendarRow>(queries.listedSecrets("feeds", companyId));
    return rows.map(queries.toCalendar);
  }

  async sizes(companyId: string): Promise<KindSize[]> {
    const sizes: KindSize[] = [];
    for (const kind of KINDS) {
      const count = sql`select count(*) from ${raw(kind)} where company_id = ${companyId}`;
      const measured = sql`select doc from ${raw(kind)} where company_id = ${companyId} limit ${MEASURED_ROWS}`;
      const mean = isListKind(kind)
        ? sql`(select avg(octet_length(doc)) from (${measured}) as measured)`
        : raw("0");
      const [size] = await this.#read<{ rows: number; mean: number | string }>(
        sql`select (${count}) as "rows", coalesce(${mean}, 0) as "mean"`, // PostgreSQL gives the mean as text
      );
      const { rows } = size!; // a count returns one row
      sizes.push({ kind, rows, bytes: Math.round(rows * Number(size!.mean)) });
    }
    return sizes;
  }

  async export(
    companyId: string,
    visit: <K extends Kind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void> {
    const company = await this.#read(sql`select id from companies where id = ${companyId}`);
    if (company.length === 0) throw unknownCompany(companyId);
    for (const kind of KINDS)
      for await (const rows of scanRows(this.#read, companyId, kind)) {
        await visit(kind, rows);
        await new Promise(setImmediate); // lets signal handlers run
      }
  }

  states(companyId: string): Promise<StoredRecord[]> {
    return this.#read(states(companyId));
  }

  records(companyId: string, visit: VisitRecords): Promise<void> {
    return readRecords(this.#read, companyId, visit);
  }
}
