// Fair shares, in a real process: whatever one caller or one address sends, a caller who stays within its fair share is
// answered.
import { expect, test } from "bun:test";
import { assignmentRow, policyRow, requestRow, sampleFacts, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { serveStore } from "../process.ts";

const VICTIM_REQUESTS = 100;
const FLOOD_CONNECTIONS = 64;

const served = await serveStore("--cache", "0");
const numbers = Array.from({ length: 400 }, (_, number) => String(number).padStart(4, "0"));
await addCompany(served.writer, "flood", {
  workers: numbers.map((number) => workerRow(`wrk_${number}`)),
  policies: [policyRow("top_1")],
  assignments: numbers.map((number) => assignmentRow(`toa_${number}`, `wrk_${number}`, "top_1")),
  requests: numbers.flatMap((number) =>
    [0, 1, 2, 3, 4].map((part) => requestRow(`tor_${number}${part}`, `wrk_${number}`, "top_1")),
  ),
});
await addCompany(served.writer, "victim", sampleFacts());
const floodKey = await addKey(served.writer, "flood");
const key = await addKey(served.writer, "victim");
const unknownKey = `rk_${"0".repeat(32)}${"0".repeat(6)}`;

const manyParameters = Array.from({ length: 1900 }, (_, number) => `p${number}`).join("&");

test.each([
  ["100 balances at a time", "/v1/time_off/balances?limit=100", floodKey],
  ["1,900 unknown parameters", `/v1/workers?${manyParameters}`, floodKey],
  ["requests without a key", "/v1/workers", null],
  ["requests with a mistyped key", "/v1/workers", "rk_nonsense"],
  ["requests with an unknown key", "/v1/workers", unknownKey],
  ["unknown paths", "/v1/nothing", null],
])(
  "a flood of %s refuses nothing to another caller",
  async (_, path, apiKey) => {
    let isOver = false;
    let flooded = 0;
    const headers: Record<string, string> = apiKey === null ? {} : { "x-api-key": apiKey };
    const flood = Array.from({ length: FLOOD_CONNECTIONS }, async () => {
      while (!isOver) {
        await (await fetch(served.address + path, { headers })).arrayBuffer();
        flooded++;
      }
    });
    const statuses: number[] = [];
    while (statuses.length < VICTIM_REQUESTS) {
      const response = await fetch(`${served.address}/v1/time_off/requests`, {
        headers: { "x-api-key": key },
      });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    isOver = true;
    await Promise.all(flood);
    expect(flooded).toBeGreaterThan(VICTIM_REQUESTS);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(VICTIM_REQUESTS * 0.99);
  },
  120_000,
);
