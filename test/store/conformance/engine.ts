// What an engine adds so that the suite can run on it, and the few steps that most checks begin with.
import type { ImportTransaction, ReadStore, WriteStore } from "../../../src/store/store.ts";
import { FACT_KINDS } from "../../../src/store/tables.ts";
import type { Facts } from "./facts.ts";

/** Somewhere a store can be. Nothing is there at first. */
export interface Place {
  openWriter(options?: { readonly create?: boolean; readonly migrate?: boolean }): Promise<WriteStore>;
  openReader(): Promise<ReadStore>;
  /** Puts another program's database there. */
  becomeForeign(): Promise<void>;
  /** Marks the store as one that a later Rollcall wrote. */
  becomeNewer(): Promise<void>;
  /** Takes the store away under those who have it open. */
  vanish(): Promise<void>;
  /** Every column of a table of the store, as the database itself lists them. */
  columns(table: string): Promise<string[]>;
  dispose(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  place(): Promise<Place>;
}

/** A place with a store, a writer and a reader; everything is closed and removed afterwards. */
export async function withStore(
  engine: Engine,
  work: (open: { place: Place; writer: WriteStore; reader: ReadStore }) => Promise<void>,
): Promise<void> {
  const place = await engine.place();
  try {
    const writer = await place.openWriter({ create: true });
    const reader = await place.openReader();
    try {
      await work({ place, writer, reader });
    } finally {
      await reader.close();
      await writer.close();
    }
  } finally {
    await place.dispose();
  }
}

/** As `withStore`, with the company "acme" that holds these facts. */
export function withFacts(
  engine: Engine,
  facts: Facts,
  work: (open: { place: Place; writer: WriteStore; reader: ReadStore }) => Promise<void>,
): Promise<void> {
  return withStore(engine, async (open) => {
    await createCompany(open.writer, "acme");
    await putFacts(open.writer, "acme", facts);
    await work(open);
  });
}

export function createCompany(writer: WriteStore, id: string): Promise<void> {
  return writer.createCompany({ id, name: `Company ${id}`, createdAtMs: 1_772_000_000_123 });
}

/** Imports these rows, in one transaction. */
export function putFacts(writer: WriteStore, companyId: string, facts: Partial<Facts>): Promise<void> {
  return change(writer, companyId, async (transaction) => {
    for (const kind of FACT_KINDS) await transaction.put(kind, facts[kind] ?? []);
  });
}

/** An import that changes something and is committed. */
export function change<T>(
  writer: WriteStore,
  companyId: string,
  work: (transaction: ImportTransaction) => Promise<T>,
): Promise<T> {
  return writer.import(companyId, async (transaction) => ({
    result: await work(transaction),
    changed: true,
    commit: true,
  }));
}

/** Every row of a company, kind by kind, as `export` gives them. */
export async function exported(writer: WriteStore, companyId: string): Promise<Facts> {
  const facts: Facts = {
    workers: [],
    policies: [],
    assignments: [],
    requests: [],
    adjustments: [],
    work_hours: [],
  };
  await writer.export(companyId, async (kind, rows) => {
    (facts[kind] as unknown[]).push(...rows); // the kind's own rows, as `export` promises
  });
  return facts;
}
