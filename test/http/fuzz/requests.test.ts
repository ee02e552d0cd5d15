// Thousands of requests that no client would send: each is answered rightly, refused by the parser, or cut off; the
// process lives on, answers right, and has not grown.
import { describe, expect, test } from "bun:test";
import { problemSchema } from "../../../src/resources/problems.ts";
import { type RawAnswer, send } from "../socket.ts";
import { attacks } from "./requests.ts";
import { startTarget } from "./target.ts";

const ROUNDS = Number(process.env.ROLLCALL_HOSTILE_ROUNDS ?? 4000);
const SEED = Number(process.env.ROLLCALL_HOSTILE_SEED ?? 1);
const AT_ONCE = 50;

/** What the HTTP parser refuses on its own, without a body and without our headers. */
const PARSER_REFUSALS = [400, 413, 431, 505];

/** What may grow: the cached responses, up to their limit, and Bun's own memory. */
const GROWTH_BYTES = 96 * 1024 * 1024;

const target = await startTarget("--cache", "8");
const { key, port } = target;

function judge({ status, headers, body }: RawAnswer, isHead: boolean): string {
  const isOurs = headers.has("x-request-id");
  if (!isOurs) {
    expect(PARSER_REFUSALS).toContain(status);
    expect(body.length).toBe(0);
    return `parser ${status}`;
  }
  // Shedding is an answer too, when this machine is busy.
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
  test(`${ROUNDS} of them`, async () => {
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    const all = attacks(SEED, ROUNDS, key);
    const bounded = async (batch: typeof all) => {
      for (const { bytes, isHead } of batch) {
        const { answers, closed } = await send(port, bytes, { headOnly: isHead, waitMs: 400 });
        if (answers.length === 0) count(closed ? "cut off" : "still waiting for the rest");
        for (const answer of answers) count(judge(answer, isHead));
      }
    };
    // Warmed up first, so that only what keeps growing counts.
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
    await target.expectRight();
    expect(grown).toBeLessThan(GROWTH_BYTES);
    // The generator must not have drifted into being refused at the door.
    expect(seen.get("200") ?? 0).toBeGreaterThan(ROUNDS / 100);
  }, 600_000);
});
