// Reading everything that a store or a backup holds, with a digest that is the same wherever it is read from.

import type { Company, Contents, StoredKey } from "../store.ts";
import type { FactKind, Rows } from "../tables.ts";
import { FactsDigest } from "./digest.ts";

export interface Visitor {
  company(company: Company): void;
  key(key: StoredKey): void;
  rows<K extends FactKind>(companyId: string, kind: K, rows: readonly Rows[K][]): Promise<void>;
}

const NOBODY: Visitor = { company() {}, key() {}, async rows() {} };

/** Shows all of it to the visitor, and returns its SHA-256 in hexadecimal; flat in memory. */
export async function readThrough(contents: Contents, visitor: Visitor = NOBODY): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const line = (value: unknown) => hasher.update(`${JSON.stringify(value)}\n`);
  for (const { id, name, createdAtMs } of await contents.companies()) {
    visitor.company({ id, name, createdAtMs });
    const facts = new FactsDigest();
    await contents.export(id, async (kind, rows) => {
      facts.add(kind, rows);
      await visitor.rows(id, kind, rows);
    });
    line([id, name, createdAtMs, facts.hex()]);
  }
  for (const key of await contents.keys()) {
    visitor.key(key);
    line([
      key.id,
      key.companyId,
      key.name,
      key.digest,
      key.scopes,
      key.createdAtMs,
      key.expiresAtMs,
      key.revokedAtMs,
      key.lastUsedAtMs,
    ]);
  }
  return hasher.digest("hex");
}
