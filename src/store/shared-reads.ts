// Reads of a company in SQL that both engines share.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { CompanySettings } from "../resources/company.ts";
import { KINDS, type ListKind } from "../resources/kinds.ts";
import type { ChangeNotes } from "./change-notes.ts";
import { readChanges } from "./changes.ts";
import { scanRows } from "./contents.ts";
import { endRevision, knownMoment, replaceStates } from "./history.ts";
import * as queries from "./queries.ts";
import type {
  ChangesPage,
  ChangesQuery,
  Company,
  CompanyReader,
  FromDay,
  ImportOutcome,
  ImportTransaction,
  KnownMoment,
  LastChange,
  LastImports,
  ReadStore,
  RowsOfWorker,
  StoredClose,
  StoredImport,
  StoredRecord,
} from "./store.ts";
import {
  CLOSE_COLUMNS,
  CLOSE_TYPES,
  chunks,
  columnName,
  type Execute,
  type Kind,
  ownerColumn,
  type Rows,
  selected,
  TABLES,
} from "./tables.ts";

const IDS_AT_ONCE = 500;

abstract class Reads {
  abstract readonly companyId: string;

  abstract run<R>(query: Sql): Promise<R[]>;

  closes(): Promise<StoredClose[]> {
    return this.run(sql`
      select ${raw(selected(Object.keys(CLOSE_TYPES)))}
      from closes
      where company_id = ${this.companyId}
      order by last_day desc, name desc`);
  }
}

/** See `CompanyReader`. */
export abstract class CompanyReads extends Reads {
  protected abstract readonly store: Pick<ReadStore, "version" | "company">;
  /** The version that was just read, if it is known. */
  protected readonly version?: string | undefined;
  /** Null for the rows stored now; else the revision whose rows are read. */
  protected abstract readonly revision: number | null;

  /** No version occurs twice. So if it is the same before and after the reads, all of them saw it. */
  async atOneVersion<T>(work: (company: CompanyReader) => Promise<T>): Promise<T> {
    let version = this.version ?? (await this.store.version(this.companyId));
    for (;;) {
      const result = await work(this.store.company(this.companyId, version ?? undefined, this.revision));
      const now = await this.store.version(this.companyId);
      if (now === version) return result;
      version = now;
    }
  }

  async object(kind: ListKind, id: string): Promise<string | null> {
    const [row] = await this.run<{ doc: string }>(
      sql`select doc from ${raw(kind)} where company_id = ${this.companyId} and id = ${id}`,
    );
    return row?.doc ?? null;
  }

  override async closes(): Promise<StoredClose[]> {
    const { revision: known } = this;
    const closes = await super.closes();
    // A close is made after its revision.
    return known === null ? closes : closes.filter(({ revision }) => revision < known);
  }

  known(revision: number): CompanyReader {
    return this.store.company(this.companyId, this.version, revision);
  }

  async rowsOf(workerId: string): Promise<RowsOfWorker> {
    const rows: (readonly [Kind, unknown])[] = [];
    for (const kind of KINDS) {
      const owner = ownerColumn(kind);
      if (owner === null) continue;
      const { columns, key } = TABLES[kind];
      const ofKind = await this.run(sql`
        select ${raw(selected(columns))}
        from ${raw(kind)}
        where company_id = ${this.companyId} and ${raw(owner)} = ${workerId}
        order by ${raw(key.map(columnName).join(", "))}`);
      rows.push([kind, ofKind]);
    }
    return Object.fromEntries(rows) as RowsOfWorker; // an entry for each kind with an owner
  }

  async calendarSequence(): Promise<number | null> {
    const [row] = await this.run<{ sequence: number }>(
      sql`select calendar_sequence as "sequence" from companies where id = ${this.companyId}`,
    );
    return row?.sequence ?? null;
  }

  async lastChanges(kind: ListKind, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange>> {
    const changes = new Map<string, LastChange>();
    for (const part of chunks(ids, IDS_AT_ONCE)) {
      const rows = await this.run<LastChange & { id: string }>(sql`
        select changed.id as "id", changed.seq as "seq", change_marks.ended_at_ms as "endedAtMs"
        from ${raw(kind)} changed
        join change_marks on change_marks.company_id = changed.company_id and change_marks.seq = changed.seq
        where changed.company_id = ${this.companyId} and changed.id in (${join(part)})`);
      for (const { id, ...change } of rows) changes.set(id, change);
    }
    return changes;
  }

  reported(): Promise<Rows["reported"][]> {
    return this.run(sql`
      select ${raw(selected(["workerId", "policyId", "day", "minutes"]))}
      from reported
      where company_id = ${this.companyId}
      order by worker_id, policy_id, day`);
  }

  async about(): Promise<Company | null> {
    const [company] = await this.run<Company>(queries.companies(this.companyId));
    return company ?? null;
  }

  async knownSince(): Promise<number | null> {
    const [moment] = await this.run<KnownMoment>(knownMoment(this.companyId, 0));
    return moment!.firstMs; // one row
  }

  async lastImports(): Promise<LastImports | null> {
    const [imports] = await this.run<LastImports>(queries.lastImports(1, this.companyId));
    return imports ?? null;
  }

  changes(query: ChangesQuery): Promise<ChangesPage | "gone"> {
    return readChanges(this.companyId, query, (statement) => this.run(statement));
  }
}

/** What an import reads before and while it writes. */
export abstract class ImportReads extends Reads {
  async count(kind: Kind, from: readonly FromDay[] = []): Promise<number> {
    const bounds = from.map(
      ({ column, day }) =>
        sql` and (${raw(columnName(column))} >= ${day} or ${raw(columnName(column))} is null)`,
    );
    const [row] = await this.run<{ count: number }>(sql`
      select count(*) as "count"
      from ${raw(kind)}
      where company_id = ${this.companyId}${bounds.length === 0 ? empty : join(bounds, "")}`);
    return row!.count;
  }

  async company(): Promise<Company> {
    const [company] = await this.run<Company>(queries.companies(this.companyId));
    return company!; // the import holds it
  }
}

/** See `ImportTransaction`. */
export abstract class SharedTransaction extends ImportReads {
  constructor(protected readonly notes: ChangeNotes) {
    super();
  }

  scan<K extends Kind>(kind: K): AsyncGenerator<readonly Rows[K][]> {
    return scanRows(this.#execute, this.companyId, kind);
  }

  /** Whether the history was replaced by that of another store. Then this import is not a revision. */
  hasReplacedStates = false;

  async replaceStates(states: readonly StoredRecord[]): Promise<void> {
    this.hasReplacedStates = true;
    await replaceStates(this.#execute, this.companyId, states);
  }

  async putClose(close: StoredClose): Promise<boolean> {
    const values = Object.keys(CLOSE_TYPES).map((name) => close[name as keyof StoredClose]); // its keys
    const added = await this.run(sql`
      insert into closes (company_id, ${raw(CLOSE_COLUMNS.join(", "))})
      select ${this.companyId}, ${join(values)}
      from companies
      where id = ${this.companyId} and revision = ${close.revision}
      on conflict do nothing
      returning name`);
    return added.length > 0;
  }

  async removeClose(name: string): Promise<boolean> {
    const removed = await this.run(
      sql`delete from closes where company_id = ${this.companyId} and name = ${name} returning name`,
    );
    return removed.length > 0;
  }

  readonly #execute: Execute = (query) => this.run(query);

  async updateCompany(change: Partial<CompanySettings>): Promise<void> {
    const sets = Object.entries(change).map(
      ([key, value]) => sql`${raw(columnName(key))} = ${value}`, // the keys of `change` are columns
    );
    await this.run(sql`update companies set digest_key = null, ${join(sets)} where id = ${this.companyId}`);
  }

  check<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  changedBalances(): Promise<readonly string[]> {
    return this.notes.changedBalances();
  }

  removedWorkers(): readonly string[] {
    return this.notes.gone;
  }

  noteEvent(...event: Parameters<ImportTransaction["noteEvent"]>): void {
    this.notes.noteEvent(...event);
  }

  /** Ends an import that is to be committed. */
  async end(outcome: ImportOutcome<unknown>): Promise<void> {
    const { companyId, notes } = this;
    const nowMs = Date.now();
    await notes.end(nowMs, outcome);
    // `outcome.changed` is about rows of files. Changes of rows that repeat parts of them are only in the notes.
    const changed = outcome.changed || notes.hasNoted;
    const { dataAsOfMs, changedAtMs } = outcome.times ?? { dataAsOfMs: nowMs, changedAtMs: nowMs };
    const { version } = queries.newRevision(nowMs);
    const change = changed ? sql`, version = ${version}, changed_at_ms = ${changedAtMs}` : empty;
    await this.run(sql`update companies set data_as_of_ms = ${dataAsOfMs}${change} where id = ${companyId}`);
    const isImport = outcome.times === undefined;
    const revision = { nowMs, gone: notes.gone, isImport };
    // A new version: cached responses of a forgotten moment must not be found any more.
    if (!this.hasReplacedStates && (await endRevision(this.#execute, companyId, revision)))
      await this.run(sql`update companies set version = ${version} where id = ${companyId}`);
    if (outcome.record !== undefined) await noteImport(this.#execute, companyId, outcome.record, false);
  }
}

/** Replaces the records of the company's imports, as a copy does. */
export async function replaceImports(on: ImportTransaction, imports: readonly StoredImport[]): Promise<void> {
  await on.run(sql`delete from import_records where company_id = ${on.companyId}`);
  for (const entry of imports) await on.run(insertImport(on.companyId, entry));
}

/** How many successful imports are remembered of a company, and how many failed ones. */
const IMPORTS_KEPT = 100;

/** Remembers an import, and forgets the oldest ones. Returns whether the company exists. */
export async function noteImport(
  execute: Execute,
  companyId: string,
  record: string,
  hasFailed: boolean,
): Promise<boolean> {
  const noted = await execute(insertImport(companyId, { hasFailed, record }));
  await execute(sql`
    delete from import_records
    where company_id = ${companyId}
      and number not in (
        select number
        from import_records as kept
        where kept.company_id = ${companyId} and kept.has_failed = import_records.has_failed
        order by number desc
        limit ${IMPORTS_KEPT})`);
  return noted.length > 0;
}

/** Returns a row if the company exists. */
function insertImport(companyId: string, { hasFailed, record }: StoredImport): Sql {
  return sql`
    insert into import_records (company_id, has_failed, number, record)
    select id, ${hasFailed ? 1 : 0},
      (select coalesce(max(number), 0) + 1 from import_records where company_id = ${companyId}), ${record}
    from companies
    where id = ${companyId}
    returning number as "number"`;
}
