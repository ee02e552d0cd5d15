// What keys and calendar feeds have in common: they are secrets of a company that expire and can be revoked.
import type { StoredSecret } from "../../../store/store.ts";
import { instantText } from "../../output.ts";

export function statusOf({ revokedAtMs, expiresAtMs }: StoredSecret, nowMs: number) {
  if (revokedAtMs !== null) return "revoked";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "active";
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
