// Property: the days of leave are the requests reduced to days. Pages in both directions, CSV and JSON lines give exactly the rows that
// a slow model computes from all requests, whatever the filters; and the minutes of a request's days add up to the request.
import { describe, expect, test } from "bun:test";
import { dayOfText, formatDay } from "../../../../src/time/day.ts";
import { localDays } from "../../../../src/time/zone.ts";
import { compareIds, randomOf } from "../../../support/random-rows.ts";
import { type Facts, policyRow, requestRow, workerRow } from "../../../support/rows.ts";
import { addCompany, addKey, putFacts } from "../../../support/stores.ts";
import { idsOf, listOf, startService, TODAY } from "../../service.ts";

const DAY_MS = 86_400_000;
const ZONES = ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu", "America/Sao_Paulo"];
const random = randomOf(7);
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
const first = dayOfText("2025-12-01");

const workers = Array.from({ length: 40 }, (_, at) => ({
  ...workerRow(`wrk_${at}`, {
    workEmail: at % 3 === 0 ? null : `p${at}@example.com`,
    managerId: at === 0 ? null : `wrk_${at % 4}`,
  }),
  terms: at % 2 === 0 ? null : '{"workDays":31}',
}));
const policies = [policyRow("top_a"), policyRow("top_b"), policyRow("top_home", { isAbsence: false })];
const requests = Array.from({ length: 400 }, (_, at) => {
  // Much of it on few days, some of it long, some far away.
  const startMs = (first + (at < 200 ? 92 + random(6) : random(500))) * DAY_MS + random(24) * 3_600_000;
  const endMs = startMs + (random(10) === 0 ? random(60) * DAY_MS : random(96) * 3_600_000);
  const row = requestRow(`${pick(["tor_", "R-", "tor_Z"])}${at}`, pick(workers).id, pick(policies).id, {
    startAt: new Date(startMs).toISOString(),
    endAt: new Date(endMs).toISOString(),
    status: pick(["approved", "approved", "pending", "denied"]),
    requestedMinutes: pick([480, 0, 100, 1000, 90.5, 0.01]),
  });
  const days = localDays(startMs, endMs, pick(ZONES));
  const written = random(8) === 0 ? [{ day: days.firstDay, minutes: row.minutes }] : null;
  return { ...row, ...days, terms: written === null ? null : JSON.stringify({ dayMinutes: written }) };
});

const service = await startService();
await addCompany(service.writer, "acme", { workers, policies, requests } as Facts);
await addCompany(service.writer, "other", {
  workers: [workerRow("wrk_1")],
  policies: [policyRow("top_a")],
  requests: [requestRow("tor_other", "wrk_1", "top_a")],
});
const key = await addKey(service.writer, "acme");

interface Row {
  readonly id: string;
  readonly date: string;
  readonly minutes: number;
  readonly requestId: string;
  readonly [key: string]: unknown;
}

/** All rows of a request, by the words of docs/balances.md, in hundredths. */
function daysOf(request: (typeof requests)[number]): [day: number, minutes: number][] {
  const { firstDay, lastDay, minutes, terms, workerId } = request;
  if (terms !== null) return [[firstDay, minutes]];
  const all = Array.from({ length: lastDay - firstDay + 1 }, (_, at) => firstDay + at);
  const isWeekday = (day: number) => ![0, 6].includes(new Date(day * DAY_MS).getUTCDay());
  const hasWorkDays = workers.find(({ id }) => id === workerId)!.terms !== null;
  const own = hasWorkDays && all.some(isWeekday) ? all.filter(isWeekday) : all;
  const through = (count: number) =>
    Math.floor((Math.round(minutes * 100) * count * 2 + own.length) / (own.length * 2));
  return own.map((day, at) => [day, (through(at + 1) - through(at)) / 100]);
}

interface Filter {
  readonly from: string;
  readonly to: string;
  readonly statuses?: readonly string[];
  readonly workerIds?: readonly string[];
  readonly policyIds?: readonly string[];
  readonly managerIds?: readonly string[];
}

function expected({ from, to, statuses = ["approved"], workerIds, policyIds, managerIds }: Filter): Row[] {
  const docOf = (id: string) => JSON.parse(workers.find((worker) => worker.id === id)!.doc);
  return requests
    .filter(
      ({ status, workerId, policyId }) =>
        statuses.includes(status) &&
        (workerIds?.includes(workerId) ?? true) &&
        (policyIds?.includes(policyId) ?? true) &&
        (managerIds?.includes(docOf(workerId).managerId) ?? true),
    )
    .flatMap((request) =>
      daysOf(request).map(([day, minutes]) => ({
        id: `tod_${formatDay(day).replaceAll("-", "")}_${request.id}`,
        date: formatDay(day),
        minutes,
        status: request.status,
        requestId: request.id,
        workerId: request.workerId,
        policyId: request.policyId,
        isAbsence: request.policyId !== "top_home",
        workEmail: docOf(request.workerId).workEmail as string | null,
      })),
    )
    .filter(({ date, minutes }) => minutes > 0 && date >= from && date <= to)
    .toSorted((a, b) => compareIds(a.id, b.id));
}

const ask = (query: string, own = key) => service.call(`/v1/time_off/days?${query}`, { key: own });
const queryOf = (filter: object) =>
  Object.entries(filter)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join("&");

const WINDOW = { from: "2026-03-01", to: "2026-03-09" };

describe.each<[string, Filter]>([
  ["a week of much leave", WINDOW],
  ["a year", { from: "2025-12-01", to: "2026-12-02" }],
  ["a day", { from: "2026-03-04", to: "2026-03-04" }],
  ["every status", { ...WINDOW, statuses: ["approved", "pending", "denied"] }],
  ["some workers", { from: "2025-12-01", to: "2026-11-30", workerIds: ["wrk_1", "wrk_5", "wrk_absent"] }],
  ["a policy", { from: "2025-12-01", to: "2026-11-30", policyIds: ["top_home"] }],
  ["those of a manager", { ...WINDOW, managerIds: ["wrk_1", "wrk_2"] }],
  ["some of those of a manager", { ...WINDOW, managerIds: ["wrk_1"], workerIds: ["wrk_5", "wrk_2"] }],
  ["nobody's", { ...WINDOW, managerIds: ["wrk_39"] }],
  ["long ago", { from: "1950-01-01", to: "1950-12-31" }],
])("%s", (_, filter) => {
  const rows = expected(filter);

  test("pages, forward and backward", async () => {
    for (const limit of [100, 7]) {
      const forward: unknown[] = [];
      for (let after = ""; ; ) {
        const page = listOf(await ask(`${queryOf(filter)}&limit=${limit}${after}`));
        forward.push(...page.data);
        if (!page.hasMore || forward.length > 2 * rows.length) break;
        after = `&afterId=${page.data.at(-1)!.id}`;
      }
      expect(forward).toEqual(rows);
      const backward: unknown[] = [];
      for (let before = "&beforeId=tod_99991231_z"; ; ) {
        const page = listOf(await ask(`${queryOf(filter)}&limit=${limit}${before}`));
        backward.unshift(...page.data);
        if (!page.hasMore || backward.length > 2 * rows.length) break;
        before = `&beforeId=${page.data[0]!.id}`;
      }
      expect(backward).toEqual(rows);
    }
  });

  test("JSON lines and CSV", async () => {
    const stream = async (accept: string) =>
      new TextDecoder().decode(
        (await service.raw(`/v1/time_off/days?${queryOf(filter)}`, { key, headers: { accept } })).body,
      );
    const lines = (await stream("application/x-ndjson")).split("\n").filter((line) => line !== "");
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
    const csv = (await stream("text/csv")).trimEnd().split("\r\n");
    expect(csv).toEqual(
      [
        ["id", "date", "minutes", "status", "requestId", "workerId", "policyId", "isAbsence", "workEmail"],
        ...rows.map((row) => Object.values(row).map((value) => value ?? "")),
      ].map((cells) => cells.join(",")),
    );
  });
});

test("all days of a request add up to its minutes", async () => {
  const sums = new Map<string, number>();
  for (const year of ["2025-11-01", "2026-11-03"]) {
    const { body } = await service.raw(
      `/v1/time_off/days?from=${year}&to=${formatDay(dayOfText(year) + 366)}&statuses=approved,pending,denied`,
      { key, headers: { accept: "application/x-ndjson" } },
    );
    for (const line of new TextDecoder().decode(body).trim().split("\n")) {
      const { requestId, minutes } = JSON.parse(line) as Row;
      sums.set(requestId, (sums.get(requestId) ?? 0) + Math.round(minutes * 100));
    }
  }
  expect(new Map([...sums].map(([id, sum]) => [id, sum / 100]))).toEqual(
    new Map(requests.filter(({ minutes }) => minutes > 0).map(({ id, minutes }) => [id, minutes])),
  );
});

test("today and six more days, or seven from or to a day", async () => {
  const same = async (a: string, b: string) => expect(idsOf(await ask(a))).toEqual(idsOf(await ask(b)));
  await same("limit=100", `limit=100&from=${TODAY}&to=2026-03-07`);
  await same("limit=100&from=2026-03-04", "limit=100&from=2026-03-04&to=2026-03-10");
  await same("limit=100&to=2026-03-04", "limit=100&from=2026-02-26&to=2026-03-04T12:00:00Z");
});

test("a key without workers:read sees no address, and cannot filter by manager", async () => {
  const own = await addKey(service.writer, "acme", { scopes: ["time_off:read"] });
  const seen = listOf(await ask("limit=100", key)).data;
  expect(seen.some(({ workEmail }) => workEmail !== null)).toBe(true);
  const rows = listOf(await ask("limit=100", own)).data;
  expect(rows).toEqual(seen.map((row) => ({ ...row, workEmail: null })));
  expect(listOf(await ask("limit=100", key)).data).toEqual(seen); // a cached response is not everybody's
  expect((await ask("managerIds=wrk_1", own)).status).toBe(403);
  const stream = await service.raw("/v1/time_off/days?managerIds=wrk_1", {
    key: own,
    headers: { accept: "text/csv" },
  });
  expect(stream.status).toBe(403);
  const lines = await service.raw("/v1/time_off/days", { key: own, headers: { accept: "text/csv" } });
  expect(new TextDecoder().decode(lines.body)).not.toContain("@example.com");
});

test("a page of a year reads only what it shows", async () => {
  const counting = await startService();
  await addCompany(counting.writer, "acme", { workers, policies, requests } as Facts);
  const own = await addKey(counting.writer, "acme");
  const real = counting.reader.company.bind(counting.reader);
  let rows = 0;
  counting.reader.company = (...args) => {
    const company = real(...args);
    const leave = company.leave.bind(company);
    company.leave = async (...query) => {
      const found = await leave(...query);
      rows += found.rows.length;
      return found;
    };
    return company;
  };
  const query = "from=2026-03-02&to=2027-03-02&limit=25";
  expect(listOf(await counting.call(`/v1/time_off/days?${query}`, { key: own })).count).toBe(25);
  expect(rows).toBeLessThanOrEqual(100);
});

test("a page is read again if an import is committed while it is read", async () => {
  const changing = await startService();
  const many = { policies: [policyRow("top_a")], workers: [workerRow("wrk_1")] };
  await addCompany(changing.writer, "acme", { ...many, requests: [requestRow("tor_1", "wrk_1", "top_a")] });
  const own = await addKey(changing.writer, "acme");
  const real = changing.reader.company.bind(changing.reader);
  let reads = 0;
  changing.reader.company = (...args) => {
    const company = real(...args);
    const leave = company.leave.bind(company);
    company.leave = async (...query) => {
      const found = await leave(...query);
      if (++reads === 1) {
        await putFacts(changing.writer, "acme", { requests: [requestRow("tor_0", "wrk_1", "top_a")] });
      }
      return found;
    };
    return company;
  };
  const response = await changing.call("/v1/time_off/days", { key: own });
  expect(idsOf(response)).toEqual(["tod_20260302_tor_0", "tod_20260302_tor_1"]);
});
