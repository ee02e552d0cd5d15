// Calendar feeds over HTTP: what they show, to whom, and what programs that read calendars make of it.
import { describe, expect, test } from "bun:test";
import { failureLimit } from "../../../src/http/middleware/rate-limit.ts";
import { newCalendar } from "../../../src/http/new-key.ts";
import type { CalendarDefinition, StoredCalendar, WriteStore } from "../../../src/store/store.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, createCompany, putFacts } from "../../support/stores.ts";
import { problemOf, startService } from "../service.ts";
import { eventsOf } from "./parsers.ts";

const service = await startService();
const { writer } = service;

const HOME = policyRow("top_home", { name: "Working from home", isAbsence: false });
const POLICY = policyRow("top_annual", { name: "Annual leave" });
const SICK = policyRow("top_sick", { name: "Sick; with, a \\ note" });

const DEFINITION: CalendarDefinition = {
  workers: [],
  types: [],
  policies: [],
  show: "busy",
  withPending: false,
};

/** Makes a feed and gives its path. */
async function addFeed(
  store: WriteStore,
  companyId: string,
  definition: Partial<CalendarDefinition> = {},
  stored: Partial<StoredCalendar> = {},
): Promise<string> {
  const options = { companyId, name: "", definition: { ...DEFINITION, ...definition } };
  const made = newCalendar(options, Date.now());
  await store.createSecret({ ...made.stored, ...stored });
  return `/calendar/${made.secret}.ics`;
}

async function fetched(path: string): Promise<string> {
  const { status, text, headers } = await service.call(path, {});
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  return text;
}

/** Lines as they were before folding (RFC 5545, 3.1). */
const unfolded = (text: string) => text.replaceAll("\r\n ", "").split("\r\n");

const leave = (id: string, workerId: string, start: string, end: string, more = {}) =>
  requestRow(id, workerId, "top_annual", { startAt: `${start}.000Z`, endAt: `${end}.000Z`, ...more });

describe("who is away", () => {
  test("excludes people who work from home, unless the feed names that policy", async () => {
    await addCompany(writer, "home", {
      workers: [workerRow("wrk_ana", { displayName: "Ana" })],
      policies: [POLICY, HOME],
      requests: [
        leave("tor_away", "wrk_ana", "2026-03-02T00:00:00", "2026-03-03T00:00:00"),
        requestRow("tor_home", "wrk_ana", HOME.id),
      ],
    });
    const summaries = async (definition: Partial<CalendarDefinition>) =>
      eventsOf(await fetched(await addFeed(writer, "home", { show: "policy", ...definition }))).map(
        ({ summary }) => summary,
      );
    expect(await summaries({})).toEqual(["Ana: Annual leave"]);
    expect(await summaries({ policies: [HOME.id] })).toEqual(["Ana: Working from home"]);
  });

  test("by name; whole days in local days, other leave in UTC", async () => {
    await addCompany(writer, "days", {
      workers: [
        workerRow("wrk_ana", { displayName: "Ana Núñez", timeZone: "Asia/Tokyo" }),
        workerRow("wrk_bo", { displayName: "Bo", timeZone: "Europe/Berlin" }),
        workerRow("wrk_cy", { displayName: "Cy", timeZone: null }),
      ],
      policies: [POLICY],
      requests: [
        leave("tor_tokyo", "wrk_ana", "2026-03-01T15:00:00", "2026-03-02T15:00:00"),
        // The clocks go forward on 29 March 2026: this Sunday has 23 hours.
        leave("tor_spring", "wrk_bo", "2026-03-27T23:00:00", "2026-03-29T22:00:00"),
        leave("tor_hours", "wrk_bo", "2026-04-01T08:00:00", "2026-04-01T12:00:00"),
        leave("tor_travel", "wrk_bo", "2026-05-01T04:00:00", "2026-05-02T04:00:00", {
          timeZone: "America/New_York",
        }),
        leave("tor_instant", "wrk_cy", "2026-04-02T08:00:00", "2026-04-02T08:00:00"),
        leave("tor_company", "wrk_cy", "2026-06-01T00:00:00", "2026-06-03T00:00:00"),
        leave("tor_denied", "wrk_cy", "2026-06-05T00:00:00", "2026-06-06T00:00:00", { status: "denied" }),
        leave("tor_pending", "wrk_cy", "2026-06-08T00:00:00", "2026-06-09T00:00:00", { status: "pending" }),
      ],
    });
    const events = eventsOf(await fetched(await addFeed(writer, "days")));
    const seen = events.map(({ summary, start, end, status }) => [summary, start, end, status]);
    expect(seen.toSorted()).toEqual([
      ["Ana Núñez: away", "2026-03-02", "2026-03-03", "CONFIRMED"],
      ["Bo: away", "2026-03-28", "2026-03-30", "CONFIRMED"],
      ["Bo: away", "2026-04-01T08:00:00.000Z", "2026-04-01T12:00:00.000Z", "CONFIRMED"],
      ["Bo: away", "2026-05-01", "2026-05-02", "CONFIRMED"],
      ["Cy: away", "2026-06-01", "2026-06-03", "CONFIRMED"],
    ]);
    const withPending = eventsOf(await fetched(await addFeed(writer, "days", { withPending: true })));
    expect(withPending.filter(({ status }) => status === "TENTATIVE").map(({ start }) => start)).toEqual([
      "2026-06-08",
    ]);
    expect(withPending.length).toBe(6);
  });

  test("leave that begins after the person's last day, where they are, is left out", async () => {
    await createCompany(writer, "left");
    await writer.change("left", async (transaction) => {
      const left = { timeZone: "Asia/Tokyo", endDate: "2026-03-10" };
      await transaction.put("workers", [workerRow("wrk_ana", left)]);
      await transaction.put("policies", [POLICY]);
      await transaction.put("requests", [
        leave("tor_1", "wrk_ana", "2026-03-09T15:00:00", "2026-03-12T15:00:00"), // from the last day on
        leave("tor_2", "wrk_ana", "2026-03-10T15:00:00", "2026-03-11T15:00:00"),
      ]);
      return { result: null, changed: true, commit: true };
    });
    const events = eventsOf(await fetched(await addFeed(writer, "left")));
    expect(events.map(({ start }) => start)).toEqual(["2026-03-10"]);
  });

  // docs/calendars.md, On the page: of the people who are shown there.
  test("nobody who is not hired yet, or has left, in events or as the name of the calendar", async () => {
    const people = {
      ana: { status: "active", endDate: "2026-03-01" },
      bo: { status: "onboarding", startDate: "2026-06-01" },
      cy: { status: "draft" },
      di: { status: "invited" },
      eve: { status: "inactive" },
      fay: { status: "active", endDate: "2026-02-28" },
    } as const;
    const names = Object.keys(people);
    await addCompany(writer, "staff", {
      workers: Object.entries(people).map(([name, fields]) =>
        workerRow(`wrk_${name}`, { displayName: `name of ${name}`, ...fields }),
      ),
      policies: [POLICY],
      requests: names.map((name) =>
        leave(`tor_${name}`, `wrk_${name}`, "2026-02-10T00:00:00", "2026-06-12T00:00:00"),
      ),
    });
    const named = async (definition: Partial<CalendarDefinition>) => {
      const text = await fetched(await addFeed(writer, "staff", definition));
      return names.filter((name) => text.includes(`name of ${name}`));
    };
    expect(await named({})).toEqual(["ana", "bo"]);
    for (const name of names)
      expect(await named({ workers: [`wrk_${name}`] })).toEqual(["ana", "bo"].includes(name) ? [name] : []);
  });

  test("whole days of a worker without a zone follow the company's zone", async () => {
    await createCompany(writer, "zoned");
    await writer.change("zoned", async (transaction) => {
      await transaction.updateCompany({ timeZone: "Asia/Tokyo" });
      await transaction.put("workers", [workerRow("wrk_ana")]);
      await transaction.put("policies", [POLICY]);
      await transaction.put("requests", [
        leave("tor_1", "wrk_ana", "2026-03-01T15:00:00", "2026-03-02T15:00:00"),
      ]);
      return { result: null, changed: true, commit: true };
    });
    const [event] = eventsOf(await fetched(await addFeed(writer, "zoned")));
    expect([event?.start, event?.end]).toEqual(["2026-03-02", "2026-03-03"]);
  });

  test("from 31 days back to 400 days ahead, with leave that crosses either border", async () => {
    // Today is 2026-03-01: the window is [2026-01-29, 2027-04-06).
    const cases: [id: string, start: string, end: string, isShown: boolean][] = [
      ["before", "2026-01-20", "2026-01-29", false],
      ["across the first", "2026-01-20", "2026-01-30", true],
      ["last day", "2027-04-05", "2027-04-20", true],
      ["after", "2027-04-06", "2027-04-07", false],
      ["across all", "2025-01-01", "2028-01-01", true],
    ];
    await addCompany(writer, "window", {
      workers: cases.map(([name], at) => workerRow(`wrk_${at}`, { displayName: name })),
      policies: [POLICY],
      requests: cases.map(([, start, end], at) =>
        leave(`tor_${at}`, `wrk_${at}`, `${start}T00:00:00`, `${end}T00:00:00`),
      ),
    });
    const events = eventsOf(await fetched(await addFeed(writer, "window")));
    const expected = cases.filter(([, , , isShown]) => isShown).map(([name]) => `${name}: away`);
    expect(events.map(({ summary }) => summary).toSorted()).toEqual(expected.toSorted());
  });

  test("only chosen workers, types or policies, with the policy's name if the feed says so", async () => {
    await addCompany(writer, "some", {
      workers: [
        workerRow("wrk_ana", { displayName: "Ana" }),
        workerRow("wrk_bo", { displayName: "Bo", type: "contractor" }),
      ],
      policies: [POLICY, SICK],
      requests: [
        requestRow("tor_1", "wrk_ana", "top_annual"),
        requestRow("tor_2", "wrk_bo", "top_annual"),
        requestRow("tor_3", "wrk_ana", "top_sick"),
      ],
    });
    const summaries = async (definition: Partial<CalendarDefinition>) =>
      eventsOf(await fetched(await addFeed(writer, "some", definition)))
        .map(({ summary }) => summary)
        .toSorted();
    expect(await summaries({})).toEqual(["Ana: away", "Ana: away", "Bo: away"]);
    expect(await summaries({ workers: ["wrk_bo"] })).toEqual(["Bo: away"]);
    expect(await summaries({ types: ["contractor"] })).toEqual(["Bo: away"]);
    expect(await summaries({ types: ["employee", "contractor"] })).toHaveLength(3);
    expect(await summaries({ policies: ["top_sick"], show: "policy" })).toEqual([
      "Ana: Sick; with, a \\ note",
    ]);
    expect(await summaries({ workers: ["wrk_bo"], types: ["employee"] })).toEqual([]);
  });

  test("never a reason, an address, an id or a number of minutes", async () => {
    await addCompany(writer, "quiet", {
      workers: [workerRow("wrk_ana", { workEmail: "ana@work.example", legacyId: "E-77" })],
      policies: [POLICY],
      requests: [
        requestRow("tor_secret", "wrk_ana", "top_annual", { reason: "An operation", requestedMinutes: 487 }),
      ],
    });
    const text = await fetched(await addFeed(writer, "quiet", { show: "policy", withPending: true }));
    const shown = unfolded(text).join("\n");
    for (const hidden of ["operation", "example", "E-77", "tor_", "wrk_", "top_"])
      expect(shown).not.toContain(hidden);
    expect(shown).not.toMatch(/\b487\b/); // a sequence number is made of the time, and may have these digits
  });
});

test("a name can neither inject a property nor break a line, and no line is longer than 75 octets", async () => {
  const names = [
    "Eve\r\nDESCRIPTION:injected",
    "Eve\nEND:VEVENT\nBEGIN:VEVENT",
    "Semi;colon, comma back\\slash",
    `${"長い名前".repeat(40)}🙂`,
    "\ud800 lone surrogate",
    "line\u2028separator\u2029 and \u0085 \u0000 control",
    '"quoted": 5%',
    "🙂".repeat(60),
  ];
  await createCompany(writer, "names");
  await writer.change("names", async (transaction) => {
    await transaction.updateCompany({ name: "Acme, Ltd; X-INJECTED:1\r\nX-INJECTED:2" });
    await transaction.put(
      "workers",
      names.map((displayName, at) => workerRow(`wrk_${at}`, { displayName })),
    );
    await transaction.put("policies", [POLICY]);
    await transaction.put(
      "requests",
      names.map((_, at) => requestRow(`tor_${at}`, `wrk_${at}`, "top_annual")),
    );
    return { result: null, changed: true, commit: true };
  });
  const text = await fetched(await addFeed(writer, "names"));
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  expect(text.replaceAll("\r\n", "")).not.toMatch(/\p{Cc}|\u2028|\u2029/u);
  const lines = unfolded(text);
  const properties = new Set(lines.map((line) => line.split(/[;:]/)[0]!));
  expect([...properties].filter((name) => name !== "").toSorted()).toEqual(
    [
      "BEGIN",
      "DTEND",
      "DTSTAMP",
      "DTSTART",
      "END",
      "LAST-MODIFIED",
      "METHOD",
      "NAME",
      "PRODID",
      "REFRESH-INTERVAL",
      "SEQUENCE",
      "STATUS",
      "SUMMARY",
      "TRANSP",
      "UID",
      "VERSION",
      "X-MICROSOFT-CDO-ALLDAYEVENT",
      "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT",
      "X-PUBLISHED-TTL",
      "X-WR-CALNAME",
    ].toSorted(),
  );
  expect(lines).toContain("NAME:Acme\\, Ltd\\; X-INJECTED:1 X-INJECTED:2: who is away");
  expect(lines.filter((line) => line === "BEGIN:VEVENT")).toHaveLength(names.length);
  const summaries = eventsOf(text).map(({ summary }) => summary);
  for (const kept of [
    "Eve DESCRIPTION:injected: away",
    "Semi;colon, comma back\\slash: away",
    '"quoted": 5%: away',
  ])
    expect(summaries).toContain(kept);
});

describe("the same events stay the same", () => {
  test("two fetches return the same bytes, and the second one with the tag a 304", async () => {
    await addCompany(writer, "twice", {
      workers: [workerRow("wrk_ana")],
      policies: [POLICY],
      requests: [requestRow("tor_1", "wrk_ana", "top_annual")],
    });
    const path = await addFeed(writer, "twice");
    const bytes = await Promise.all([1, 2, 3].map(async () => (await service.raw(path, {})).body));
    expect(bytes[1]).toEqual(bytes[0]!);
    expect(bytes[2]).toEqual(bytes[0]!);
    const first = await service.call(path, {});
    const etag = first.headers.get("etag")!;
    const again = await service.call(path, { headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    const date = first.headers.get("last-modified")!;
    expect(new Date(date).toUTCString()).toBe(date);
    const since = async (headers: Record<string, string>) => (await service.call(path, { headers })).status;
    const form850 = date.replace(/^(...), (..) (...) ..(..)/, "Monday, $2-$3-$4"); // RFC 9110, 5.6.7: the day is not checked
    for (const same of [date, form850, new Date(Date.parse(date) + 3_600_000).toUTCString()])
      expect(await since({ "if-modified-since": same })).toBe(304);
    for (const none of ["", "yesterday", "0"]) expect(await since({ "if-modified-since": none })).toBe(200);
    expect(await since({ "if-modified-since": new Date(Date.parse(date) - 1000).toUTCString() })).toBe(200);
    expect(await since({ "if-modified-since": date, "if-none-match": '"other"' })).toBe(200);
    expect(unfolded(first.text)).toContain("REFRESH-INTERVAL;VALUE=DURATION:PT1H");
    expect(first.text).toEndWith("END:VCALENDAR\r\n");
    expect((await service.call(path, { method: "HEAD" })).headers.get("etag")).toBe(etag);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // a date has whole seconds
    await putFacts(writer, "twice", { requests: [requestRow("tor_2", "wrk_ana", "top_annual")] });
    expect(await since({ "if-modified-since": date })).toBe(200);
  });

  test("a UID belongs to one request of one company for ever, and SEQUENCE grows only when the event changes", async () => {
    const facts = (end: string) => ({
      workers: [workerRow("wrk_ana")],
      policies: [POLICY],
      requests: [leave("tor_1", "wrk_ana", "2026-03-02T00:00:00", `${end}T00:00:00`)],
    });
    for (const id of ["uid-a", "uid-b"]) await addCompany(writer, id, facts("2026-03-03"));
    const [path, other] = [await addFeed(writer, "uid-a"), await addFeed(writer, "uid-b")];
    const before = await fetched(path);
    await putFacts(writer, "uid-a", facts("2026-03-05"));
    const after = await fetched(path);
    const property = (text: string, name: string) =>
      unfolded(text)
        .find((line) => line.startsWith(`${name}:`))!
        .slice(name.length + 1);
    expect(property(after, "UID")).toBe(property(before, "UID"));
    expect(property(await fetched(other), "UID")).not.toBe(property(before, "UID"));
    expect(Number(property(after, "SEQUENCE"))).toBeGreaterThan(Number(property(before, "SEQUENCE")));
    expect(eventsOf(after)[0]?.end).toBe("2026-03-05");
    const { changedAtMs } = (await service.reader.company("uid-a").about())!;
    const stamp = new Date(changedAtMs!).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    expect([property(after, "DTSTAMP"), property(after, "LAST-MODIFIED")]).toEqual([stamp, stamp]);
    // What an import does not touch stays as it is. A worker's new name is in the event.
    await putFacts(writer, "uid-a", { workers: [workerRow("wrk_other")] });
    expect(await fetched(path)).toBe(after);
    await putFacts(writer, "uid-a", { workers: [workerRow("wrk_ana", { displayName: "Ana New" })] });
    expect(Number(property(await fetched(path), "SEQUENCE"))).toBeGreaterThan(
      Number(property(after, "SEQUENCE")),
    );
  });
});

test("the earliest 5,000 events, and a description that says what is left out", async () => {
  const start = Date.UTC(2026, 2, 1);
  const rows = Array.from({ length: 5200 }, (_, at) => {
    // Ids are in another order than starts.
    const startMs = start + ((at * 7919) % 5200) * 3_600_000;
    const times = {
      startAt: new Date(startMs).toISOString(),
      endAt: new Date(startMs + 1_800_000).toISOString(),
    };
    return requestRow(`tor_${at}`, `wrk_${at % 300}`, "top_annual", times);
  });
  await addCompany(writer, "many", {
    workers: Array.from({ length: 300 }, (_, at) => workerRow(`wrk_${at}`)),
    policies: [POLICY],
    requests: rows,
  });
  const text = await fetched(await addFeed(writer, "many"));
  // One of the parsers takes seconds for so many events: parsers.trial.ts has it read them.
  const starts = [...text.matchAll(/DTSTART:(\d{4})(\d\d)(\d\d)T(\d\d)0000Z/g)].map(
    ([, year, month, day, hour]) => Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour)),
  );
  expect(starts.length).toBe(5000);
  expect(Math.max(...starts)).toBe(start + 4999 * 3_600_000);
  expect(unfolded(text).find((line) => line.startsWith("X-WR-CALDESC:"))).toContain("earliest 5000");
});

describe("who may read", () => {
  test("an unknown address gets the same 404, whatever the cause; a key opens no feed, and a feed no API", async () => {
    await addCompany(writer, "closed", { workers: [workerRow("wrk_ana")], policies: [POLICY], requests: [] });
    const open = await addFeed(writer, "closed");
    const secret = open.slice("/calendar/".length, -".ics".length);
    const key = await addKey(writer, "closed");
    const nowMs = Date.now();
    const closed = [
      await addFeed(writer, "closed", {}, { revokedAtMs: nowMs - 1 }),
      await addFeed(writer, "closed", {}, { revokedAtMs: nowMs + 3_600_000 }), // by a clock that is ahead
      await addFeed(writer, "closed", {}, { expiresAtMs: nowMs - 1 }),
      `/calendar/${newCalendar({ companyId: "closed", name: "", definition: DEFINITION }, 0).secret}.ics`,
      `/calendar/${key}.ics`,
      open.replace(".ics", ""),
      open.replace(/(.)\.ics$/, (_, last) => `${last === "x" ? "y" : "x"}.ics`),
      `${open}/`,
      "/calendar/",
      "/calendar/a/b.ics",
    ];
    const problems = new Set<string>();
    for (const path of closed) {
      const response = await service.call(path, { key });
      expect(response.status).toBe(404);
      expect(response.headers.has("www-authenticate")).toBe(false);
      const { code, title, detail } = problemOf(response);
      expect(code).toBe("feed_not_found");
      problems.add(`${title} ${detail}`);
    }
    expect(problems.size).toBe(1);
    expect((await service.call("/v1/workers", { key: secret })).status).toBe(401);
    expect((await service.call(open, {})).status).toBe(200);
    expect((await service.call(open, { method: "POST" })).status).toBe(405);
    expect((await service.call(`${open}?today=2000-01-01`, {})).status).toBe(200);
  });

  test("a revoked feed and the feed of a deleted company are closed at once", async () => {
    await addCompany(writer, "going", { workers: [], policies: [], requests: [] });
    const paths = [await addFeed(writer, "going"), await addFeed(writer, "going")];
    const [first] = await writer.feeds("going");
    await writer.updateSecret("feeds", first!.id, { revokedAtMs: Date.now() });
    const statuses = async () =>
      (await Promise.all(paths.map((path) => service.call(path, {})))).map((one) => one.status);
    expect((await statuses()).toSorted()).toEqual([200, 404]);
    await writer.deleteCompany("going");
    expect(await statuses()).toEqual([404, 404]);
  });

  test("guesses count as failures of their address", async () => {
    const guarded = await startService({ failureLimit: failureLimit(3) });
    const statuses: number[] = [];
    for (let guess = 0; guess < 5; guess++) {
      const { secret } = newCalendar({ companyId: "acme", name: "", definition: DEFINITION }, 0);
      statuses.push((await guarded.call(`/calendar/${secret}.ics`, {})).status);
    }
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
  });
});

test("a feed without a name is called after the one worker that it shows", async () => {
  await addCompany(writer, "named", {
    workers: [workerRow("wrk_ana", { displayName: "Ana" }), workerRow("wrk_bo", { displayName: "Bo" })],
  });
  const nameOf = async (workers: readonly string[]) =>
    unfolded(await fetched(await addFeed(writer, "named", { workers }))).find((line) =>
      line.startsWith("NAME:"),
    );
  expect(await nameOf(["wrk_ana"])).toEndWith(": Ana");
  expect(await nameOf(["wrk_ana", "wrk_bo"])).toEndWith(": who is away");
  expect(await nameOf(["wrk_gone"])).toEndWith(": who is away");
});
