// Property: rows of movements, in any grouping, are the sums of the rows of single balances, and their ends are what the list of balances
// serves; pages in both directions, CSV and JSON lines give the same rows. So do those of what will be lost.
import { expect, test } from "bun:test";
import { BALANCES_AT_ONCE } from "../../../../src/http/balance-pairs.ts";
import { dayOfText } from "../../../../src/time/day.ts";
import { randomOf } from "../../../support/random-rows.ts";
import {
  adjustmentRow,
  assignmentRow,
  departmentRow,
  type Facts,
  policyRow,
  requestRow,
  workerRow,
} from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { listOf, startService } from "../../service.ts";

const random = randomOf(11);
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
const withRules = (row: ReturnType<typeof policyRow>, rules: object) => {
  const terms = JSON.parse(row.terms);
  return { ...row, terms: JSON.stringify({ ...terms, rules: { ...terms.rules, ...rules } }) };
};

const workers = Array.from({ length: 130 }, (_, at) =>
  workerRow(`wrk_${at}`, {
    department: pick(["Payroll", "R&D, Käse", { id: "dpt_other", name: "Payroll" }, null]),
    startDate: "2024-01-01",
    endDate: at % 9 === 0 ? "2026-02-14" : null,
  }),
);
// Two departments may have one name.
const departments = [
  departmentRow("dpt_Payroll"),
  departmentRow("dpt_R_D__K_se", { name: "R&D, Käse" }),
  departmentRow("dpt_other", { name: "Payroll" }),
];
const policies = [
  withRules(policyRow("top_a", { isPaidOut: true }), { carryoverLimitMinutes: 2400 }),
  withRules(policyRow("top_b", { isPaidOut: true }), { balanceCapMinutes: 9000.5 }),
  withRules(policyRow("top_c", { isPaidOut: false }), { carryoverExpiresAfterMonths: 3 }),
  policyRow("top_u", { isPaidOut: false, schedule: "unlimited", isUnlimited: true, minutesPerPeriod: null }),
];
const assignments = workers.flatMap(({ id }) =>
  policies
    .filter(() => random(3) > 0)
    .map((policy) => assignmentRow(`toa_${id}_${policy.id}`, id, policy.id, "2024-02-10T00:00:00.000Z")),
);
const requests = Array.from({ length: 600 }, (_, at) => {
  const { workerId, policyId } = pick(assignments);
  const startAt = new Date(Date.UTC(2025, random(18), 1 + random(28)));
  return requestRow(`tor_${at}`, workerId, policyId, {
    startAt: startAt.toISOString(),
    endAt: new Date(startAt.getTime() + (1 + random(3)) * 86_400_000).toISOString(),
    status: pick(["approved", "approved", "pending"]),
    requestedMinutes: pick([480, 333.33, 1000]),
  });
});
const adjustments = Array.from({ length: 60 }, (_, at) => {
  const { workerId, policyId } = pick(assignments);
  return adjustmentRow(`adj_${at}`, workerId, policyId, {
    day: dayOfText("2026-01-01") + random(90),
    minutes: pick([60, -45.25, 0.01]),
  });
});

const service = await startService();
await addCompany(service.writer, "acme", {
  departments,
  workers,
  policies,
  assignments,
  requests,
  adjustments,
} as Facts);
await addCompany(service.writer, "other", { workers: [workerRow("wrk_1")], policies: [policyRow("top_a")] });
const key = await addKey(service.writer, "acme");

type Row = Record<string, number | string | boolean | null> & { readonly id: string };
const NUMBERS = [
  ...["opening", "granted", "used", "adjusted", "forfeited", "expired"],
  ...["opened", "moved", "revalued", "closing", "earned", "restated"],
];
const [FROM, TO] = ["2025-12-15", "2026-02-28"];
const SPAN = `from=${FROM}&to=${TO}`;

async function lines(path: string, own = key): Promise<Row[]> {
  const { body } = await service.raw(path, { key: own, headers: { accept: "application/x-ndjson" } });
  return new TextDecoder()
    .decode(body)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const movementsOf = (query: string) => lines(`/v1/time_off/movements?${query}`);
const single = await movementsOf(`${SPAN}&groupBy=policy,department,worker`);

test("every balance has a row that adds up, from one response of the list of balances to the other", async () => {
  expect(single).toHaveLength(assignments.length);
  const ends = await Promise.all(
    ["2025-12-14", TO].map((day) => lines(`/v1/time_off/balances?endDate=${day}`)),
  );
  const closing = ends.map(
    (balances) =>
      new Map(
        balances.map((one) => [
          `${one.workerId} ${one.policyId}`,
          one.policyId === "top_u"
            ? 0
            : Math.round((+one.accruedUnlocked! + +one.accruedLocked! - +one.used!) * 100),
        ]),
      ),
  );
  for (const row of single) {
    const [opening, granted, used, adjusted, forfeited, expired, ...rest] = NUMBERS.map((name) =>
      Math.round(+row[name]! * 100),
    );
    const [opened, moved, revalued, end] = rest;
    expect(
      opening! + granted! - used! + adjusted! - forfeited! - expired! + opened! + moved! + revalued!,
    ).toBe(end!);
    const name = `${row.workerId} ${row.policyId}`;
    expect(row.restated).toBe(0); // without a close
    expect([opening, end]).toEqual(closing.map((of) => of.get(name)));
    expect(row.isPaidOut).toBe(["top_a", "top_b"].includes(row.policyId as string));
    expect(row.hasLeft).toBe(Number((row.workerId as string).slice(4)) % 9 === 0);
  }
});

const GROUPS = { policy: "policyId", department: "department", worker: "workerId" } as const;
type Group = keyof typeof GROUPS;
const GROUPINGS: readonly Group[][] = [
  ["policy"],
  ["department"],
  ["worker"],
  ["policy", "department"],
  ["department", "worker"],
];

test.each(GROUPINGS.map((grouping) => [grouping]))(
  "by %s, rows are sums of single ones",
  async (grouping) => {
    const sums = new Map<string, Record<string, unknown>>();
    for (const row of single) {
      const of = Object.fromEntries(
        Object.entries(GROUPS).map(([group, name]) => [
          name,
          grouping.includes(group as Group) ? row[name] : null,
        ]),
      );
      const group = { ...of, isPaidOut: row.isPaidOut, hasLeft: row.hasLeft };
      const id = JSON.stringify(Object.entries(group).sort());
      const sum = sums.get(id) ?? { ...group };
      for (const name of NUMBERS)
        sum[name] = Math.round(((+(sum[name] ?? 0) as number) + +row[name]!) * 100) / 100;
      sums.set(id, sum);
    }
    const rows = await movementsOf(`${SPAN}&groupBy=${grouping}`);
    const bare = rows.map(({ id: _, ...row }) => row);
    const inOrder = (all: readonly object[]) =>
      all.map((one) => JSON.stringify(Object.entries(one).sort())).sort();
    expect(inOrder(bare)).toEqual(inOrder([...sums.values()]));
  },
);

test.each([
  `/v1/time_off/movements?${SPAN}&groupBy=worker`,
  `/v1/time_off/movements?${SPAN}&groupBy=department,policy`,
  `/v1/time_off/movements?${SPAN}&groupBy=department`,
  `/v1/time_off/movements?${SPAN}&policyIds=top_c,top_a`,
  `/v1/time_off/movements?${SPAN}&groupBy=policy,worker&policyIds=top_a,top_c`,
  "/v1/time_off/expirations?from=2026-01-01&to=2027-12-31",
  "/v1/time_off/expirations?to=2026-12-31&workerIds=wrk_3,wrk_77",
])("pages of %s in both directions, and CSV", async (path) => {
  const rows = await lines(path);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(1);
  for (const limit of [100, 7]) {
    if (rows.length / limit > 20) continue;
    const forward: unknown[] = [];
    for (let after = ""; ; ) {
      const page = listOf(await service.call(`${path}&limit=${limit}${after}`, { key }));
      forward.push(...page.data);
      if (!page.hasMore || forward.length > rows.length) break;
      after = `&afterId=${page.data.at(-1)!.id}`;
    }
    expect(forward).toEqual(rows);
    const backward: unknown[] = [rows.at(-1)];
    for (let before = rows.at(-1)!.id; ; ) {
      const page = listOf(await service.call(`${path}&limit=${limit}&beforeId=${before}`, { key }));
      backward.unshift(...page.data);
      if (!page.hasMore || backward.length > rows.length) break;
      before = page.data[0]!.id as string;
    }
    expect(backward).toEqual(rows);
  }
  const { body } = await service.raw(path, { key, headers: { accept: "text/csv" } });
  const csv = new TextDecoder().decode(body).trimEnd().split("\r\n");
  expect(csv[0]).toBe(Object.keys(rows[0]!).join(","));
  expect(csv).toHaveLength(rows.length + 1);
});

test("what will be lost: at the year's end, when carried time expires, and under a cap", async () => {
  const lost = await lines("/v1/time_off/expirations?to=2027-01-01");
  expect(new Set(lost.map(({ policyId, cause }) => `${policyId} ${cause}`))).toEqual(
    new Set(["top_a carryoverLimit", "top_b balanceCap", "top_c carryoverExpiry"]),
  );
  const moved = await movementsOf("from=2026-03-01&to=2027-01-01&groupBy=policy,worker");
  for (const { workerId, policyId, forfeited, expired } of moved) {
    const own = lost.filter((one) => one.workerId === workerId && one.policyId === policyId);
    const sum = own.reduce((all, { minutes, cause }) => all + (cause === "balanceCap" ? 0 : +minutes!), 0);
    expect(Math.abs(sum - (+forfeited! + +expired!))).toBeLessThan(0.011 * (own.length + 1));
  }
  expect(lost.every(({ minutes }) => +minutes! > 0)).toBe(true);
});

test("by default the month so far by policy, or a year from today", async () => {
  expect(await movementsOf("")).toEqual(await movementsOf("from=2026-03-01&to=2026-03-01&groupBy=policy"));
  expect(await movementsOf("to=2026-02-20")).toEqual(await movementsOf("from=2026-02-01&to=2026-02-20"));
  expect(await lines("/v1/time_off/expirations")).toEqual(
    await lines("/v1/time_off/expirations?from=2026-03-01&to=2027-03-01"),
  );
});

test("a key without workers:read cannot group by department", async () => {
  const own = await addKey(service.writer, "acme", { scopes: ["time_off:read"] });
  const ask = (groupBy: string) => service.call(`/v1/time_off/movements?groupBy=${groupBy}`, { key: own });
  expect((await ask("policy,worker")).status).toBe(200);
  const refused = await ask("department");
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("workers:read");
});

test.each([
  ["movements?from=2026-03-02", "from", 'is after to "2026-03-01": swap them, or give to'],
  ["movements?to=2036-03-02", "to", "is more than 10 years from today"],
  ["movements?afterId=tox_a", "afterId", "is not a movement id from their list"],
  // The days that follow from the one that was given are not the caller's.
  [
    "expirations?from=2036-01-01",
    "from",
    '"2036-01-01" needs a to: without it, "2036-12-31" is more than 10 years',
  ],
  ["expirations?to=2026-02-01", "to", '"2026-02-01" is before today, "2026-03-01": give from, too'],
])("%s is a 400", async (path, parameter, detail) => {
  const { status, text } = await service.call(`/v1/time_off/${path}`, { key });
  expect(status).toBe(400);
  expect(JSON.parse(text).errors).toMatchObject([{ parameter }]);
  expect(text.replaceAll('\\"', '"')).toContain(detail);
});

/** How many balances are read while `work` runs. */
async function readDuring(work: () => Promise<void>): Promise<number> {
  const real = service.reader.company.bind(service.reader);
  let read = 0;
  service.reader.company = (...args) => {
    const company = real(...args);
    const facts = company.balanceFacts.bind(company);
    company.balanceFacts = async (query) => {
      const found = await facts(query);
      read += found.assignments.length;
      return found;
    };
    return company;
  };
  await work();
  service.reader.company = real;
  return read;
}

test("a page by worker reads no more workers than it shows", async () => {
  const read = await readDuring(async () => {
    const query = "from=2026-01-02&groupBy=worker,policy&limit=25";
    expect(listOf(await service.call(`/v1/time_off/movements?${query}`, { key })).count).toBe(25);
  });
  expect(read).toBeLessThanOrEqual(BALANCES_AT_ONCE);
});
