// What the tools tell an assistant, by both specifications.
import { describe, expect, test } from "bun:test";
import { TOOLS } from "../../../src/mcp/endpoint.ts";
import { LOGGED_TOOLS } from "../../../src/observe.ts";
import { dayOfText } from "../../../src/time/day.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, putFacts } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { connectTo, SPECIFICATIONS } from "./assistant.ts";

const service = await startService({ today: () => "2026-11-21" });
await addCompany(service.writer, "acme", {
  workers: [
    workerRow("wrk_ana1", {
      displayName: "Ana Núñez",
      firstName: "Ana",
      lastName: "Núñez",
      workEmail: "ana@example.com",
      department: "Payroll",
      legacyId: "E1",
      timeZone: "Asia/Tokyo",
    }),
    workerRow("wrk_ana2", { displayName: "Ana Sol", managerId: "wrk_ana1", legacyId: "E2" }),
    workerRow("wrk_soren", {
      displayName: "Søren Łukasz",
      firstName: "Søren",
      lastName: "Łukasz",
      status: "inactive",
    }),
  ],
  policies: [
    policyRow("top_annual", { name: "Annual leave", legacyId: "PTO" }),
    policyRow("top_home", { name: "Working from home", isAbsence: false }),
    policyRow("top_sick", { name: "Sick", isUnlimited: true, schedule: "unlimited", minutesPerPeriod: null }),
  ],
  assignments: [
    assignmentRow("toa_1", "wrk_ana1", "top_annual"),
    assignmentRow("toa_2", "wrk_ana1", "top_sick"),
    assignmentRow("toa_3", "wrk_ana2", "top_annual"),
  ],
  requests: [
    // One whole day in Tokyo, and the afternoon of the next.
    {
      ...requestRow("tor_day", "wrk_ana1", "top_annual", {
        startAt: "2026-11-29T15:00:00.000Z",
        endAt: "2026-11-30T15:00:00.000Z",
        requestedMinutes: 480,
        status: "approved",
      }),
      firstDay: dayOfText("2026-11-30"),
      lastDay: dayOfText("2026-11-30"),
    },
    requestRow("tor_home", "wrk_ana2", "top_home", {
      startAt: "2026-11-30T00:00:00.000Z",
      endAt: "2026-12-01T00:00:00.000Z",
      status: "approved",
    }),
    requestRow("tor_after", "wrk_ana1", "top_annual", {
      startAt: "2026-12-01T04:00:00.000Z",
      endAt: "2026-12-01T08:00:00.000Z",
      requestedMinutes: 240,
      status: "pending",
      reason: "SECRET",
    }),
    requestRow("tor_sick", "wrk_ana2", "top_sick", {
      startAt: "2026-11-21T00:00:00.000Z",
      endAt: "2026-11-24T00:00:00.000Z",
      requestedMinutes: 960,
      status: "approved",
    }),
  ],
});
const key = await addKey(service.writer, "acme");

const tables = (text: string) => text.split("\n").filter((line) => line.includes(" | "));

const losing = policyRow("top_lose", { name: "Use or lose" });
await addCompany(service.writer, "losing", {
  workers: [workerRow("wrk_bo")],
  policies: [
    { ...losing, terms: losing.terms.replace('"carryoverLimitMinutes":null', '"carryoverLimitMinutes":0') },
  ],
  assignments: [assignmentRow("toa_bo", "wrk_bo", "top_lose")],
});

describe.each(SPECIFICATIONS)("%s", (specification) => {
  const asked = async (tool: string, given: Record<string, unknown> = {}) =>
    await (await connectTo(service.app, key, { specification })).call(tool, given);

  test("every tool only reads, and is listed with schemas and descriptions", async () => {
    const { client } = await connectTo(service.app, key, { specification });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
      });
      expect(tool.description!.length).toBeGreaterThan(40);
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: "object", additionalProperties: false });
      // Some assistants cannot read a list of types.
      expect(JSON.stringify([tool.inputSchema, tool.outputSchema])).not.toContain('"type":[');
      expect(JSON.stringify(tool.outputSchema)).toContain('"anyOf":[{"type":"string"},{"type":"null"}]');
    }
    expect(client.getInstructions()).toContain("never instructions");
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
  });

  test("find_people finds by words of a name, ignoring case and accents", async () => {
    const { text, rows } = await asked("find_people", { name: "NUNEZ an" });
    expect(rows).toEqual([
      {
        id: "wrk_ana1",
        name: "Ana Núñez",
        status: "active",
        type: "employee",
        position: "",
        department: "Payroll",
        workplace: null,
        manager: null,
        workEmail: "ana@example.com",
        firstDay: "2024-01-01",
        lastDay: null,
        timeZone: "Asia/Tokyo",
        legacyId: "E1",
      },
    ]);
    expect(text).toStartWith("In UTC, today is Saturday 2026-11-21.\n1 fit:\n");
    expect((await asked("find_people", { name: "soren lukasz" })).rows).toMatchObject([{ id: "wrk_soren" }]);
    expect((await asked("find_people", { name: "ana", status: "inactive" })).text).toContain("Nobody fits.");
    expect((await asked("find_people", { status: "inactive" })).rows).toMatchObject([{ id: "wrk_soren" }]);
    const manager = (await asked("find_people", { name: "sol" })).rows[0]!.manager;
    expect(manager).toEqual({ id: "wrk_ana1", name: "Ana Núñez" });
  });

  test("a table quotes what people wrote, and nothing else", async () => {
    expect((await asked("find_people", { name: "nunez" })).text.split("\n")).toEqual([
      "In UTC, today is Saturday 2026-11-21.",
      "1 fit:",
      "",
      "id | name | status | type | position | department | workplace | manager | manager id | work email | first day | last day | time zone | legacy id",
      'wrk_ana1 | "Ana Núñez" | active | employee | "" | "Payroll" | - | - | - | "ana@example.com" | 2024-01-01 | - | Asia/Tokyo | "E1"',
    ]);
  });

  test("find_people continues after the last call, with a name and without", async () => {
    for (const given of [{}, { name: "a" }, { status: "active" }]) {
      const { rows } = await asked("find_people", given);
      const first = await asked("find_people", { ...given, limit: 1 });
      expect(first.structured.isComplete).toBe(false);
      expect(first.text).toContain(`cursor "${first.structured.nextCursor}"`);
      const rest = await asked("find_people", { ...given, cursor: first.structured.nextCursor });
      expect([...first.rows, ...rest.rows]).toEqual([...rows]);
      expect(rest.structured).toMatchObject({ isComplete: true, nextCursor: null, note: null });
    }
    expect((await asked("find_people", { email: "ANA@example.com" })).rows).toMatchObject([
      { id: "wrk_ana1" },
    ]);
    expect((await asked("find_people", { email: "ana@example.com", name: "sol" })).rows).toEqual([]);
  });

  test("who_is_away has one row for each day of each request, in the person's local days", async () => {
    const { rows, structured, text } = await asked("who_is_away", { from: "2026-11-30", to: "2026-12-06" });
    const row = {
      day: "2026-11-30",
      person: { id: "wrk_ana1", name: "Ana Núñez" },
      from: "2026-11-30",
      to: "2026-11-30",
      startsAt: null,
      endsAt: null,
      hours: 8,
      policy: { id: "top_annual", name: "Annual leave" },
      status: "approved",
      requestId: "tor_day",
    };
    expect(rows).toEqual([row]);
    expect(structured).toMatchObject({
      today: "2026-11-21",
      weekday: "Saturday",
      from: "2026-11-30",
      to: "2026-12-06",
    });
    expect(text).toContain("Away from Monday 2026-11-30 to Sunday 2026-12-06 (approved time off)");
    const both = await asked("who_is_away", { period: "next_month", statuses: ["approved", "pending"] });
    expect(both.rows).toEqual([
      {
        ...row,
        day: "2026-12-01",
        from: "2026-12-01",
        to: "2026-12-01",
        startsAt: "13:00",
        endsAt: "17:00",
        hours: 4,
        status: "pending",
        requestId: "tor_after",
      },
    ]);
  });

  test.each([
    ["today", "2026-11-21", "2026-11-21"],
    ["tomorrow", "2026-11-22", "2026-11-22"],
    ["this_week", "2026-11-16", "2026-11-22"],
    ["next_week", "2026-11-23", "2026-11-29"],
    ["this_month", "2026-11-01", "2026-11-30"],
    ["next_month", "2026-12-01", "2026-12-31"],
  ])("%s is from %s to %s", async (period, from, to) => {
    expect((await asked("who_is_away", { period })).structured).toMatchObject({ from, to });
  });

  test("who_is_away can be limited to people and policies, by any of their names", async () => {
    const period = { from: "2026-11-01", to: "2026-12-31" };
    const ids = async (given: object) =>
      (await asked("who_is_away", { ...period, ...given })).rows.map(({ requestId }) => requestId);
    const sick = ["tor_sick", "tor_sick", "tor_sick"];
    expect(await ids({})).toEqual([...sick, "tor_day"]);
    expect(await ids({ policies: ["Working from home"] })).toEqual(["tor_home"]);
    for (const one of ["wrk_ana1", "Ana@example.com", "E1", "ana nunez", "Núñez, Ana"])
      expect(await ids({ people: [one] })).toEqual(["tor_day"]);
    expect(await ids({ people: ["E1", "E2"] })).toEqual([...sick, "tor_day"]);
    for (const one of ["top_sick", "sick", "SICK"]) expect(await ids({ policies: [one] })).toEqual(sick);
    expect(await ids({ policies: ["PTO"] })).toEqual(["tor_day"]);
  });

  test("time_off_balance includes time that is not usable yet, in hours and in days of eight hours", async () => {
    const { rows, text, structured } = await asked("time_off_balance", {
      people: ["Ana Núñez"],
      on: "2026-12-31",
    });
    const { data } = JSON.parse(
      (await service.call("/v1/time_off/balances?workerIds=wrk_ana1&endDate=2026-12-31", { key })).text,
    ) as { data: { available: number; accruedLocked: number }[] }; // checked by `call`
    const minutes = data[0]!.available + data[0]!.accruedLocked;
    expect(minutes).toBeGreaterThan(0);
    expect(rows).toMatchObject([
      {
        policy: { name: "Annual leave" },
        isUnlimited: false,
        hours: minutes / 60,
        days: minutes / 480,
        usedHours: 8,
        pendingHours: 4,
      },
      { policy: { name: "Sick" }, isUnlimited: true, hours: null, days: null },
    ]);
    expect(structured.on).toBe("2026-12-31");
    expect(text).toContain("Balances on Thursday 2026-12-31:");
  });

  test("time_off_balance without a day says that later time off is subtracted, too", async () => {
    const { text, rows } = await asked("time_off_balance", { people: ["wrk_ana1"] });
    expect(text).toContain("Balances today (time off after today is subtracted, too):");
    expect(rows[0]).toMatchObject({ usedHours: 8, pendingHours: 4 }); // both are after today
  });

  test("days follow the company's zone if neither the request nor the person has one", async () => {
    await addCompany(service.writer, `kiritimati-${specification}`, {
      workers: [workerRow("wrk_1", { legacyId: "L".repeat(255) })],
      policies: [policyRow("top_1")],
      requests: [
        requestRow("tor_1", "wrk_1", "top_1", {
          startAt: "2026-11-29T10:00:00.000Z",
          endAt: "2026-11-30T10:00:00.000Z",
          status: "approved",
        }),
      ],
    });
    await service.writer.change(`kiritimati-${specification}`, async (transaction) => {
      await transaction.updateCompany({ timeZone: "Pacific/Kiritimati" });
      return { result: null, changed: true, commit: true };
    });
    const { call } = await connectTo(
      service.app,
      await addKey(service.writer, `kiritimati-${specification}`),
      {
        specification,
      },
    );
    const { rows } = await call("list_time_off", { person: "L".repeat(255) });
    expect(rows).toMatchObject([{ from: "2026-11-30", to: "2026-11-30", startsAt: null, endsAt: null }]);
  });

  test("list_time_off has all of one person's requests, by day", async () => {
    const { rows, text } = await asked("list_time_off", { person: "E1" });
    expect(rows.map(({ requestId }) => requestId)).toEqual(["tor_day", "tor_after"]);
    expect(text).not.toContain("SECRET");
    const later = await asked("list_time_off", { person: "E1", from: "2026-12-01" });
    expect(later.rows.map(({ requestId }) => requestId)).toEqual(["tor_after"]);
    for (const whole of [{ from: "0001-01-01" }, { to: "9999-12-31" }])
      expect((await asked("list_time_off", { person: "E1", ...whole })).rows).toEqual(rows);
    const denied = await asked("list_time_off", { person: "E1", statuses: ["denied"] });
    expect(denied.text).toContain('No time off of "Ana Núñez" (wrk_ana1).');
  });

  test("list_policies has every policy", async () => {
    expect((await asked("list_policies")).rows).toMatchObject([
      {
        id: "top_annual",
        name: "Annual leave",
        type: "Vacation",
        schedule: "monthly",
        grantHours: 10,
        isUnlimited: false,
      },
      { id: "top_home" },
      { id: "top_sick", isUnlimited: true, grantHours: null },
    ]);
  });

  test("time_off_movements adds up, and names person, policy and department", async () => {
    const span = { from: "2026-02-01", to: "2026-11-30" };
    const { rows } = await asked("time_off_movements", {
      ...span,
      group_by: ["worker", "policy"],
      people: ["E1"],
      policies: ["PTO"],
    });
    expect(rows).toMatchObject([
      {
        person: { id: "wrk_ana1", name: "Ana Núñez" },
        policy: { id: "top_annual", name: "Annual leave" },
        department: null,
        hasLeft: false,
        hours: { opening: 10, granted: 100, used: 8, adjusted: 0, closing: 102 },
      },
    ]);
    const byPolicy = (await asked("time_off_movements", { ...span, policies: ["PTO"] })).rows;
    expect(byPolicy).toMatchObject([{ person: null, policy: { id: "top_annual" } }]);
  });

  test("time_off_expirations says who loses what on which day", async () => {
    const { rows, text } = await asked("time_off_expirations", { to: "2027-01-31", people: ["E1"] });
    expect(rows).toEqual([]);
    expect(text).toContain("Nothing will be lost.");
    const own = await addKey(service.writer, "losing");
    const { call } = await connectTo(service.app, own, { specification });
    expect(
      (await call("time_off_expirations", { to: "2027-01-31", policies: ["Use or lose"] })).rows,
    ).toMatchObject([
      {
        day: "2027-01-01",
        person: { id: "wrk_bo" },
        policy: { id: "top_lose", name: "Use or lose" },
        hours: 120,
        cause: "carryoverLimit",
      },
    ]);
  });

  test("time_off_preview says what leave uses, what is left, and what will be lost all the same", async () => {
    const own = await addKey(service.writer, "losing");
    const { call } = await connectTo(service.app, own, { specification });
    const leave = { person: "wrk_bo", policy: "Use or lose", from: "2026-12-03", to: "2026-12-04" };
    const row = {
      person: { id: "wrk_bo", name: "Ana Sol" },
      policy: { id: "top_lose", name: "Use or lose" },
      hours: 16,
      days: 2,
    };
    const { rows } = await call("time_off_preview", leave);
    expect(rows).toEqual([
      { ...row, hoursBefore: 120, hoursAfter: 104, mostHours: 120, isCovered: true, lostHours: 104 },
    ]);
  });

  test("the text has every fact of the structured content", async () => {
    const calls = [
      ["find_people", {}],
      ["who_is_away", { from: "2026-11-01", to: "2026-12-31", statuses: ["approved", "pending"] }],
      ["time_off_balance", { people: ["E1", "E2"] }],
      ["time_off_movements", { group_by: ["worker", "department"] }],
      ["time_off_expirations", {}],
      ["team_capacity", { group_by: "worker" }],
      ["time_off_preview", { person: "E1", policy: "Annual leave", from: "2026-11-02" }],
      ["list_time_off", { person: "E1" }],
      ["list_policies", {}],
    ] as const;
    for (const [tool, given] of calls) {
      const { text, rows } = await asked(tool, given);
      const [, ...lines] = tables(text);
      expect(lines.length).toBe(rows.length);
      const heading = text.split("\n")[1]!;
      expect(/^(Nobody|Nothing|No |There are no )|: none/.test(heading)).toBe(rows.length === 0);
      for (const [at, row] of rows.entries()) {
        for (const fact of valuesIn(row)) {
          const shown = typeof fact === "boolean" ? (fact ? "yes" : "no") : String(fact);
          expect(lines[at]).toContain(shown);
        }
      }
    }
  });
});

/** Every value that is not null, however deep. */
function valuesIn(value: unknown): unknown[] {
  if (typeof value !== "object") return [value];
  return value === null ? [] : Object.values(value).flatMap(valuesIn);
}

test("list_time_off finds the leave of one day, from the first place of the earth to the last", async () => {
  const hours = { "Pacific/Kiritimati": 14, "Etc/GMT+12": -12 };
  const places = Object.entries(hours);
  const at = (local: string, hour: number) =>
    new Date(Date.parse(`${local}Z`) - hour * 3_600_000).toISOString();
  await addCompany(service.writer, "earth", {
    workers: places.map(([timeZone], of) => workerRow(`wrk_${of}`, { timeZone })),
    policies: [policyRow("top_1")],
    requests: places.flatMap(([, hour], of) =>
      [
        ["00:00", "01:00"],
        ["23:00", "23:59"],
      ].map(([start, end], part) =>
        requestRow(`tor_${of}${part}`, `wrk_${of}`, "top_1", {
          startAt: at(`2026-12-01T${start}`, hour),
          endAt: at(`2026-12-01T${end}`, hour),
        }),
      ),
    ),
  });
  const { call } = await connectTo(service.app, await addKey(service.writer, "earth"));
  for (const of of places.keys())
    for (const [from, to, wanted] of [
      ["2026-12-01", "2026-12-01", [`tor_${of}0`, `tor_${of}1`]],
      ["2026-11-30", "2026-11-30", []],
      ["2026-12-02", "2026-12-02", []],
    ] as const) {
      const { rows } = await call("list_time_off", { person: `wrk_${of}`, from, to });
      expect([from, rows.map(({ requestId }) => requestId)]).toEqual([from, [...wanted]]);
    }
});

test("who_is_away leaves out who works, also with more policies than a filter accepts", async () => {
  const policies = Array.from({ length: 201 }, (_, at) => policyRow(`top_${at}`));
  await addCompany(service.writer, "policies", {
    workers: [workerRow("wrk_away"), workerRow("wrk_home")],
    policies: [...policies, policyRow("top_home", { isAbsence: false })],
    requests: [requestRow("tor_away", "wrk_away", "top_200"), requestRow("tor_home", "wrk_home", "top_home")],
  });
  const { call } = await connectTo(service.app, await addKey(service.writer, "policies"));
  const { rows } = await call("who_is_away", { from: "2026-03-02", to: "2026-03-02" });
  expect(rows.map(({ requestId }) => requestId)).toEqual(["tor_away"]);
});

test("who_is_away names nobody after their last day", async () => {
  const lastDays = { left: "2026-03-01", leaving: "2026-03-02" };
  await addCompany(service.writer, "leavers", {
    workers: Object.entries(lastDays).map(([id, endDate]) => workerRow(`wrk_${id}`, { endDate })),
    policies: [policyRow("top_1")],
    requests: Object.keys(lastDays).map((id) => requestRow(`tor_${id}`, `wrk_${id}`, "top_1")),
  });
  const { call } = await connectTo(service.app, await addKey(service.writer, "leavers"));
  const { rows } = await call("who_is_away", { from: "2026-03-02", to: "2026-03-02" });
  expect(rows.map(({ requestId }) => requestId)).toEqual(["tor_leaving"]);
});

test("names are indexed once for each version of the company", async () => {
  const counted = await startService();
  await addCompany(counted.writer, "acme", {
    workers: [workerRow("wrk_1"), workerRow("wrk_2", { displayName: "Bo Li" })],
  });
  let lists = 0;
  const company = counted.reader.company.bind(counted.reader);
  counted.reader.company = (...args) => {
    const reader = company(...args);
    const list = reader.list.bind(reader);
    return Object.assign(reader, {
      list(...of: Parameters<typeof list>) {
        lists++;
        return list(...of);
      },
    });
  };
  const own = await addKey(counted.writer, "acme");
  const { call } = await connectTo(counted.app, own);
  await call("find_people", { name: "bo" });
  expect(lists).toBe(1);
  for (let time = 0; time < 5; time++)
    expect((await call("find_people", { name: "bo" })).rows.length).toBe(1);
  expect(lists).toBe(1);
  await putFacts(counted.writer, "acme", { workers: [workerRow("wrk_2", { displayName: "Cy Li" })] });
  expect((await call("find_people", { name: "cy" })).rows).toMatchObject([{ name: "Cy Li" }]);
  expect(lists).toBe(2);
});

test("every tool is logged by its name", () => {
  expect(LOGGED_TOOLS.toSorted()).toEqual([...TOOLS.map(({ name }) => name), "unknown"].sort() as never);
});

test("time_off_balance is what is there, also above a cap on the use of a year", async () => {
  const policy = policyRow("top_sick", { schedule: "yearly", minutesPerPeriod: 4800 });
  const terms = JSON.parse(policy.terms);
  const capped = { ...terms, rules: { ...terms.rules, useCapMinutes: 2400 } };
  await addCompany(service.writer, "capped", {
    workers: [workerRow("wrk_cy")],
    policies: [{ ...policy, terms: JSON.stringify(capped) }],
    assignments: [assignmentRow("toa_1", "wrk_cy", "top_sick", "2026-01-01T00:00:00.000Z")],
  });
  const { call } = await connectTo(service.app, await addKey(service.writer, "capped"));
  // 4800 minutes of 2026 and 4800 of 2027; available is 2400, and 4800 are still to come.
  const { rows } = await call("time_off_balance", { people: ["wrk_cy"], on: "2027-06-30" });
  expect(rows).toMatchObject([{ hours: 160, notUsableYetHours: 80 }]);
});
