// Three independent parsers read the same feeds alike: ical.js, and Python's icalendar and vobject (Debian's
// python3-icalendar and python3-vobject, which must be installed). And what a feed of 5,000 events costs.
import { expect, test } from "bun:test";
import { ResponseCache } from "../../../src/http/middleware/cache.ts";
import { newCalendar } from "../../../src/http/new-key.ts";
import type { CalendarDefinition } from "../../../src/store/store.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { eventsOf } from "./parsers.ts";

/** Prints, for each parser, a line of JSON: uid, start, end and status of each event, in the order of the UIDs. */
const PYTHON = `
import sys, json, datetime
import icalendar, vobject
text = sys.stdin.buffer.read().decode()
def time(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return value.isoformat()
calendar = icalendar.Calendar.from_ical(text)
one = [[str(e["UID"]), str(e["SUMMARY"]), time(e["DTSTART"].dt), time(e["DTEND"].dt), str(e["STATUS"])]
       for e in calendar.walk("VEVENT")]
two = [[e.uid.value, e.summary.value, time(e.dtstart.value), time(e.dtend.value), e.status.value]
       for e in vobject.readOne(text).vevent_list]
for events in (one, two):
    print(json.dumps(sorted(events)))
`;

async function parsedByPython(text: string): Promise<string[][][]> {
  const child = Bun.spawn(["/usr/bin/python3", "-c", PYTHON], {
    stdin: new TextEncoder().encode(text),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`python3-icalendar and python3-vobject are needed: ${problems}`);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const DEFINITION: CalendarDefinition = {
  workers: [],
  types: [],
  policies: [],
  show: "policy",
  withPending: true,
};

const ZONES = ["Europe/Lisbon", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham", null];
const NAMES = ["Ana Núñez", "李小龍", 'Eve "\r\nX:1"', "O'Neil, Jr; \\ MD", "🙂".repeat(40), "Bo"];

const service = await startService();
const EVENTS = 5000;

await addCompany(service.writer, "acme", {
  workers: Array.from({ length: 500 }, (_, at) =>
    workerRow(`wrk_${at}`, {
      displayName: `${NAMES[at % NAMES.length]} ${at}`,
      timeZone: ZONES[at % ZONES.length]!,
    }),
  ),
  policies: [policyRow("top_annual", { name: "Annual; leave, all" })],
  requests: Array.from({ length: EVENTS }, (_, at) => {
    // Whole days in Lisbon, which in most other zones are none, and some hours.
    const startMs = Date.UTC(2026, 1, 1 + (at % 400), at % 7 === 0 ? 9 : 0);
    const endMs = startMs + (at % 7 === 0 ? 5 : 24 * (1 + (at % 5))) * 3_600_000;
    return requestRow(`tor_${at}`, `wrk_${(at * 13) % 500}`, "top_annual", {
      startAt: new Date(startMs).toISOString(),
      endAt: new Date(endMs).toISOString(),
      status: at % 9 === 0 ? "pending" : "approved",
    });
  }),
});

const made = newCalendar({ companyId: "acme", name: "Who, is; away", definition: DEFINITION }, Date.now());
await service.writer.createSecret(made.stored);
const fetched = async () => (await service.call(`/calendar/${made.secret}.ics`, {})).text;

test("three parsers agree on count, days, UIDs, names and status", async () => {
  const text = await fetched();
  const javascript = eventsOf(text).map(({ uid, summary, start, end, status }) => [
    uid,
    summary,
    start,
    end,
    status,
  ]);
  const all = [javascript, ...(await parsedByPython(text))];
  expect(all.map((events) => events.length)).toEqual(Array<number>(3).fill(EVENTS));
  for (const events of all.slice(1)) expect(events).toEqual(all[0]!);
  expect(new Set(all[0]!.map(([uid]) => uid)).size).toBe(EVENTS);
});

test("what a feed of 5,000 events costs, uncached", async () => {
  const costs: { cpuMs: number; wallMs: number }[] = [];
  for (let run = 0; run < 20; run++) {
    const uncached = await startService({ cache: new ResponseCache(0) });
    uncached.reader.version = service.reader.version.bind(service.reader);
    uncached.reader.calendar = service.reader.calendar.bind(service.reader);
    uncached.reader.company = service.reader.company.bind(service.reader);
    const before = process.cpuUsage();
    const startedAtMs = performance.now();
    await uncached.call(`/calendar/${made.secret}.ics`, {});
    const { user, system } = process.cpuUsage(before);
    costs.push({ cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAtMs });
  }
  const median = (of: "cpuMs" | "wallMs") => costs.map((cost) => cost[of]).sort((a, b) => a - b)[10]!;
  console.log(`5,000 events: ${median("wallMs").toFixed(1)} ms, of CPU ${median("cpuMs").toFixed(1)} ms`);
});
