// What days make, in zones and across changes of clocks: one event a request, a worker or an expiry, at the first moment of its day.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { calendarEvents } from "../../src/events/calendar.ts";
import type { HookDefinition } from "../../src/store/hooks.ts";
import { withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { assignmentRow, type Facts, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany, change, makeHook } from "../support/stores.ts";

setDefaultTimeout(120_000);

const { definition } = makeHook("hook_1", "acme");
const at = (text: string) => Date.parse(text);

const YEARLY = {
  schedule: "yearly",
  minutesPerPeriod: 6000,
  minutesPerChunk: null,
  hoursWorkedPerChunk: null,
  isUnlimited: false,
};

const FACTS: Facts = {
  workers: [
    workerRow("wrk_apia", { timeZone: "Pacific/Apia", startDate: "2026-04-08" }), // 13 hours before UTC
    workerRow("wrk_berlin", { timeZone: "Europe/Berlin", endDate: "2026-04-06" }),
    workerRow("wrk_chile", { timeZone: "America/Santiago" }), // on 6 September 2026 its clocks skip midnight
    workerRow("wrk_utc"),
  ],
  policies: [
    policyRow("top_a"),
    policyRow("top_home", { isAbsence: false }),
    { ...policyRow("top_year"), terms: JSON.stringify({ ...YEARLY, rules: { carryoverLimitMinutes: 600 } }) },
  ],
  assignments: [assignmentRow("asg_1", "wrk_utc", "top_a"), assignmentRow("asg_2", "wrk_utc", "top_year")],
  requests: [
    // A day in Apia, two in Berlin over the change of clocks of 29 March, one that names its zone, and what is no leave.
    requestRow("tor_apia", "wrk_apia", "top_a", {
      startAt: "2026-03-28T11:00:00.000Z",
      endAt: "2026-03-29T11:00:00.000Z",
    }),
    requestRow("tor_berlin", "wrk_berlin", "top_a", {
      startAt: "2026-03-28T23:00:00.000Z",
      endAt: "2026-03-30T22:00:00.000Z",
    }),
    requestRow("tor_chile", "wrk_chile", "top_a", {
      startAt: "2026-09-06T12:00:00.000Z",
      endAt: "2026-09-06T20:00:00.000Z",
    }),
    requestRow("tor_own", "wrk_utc", "top_a", {
      startAt: "2026-03-29T12:00:00.000Z",
      endAt: "2026-03-29T16:00:00.000Z",
      timeZone: "America/New_York",
    }),
    requestRow("tor_pending", "wrk_utc", "top_a", {
      status: "pending",
      startAt: "2026-03-29T12:00:00.000Z",
      endAt: "2026-03-29T16:00:00.000Z",
    }),
    requestRow("tor_home", "wrk_utc", "top_home", {
      startAt: "2026-03-29T12:00:00.000Z",
      endAt: "2026-03-29T16:00:00.000Z",
    }),
    // The first day after the last one in Berlin.
    requestRow("tor_left", "wrk_berlin", "top_a", {
      startAt: "2026-04-06T22:00:00.000Z",
      endAt: "2026-04-07T22:00:00.000Z",
    }),
    requestRow("tor_last", "wrk_berlin", "top_a", {
      startAt: "2026-04-05T22:00:00.000Z",
      endAt: "2026-04-06T22:00:00.000Z",
    }),
    requestRow("tor_none", "wrk_utc", "top_a", {
      startAt: "2026-03-29T12:00:00.000Z",
      endAt: "2026-03-29T12:00:00.000Z",
    }),
  ],
};

for (const engine of ENGINES) {
  const withFacts = (
    work: (
      due: (from: string, to: string, change?: Partial<HookDefinition>) => Promise<string[]>,
    ) => Promise<void>,
  ) =>
    withStore(engine, async ({ writer, reader }) => {
      await addCompany(writer, "acme", FACTS);
      await work(async (from, to, change = {}) => {
        const span = { fromMs: at(from), toMs: at(to) };
        const events = await calendarEvents(reader.company("acme"), { ...definition, ...change }, span);
        return events.map(({ type, ids, atMs }) => {
          const { requestId, workerId, date } = ids;
          return `${new Date(atMs).toISOString().slice(0, 16)} ${type.split(".").at(-1)} ${requestId ?? workerId} ${date}`;
        });
      });
    });

  describe(engine.name, () => {
    const MARCH = [
      "2026-03-28T11:00 started tor_apia 2026-03-29",
      "2026-03-29T11:00 ended tor_apia 2026-03-30",
      "2026-03-28T23:00 started tor_berlin 2026-03-29",
      "2026-03-29T04:00 started tor_own 2026-03-29",
      "2026-03-30T04:00 ended tor_own 2026-03-30",
      "2026-03-29T22:00 leaving wrk_berlin 2026-04-06",
      "2026-03-30T22:00 ended tor_berlin 2026-03-31",
      "2026-03-31T11:00 starting wrk_apia 2026-04-08",
    ].toSorted();

    test("leave begins and ends, and workers start and leave, at the first moment of a local day", () =>
      withFacts(async (due) => {
        expect(await due("2026-03-26T00:00Z", "2026-04-02T00:00Z")).toEqual(MARCH);
        expect(await due("2026-09-05T00:00Z", "2026-09-08T00:00Z")).toEqual([
          "2026-09-06T04:00 started tor_chile 2026-09-06",
          "2026-09-07T03:00 ended tor_chile 2026-09-07",
        ]);
      }));

    test("leave that begins after a person's last day is not told", () =>
      withFacts(async (due) => {
        expect(await due("2026-04-05T00:00Z", "2026-04-10T00:00Z")).toEqual([
          "2026-04-05T22:00 started tor_last 2026-04-06",
          "2026-04-06T22:00 ended tor_last 2026-04-07",
        ]);
      }));

    test("leave by the hour is told of at both ends of a day of 25 hours", () =>
      withStore(engine, async ({ writer, reader }) => {
        await addCompany(writer, "acme", {
          workers: [workerRow("wrk_berlin", { timeZone: "Europe/Berlin" })],
          policies: [policyRow("top_a")],
          requests: [
            // On 25 October 2026 clocks in Berlin go back. The day is from 22:00 to 23:00 UTC.
            requestRow("tor_early", "wrk_berlin", "top_a", {
              startAt: "2026-10-24T20:00:00.000Z",
              endAt: "2026-10-24T22:30:00.000Z",
            }),
            requestRow("tor_late", "wrk_berlin", "top_a", {
              startAt: "2026-10-25T22:30:00.000Z",
              endAt: "2026-10-26T02:00:00.000Z",
            }),
          ],
        });
        const due = async (from: string, to: string) => {
          const span = { fromMs: at(from), toMs: at(to) };
          const events = await calendarEvents(reader.company("acme"), definition, span);
          return events.map(({ type, ids }) => `${type} ${ids.requestId} ${ids.date}`);
        };
        expect(await due("2026-10-24T21:45Z", "2026-10-24T22:00Z")).toEqual([
          "time_off.leave.started tor_late 2026-10-25",
        ]);
        expect(await due("2026-10-25T22:45Z", "2026-10-25T23:00Z")).toEqual([
          "time_off.leave.ended tor_early 2026-10-26",
        ]);
      }));

    test("minutes that expire are told of 30 days before, with the amount and the cause", () =>
      withStore(engine, async ({ writer, reader }) => {
        await addCompany(writer, "acme", FACTS);
        const due = (fromMs: number, toMs: number) =>
          calendarEvents(reader.company("acme"), definition, { fromMs, toMs });
        const [event, ...others] = await due(at("2026-11-15T12:00Z"), at("2026-12-15T12:00Z"));
        expect(others).toEqual([]);
        const ids = {
          workerId: "wrk_utc",
          policyId: "top_year",
          date: "2027-01-01",
          minutes: 5400,
          cause: "carryoverLimit",
        };
        expect(event).toMatchObject({
          type: "time_off.balance.expiring",
          ids,
          atMs: at("2026-12-02T00:00Z"),
        });
        expect(await due(at("2026-12-02T00:00Z"), at("2026-12-02T00:15Z"))).toEqual([]);
        expect((await due(at("2026-12-01T23:45Z"), at("2026-12-02T00:00Z"))).length).toBe(1);
      }));

    test("days begin in the company's time zone for who has none; events of a moment are in the order of their keys", () =>
      withStore(engine, async ({ writer, reader }) => {
        const ids = ["wrk_b", "wrk_a", "wrk_d", "wrk_c"];
        await addCompany(writer, "acme", {
          workers: [...ids.map((id) => ({ id })), { id: "wrk_e", timeZone: "Pacific/Auckland" }].map(
            ({ id, ...own }) => workerRow(id, { startDate: "2026-04-08", endDate: "2026-04-08", ...own }),
          ),
          policies: [policyRow("top_a")],
          requests: [
            requestRow("tor_a", "wrk_a", "top_a", {
              startAt: "2026-04-01T03:00:00.000Z",
              endAt: "2026-04-01T10:00:00.000Z",
            }),
          ],
        });
        await change(writer, "acme", (transaction) => transaction.updateCompany({ timeZone: "Asia/Tokyo" }));
        const span = { fromMs: at("2026-03-31T00:00Z"), toMs: at("2026-04-01T00:00Z") };
        const events = await calendarEvents(reader.company("acme"), definition, span);
        expect(events.map(({ atMs, key }) => `${new Date(atMs).toISOString().slice(0, 16)} ${key}`)).toEqual([
          "2026-03-31T11:00 worker.leaving wrk_e",
          "2026-03-31T11:00 worker.starting wrk_e",
          "2026-03-31T15:00 time_off.leave.started tor_a",
          ...ids.toSorted().map((id) => `2026-03-31T15:00 worker.leaving ${id}`),
          ...ids.toSorted().map((id) => `2026-03-31T15:00 worker.starting ${id}`),
        ]);
      }));

    test("each moment is in one span, whichever the spans are", () =>
      withFacts(async (due) => {
        for (const stepMs of [15 * 60_000 * 7, 86_400_000]) {
          const found: string[] = [];
          for (let fromMs = at("2026-03-26T00:00Z"); fromMs < at("2026-04-02T00:00Z"); fromMs += stepMs) {
            const [from, to] = [fromMs, fromMs + stepMs].map((ms) => new Date(ms).toISOString());
            found.push(...(await due(from!, to!, { events: ["time_off.leave.*", "worker.*"] })));
          }
          expect(found).toEqual(MARCH);
        }
      }));

    test("hooks may be told sooner of workers, and of leave during which people work", () =>
      withFacts(async (due) => {
        const found = await due("2026-03-29T00:00Z", "2026-03-30T12:00Z", { daysBefore: 9, allLeave: true });
        expect(found.filter((line) => !MARCH.includes(line))).toEqual([
          "2026-03-29T11:00 starting wrk_apia 2026-04-08",
          "2026-03-30T00:00 ended tor_home 2026-03-30",
        ]);
      }));
  });
}
