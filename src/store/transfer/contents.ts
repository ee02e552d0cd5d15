// Reads everything that a store or a backup holds. Two of them hold the same if their digests are equal.
import { companyValues } from "../../resources/company.ts";
import { storedDefinition, storedScopes } from "../secret-rows.ts";
import type { Company, Contents, StoredFeed, StoredKey } from "../store.ts";
import { FACT_KINDS, type FactKind, type Rows, TABLES } from "../tables.ts";

/** The columns of each kind, sorted by name: digests do not depend on the order in which the code lists them. */
export const SORTED_COLUMNS = Object.fromEntries(
  FACT_KINDS.map((kind) => [kind, TABLES[kind].columns.toSorted()]),
) as unknown as { readonly [K in FactKind]: readonly (keyof Rows[K] & string)[] }; // each kind has its own columns

/**
 * Columns that came later. They count in a digest only where they have a value, so a store has the same digest before and
 * after a migration.
 */
const ADDED: { readonly [K in FactKind]?: readonly (keyof Rows[K])[] } = {
  workers: ["terms"],
  assignments: ["terms"],
  requests: ["terms"],
};

const FIRST_COLUMNS = Object.fromEntries(
  FACT_KINDS.map((kind) => {
    const added: readonly string[] = ADDED[kind] ?? [];
    return [kind, SORTED_COLUMNS[kind].filter((column) => !added.includes(column))];
  }),
) as unknown as typeof SORTED_COLUMNS; // some of those

/** The row as one text, the same for the same row on every engine. */
export function rowText<K extends FactKind>(kind: K, row: Rows[K]): string {
  const values: unknown[] = FIRST_COLUMNS[kind].map((column) => row[column]);
  const added: readonly (keyof Rows[K])[] = ADDED[kind] ?? [];
  for (const column of added) if (row[column] !== null) values.push([column, row[column]]);
  return JSON.stringify(values);
}

/** The columns that every `rowText` of the kind has, in order. */
export function firstColumns(kind: FactKind): readonly string[] {
  return FIRST_COLUMNS[kind];
}

/** The row whose `rowText` is `text`; `columns` are the `firstColumns` of the version that wrote it. */
export function rowOf<K extends FactKind>(kind: K, text: string, columns: readonly string[]): Rows[K] {
  const values: unknown[] = JSON.parse(text);
  const row: Record<string, unknown> = Object.fromEntries(
    TABLES[kind].columns.map((column) => [column, null]),
  );
  for (const [index, column] of columns.entries()) row[column] = values[index];
  for (const added of values.slice(columns.length)) {
    const [column, value] = added as [string, unknown]; // as rowText wrote it
    row[column] = value;
  }
  return row as unknown as Rows[K]; // every column of it
}

/** SHA-256 over the rows of one company, which are given kind by kind, in key order: the same on every engine. */
export class FactsDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  #kind: FactKind | null = null;

  add<K extends FactKind>(kind: K, rows: readonly Rows[K][]): void {
    let lines = "";
    for (const row of rows) lines += `${rowText(kind, row)}\n`;
    this.addLines(kind, lines);
  }

  /** The same of rows as texts, each with a line break after it. */
  addLines(kind: FactKind, lines: string): void {
    if (lines === "") return;
    if (kind !== this.#kind) this.#hasher.update(`${kind}\n`);
    this.#kind = kind;
    this.#hasher.update(lines);
  }

  /** In hexadecimal. */
  hex(): string {
    return this.#hasher.digest("hex");
  }
}

/** SHA-256 over companies with the digests of their facts, then keys and feeds, in order. */
export class ContentsDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");

  company(company: Company, factsDigest: string): void {
    this.#line([...companyValues(company), factsDigest]);
  }

  key(key: StoredKey): void {
    const { id, companyId, name, digest, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = key;
    const scopes = storedScopes(key);
    this.#line([id, companyId, name, digest, scopes, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs]);
  }

  /** A store without feeds has the digest that it had before there were any. */
  feed(feed: StoredFeed): void {
    const { id, companyId, name, digest, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = feed;
    const own = storedDefinition(feed);
    const times = [createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
    this.#line(["feed", id, companyId, name, digest, own, ...times]);
  }

  #line(value: unknown): void {
    this.#hasher.update(`${JSON.stringify(value)}\n`);
  }

  /** In hexadecimal. */
  hex(): string {
    return this.#hasher.digest("hex");
  }
}

export interface Visitor {
  company?(company: Company): void;
  key?(key: StoredKey): void;
  feed?(feed: StoredFeed): void;
  rows?<K extends FactKind>(companyId: string, kind: K, rows: readonly Rows[K][]): void;
}

/** What is counted: companies, what is opened by a secret, and facts. */
export const COUNTED = ["companies", "keys", "feeds", ...FACT_KINDS] as const;

/** How many rows there are of each kind. */
export type RowCounts = Readonly<Record<(typeof COUNTED)[number], number>>;

export interface ContentsSummary {
  /** SHA-256 over all companies, facts, keys and feeds, in hexadecimal. */
  readonly digest: string;
  readonly rows: RowCounts;
}

/** Passes everything to the visitor, in order, except keys and feeds of companies that do not exist; flat in memory. */
export async function readThrough(contents: Contents, visitor: Visitor = {}): Promise<ContentsSummary> {
  const digest = new ContentsDigest();
  const rows = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Record<keyof RowCounts, number>; // every name
  const companyIds = new Set<string>();
  for (const company of await contents.companies()) {
    const { id } = company;
    visitor.company?.(company);
    companyIds.add(id);
    rows.companies++;
    const facts = new FactsDigest();
    await contents.export(id, async (kind, batch) => {
      facts.add(kind, batch);
      rows[kind] += batch.length;
      visitor.rows?.(id, kind, batch);
    });
    digest.company(company, facts.hex());
  }
  for (const key of await contents.keys()) {
    if (!companyIds.has(key.companyId)) continue;
    visitor.key?.(key);
    rows.keys++;
    digest.key(key);
  }
  for (const feed of await contents.feeds()) {
    if (!companyIds.has(feed.companyId)) continue;
    visitor.feed?.(feed);
    rows.feeds++;
    digest.feed(feed);
  }
  return { digest: digest.hex(), rows };
}
