// Reads what a response of an API has beside its rows and in its headers: whether there are more rows, and whether it failed.

interface Member {
  readonly path: string;
  /** The letters of its key. */
  readonly name: string;
  readonly value: unknown;
}

/** Objects beside the rows that tell of pages, by the letters of their names. */
const TELLS_OF_PAGES =
  /^(?:d|response|(?:hydra)?view)$|meta|pag(?:e|ing|inat)|link|cursor|info|context|additionaldata/;
const MAX_DEPTH = 4;

/** What was read so far. */
interface Read {
  readonly count: number;
  /** The number of the page, from 1. */
  readonly page: number;
}

export interface AskedRows {
  /** For a last page, its number, from 1. Then only certain signs count, and a total counts only on page 1. */
  readonly page?: number;
  readonly headers?: Headers;
  /** How many rows the request asked for at most; null if it does not say. */
  readonly limit?: number | null;
}

/** Members with such a name (its letters). `isMore`: the value says that there are more rows. `isEnd`: that these are all. */
interface Sign {
  readonly name: RegExp;
  readonly isMore: (member: Member, read: Read) => boolean;
  readonly isEnd?: (member: Member) => boolean;
}

const isNo = ({ value }: Member) => /^(?:false|no|0)$/i.test(String(value));
const isYes = ({ value }: Member) => /^(?:true|yes|1)$/i.test(String(value));
const isOther = (member: Member) => !isNo(member) && saysAnything(member.value);
const numberOf = ({ value }: Member) => (/^\d+$/.test(String(value)) ? Number(value) : Number.NaN);
/** Page 2 and later have only a part of the total. */
const isLarger = (member: Member, { count, page }: Read) => page === 1 && numberOf(member) > count;

/** `totalElements`, `number_of_records`, `hydra:totalItems`: made of these words. One word must mean that all rows are counted. */
const TOTAL =
  /^(?!numberofelements)(?=.*(?:total|odatacount|numberof|num(?:found|r)|filtered))(?:hydra|odata|grand|total|count|number|num|of|found|filtered|size|items?|elements|results|records?|rows?|entries|objects|hits|employees|workers)+$/;
/** `nextToken`, `prevPageUrl` */
const OTHER_PAGE =
  /^(?:odata|hydra)?(?:next|prev(?:ious)?)(?:page|records|results|batch)?(?:token|cursor|link|ur[li]|href|offset|start|index|number|key|marker|after|range)?$|^(?:(?:next)?continuation(?:token)?|lastevaluatedkey)$/;

/** A list of texts beside the rows, such as `warnings`. */
const REMARKS = /^(?:warnings?|notices?|messages?|msgs?|remarks?|notes?)$/;
/** A remark that rows are missing. */
const MISSING_ROWS =
  /\b(?:truncated|incomplete|partial (?:data|list|response|results?)|(?:only|showing|returned|returning) (?:the )?(?:first|top) \d|(?:list|records|response|results?|rows) (?:are |is |was |were )?(?:limited|capped|cut) (?:at|to) \d|limit (?:of [\d,]+ \w+ )?(?:was |is )?(?:exceeded|hit|reached)|more (?:data|pages|records|results|rows) (?:are |is )?(?:available|exist))/i;
/** The path of a member of an object about paging. */
const PAGING = /(?:cursor|meta|pag)[^.]*\.[^.]+$/i;

/** `hasMore: true`, `isLast: false`, `next: "/rows?page=2"`, `total: 120`, `relation: "gte"`, `count: 120`, `warnings: ["truncated to 100 rows"]` */
const CERTAIN: readonly Sign[] = [
  {
    name: /^(?:has|is|there(?:are|is))?(?:more|next(?:page)?|truncated|incomplete|partial)(?:items|records|results?|pages|data|rows|available|itemsincollection)?$|^(?:row|result|size)?limit(?:exceeded|reached)$/,
    isMore: isYes,
    isEnd: isNo,
  },
  {
    name: /^(?:is)?(?:first|last)(?:page|data|batch)?$|^(?:is)?(?:done|complete|finished)$|^completeindicator$/,
    isMore: ({ name, value }, { page }) => value === false && !(page > 1 && name.includes("first")),
    isEnd: ({ value }) => value === true,
  },
  {
    name: OTHER_PAGE,
    isMore: (member, { page }) => isOther(member) && !(page > 1 && member.name.includes("prev")),
    isEnd: (member) => member.name.includes("next") && !isOther(member),
  },
  { name: TOTAL, isMore: isLarger },
  { name: /^relation$/, isMore: ({ value }) => value === "gte" },
  { name: /^(?:row|record|result|item)?s?count$/, isMore: isLarger },
  {
    name: /^remaining(?:count|entries|items|pages|records|results|rows)?$/,
    isMore: (member) => numberOf(member) > 0 && (member.name !== "remaining" || PAGING.test(member.path)), // alone, it may be somebody's leave
  },
  { name: REMARKS, isMore: ({ value }) => MISSING_ROWS.test(JSON.stringify(value)) },
];

/** `totalPages: 3` */
const PAGES: Sign = {
  name: /^(?:total|num(?:berof)?|last)?pages?(?:count|total|number)?$|^(?:current|total)pages?$/,
  isMore: (member, { page }) => numberOf(member) > page,
};

/** `cursor: "abc"`, `paging.cursors.after: "abc"`, and `limit: 50` with 50 rows */
const LIKELY: readonly Sign[] = [
  { name: /^(?:end)?cursor$|^(?:scrollid|offset|bookmark)$/, isMore: isOther },
  { name: /^after$/, isMore: (member) => isOther(member) && PAGING.test(member.path) },
  {
    name: /^(?:limit|take|(?:items|rows|results|records)?perpage|(?:max)?pagesize|size|maxresults|top)$/,
    isMore: (member, { count }) => count > 1 && numberOf(member) === count,
  },
];

/** `Total`, `X-Total-Count`, `X-Pagination-Page-Count`, `X-WP-TotalPages`, `X-Next-Page` */
const PAGING_HEADER =
  /^(?!.*(?:rate|limit|quota))(?:.*-)?(total(?:-?(?:count|pages|items|records|results))?|(?:row|record|result|item)-count|page-count|pages|next-(?:page|cursor|token|range)|continuation(?:-token)?|has-more)$/;

/** Why a response has not all rows of its list, in words; null if nothing says so. `rows` is the path of the list. */
export function moreIn(
  body: unknown,
  rows: string | undefined,
  count: number,
  { page, headers, limit }: AskedRows = {},
): string | null {
  const members = membersIn(body, rows, headers);
  const read: Read = { count, page: page ?? 1 };
  const named = ({ name }: Pick<Sign, "name">) => members.filter((member) => name.test(member.name));
  const tellsMore = (signs: readonly Sign[]) => {
    const [member] = signs.flatMap((sign) => named(sign).filter((each) => sign.isMore(each, read)));
    return member === undefined ? null : said(member, count);
  };
  const certain = tellsMore(CERTAIN);
  if (certain !== null) return certain;
  if (read.page === 1 && named({ name: TOTAL }).some((member) => numberOf(member) === count)) return null;
  const pages = tellsMore([PAGES]);
  if (pages !== null || page !== undefined) return pages;
  const isEnd = CERTAIN.some((sign) => named(sign).some((member) => sign.isEnd?.(member)));
  if (isEnd) return null;
  return (
    tellsMore(LIKELY) ??
    (count > 1 && count === limit ? `the request asks for ${limit} rows, and there are as many` : null)
  );
}

/** The number of all rows of a list that a response tells; null if it tells none. */
export function totalIn(body: unknown, rows: string | undefined, headers: Headers): number | null {
  const totals = membersIn(body, rows, headers)
    .filter(({ name }) => TOTAL.test(name))
    .map(numberOf);
  return totals.find((total) => !Number.isNaN(total)) ?? null;
}

/** Why a response has not the first rows of its list, in words, such as `first: false`; null if nothing says so. */
export function earlierIn(body: unknown, rows: string | undefined): string | null {
  const earlier = membersIn(body, rows).find((member) =>
    /^(?:is)?first(?:page)?$/.test(member.name)
      ? member.value === false
      : PREVIOUS.test(member.name) && isOther(member),
  );
  return earlier === undefined ? null : said(earlier, null);
}

const PREVIOUS = /^(?:has)?prev(?:ious)?(?:page)?(?:link|ur[li]|href|number)?$/;

/** `count`: the number of rows; null to leave it out. */
function said({ path, value }: Member, count: number | null): string {
  const text =
    typeof value === "object" && !Array.isArray(value) ? "named" : JSON.stringify(value).slice(0, 60);
  const isCounted = count !== null && /^\d+$/.test(String(value));
  return `${path} is ${text}${isCounted ? `, and there are ${count} rows` : ""}`;
}

/** The values beside the rows of a response, and of its headers, that may tell of pages. */
function membersIn(body: unknown, rows: string | undefined, headers?: Headers): Member[] {
  const members = holdersIn(body, rows).flatMap(([path, holder]) => membersOf(holder, path, 0));
  for (const [header, value] of headers ?? []) members.push(...membersOfHeader(header, value));
  return members;
}

/** The letters of a name, in lower case: `total_count` and `totalCount` are one. */
export const lettersOf = (key: string) => key.toLowerCase().replace(/[^a-z]/g, "");

function membersOfHeader(header: string, value: string): Member[] {
  const path = `the header ${header}`;
  const [, name] = PAGING_HEADER.exec(header) ?? [];
  if (name !== undefined) return [{ path, name: name.replaceAll("-", ""), value }];
  const [, total] = /\/(\d+)$/.exec(value) ?? []; // items 0-24/319
  if (header === "content-range" && total !== undefined) return [{ path, name: "total", value: total }];
  if (!header.endsWith("pagination") || !value.startsWith("{")) return [];
  try {
    return membersOf(JSON.parse(value) as object, path, 0); // it begins as an object
  } catch {
    return [];
  }
}

/** The values of an object, and of objects inside it that tell of pages. */
function membersOf(holder: object, path: string, depth: number): Member[] {
  return Object.entries(holder).flatMap(([key, value]): Member[] => {
    const [name, here] = [lettersOf(key), path === "" ? key : `${path}.${key}`];
    const own = [{ path: here, name, value }];
    if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return own;
    if (Array.isArray(value) && name.includes("link")) return membersOfLinks(value, here);
    if (Array.isArray(value)) return REMARKS.test(name) ? own : [];
    if (name === "total") own.push(...membersOfTotal(value, here));
    if (TELLS_OF_PAGES.test(name) || OTHER_PAGE.test(name)) own.push(...membersOf(value, here, depth + 1));
    return own;
  });
}

/** `total: {"value": 10000, "relation": "gte"}`, as Elasticsearch counts: up to 10,000. */
function membersOfTotal(total: object, path: string): Member[] {
  const { value, relation } = total as { value?: unknown; relation?: unknown }; // it may have no such keys
  return [
    { path: `${path}.value`, name: "total", value },
    { path: `${path}.relation`, name: "relation", value: relation },
  ];
}

/** `links: [{ "rel": "next", "href": "/rows?page=2" }]` */
function membersOfLinks(links: readonly unknown[], path: string): Member[] {
  return links.flatMap((link) => {
    const { rel, href } = (link ?? {}) as { rel?: unknown; href?: unknown }; // a value has no such keys
    return typeof rel === "string" ? [{ path: `${path}.${rel}`, name: lettersOf(rel), value: href }] : [];
  });
}

/**
 * The error in a response of status 200, from the objects around its rows and from figures beside them; null if there is none.
 * `count`: the number of its rows. `before`: how many rows the request asks to skip, by each way of counting them.
 */
export function errorIn(
  body: unknown,
  rows: string | undefined,
  count: number,
  before: readonly number[] = [],
): unknown {
  const holders = holdersIn(body, rows).flatMap(([, holder]) => [holder, ...figuresIn(holder)]);
  for (const holder of holders) {
    for (const [key, value] of Object.entries(holder)) {
      if (ERRORS.test(key) && saysAnything(value)) return value;
      const lost = lostRowsIn(key, value, before);
      if (lost !== null) return lost;
      const isErrorStatus = isStatusKey(key, holder) && /^[45]\d\d$/.test(String(value));
      if (isErrorStatus || tellsFailure(`${key} ${value}`, count)) return `${key} is ${value}`;
    }
    const failure = count === 0 ? failureWithMessage(holder) : null;
    if (failure !== null) return failure;
  }
  return null;
}

/** Whether a key and its value, such as `status failed`, tell that a response of `count` rows is not the whole list. */
function tellsFailure(text: string, count: number): boolean {
  return FAILURE.test(text) || UNFINISHED.test(text) || (count === 0 && WAITING.test(text));
}

/** A value that reports rows which the API could not give; null for any other. */
function lostRowsIn(key: string, value: unknown, before: readonly number[]): unknown {
  const letters = lettersOf(key);
  const isEcho = SKIPPED.test(key) && before.includes(Number(value));
  if (FAILED_ROWS.test(letters) && countOf(value) > 0 && !isEcho) return `${key}: ${countOf(value)}`;
  return REMARKS.test(letters) && LOST_ROWS.test(JSON.stringify(value)) ? value : null;
}

/** The message of an object without rows, if it or a code beside it tells of a failure: `code: 99991663, msg: "Invalid access token"`. */
function failureWithMessage(holder: object): string | null {
  const members = Object.entries(holder).filter(([, value]) => typeof value !== "object");
  const [, message] =
    members.find(([key, value]) => /(?:message|msg)$/i.test(key) && saysAnything(value)) ?? [];
  if (message === undefined) return null;
  const hasFailed = members.some(([key, value]) => CODE.test(key) && !SUCCESS_CODE.test(String(value)));
  const isFailure = FAILURE_WORD.test(message) || (hasFailed && !SUCCESS_WORD.test(message));
  return isFailure ? String(message) : null;
}

const CODE = /^(?:(?:ret(?:urn)?|res(?:ult|p|ponse)?|biz|err(?:or)?|status)_?)?(?:code|no|status)$/i;
const SUCCESS_CODE = /^(?:0*|1|2\d\d|ok|success|true|null)$/i;
const SUCCESS_WORD = /^\W*(?:ok|success|done|no|none|empty)\b|success|成功/i;
const FAILURE_WORD =
  /\b(?:error|fail(?:ed|ure)?|invalid|expired|denied|(?:no|not have) (?:the )?permission|unauthori[sz]ed|forbidden)\b|失败|错误|过期|无权/i;

const ERRORS =
  /^(?:(?:partial|row|record|item|data)_?)?(?:errors?|failures?|exceptions?|faults?)$|^(?:error_?messages?|fault_?(?:code|string))$/i;
/** `failed: 2`, `errorCount: 1`, `failedRecords: ["7"]`, `recordsSkipped: 3`: the letters of a name. `rejected: 5` may count leave of that status. */
const FAILED_ROWS =
  /^(?!(?:total|count)*rejected(?:count)?$)(?:(?:error|failure)s?count|(?:num(?:ber)?(?:of)?|total|count|items?|records?|rows?|results?|employees|workers)*(?:failed|rejected|unreadable|unauthori[sz]ed|skipped|omitted|hidden|invalid|dropped|withheld|inaccessible|suppressed)(?:count|items?|records?|rows?|results?|entries|ids|employees|workers)*)$/;
const SKIPPED = /skipped/i;

/** Objects with figures beside the rows. Of Elasticsearch's `_shards`, only the failed ones count: a skipped one has no rows. */
function figuresIn(holder: object): object[] {
  return Object.entries(holder).flatMap(([key, value]): object[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    if (key === "_shards") return [{ failed: (value as { failed?: unknown }).failed }]; // a value has no such key
    return FIGURES.test(lettersOf(key)) ? [value] : [];
  });
}

const FIGURES =
  /^(?:meta(?:data)?|pag(?:e|ing|ination)(?:info)?|info|summary|stat(?:istic)?s|counts|result)$/;
/** A remark that the API could not give some rows. */
const LOST_ROWS =
  /\b(?:skipped|omitted|(?:could not|couldn't|cannot|can't|were not|failed to) (?:be )?(?:load|read|retriev|return|fetch|process|includ)|permissions? to (?:see|view|read|access) (?:all|some))/i;

/** How many things a value counts or lists. */
function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : /^\d+$/.test(String(value)) ? Number(value) : 0;
}

/** Whether a key may hold an HTTP status. A `code` without a message beside it may be a company's. */
function isStatusKey(key: string, holder: object): boolean {
  return (
    /^(?:http_?)?status(?:_?code)?$/i.test(key) ||
    (/^code$/i.test(key) && /"(?:message|msg)":"./i.test(JSON.stringify(holder)))
  );
}

/** `success: false`, `IsError: true`, `partialFailure: true`, `timed_out: true`, `status: "failed"`, `errcode: 88` */
const FAILURE =
  /^(?:(?:is_?)?(?:ok|success(?:ful)?|succeeded) false|(?:is_?)?(?:partial_?(?:success|failure)|timed_?out) true|(?:(?:is|has)_?errors?|failed) true|(?:status|result|type|state) (?:error|fail(?:ed|ure)?|k\.?o|unauthori[sz]ed|forbidden)|err(?:or)?_?code (?!0*$|ok$|success$|null$|undefined$).*)$/i;

/** The API is still making a report. Leave may be pending, too, so `WAITING` counts only if there are no rows. */
const UNFINISHED =
  /^(?:(?:job|report|export)_?)?(?:status|state) (?:processing|running|queued|in[ _-]?progress)$/i;
const WAITING =
  /^(?:(?:job|report|export)_?)?(?:status|state) (?:pending|waiting|started|accepted|not[ _-]?ready)$/i;

/** Whether a value has anything but empty values, 0 and false: `{"code": 0, "message": ""}` is no error. */
function saysAnything(value: unknown): boolean {
  return typeof value === "object" && value !== null
    ? Object.values(value).some(saysAnything)
    : Boolean(value);
}

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
