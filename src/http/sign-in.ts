// Who is signed in, and what they may see. A trusted proxy names people in headers, as oauth2-proxy and Cloudflare Access do
// (docs/security.md, Sign-in through a proxy), or an identity provider names them in claims.
import { createHash } from "node:crypto";
import { z } from "zod";
import { emailSchema } from "../resources/cells.ts";
import type { Refusal } from "../resources/problems.ts";
import { FULL_ACCESS, type StoredKey } from "../store/store.ts";
import { HttpProblem, refused } from "./problems.ts";

/**
 * What a person may see: everything; everything but the reasons of requests; only who is away; their own data (`self`); or their own and
 * that of the people below them (`reports`). `+away` adds who is away in the whole company.
 */
export const ACCESSES = [
  "everything",
  "no-reasons",
  "away",
  "self",
  "self+away",
  "reports",
  "reports+away",
] as const;
export type Access = (typeof ACCESSES)[number];

/** Which workers' rows this access level can read. */
export function visibleWorkers(access: Access): "company" | "self" | "reports" {
  if (access.startsWith("self")) return "self";
  return access.startsWith("reports") ? "reports" : "company";
}

/** Whether this access level sees who is away in the whole company. */
export function seesAway(access: Access): boolean {
  return access !== "self" && access !== "reports";
}

export interface GroupRule {
  /** A group of the provider, a person's address, `@` and a domain, or `*` for everybody who is signed in. */
  readonly group: string;
  readonly companyId: string;
  readonly access: Access;
}

export interface ProxyAuth {
  /** The header with the person's name. */
  readonly userHeader: string;
  /** The header with their groups; null if the proxy sets none. */
  readonly groupsHeader: string | null;
  /** The first rule that matches decides. */
  readonly rules: readonly GroupRule[];
  /** Whom people may ask for more access; null for the operator. */
  readonly contact?: string | null;
}

/** Somebody whom a proxy or an identity provider has signed in. */
export interface SignedIn {
  /** Identifies the person in limits, logs and metrics: a digest of the name, so unique. */
  readonly id: string;
  /** As the provider names them. Shown only to the person, and never logged. */
  readonly user: string;
  readonly companyId: string;
  readonly access: Access;
  readonly contact: string | null;
}

/** The caller of a request. The `key` of a signed-in person is not stored: `keyOf` makes it from their access. */
export interface Caller {
  readonly key: StoredKey;
  readonly person: SignedIn | null;
}

/** Whether the reasons of requests and departures are null for this key. */
export function hidesReasons({ access }: StoredKey): boolean {
  return access.level !== "everything";
}

/** Whether the caller sees only some workers of the company. */
export function isLimited({ key: { access }, person }: Caller): boolean {
  if (person !== null) return visibleWorkers(person.access) !== "company";
  return [access.workers, access.departments, access.managers].some(({ length }) => length > 0);
}

/** Who requests a path of the page: a person by access level, a key of a whole company, an away key, or a limited key. */
export type Opener = Access | "key" | "away key" | "limited key";

export function openerOf(caller: Caller): Opener {
  const { key, person } = caller;
  if (person !== null) return person.access;
  return key.access.level === "away" ? "away key" : isLimited(caller) ? "limited key" : "key";
}

export function isPerson(opener: Opener): opener is Access {
  return !opener.endsWith("key");
}

/** Longer than any address. */
const MAX_USER_CHARACTERS = 320;

/** The person that a trusted proxy names; null for nobody. Raises a 401 for an unusable name, and a 403 if no rule matches. */
export function signedIn(
  { userHeader, groupsHeader, rules, contact = null }: ProxyAuth,
  headers: Headers,
): SignedIn | null {
  const user = headerText(headers.get(userHeader)).trim();
  if (user === "") return null;
  // Two headers of one name arrive joined by a comma: a caller may have sent one of them.
  if (user.includes(",") || user.length > MAX_USER_CHARACTERS) {
    throw refused(
      `The proxy in front names no single person in ${userHeader}: it must replace that header, not add to it.`,
    );
  }
  const groups = groupsHeader === null ? [] : groupsIn(headerText(headers.get(groupsHeader)));
  return personOf(user, groups, rules, contact);
}

/** Decodes a header, which arrives with a character for each byte: UTF-8 if the bytes are valid UTF-8, else Latin-1. */
function headerText(value: string | null): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value ?? "", "latin1"));
  } catch {
    return value ?? "";
  }
}

/** Proxies separate groups by commas or semicolons, or send a JSON array. */
function groupsIn(text: string): string[] {
  let groups: readonly unknown[] = text.split(/[,;]/);
  try {
    const named: unknown = JSON.parse(text);
    if (Array.isArray(named)) groups = named;
  } catch {
    // Not JSON: a plain list.
  }
  return groups.map((group) => String(group).trim()).filter((group) => group !== "");
}

/** The claims that name somebody's work address and groups. Providers differ. */
export interface ClaimNames {
  readonly address: string;
  readonly groups: string;
}

/** The claims of OpenID Connect Core 5.1, and the one that most providers can send beside them. */
export const USUAL_CLAIMS: ClaimNames = { address: "email", groups: "groups" };

/** One name, or a list of them: nothing else is taken for a group. */
const groupsSchema = z.union([z.string(), z.array(z.string())]);

function namesGroups(rules: readonly GroupRule[]): boolean {
  return rules.some(({ group }) => group !== "*" && !group.includes("@"));
}

/** Providers say only of the claim `email` whether it is verified. */
const isVerifiable = ({ address }: ClaimNames) => address === USUAL_CLAIMS.address;

/** The claims that name somebody by these rules. */
export function neededClaims(rules: readonly GroupRule[], names: ClaimNames): string[] {
  return [
    names.address,
    ...(isVerifiable(names) ? ["email_verified"] : []),
    ...(namesGroups(rules) ? [names.groups] : []),
  ];
}

/** The scopes with which providers send these claims: `profile` has names of accounts. */
export function scopesFor(rules: readonly GroupRule[], names: ClaimNames): string[] {
  return [
    ...["openid", "email"],
    ...(isVerifiable(names) ? [] : ["profile"]),
    ...(namesGroups(rules) ? ["groups"] : []),
  ];
}

/**
 * Reads the address and the groups from the claims of an identity provider. Raises a 403 for an `email` that is not verified, because
 * people could choose another's; for groups that were left out; and with `headers` if there is no address. The operator vouches for
 * any other claim. `source`: what has the claims, for messages.
 */
export function namedIn(
  claims: Readonly<Record<string, unknown>>,
  { rules, claims: names }: { readonly rules: readonly GroupRule[]; readonly claims: ClaimNames },
  source: string,
  headers: Readonly<Record<string, string>> = {},
): { readonly user: string; readonly groups: readonly string[] } {
  const { [names.groups]: groups = [], [names.address]: address } = claims;
  const named = groupsSchema.safeParse(groups);
  if (!named.success)
    throw new HttpProblem(
      "missing_scope",
      `The claim ${names.groups} of ${source} is no name and no list of names.`,
    );
  // Some providers join the names. No rule has such a text, so a later rule would decide, which may show more.
  const isJoined = typeof named.data === "string" && /[,;]/.test(named.data);
  if (isJoined && namesGroups(rules) && !rules.some(({ group }) => group === named.data))
    throw new HttpProblem(
      "missing_scope",
      `The claim ${names.groups} of ${source} is one text with commas or semicolons: let the provider send a list of names.`,
    );
  // Without these groups, a later rule would decide, which may show more (OpenID Connect Core, 5.6.2).
  if (namesGroups(rules) && Object.hasOwn(Object(claims._claim_names), names.groups))
    throw new HttpProblem(
      "missing_scope",
      `The claim ${names.groups} of ${source} is left out, because this person is in too many groups: let the provider send only those that rules name.`,
    );
  const isVerified = !isVerifiable(names) || claims.email_verified === true;
  if (isVerified && emailSchema.safeParse(address).success)
    return { user: String(address), groups: [named.data].flat() };
  const needed = isVerifiable(names)
    ? "the claims email and email_verified, and the latter must be true"
    : `an address in the claim ${names.address}`;
  throw new HttpProblem("missing_scope", `${source.replace(/^t/, "T")} names nobody: it needs ${needed}.`, {
    headers: address === undefined ? headers : {},
  });
}

const GROUPS_SHOWN = 20;

/** The groups in an error, so that the person or their operator can compare them with the rules. */
function shownGroups(groups: readonly string[]): string {
  const shown = groups.slice(0, GROUPS_SHOWN).map((group) => group.slice(0, 100));
  if (groups.length > GROUPS_SHOWN) shown.push("…");
  return shown.join(", ");
}

/** Characters that Unicode turns into ASCII ones: the long s, the Kelvin sign, two Greek signs. They would make one name another's. */
const LIKE_ASCII = /[\u017f\u212a\u037e\u1fef]/;

/** The person with this name and these groups. Raises a 403 if no rule matches. */
export function personOf(
  name: string,
  groups: readonly string[],
  rules: readonly GroupRule[],
  contact: string | null,
): SignedIn {
  const user = name.normalize("NFC");
  const rule = ruleFor(user, groups, rules);
  if (rule === undefined || LIKE_ASCII.test(name)) {
    const told = groups.length === 0 ? {} : { groups: shownGroups(groups) };
    throw refusal("noGroup", { user, ...told }, contact);
  }
  return { id: `user_${digest(user)}`, user, companyId: rule.companyId, access: rule.access, contact };
}

/** The first rule that fits decides. `user`: composed (NFC). */
function ruleFor(user: string, groups: readonly string[], rules: readonly GroupRule[]) {
  const composed = groups.filter((group) => !LIKE_ASCII.test(group)).map((group) => group.normalize("NFC"));
  return rules.find(({ group }) => fits(group, user, composed));
}

/** The most characters of groups in a sealed cookie, which then stays below the 4,096 bytes that browsers store. */
const GROUPS_KEPT_LENGTH = 800;

/** The group of the rule that decides: alone, it gives the same decision again. If no rule matches, the groups that the refusal names. */
export function decidingGroups(
  name: string,
  groups: readonly string[],
  rules: readonly GroupRule[],
): readonly string[] {
  const rule = ruleFor(name.normalize("NFC"), groups, rules);
  if (rule !== undefined) return [rule.group];
  const told: string[] = [];
  for (const group of groups) {
    if (told.length > GROUPS_SHOWN || told.join("").length + group.length > GROUPS_KEPT_LENGTH) break;
    told.push(group);
  }
  return told;
}

const REFUSAL_TEXTS: Readonly<Record<Refusal["code"], (values: Refusal["values"]) => string>> = {
  noGroup: ({ groups }) => `none of your groups (${groups ?? "none came"}) may see anything here`,
  noWorker: () => "no worker has this work address",
  severalWorkers: () => "several workers have this work address",
  tooManyReports: ({ most }) => `you have more than ${most} reports`,
  noCompany: () => "the company of your group is not on this server",
};

/** The 403 of somebody who is signed in and may see nothing: why, and whom to ask. */
export function refusal(
  code: Refusal["code"],
  values: Refusal["values"],
  contact: string | null = null,
): HttpProblem {
  const who = values.user === undefined ? "" : ` as ${values.user}`;
  const detail = `You are signed in${who}, but ${REFUSAL_TEXTS[code](values)}: ask ${contact ?? "the operator"}.`;
  const allValues = contact === null ? values : { ...values, contact };
  return new HttpProblem("missing_scope", detail, { refusal: { code, values: allValues } });
}

/** The 403 for a rule whose company does not exist. */
export function noCompany(): HttpProblem {
  return refusal("noCompany", {});
}

/** A person's access in the form of a key. A person who sees only who is away has no scopes. */
export function keyOf({ id, companyId, access }: SignedIn): StoredKey {
  return {
    id,
    companyId,
    name: "",
    digest: "",
    scopes: access === "away" ? [] : ["workers:read", "time_off:read"],
    access: { ...FULL_ACCESS, level: access === "no-reasons" || access === "away" ? access : "everything" },
    createdAtMs: 0,
    expiresAtMs: null,
    revokedAtMs: null,
    lastUsedAtMs: null,
  };
}

function fits(group: string, user: string, groups: readonly string[]): boolean {
  if (group === "*") return true;
  if (group.startsWith("@")) return user.toLowerCase().endsWith(group.toLowerCase());
  // Only a rule with `@` is compared with the name: otherwise a user named "hr" would match the group "hr".
  return groups.includes(group) || (group.includes("@") && user.toLowerCase() === group.toLowerCase());
}

function digest(user: string): string {
  return createHash("sha256").update(user.toLowerCase()).digest("hex").slice(0, 16);
}

const RULE = /^(.+)=([a-z0-9-]{1,64}):([a-z+-]+)$/;

/** Parses `group=company:access`; null if the text has another form. */
export function parseGroupRule(text: string): GroupRule | null {
  const [, group, companyId, access] = RULE.exec(text) ?? [];
  const knownAccess = ACCESSES.find((each) => each === access);
  return group === undefined || companyId === undefined || knownAccess === undefined
    ? null
    : { group: group.normalize("NFC"), companyId, access: knownAccess };
}

/** Headers that callers, programs or proxies set themselves, so they cannot name a signed-in person. */
const RESERVED_HEADERS =
  /^(?:accept.*|authorization|connection|content-.*|cookie|forwarded|host|origin|referer|sec-.*|user-agent|via|x-api-key|x-forwarded-(?:for|host|port|proto|server)|x-real-ip|x-request-id)$/;

/** Whether a header may name the person: a valid header name that nothing else uses. mod_auth_openidc writes `OIDC_CLAIM_email`. */
export function isUserHeader(name: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(name) && !RESERVED_HEADERS.test(name);
}
