// What keys and calendar feeds have in common: they are secrets of a company that expire and can be revoked.
import type { StoredSecret, WriteStore } from "../../../store/store.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { withWriteStore } from "../../open.ts";
import type { StoreOptions } from "../../options.ts";
import { instantText } from "../../output.ts";
import { checkCompany } from "../companies.ts";

export interface ListOptions extends StoreOptions {
  readonly company?: string;
}

/** What a company, or each, has of something. Raises a failure for a company that there is not. */
export function listed<T>(
  { db, company }: ListOptions,
  list: (store: WriteStore) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return withWriteStore(db, async (store) => {
    const found = await list(store);
    if (found.length === 0) await checkCompany(store, company);
    return found;
  });
}

export function statusOf({ revokedAtMs, expiresAtMs }: StoredSecret, nowMs: number) {
  if (revokedAtMs !== null) return "revoked";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "active";
}

/** The one with this id. Raises UsageError where the secret itself was typed, and CliFailure for an id that none has. */
export function findSecret<T extends StoredSecret>(all: readonly T[], noun: "key" | "feed", id: string): T {
  if (/r[kc]_/.test(id)) {
    throw new UsageError(
      `name the ${noun} by its id (${noun}_...), which rollcall ${noun}s list shows: do not type ${noun === "key" ? "a key itself" : "its address"} here`,
    );
  }
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new CliFailure(`There is no ${noun} "${id}": see rollcall ${noun}s list`);
  return found;
}

/** A sentence for people. */
export function expiresText({ expiresAtMs }: StoredSecret): string {
  return `It works until ${expiresAtMs === null ? "it is revoked" : instantText(expiresAtMs)}.`;
}

/** What `--json` gives of both. */
export function describedSecret(secret: StoredSecret, nowMs: number) {
  return {
    id: secret.id,
    company: secret.companyId,
    name: secret.name,
    status: statusOf(secret, nowMs),
    createdAt: instantText(secret.createdAtMs),
    expiresAt: instantText(secret.expiresAtMs),
    revokedAt: instantText(secret.revokedAtMs),
  };
}
