import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { problemOf, startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");
const nowMs = Date.now();

const typo = key.slice(0, 10) + (key[10] === "a" ? "b" : "a") + key.slice(11);
const elsewhere = await startService();
await addCompany(elsewhere.writer, "acme");
await addCompany(service.writer, "gone");
const orphan = await addKey(service.writer, "gone");
await service.writer.deleteCompany("gone");

/** The fault, the key, the code, and a word of the detail. */
const REFUSED: readonly [string, string | null, string, RegExp][] = [
  ["none", null, "missing_api_key", /x-api-key/],
  ["an empty one", "", "missing_api_key", /x-api-key/],
  ["another kind of secret", "sk_live_123", "invalid_api_key", /not an API key/],
  ["a mistyped one", typo, "invalid_api_key", /typo/],
  ["one in the wrong case", key.toUpperCase(), "invalid_api_key", /typo/],
  ["one with something behind it", `${key}x`, "invalid_api_key", /typo/],
  ["two at once", `${key}, ${key}`, "invalid_api_key", /typo/],
  ["a bearer token", `Bearer ${key}`, "invalid_api_key", /without the word Bearer/],
  ["one of another server", await addKey(elsewhere.writer, "acme"), "invalid_api_key", /does not know/],
  [
    "a revoked one",
    await addKey(service.writer, "acme", { change: { revokedAtMs: nowMs - 1 } }),
    "invalid_api_key",
    /revoked/,
  ],
  [
    "one that was revoked by a clock that is ahead",
    await addKey(service.writer, "acme", { change: { revokedAtMs: nowMs + 3_600_000 } }),
    "invalid_api_key",
    /revoked/,
  ],
  [
    "an expired one",
    await addKey(service.writer, "acme", { expiresAtMs: nowMs - 1 }),
    "invalid_api_key",
    /expired/,
  ],
  ["one of a company that is gone", orphan, "invalid_api_key", /does not know/],
];

describe.each(ENDPOINTS)("$name", ({ path }) => {
  test.each(REFUSED)("a key refused: %s", async (_, refused, code, detail) => {
    const response = await service.call(path, { key: refused });
    expect(response.status).toBe(401);
    expect(problemOf(response)).toMatchObject({ code, detail: expect.stringMatching(detail) });
    expect(response.headers.get("www-authenticate")).toMatch(/^ApiKey realm="/);
    if (refused) expect(response.text).not.toContain(refused);
  });

  test("the key is checked before the query", async () => {
    expect((await service.call(`${path}?limit=0&nonsense=1`, {})).status).toBe(401);
  });
});

test("a key that will expire later still works", async () => {
  const later = await addKey(service.writer, "acme", { expiresAtMs: nowMs + 60_000 });
  expect((await service.call("/v1/workers", { key: later })).status).toBe(200);
});

test("a key that is revoked while the server runs is refused within a second", async () => {
  const revokedLater = await addKey(service.writer, "acme", { change: { id: "key_revoked" } });
  expect((await service.call("/v1/workers", { key: revokedLater })).status).toBe(200);
  await service.writer.updateSecret("keys", "key_revoked", { revokedAtMs: Date.now() });
  await Bun.sleep(1000);
  expect((await service.call("/v1/workers", { key: revokedLater })).status).toBe(401);
});

test("a key is accepted only in its header", async () => {
  expect((await service.call(`/v1/workers?x-api-key=${key}`, {})).status).toBe(401);
  for (const scheme of ["Bearer ", "Basic ", ""]) {
    const headers = { authorization: `${scheme}${key}` };
    const response = await service.call("/v1/workers", { headers });
    expect(response.status).toBe(401);
    expect(problemOf(response)).toMatchObject({
      code: "missing_api_key",
      detail: "Send your API key in the x-api-key header, not in Authorization.",
    });
    expect((await service.call("/v1/workers", { key, headers })).status).toBe(200);
  }
});
