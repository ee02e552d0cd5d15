// What a query string means, computed from the contract without the server's code: which parameters are bad, or what the
// valid ones mean.

export interface Rules {
  readonly isOfBalances?: boolean;
  readonly path: string;
  /** The shape of a cursor; absent where the endpoint is no list. */
  readonly cursor?: RegExp;
  readonly lists: Readonly<Record<string, RegExp>>;
  /** Lists that are not split at commas; any value but an empty one is right. */
  readonly texts?: readonly string[];
  readonly singles: Readonly<Record<string, (text: string) => boolean>>;
}

const OPAQUE = "[A-Za-z0-9_-]{1,64}";
const id = (prefix: string) => new RegExp(`^${prefix}_${OPAQUE}$(?!\n)`);
const imported = (own: string) => {
  const foreign = ["wrk", "top", "tot", "tor", "toa", "tob"].filter((prefix) => prefix !== own);
  return new RegExp(`^(?!(?:${foreign.join("|")})_)(?:${own}_${OPAQUE}|${OPAQUE})$`);
};

const LEAP = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export function isDay(text: string): boolean {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (found === null) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const lengths = [31, LEAP(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return month >= 1 && month <= 12 && day >= 1 && day <= lengths[month - 1]!;
}

export function isInstant(text: string): boolean {
  if (isDay(text)) return true;
  const time =
    /^[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;
  return isDay(text.slice(0, 10)) && time.test(text.slice(10));
}

function isEmail(text: string): boolean {
  const [local, domain, ...more] = text.split("@");
  if (!local || !domain || more.length > 0 || [...text].length > 254) return false;
  return (
    domain.split(".").length > 1 &&
    domain.split(".").every((label) => label !== "") &&
    !/[\s\p{Cc}]/u.test(text)
  );
}

const lists = { policyIds: id("top"), workerIds: id("wrk"), departmentIds: id("dpt"), managerIds: id("wrk") };

/** Days are text here: the queries that are tried hold no instant whose UTC day differs in year 0 or 9999. */
export const RULES: readonly Rules[] = [
  {
    path: "/v1/workers",
    cursor: id("wrk"),
    lists: {
      statuses: /^(draft|invited|onboarding|active|offboarding|inactive)$/,
      types: /^(employee|contractor)$/,
      managerIds: id("wrk"),
      departmentIds: id("dpt"),
      workplaceIds: id("wkp"),
    },
    texts: ["legacyIds"],
    singles: { workEmail: isEmail },
  },
  { path: "/v1/workers/wrk_a", lists: {}, singles: {} },
  { path: "/v1/time_off/policies", cursor: id("top"), lists: {}, texts: ["legacyIds"], singles: {} },
  { path: "/v1/time_off/policies/top_a", lists: {}, singles: {} },
  { path: "/v1/time_off/requests/tor_a", lists: {}, singles: {} },
  { path: "/v1/company", lists: {}, singles: {} },
  {
    path: "/v1/time_off/requests",
    cursor: imported("tor"),
    lists: { ...lists, statuses: /^(pending|approved|denied)$/ },
    texts: ["legacyIds"],
    singles: {
      startsBefore: isInstant,
      startsOnOrAfter: isInstant,
      endsBefore: isInstant,
      endsOnOrAfter: isInstant,
    },
  },
  {
    path: "/v1/time_off/balances",
    cursor: new RegExp(`^wrk_[A-Za-z0-9_-]{1,64}$|^tob_.*$|${imported("toa").source}`),
    isOfBalances: true,
    lists,
    singles: { startDate: isInstant, endDate: isInstant },
  },
  { path: "/v1/time_off/assignments", cursor: imported("toa"), lists, singles: {} },
];

/** Whether a cursor of balances can only be an assignment's id: of an assignment that there is not, nobody knows the position. */
const isOfAssignment = (text: string) => !/^(?:wrk|tob)_/.test(text);

function isCursor(cursor: RegExp, text: string): boolean {
  if (!cursor.test(text)) return false;
  const balance = /^tob_([0-9]{2})([A-Za-z0-9_-]*)$/.exec(text);
  if (!text.startsWith("tob_")) return true;
  if (balance === null) return false;
  const [workerLength, rest] = [Number(balance[1]), balance[2]!.length];
  return workerLength >= 1 && workerLength <= 64 && rest > workerLength && rest - workerLength <= 64;
}

/** The names of all bad parameters, sorted; none for a query that must get a 200. */
export function badParameters(
  { cursor, lists, texts = [], singles, isOfBalances = false }: Rules,
  query: string,
): string[] {
  const single: Record<string, (text: string) => boolean> = { ...singles };
  if (cursor !== undefined) {
    single.limit = (text) => /^[0-9]+$/.test(text) && Number(text) >= 1 && Number(text) <= 100;
    single.afterId = (text) => isCursor(cursor, text);
    single.beforeId = (text) => isCursor(cursor, text);
  }
  const listed: Record<string, RegExp> = { ...lists };
  for (const name of texts) listed[name] = /./su;
  const bad = new Set<string>();
  const seen = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const bare = name.replace(/\[[0-9]{0,9}\]$/, "");
    if (Object.hasOwn(listed, bare))
      seen.set(bare, [...(seen.get(bare) ?? []), ...(texts.includes(bare) ? [value] : value.split(","))]);
    else if (Object.hasOwn(single, name)) seen.set(name, [...(seen.get(name) ?? []), value]);
    else bad.add(name);
  }
  if (String(seen.get("limit")) === "" && seen.get("limit")?.length === 1) seen.delete("limit"); // as if it was left out
  for (const [name, values] of seen) {
    const shape = listed[name];
    const isRight =
      shape === undefined
        ? values.length === 1 && single[name]!(values[0]!)
        : values.length <= 200 && values.every((value) => shape.test(value));
    if (!isRight) bad.add(name);
  }
  if (seen.has("afterId") && seen.has("beforeId")) bad.add("afterId").add("beforeId");
  for (const name of badDays(seen, bad)) bad.add(name);
  // What is well-formed is looked up only then. No assignment of the test's company is a cursor here.
  if (bad.size === 0 && isOfBalances)
    for (const name of ["afterId", "beforeId"])
      if (isOfAssignment(seen.get(name)?.[0] ?? "wrk_")) bad.add(name);
  return [...bad].sort();
}

const utcDay = (text: string) => new Date(text.toUpperCase()).toISOString().slice(0, 10);

/** Today is 2026-03-01. */
function badDays(seen: ReadonlyMap<string, readonly string[]>, bad: ReadonlySet<string>): string[] {
  const day = (name: string) => (seen.has(name) && !bad.has(name) ? utcDay(seen.get(name)![0]!) : undefined);
  const [start, end] = [day("startDate"), day("endDate")];
  const found: string[] = [];
  if (end !== undefined && end > "2036-03-01") found.push("endDate");
  if (start !== undefined && end !== undefined && start > end) found.push("startDate");
  return found;
}
