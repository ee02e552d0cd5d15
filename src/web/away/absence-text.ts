// An absence in words.
import { clock, longDay, shortRange } from "../time/format.ts";
import { viewerZone, wallTime } from "../time/zones.ts";
import type { Absence } from "./absences.ts";

export const REQUEST_STATUS_NAME = { pending: "Pending", approved: "Approved", denied: "Denied" } as const;

/** `Mon, 16 Nov 2026, 09:00–11:00`, in the absence's own zone. */
export function whenText({ firstDay, lastDay, startMinute, endMinute, isWholeDays }: Absence): string {
  if (isWholeDays) return firstDay === lastDay ? longDay(firstDay) : shortRange(firstDay, lastDay);
  if (firstDay === lastDay) return `${longDay(firstDay)}, ${clock(startMinute)}–${clock(endMinute)}`;
  return `${longDay(firstDay)}, ${clock(startMinute)} – ${longDay(lastDay)}, ${clock(endMinute)}`;
}

/** The same times on the viewer's clock; null where there is nothing to convert. */
export function viewerText({ request, zone, isWholeDays }: Absence): string | null {
  const own = viewerZone();
  if (isWholeDays || own === zone) return null;
  const [start, end] = [wallTime(request.startAt, own), wallTime(request.endAt, own)];
  const there = wallTime(request.startAt, zone);
  if (start.day === there.day && start.minute === there.minute) return null;
  return `${longDay(start.day)}, ${clock(start.minute)}–${clock(end.minute)}`;
}

/** What a screen reader says of a bar. */
export function absenceTitle(absence: Absence, typeName: string): string {
  return `${typeName}, ${REQUEST_STATUS_NAME[absence.request.status].toLowerCase()}, ${whenText(absence)}`;
}
