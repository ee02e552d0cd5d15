import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { listOf, startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");
const hidden = await addKey(service.writer, "acme", { access: { level: "no-reasons" } });

describe.each(ENDPOINTS)("$name", ({ path }) => {
  test("with a key that hides reasons, a request's reason is null and all else is the same", async () => {
    // Three times in turns: made, cached, and found in the cache.
    for (let time = 0; time < 3; time++) {
      const whole = await service.call(path, { key });
      const without = await service.call(path, { key: hidden });
      const expected = whole.text.replace(/"reason":"(?:[^"\\]|\\.)*"/g, '"reason":null');
      expect(without.text).toBe(expected);
      expect(without.headers.get("etag") === whole.headers.get("etag")).toBe(expected === whole.text);
    }
  });
});

test("the sample has reasons to hide, and the two variants have different tags", async () => {
  const path = "/v1/time_off/requests";
  const whole = await service.call(path, { key });
  expect(listOf(whole).data.some(({ reason }) => reason !== null)).toBe(true);
  const without = await service.call(path, {
    key: hidden,
    headers: { "if-none-match": whole.headers.get("etag")! },
  });
  expect(without.status).toBe(200);
  expect(listOf(without).data.every(({ reason }) => reason === null)).toBe(true);
});
