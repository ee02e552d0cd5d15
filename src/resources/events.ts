// The events that hooks can get (docs/events.md).
import type { Scope } from "./resource.ts";

/** Date-driven events. */
const CALENDAR_TYPES = [
  "time_off.leave.started",
  "time_off.leave.ended",
  "time_off.balance.expiring",
  "worker.starting",
  "worker.leaving",
] as const;

/** All events, including those of imports, with the names of the published interface. */
export const EVENT_TYPES = [
  "worker.created",
  "worker.updated",
  "worker.deleted",
  "worker.onboarding_completed",
  "worker.offboarding_started",
  "worker.offboarded",
  "worker.reactivated",
  "time_off.request.created",
  "time_off.request.updated",
  "time_off.request.reviewed",
  "time_off.request.deleted",
  "time_off.balance.adjusted",
  "time_off.close.differs",
  ...CALENDAR_TYPES,
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Whether a pattern matches `type`: `*` matches all types, `worker.*` a group, any other text itself. */
export function isNamedBy(pattern: string, type: EventType): boolean {
  return (
    pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))
  );
}

/** Whether these patterns match any date-driven event. */
export function namesCalendar(patterns: readonly string[]): boolean {
  return CALENDAR_TYPES.some((type) => patterns.some((pattern) => isNamedBy(pattern, type)));
}

/** Sent to every hook that may lack events: they were too old, or other data was restored. Not an event that a hook can choose. */
export const EVENTS_LOST = "hook.events_lost";

/** The type of an event that is stored until it is sent. */
export type NotedType = EventType | typeof EVENTS_LOST;

/** The scope that a hook needs for an event. */
export function scopeOfEvent(type: EventType): Scope {
  return type.startsWith("worker.") ? "workers:read" : "time_off:read";
}
