// Reads of a company in SQL that both engines share.
import type { Sql } from "sql-template-tag";
import type { CompanySettings } from "../resources/company.ts";
import { isOwned, KINDS, type ListKind } from "../resources/kinds.ts";
import type { ChangeNotes } from "./change-notes.ts";
import { readChanges } from "./changes.ts";
import { scanRows } from "./contents.ts";
import { closesOf, deleteClose, endRevision, insertClose, knownMoment, replaceStates } from "./history.ts";
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
import { chunks, type Execute, type Kind, type Rows } from "./tables.ts";

/** The most ids in one statement. */
const IDS_AT_ONCE = 500;

abstract class Reads {
  abstract readonly companyId: string;

  /** Runs one statement. */
  abstract run<R>(query: Sql): Promise<R[]>;
}

/** See `CompanyReader`. */
export abstract class CompanyReads extends Reads {
  protected abstract readonly store: Pick<ReadStore, "version" | "company">;
  /** The version that was just read, if it is known. */
  protected readonly version?: string | undefined;
  /** Null for the rows stored now; else the revision whose rows are read. */
  protected abstract readonly revision: number | null;

  /** A version is never used again. If it is the same before and after, all reads between saw it. */
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
    const [row] = await this.run<{ doc: string }>(queries.docById(kind, this.companyId, id));
    return row?.doc ?? null;
  }

  async closes(): Promise<StoredClose[]> {
    const { revision: known } = this;
    const closes = await this.run<StoredClose>(closesOf(this.companyId));
    // A close is made after its revision.
    return known === null ? closes : closes.filter(({ revision }) => revision < known);
  }

  known(revision: number): CompanyReader {
    return this.store.company(this.companyId, this.version, revision);
  }

  async rowsOf(workerId: string): Promise<RowsOfWorker> {
    const kinds = KINDS.filter((kind) => kind === "workers" || isOwned(kind));
    const rows: (readonly [Kind, unknown])[] = [];
    for (const kind of kinds)
      rows.push([
        kind,
        await this.run(queries.rowsOfWorker(kind as keyof RowsOfWorker, this.companyId, workerId)),
      ]);
    return Object.fromEntries(rows) as RowsOfWorker; // an entry for each of them
  }

  async calendarSequence(): Promise<number | null> {
    const [row] = await this.run<{ sequence: number }>(queries.calendarSequence(this.companyId));
    return row?.sequence ?? null;
  }

  async lastChanges(kind: ListKind, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange>> {
    const changes = new Map<string, LastChange>();
    for (const part of chunks(ids, IDS_AT_ONCE)) {
      for (const { id, ...change } of await this.run<LastChange & { id: string }>(
        queries.lastChanges(kind, this.companyId, part),
      ))
        changes.set(id, change);
    }
    return changes;
  }

  reported(): Promise<Rows["reported"][]> {
    return this.run(queries.reported(this.companyId));
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
    const [row] = await this.run<{ count: number }>(queries.count(kind, this.companyId, from));
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
    return (await this.run(insertClose(this.companyId, close))).length > 0;
  }

  async removeClose(name: string): Promise<boolean> {
    return (await this.run(deleteClose(this.companyId, name))).length > 0;
  }

  readonly #execute: Execute = (query) => this.run(query);

  async updateCompany(change: Partial<CompanySettings>): Promise<void> {
    await this.run(queries.updateCompany(this.companyId, change));
  }

  check<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  closes(): Promise<StoredClose[]> {
    return this.run(closesOf(this.companyId));
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
    // `outcome.changed` counts rows of files. Rows that repeat parts of them are noted only.
    const changed = outcome.changed || notes.hasNoted;
    await this.run(queries.endImport(companyId, { ...outcome, changed }, nowMs));
    if (!this.hasReplacedStates) await endRevision(this.#execute, companyId, { nowMs, gone: notes.gone });
    if (outcome.record !== undefined) await noteImport(this.#execute, companyId, outcome.record, false);
  }
}

/** Replaces the records of the company's imports, as a copy does. */
export async function replaceImports(on: ImportTransaction, imports: readonly StoredImport[]): Promise<void> {
  await on.run(queries.forgetImports(on.companyId));
  for (const entry of imports) await on.run(queries.noteImport(on.companyId, entry));
}

/** Remembers an import, and forgets the oldest ones. Returns whether the company exists. */
export async function noteImport(
  execute: Execute,
  companyId: string,
  record: string,
  hasFailed: boolean,
): Promise<boolean> {
  const noted = await execute(queries.noteImport(companyId, { hasFailed, record }));
  await execute(queries.forgetOldImports(companyId));
  return noted.length > 0;
}
