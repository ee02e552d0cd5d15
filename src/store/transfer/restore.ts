// Restores a backup into a store. Existing keys and feeds stay as they are: one that was revoked since the backup stays revoked.
import { type Contents, type StoreTransaction, StoreUnavailable } from "../store.ts";
import { matchFacts } from "./copy.ts";

/**
 * Makes the store hold exactly these companies and facts. Keys and feeds of removed companies are removed, missing ones come back.
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
    const facts = await transaction.facts(company.id);
    const matched = await matchFacts(facts, contents, company.id, (count) => onRows(rows + count));
    if (matched === null) {
      throw new StoreUnavailable(
        "The store does not give back what was restored: its digest differs. Nothing was changed",
        "check the disk, and try again",
      );
    }
    rows += matched.rows;
  }
  const restored = new Set(companies.map(({ id }) => id));
  for (const id of transaction.companiesBefore) if (!restored.has(id)) await transaction.removeCompany(id);
  await transaction.addKeys(await contents.keys());
  await transaction.addFeeds(await contents.feeds());
}
