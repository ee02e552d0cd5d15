// Copies one store into another, company by company. Each company is copied as a whole or not at all, and verified by digest.
import { isDeepStrictEqual } from "node:util";
import { companySettings } from "../../resources/company.ts";
import {
  type Company,
  type Contents,
  type ImportTransaction,
  type SecretChange,
  type StoredSecret,
  StoreRefusal,
  type StoreTransaction,
  StoreUnavailable,
  type WriteStore,
} from "../store.ts";
import { KINDS, type Kind, keyOf, type Rows } from "../tables.ts";
import { RowsDigest, rowText } from "./row-texts.ts";
import { StaleRows } from "./stale-rows.ts";

/** A company whose source changes between the two passes over it is tried this often. */
const TRIES = 3;

export interface MatchedRows {
  /** Rows in the source, and so now in the target. */
  readonly rows: number;
  readonly written: number;
  readonly removed: number;
  /** SHA-256 over all rows: the same in the source and in the target. */
  readonly digest: string;
}

export interface CopiedCompany extends MatchedRows {
  readonly id: string;
  readonly keys: number;
  /** Keys of the company that only the target has; they stay. */
  readonly otherKeys: number;
  readonly feeds: number;
  readonly otherCalendars: number;
}

export interface CopyTarget {
  readonly store: WriteStore;
  /** Notes the last use of keys that are there already. */
  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * Makes the company in the target equal to that in the source: its rows, then its keys and feeds. Companies, keys and feeds
 * that only the target has stay. Raises StoreRefusal if the target has a different company with this id, and StoreUnavailable if the
 * source keeps changing. A second run changes only what differs.
 */
export async function copyCompany(
  from: Contents,
  to: CopyTarget,
  company: Company,
  onRows: (rows: number) => void = () => {},
): Promise<CopiedCompany> {
  await makeCompany(to.store, company);
  const rows = await copyRows(from, to.store, company, onRows);
  const { store } = to;
  const keys = await copySecrets("Key", await from.keys(company.id), {
    there: () => store.keys(company.id),
    create: (key) => store.createKey(key),
    update: (id, change) => store.updateKey(id, change),
  });
  const feeds = await copySecrets("Calendar feed", await from.feeds(company.id), {
    there: () => store.feeds(company.id),
    create: (feed) => store.createCalendar(feed),
    update: (id, change) => store.updateCalendar(id, change),
  });
  await to.touchKeys(new Map([...keys.used, ...feeds.used]));
  return {
    id: company.id,
    ...rows,
    keys: keys.copied,
    otherKeys: keys.others,
    feeds: feeds.copied,
    otherCalendars: feeds.others,
  };
}

async function makeCompany(to: WriteStore, company: Company): Promise<void> {
  const there = (await to.companies()).find(({ id }) => id === company.id);
  if (there === undefined) return to.createCompany(company);
  if (there.name !== company.name || there.createdAtMs !== company.createdAtMs) {
    throw new StoreRefusal(
      `The target has another company "${company.id}" (${there.name})`,
      "delete it there first, or copy elsewhere",
    );
  }
}

async function copyRows(from: Contents, to: WriteStore, company: Company, onRows: (rows: number) => void) {
  const { id: companyId, dataAsOfMs, changedAtMs } = company;
  for (let tries = 1; ; tries++) {
    const copied = await to.import(companyId, async (transaction) => {
      const result = await matchRows(transaction, from, companyId, onRows);
      const isChanged = result !== null && result.written + result.removed > 0;
      await transaction.replaceImports(await from.imports(companyId));
      await transaction.updateCompany(companySettings(company));
      // Copying is no import: the data is as old as in the source.
      const times = { dataAsOfMs, changedAtMs };
      return { result, changed: isChanged, commit: result !== null, times };
    });
    if (copied !== null) return copied;
    if (tries === TRIES) {
      throw new StoreUnavailable(
        `Company "${companyId}" was not copied`,
        "imports change it all the time. Try again when none runs",
      );
    }
  }
}

/**
 * Makes the rows of the transaction's company equal to those of the source, and reads them back. Returns null if the digests differ
 * because the source changed between the two passes over it; then the caller rolls back.
 */
async function matchRows(
  transaction: ImportTransaction,
  from: Contents,
  companyId: string,
  onRows: (rows: number) => void,
): Promise<MatchedRows | null> {
  const empty = new Set<Kind>();
  for (const kind of KINDS) if (await transaction.isEmpty(kind)) empty.add(kind);
  const removed = empty.size === KINDS.length ? 0 : await removeStale(transaction, from, companyId);
  const source = new RowsDigest();
  let [read, written] = [0, 0];
  await from.export(companyId, async (kind, rows) => {
    source.add(kind, rows);
    const missing = empty.has(kind) ? rows : await missingOf(transaction, kind, rows);
    await transaction.put(kind, missing);
    written += missing.length;
    read += rows.length;
    onRows(read);
  });
  const target = new RowsDigest();
  for (const kind of KINDS) {
    for await (const rows of transaction.scan(kind)) {
      target.add(kind, rows);
      await new Promise(setImmediate); // lets signals through
    }
  }
  const digest = source.hex();
  return target.hex() === digest ? { rows: read, written, removed, digest } : null;
}

/** Returns how many rows were removed. */
async function removeStale(
  transaction: ImportTransaction,
  from: Contents,
  companyId: string,
): Promise<number> {
  const staleRows = await StaleRows.begin(transaction);
  await from.export(companyId, (kind, rows) => staleRows.pass(kind, rows));
  await staleRows.end();
  return staleRows.removed;
}

/** The rows that are not stored as they are. */
async function missingOf<K extends Kind>(
  transaction: ImportTransaction,
  kind: K,
  rows: readonly Rows[K][],
): Promise<readonly Rows[K][]> {
  const stored = await transaction.stored(
    kind,
    rows.map((row) => keyOf(kind, row)),
  );
  return rows.filter((row, index) => {
    const there = stored[index];
    return there === null || there === undefined || rowText(kind, there) !== rowText(kind, row);
  });
}

interface SecretsOfTarget<S extends StoredSecret> {
  there(): Promise<readonly S[]>;
  create(secret: S): Promise<void>;
  update(id: string, change: SecretChange): Promise<boolean>;
}

/** Copies keys or feeds, all but their last use: `used` is that. What was revoked on either side stays revoked. */
async function copySecrets<S extends StoredSecret>(
  name: string,
  wanted: readonly S[],
  to: SecretsOfTarget<S>,
) {
  const there = new Map((await to.there()).map((secret) => [secret.id, secret]));
  const used = new Map<string, number>();
  let others = there.size;
  for (const secret of wanted) {
    const { id, expiresAtMs, revokedAtMs, lastUsedAtMs } = secret;
    const stored = there.get(id);
    if (stored === undefined) await to.create(secret);
    else {
      if (!isDeepStrictEqual(unchangeable(stored), unchangeable(secret)))
        throw new StoreRefusal(
          `${name} ${id} is another one in the target`,
          "revoke it there, or copy elsewhere",
        );
      await to.update(id, { expiresAtMs, revokedAtMs: stored.revokedAtMs ?? revokedAtMs });
      others--;
    }
    if (lastUsedAtMs !== null) used.set(id, lastUsedAtMs);
  }
  return { copied: wanted.length, others, used };
}

/** What of a key or feed never changes. */
function unchangeable<S extends StoredSecret>(secret: S): Omit<S, keyof SecretChange | "lastUsedAtMs"> {
  const { expiresAtMs, revokedAtMs, lastUsedAtMs, ...rest } = secret;
  return rest;
}

// Restores a backup into a store. Existing keys and feeds stay as they are: one that was revoked since the backup stays revoked.

/**
 * Makes the store hold exactly these companies and rows. Keys and feeds of removed companies are removed, missing ones come back.
 * Reads back what was written and compares digests: raises StoreUnavailable if they differ. `onRows` gets the number of
 * rows so far.
 */
export async function restoreContents(
  transaction: StoreTransaction,
  contents: Contents,
  onRows: (rows: number) => void,
): Promise<void> {
  const companies = await contents.companies();
  let rows = 0;
  for (const company of companies) {
    await transaction.putCompany(company);
    const into = await transaction.rows(company.id);
    const matched = await matchRows(into, contents, company.id, (count) => onRows(rows + count));
    if (matched === null) {
      throw new StoreUnavailable(
        "The store does not give back what was restored: its digest differs. Nothing was changed",
        "check the disk, and try again",
      );
    }
    await into.replaceImports(await contents.imports(company.id));
    rows += matched.rows;
  }
  const restored = new Set(companies.map(({ id }) => id));
  for (const id of transaction.companiesBefore) if (!restored.has(id)) await transaction.removeCompany(id);
  await transaction.addKeys(await contents.keys());
  await transaction.addCalendars(await contents.feeds());
}
