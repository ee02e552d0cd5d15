// A calendar feed, from its address to its response (docs/calendars.md). Calendar programs send no headers of their own, so
// the address contains a secret. It opens the feed and nothing else; no key opens a feed.
import { isSecret } from "../../resources/ids.ts";
import { routePattern } from "../../resources/resource.ts";
import type { CompanyReader, ReadStore, StoredCalendar, StoredSecret } from "../../store/store.ts";
import { DAY_MS, dayOfText } from "../../time/day.ts";
import type { Admission } from "../middleware/admission.ts";
import { secretDigest } from "../middleware/auth.ts";
import { type CachedResponse, cacheKey, type ResponseCache } from "../middleware/cache.ts";
import { conditionalResponse } from "../middleware/negotiation.ts";
import type { RateLimit } from "../middleware/rate-limit.ts";
import { HttpProblem, overloaded, requireReading } from "../problems.ts";
import { type Content, contentOf } from "../render.ts";
import { endPhase, type RequestContext } from "../request-context.ts";
import { calendarText } from "./calendar.ts";
import { eventsOf, readLeave } from "./leave.ts";

export const CALENDAR_FOLDER = "/calendar/";
const SUFFIX = ".ics";

/** What stands for the address of a feed in logs and metrics. */
export const CALENDAR_PATTERN = routePattern("/calendar/{feed}");

interface CalendarParts {
  readonly store: ReadStore;
  readonly cache: ResponseCache;
  readonly today: () => string;
  readonly rateLimit: RateLimit | null;
  readonly admission: Admission;
  readonly used: (secret: StoredSecret) => void;
}

/** Sends the feed at a path. Raises the same 404 for every path that opens none. */
export async function sendCalendar(parts: CalendarParts, context: RequestContext): Promise<Response> {
  context.route = CALENDAR_PATTERN;
  requireReading(context.method, false);
  const feed = await findCalendar(parts.store, context.path);
  context.key = feed;
  parts.used(feed);
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(feed.id));
  endPhase(context, "rate-limit");
  const release = await parts.admission.acquire(feed.id);
  if (release === null) throw overloaded();
  try {
    endPhase(context, "admission");
    const made = await cachedOrRead(parts, context, feed);
    const response = await conditionalResponse(
      context,
      made,
      "text/calendar; charset=utf-8",
      "accept-encoding",
    );
    endPhase(context, "negotiate");
    return response;
  } finally {
    release();
  }
}

/** A 401 would make calendar programs ask for a password. */
function calendarNotFound(): HttpProblem {
  return new HttpProblem(
    "feed_not_found",
    "No calendar feed has this address: it is mistyped, or the feed was revoked or has expired. Ask for a new one.",
  );
}

/** A feed is never cached, so a revoked one is closed at once. */
async function findCalendar(store: ReadStore, path: string): Promise<StoredCalendar> {
  const secret = path.slice(CALENDAR_FOLDER.length, -SUFFIX.length);
  if (!path.endsWith(SUFFIX) || !isSecret("rc_", secret)) throw calendarNotFound();
  const feed = await store.calendar(secretDigest(secret));
  const hasExpired = (feed?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= Date.now();
  if (feed === null || feed.revokedAtMs !== null || hasExpired) throw calendarNotFound();
  return feed;
}

/** The calendar of the company's current version and of this day. */
async function cachedOrRead(
  { store, cache, today }: CalendarParts,
  context: RequestContext,
  feed: StoredCalendar,
): Promise<CachedResponse> {
  const version = await store.version(feed.companyId);
  if (version === null) throw calendarNotFound();
  const day = today();
  const key = cacheKey(feed.companyId, version, day, false, `${CALENDAR_FOLDER}${feed.id}`);
  const cached = cache.get(key);
  endPhase(context, "cache");
  if (cached !== undefined) return cached;
  const content = await readCalendar(store.company(feed.companyId, version), feed, day);
  endPhase(context, "read");
  const made: CachedResponse = { content, compressed: new Map(), version };
  cache.set(key, made);
  return made;
}

async function readCalendar(company: CompanyReader, feed: StoredCalendar, day: string): Promise<Content> {
  const sequence = await company.calendarSequence();
  const about = await company.about();
  if (sequence === null || about === null) throw calendarNotFound();
  const { definition, companyId } = feed;
  const found = await readLeave(company, definition, dayOfText(day), about.timeZone);
  const content = contentOf(
    calendarText({
      isCut: found.isCut,
      leave: await eventsOf(company, found.leave, sequence, about.createdAtMs),
      companyId,
      name: feed.name === "" ? `${about.name}: who is away` : feed.name,
      policyNames: definition.show === "policy" ? found.policyNames : null,
    }),
  );
  // With a new day, other leave is shown.
  const modifiedMs = Math.max(about.changedAtMs ?? about.createdAtMs, dayOfText(day) * DAY_MS);
  return { ...content, lastModified: new Date(modifiedMs).toUTCString() };
}
