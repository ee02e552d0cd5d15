// Making a store what a backup holds. Keys stay as they are now: what was revoked or made since is not undone.
import { type Contents, type StoreTransaction, StoreUnavailable } from "../store.ts";
import { matchFacts } from "./copy.ts";

/**
 * Makes the transaction's store hold these companies with their facts, and no others. The keys of companies that are
 * gone go; of the others, those that are missing come back. What was written is read back and compared by digest:
 * raises StoreUnavailable where it differs. `onRows` is told how many rows there are so far.
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
    const facts = transaction.facts(company.id);
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
}
