// What keys and calendar feeds share: both are secrets of a company that expire and can be revoked.
import { ID_PREFIX, isId } from "../../../resources/ids.ts";
import { LIST_KINDS, type ListKind } from "../../../resources/kinds.ts";
import { SECRET_IDS_MAX, type StoredSecret, type WriteStore } from "../../../store/store.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { withReadStore, withWriteStore } from "../../open.ts";
import { type StoreOptions, wordsOf } from "../../options.ts";
import { instantText } from "../../output.ts";
import { checkCompany } from "../companies.ts";

export interface ListOptions extends StoreOptions {
  readonly company?: string;
}

/** Lists secrets of one company or of all. Raises CliFailure for an unknown company. */
export function listed<T>(
  { db, company }: ListOptions,
  list: (store: WriteStore) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return withWriteStore(db, async (store) => {
    const secrets = await list(store);
    if (secrets.length === 0) await checkCompany(store, company);
    return secrets;
  });
}

export function statusOf({ revokedAtMs, expiresAtMs }: StoredSecret, nowMs: number) {
  if (revokedAtMs !== null) return "revoked";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "active";
}

/** Finds a secret by its id. Raises UsageError if the secret itself was typed, and CliFailure for an unknown id. */
export function findSecret<T extends StoredSecret>(all: readonly T[], noun: "key" | "feed", id: string): T {
  if (/r[kc]_/.test(id)) {
    throw new UsageError(
      `name the ${noun} by its id (${noun}_...), which rollcall ${noun}s list shows: do not type ${noun === "key" ? "a key itself" : "its address"} here`,
    );
  }
  const secret = all.find((candidate) => candidate.id === id);
  if (secret === undefined) throw new CliFailure(`There is no ${noun} "${id}": see rollcall ${noun}s list`);
  return secret;
}

/** How long a secret works, as a sentence. */
export function expiresText({ expiresAtMs }: StoredSecret): string {
  return `It works until ${expiresAtMs === null ? "it is revoked" : instantText(expiresAtMs)}.`;
}

/** The fields that `--json` shows of keys and feeds alike. */
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

/** Parses ids, separated by commas or spaces. Raises UsageError for another kind of id, and for too many. */
export function parseIds(
  kind: "worker" | "policy" | "department",
  flag: string,
  texts: readonly string[] = [],
): string[] {
  const ids = [...new Set(wordsOf(flag, texts))];
  for (const id of ids) {
    if (!isId(kind, id))
      throw new UsageError(
        `${flag}: "${id}" is not the id of a ${kind}: it begins with ${ID_PREFIX[kind]}, as rollcall ${kind === "policy" ? "balances" : "workers list"} --csv shows it`,
      );
  }
  if (ids.length > SECRET_IDS_MAX)
    throw new UsageError(`${flag}: ${ids.length} ids are more than ${SECRET_IDS_MAX}`);
  return ids;
}

/** Raises CliFailure for ids that the company does not have. */
export async function requireKnown(
  db: string,
  companyId: string,
  named: { readonly [K in ListKind]?: readonly string[] },
): Promise<void> {
  await withReadStore(db, async (reader) => {
    const company = reader.company(companyId);
    for (const kind of LIST_KINDS) {
      const unknown: string[] = [];
      for (const id of named[kind] ?? []) if ((await company.object(kind, id)) === null) unknown.push(id);
      if (unknown.length > 0)
        throw new CliFailure(`Company ${companyId} has no ${kind} with these ids: ${unknown.join(", ")}`);
    }
  });
}
