// Property: each of thousands of malformed requests gets a correct response, is refused by the HTTP parser, or is cut off.
// Afterwards the process is alive, its responses are correct, and its memory has not grown.
import { describe, expect, test } from "bun:test";
import { problemSchema } from "../../../src/resources/problems.ts";
import { type RawResponse, send } from "../socket.ts";
import { fuzzedRequests } from "./requests.ts";
import { startTarget } from "./target.ts";

const ROUNDS = Number(process.env.ROLLCALL_FUZZ_ROUNDS ?? 4000);
const SEED = Number(process.env.ROLLCALL_FUZZ_SEED ?? 1);
const AT_ONCE = 50;

/** Statuses of the HTTP parser's own refusals, which have no body and none of our headers. */
const PARSER_REFUSALS = [400, 413, 431, 505];

/** Memory that may grow: cached responses, up to their limit, and Bun's own. */
const GROWTH_BYTES = 96 * 1024 * 1024;

const target = await startTarget("--cache", "8");
const { key, port } = target;

function judge({ status, headers, body }: RawResponse, isHead: boolean): string {
  const isOurs = headers.has("x-request-id");
  if (!isOurs) {
    expect(PARSER_REFUSALS).toContain(status);
    expect(body.length).toBe(0);
    return `parser ${status}`;
  }
  // Load may be shed when this machine is busy.
  if (status === 503) expect(isHead || body.toString().includes('"code":"overloaded"')).toBe(true);
  else expect(status).toBeLessThan(500);
  expect(headers.has("set-cookie")).toBe(false);
  expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (status >= 400) {
    expect(headers.get("content-type")).toBe("application/problem+json");
    if (!isHead) expect(problemSchema.parse(JSON.parse(body.toString())).status).toBe(status);
  } else {
    expect([200, 304]).toContain(status);
  }
  expect(body.includes(key)).toBe(false);
  return `${status}`;
}

describe("fuzzed requests", () => {
  test(`${ROUNDS} requests from a seed`, async () => {
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    const all = fuzzedRequests(SEED, ROUNDS, key);
    const bounded = async (batch: typeof all) => {
      for (const { bytes, isHead } of batch) {
        const { responses, closed } = await send(port, bytes, { headOnly: isHead, waitMs: 400 });
        if (responses.length === 0) count(closed ? "cut off" : "still waiting for the rest");
        for (const response of responses) count(judge(response, isHead));
      }
    };
    // Warm up first, so that only continued growth counts.
    await bounded(all.slice(0, ROUNDS / 10));
    const before = target.memoryBytes();
    const share = Math.ceil((ROUNDS * 0.9) / AT_ONCE);
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, part) =>
        bounded(all.slice(ROUNDS / 10).slice(part * share, (part + 1) * share)),
      ),
    );
    const grown = target.memoryBytes() - before;
    console.log(Object.fromEntries([...seen].sort()), `memory +${Math.round(grown / 1024 / 1024)} MB`);
    await target.expectCorrect();
    expect(grown).toBeLessThan(GROWTH_BYTES);
    // The generator must still make requests that reach the pipeline.
    expect(seen.get("200") ?? 0).toBeGreaterThan(ROUNDS / 100);
  }, 600_000);
});
