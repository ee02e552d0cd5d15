// No text of a caller slows a regular expression down: 15 kB of repeated text gets a response as fast as ever.
import { expect, test } from "bun:test";
import { LISTS } from "../http/endpoints.ts";
import { startService } from "../http/service.ts";
import { addCompany, addKey } from "../support/stores.ts";

const LENGTH = 15_000;

/** Each is a beginning, what is repeated, and an end that keeps a backtracking expression from matching. */
const PUMPS = [
  ["", "a", "!"],
  ["a@", "a.", "@"],
  ["a@", "a", ". "],
  ["a@b.c", ".c", "@"],
  ["", "@", ""],
  ["wrk_", "a", "!"],
  ["tor_", "tor_", "!"],
  ["tob_64", "a", "!"],
  ["", "_-", " "],
  ["", "0", "x"],
  ["2026-03-01T00:00:00.", "0", "Z!"],
  ["2026-03-01", "T", ""],
  ["rk_", "0", "!"],
  ["", " ", "a"],
  ["", ",", ""],
  ["", 'W/"a",', "!"],
  ["", "gzip;q=0.1,", ";"],
  ["", "[0]", "="],
  ["", "%2B", "+"],
] as const;

const pumped = PUMPS.map(
  ([start, part, end]) => (start + part.repeat(LENGTH / part.length)).slice(0, LENGTH) + end,
);

/** CPU time, which other work on the machine does not add to: far above a response, far below backtracking. */
const LIMIT_MS = 500;

const service = await startService();
await addCompany(service.writer, "acme");
const key = await addKey(service.writer, "acme");

async function isFast(
  what: string,
  path: string,
  call: { key?: string; headers?: Record<string, string> },
): Promise<void> {
  const before = process.cpuUsage();
  const { status } = await service.raw(path, { key, ...call });
  const { user, system } = process.cpuUsage(before);
  expect(`${what}: ${(user + system) / 1000 < LIMIT_MS}`).toBe(`${what}: true`);
  expect(status).toBeLessThan(500);
}

test.each(LISTS)("every parameter of $name", async ({ contract, path }) => {
  for (const name of [...Object.keys(contract.parameters), "unknown"]) {
    for (const text of pumped) {
      await isFast(name, `${path}?${name}=${encodeURIComponent(text)}`, {});
      await isFast(name, `${path}?${encodeURIComponent(name + text)}=1`, {});
    }
  }
});

test("every header that is read, and the path", async () => {
  for (const text of pumped) {
    for (const name of ["x-request-id", "if-none-match", "accept-encoding", "x-forwarded-for", "origin"]) {
      await isFast(name, "/v1/workers", { headers: { [name]: text } });
    }
    await isFast("x-api-key", "/v1/workers", { key: text });
    await isFast("path", `/v1/workers/${encodeURIComponent(text)}`, {});
    await isFast("path", `/${text.replaceAll(/[ ?#]/g, "/")}`, {});
  }
});
