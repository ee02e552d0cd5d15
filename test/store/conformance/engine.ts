// What an engine adds so that the suite can run on it, and the few steps that most checks begin with.
import type { Store } from "../../../src/store/engine.ts";
import type { ReadStore, WriteStore } from "../../../src/store/store.ts";
import type { Facts } from "../../support/rows.ts";
import { createCompany, putFacts } from "../../support/stores.ts";

/** Somewhere a store can be. */
export interface StoreLocation {
  /** As commands name it with `--db`. */
  readonly address: string;
  /** What commands do with it. */
  readonly store: Store;
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

export interface OpenStore {
  readonly location: StoreLocation;
  readonly writer: WriteStore;
  readonly reader: ReadStore;
}

export interface Engine {
  readonly name: string;
  /** A location with nothing there, or with a store that has no companies. */
  newLocation(what?: "nothing" | "store"): Promise<StoreLocation>;
  /** A store without companies; `close` closes what is open of it. */
  openStore(): Promise<OpenStore & { close(): Promise<void> }>;
}

/** A location with a store, a writer and a reader; everything is closed and removed afterwards. */
export async function withStore(engine: Engine, work: (open: OpenStore) => Promise<void>): Promise<void> {
  const { close, ...open } = await engine.openStore();
  try {
    await work(open);
  } finally {
    await close();
  }
}

/** As `withStore`, with the company "acme" that holds these facts. */
export function withFacts(
  engine: Engine,
  facts: Facts,
  work: (open: OpenStore) => Promise<void>,
): Promise<void> {
  return withStore(engine, async (open) => {
    await createCompany(open.writer, "acme");
    await putFacts(open.writer, "acme", facts);
    await work(open);
  });
}
