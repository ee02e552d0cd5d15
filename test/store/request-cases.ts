// Requests and filters that take every way in which requests are found.

import fc from "fast-check";
import { REQUEST_STATUSES, type RequestRow } from "../../src/resources/requests.ts";
import type { PageQuery, WriteStore } from "../../src/store/store.ts";
import { compareIds } from "../support/random-rows.ts";
import { requestRow } from "../support/rows.ts";
import type { Filters } from "./listed.ts";

export const DAY_MS = 86_400_000;
export const COMPANY = "acme";
/** More than a walk looks at, so that what is rare has to be gathered. */
const ROWS = 6000;

let seed = 1;
const random = (below: number) => {
  seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fff_ffff;
  return seed % below;
};

/** From no time at all to thirty years; some lie on the edges of weeks. */
function randomRequest(index: number): RequestRow {
  const days = [0, 1, 3, 7, 13, 14, 15, 40, 200, 224, 230, 2000, 3584, 4000, 11_000][
    Math.min(14, random(60))
  ]!;
  const startAtMs = (18_000 + random(900)) * DAY_MS + (random(3) === 0 ? 0 : random(DAY_MS));
  const id = `tor_${String((index * 7919) % ROWS).padStart(5, "0")}`;
  const workerId = `wrk_${random(300)}`;
  const policyId = index === 17 ? "top_rare" : `top_${random(6)}`;
  return {
    ...requestRow(id, workerId, policyId),
    doc: `{"id":"${id}"}`,
    status: index % 1500 === 3 ? "pending" : random(2) === 0 ? "approved" : "denied",
    startAtMs,
    endAtMs: startAtMs + days * DAY_MS,
    firstDay: 1,
    lastDay: 1,
    minutes: 1,
  };
}

async function put(
  writer: WriteStore,
  changed: readonly RequestRow[],
  removed: readonly string[] = [],
  companyId = COMPANY,
): Promise<void> {
  await writer.change(companyId, async (transaction) => {
    await transaction.put("requests", changed);
    await transaction.remove(
      "requests",
      removed.map((id) => [id]),
    );
    return { result: null, changed: true, commit: true };
  });
}

/** Makes the company, and another one; gives the requests that it has in the end, in list order. */
export async function fill(writer: WriteStore): Promise<RequestRow[]> {
  seed = 1;
  await writer.createCompany({ id: COMPANY, name: COMPANY, createdAtMs: 0 });
  await writer.createCompany({ id: "other", name: "other", createdAtMs: 0 });
  const policies = ["top_0", "top_1", "top_2", "top_3", "top_4", "top_5", "top_rare"];
  await writer.change(COMPANY, async (transaction) => {
    await transaction.put(
      "policies",
      policies.map((id) => ({ id, legacyId: null, doc: `{"id":"${id}"}`, terms: "{}", absence: "true" })),
    );
    return { result: null, changed: true, commit: true };
  });
  const rows = Array.from({ length: ROWS }, (_, index) => randomRequest(index));
  await put(writer, rows);
  // What was filed anew, or removed, must be found as it is now.
  const moved = rows
    .filter((_, index) => index % 7 === 0)
    .map((row, at) => ({ ...randomRequest(at), id: row.id }));
  const gone = new Set(rows.filter((_, index) => index % 11 === 5).map((row) => row.id));
  await put(writer, moved, [...gone]);
  // The other company has requests with the same ids, at other times.
  const ofOther = rows
    .slice(0, 2000)
    .map((row, at) => ({ ...randomRequest(at), id: row.id, doc: '{"id":"of another"}' }));
  await put(writer, ofOther, [], "other");
  const byId = new Map([...rows, ...moved].map((row) => [row.id, row]));
  return [...byId.values()].filter((row) => !gone.has(row.id)).sort((a, b) => compareIds(a.id, b.id));
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const instant = maybe(
  fc.oneof(
    fc.integer({ min: 17_900, max: 19_200 }).map((day) => day * DAY_MS),
    fc.constantFrom(-3000 * DAY_MS, 40_000 * DAY_MS, 18_004 * DAY_MS - 1, 18_004 * DAY_MS + 1),
  ),
);
export const filters: fc.Arbitrary<Filters["requests"]> = fc.record({
  workerIds: fc.option(
    fc.array(
      fc.integer({ min: 0, max: 310 }).map((one) => `wrk_${one}`),
      { minLength: 1, maxLength: 9 },
    ),
    { nil: undefined, freq: 1 },
  ),
  policyIds: maybe(fc.subarray(["top_0", "top_3", "top_5", "top_rare", "top_none"], { minLength: 1 })),
  statuses: maybe(fc.subarray([...REQUEST_STATUSES], { minLength: 1 })),
  startsBefore: instant,
  startsOnOrAfter: instant,
  endsBefore: instant,
  endsOnOrAfter: instant,
});
const cursor = fc.integer({ min: 0, max: ROWS }).map((one) => `tor_${String(one).padStart(5, "0")}`);
export const pages: fc.Arbitrary<PageQuery> = fc.oneof(
  fc.record({ limit: fc.constantFrom(1, 25, 100) }),
  fc.record({ limit: fc.constantFrom(1, 25), after: cursor }),
  fc.record({ limit: fc.constantFrom(1, 25), before: cursor }),
);
