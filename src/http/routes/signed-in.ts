// What the page asks for besides the API: who is signed in, who is away, the last imports, passports (docs/security.md, Sign-in through a proxy).
import { z } from "zod";
import { passportHtml } from "../../passport/html.ts";
import { passportOf } from "../../passport/passport.ts";
import { isId } from "../../resources/ids.ts";
import { atWorkOf, type Policy } from "../../resources/policies.ts";
import { type ParameterError, parseQuery, show, single } from "../../resources/query.ts";
import { type AwayRequest, requests, type TimeOffRequest } from "../../resources/requests.ts";
import { awayPart, type RoutePattern, routePattern, type Scope } from "../../resources/resource.ts";
import { type AwayWorker, mayBeAway, STAFF_STATUSES, type Worker, workers } from "../../resources/workers.ts";
import type { CompanyReader, FailureSummary, ImportSummary } from "../../store/store.ts";
import { DAY_MS, type Day, dayOfText, formatDay, parseDay } from "../../time/day.ts";
import { ENGLISH, LANGUAGES, type Tongue, textsOf, tongueOf } from "../../web/texts/languages.ts";
import { invalidParameter, invalidParameters, noObject } from "../problems.ts";
import { readAll } from "../read-all.ts";
import { isPerson, type Opener, type SignedIn, seesAway, visibleWorkers } from "../sign-in.ts";
import { workerOf } from "../visibility.ts";
import { type Content, contentOf } from "./route.ts";

export interface SignedInRoute {
  readonly pattern: RoutePattern;
  /** Whether the response is the same for everybody in the company. */
  readonly isCached: boolean;
  /** Whether it shows other people: then the read is logged. */
  readonly isOfPeople: boolean;
  readonly isOpenTo: (opener: Opener) => boolean;
  /** What a key or a person's group must be allowed to read. */
  readonly scopes?: readonly Scope[];
  /** Whether a person reads only the workers whom they may see; by default all. */
  readonly isLimited?: boolean;
  /** The names of its query parameters: others are refused. */
  readonly parameters: readonly string[];
  readonly handle: (company: CompanyReader, query: Query, viewer: Viewer) => Promise<Content>;
}

/** The values of the parameters that were given. */
type Query = Readonly<Record<string, string | undefined>>;

interface Viewer {
  /** Null for a key. */
  readonly person: SignedIn | null;
  readonly hidesReasons: boolean;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

const SESSION: SignedInRoute = {
  pattern: routePattern("/web/session.json"),
  isCached: false,
  isOfPeople: false,
  isOpenTo: isPerson,
  parameters: [],
  handle: async (company, _query, viewer) => {
    const person = viewer.person!; // keys cannot use this route
    const { access, user } = person;
    const worker = access === "away" ? null : await workerOf(company, person, viewer.today);
    return contentOf(JSON.stringify({ access, user, workerId: worker?.id ?? null }));
  },
};

const AWAY: SignedInRoute = {
  pattern: routePattern("/web/away.json"),
  isCached: true,
  isOfPeople: true,
  isOpenTo: (opener) => opener === "away key" || (isPerson(opener) && seesAway(opener)),
  parameters: ["from", "to"],
  handle: async (company, query, { today }) => {
    const { from, to } = parseDays(query);
    const people = await readPeople(company, formatDay(from), formatDay(to), today);
    const absences = await readAbsences(company, from, to);
    const ids = new Set(people.map(({ id }) => id));
    const seen = absences.filter(({ workerId }) => ids.has(workerId));
    return contentOf(JSON.stringify({ people, absences: seen }), null, people.length);
  },
};

const IMPORTS: SignedInRoute = {
  pattern: routePattern("/web/imports.json"),
  isCached: false,
  isOfPeople: false,
  isOpenTo: (opener) =>
    opener === "key" || (isPerson(opener) && opener !== "away" && visibleWorkers(opener) === "company"),
  parameters: [],
  handle: async (company) => {
    const { lastImport = null, lastFailure = null } = (await company.lastImports()) ?? {};
    const done = lastImport === null ? null : (JSON.parse(lastImport) as ImportSummary); // src/import/report.ts
    const failed = lastFailure === null ? null : (JSON.parse(lastFailure) as FailureSummary); // as above
    const hasFailed = failed !== null && failed.endedAtMs > (done?.endedAtMs ?? 0);
    const { outcome, mistakes } = failed ?? {};
    const failure = hasFailed ? { endedAt: new Date(failed.endedAtMs), outcome, mistakes } : null;
    return contentOf(JSON.stringify({ failure }));
  },
};

/** A leave passport, for the page to download. */
const PASSPORT: SignedInRoute = {
  pattern: routePattern("/web/passport.json"),
  isCached: false,
  isOfPeople: true,
  isLimited: true,
  scopes: ["workers:read", "time_off:read"],
  isOpenTo: (opener) => opener !== "away" && opener !== "away key",
  parameters: ["workerId", "language"],
  handle: async (company, { workerId: id = "", language = ENGLISH.locale }, { today, hidesReasons }) => {
    const tongue = parseTongue(language);
    const passport = isId("worker", id)
      ? await passportOf(company, id, dayOfText(today), { hidesReasons })
      : null;
    if (passport === null) throw noObject("worker_not_found", "worker", id);
    const name = `${(await textsOf(tongue.language))["file.name"]} ${passport.worker.displayName}`; // the file's
    return contentOf(JSON.stringify({ html: await passportHtml(passport, tongue), name }));
  },
};

function parseTongue(tag: string): Tongue {
  const tongue = tongueOf([tag]);
  if (tongue !== null) return tongue;
  const detail = `"${tag}" is no language of Rollcall: use one of ${LANGUAGES.join(", ")}`;
  throw invalidParameter("language", detail);
}

const ROUTES = new Map([SESSION, AWAY, IMPORTS, PASSPORT].map((route) => [String(route.pattern), route]));

export const SIGNED_IN_PATTERNS: readonly string[] = [...ROUTES.keys()];

export function signedInRoute(path: string): SignedInRoute | null {
  return ROUTES.get(path) ?? null;
}

/** The values of a query. Raises a 400 for a parameter that the route does not know, or that is given more than once. */
export function parseSignedIn(
  { parameters }: Pick<SignedInRoute, "parameters">,
  query: URLSearchParams,
): Query {
  const texts = Object.fromEntries(parameters.map((name) => [name, single(z.string())]));
  const parsed = parseQuery(texts, query);
  if (!parsed.ok) throw invalidParameters(parsed.errors, parsed.more);
  return parsed.values;
}

/** A month on screen and the days around it. */
const MOST_DAYS = 60;

function noDay(text: string | undefined): string {
  return text === undefined
    ? "is missing: write YYYY-MM-DD"
    : `${show(text)} is not a real day: write YYYY-MM-DD`;
}

function parseDays(query: Query): { from: number; to: number } {
  const [from, to] = [parseDay(query.from ?? ""), parseDay(query.to ?? "")];
  const errors: ParameterError[] = [];
  if (from === null) errors.push({ parameter: "from", detail: noDay(query.from) });
  if (to === null) errors.push({ parameter: "to", detail: noDay(query.to) });
  if (from !== null && to !== null && to < from)
    errors.push({ parameter: "from", detail: `"${query.from}" is after to "${query.to}": swap them` });
  if (from !== null && to !== null && to - from > MOST_DAYS)
    errors.push({
      parameter: "to",
      detail: `"${query.to}" is more than ${MOST_DAYS} days after from "${query.from}": ask in several requests`,
    });
  if (errors.length > 0) throw invalidParameters(errors);
  return { from: from!, to: to! }; // there is no error
}

/**
 * All workers who have started by `to` and have not left by `today`. Those who start after `from` have their first day, so that the
 * calendar counts them from then on. Those who leave after `today` are there on all days: nobody learns who will leave.
 */
async function readPeople(company: CompanyReader, from: string, to: string, today: string) {
  const people = await readAll<Worker>(company, "workers", { statuses: STAFF_STATUSES });
  return people
    .filter((worker) => worker.startDate <= to && mayBeAway(worker, today))
    .map((worker): AwayWorker & { startsOn: string | null } => ({
      ...awayPart(workers.fields, worker),
      startsOn: worker.startDate > from ? worker.startDate : null,
    }));
}

/** Approved absences that touch the days anywhere on earth. Leave during which people work is left out. */
async function readAbsences(company: CompanyReader, from: Day, to: Day) {
  const atWork = atWorkOf(await readAll<Policy>(company, "policies", {}));
  const approved = await readAll<TimeOffRequest>(company, "requests", {
    statuses: ["approved"],
    startsBefore: (to + 2) * DAY_MS,
    endsOnOrAfter: (from - 1) * DAY_MS,
  });
  return approved.flatMap((request): AwayRequest[] =>
    atWork.has(request.timeOffPolicyId) ? [] : [awayPart(requests.fields, request)],
  );
}
