// Copies one store into another, company by company. Each company is copied as a whole or not at all, and verified by digest.
import { isDeepStrictEqual } from "node:util";
import { companySettings } from "../../resources/company.ts";
import { EVENTS_LOST } from "../../resources/events.ts";
import { formatInstant } from "../../time/instant.ts";
import { addRecords, forgetRecords, readRecords } from "../history.ts";
import { replaceImports } from "../shared-reads.ts";
import {
  type Company,
  type Contents,
  type ImportTransaction,
  type SecretChange,
  type SecretTable,
  type StoredCalendar,
  type StoredKey,
  type StoredSecret,
  StoreRefusal,
  type StoreTransaction,
  StoreUnavailable,
  type WriteStore,
} from "../store.ts";
import { type Execute, KINDS, keyOf } from "../tables.ts";
import { RowsDigest } from "./row-texts.ts";

interface CopiedRows {
  /** Rows in the source, and now in the target. */
  readonly rows: number;
  /** SHA-256 over all rows and their history: the same in the source and in the target. */
  readonly digest: string;
  /** Whether the target had other rows. */
  readonly isChanged: boolean;
}

export interface CopiedCompany extends CopiedRows {
  readonly id: string;
  readonly keys: number;
  /** Keys of the company that only the target has. They stay. */
  readonly otherKeys: number;
  readonly feeds: number;
  readonly otherCalendars: number;
}

export interface CopyTarget {
  readonly store: WriteStore;
  /** Notes the last use of keys and feeds. */
  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * Makes the company in the target equal to that in the source: its rows, then its keys and feeds. Companies, keys and feeds
 * that only the target has stay. Raises StoreRefusal if the target has a different company with this id. A second run changes only
 * companies that differ. Hooks of a company that had other data get one event: that events are missing.
 */
export async function copyCompany(
  from: Contents,
  to: CopyTarget,
  company: Company,
  onRows: (rows: number) => void = () => {},
): Promise<CopiedCompany> {
  await makeCompany(to.store, company);
  const rows = await copyRows(from, to.store, company, onRows);
  const keys = await copySecrets("keys", await from.keys(company.id), to.store, company.id);
  const feeds = await copySecrets("feeds", await from.feeds(company.id), to.store, company.id);
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
  const stored = (await to.companies()).find(({ id }) => id === company.id);
  if (stored === undefined) return to.createCompany(company);
  if (stored.name !== company.name || stored.createdAtMs !== company.createdAtMs) {
    throw new StoreRefusal(
      `The target has another company "${company.id}" (${stored.name})`,
      "delete it there first, or copy elsewhere",
    );
  }
}

function copyRows(from: Contents, to: WriteStore, company: Company, onRows: (rows: number) => void) {
  const { id, dataAsOfMs, changedAtMs } = company;
  const work = async (transaction: ImportTransaction) => {
    const result = await replaceRows(transaction, from, id, onRows);
    await replaceImports(transaction, await from.imports(id));
    await transaction.updateCompany(companySettings(company));
    await transaction.replaceStates(await from.states(id));
    // A copy is not an import: the data is as old as in the source.
    return { result, changed: result.isChanged, commit: true, times: { dataAsOfMs, changedAtMs } };
  };
  return to.change(id, work, { isQuiet: true });
}

/** Replaces the company's rows by those of the source if they differ. Raises StoreUnavailable if other rows are read back. */
async function replaceRows(
  transaction: ImportTransaction,
  from: Contents,
  companyId: string,
  onRows: (rows: number) => void,
): Promise<CopiedRows> {
  const before = await storedRows(transaction);
  if (before.rows > 0) {
    const source = new RowsDigest();
    await from.export(companyId, async (kind, rows) => source.add(kind, rows));
    await from.records(companyId, async (table, rows) => source.addRecords(table, rows));
    const digest = source.hex();
    if (digest === before.digest) return { ...before, isChanged: false };
    // Receivers got events about the other data.
    transaction.noteEvent(EVENTS_LOST, { until: formatInstant(Date.now()) });
    for (const kind of KINDS)
      for await (const rows of transaction.scan(kind))
        await transaction.remove(
          kind,
          rows.map((row) => keyOf(kind, row)),
        );
  }
  const source = new RowsDigest();
  await from.export(companyId, async (kind, rows) => {
    source.add(kind, rows);
    await transaction.put(kind, rows);
    onRows(source.rows);
  });
  const execute: Execute = (query) => transaction.run(query);
  await forgetRecords(execute, companyId); // also the history of the rows that were just replaced
  await from.records(companyId, async (table, rows) => {
    source.addRecords(table, rows);
    await addRecords(execute, companyId, table, rows);
  });
  const after = await storedRows(transaction);
  if (after.digest === source.hex()) return { ...after, isChanged: true };
  throw new StoreUnavailable(
    `The store did not return what was written of "${companyId}": its digest differs. Nothing was changed`,
    "check the disk, and try again",
  );
}

async function storedRows(transaction: ImportTransaction): Promise<Omit<CopiedRows, "isChanged">> {
  const stored = new RowsDigest();
  for (const kind of KINDS) {
    for await (const rows of transaction.scan(kind)) {
      stored.add(kind, rows);
      await new Promise(setImmediate); // lets signals through
    }
  }
  const execute: Execute = (query) => transaction.run(query);
  await readRecords(execute, transaction.companyId, async (table, rows) => {
    stored.addRecords(table, rows);
    await new Promise(setImmediate);
  });
  return { rows: stored.rows, digest: stored.hex() };
}

/** Copies keys or feeds, but not their last use, which it returns as `used`. What was revoked on either side stays revoked. */
async function copySecrets(
  table: SecretTable,
  wanted: readonly (StoredKey | StoredCalendar)[],
  to: WriteStore,
  companyId: string,
) {
  const storedById = new Map<string, StoredSecret>();
  for (const secret of await to[table](companyId)) storedById.set(secret.id, secret);
  const used = new Map<string, number>();
  let others = storedById.size;
  for (const secret of wanted) {
    const { id, expiresAtMs, revokedAtMs, lastUsedAtMs } = secret;
    const stored = storedById.get(id);
    if (stored === undefined) await to.createSecret(secret);
    else {
      if (!isDeepStrictEqual(unchangeable(stored), unchangeable(secret)))
        throw new StoreRefusal(
          `${table === "keys" ? "Key" : "Calendar feed"} ${id} is a different one in the target`,
          "revoke it there, or copy elsewhere",
        );
      await to.updateSecret(table, id, { expiresAtMs, revokedAtMs: stored.revokedAtMs ?? revokedAtMs });
      others--;
    }
    if (lastUsedAtMs !== null) used.set(id, lastUsedAtMs);
  }
  return { copied: wanted.length, others, used };
}

/** The properties of a key or feed that never change. */
function unchangeable(secret: StoredSecret): Omit<StoredSecret, keyof SecretChange | "lastUsedAtMs"> {
  const { expiresAtMs, revokedAtMs, lastUsedAtMs, ...rest } = secret;
  return rest;
}

// Restores a backup into a store. Existing keys and feeds stay as they are: one revoked since the backup stays revoked.

/**
 * Makes the store hold exactly these companies and rows. Removes keys and feeds of removed companies, and adds missing ones.
 * Raises StoreUnavailable if other rows are read back. `onRows` gets the number of rows so far.
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
    const copied = await replaceRows(into, contents, company.id, (count) => onRows(rows + count));
    await replaceImports(into, await contents.imports(company.id));
    await into.replaceStates(await contents.states(company.id));
    rows += copied.rows;
  }
  const restored = new Set(companies.map(({ id }) => id));
  for (const id of transaction.companiesBefore) if (!restored.has(id)) await transaction.removeCompany(id);
  await transaction.addSecrets(await contents.keys(), await contents.feeds());
}
