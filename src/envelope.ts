// What an API says beside the rows of a response: that there are more, or that it failed.

interface Member {
  readonly path: string;
  /** The letters of its key. */
  readonly name: string;
  readonly value: unknown;
}

/** Objects beside the rows that tell of pages, by the letters of their names. */
const TELLS_OF_PAGES = /^(?:d|response)$|meta|pag(?:e|ing|ination)|link|cursor|info|context|additionaldata/;
const MAX_DEPTH = 4;

const MORE =
  /^(?:has|is|there(?:are|is))?(?:more|next(?:page)?|truncated|incomplete)(?:items|records|results|pages|data|rows|available|itemsincollection)?$/;
const ENDS = /^(?:is)?(?:first|last)(?:page)?$|^(?:is)?(?:done|complete|finished)$/;
const OTHER_PAGE =
  /^(?:odata)?(?:next|prev(?:ious)?)(?:page|records|results|batch)?(?:token|cursor|link|ur[li]|href|offset|start|index|number|key|marker|after)?$|^(?:next)?continuation(?:token)?$/;
const TOTAL =
  /^(?:grand)?total(?:count|elements|results|items|records|rows|entries|objects|hits|size|number|employees|workers)?$|^(?:odatacount|numfound|numberofresults|recordstotal|recordsfiltered)$/;
const COUNT = /^(?:row|record|result|item)?s?count$/;
const PAGES = /^(?:total|num(?:berof)?|last)?pages?(?:count|total|number)?$|^(?:current|total)pages?$/;
const CURSOR = /^(?:end)?cursor$|^(?:scrollid|offset)$/;
const PAGE_SIZE = /^(?:limit|(?:items|rows|results|records)?perpage|(?:max)?pagesize|size|maxresults|top)$/;

/**
 * The member that says that a response has not all rows of its list, in words; null if none does. `rows` is the path of the list. `page` is
 * the number of a last page, from 1: then only what is certain counts, and no total of a later page.
 */
export function moreIn(body: unknown, rows: string | undefined, count: number, page?: number): string | null {
  const members = holdersIn(body, rows).flatMap(([path, holder]) => membersOf(holder, path, 0));
  const named = (pattern: RegExp) => members.filter(({ name }) => pattern.test(name));
  const isNo = ({ value }: Member) => /^(?:false|no|0)$/i.test(String(value));
  const isYes = ({ value }: Member) => /^(?:true|yes|1)$/i.test(String(value));
  const isOther = (member: Member) => !isNo(member) && saysAnything(member.value);
  const numberOf = ({ value }: Member) => (/^\d+$/.test(String(value)) ? Number(value) : Number.NaN);
  const isLater = (page ?? 1) > 1;
  const totals = isLater ? [] : named(TOTAL);
  const counts = isLater ? [] : named(COUNT);
  const certain =
    named(MORE).find(isYes) ??
    named(ENDS).find(({ name, value }) => value === false && !(isLater && name.includes("first"))) ??
    named(OTHER_PAGE).find((member) => isOther(member) && !(isLater && member.name.includes("prev"))) ??
    [...totals, ...counts].find((member) => numberOf(member) > count);
  if (certain !== undefined) return said(certain, count);
  if (totals.some((member) => numberOf(member) === count)) return null;
  const pages = named(PAGES).find((member) => numberOf(member) > (page ?? 1));
  if (pages !== undefined) return said(pages, count);
  if (page !== undefined) return null;
  const isEnd =
    named(MORE).some(isNo) ||
    named(ENDS).some(({ value }) => value === true) ||
    named(OTHER_PAGE).some((member) => member.name.includes("next") && !isOther(member));
  if (isEnd) return null;
  const likely =
    named(CURSOR).find(isOther) ?? named(PAGE_SIZE).find((member) => count > 1 && numberOf(member) === count);
  return likely === undefined ? null : said(likely, count);
}

function said({ path, value }: Member, count: number): string {
  const text = typeof value === "object" ? "named" : JSON.stringify(value).slice(0, 60);
  return `${path} is ${text}${/^\d+$/.test(String(value)) ? `, and there are ${count} rows` : ""}`;
}

/** The values of an object, and of those inside it that tell of pages. */
function membersOf(holder: object, path: string, depth: number): Member[] {
  return Object.entries(holder).flatMap(([key, value]): Member[] => {
    const [name, here] = [key.toLowerCase().replace(/[^a-z]/g, ""), path === "" ? key : `${path}.${key}`];
    const own = [{ path: here, name, value }];
    if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return own;
    if (Array.isArray(value)) return [];
    if (TELLS_OF_PAGES.test(name) || OTHER_PAGE.test(name)) own.push(...membersOf(value, here, depth + 1));
    return own;
  });
}

/** The error that a response of status 200 tells in an object that leads to its rows; null if none. */
export function errorIn(body: unknown, rows: string | undefined): unknown {
  for (const [, holder] of holdersIn(body, rows))
    for (const [key, value] of Object.entries(holder)) {
      if (ERRORS.test(key) && saysAnything(value)) return value;
      if (isStatusKey(key, holder) && /^[45]\d\d$/.test(String(value))) return `${key} is ${value}`;
      if (FAILURES.has(`${key} ${value}`.toLowerCase())) return `${key} is ${value}`;
    }
  return null;
}

const ERRORS = /^(?:errors?|error_?messages?|exceptions?|faults?)$/i;
/** Whether a key may have a status of HTTP. A `code` without a message may be that of a company. */
function isStatusKey(key: string, holder: object): boolean {
  return (
    /^(?:http_?)?status(?:_?code)?$/i.test(key) ||
    (/^code$/i.test(key) && /"(?:message|msg)":"./i.test(JSON.stringify(holder)))
  );
}

const FAILURES = new Set(["success false", "ok false", "status error", "status fail", "status failed"]);

/** Whether a value has something else than nothing, 0 and false: `{"code": 0, "message": ""}` is no error. */
function saysAnything(value: unknown): boolean {
  return typeof value === "object" && value !== null
    ? Object.values(value).some(saysAnything)
    : Boolean(value);
}

/** The objects that lead to the rows, with their paths. */
function holdersIn(body: unknown, rows: string | undefined): [path: string, holder: object][] {
  const holders: [string, object][] = [];
  let at = body;
  const keys = (rows ?? "").split(".");
  for (const [depth, key] of keys.entries()) {
    if (typeof at !== "object" || at === null || Array.isArray(at)) break;
    holders.push([keys.slice(0, depth).join("."), at]);
    at = (at as Record<string, unknown>)[key]; // an object
  }
  return holders;
}
