// The leave passport for the page: what the caller may see of the person, and nothing of others.
import { describe, expect, test } from "bun:test";
import { adjustmentRow, assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const SECRET = "<script>alert(1)</script>";
const service = await startService();
await addCompany(service.writer, "acme", {
  workers: ["wrk_a", "wrk_b"].map((id) =>
    workerRow(id, { displayName: `${id}${SECRET}`, terminationReason: `dismissal of ${id}` }),
  ),
  policies: [policyRow("top_a")],
  assignments: ["wrk_a", "wrk_b"].map((id) =>
    assignmentRow(`toa_${id}`, id, "top_a", "2025-01-01T00:00:00.000Z"),
  ),
  requests: ["wrk_a", "wrk_b"].map((id) =>
    requestRow(`tor_${id}`, id, "top_a", { reason: `surgery of ${id}` }),
  ),
  adjustments: [adjustmentRow("toj_1", "wrk_a", "top_a", { note: "sabbatical of wrk_a" })],
});
await addCompany(service.writer, "other", { workers: [workerRow("wrk_x")] });

const key = (more: Parameters<typeof addKey>[2] = {}) => addKey(service.writer, "acme", more);
const limited = { departments: [], managers: [], workers: ["wrk_a"] };

async function ask(own: string, workerId: string): Promise<[status: number, html: string]> {
  const { status, body } = await service.raw(`/web/passport.json?workerId=${workerId}`, { key: own });
  const text = new TextDecoder().decode(body);
  return [status, status === 200 ? JSON.parse(text).html : text];
}

test("one file with all data of the person, in which no name can run as a script", async () => {
  const [status, html] = await ask(await key(), "wrk_a");
  expect(status).toBe(200);
  expect(html).toStartWith("<!doctype html>");
  expect(html).not.toContain(SECRET);
  const data = JSON.parse(/id="passport">(.*?)<\/script>/s.exec(html)![1]!);
  expect(data.worker).toMatchObject({ id: "wrk_a", displayName: `wrk_a${SECRET}` });
  expect(data.stored.requests).toMatchObject([{ reason: "surgery of wrk_a" }]);
  expect(html).not.toContain("wrk_b");
});

describe("refuses", () => {
  test.each<[string, number, Parameters<typeof addKey>[2], string]>([
    ["a key of balances alone", 403, { scopes: ["time_off:read"] }, "wrk_a"],
    ["a key of workers alone", 403, { scopes: ["workers:read"] }, "wrk_a"],
    ["a key that sees who is away", 403, { access: { level: "away", ...limited, workers: [] } }, "wrk_a"],
    ["a person whom the key does not see", 404, { access: { level: "everything", ...limited } }, "wrk_b"],
    ["a person of another company", 404, {}, "wrk_x"],
    ["nobody", 404, {}, ""],
    ["what is no id", 404, {}, "top_a"],
  ])("%s", async (_what, status, definition, workerId) => {
    const [given, text] = await ask(await key(definition), workerId);
    expect(given).toBe(status);
    expect(text).not.toContain("surgery");
  });
});

test("a limited key gets only its workers, and a key without reasons gets none, and no notes", async () => {
  const reasons = /(?:surgery|dismissal|sabbatical) of wrk_a/g;
  const [allowed, whole] = await ask(await key({ access: { level: "everything", ...limited } }), "wrk_a");
  expect([allowed, new Set(whole.match(reasons)).size]).toEqual([200, 3]);
  expect(whole).toContain('"hidesReasons":false');
  const [status, html] = await ask(await key({ access: { level: "no-reasons", ...limited } }), "wrk_a");
  expect([status, html.match(reasons)]).toEqual([200, null]);
  expect(html).toContain('"hidesReasons":true');
});

test("a language that is not there is refused, and a known one is that of the file", async () => {
  const own = await key();
  const [status, html] = await ask(own, "wrk_a&language=pt-BR");
  expect([status, html.includes('<html lang="pt-BR" dir="ltr">')]).toEqual([200, true]);
  expect((await ask(own, "wrk_a&language=ar"))[1]).toContain('<html lang="ar" dir="rtl">');
  for (const bad of ["sv", "", "%22%3E", "de%22onload"]) {
    const [refused, text] = await ask(own, `wrk_a&language=${bad}`);
    expect([refused, JSON.parse(text).errors[0].detail]).toEqual([
      400,
      `"${decodeURIComponent(bad)}" is no language of Rollcall: use one of en, de, fr, es, nl, pt, it, pl, ja, ar`,
    ]);
  }
});

test("a parameter that a path of the page does not know is refused, never ignored", async () => {
  const own = await key();
  for (const [path, known] of [
    ["/web/passport.json?workerId=wrk_a", "known are workerId, language"],
    ["/web/imports.json?", "this path takes no query parameters"],
  ] as const) {
    const { status, body } = await service.raw(`${path}&knownOn=2026-01-31`, { key: own });
    const { errors } = JSON.parse(new TextDecoder().decode(body));
    expect([status, errors]).toEqual([
      400,
      [{ parameter: "knownOn", detail: `is not known here: ${known}` }],
    ]);
  }
  expect((await ask(own, "wrk_a&workerId=wrk_b"))[0]).toBe(400);
});
