// Signing in through a company's identity provider: a proxy in front authenticates people and names them in headers, as
// oauth2-proxy and Cloudflare Access do. Only a trusted proxy is believed (docs/security.md, Sign-in through a proxy).
import { createHash } from "node:crypto";
import { FULL_ACCESS, type StoredKey } from "../store/store.ts";
import { HttpProblem, refused } from "./problems.ts";

/**
 * What a person may see: everything; everything without the reasons of requests; only who is away; what is theirs; and what is theirs or
 * of people below them. The last two also with who is away in the company.
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

/** Whose rows the API gives somebody with this access, if it gives any. */
export function visibleWorkers(access: Access): "company" | "self" | "reports" {
  if (access.startsWith("self")) return "self";
  return access.startsWith("reports") ? "reports" : "company";
}

/** Whether somebody with this access sees who is away in the whole company. */
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
  /** The header with the person, and the one with their groups; null where the proxy sets none. */
  readonly userHeader: string;
  readonly groupsHeader: string | null;
  /** The first that fits decides. */
  readonly rules: readonly GroupRule[];
  /** Whom somebody may ask who sees nothing, or not enough; null: the operator. */
  readonly contact?: string | null;
}

/** Somebody whom the proxy has signed in. */
export interface SignedIn {
  /** Stands for the person in limits, logs and metrics: a digest of the name, which is nobody else's. */
  readonly id: string;
  /** As the provider has it: for the person alone, never for a log. */
  readonly user: string;
  readonly companyId: string;
  readonly access: Access;
  readonly contact: string | null;
}

/** Whose request it is. Somebody whom a proxy has signed in has no key; this one says what they may read. */
export interface Caller {
  readonly key: StoredKey;
  readonly person: SignedIn | null;
}

/** Whether every reason of a request, and why a worker left, is null for the key. */
export function hidesReasons({ access }: StoredKey): boolean {
  return access.level !== "everything";
}

/** Whether the caller sees some workers of the company alone. */
export function isLimited({ key: { access }, person }: Caller): boolean {
  if (person !== null) return visibleWorkers(person.access) !== "company";
  return [access.workers, access.departments, access.managers].some(({ length }) => length > 0);
}

/** Who asks for a path of the page: a person, by their access; or a key of a whole company, of who is away, or of some workers. */
export type Opener = Access | "key" | "away key" | "limited key";

export function openerOf(caller: Caller): Opener {
  const { key, person } = caller;
  if (person !== null) return person.access;
  return key.access.level === "away" ? "away key" : isLimited(caller) ? "limited key" : "key";
}

/** Whether it is a person. */
export function isPerson(opener: Opener): opener is Access {
  return !opener.endsWith("key");
}

/** Longer than any address. */
const MAX_USER_CHARACTERS = 320;

/** The person that a trusted proxy names; null for nobody. Raises a 401 for no name, and a 403 if no rule lets them in. */
export function signedIn(
  { userHeader, groupsHeader, rules, contact = null }: ProxyAuth,
  headers: Headers,
): SignedIn | null {
  const user = headerText(headers.get(userHeader)).trim();
  if (user === "") return null;
  // Two headers of one name arrive joined by a comma: then a caller may have sent one of them.
  if (user.includes(",") || user.length > MAX_USER_CHARACTERS) {
    throw refused(
      `The proxy in front names no single person in ${userHeader}: it must replace that header, not add to it.`,
    );
  }
  const groups = groupsHeader === null ? [] : groupsIn(headerText(headers.get(groupsHeader)));
  return personOf(user, groups, rules, contact);
}

/** A header arrives with a character for each byte. It is UTF-8 if its bytes are, else Latin-1. */
function headerText(value: string | null): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value ?? "", "latin1"));
  } catch {
    return value ?? "";
  }
}

/** Proxies separate groups by commas or semicolons, or write them as an array in JSON. */
function groupsIn(text: string): string[] {
  let groups: readonly unknown[] = text.split(/[,;]/);
  try {
    const named: unknown = JSON.parse(text);
    if (Array.isArray(named)) groups = named;
  } catch {
    // It is a list.
  }
  return groups.map((group) => String(group).trim()).filter((group) => group !== "");
}

const GROUPS_SHOWN = 20;

/** For the person whom no rule lets in: they, or their operator, see which name was expected. */
function shownGroups(groups: readonly string[]): string {
  if (groups.length === 0) return " (none came)";
  const shown = groups.slice(0, GROUPS_SHOWN).map((group) => group.slice(0, 100));
  if (groups.length > GROUPS_SHOWN) shown.push(`and ${groups.length - GROUPS_SHOWN} more`);
  return ` (${shown.join(", ")})`;
}

/**
 * The long s, the Kelvin sign and the Greek signs that NFC writes as "`" and ";": a name with them becomes one of ASCII, which is
 * somebody else's.
 */
const LIKE_ASCII = /[\u017f\u212a\u037e\u1fef]/;

/** The person with this name and in these groups. Raises a 403 if no rule lets them in. */
export function personOf(
  name: string,
  groups: readonly string[],
  rules: readonly GroupRule[],
  contact: string | null,
): SignedIn {
  const user = name.normalize("NFC");
  const composed = groups.filter((group) => !LIKE_ASCII.test(group)).map((group) => group.normalize("NFC"));
  const rule = rules.find(({ group }) => fits(group, user, composed));
  if (rule === undefined || LIKE_ASCII.test(name)) {
    throw new HttpProblem(
      "missing_scope",
      `You are signed in as ${user}, but none of your groups${shownGroups(groups)} may see anything here: ${askFor({ contact })}.`,
    );
  }
  return { id: `user_${digest(user)}`, user, companyId: rule.companyId, access: rule.access, contact };
}

/** What somebody can do who does not see enough. */
export function askFor({ contact }: Pick<SignedIn, "contact">): string {
  return `ask ${contact ?? "the operator"}`;
}

/** The company of the person's rule does not exist. */
export function noCompany(): HttpProblem {
  return new HttpProblem(
    "missing_scope",
    "You are signed in, but the company of your group is not on this server: ask the operator.",
  );
}

/** What the person may read, in the form of a key. Who may only see who is away has no scope. */
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
  // Without the condition, somebody with the user name "hr" would be of the group "hr".
  return groups.includes(group) || (group.includes("@") && user.toLowerCase() === group.toLowerCase());
}

function digest(user: string): string {
  return createHash("sha256").update(user.toLowerCase()).digest("hex").slice(0, 16);
}

const RULE = /^(.+)=([a-z0-9-]{1,64}):([a-z+-]+)$/;

/** `group=company:access`. Null if the text is not that. */
export function parseGroupRule(text: string): GroupRule | null {
  const [, group, companyId, access] = RULE.exec(text) ?? [];
  const known = ACCESSES.find((each) => each === access);
  return group === undefined || companyId === undefined || known === undefined
    ? null
    : { group: group.normalize("NFC"), companyId, access: known };
}

/** Headers that callers, programs or proxies send of themselves: none of them can name who is signed in. */
const UNFIT =
  /^(?:accept.*|authorization|connection|content-.*|cookie|forwarded|host|origin|referer|sec-.*|user-agent|via|x-api-key|x-forwarded-(?:for|host|port|proto|server)|x-real-ip|x-request-id)$/;

/** Whether a header may name the person: a valid header name that nothing else uses. mod_auth_openidc writes `OIDC_CLAIM_email`. */
export function isUserHeader(name: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(name) && !UNFIT.test(name);
}
