// Ids: which shapes an import accepts, and how they are minted (docs/importing.md, Identity).
import { ID_PREFIX, type IdKind, idShape, isId } from "../../resources/ids.ts";
import type { FactKind } from "../../store/tables.ts";
import { idField } from "../values.ts";

/** Adjustments are not on the wire, so their ids are known here only. */
const ADJUSTMENT_PREFIX = "adj_";
const OPAQUE_ID = /^[A-Za-z0-9_-]{1,68}$/;

function isAdjustmentId(text: string): boolean {
  return OPAQUE_ID.test(text) && !Object.values(ID_PREFIX).some((prefix) => text.startsWith(prefix));
}

const contractId = (kind: Exclude<IdKind, "balance">) => idField((text) => isId(kind, text), idShape(kind));

/** The `id` field of each kind; null where a row has none. */
export const idOf = {
  worker: contractId("worker"),
  policy: contractId("policy"),
  timeOffType: contractId("timeOffType"),
  request: contractId("request"),
  assignment: contractId("assignment"),
  adjustment: idField(
    isAdjustmentId,
    "an adjustment id: 1 to 64 of A–Z a–z 0–9 _ - (after adj_, or alone), not beginning with another kind's prefix",
  ),
};

const MINTED_PREFIX = {
  workers: ID_PREFIX.worker,
  policies: ID_PREFIX.policy,
  requests: ID_PREFIX.request,
  assignments: ID_PREFIX.assignment,
  adjustments: ADJUSTMENT_PREFIX,
  timeOffTypes: ID_PREFIX.timeOffType,
} as const satisfies Partial<Record<FactKind | "timeOffTypes", string>>;

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const MINTED_CHARACTERS = 20;

const digest = new Uint8Array(32);

/**
 * The id of what a source system calls `name` (for an assignment: the ids of worker and policy): the prefix and 20
 * characters of lower-case Crockford base32, the first 100 bits of SHA-256 over company, kind and name. These are
 * kept apart by NUL, which none of them can contain, so that no two combinations run together.
 */
export function mintedId(
  companyId: string,
  kind: keyof typeof MINTED_PREFIX,
  ...name: readonly string[]
): string {
  Bun.CryptoHasher.hash("sha256", `${companyId}\0${kind}\0${name.join("\0")}`, digest);
  let id: string = MINTED_PREFIX[kind];
  let bits = 0;
  let bitCount = 0;
  for (let at = 0, length = 0; length < MINTED_CHARACTERS; length++) {
    if (bitCount < 5) {
      bits = ((bits << 8) | digest[at++]!) & 0xfff;
      bitCount += 8;
    }
    bitCount -= 5;
    id += CROCKFORD[(bits >> bitCount) & 31];
  }
  return id;
}
