// Property: any set of valid facts, in any row order, gives the same stored rows.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { TestCompany } from "../support/import-files.ts";

const name = fc
  .string({ unit: fc.constantFrom("a", "é", "Ω", "'", '"', ",", "\n", "=", " "), minLength: 1 })
  .map((text) => `x${text}`);
const legacyIds = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom("A", "7", "-", "ß", "#"), minLength: 1, maxLength: 6 }),
  {
    minLength: 1,
    maxLength: 6,
  },
);
const day = fc
  .integer({ min: -25_567, max: 84_370 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
const instantMs = fc.integer({ min: -2_000_000_000_000, max: 7_000_000_000_000 });
const zone = fc.constantFrom(null, "UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns");
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const worker = fc.record({
  firstName: name,
  lastName: name,
  email: fc.constantFrom("ana@example.com", "françois0@example.com"),
  isBusiness: fc.boolean(),
  preferredName: nullable(name),
  position: fc.oneof(fc.constant(""), name),
  startDate: day,
  status: fc.constantFrom("onboarding", "active", "offboarding", "inactive"),
  timeZone: zone,
  type: fc.constantFrom("employee", "contractor"),
  workEmail: nullable(fc.constantFrom("ANA@example.com")),
});
const policy = fc.record({
  name,
  paid: fc.boolean(),
  unit: fc.constantFrom("hour", "day"),
  timeOffTypeName: name,
  schedule: fc.constant("monthly"),
  minutesPerPeriod: fc.integer({ min: 0, max: 10_000 }),
  prorate: fc.boolean(),
  carryoverLimitMinutes: nullable(fc.integer({ min: 0, max: 10_000 })),
});
const request = fc.record({
  start: instantMs,
  lengthMs: fc.integer({ min: 0, max: 10 * 86_400_000 }),
  minutes: fc.integer({ min: 0, max: 10_000 }),
  reason: nullable(name),
  timeZone: zone,
  worker: fc.nat(),
  policy: fc.nat(),
  status: fc.constantFrom("pending", "approved", "denied"),
});

const company = fc
  .record({ workers: legacyIds, policies: legacyIds, requests: legacyIds })
  .chain(({ workers, policies, requests }) =>
    fc.record({
      workers: fc.tuple(...workers.map((legacyId) => worker.map((fields) => ({ legacyId, ...fields })))),
      policies: fc.tuple(...policies.map((legacyId) => policy.map((fields) => ({ legacyId, ...fields })))),
      requests: fc.tuple(
        ...requests.map((legacyId) =>
          request.map(({ start, lengthMs, minutes, worker: atWorker, policy: atPolicy, ...fields }) => ({
            legacyId,
            ...fields,
            createdAt: new Date(start).toISOString(),
            startAt: new Date(start).toISOString(),
            endAt: new Date(start + lengthMs).toISOString(),
            requestedMinutes: minutes,
            workerId: workers[atWorker % workers.length],
            timeOffPolicyId: policies[atPolicy % policies.length],
          })),
        ),
      ),
      seeds: fc.tuple(fc.nat(), fc.nat()),
    }),
  );

function shuffled<T>(rows: readonly T[], seed: number): T[] {
  return rows
    .map((row, at) => ({ row, rank: Bun.hash(`${seed} ${at}`) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ row }) => row);
}

type Row = Readonly<Record<string, unknown>>;

const jsonl = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).join("\n");

function csv(rows: readonly Row[]): Uint8Array {
  const header = Object.keys(rows[0] ?? {});
  const cell = (value: unknown) => (value === null ? "" : `"${String(value).replaceAll('"', '""')}"`);
  return Buffer.from(
    [header.join(","), ...rows.map((row) => header.map((field) => cell(row[field])).join(","))].join("\r\n"),
  );
}

test("row order and format make no difference, nor does importing twice", async () => {
  await fc.assert(
    fc.asyncProperty(company, async ({ workers, policies, requests, seeds }) => {
      const stores = [];
      for (const [at, seed] of seeds.entries()) {
        const write = at === 0 ? (rows: readonly Row[]) => Buffer.from(jsonl(rows)) : csv;
        const extension = at === 0 ? "jsonl" : "csv";
        const opened = await TestCompany.open();
        const files = {
          [`workers.${extension}`]: write(shuffled(workers, seed)),
          [`policies.${extension}`]: write(shuffled(policies, seed)),
          [`requests.${extension}`]: write(shuffled(requests, seed)),
        };
        await opened.import(files);
        expect((await opened.import(files)).isChanged).toBe(false);
        stores.push(await opened.stored());
        await opened.store.close();
      }
      expect(stores[1]).toEqual(stores[0]!);
    }),
    { numRuns: Number(process.env.ROLLCALL_TEST_RUNS ?? 25) },
  );
}, 120_000);
