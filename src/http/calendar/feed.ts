// A calendar feed (docs/calendars.md). Calendar programs cannot send a key, so the address contains a secret, which opens this feed alone.
import { isSecret } from "../../resources/ids.ts";
import { routePattern } from "../../resources/resource.ts";
import { mayBeAway, type Worker } from "../../resources/workers.ts";
import type { CalendarDefinition, CompanyReader, ReadStore, StoredCalendar } from "../../store/store.ts";
import { DAY_MS, dayOfText } from "../../time/day.ts";
import { noteLook } from "../looks.ts";
import { admitted } from "../middleware/admission.ts";
import { secretDigest } from "../middleware/auth.ts";
import { cachedContent, cacheKey, type ReadingParts } from "../middleware/cache.ts";
import { conditionalResponse } from "../middleware/negotiation.ts";
import { HttpProblem, requireReading } from "../problems.ts";
import { endPhase, type RequestContext } from "../request-context.ts";
import { type Content, contentOf } from "../routes/route.ts";
import { wholeCompany } from "../visibility.ts";
import { calendarText } from "./calendar.ts";
import { eventsOf, readLeave } from "./leave.ts";

export const CALENDAR_FOLDER = "/calendar/";
const SUFFIX = ".ics";

/** Where the page asks for a new feed. */
export const FEEDS_PATH = routePattern("/web/feeds");

/** The pattern that logs and metrics show instead of a feed's address. */
export const CALENDAR_PATTERN = routePattern("/calendar/{feed}");

/** Sends the feed at a path. Raises the same 404 for every path without a valid feed. */
export async function sendCalendar(parts: ReadingParts, context: RequestContext): Promise<Response> {
  const { store, admission, today } = parts;
  context.route = CALENDAR_PATTERN;
  requireReading(context.method, false);
  const feed = await findCalendar(store, context.path);
  context.key = feed;
  parts.used(feed);
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(feed.id));
  endPhase(context, "rate-limit");
  return admitted(admission, feed.id, async () => {
    endPhase(context, "admission");
    const version = await store.version(feed.companyId);
    if (version === null) throw calendarNotFound();
    const day = today();
    const key = cacheKey(feed.companyId, version, day, false, `${CALENDAR_FOLDER}${feed.id}`);
    const content = await cachedContent(parts, key, context, (computation) =>
      readCalendar(wholeCompany(parts, feed.companyId, version, computation), feed, day).finally(() =>
        endPhase(context, "read"),
      ),
    );
    noteLook(parts.looked, context, { key: feed, person: null }, CALENDAR_PATTERN, content.count);
    const response = conditionalResponse(context, content, "text/calendar; charset=utf-8", "accept-encoding");
    endPhase(context, "negotiate");
    return response;
  });
}

/** A 401 would make calendar programs ask for a password. */
function calendarNotFound(): HttpProblem {
  return new HttpProblem(
    "feed_not_found",
    "No calendar feed has this address: it is mistyped, or the feed was revoked or has expired. Ask for a new one.",
  );
}

/** Finds the feed of a path. Feeds are not cached, so a revoked one is refused at once. */
async function findCalendar(store: ReadStore, path: string): Promise<StoredCalendar> {
  const secret = path.slice(CALENDAR_FOLDER.length, -SUFFIX.length);
  if (!path.endsWith(SUFFIX) || !isSecret("rc_", secret)) throw calendarNotFound();
  const feed = await store.calendar(secretDigest(secret));
  const hasExpired = (feed?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= Date.now();
  if (feed === null || feed.revokedAtMs !== null || hasExpired) throw calendarNotFound();
  return feed;
}

/** The subject of a feed without a name: its only worker, or "who is away". */
async function subjectOf(
  company: CompanyReader,
  { workers }: CalendarDefinition,
  today: string,
): Promise<string> {
  const [id, ...others] = workers;
  const doc = id === undefined || others.length > 0 ? null : await company.object("workers", id);
  const worker = doc === null ? null : (JSON.parse(doc) as Worker); // as it is stored
  return worker !== null && mayBeAway(worker, today) ? worker.displayName : "who is away";
}

async function readCalendar(company: CompanyReader, feed: StoredCalendar, day: string): Promise<Content> {
  const sequence = await company.calendarSequence();
  const about = await company.about();
  if (sequence === null || about === null) throw calendarNotFound();
  const { definition, companyId } = feed;
  const leave = await readLeave(company, definition, dayOfText(day), about.timeZone);
  const content = contentOf(
    calendarText({
      isCut: leave.isCut,
      leave: await eventsOf(company, leave.leave, sequence, about.createdAtMs),
      companyId,
      name: feed.name === "" ? `${about.name}: ${await subjectOf(company, definition, day)}` : feed.name,
      policyNames: definition.show === "policy" ? leave.policyNames : null,
    }),
    null,
    leave.leave.length,
  );
  // The feed also changes when a day begins, because it shows the days around today.
  const modifiedMs = Math.max(about.changedAtMs ?? about.createdAtMs, dayOfText(day) * DAY_MS);
  return { ...content, lastModified: new Date(modifiedMs).toUTCString() };
}
