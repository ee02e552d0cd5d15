// The moment that a request asks about by `knownOn` or by a close (docs/record.md): the company is read as it was known then.
import { type KnownOn, show } from "../resources/query.ts";
import type { CompanyReader, ReadStore, StoredClose } from "../store/store.ts";
import { DAY_MS, type Day, dayOfText, formatDay, nearestWritable, utcDayOf } from "../time/day.ts";
import { formatInstant } from "../time/instant.ts";
import { instantOf } from "../time/zone.ts";
import { HttpProblem } from "./problems.ts";

/** The values of a query that may ask about a moment. */
interface MomentValues {
  readonly knownOn?: KnownOn;
}

/** What a request reads: what was known at a revision, or what is known now (null); and the day that counts as today. */
export interface Moment {
  readonly revision: number | null;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/** The day that counts as today: the requested day, the UTC day of a requested instant, or else the current day. */
export function todayOf({ knownOn }: MomentValues, today: string): string {
  return knownOn === undefined ? today : formatDay(dayOf(knownOn));
}

function dayOf({ day, atMs }: KnownOn): Day {
  return day ?? nearestWritable(utcDayOf(atMs));
}

/** Raises a 400 for a moment before the first known one, and for a moment in the future. */
export async function momentOf(
  store: ReadStore,
  companyId: string,
  { knownOn }: MomentValues,
  today: string,
): Promise<Moment> {
  if (knownOn === undefined) return { revision: null, today };
  const { beginsMs, knownMs } = await instantsOf(store, companyId, knownOn);
  const { revision, atMs, firstMs, nextMs } = await store.knownAt(companyId, knownMs);
  const moment = { revision, today: todayOf({ knownOn }, today) };
  if (atMs === knownMs) return moment; // the very moment of a change is known, even if a clock was ahead then
  const todayDay = dayOfText(today);
  // East of UTC, a day begins before it is today in UTC. West of UTC, today in UTC is accepted before it begins there.
  const isToCome = knownOn.day !== null && knownOn.day > todayDay && beginsMs > Date.now();
  if (isToCome || beginsMs >= (todayDay + 1) * DAY_MS)
    throw notKnown(`${formatDay(dayOf(knownOn))} is still to come`, "ask for a day until today");
  if (knownOn.day === null && beginsMs > Date.now())
    throw notKnown(`${formatInstant(beginsMs)} is still to come`, "ask for a moment until now");
  if (atMs !== null && nextMs !== null && nextMs > Date.now() + CLOCKS_DIFFER_MS)
    throw notKnown(
      `a clock was ahead: the first change after ${formatInstant(atMs)} is dated ${formatInstant(nextMs)}, and may have been known then or not`,
      `ask for ${formatInstant(atMs)} or earlier, or leave it out`,
    );
  if (revision !== null) return moment;
  throw firstMs === null
    ? notKnown("nothing was imported yet", "leave it out")
    : notKnown("nothing is known of that moment", `ask for ${formatInstant(firstMs)} or later`);
}

/** How much the clocks of two machines may differ without a reason for doubt. */
export const CLOCKS_DIFFER_MS = 300_000;

/** Reads at a moment. Reads again if an import meanwhile forgets what was known then. Raises what `momentFor` raises. */
export async function atMoment<T>(
  momentFor: () => Promise<Moment>,
  read: (moment: Moment) => Promise<T>,
): Promise<T> {
  for (;;) {
    const moment = await momentFor();
    const result = await read(moment);
    if (moment.revision === null || (await momentFor()).revision === moment.revision) return result;
  }
}

/** A day lasts at least this long after its midnight UTC, in every zone. */
const SOONEST_END_MS = 10 * 3_600_000;

/**
 * When a day begins, and when it is known: at its end. Both are in the zone that the company had on that day, so a new zone does not move
 * past days. Days before the first import have the zone of that import.
 */
async function instantsOf(store: ReadStore, companyId: string, { day, atMs }: KnownOn) {
  if (day === null) return { beginsMs: atMs, knownMs: atMs };
  const { revision, firstMs } = await store.knownAt(companyId, day * DAY_MS + SOONEST_END_MS);
  const then = revision ?? (await store.knownAt(companyId, firstMs ?? 0)).revision;
  const zone = (await store.company(companyId, undefined, then).about())?.timeZone ?? "UTC";
  return {
    beginsMs: instantOf(day * DAY_MS, zone),
    knownMs: instantOf((day + 1) * DAY_MS, zone) - 1,
  };
}

function notKnown(why: string, remedy: string): HttpProblem {
  const detail = `${why}: ${remedy}`;
  return new HttpProblem("not_known", `knownOn: ${detail}.`, { errors: [{ parameter: "knownOn", detail }] });
}

/** Raises a 404 if the company has no close with the name. */
export async function closeNamed(company: CompanyReader, name: string): Promise<StoredClose> {
  const close = (await company.closes()).find((each) => each.name === name);
  if (close !== undefined) return close;
  throw new HttpProblem("close_not_found", `No close has the name ${show(name)}.`);
}
