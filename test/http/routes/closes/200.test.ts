// Closes, and who differs from one: after changes of each kind, whose figures are others, and why.
import { expect, setSystemTime, test } from "bun:test";
import type { Close, CloseDifference } from "../../../../src/resources/closes.ts";
import type { Movement } from "../../../../src/resources/movements.ts";
import { DEFAULT_RULES } from "../../../../src/resources/policies.ts";
import { DAY_MS, dayOfText, formatDay, utcDayOf } from "../../../../src/time/day.ts";
import { adjustmentRow, assignmentRow, policyRow, requestRow, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey, change, closePeriod } from "../../../support/stores.ts";
import { connectTo } from "../../mcp/assistant.ts";
import { problemOf, type Service, startService } from "../../service.ts";

const PATH = "/v1/time_off/closes";
const leave = (id: string, workerId: string, minutes: number, status: "approved" | "denied" = "approved") =>
  requestRow(id, workerId, "top_a", {
    startAt: "2026-01-12T00:00:00.000Z",
    endAt: "2026-01-13T00:00:00.000Z",
    requestedMinutes: minutes,
    status,
  });

async function companyWithClose(): Promise<{ service: Service; key: string }> {
  const service = await startService({ today: () => new Date().toISOString().slice(0, 10) });
  const ids = ["wrk_a", "wrk_b", "wrk_c", "wrk_d", "wrk_e"];
  await addCompany(service.writer, "acme", {
    workers: ids.map((id) => workerRow(id, { startDate: "2025-01-01" })),
    policies: [policyRow("top_a")],
    assignments: ids.map((id) => assignmentRow(`toa_${id}`, id, "top_a", "2025-01-01T00:00:00.000Z")),
    requests: [
      leave("tor_denied", "wrk_a", 480),
      leave("tor_gone", "wrk_b", 240),
      leave("tor_longer", "wrk_c", 60),
    ],
    adjustments: [adjustmentRow("toj_1", "wrk_a", "top_a", { day: dayOfText("2026-01-15"), minutes: 100 })],
  });
  await closePeriod(service, "acme", "2026-01", {
    firstDay: dayOfText("2026-01-01"),
    lastDay: dayOfText("2026-01-31"),
  });
  return { service, key: await addKey(service.writer, "acme") };
}

const company = await companyWithClose();

async function get<T>(path: string): Promise<T> {
  const { status, text } = await company.service.call(path, { key: company.key });
  expect(status).toBe(200);
  return JSON.parse(text) as T; // held to the schema already
}

test("a close has its period, and the digest of what can be read as known then", async () => {
  const { data, ...page } = await get<{ data: Close[] }>(PATH);
  expect(page).toEqual({ count: 1, hasMore: false } as never);
  expect(data).toMatchObject([{ id: "2026-01", from: "2026-01-01", through: "2026-01-31" }]);
  expect(await get<Close>(`${PATH}/2026-01`)).toEqual(data[0]!);
  const { knownOn, sha256, balances } = data[0]!;
  expect(balances).toBe(5);
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of [
    "/v1/time_off/balances?endDate=2026-01-31",
    "/v1/time_off/movements?groupBy=worker,policy&from=2026-01-01&to=2026-01-31",
  ]) {
    const headers = { accept: "text/csv" };
    const { key } = company;
    const { body } = await company.service.raw(`${path}&knownOn=${knownOn}`, { key, headers });
    hasher.update(body);
  }
  expect(hasher.digest("hex")).toBe(sha256);
});

test("nothing differs at first; then everybody whose figure changed does, with causes that add up", async () => {
  expect((await get<{ data: unknown[] }>(`${PATH}/2026-01/differences`)).data).toEqual([]);
  await change(company.service.writer, "acme", async (one) => {
    await one.remove("requests", [["tor_gone"]]);
    await one.put("requests", [
      leave("tor_denied", "wrk_a", 480, "denied"),
      leave("tor_longer", "wrk_c", 90),
      leave("tor_late", "wrk_d", 120),
    ]);
    await one.put("adjustments", [
      adjustmentRow("toj_1", "wrk_a", "top_a", { day: dayOfText("2026-01-15"), minutes: 50 }),
    ]);
  });
  const { data } = await get<{ data: CloseDifference[] }>(`${PATH}/2026-01/differences`);
  const causes = data.map(({ workerId, difference, causes }) => [
    workerId,
    difference,
    ...causes.map(({ cause, sourceId, minutes }) => `${cause} ${sourceId} ${minutes}`),
  ]);
  expect(causes).toEqual([
    ["wrk_a", 430, "adjustmentChanged toj_1 -50", "leaveDenied tor_denied 480"],
    ["wrk_b", 240, "leaveRemoved tor_gone 240"],
    ["wrk_c", -30, "leaveChanged tor_longer -30"],
    ["wrk_d", -120, "leaveAdded tor_late -120"],
  ]);
  const [was, is] = [60, 90].map((minutes) => ({
    ...{ from: "2026-01-12", through: "2026-01-12", minutes, status: "approved" as const },
  }));
  const longer = { cause: "leaveChanged", sourceId: "tor_longer", minutes: -30 } as const;
  expect(data[2]!.causes).toEqual([{ ...longer, was: was!, is: is! }]);
  for (const { closedMinutes, nowMinutes, difference } of data)
    expect(nowMinutes - closedMinutes).toBe(difference);
});

test("pages of differences, in both directions, and the whole as a stream", async () => {
  const all = (await get<{ data: CloseDifference[] }>(`${PATH}/2026-01/differences`)).data;
  const page = (query: string) =>
    get<{ data: CloseDifference[]; hasMore: boolean }>(`${PATH}/2026-01/differences?${query}`);
  expect(await page("limit=2")).toEqual({ count: 2, data: all.slice(0, 2), hasMore: true } as never);
  const after = await page(`limit=2&afterId=${all[1]!.id}`);
  expect([after.data, after.hasMore]).toEqual([all.slice(2), false]);
  const before = await page(`limit=2&beforeId=${all[3]!.id}`);
  expect([before.data, before.hasMore]).toEqual([all.slice(1, 3), true]);
  expect((await page("workerIds=wrk_c")).data).toEqual([all[2]!]);
  const { body } = await company.service.raw(`${PATH}/2026-01/differences`, {
    key: company.key,
    headers: { accept: "text/csv" },
  });
  expect(new TextDecoder().decode(body).trim().split("\r\n")).toHaveLength(5);
});

test("movements after a close begin with the closed figures, and show what became known since", async () => {
  const rows = async (query: string) =>
    (await get<{ data: Movement[] }>(`/v1/time_off/movements?groupBy=worker&to=2026-02-28&${query}`)).data;
  const sum = (row: Movement) =>
    [
      ...[row.opening, row.restated, row.granted, -row.used, row.adjusted, -row.forfeited, -row.expired],
      ...[row.opened, row.moved, row.revalued],
    ].reduce((all, part) => all + Math.round(part * 100), 0);
  const { data } = await get<{ data: CloseDifference[] }>(`${PATH}/2026-01/differences`);
  const after = await rows("after=2026-01");
  const now = await rows("from=2026-02-01");
  expect(after.map(({ workerId, restated }) => [workerId, restated])).toEqual(
    now.map(({ workerId }) => [workerId, data.find((row) => row.workerId === workerId)?.difference ?? 0]),
  );
  for (const [at, row] of after.entries()) {
    const { opening, restated, closing } = row;
    expect([opening + restated, sum(row)]).toEqual([now[at]!.opening, Math.round(closing * 100)]);
    expect({ ...now[at]!, opening, restated }).toEqual(row);
  }
  const { data: whole } = await get<{ data: Movement[] }>(
    "/v1/time_off/movements?after=2026-01&to=2026-02-28&groupBy=policy",
  );
  const [close] = (await get<{ data: Close[] }>(PATH)).data;
  expect(whole.map(({ opening }) => opening)).toEqual([close!.minutes]);
  const paged: Movement[] = [];
  for (let id = ""; paged.length < after.length; id = paged.at(-1)!.id)
    paged.push(...(await rows(`after=2026-01&limit=2${id && `&afterId=${id}`}`)));
  expect(paged).toEqual(after);
});

test("a closed balance that no longer exists is restated to nothing", async () => {
  await change(company.service.writer, "acme", (one) => one.remove("assignments", [["wrk_e", "top_a"]]));
  const { data } = await get<{ data: Movement[] }>(
    "/v1/time_off/movements?groupBy=worker,policy&after=2026-01&to=2026-02-28&workerIds=wrk_e",
  );
  expect(data).toMatchObject([{ workerId: "wrk_e", policyId: "top_a", closing: 0, used: 0 }]);
  expect(data[0]!.opening).toBeGreaterThan(0);
  expect(data[0]!.restated).toBe(0 - data[0]!.opening);
});

test("a balance that came or went since the close differs by all of it", async () => {
  await change(company.service.writer, "acme", async (one) => {
    await one.put("workers", [workerRow("wrk_f", { startDate: "2025-01-01" })]);
    await one.put("assignments", [assignmentRow("toa_f", "wrk_f", "top_a", "2025-01-01T00:00:00.000Z")]);
  });
  const { data } = await get<{ data: CloseDifference[] }>(
    `${PATH}/2026-01/differences?workerIds=wrk_e,wrk_f`,
  );
  const cause = { cause: "assignment", sourceId: null, was: null, is: null };
  expect(data).toMatchObject([
    { workerId: "wrk_e", closedMinutes: 7800, nowMinutes: 0, causes: [{ ...cause, minutes: -7800 }] },
    { workerId: "wrk_f", closedMinutes: 0, nowMinutes: 7800, causes: [{ ...cause, minutes: 7800 }] },
  ]);
});

test("an id that is no cursor of differences is refused by the name that was given", async () => {
  for (const name of ["afterId", "beforeId"]) {
    const path = `${PATH}/2026-01/differences?${name}=bal_none`;
    const response = await company.service.call(path, { key: company.key });
    expect([response.status, problemOf(response).errors?.[0]?.parameter]).toEqual([400, name]);
  }
});

test("movements after an unknown close, from another day, or before its end are refused", async () => {
  const refusal = async (query: string) => {
    const response = await company.service.call(`/v1/time_off/movements?${query}`, { key: company.key });
    return `${response.status} ${problemOf(response).code}: ${problemOf(response).detail}`;
  };
  expect(await refusal("after=2025-12")).toStartWith("404 close_not_found");
  const [close] = (await get<{ data: Close[] }>(PATH)).data;
  const before = `after=2026-01&to=2026-02-28&knownOn=${close!.knownOn}`;
  expect(await refusal(before)).toStartWith("404 close_not_found"); // it was made after that moment
  expect(await refusal("after=2026-01&from=2026-02-02&to=2026-02-28")).toBe(
    '400 invalid_parameter: from: "2026-02-02" is not the day after the close, 2026-02-01: leave it out',
  );
  expect(await refusal("after=2026-01&to=2026-01-31")).toBe(
    '400 invalid_parameter: to: "2026-01-31" is not after the close, which ends on 2026-01-31',
  );
});

test("an assistant says why October's figure differs today", async () => {
  const { call } = await connectTo(company.service.app, company.key);
  const { text, rows } = await call("closed_differences", { people: ["wrk_a"] });
  expect(text).toContain("Balances that differ from the close 2026-01, through");
  expect(text).toContain("| adjustmentChanged toj_1 -0.84; leaveDenied tor_denied 8");
  expect(rows).toMatchObject([
    {
      person: { id: "wrk_a" },
      differenceHours: 7.16, // 130.83 − 123.67
      causes: [
        { cause: "adjustmentChanged", sourceId: "toj_1", hours: -0.84 },
        { cause: "leaveDenied", sourceId: "tor_denied", hours: 8 },
      ],
    },
  ]);
  // A cause without a source: a dash in its place would be a sign.
  const gained = await call("closed_differences", { people: ["wrk_f"] });
  expect(gained.text).toContain("| assignment 130");
  const none = await call("closed_differences", { close: "2025-12" });
  expect(none.text).toContain(": the newest are 2026-01");
});

test("an unknown close, and a caller who sees only some people, are refused", async () => {
  for (const path of [`${PATH}/2025-12`, `${PATH}/2025-12/differences`]) {
    const response = await company.service.call(path, { key: company.key });
    expect([response.status, problemOf(response).code]).toEqual([404, "close_not_found"]);
  }
  const access = { level: "everything", workers: ["wrk_a"], departments: [], managers: [] } as const;
  const key = await addKey(company.service.writer, "acme", { access });
  const response = await company.service.call(`${PATH}/2026-01/differences`, { key });
  expect([response.status, problemOf(response).code]).toEqual([403, "missing_scope"]);
  const other = await addKey((await otherCompany(company.service)).writer, "other");
  expect((await company.service.call(`${PATH}/2026-01`, { key: other })).status).toBe(404);
});

async function otherCompany(service: Service): Promise<Service> {
  await addCompany(service.writer, "other", { workers: [workerRow("wrk_a")] });
  return service;
}

test("a closed figure is the same whenever it is computed, also where time was locked at the last import", async () => {
  const { writer, reader } = company.service;
  const today = utcDayOf(Date.now());
  // Half a hundredth is usable, and another half from tomorrow on: both together are one, and each by itself rounds to one.
  const amount = { schedule: "yearly", minutesPerPeriod: 0.005 } as const;
  const rules = { ...DEFAULT_RULES, prorate: false, waitingPeriodDays: 11 };
  const policy = {
    ...policyRow("top_wait", amount),
    terms: JSON.stringify({ ...amount, minutesPerChunk: null, hoursWorkedPerChunk: null, rules }),
  };
  await change(writer, "acme", async (one) => {
    await one.put("policies", [policy]);
    await one.put("assignments", [
      assignmentRow("toa_wait", "wrk_d", "top_wait", `${formatDay(today - 10)}T00:00:00.000Z`),
    ]);
    await one.put("adjustments", [
      adjustmentRow("toj_wait", "wrk_d", "top_wait", { day: today - 5, minutes: 0.005 }),
    ]);
  });
  const { atMs } = await reader.knownAt("acme", Date.now());
  await closePeriod({ reader, writer }, "acme", "late", { firstDay: today, lastDay: today + 2 });
  const ask = (span: string) =>
    get<{ data: Movement[] }>(`/v1/time_off/movements?policyIds=top_wait&groupBy=worker,policy&${span}`);
  const then = `from=${formatDay(today)}&to=${formatDay(today + 2)}&knownOn=${new Date(atMs!).toISOString()}`;
  try {
    setSystemTime((today + 5) * DAY_MS);
    expect((await ask(then)).data).toMatchObject([{ closing: 0.01 }]);
    const { data } = await ask(`after=late&to=${formatDay(today + 4)}`);
    expect(data).toMatchObject([{ opening: 0.01, restated: 0, closing: 0.01 }]);
  } finally {
    setSystemTime();
  }
});

test("after a close, a balance that opens after the span is left out, as without it", async () => {
  const { writer, reader } = company.service;
  await change(writer, "acme", async (one) => {
    await one.put("policies", [policyRow("top_opens")]);
    await one.put("assignments", [
      assignmentRow("toa_opens", "wrk_d", "top_opens", "2025-01-01T00:00:00.000Z"),
    ]);
    const day = dayOfText("2026-03-31");
    const opening = { minutes: 600, carriedMinutes: null, accruedMinutes: null };
    await one.put("openings", [{ workerId: "wrk_d", policyId: "top_opens", day, ...opening }]);
  });
  const days = { firstDay: dayOfText("2026-01-01"), lastDay: dayOfText("2026-01-31") };
  await closePeriod({ reader, writer }, "acme", "before-opening", days);
  const rows = async (span: string) =>
    (await get<{ data: Movement[] }>(`/v1/time_off/movements?policyIds=top_opens&${span}`)).data;
  expect(await rows("after=before-opening&to=2026-02-28")).toEqual(
    await rows("from=2026-02-01&to=2026-02-28"),
  );
  expect(await rows("after=before-opening&to=2026-02-28")).toEqual([]);
  expect(await rows("after=before-opening&to=2026-03-31")).toMatchObject([{ opening: 0, opened: 600 }]);
});

test("after a close, a balance that no longer exists is with its worker's others, who has left since", async () => {
  const { writer, reader } = company.service;
  const now = workerRow("wrk_g", { startDate: "2025-01-01" });
  await change(writer, "acme", async (one) => {
    await one.put("workers", [now]);
    await one.put("policies", [
      policyRow("top_ends", { isPaidOut: true }),
      policyRow("top_stays", { isPaidOut: true }),
    ]);
    for (const policyId of ["top_ends", "top_stays"])
      await one.put("assignments", [
        assignmentRow(`toa_${policyId}`, "wrk_g", policyId, "2025-01-01T00:00:00.000Z"),
      ]);
  });
  const days = { firstDay: dayOfText("2026-01-01"), lastDay: dayOfText("2026-01-31") };
  await closePeriod({ reader, writer }, "acme", "before-leaving", days);
  await change(writer, "acme", async (one) => {
    await one.put("workers", [workerRow("wrk_g", { startDate: "2025-01-01", endDate: "2026-02-15" })]);
    await one.remove("assignments", [["wrk_g", "top_ends"]]);
  });
  const { data } = await get<{ data: Movement[] }>(
    "/v1/time_off/movements?groupBy=worker&workerIds=wrk_g&after=before-leaving&to=2026-02-28",
  );
  expect(data).toMatchObject([{ workerId: "wrk_g", hasLeft: true, opening: 15_600 }]);
});
