// The page of a demo company and the responses that it needs, as files for hosts that serve only files. The responses are those of a
// real server to the requests of the views (src/web/data/queries.ts), for the days around today.
import {
  type Assignment,
  type Balance,
  type List,
  type Policy,
  Rollcall,
  type TimeOffRequest,
  type Worker,
} from "../client/index.ts";
import { type Fetch, Transport } from "../client/transport.ts";
import { pageFiles } from "../http/public/page-files.ts";
import { belowBasePath, webPages } from "../http/public/public-routes.ts";
import { PAGES, reference } from "../http/public/reference/reference.ts";
import {
  addMonths,
  type Day,
  dateOf,
  dayOf,
  dayOfText,
  firstOfMonth,
  formatDay,
  weekdayOf,
} from "../time/day.ts";
import { localDays } from "../time/zone.ts";
import type { DayRange } from "../web/data/days.ts";
import { lastTakeable, leaveYearOf, yearStartOf } from "../web/data/leave-years.ts";
import { requestName } from "../web/static.ts";

/** How many months before and after this one the demo has. */
const MONTHS = 12;

/** The first day of the week, by the viewer's locale: Monday, Saturday or Sunday. */
const WEEK_STARTS = [0, 5, 6];

const VIEWS = ["/", "/people", "/requests", "/balances", "/policies"];

/** Contents of files, by path below the demo's folder. */
export type DemoFiles = Map<string, string | Uint8Array>;

/** Asks a server for everything, and returns the demo's files. */
export async function staticDemo(address: string, apiKey: string, today: Day): Promise<DemoFiles> {
  const files: DemoFiles = new Map();
  const index: Record<string, string> = {};
  const keep = (url: URL, accept: string | null, body: string) => {
    const file = `${new Bun.CryptoHasher("sha256").update(body).digest("hex").slice(0, 16)}.json`;
    files.set(`data/${file}`, body);
    index[requestName(url, accept)] = file;
  };
  const record: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    const body = await response.text();
    if (response.ok) keep(new URL(url), new Headers(init.headers).get("accept"), body);
    return new Response(body, response);
  };
  const ids = await recordCompany({ baseUrl: address, apiKey, fetch: record, cacheCharacters: 0 }, today);

  // A static demo has no sign-in. Its page reads that a proxy signed in somebody who may see everything.
  const page = webPages({ demo: true, today: formatDay(today), signIn: "proxy" });
  keep(new URL("/web/config.json", address), null, String(page("/web/config.json")!.body));
  keep(new URL("/web/session.json", address), null, JSON.stringify({ access: "everything" }));
  files.set("data/index.json", JSON.stringify(index));

  const paths = [
    ...VIEWS,
    ...ids.workers.map((id) => `/people/${id}`),
    ...ids.policies.map((id) => `/policies/${id}`),
    ...PAGES.keys(),
    ...[...pageFiles().keys()].filter((name) => name !== "index.html").map((name) => `/web/${name}`),
  ];
  for (const path of paths) {
    const response = page(path) ?? reference(path)!; // each path is of one of them
    const isDocument = response.headers["content-type"]?.startsWith("text/html") === true;
    const file = isDocument ? `${path}/index.html`.replace(/^\/+/, "") : path.slice(1);
    const up = file.split("/").slice(1).fill("..").join("/") || ".";
    const { body } = belowBasePath(response, up);
    files.set(file, isDocument ? staticDocument(String(body), up) : body);
  }
  return files;
}

/** Adds the slash at the end of a folder's address. A host may serve the folder without it, which breaks relative links. */
const TO_FOLDER = `<script>location.pathname.endsWith("/")||location.replace(location.pathname.replace(/\\/index\\.html$/,"")+"/"+location.search+location.hash)</script>`;

function staticDocument(html: string, up: string): string {
  return html
    .replace("/web/config.json", "/data/index.json") // the demo loads this first
    .replace("<title>", `${TO_FOLDER}<script type="module" src="${up}/web/static.js"></script>\n    <title>`);
}

/** Asks for what each view asks for. Returns the ids of the company's workers and policies, which have views of their own. */
async function recordCompany(server: ConstructorParameters<typeof Rollcall>[0], today: Day) {
  const rollcall = new Rollcall(server);
  const transport = new Transport(server);
  const company = await rollcall.company();
  await Promise.all([transport.get("/web/imports.json", {}), rollcall.closes.list()]);
  const workers = await streamed(rollcall.workers.list());
  const policies = await rollcall.policies.list().toArray();
  await rollcall.workplaces.list().toArray();

  const offsets = Array.from({ length: 2 * MONTHS + 1 }, (_, at) => at - MONTHS);
  const months = offsets.map((offset) => addMonths(firstOfMonth(today), offset));
  await recordAway(rollcall, today, months);
  const zones = new Map(workers.map(({ id, timeZone }) => [id, timeZone ?? company.timeZone ?? "UTC"]));
  await recordRequests(rollcall, today, months, zones, policies);
  await recordBalances(rollcall, today, months);
  await recordPolicies(rollcall, policies);
  for (const worker of workers) {
    await transport.get(`/web/passport.json?workerId=${worker.id}`, {});
    await recordPerson(rollcall, today, worker, policies);
  }
  return { workers: workers.map(({ id }) => id), policies: policies.map(({ id }) => id) };
}

function streamed<T extends { id: string }>(list: List<T>): Promise<T[]> {
  return Array.fromAsync(list.stream());
}

/** Who is away: the years, months and weeks of the calendar, the list above it, and how many are away now. */
async function recordAway(rollcall: Rollcall, today: Day, months: readonly Day[]): Promise<void> {
  for (const range of calendarRanges(today, months)) {
    await touching(rollcall, range);
    await rollcall.holidays.list({ from: formatDay(range.first), to: formatDay(range.end - 1) }).toArray();
  }
  for (const start of WEEK_STARTS) {
    const range = { first: weekOf(today, start), end: today + 36 }; // away-rows.ts
    await recordLaterLeave(rollcall, today, range, await touching(rollcall, range));
  }
  await rollcall.requests
    .list({ startsBefore: formatDay(today + 1), endsOnOrAfter: formatDay(today), statuses: ["approved"] })
    .page({ limit: 24 });
}

function calendarRanges(today: Day, months: readonly Day[]): DayRange[] {
  const { year } = dateOf(today);
  const years = [year - 1, year, year + 1].map((calendarYear) => ({
    first: dayOf(calendarYear, 1, 1),
    end: Math.max(dayOf(calendarYear + 1, 1, 1), calendarYear === year ? addMonths(today, 12) : 0), // src/web/away/settings.ts
  }));
  const lastEnd = addMonths(months.at(-1)!, 1);
  const weeks = WEEK_STARTS.flatMap((start) => {
    const first = weekOf(months[0]!, start);
    const count = Math.ceil((lastEnd - first) / 7);
    return Array.from({ length: count }, (_, at) => ({ first: first + 7 * at, end: first + 7 * at + 7 }));
  });
  return [...years, ...months.map((first) => ({ first, end: addMonths(first, 1) })), ...weeks];
}

/** The first day of a day's week. */
function weekOf(day: Day, start: number): Day {
  return day - ((weekdayOf(day) - start + 7) % 7);
}

function touching(rollcall: Rollcall, { first, end }: DayRange): Promise<TimeOffRequest[]> {
  return streamed(
    rollcall.requests.list({
      startsBefore: formatDay(end + 1),
      endsOnOrAfter: formatDay(first - 1),
      statuses: ["pending", "approved"],
    }),
  );
}

/** Later leave of people whose leave goes on after the list's last day, for each group of them that filters can leave. */
async function recordLaterLeave(
  rollcall: Rollcall,
  today: Day,
  { end }: DayRange,
  requests: readonly TimeOffRequest[],
): Promise<void> {
  const long = requests.filter(
    ({ startAt, endAt }) => startAt < formatDay(today + 16) && endAt > formatDay(end - 6),
  );
  const choices = [...new Set(long.map(({ workerId }) => workerId))]
    .slice(0, 4)
    .reduce<string[][]>((sets, id) => sets.flatMap((set) => [set, [...set, id]]), [[]])
    .filter(({ length }) => length > 0);
  for (const workerIds of choices)
    await streamed(
      rollcall.requests.list({ statuses: ["approved"], startsOnOrAfter: formatDay(end - 1), workerIds }),
    );
}

/** Requests, with the days of each and what is left after it. */
async function recordRequests(
  rollcall: Rollcall,
  today: Day,
  months: readonly Day[],
  zoneOf: ReadonlyMap<string, string>,
  policies: readonly Policy[],
): Promise<void> {
  const limited = new Set(policies.flatMap(({ id, isUnlimited }) => (isUnlimited ? [] : [id])));
  const shown = new Map<string, TimeOffRequest>();
  for (const from of [today - 183, ...months.filter((first) => first < today)].sort((a, b) => b - a))
    for (const request of await streamed(rollcall.requests.list({ endsOnOrAfter: formatDay(from) })))
      shown.set(request.id, request);
  await streamed(rollcall.requests.list({ statuses: ["pending"] }));
  for (const { workerId, timeOffPolicyId: policyId, status, startAt, endAt, timeZone } of shown.values()) {
    const zone = timeZone ?? zoneOf.get(workerId)!; // every request has a worker
    const { firstDay, lastDay } = localDays(Date.parse(startAt), Date.parse(endAt), zone);
    const days = { from: formatDay(firstDay - 1), to: formatDay(Math.min(lastDay + 1, firstDay + 364)) };
    await rollcall.days.list({ workerIds: [workerId], ...days, statuses: [status] }).toArray();
    if (status !== "denied" && limited.has(policyId))
      await rollcall.preview({ workerId, policyId, startAt: formatDay(lastDay), minutes: 0 });
  }
}

async function recordBalances(rollcall: Rollcall, today: Day, months: readonly Day[]): Promise<void> {
  await streamed(rollcall.balances.list());
  for (const day of [today, ...months.map((first) => first - 1), addMonths(months.at(-1)!, 1) - 1]) {
    const on = formatDay(day);
    await streamed(rollcall.expirations.list(yearAfter(day)));
    await streamed(rollcall.movements.list({ ...until(on), groupBy: ["policy", "worker"] }));
  }
  for (const first of months) {
    const days = { from: formatDay(first), to: formatDay(addMonths(first, 1) - 1) };
    await streamed(rollcall.expirations.list(yearAfter(first)));
    for (const groupBy of [["department"], ["department", "policy"]] as const)
      await streamed(rollcall.movements.list({ ...days, groupBy }));
  }
}

async function recordPolicies(rollcall: Rollcall, policies: readonly Policy[]): Promise<void> {
  await streamed(rollcall.assignments.list({ policyIds: policies.map(({ id }) => id) }));
  for (const { id } of policies) {
    await rollcall.policies.retrieve(id);
    await streamed(rollcall.assignments.list({ policyIds: [id] }));
  }
}

async function recordPerson(
  rollcall: Rollcall,
  today: Day,
  { id, endDate }: Worker,
  policies: readonly Policy[],
): Promise<void> {
  const workerIds = [id];
  await rollcall.workers.retrieve(id);
  const requests = await rollcall.requests.list({ workerIds }).toArray();
  await rollcall.expirations.list({ ...yearAfter(today), workerIds }).toArray();
  const on = formatDay(today);
  await streamed(rollcall.movements.list({ ...until(on), groupBy: ["policy", "worker"], workerIds }));
  const assignments = await rollcall.assignments.list({ workerIds }).toArray();
  for (const balance of await rollcall.balances.list({ workerIds }).toArray()) {
    await recordBalance(rollcall, today, balance, {
      policy: policies.find((policy) => policy.id === balance.policyId)!, // the company has it
      assignment: assignments.findLast(({ policyId }) => policyId === balance.policyId),
      hasPending: requests.some(
        ({ status, timeOffPolicyId }) => status === "pending" && timeOffPolicyId === balance.policyId,
      ),
      endDate,
    });
  }
}

interface BalanceTerms {
  readonly policy: Policy;
  readonly assignment: Assignment | undefined;
  readonly hasPending: boolean;
  /** The last day of the employment. */
  readonly endDate: string | null;
}

/** A person's balance in the last, this and the next leave year, and what can be taken: now, at its end, and on the days of the table. */
async function recordBalance(
  rollcall: Rollcall,
  today: Day,
  { id, workerId, policyId, openedOn }: Balance,
  { policy, assignment, hasPending, endDate }: BalanceTerms,
): Promise<void> {
  const { startsOn, assignedAt, endsOn } = assignment ?? {};
  const start = yearStartOf(policy, dayOfText(startsOn ?? assignedAt ?? formatDay(today)));
  const current = leaveYearOf(today, start);
  const explained = (first: Day, last: Day) =>
    rollcall.balances.retrieve(id, { startDate: formatDay(first), endDate: formatDay(last) });
  await explained(current.first, today);
  if (today < current.end - 1) await explained(today + 1, current.end - 1);
  const entryDays: Day[] = [];
  for (const offset of [-1, 0, 1]) {
    const { first, end } = leaveYearOf(today, start, offset);
    const { entries } = await explained(first, end - 1);
    entryDays.push(...entries.map(({ date }) => dayOfText(date)));
    if (policy.isUnlimited) continue;
    if (hasPending) await rollcall.balances.retrieve(id, { endDate: formatDay(end - 1) });
    await rollcall.balances.list({ workerIds: [workerId], endDate: formatDay(first - 1) }).toArray();
  }
  if (policy.isUnlimited) return;
  const from = openedOn === null ? today : Math.max(today, dayOfText(openedOn) + 1);
  const lastDay = Math.min(current.end - 1, lastTakeable(endDate, endsOn));
  const takenOn = [from, Math.max(lastDay, from), ...entryDays.filter((day) => day > from)];
  for (const day of new Set(takenOn))
    await rollcall.preview({ workerId, policyId, startAt: formatDay(day), minutes: 0 });
}

/** All days until this one, as the page asks for movements. */
const until = (to: string) => ({ from: "1900-01-01", to });
const yearAfter = (day: Day) => ({ from: formatDay(day + 1), to: formatDay(addMonths(day, 12)) });
