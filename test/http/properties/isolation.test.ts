// Property: a company's responses are byte for byte what they would be if it were alone in the store, and contain nothing
// of another company: also of what was known, and of closes. The companies share every id, name and legacy id on purpose.
import { describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { type Facts, requestRow, sampleFacts, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change, closePeriod, putFacts, type TestStore } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { queryOf } from "./filters.ts";

const RUNS = Number(process.env.ROLLCALL_TEST_RUNS ?? 60);
const COMPANIES = 12;

const together = await startService();

interface Lone {
  readonly mark: string;
  readonly ask: (path: string) => Promise<string>;
  readonly askAlone: (path: string) => Promise<string>;
}

/** Each company has the rows that all have, with its own mark, and rows that only every second, third … company has. */
function factsOf(number: number): Facts {
  const mark = `-company${number}-`;
  const facts = sampleFacts(mark);
  const own = [1, 2, 3, 4, 5].filter((divisor) => number % divisor === 0);
  return {
    ...facts,
    workers: [
      ...facts.workers!,
      ...own.map((divisor) =>
        workerRow(`wrk_x${divisor}`, {
          firstName: mark,
          legacyId: `X${divisor}`,
          workEmail: "all@example.com",
        }),
      ),
    ],
    requests: [
      ...facts.requests!,
      ...own.map((divisor) =>
        requestRow(`tor_x${divisor}`, "wrk_ana", "top_annual", {
          reason: mark,
          requestedMinutes: number * 60,
        }),
      ),
    ],
  };
}

const [FIRST_MS, SECOND_MS] = [Date.parse("2026-03-01T08:00:00Z"), Date.parse("2026-03-01T09:00:00Z")];

/** The company as it was, closed; then other minutes and texts, and some rows less. */
async function addStates({ writer, reader }: TestStore, id: string, number: number): Promise<void> {
  setSystemTime(FIRST_MS);
  await addCompany(writer, id, factsOf(number));
  await closePeriod({ writer, reader }, id, "2026-02", { firstDay: 20_485, lastDay: 20_512 });
  setSystemTime(SECOND_MS);
  const { requests, ...facts } = factsOf(number);
  await putFacts(writer, id, {
    ...facts,
    requests: requests!.map((row) => ({ ...row, minutes: number * 30 })),
  });
  await change(writer, id, async (transaction) => {
    if (number % 2 === 0) await transaction.remove("requests", [["tor_x2"]]);
    if (number % 3 === 0) await transaction.remove("workers", [["wrk_x3"]]);
  });
  setSystemTime();
}

const lone: Lone[] = [];

for (let number = 0; number < COMPANIES; number++) {
  // The ids are prefixes of each other.
  const id = `acme${"-a".repeat(number)}`;
  await addStates(together, id, number);
  const alone = await startService();
  await addStates(alone, id, number);
  const key = await addKey(together.writer, id);
  const aloneKey = await addKey(alone.writer, id);
  const seen = async (service: typeof alone, path: string, own: string) => {
    const response = await service.call(path, { key: own, headers: { "x-request-id": "same" } });
    return JSON.stringify([response.status, [...response.headers].sort(), response.text]);
  };
  lone.push({
    mark: `-company${number}-`,
    ask: (path) => seen(together, path, key),
    askAlone: (path) => seen(alone, path, aloneKey),
  });
}

const workerIds = fc.constantFrom(
  "wrk_ana",
  "wrk_bo",
  "wrk_cy",
  "wrk_x1",
  "wrk_x2",
  "wrk_x3",
  "wrk_x4",
  "wrk_x5",
  "wrk_no",
);
const policyIds = fc.constantFrom("top_annual", "top_open", "top_no");
const requestIds = fc.constantFrom(
  "tor_1",
  "tor_2",
  "tor_x1",
  "tor_x2",
  "tor_x3",
  "tor_x4",
  "tor_x5",
  "LEGACY-9",
  "zz",
);
const assignmentIds = fc.constantFrom("toa_1", "toa_2", "toa_3", "toa_9");
const emails = fc.oneof(
  fc.constant("all@example.com"),
  fc.nat(COMPANIES).map((number) => `ana+-company${number}-@example.com`),
);

const listed = (ids: fc.Arbitrary<string>) =>
  fc.array(ids, { minLength: 1, maxLength: 4 }).map((all) => all.join(","));

const PATHS: Record<
  string,
  { cursor?: fc.Arbitrary<string>; [parameter: string]: fc.Arbitrary<string> | undefined }
> = {
  "/v1/workers": { cursor: workerIds, workEmail: emails, statuses: fc.constantFrom("active", "inactive") },
  "/v1/time_off/policies": { cursor: policyIds },
  "/v1/time_off/requests": { cursor: requestIds, workerIds: listed(workerIds), policyIds: listed(policyIds) },
  "/v1/time_off/balances": {
    cursor: fc.oneof(workerIds, fc.constantFrom("tob_03anaannual", "tob_02boopen")),
    workerIds: listed(workerIds),
    policyIds: listed(policyIds),
    endDate: fc.constantFrom("2026-01-31", "2026-03-02", "2026-12-31"),
  },
  "/v1/time_off/assignments": {
    cursor: assignmentIds,
    workerIds: listed(workerIds),
    policyIds: listed(policyIds),
  },
};

const listAddresses = Object.entries(PATHS).map(([path, { cursor, ...filters }]) =>
  fc
    .record(
      {
        ...(filters as Record<string, fc.Arbitrary<string>>), // `cursor` alone may be absent
        limit: fc.integer({ min: 1, max: 5 }).map(String),
        afterId: cursor!,
      },
      { requiredKeys: [] },
    )
    .chain((asked) =>
      fc.boolean().map((isBackward) => {
        const pairs = Object.entries(asked) as [string, string][]; // absent keys are not there
        return `${path}?${queryOf(pairs.map(([name, value]) => [isBackward && name === "afterId" ? "beforeId" : name, value]))}`;
      }),
    ),
);

const moment = fc.constantFrom("", "2026-03-01T08:30:00Z", "2026-03-01T09:30:00Z");

const addresses = fc.oneof(
  fc
    .tuple(
      fc.oneof(
        ...listAddresses,
        workerIds.map((id) => `/v1/workers/${id}?`),
        policyIds.map((id) => `/v1/time_off/policies/${id}?`),
        fc.constant("/v1/time_off/movements?groupBy=worker,policy&from=2026-01-01&to=2026-03-31"),
        fc.constant("/v1/time_off/days?from=2026-01-01&to=2026-03-31"),
      ),
      moment,
    )
    .map(([path, then]) => (then === "" ? path : `${path}&knownOn=${then}`).replace("?&", "?")),
  fc.constantFrom(
    "/v1/time_off/closes",
    "/v1/time_off/closes/2026-02/differences?limit=100",
    "/v1/time_off/movements?groupBy=worker,policy&after=2026-02&to=2026-03-31&limit=100",
  ),
);

describe("companies that share everything except a mark in their texts", () => {
  test("each gets the responses that it would get alone in a store", async () => {
    await fc.assert(
      fc.asyncProperty(addresses, async (address) => {
        // All companies send the request at the same time, so that a mix-up would show.
        const responses = await Promise.all(lone.map(({ ask }) => ask(address)));
        for (const [number, response] of responses.entries()) {
          expect(response).toBe(await lone[number]!.askAlone(address));
          const marks = new Set(response.match(/-company\d+-/g));
          // A request for an address with a foreign mark repeats it in the link, and nowhere else.
          marks.delete(/-company\d+-/.exec(address)?.[0] ?? "");
          expect([...marks].filter((mark) => mark !== lone[number]!.mark)).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  test("whole lists contain only the company's own mark", async () => {
    for (const path of Object.keys(PATHS)) {
      for (const { ask, mark } of lone) {
        const marks = new Set((await ask(`${path}?limit=100`)).match(/-company\d+-/g));
        expect([...marks].every((found) => found === mark)).toBe(true);
      }
    }
  });
});
