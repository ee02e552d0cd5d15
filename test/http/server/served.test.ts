// A real process on a real socket sends what the pipeline responds.
import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { sampleFacts, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, putFacts } from "../../support/stores.ts";
import { checkResponse } from "../check.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

const served = await serveStore();
await addCompany(served.writer, "acme", {
  ...sampleFacts(),
  workers: [
    ...sampleFacts().workers!,
    ...Array.from({ length: 60 }, (_, number) => workerRow(`wrk_n${number}`)),
  ],
});
const key = await addKey(served.writer, "acme");

const head = (path: string, extra = "", method = "GET") =>
  `${method} ${path} HTTP/1.1\r\nHost: rollcall.test\r\nx-api-key: ${key}\r\n${extra}\r\n`;

async function ask(path: string, extra = "", method = "GET") {
  const { responses, rest } = await send(served.port, head(path, extra, method), {
    headOnly: method === "HEAD",
  });
  expect(rest.length).toBe(0);
  return responses[0]!;
}

describe.each(ENDPOINTS)("$name", ({ path }) => {
  test("GET, HEAD and a 304 have the same headers", async () => {
    const get = await ask(path, "x-request-id: same\r\n");
    checkResponse(path, { ...get, text: get.body.toString() });
    const asHead = await ask(path, "x-request-id: same\r\n", "HEAD");
    const unchanged = await ask(path, `x-request-id: same\r\nIf-None-Match: ${get.headers.get("etag")}\r\n`);
    expect([get.status, asHead.status, unchanged.status]).toEqual([200, 200, 304]);
    expect(asHead.body.length).toBe(0);
    const without = (headers: Headers, names: readonly string[]) =>
      [...headers].filter(([name]) => ![...names, "date"].includes(name)).sort();
    expect(without(asHead.headers, [])).toEqual(without(get.headers, []));
    expect(without(unchanged.headers, ["content-length"])).toEqual(
      without(get.headers, ["content-length", "content-type"]),
    );
  });

  test("errors arrive completely, for HEAD without a body", async () => {
    for (const [extra, suffix, status] of [
      ["", "?nonsense=1", 400],
      ["x-api-key: another\r\n", "", 401],
    ] as const) {
      const get = await ask(path + suffix, extra);
      expect(get.status).toBe(status);
      checkResponse(path, { ...get, text: get.body.toString() });
      const asHead = await ask(
        path + suffix,
        `${extra}x-request-id: ${get.headers.get("x-request-id")}\r\n`,
        "HEAD",
      );
      expect(asHead.status).toBe(status);
      expect(asHead.headers.get("content-length")).toBe(String(get.body.length));
    }
  });
});

test("compressed responses: GET and HEAD have the same headers, and the body decompresses", async () => {
  const plain = await ask("/v1/workers?limit=60");
  for (const [encoding, decode] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const get = await ask("/v1/workers?limit=60", `Accept-Encoding: ${encoding}\r\n`);
    const asHead = await ask("/v1/workers?limit=60", `Accept-Encoding: ${encoding}\r\n`, "HEAD");
    expect(get.headers.get("content-encoding")).toBe(encoding);
    expect(decode(get.body).toString()).toBe(plain.body.toString());
    expect(get.headers.get("etag")).toBe(plain.headers.get("etag"));
    for (const name of ["content-encoding", "content-length", "etag", "vary"]) {
      expect(asHead.headers.get(name)).toBe(get.headers.get(name));
    }
  }
});

test("a work email that is not percent-encoded is found", async () => {
  const workEmail = "françois0@adventure-works.com";
  await putFacts(served.writer, "acme", { workers: [workerRow("wrk_francois", { workEmail })] });
  for (const sent of [workEmail, workEmail.normalize("NFD"), encodeURIComponent(workEmail)]) {
    const asBytes = Buffer.from(sent).toString("latin1");
    const { body } = await ask(`/v1/workers?workEmail=${asBytes}`);
    expect(body.toString()).toContain('"id":"wrk_francois"');
  }
});

test("an import is seen by the first request after it, without a restart", async () => {
  const before = await ask("/v1/workers/wrk_new");
  await putFacts(served.writer, "acme", { workers: [workerRow("wrk_new")] });
  const after = await ask("/v1/workers/wrk_new");
  expect([before.status, after.status]).toEqual([404, 200]);
});

test("a key that is revoked is refused within a second", async () => {
  const revokedLater = await addKey(served.writer, "acme", { change: { id: "key_revoked" } });
  const call = () => fetch(`${served.address}/v1/workers`, { headers: { "x-api-key": revokedLater } });
  expect((await call()).status).toBe(200);
  await served.writer.updateSecret("keys", "key_revoked", { revokedAtMs: Date.now() });
  await Bun.sleep(1000);
  expect((await call()).status).toBe(401);
});

test("links are followed literally from the first page to the last and back", async () => {
  const seen: string[][] = [[], []];
  for (const [direction, relation] of ["next", "prev"].entries()) {
    let path: string | undefined =
      direction === 0 ? "/v1/workers?limit=7" : "/v1/workers?limit=7&beforeId=wrk_zzz";
    while (path !== undefined) {
      const response: Response = await fetch(new URL(path, served.address), {
        headers: { "x-api-key": key },
      });
      const { data } = (await response.json()) as { data: { id: string }[] };
      seen[direction]!.splice(direction === 0 ? seen[0]!.length : 0, 0, ...data.map(({ id }) => id));
      path = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(response.headers.get("link") ?? "")?.[1];
    }
  }
  expect(seen[0]!.length).toBe(65);
  expect(seen[1]).toEqual(seen[0]!);
});
