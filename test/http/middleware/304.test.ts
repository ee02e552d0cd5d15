import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey, putFacts } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
await addCompany(service.writer, "other", sampleFacts());
const key = await addKey(service.writer, "acme");
const otherKey = await addKey(service.writer, "other");

describe.each(ENDPOINTS)("$name", ({ name, path }) => {
  /** The company says its own name and when its data last changed: no other company's response equals it. */
  const isOfCompany = name === "company";
  /** A position is of one company, too. */
  const isOwn = isOfCompany || name === "changes";
  const ask = (ifNoneMatch?: string, method = "GET") =>
    service.call(path, {
      key,
      method,
      headers: ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch },
    });

  test("a current tag gets a 304 with the headers of the 200", async () => {
    const full = await ask();
    const tag = full.headers.get("etag")!;
    const opaque = tag.slice(2);
    for (const sent of [
      tag,
      opaque,
      "*",
      ` ${tag} `,
      `"x", ${tag}`,
      `${tag},"x"`,
      `W/"x" , ${opaque},W/"y"`,
    ]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await ask(sent, method);
        expect(response.status).toBe(304);
        expect(response.headers.has("content-type")).toBe(false);
        for (const name of ["etag", "cache-control", "vary", "link"]) {
          expect(response.headers.get(name)).toBe(full.headers.get(name));
        }
      }
    }
  });

  test("any other tag gets the whole response", async () => {
    const tag = (await ask()).headers.get("etag")!;
    const upper = tag.toUpperCase();
    for (const sent of [
      "",
      '""',
      '"x"',
      `W/${tag.slice(3, -1)}`,
      `"${tag.slice(3, -2)}"`,
      `"x${tag.slice(3)}`,
      upper,
    ]) {
      if (upper !== tag || sent !== upper) expect((await ask(sent)).status).toBe(200);
    }
  });

  test("the tag depends on the content alone: not on the key, the company or the encoding", async () => {
    const tag = (await ask()).headers.get("etag");
    const others = [
      ...(isOwn ? [] : [service.raw(path, { key: otherKey })]),
      service.raw(path, { key: await addKey(service.writer, "acme") }),
      ...["gzip", "br", "zstd"].map((encoding) =>
        service.raw(path, { key, headers: { "accept-encoding": encoding } }),
      ),
    ];
    for (const other of await Promise.all(others)) expect(other.headers.get("etag")).toBe(tag);
  });

  test("an error is an error, whatever tag is sent", async () => {
    const headers = { "if-none-match": "*" };
    expect((await service.call(path, { headers })).status).toBe(401);
    expect((await service.call(`${path}?nonsense=1`, { key, headers })).status).toBe(400);
  });

  test("an import that changes no object of the response keeps the tag", async () => {
    const before = (await ask()).headers.get("etag")!;
    await putFacts(service.writer, "acme", sampleFacts());
    const after = await ask(before);
    expect(after.status).toBe(isOfCompany ? 200 : 304);
  });
});

let changing = 0;

// Nothing of the sample will be lost, before or after.
test.each(ENDPOINTS.filter(({ name }) => name !== "expirations"))(
  "$name: the first response after an import is the new one",
  async ({ path }) => {
    const company = `changing-${++changing}`;
    await addCompany(service.writer, company, sampleFacts());
    const own = await addKey(service.writer, company);
    const before = await service.call(path, { key: own });
    // The list of balances gets another one, by another assignment; one balance changes by an adjustment.
    const { workers, assignments = [], ...facts } = sampleFacts(" after");
    await putFacts(service.writer, company, { ...facts, workers: workers ?? [] });
    await putFacts(service.writer, company, {
      assignments: [
        { ...assignments[2]!, id: "toa_4", policyId: "top_open", doc: docWith(assignments[2]!.doc) },
      ],
      schedules: [
        { workerId: "wrk_ana", day: 0, terms: '{"minutesPerWeekday":[[480,0,0,0,0,0,0]]}', calendar: null },
      ],
      adjustments: [
        {
          id: "adj_correction",
          legacyId: null,
          workerId: "wrk_ana",
          policyId: "top_annual",
          day: 20_000,
          minutes: 60,
          expiresDay: null,
          note: null,
        },
      ],
    });
    const after = await service.call(path, {
      key: own,
      headers: { "if-none-match": before.headers.get("etag")! },
    });
    expect(after.status).toBe(200);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
  },
);

function docWith(doc: string): string {
  return doc.replace('"toa_3"', '"toa_4"').replace('"top_annual"', '"top_open"');
}

test("balances depend on the day: the next day has a new response", async () => {
  let today = "2026-03-31";
  const daily = await startService({ today: () => today });
  await addCompany(daily.writer, "acme", sampleFacts());
  const own = await addKey(daily.writer, "acme");
  const last = await daily.call("/v1/time_off/balances", { key: own });
  today = "2026-04-01";
  const first = await daily.call("/v1/time_off/balances", {
    key: own,
    headers: { "if-none-match": last.headers.get("etag")! },
  });
  expect(first.status).toBe(200);
  expect(first.text).not.toBe(last.text);
});
