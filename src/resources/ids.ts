// The forms of all ids and API keys (docs/api.md, Identifiers). An id is opaque to callers; only its kind can be read from it.
import { z } from "zod";
import { type Day, formatDay, parseDay } from "../time/day.ts";

/** The prefix of each kind of id. Ids of requests and assignments may have none. A new kind needs a line here and in `EXAMPLE_ID`. */
export const ID_PREFIX = {
  worker: "wrk_",
  policy: "top_",
  timeOffType: "tot_",
  request: "tor_",
  assignment: "toa_",
  balance: "tob_",
  day: "tod_",
  movement: "tom_",
  expiration: "tox_",
  capacity: "toc_",
  department: "dpt_",
  workplace: "wkp_",
  holiday: "hol_",
  holidayCalendar: "hca_",
} as const;

export type IdKind = keyof typeof ID_PREFIX;

const OPAQUE = "[A-Za-z0-9_-]{1,64}";

/** Prefixes that an id of another kind must not have. The list is that of 1.0: a longer one would refuse ids that were accepted. */
const RESERVED = ["wrk_", "top_", "tot_", "tor_", "toa_", "tob_", "dpt_", "wkp_", "tod_", "hol_", "hca_"];

/** The form of an id that may be made elsewhere: any opaque id without another kind's prefix. */
export function lenientShape(prefix: string): RegExp {
  return new RegExp(`^(?!${RESERVED.filter((other) => other !== prefix).join("|")})(?:${prefix})?${OPAQUE}$`);
}

/** Kinds whose ids may be made elsewhere. */
const MADE_ELSEWHERE: ReadonlySet<string> = new Set(["request", "assignment"] satisfies IdKind[]);

/** Kinds of computed rows, whose ids are made from their keys. */
type RowKind = "movement" | "expiration" | "capacity";
const ROW_KINDS: ReadonlySet<string> = new Set(["movement", "expiration", "capacity"] satisfies RowKind[]);

/** The id of a day of leave: the date, and the request's id. */
const DAY_SHAPE = new RegExp(`^${ID_PREFIX.day}\\d{8}_${lenientShape(ID_PREFIX.request).source.slice(1)}`);

function shapeOf([kind, prefix]: [kind: string, prefix: string]): [string, RegExp] {
  if (kind === "day") return [kind, DAY_SHAPE];
  if (ROW_KINDS.has(kind)) return [kind, new RegExp(`^${prefix}[A-Za-z0-9_-]+$`)];
  return [kind, MADE_ELSEWHERE.has(kind) ? lenientShape(prefix) : new RegExp(`^${prefix}${OPAQUE}$`)];
}

const SHAPE = Object.fromEntries(Object.entries(ID_PREFIX).map(shapeOf)) as Readonly<Record<IdKind, RegExp>>; // one entry per kind

const CAPITAL = /[A-Z]/g;

/** The noun for a kind: `holidayCalendar` is a "holiday calendar". */
export function nounOf(kind: IdKind): string {
  return kind === "timeOffType"
    ? "time-off type"
    : kind.replaceAll(CAPITAL, (letter) => ` ${letter.toLowerCase()}`);
}

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** The error code of a retrieval for an unknown id: `worker_not_found`. */
export type NotFoundCode<K extends IdKind = IdKind> = `${SnakeCase<K>}_not_found`;

export function notFoundCode<K extends IdKind>(kind: K): NotFoundCode<K> {
  const words = kind.replaceAll(CAPITAL, (letter) => `_${letter.toLowerCase()}`);
  return `${words}_not_found` as NotFoundCode<K>; // the words in snake case
}

/** The form of a valid id of this kind, for messages. */
export function idShape(kind: IdKind): string {
  if (kind === "day") return "an id of a day of leave from the list, such as tod_20261130_tor_1q2w";
  const name = `${/^[aeiou]/.test(kind) ? "an" : "a"} ${nounOf(kind)} id`;
  if (ROW_KINDS.has(kind)) return `${name} from their list`;
  if (kind === "balance") return `${name} from a balance list, such as tob_03abcxyz`;
  const characters = "1 to 64 of A–Z a–z 0–9 _ -";
  return MADE_ELSEWHERE.has(kind)
    ? `${name}: ${characters}, not beginning with another kind's prefix`
    : `${name}: ${ID_PREFIX[kind]} and ${characters}`;
}

/** Whether `text` has the form of an id of this kind (docs/api.md, Identifiers). */
export function isId(kind: IdKind, text: string): boolean {
  if (kind === "balance") return parseBalanceId(text) !== null;
  return kind === "day" ? parseDayId(text) !== null : SHAPE[kind].test(text);
}

/** Whether `text` can retrieve an object of this kind. The id of an assignment retrieves its balance, too (docs/api.md, Balance). */
export function isIdFor(kind: IdKind, text: string): boolean {
  return isId(kind, text) || (kind === "balance" && isId("assignment", text));
}

/** The kind whose prefix the id has; null if it has none. */
export function claimedKind(text: string): IdKind | null {
  for (const [kind, prefix] of Object.entries(ID_PREFIX)) {
    if (text.startsWith(prefix)) return kind as IdKind; // the keys of ID_PREFIX are the kinds
  }
  return null;
}

/** A balance's id: `tob_`, the length of the worker's opaque part in two digits, that part, and the policy's opaque part. */
export function balanceId(workerId: string, policyId: string): string {
  const worker = workerId.slice(ID_PREFIX.worker.length);
  return `${ID_PREFIX.balance}${worker.length < 10 ? "0" : ""}${worker.length}${worker}${policyId.slice(ID_PREFIX.policy.length)}`;
}

/** The worker and policy of a balance id; null if it is malformed. */
export function parseBalanceId(text: string): { workerId: string; policyId: string } | null {
  const match = /^tob_(\d\d)([A-Za-z0-9_-]{2,128})$/.exec(text);
  if (match === null) return null;
  const length = Number(match[1]);
  const rest = match[2]!;
  const workerId = ID_PREFIX.worker + rest.slice(0, length);
  const policyId = ID_PREFIX.policy + rest.slice(length);
  if (!isId("worker", workerId) || !isId("policy", policyId)) return null;
  return { workerId, policyId };
}

/** The id of a day of leave: `tod_`, the date without dashes, `_` and the request's id. Ids sort by day. */
export function dayId(day: Day, requestId: string): string {
  return `${ID_PREFIX.day}${formatDay(day).replaceAll("-", "")}_${requestId}`;
}

/** The day and request of a day's id; null if it is malformed. */
export function parseDayId(text: string): { day: Day; requestId: string } | null {
  const match = /^tod_(\d{4})(\d\d)(\d\d)_(.*)$/s.exec(text);
  if (match === null || !SHAPE.day.test(text)) return null;
  const [, year, month, date, requestId] = match;
  const day = parseDay(`${year}-${month}-${date}`);
  return day === null ? null : { day, requestId: requestId! };
}

/** The id of a computed row: its key in base64. The keys have an order, the ids have none. */
export function rowId(kind: RowKind, key: readonly string[]): string {
  return ID_PREFIX[kind] + Buffer.from(key.join("\0")).toString("base64url");
}

/** The key in the id of a computed row. An id that no list returned may hold any texts. */
export function parseRowId(kind: RowKind, id: string): string[] {
  return Buffer.from(id.slice(ID_PREFIX[kind].length), "base64url").toString().split("\0");
}

/** Compares the keys of two rows, text by text. */
export function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [at, text] of a.entries()) {
    const other = b[at] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return a.length - b.length;
}

/** An example id of each kind. They refer to each other. */
export const EXAMPLE_ID: Record<IdKind, string> = {
  worker: "wrk_3f9k2m7q8r5t1v4w6x0z",
  policy: "top_8m2v5x9c1b7n4k6j3h0g",
  timeOffType: "tot_5t8y1u4i7o0p3a6s9d2f",
  request: "tor_1q2w3e4r5t6y7u8i9o0p",
  assignment: "toa_9z8x7c6v5b4n3m2k1j0h",
  balance: "tob_203f9k2m7q8r5t1v4w6x0z8m2v5x9c1b7n4k6j3h0g",
  day: "tod_20260302_tor_1q2w3e4r5t6y7u8i9o0p",
  movement: "tom_AHRvcF84bTJ2NXg5YzFiN240azZqM2gwZwAAdHJ1ZQBmYWxzZQ",
  expiration:
    "tox_d3JrXzNmOWsybTdxOHI1dDF2NHc2eDB6AHRvcF84bTJ2NXg5YzFiN240azZqM2gwZwAyMDI3LTAxLTAxAGNhcnJ5b3ZlckxpbWl0",
  capacity: "toc_ZHB0XzZ5MXU4aTNvNXAwYTdzMmQ0ZjlnADIwMjYtMDMtMDI",
  department: "dpt_6y1u8i3o5p0a7s2d4f9g",
  workplace: "wkp_2h7j4k9l1z6x3c8v5b0n",
  holiday: "hol_4c7v1b8n2m5k9j3h6g0f",
  holidayCalendar: "hca_9m4n7b2v6c1x8z3l5k0j",
};

export function idSchema(kind: Exclude<IdKind, "balance">) {
  return z
    .string()
    .regex(SHAPE[kind], { error: `is not ${idShape(kind)}` })
    .meta({ example: EXAMPLE_ID[kind] });
}

// Minting ------------------------------------------------------------------------------------------------------------

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const CHARACTER_BITS = 5;
const MINTED_BITS = 100;

/**
 * The id for a name in a source system (docs/importing.md, Identity): the prefix and 20 characters of lower-case Crockford
 * base32, the first 100 bits of SHA-256 over company, kind and name. These are separated by NUL, which none of them can contain, so two
 * combinations never give the same text.
 */
export function mintId(prefix: string, companyId: string, kind: string, name: readonly string[]): string {
  const digest = Bun.CryptoHasher.hash("sha256", `${companyId}\0${kind}\0${name.join("\0")}`) as Buffer; // digest() returns its own buffer
  let id = prefix;
  for (let bit = 0; bit < MINTED_BITS; bit += CHARACTER_BITS)
    id += CROCKFORD[(digest.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 0x1f];
  return id;
}

// Secrets: `rk_` for keys and `rc_` for calendar feeds, 32 random base62 characters, and their CRC-32 in base62
// (docs/api.md, Authentication) -----------------------

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_SHAPE = /^(r[kc]_)([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

type SecretPrefix = "rk_" | "rc_";

/** The checksum of the 32 random characters: six base62 digits, most significant first. */
function checksum(random: string): string {
  let rest = Bun.hash.crc32(random); // ISO 3309, the polynomial of zip and PNG
  let digits = "";
  for (let digit = 0; digit < 6; digit++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether `text` has a secret's form and a valid checksum. A mistyped key is refused without a look-up. */
export function isSecret(prefix: SecretPrefix, text: string): boolean {
  const match = SECRET_SHAPE.exec(text);
  return match !== null && match[1] === prefix && checksum(match[2]!) === match[3];
}

/** A secret of 32 random base62 digits, given as numbers from 0 to 61. */
export function secretOf(prefix: SecretPrefix, digits: readonly number[]): string {
  const random = digits.map((digit) => BASE62[digit]).join("");
  return `${prefix}${random}${checksum(random)}`;
}
