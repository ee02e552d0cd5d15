// Pages whose rows move while they are read: what is written is what there was at one moment, or the file says that it may lack rows.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryFolder } from "../support/import-files.ts";
import { type Asked, Fake, json, status } from "./fakes/fake.ts";
import { pullHere } from "./pulled.ts";

const open: Fake[] = [];
afterAll(() => Promise.all(open.map((fake) => fake.stop())));

interface Row {
  readonly id: number;
  readonly days: number;
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: (at + 1) * 10, days: at }));

/** Each way of paging, as the API heeds it. */
const WAYS: Readonly<
  Record<string, { pages: object; total?: string; slice(rows: Row[], asked: Asked): Row[] }>
> = {
  key: {
    pages: { after: { above: "{id}" } },
    slice: (rows, { query }) => rows.filter(({ id }) => id > Number(query.get("above") ?? 0)),
  },
  overlap: {
    pages: { offset: "offset" },
    slice: (rows, { query }) => rows.slice(Number(query.get("offset"))),
  },
  "two walks with a total": {
    pages: { page: "page" },
    total: "total",
    slice: (rows, { query }) => rows.slice((Number(query.get("page")) - 1) * 4),
  },
  "two walks": {
    pages: { page: "page" },
    slice: (rows, { query }) => rows.slice((Number(query.get("page")) - 1) * 4),
  },
  "two walks by cursor": {
    pages: { cursor: "cursor", param: "cursor" },
    slice: (rows, { query }) => rows.slice(Number(query.get("cursor") ?? 0)),
  },
};

/** Pulls rows in pages of four. `move` is called after each response with its number, from 0. */
async function pulled(
  name: string,
  rows: Row[],
  move: (rows: Row[], number: number) => void,
  more: object = {},
) {
  const { pages, total, slice } = WAYS[name]!;
  let number = 0;
  const fake = await Fake.start((asked) => {
    const rest = slice(rows, asked);
    const page = rest.slice(0, 4);
    const cursor = rest.length > 4 ? String(rows.length - rest.length + 4) : null;
    const response = json({ data: page, total: rows.length, cursor });
    move(rows, number++);
    return response;
  });
  open.push(fake);
  const file = { get: "rows", query: { limit: 4 }, rows: "data", pages, ...(total && { total }), ...more };
  const { folder, record, error, notes } = await pullHere({
    base: fake.url,
    pace: { perMinute: 6000 },
    files: { "rows.json": file },
  });
  const read =
    error === null ? (JSON.parse(readFileSync(join(folder, "rows.json"), "utf8")).data as Row[]) : null;
  return { read, proof: record?.files["rows.json"]?.proof, error, notes, asked: fake.asked };
}

const idsOf = (rows: readonly Row[] | null) =>
  rows?.map(({ id }) => id).toSorted((one, other) => one - other);

test.each(Object.keys(WAYS))(
  "by %s: rows that do not move come once, and the record says why none is missing",
  async (name) => {
    for (const count of [0, 1, 3, 4, 5, 8, 13]) {
      const { read, proof, error } = await pulled(name, rowsOf(count), () => {});
      expect(error).toBeNull();
      expect(idsOf(read)).toEqual(idsOf(rowsOf(count))!);
      expect(proof).not.toBeNull();
      if (count > 4) expect(proof as string).toBe(name.replace(/ by cursor| with a total/, ""));
    }
  },
);

// Sources: taskcluster #3278, Nango #642: a row that is deleted between two pages hides one of the next page.
test.each(Object.keys(WAYS))(
  "by %s: what there is before and after a pull is in it, whatever moves meanwhile",
  async (name) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 17 }),
        fc.array(
          fc.record({
            at: fc.nat(6),
            remove: fc.option(fc.nat(16)),
            add: fc.option(fc.integer({ min: 1, max: 200 })),
          }),
          { maxLength: 5 },
        ),
        async (count, moves) => {
          const rows = rowsOf(count);
          const lasting = new Set(rows.map(({ id }) => id));
          const { read, proof, error } = await pulled(name, rows, (now, number) => {
            for (const { at, remove, add } of moves) {
              if (at !== number) continue;
              if (remove !== null && now[remove] !== undefined) lasting.delete(now.splice(remove, 1)[0]!.id);
              if (add !== null && !now.some(({ id }) => id === add)) now.push({ id: add, days: 0 });
              now.sort((one, other) => one.id - other.id);
            }
          });
          if (error !== null)
            expect(error.name).toBe("UpstreamAway"); // nothing was written
          else if (proof !== null)
            expect([...lasting].filter((id) => !idsOf(read)!.includes(id))).toEqual([]);
          if (error === null) expect(new Set(idsOf(read)).size).toBe(read!.length);
        },
      ),
      { numRuns: 30 },
    );
  },
);

test("a deletion between two pages: the pages are read again; the row of the next page is not lost", async () => {
  for (const name of Object.keys(WAYS)) {
    const { read, proof } = await pulled(
      name,
      rowsOf(9),
      (rows, number) => void (number === 0 && rows.splice(1, 1)),
    );
    expect([name, idsOf(read)!.includes(50), proof]).toEqual([
      name,
      true,
      name.replace(/ by cursor| with a total/, "") as never,
    ]);
    expect(idsOf(read)!.includes(20)).toBe(name === "key"); // it was there when its page was read
  }
});

test("rows that move in each walk: nothing is written, or the record has no proof", async () => {
  const moving = (rows: Row[], number: number) => void rows.splice(0, 1, { id: 1000 + number, days: 0 });
  const always = (rows: Row[]) => void rows.shift();
  const overlap = await pulled("overlap", rowsOf(60), always);
  expect([overlap.error?.name, overlap.read]).toEqual(["UpstreamAway", null]);
  expect(overlap.error!.message).toBe(
    "rows.json, page 2: GET rows: does not begin with the last row of the page before: rows moved while they were read, 5 times",
  );
  const walks = await pulled("two walks", rowsOf(12), moving);
  expect([walks.error, walks.proof]).toEqual([null, null]);
  expect(walks.notes).toEqual([
    "rows.json: its rows moved each time they were read, so some may be missing: the import prunes nothing by this file",
  ]);
});

test("pages that overlap by one row where they should not are refused", async () => {
  const fake = await Fake.start(({ query }) => {
    const start = (Number(query.get("page")) - 1) * 3;
    return json(rowsOf(9).slice(start, start + 4));
  });
  open.push(fake);
  const { error } = await pullHere({
    base: fake.url,
    files: { "rows.json": { get: "rows", pages: { page: "page" } } },
  });
  expect(error!.message).toMatch(
    /^rows.json, page 2: GET rows: repeats 1 rows of earlier pages, so others are missing/,
  );
});

test("a key that two rows have is refused: the next page would leave out a third", async () => {
  const read = async (times: readonly number[]) => {
    const rows = times.map((time, id) => ({ id, at: { time } }));
    const fake = await Fake.start(({ query }) =>
      json(rows.filter(({ at }) => at.time > Number(query.get("since") ?? 0)).slice(0, 4)),
    );
    open.push(fake);
    const file = { get: "rows", pages: { after: { since: "{at.time}" } } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  expect(await read([1, 2, 3, 3, 3, 4])).toBe(
    "rows.json, page 1: GET rows: row 4 has the same at.time as one before it, so a row of the next page may be left out: name in after, and sort by, a key that no two rows have",
  );
  expect(await read([1, 2, 3, 4, 5, 6])).toBe(6);
});

test("rows that are not sorted by the key of `after` are refused, since the next page leaves some out", async () => {
  const read = async (keys: readonly (number | string)[]) => {
    const rows = keys.map((key) => ({ at: { key } }));
    const fake = await Fake.start(({ query }) => {
      const after = query.get("after");
      return json(rows.filter(({ at }) => after === null || isAfter(at.key, after)).slice(0, 4));
    });
    open.push(fake);
    const isAfter = (key: number | string, last: string) => {
      const isFalling = keys[0]! > keys.at(-1)!;
      const isMore = typeof key === "number" ? key > Number(last) : key > last;
      return String(key) !== last && isMore !== isFalling;
    };
    const file = { get: "rows", pages: { after: { after: "{at.key}" } } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const refusal = (row: number) =>
    `rows.json, page 1: GET rows: row ${row} is not in the order of at.key, so rows of the next page may be left out: ask the API to sort by it`;
  expect(await read([2, 1, 3, 7, 4, 5, 9])).toBe(refusal(3));
  expect(await read([1, 2, 7, 3, 4, 5, 9])).toBe(refusal(4));
  expect(await read([9, 8, 10, 7, 1])).toBe(refusal(3));
  expect(await read(["1", "9", "10", "2", "11"])).toBe(refusal(4));
  expect(await read(["1", "10", "11", "2", "9"])).toBe(5); // digits as texts
  const day = (number: number) => `2026-03-0${number}T08:00:00Z`;
  expect(await read([1, 3, 2, 5, 6].map(day))).toBe(refusal(3));
  expect(await read([1, 2, 3, 5, 6].map(day))).toBe(5);
  expect(await read([9, 8, 7, 5, 3, 1])).toBe(6);
  expect(await read(["a", "c", "b_1", "d", "e"])).toBe(5); // an API's order of texts is its own
});

test("an API that takes no notice of the key is read by offset, where the pull file has one", async () => {
  const rows = rowsOf(9);
  const pages = { after: { above: "{id}" }, offset: "offset" };
  const heeding = await pulled("key", rows, () => {}, { pages });
  expect(heeding.proof).toBe("key");
  const fake = await Fake.start(({ query }) => {
    const start = Number(query.get("offset") ?? 0);
    return json({ data: rows.slice(start, start + 4) });
  });
  open.push(fake);
  const file = (more: object) => ({
    get: "rows",
    query: { limit: 4 },
    rows: "data",
    pages: { ...pages, ...more },
  });
  const read = await pullHere({ base: fake.url, files: { "rows.json": file({}) } });
  expect(read.record!.files["rows.json"]).toMatchObject({ rows: 9, proof: "overlap" });
  const without = await pullHere({
    base: fake.url,
    files: { "rows.json": { ...file({}), pages: { after: pages.after } } },
  });
  expect(without.error!.message).toMatch(/page 2: GET rows: repeats rows of earlier pages/);
});

// Sources: ConductorOne/baton-sdk #107, OpenMetadata #23210, boto/botocore #3778 (A, B, A, B), airbyte-python-cdk #1148.
test("a cursor or a page that came before ends the pull, and is named", async () => {
  const cursors: Readonly<Record<string, (count: number) => string>> = {
    same: () => "at-x",
    cycle: (count) => ["at-x", "at-y"][count % 2]!,
    date: (count) => `2026-01-0${1 + (count % 3)}`,
  };
  for (const [name, cursorAt] of Object.entries(cursors))
    for (const pages of [{ cursor: "next", param: "cursor" }, { next: "next" }]) {
      let count = 0;
      const fake = await Fake.start(() => {
        const cursor = cursorAt(++count);
        return json({ data: [{ id: count }], next: "next" in pages ? `/rows?cursor=${cursor}` : cursor });
      });
      open.push(fake);
      const file = { get: "rows", rows: "data", pages };
      const { error } = await pullHere({
        base: fake.url,
        pace: { perMinute: 6000 },
        files: { "rows.json": file },
      });
      const seen = name === "same" ? 2 : name === "cycle" ? 3 : 4;
      expect(error!.message).toMatch(
        new RegExp(
          `^rows.json, page ${seen}: GET rows: names a next page that was read before: .*${cursorAt(1)}$`,
        ),
      );
      expect((error as Error & { reason: string }).reason).not.toContain(cursorAt(1)); // a cursor may name somebody
      expect(fake.asked.length).toBe(seen);
    }
});

/** Pulls one file from these responses, by the cursor of the request. */
async function pulledBy(
  pages: object | undefined,
  respond: (cursor: string | null) => Response,
  rows = "data",
  request: object = { get: "rows" },
) {
  const fake = await Fake.start(({ query }) => respond(query.get("cursor")));
  open.push(fake);
  const file = { ...request, rows, ...(pages && { pages }), total: "total" };
  const { folder, error } = await pullHere({
    base: fake.url,
    pace: { perMinute: 6000 },
    files: { "rows.json": pages === undefined ? { ...file, total: undefined } : file },
  });
  if (error !== null) return error.message;
  return idsOf(JSON.parse(readFileSync(join(folder, "rows.json"), "utf8")).data);
}

// DynamoDB's documentation of LastEvaluatedKey: a page may be empty, and the key is the only sign of the end.
test("an empty page that names the next is not the last, nor is one that has the total", async () => {
  const pages = { cursor: "next", param: "cursor" };
  const answers: Record<string, object> = {
    "": { data: [{ id: 1 }], total: 2, next: "a" },
    a: { data: [], total: 2, next: "b" },
    b: { data: [{ id: 2 }], total: 2, next: null },
  };
  expect(await pulledBy(pages, (cursor) => json(answers[cursor ?? ""]))).toEqual([1, 2]);
  const same = {
    ...answers,
    b: { data: [{ id: 2 }], total: 2, next: "c" },
    c: { data: [], total: 2, next: "c" },
  };
  expect(await pulledBy(pages, (cursor) => json(same[(cursor ?? "") as "b"]))).toEqual([1, 2]);
  // The total is that of each page.
  const own = {
    "": { data: [{ id: 1 }], total: 1, next: "a" },
    a: { data: [{ id: 2 }], total: 1, next: null },
  };
  expect(await pulledBy(pages, (cursor) => json(own[(cursor ?? "") as "a"]))).toContain(
    "came to 2 rows, but total is 1",
  );
  const endless = (cursor: string | null) => json({ data: [], total: 0, next: `${Number(cursor ?? 0) + 1}` });
  expect(await pulledBy(pages, endless)).toBe(
    "rows.json, page 100: GET rows: has no rows, as 99 pages before it, but names a next page",
  );
});

// Elasticsearch's documentation of track_total_hits: by default it stops counting at 10,000.
test("a total that is at least so much is refused", async () => {
  const hits = [{ id: 1 }, { id: 2 }];
  const fake = await Fake.start(() => json({ hits: { total: { value: 2, relation: "gte" }, hits } }));
  open.push(fake);
  const file = { get: "rows", rows: "hits.hits", pages: { offset: "from" }, total: "hits.total.value" };
  const { error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(error?.message).toContain(
    "says that there are at least 2 rows at hits.total.value: ask for the exact number, or take total out",
  );
});

// The keys of Stripe (has_more), JSON:API (links.next), Spring (totalPages, last) and Django (count).
test.each<[string, object, object]>([
  ["true beside it", { cursor: "meta.cursor", param: "cursor" }, { meta: { next: "a", has_more: true } }],
  ["another key", { next: "next" }, { links: { next: "/rows?page=2" } }],
  ["a body, not a header", { link: true }, { next: "/rows?page=2" }],
  ["a total", { cursor: "next", param: "cursor" }, { total: 7 }],
  ["a count of pages", { cursor: "next", param: "cursor" }, { page: { number: 0, totalPages: 3 } }],
  ["not the last", { next: "next" }, { last: false }],
  ["a list of links", { next: "next" }, { links: [{ rel: "self" }, { rel: "next", href: "/rows?page=2" }] }],
  ["an empty first page of some", { page: "page" }, { data: [], count: 2 }],
  ["an empty page that is not the last", { offset: "offset" }, { data: [], has_more: true }],
])("pages end where none is named: %s says that there are more", async (_, pages, more) => {
  const fake = await Fake.start(() => json({ data: [{ id: 1 }, { id: 2 }], ...more }));
  open.push(fake);
  const file = { get: "rows", rows: "data", pages };
  const { error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(error!.message).toMatch(
    /^rows.json, page 1: GET rows: names no next page where pages expects it, but has not all rows: /,
  );
});

test("pages end where none is named: what the last page says of pages before it is no reason", async () => {
  const fake = await Fake.start(({ query }) =>
    json(
      query.has("cursor")
        ? { data: [{ id: 3 }], previous: "/rows", first: false, pages: 2, total: 3, has_more: false }
        : { data: [{ id: 1 }, { id: 2 }], next: "a", pages: 2, total: 3 },
    ),
  );
  open.push(fake);
  const file = { get: "rows", rows: "data", pages: { cursor: "next", param: "cursor" } };
  const { record } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(record!.files["rows.json"]).toMatchObject({ rows: 3, proof: "two walks" });
});

test("an end that the pull file names counts, whatever else the response says of more", async () => {
  const said = { more: false, count: 2, next: "/rows?page=2", last: false };
  const fake = await Fake.start(() => json({ data: [{ id: 1 }, { id: 2 }], ...said }));
  open.push(fake);
  for (const named of [
    { pages: { page: "page", more: "more" } },
    { pages: { next: "link" }, total: "count" },
  ]) {
    const file = { get: "rows", rows: "data", ...named };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    expect(error).toBeNull();
    expect(record!.files["rows.json"]!.rows).toBe(2);
  }
});

// The headers of the gem api-pagination (Breathe), Yii (Float), Paylocity, Kimai, WordPress and GitLab.
test.each<[string, string, boolean]>([
  ["total", "7", true],
  ["x-pagination-total-count", "7", true],
  ["x-pagination-page-count", "3", true],
  ["x-pcty-total-count", "7", true],
  ["x-total-count", "7", true],
  ["x-total-pages", "3", true],
  ["x-wp-totalpages", "3", true],
  ["x-next-page", "2", true],
  ["x-pages", "3", true],
  ["x-next-cursor", "b3", true],
  ["x-ms-continuation", "b3", true],
  ["next-range", "id ]2..; max=2", true],
  ["x-total-count", "2", false],
  ["x-total-pages", "1", false],
  ["x-next-page", "", false],
  ["x-per-page", "2", false],
  ["x-ratelimit-total", "100", false],
])("a file without pages, and the header %s: %s", async (header, value, hasMore) => {
  const fake = await Fake.start(() => json([{ id: 1 }, { id: 2 }], { [header]: value }));
  open.push(fake);
  const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": { get: "rows" } } });
  if (hasMore)
    expect(error!.message).toStartWith(
      `rows.json: GET rows: the response has not all rows, but the file has no pages: the header ${header} is "${value}"`,
    );
  else expect(record!.files["rows.json"]!.rows).toBe(2);
});

const TWO = { data: [{ id: 1 }, { id: 2 }] };

// The headers of RFC 9110 and of ASP.NET's samples have several numbers.
test.each<[string, string, boolean]>([
  ["content-range", "items 0-1/7", true],
  ["x-pagination", '{"totalCount":7,"pageSize":2,"currentPage":1}', true],
  ["content-range", "items 0-1/2", false],
  ["content-range", "items 0-1/*", false],
  ["x-pagination", '{"totalCount":2}', false],
  ["x-pagination", "{2", false],
])("a file without pages, and a header that counts rows, %s: %s", async (header, value, hasMore) => {
  const error = await pulledBy(undefined, () => Response.json(TWO, { headers: { [header]: value } }));
  if (hasMore) expect(error).toContain(`the file has no pages: the header ${header}`);
  else expect(error).toEqual([1, 2]);
});

// Lucca asks for rows by `paging`, Zoho by `rec_limit`, Spring by `size`, MySQL's way is `limit`.
test.each<[object, boolean]>([
  [{ get: "rows", query: { paging: "0,2" } }, true],
  [{ get: "rows", query: { limit: "0,2" } }, true],
  [{ get: "rows", query: { range: "0-1" } }, true],
  [{ get: "rows", query: { sIndex: 1, rec_limit: 2 } }, true],
  [{ get: "rows", query: { first: 0, max: 2 } }, true],
  [{ get: "rows", query: { "page[limit]": 2 } }, true],
  [{ json: { page: { size: 2 } }, post: "rows" }, true],
  [{ get: "rows", query: { paging: "0,3" } }, false],
  [{ get: "rows", query: { page: 2, account: 2, companyId: 2, month: 2 } }, false],
])("a file without pages with as many rows as its request asks for, %j", async (request, isRefused) => {
  const error = await pulledBy(undefined, () => Response.json(TWO), "data", request);
  if (isRefused) expect(error).toContain("the request asks for 2 rows, and there are as many");
  else expect(error).toEqual([1, 2]);
});

test("as many rows as APIs send without being asked are noted, unless something says that these are all", async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
  const notesOf = async (bodies: object[]) => {
    const fake = await Fake.start(({ path }) =>
      json(path === "/people" ? bodies.map((_, id) => ({ id })) : bodies[Number(path.split("/")[2])]),
    );
    open.push(fake);
    const { notes } = await pullHere({
      base: fake.url,
      files: {
        "people.json": { get: "people" },
        "leave.json": { each: "people.json", get: "leave/{id}", rows: "data" },
      },
    });
    return notes;
  };
  expect(await notesOf([{ data: rows(3) }, { data: rows(50) }])).toEqual([
    "leave.json: a response has exactly 50 rows, none has more, and nothing says that these are all: if the API has pages, say in pages how to read them",
  ]);
  expect(await notesOf([{ data: rows(51) }, { data: rows(50) }])).toEqual([]);
  expect(await notesOf([{ data: rows(49) }])).toEqual([]);
  expect(await notesOf([{ data: rows(50), total: 50 }])).toEqual([]);
  expect(await notesOf([{ data: rows(50), has_more: false }])).toEqual([]);
});

// A proxy may leave the Link header out, and a path may be wrong.
test("a full first page that names no next one is noted, unless it says that these are all", async () => {
  const notesOf = async (pages: object, beside: object = {}, more: object = {}) => {
    const fake = await Fake.start(() => json({ data: rowsOf(7), ...beside }));
    open.push(fake);
    const file = { get: "rows", query: { limit: 7 }, rows: "data", pages, ...more };
    return (await pullHere({ base: fake.url, files: { "rows.json": file } })).notes;
  };
  const cursor = { cursor: "next", param: "cursor" };
  const note = [
    "rows.json: a response has exactly 7 rows, none has more, and nothing says that these are all: if the API has pages, say in pages how to read them",
  ];
  for (const pages of [cursor, { next: "links.next" }, { link: true }])
    expect(await notesOf(pages, { c: "b7" })).toEqual(note);
  expect(await notesOf(cursor, { next: null })).toEqual([]);
  expect(await notesOf(cursor, { has_more: false })).toEqual([]);
  expect(await notesOf(cursor, { total: 7 }, { total: "total" })).toEqual([]);
});

/** Pages of at most seven rows, of which the Link header names the next one. */
const linkedRows = ({ url }: Fake) => ({
  base: url,
  files: { "rows.json": { get: "rows", query: { limit: 7 }, pages: { link: true } } },
});

test("a full first page that names no next one is refused if the last pull had more rows", async () => {
  const place = join(temporaryFolder(), "hr");
  let hasLinks = true;
  const fake = await Fake.start(({ query }) => {
    const isFirst = !query.has("page");
    return json(rowsOf(9).slice(isFirst ? 0 : 7, isFirst ? 7 : 9), {
      ...(isFirst && hasLinks && { link: '</rows?page=2>; rel="next"' }),
    });
  });
  open.push(fake);
  const content = linkedRows(fake);
  expect((await pullHere(content, {}, place)).record?.files["rows.json"]).toMatchObject({ rows: 9 });
  hasLinks = false;
  expect((await pullHere(content, {}, place)).error?.message).toBe(
    `rows.json: the first page is full and names no next one, and the last pull had 9 rows: let the API name the next page, or remove the folder ${place} if there are no more rows`,
  );
  hasLinks = true;
  expect((await pullHere(content, {}, place)).error).toBeNull();
});

// GitLab names the first page in each response, Okta the page itself.
test.each([
  ['</rows?page=1>; rel="first", </rows?page=1>; rel="last"', null],
  ['</rows>; rel="self"', null],
  ['</rows?page=1>; rel="first", </rows?page=2>; rel="last"', "names no next one"],
  ['</about>; rel="describedby"', "names no next one"],
])(
  "a full first page is the last one if its Link header names it and no later one: %s",
  async (last, error) => {
    const place = join(temporaryFolder(), "hr");
    let isShort = false;
    const fake = await Fake.start(({ query }) => {
      if (isShort) return json(rowsOf(7), { link: last });
      const isFirst = !query.has("page");
      const rows = rowsOf(9).slice(isFirst ? 0 : 7, isFirst ? 7 : 9);
      return json(rows, { link: `</rows?page=${isFirst ? 2 : 1}>; rel="${isFirst ? "next" : "first"}"` });
    });
    open.push(fake);
    const content = linkedRows(fake);
    expect((await pullHere(content, {}, place)).record?.files["rows.json"]).toMatchObject({ rows: 9 });
    isShort = true;
    const message = (await pullHere(content, {}, place)).error?.message ?? null;
    expect(message === null ? null : message.includes("names no next one") && "names no next one").toBe(
      error,
    );
  },
);

// `take` is of AFAS, `$top` of OData, `count` of SCIM.
test.each<[object, object | undefined, boolean]>([
  [[{ id: 1 }, { id: 2 }], { limit: 2 }, true],
  [[{ id: 1 }, { id: 2 }], { $top: 2 }, true],
  [{ Resources: [{ id: 1 }, { id: 2 }] }, { count: 2 }, true],
  [{ take: 2, skip: 0, rows: [{ id: 1 }, { id: 2 }] }, undefined, true],
  [[{ id: 1 }, { id: 2 }], { limit: 3 }, false],
  [{ totalResults: 2, Resources: [{ id: 1 }, { id: 2 }] }, { count: 2 }, false],
  [{ rows: [{ id: 1 }, { id: 2 }], hasMore: false }, { limit: 2 }, false],
])("a file without pages that is full, %j of %j", async (body, query, isRefused) => {
  const fake = await Fake.start(() => json(body));
  open.push(fake);
  const rows = Object.keys(body).find((key) => /rows|Resources/.test(key));
  const file = { get: "rows", ...(query && { query }), ...(rows && { rows }) };
  const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  if (isRefused) expect(error!.message).toContain("has not all rows, but the file has no pages: ");
  else expect(record!.files["rows.json"]!.rows).toBe(2);
});

// OData JSON Format 4.01, 4.5.5: the key of the next page has a point in its name. Microsoft Graph counts with `@odata.count`.
test("a key with points in its name: the next page of OData", async () => {
  const fake: Fake = await Fake.start(({ query }) => {
    const at = Number(query.get("$skiptoken") ?? 0);
    const next = at < 4 && { "@odata.nextLink": `${fake.url}/users?$skiptoken=${at + 2}` };
    return json({ "@odata.count": 6, value: [{ id: at }, { id: at + 1 }], ...next });
  });
  open.push(fake);
  const file = { get: "users", rows: "value", pages: { next: "@odata.nextLink" }, total: "@odata.count" };
  const { record } = await pullHere({ base: fake.url, files: { "users.json": file } });
  expect(record!.files["users.json"]).toMatchObject({ rows: 6, total: 6 });
});

// SCIM counts rows from 1, and takes a `startIndex` below 1 for 1 (RFC 7644, 3.4.2.4). Zoho People's `sIndex` does, too.
test("rows that are counted from 1: first says so, and without it the pull asks for it", async () => {
  const users = Array.from({ length: 7 }, (_, at) => ({ id: at + 1 }));
  const fake = await Fake.start(({ query }) => {
    const at = Math.max(1, Number(query.get("startIndex"))) - 1;
    return json({ totalResults: 7, startIndex: at + 1, Resources: users.slice(at, at + 3) });
  });
  open.push(fake);
  const pulled = async (first?: object) => {
    const pages = { offset: "startIndex", ...first };
    const file = { get: "Users", query: { count: 3 }, rows: "Resources", total: "totalResults", pages };
    return await pullHere({ base: fake.url, files: { "users.json": file } });
  };
  const { record } = await pulled({ first: 1 });
  expect(record!.files["users.json"]).toMatchObject({ rows: 7, proof: "overlap" });
  const { error } = await pulled();
  expect(error!.message).toContain('(if the API counts rows from 1, add "first": 1 to pages)');
});

// RFC 8288, 3: relations are separated by spaces, parameters come in any order, and quoted texts have any character.
test.each<[string, boolean]>([
  ['<URL>; rel="next"', true],
  ['<URL>; rel="last next"', true],
  ['<URL>; title="a, b"; rel="next"', true],
  ['<URL>; rel = next; title="x"', true],
  ['<URL/first>; rel=first, <URL>;REL="NEXT"', true],
  ['<URL>; rel="next-archive"', false],
  ['<URL>; rel="prev"; title="then <URL>; rel=next"', false],
  ['<URL>; rel="prev"; rel="next"', false],
])("a Link header %s", async (header, isNext) => {
  const fake: Fake = await Fake.start(({ query }) =>
    query.has("page")
      ? json([{ id: 2 }])
      : json([{ id: 1 }], { link: header.replaceAll("URL", `${fake.url}/rows?page=2,3`) }),
  );
  open.push(fake);
  const file = { get: "rows", pages: { link: true } };
  const { record } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(record!.files["rows.json"]!.rows).toBe(isNext ? 2 : 1);
});

// Jira's documentation of pages: "the number of items per page may be fewer than the requested number", since some are not visible.
test.each([200, 400, 404])(
  "a page with fewer rows than asked for is not the last, unless the next is empty or refused: %d",
  async (code) => {
    const read = async (...pages: Row[][]) => {
      const end = code === 200 ? json([]) : status(code);
      const fake = await Fake.start(({ query }) => {
        const page = pages[Number(query.get("page")) - 1];
        return page === undefined ? end.clone() : json(page);
      });
      open.push(fake);
      const file = { get: "rows", query: { limit: 4 }, pages: { page: "page" } };
      const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
      if (error !== null) return error.message;
      expect(record!.files["rows.json"]!.proof).toBe("two walks");
      return record!.files["rows.json"]!.rows;
    };
    const all = rowsOf(13);
    expect(await read(all.slice(0, 4), all.slice(4, 7), all.slice(8, 12), all.slice(12))).toBe(12);
    const full = await read(all.slice(0, 4), all.slice(4, 8));
    expect(full).toBe(code === 200 ? 8 : `rows.json, page 3: GET rows: responded ${code}`);
  },
);

// Some APIs have no content for a page after the last.
test("after a page with fewer rows than asked for, 204 is the end; for the first page it is no list", async () => {
  const read = async (pages: readonly Row[][]) => {
    const fake = await Fake.start(({ query }) => {
      const page = pages[Number(query.get("page")) - 1];
      return page === undefined ? status(204) : json(page);
    });
    open.push(fake);
    const file = { get: "rows", query: { limit: 4 }, pages: { page: "page", first: 1 } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  expect(await read([rowsOf(4), rowsOf(7).slice(4)])).toBe(7);
  expect(await read([])).toMatch(/page 1: GET rows: responded 204, which is no whole list/);
});

// Zoho People responds to a page after the last with 200 and the error 7024, "No records found".
test("an API that says that it has no more rows has none, whatever the status; on the first page, and for other reasons, it is refused", async () => {
  const read = async (rows: Row[], end: () => Response) => {
    const fake = await Fake.start(({ query }) => {
      const from = Number(query.get("from"));
      return from > rows.length ? end() : json({ data: rows.slice(from - 1, from + 3) });
    });
    open.push(fake);
    const file = { get: "rows", query: { limit: 4 }, rows: "data", pages: { offset: "from", first: 1 } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const none = { errors: { code: 7024, message: "No records found" } };
  for (const end of [() => json(none), () => status(400, JSON.stringify(none)), () => status(404, "no data")])
    for (const count of [1, 3, 4, 5, 9]) expect(await read(rowsOf(count), end)).toBe(count);
  expect(await read([], () => json(none))).toMatch(/page 1: GET rows: responded 200, but with an error/);
  for (const message of ["No data access", "No data could be read", "There are no rows in the cache yet"])
    expect(await read(rowsOf(3), () => json({ errors: { message } }))).toMatch(
      /responded 200, but with an error/,
    );
});

test("lists in several places of a response are one list", async () => {
  const [one, two, three] = rowsOf(3);
  const read = async (rows: string, body: unknown) => {
    const fake = await Fake.start(() => json(body));
    open.push(fake);
    const { folder, error } = await pullHere({
      base: fake.url,
      files: { "rows.json": { get: "rows", rows } },
    });
    return error?.message ?? JSON.parse(readFileSync(join(folder, "rows.json"), "utf8"));
  };
  const departments = [{ people: [one, two] }, { people: [] }, { people: [three] }];
  expect(await read("data.*.people", { data: departments })).toEqual([one, two, three]);
  expect(await read("*", { a: one, b: two })).toEqual([one, two]);
  expect(await read("data.*", { data: { a: one, b: two } })).toEqual([one, two]);
  expect(await read("data.*.*", { data: [{ a: [one] }, { b: [two, three] }] })).toEqual([one, two, three]);
  expect(await read("data.*", { data: [] })).toEqual([]);
  expect(await read("data.people", { data: departments })).toEndWith(
    "nothing at data.people, not a list (data is a list: write data.*.people for those of all its elements)",
  );
  // A place without a list may have had one.
  for (const people of [null, undefined, 1, [[one]]])
    expect(await read("data.*.people", { data: [{ people: [one] }, { people }] })).toMatch(
      /row 2 is not an object$/,
    );
  for (const data of [null, undefined, "none"])
    expect(await read("data.*.people", { data })).toMatch(/has nothing at data\.\*\.people, not a list$/);
  expect(await read("data.*.people", { data: departments, error: "cut" })).toMatch(/but with an error/);
});

// GraphQL Cursor Connections: each list inside a row of another has its own `pageInfo`.
test("lists in several places are refused if one of them has more pages, or failed", async () => {
  const [one, two] = rowsOf(2);
  const read = async (rows: string, body: unknown) => {
    const fake = await Fake.start(() => json(body));
    open.push(fake);
    const { record, error } = await pullHere({
      base: fake.url,
      files: { "rows.json": { get: "rows", rows } },
    });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const person = (hasNextPage: boolean) => ({
    status: "failed", // a person's own figures say nothing of pages
    total: 40,
    timeOff: { nodes: [one], pageInfo: { hasNextPage, endCursor: "x" } },
  });
  const path = "people.*.timeOff.nodes";
  expect(await read(path, { people: [person(false), { timeOff: { nodes: [two] } }] })).toBe(2);
  expect(await read(path, { people: [{ timeOff: { nodes: [two] } }, person(true)] })).toMatch(
    /a part of the response has not all rows at nodes, and pages of parts are not read: ask for more rows of each: pageInfo\.hasNextPage/,
  );
  expect(await read(path, { people: [{ timeOff: { nodes: [], error: "cut" } }] })).toMatch(
    /a part of the response has an error beside nodes: cut$/,
  );
  expect(await read("a.*.*.b.c", { a: { x: { y: { b: { c: [one], has_more: true } } } } })).toMatch(
    /has_more/,
  );
});

test("the page of a body may be a path, and what the response skips by it is no error", async () => {
  const fake = await Fake.start(({ json: body }) => {
    const { page, limit } = (body as { paging: { page: number; limit: number } }).paging;
    const skipped = (page - 1) * limit;
    return json({ data: rowsOf(10).slice(skipped, skipped + limit), skipped });
  });
  open.push(fake);
  const { record, error } = await pullHere({
    base: fake.url,
    files: {
      "rows.json": {
        ...{ post: "rows", json: { paging: { limit: 4, page: 1 } }, rows: "data" },
        pages: { page: "paging.page" },
      },
    },
  });
  expect(error).toBeNull();
  expect(record!.files["rows.json"]!.rows).toBe(10);
});

// GraphQL Cursor Connections: `pageInfo { hasNextPage endCursor }`, and the cursor is a variable.
test("a parameter may be a path in the body, as the variables of GraphQL", async () => {
  const fake = await Fake.start(({ json: body }) => {
    const { first, after } = (body as { variables: { first: number; after: string | null } }).variables;
    const nodes = rowsOf(10).slice(Number(after), Number(after) + first);
    const pageInfo = { hasNextPage: Number(after) + first < 10, endCursor: String(Number(after) + first) };
    return json({ data: { people: { nodes, pageInfo } } });
  });
  open.push(fake);
  const file = {
    post: "graphql",
    json: { query: "query($first: Int, $after: String) {{ people }}", variables: { first: 4, after: null } },
    rows: "data.people.nodes",
    pages: {
      ...{ cursor: "data.people.pageInfo.endCursor", param: "variables.after" },
      more: "data.people.pageInfo.hasNextPage",
    },
  };
  const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(error).toBeNull();
  expect(record!.files["rows.json"]).toMatchObject({ rows: 10, proof: "two walks" });
});

test.each([403, 500])("after a page with fewer rows than asked for, %d is not the end", async (code) => {
  const pages = [rowsOf(4), rowsOf(7).slice(4)];
  const fake = await Fake.start(({ query }) => {
    const page = pages[Number(query.get("page")) - 1];
    return page === undefined ? status(code) : json(page);
  });
  open.push(fake);
  const file = { get: "rows", query: { limit: 4 }, pages: { page: "page" } };
  const { error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(error?.message).toStartWith(`rows.json, page 3: GET rows: responded ${code}`);
});

test("an empty page between others of counted pages without a total is refused", async () => {
  const read = async (pages: readonly Row[][], end: () => Response = () => json([])) => {
    const fake = await Fake.start(({ query }) => {
      const page = pages[Number(query.get("page")) - 1];
      return page === undefined ? end() : json(page);
    });
    open.push(fake);
    const file = { get: "rows", pages: { page: "page" } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const [first, second, third] = rowsOf(3).map((row) => [row]);
  const refusal = "GET rows: has no rows, but a page after it has: name the total or more in the pull file";
  expect(await read([first!, [], third!])).toBe(`rows.json, page 2: ${refusal}`);
  expect(await read([[], second!])).toBe(`rows.json, page 1: ${refusal}`);
  expect(await read([first!, second!, third!])).toBe(3);
  expect(await read([first!, []], () => status(404))).toBe(1);
  // Of several pages, three after an empty one are looked at.
  expect(await read([first!, second!, [], [], [], third!])).toBe(`rows.json, page 3: ${refusal}`);
});

// An API that leaves out the rows that a key may not read, after it has counted them, has pages of any length, and many empty ones.
test("after a page in the middle with fewer rows than asked for, a hundred empty pages are looked at", async () => {
  const read = async (...lengths: number[]) => {
    const fake = await Fake.start(({ query }) => {
      const page = Number(query.get("page"));
      return json(rowsOf(lengths[page - 1] ?? 0).map((row) => ({ ...row, page })));
    });
    open.push(fake);
    const file = { get: "rows", query: { limit: 4 }, pages: { page: "page" } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const refusal = "rows.json, page 4: GET rows: has no rows, but a page after it has";
  expect(await read(4, 3, 4, ...Array(99).fill(0), 1)).toStartWith(refusal);
  expect(await read(4, 3, 4)).toBe(11);
});

test("a total that is the number of rows of a full first page is refused if page 2 has rows", async () => {
  const read = async (
    count: number,
    paging: object,
    end: () => Response = () => json({ data: [], total: 0 }),
  ) => {
    const rows = rowsOf(count);
    const fake = await Fake.start(({ query }) => {
      const at = query.has("page") ? 4 * Number(query.get("page")) - 4 : Number(query.get("offset"));
      const data = rows.slice(at, at + 4);
      return data.length === 0 ? end() : json({ data, total: data.length });
    });
    open.push(fake);
    const file = { get: "rows", query: { limit: 4 }, rows: "data", total: "total", pages: paging };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  for (const paging of [{ page: "page" }, { offset: "offset" }]) {
    expect(await read(9, paging)).toBe(
      "rows.json, page 1: GET rows: is the last by total, but a page after it has rows: name the number of all rows in total",
    );
    expect(await read(4, paging)).toBe(4);
    expect(await read(4, paging, () => status(404))).toBe(4);
    expect(await read(3, paging)).toBe(3);
  }
});

// encoding/json of Go writes an empty slice that nothing was added to as null.
test("null instead of a list is no rows after the first page, and refused as the first or with an error", async () => {
  const read = async (pages: readonly object[]) => {
    const fake = await Fake.start(({ query }) =>
      json(pages[Number(query.get("page")) - 1] ?? { data: null }),
    );
    open.push(fake);
    const file = { get: "rows", rows: "data", pages: { page: "page" } };
    const { record, error } = await pullHere({ base: fake.url, files: { "rows.json": file } });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const page = { data: rowsOf(2) };
  expect(await read([page])).toBe(2);
  expect(await read([])).toBe("rows.json, page 1: GET rows: the response has null at data, not a list");
  expect(await read([page, { data: null, error: "token expired" }])).toBe(
    "rows.json, page 2: GET rows: responded 200, but with an error: token expired",
  );
  expect(await read([page, { data: null }, { data: [{ id: 9 }] }])).toContain("page after it has");
});

test("an empty page between others of counted rows without a total is refused", async () => {
  const read = async (isHidden: (row: Row) => boolean, file: object) => {
    const fake = await Fake.start(({ query }) => {
      const at = Number(query.get("offset"));
      const rows = rowsOf(17).slice(at, at + 4);
      return json({ data: rows.filter((row) => !isHidden(row)), ...("total" in file && { total: 17 }) });
    });
    open.push(fake);
    const { record, error } = await pullHere({
      base: fake.url,
      files: { "rows.json": { get: "rows", rows: "data", pages: { offset: "offset" }, ...file } },
    });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const query = { limit: 4 };
  const refusal = "GET rows: has no rows, but a page after it has: name the total or more in the pull file";
  expect(await read(({ days }) => days > 7 && days < 13, { query })).toBe(`rows.json, page 4: ${refusal}`);
  expect(await read(({ days }) => days < 5, { query })).toBe(`rows.json, page 1: ${refusal}`);
  expect(await read(({ days }) => days > 3 && days < 16, { query })).toBe(`rows.json, page 2: ${refusal}`);
  expect(await read(() => false, { query })).toBe(17);
  expect(await read(() => false, { query, total: "total" })).toBe(17);
});

// Spring counts pages from 0, and its first page is not page 1.
test.each<[object, object, string | null]>([
  [{ page: "page" }, { first: false, number: 1 }, "first is false"],
  [{ page: "page" }, { links: { prev: "/rows?page=0" } }, 'links.prev is "/rows?page=0"'],
  [{ page: "page" }, { meta: { has_previous_page: true } }, "meta.has_previous_page is true"],
  [{ page: "page" }, { prev_page: 1 }, "prev_page is 1"],
  [{ page: "page", first: 1 }, { prev_page: 1 }, null],
  [{ page: "page" }, { first: true, previous: null, prev_page: 0 }, null],
  [{ page: "page" }, { previous_balance: 3, preview: "x", firstName: false }, null],
  [{ cursor: "next", param: "cursor" }, { prev: "a" }, null],
])("the first page of %j beside %j", async (pages, beside, why) => {
  let asked = 0;
  const read = await pulledBy(pages, () =>
    json(asked++ % 2 === 0 ? { data: [{ id: 1 }], total: 1, ...beside } : { data: [], total: 1 }),
  );
  if (why === null) expect(read).toEqual([1]);
  else
    expect(read).toBe(
      `rows.json, page 1: GET rows: is not the first page: say with "first" in pages from which number on the API counts: ${why}`,
    );
});

test("pages that are counted from 0 are not taken for fewer rows, if the response tells how many there are", async () => {
  const rows = Array.from({ length: 7 }, (_, id) => ({ id }));
  const read = async (pages: object, beside: object, headers: Record<string, string> = {}) => {
    const fake = await Fake.start(({ query }) => {
      const at = Number(query.get("page")) * 3;
      return json({ data: rows.slice(at, at + 3), ...beside }, headers);
    });
    open.push(fake);
    const file = { get: "rows", rows: "data", pages: { page: "page", ...pages } };
    const { record, error } = await pullHere({
      base: fake.url,
      pace: { perMinute: 6000 },
      files: { "rows.json": file },
    });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  const told = 'after 4 rows, but the response tells of 7 (if the API counts pages from 0, add "first": 0 to';
  expect(await read({}, { meta: { totalElements: 7 } })).toContain(told);
  expect(await read({}, {}, { "x-total-count": "7" })).toContain(told);
  expect(await read({ first: 0 }, { meta: { totalElements: 7 } })).toBe(7);
  expect(await read({ first: 0 }, { total: 3 })).toBe(7); // of each page
});

test("pages that end before the total of the last response are refused, unless that counts something else", async () => {
  const rows = Array.from({ length: 7 }, (_, id) => ({ id }));
  const read = async (visible: number, beside: object, file: object = {}) => {
    const fake = await Fake.start(({ query }) => {
      const at = Number(query.get("after") ?? 0);
      const next = at + 3 < visible ? String(at + 3) : null;
      return json({ data: rows.slice(at, Math.min(at + 3, visible)), next, ...beside });
    });
    open.push(fake);
    const { record, error } = await pullHere({
      base: fake.url,
      pace: { perMinute: 6000 },
      files: {
        "rows.json": { get: "rows", rows: "data", pages: { cursor: "next", param: "after" }, ...file },
      },
    });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  expect(await read(4, { total: 7 })).toContain(
    'after 4 rows, but the response tells of 7 (perhaps the key may not read the others; if that number counts something else, add "total": false beside pages)',
  );
  expect(await read(4, { total: 7 }, { total: false })).toBe(4);
  expect(await read(7, { total: 7 })).toBe(7);
  expect(await read(7, { total: 1 })).toBe(7); // of the page
});

test("pages that are counted from 0 are refused if page 0 has other rows, whatever the response tells", async () => {
  const read = async (rows: readonly Row[], page0: (first: Row[]) => Response, pages: object = {}) => {
    const fake = await Fake.start(({ path, query }) => {
      const number = Number(query.get("page"));
      if (path === "/people") return json([{ id: 1 }, { id: 2 }]);
      if (path === "/leave/1") return json([]);
      return number === 0 ? page0(rows.slice(0, 2)) : json(rows.slice(number * 2, number * 2 + 2));
    });
    open.push(fake);
    const readWith = async (files: object) => {
      const { record, error } = await pullHere({ base: fake.url, pace: { perMinute: 6000 }, files });
      return error?.message ?? record!.files["rows.json"]!.rows;
    };
    const file = { get: "rows", pages: { page: "page", ...pages } };
    const alone = await readWith({ "rows.json": file });
    const asked = fake.asked.filter((request) => request === "GET /rows?page=0").length;
    const each = { each: "people.json", get: "leave/{id}", pages: { page: "page", ...pages } };
    return [alone, asked, await readWith({ "people.json": { get: "people" }, "rows.json": each })];
  };
  const refusal =
    'is not the first page, since page 0 has other rows: say with "first" in pages from which number on the API counts';
  for (const count of [1, 2, 5]) {
    const [alone, , each] = await read(rowsOf(count), (first) => json(first));
    expect(alone).toBe(`rows.json, page 1: GET rows: ${refusal}`);
    expect(each).toBe(`rows.json, row 2 of people.json, page 1: GET leave/{id}: ${refusal}`);
  }
  expect(await read(rowsOf(5), (first) => json(first), { first: 0 })).toEqual([5, 2, 5]);
  expect(await read(rowsOf(5), (first) => json(first), { first: 1 })).toEqual([3, 0, 3]);
  for (const end of [json([]), status(400), status(404), json(rowsOf(4).slice(2))])
    expect(await read(rowsOf(5), () => end.clone())).toEqual([3, 1, 3]);
  expect(await read(rowsOf(5), () => status(500))).toEqual([3, 3, 3]); // a failure is tried again
});

test("more that is true, without a next page where pages looks, is refused", async () => {
  const pages = { cursor: "next", param: "cursor", more: "more" };
  expect(await pulledBy(pages, () => json({ data: [{ id: 1 }], total: 1, more: true }))).toBe(
    "rows.json, page 1: GET rows: names no next page, but more is true",
  );
});

test("a report that is not ready is no empty list", async () => {
  const read = async (beside: object, data: object[]) =>
    await pulledBy(undefined, () => Response.json({ data, ...beside }));
  for (const state of ["processing", "RUNNING", "in_progress", "queued"]) {
    expect(await read({ status: state }, [])).toContain(`with an error: status is ${state}`);
    expect(await read({ state }, [{ id: 1 }])).toContain(`with an error: state is ${state}`);
  }
  expect(await read({ job_status: "pending" }, [])).toContain("with an error: job_status is pending");
  expect(await read({ status: "pending" }, [{ id: 1 }])).toEqual([1]); // of leave
});

test("an error beside rows, or a next page that the file does not read, is refused", async () => {
  const rows = { data: [{ id: 1 }] };
  const refused = async (more: object, headers: Record<string, string> = {}) =>
    await pulledBy(undefined, () => Response.json({ ...rows, ...more }, { headers }));
  const none = { code: 0, message: "", details: [] };
  // GraphQL over HTTP: partial data and errors come with status 200.
  expect(await refused({ errors: [{ message: "timeout" }] })).toContain("responded 200, but with an error");
  expect(await refused({ error: "rate limited" })).toContain("responded 200, but with an error");
  expect(await refused({ ok: false })).toContain("responded 200, but with an error: ok is false");
  expect(await refused({ success: false })).toContain("success is false");
  // Keka, People HR and DingTalk, of whom the last two respond 200 to a key without the right.
  expect(await refused({ succeeded: false, errors: null })).toContain(
    "but with an error: succeeded is false",
  );
  expect(await refused({ isError: true, Status: 7 })).toContain("but with an error: isError is true");
  expect(await refused({ errcode: 88, errmsg: "no right" })).toContain("but with an error: errcode is 88");
  // JSend and JSON:API, and what Zoho, Frappe and SOAP gateways call it.
  expect(await refused({ status: "error" })).toContain("responded 200, but with an error: status is error");
  expect(await refused({ statusCode: 401 })).toContain("responded 200, but with an error: statusCode is 401");
  expect(await refused({ code: "503", message: "busy" })).toContain("but with an error: code is 503");
  for (const [key, error] of Object.entries({
    error: { code: 429, message: "rate limited" },
    errors: { page: ["timeout"] },
    errorMessage: "timeout",
    exception: { of: "Timeout" },
    Fault: true,
  })) {
    const text = await refused({ [key]: error });
    expect(text).toBe(
      `rows.json: GET rows: responded 200, but with an error: ${typeof error === "string" ? error : JSON.stringify(error)}`,
    );
  }
  // Zoho People: the error is inside the object that has the rows.
  const within = (more: object) => () =>
    Response.json({ response: { data: [], ...more }, id: { error: "none of these" } });
  expect(await pulledBy(undefined, within({ errors: { code: 7021 } }), "response.data")).toContain(
    'responded 200, but with an error: {"code":7021}',
  );
  expect(await refused({ errors: [], error: null, success: true, status: "success" })).toEqual([1]);
  expect(await refused({ errors: {}, error: none, fault: false, error_message: "" })).toEqual([1]);
  expect(await refused({ succeeded: true, isError: false, errcode: 0, errorCode: null })).toEqual([1]);
  expect(await refused({ status: 200, code: 404, name: "Acme" })).toEqual([1]); // a company's own code
  // SOAP gateways and scripts.
  expect(await refused({ faultstring: "bad key" })).toContain("with an error: bad key");
  expect(await refused({ result: "error" })).toContain("with an error: result is error");
  expect(await refused({ status: "KO" })).toContain("with an error: status is KO");
  expect(await refused({}, { link: '<https://x.example/rows?page=2>; rel="next"' })).toBe(
    "rows.json: GET rows: the response names a next page in its Link header, but the file has no pages",
  );
});

test.each<[string, boolean]>([
  ['<URL?page=5>; rel="last"', true],
  ['<URL?page%5Bnumber%5D=2&page%5Bsize%5D=100>; rel="last"', true],
  ['<URL?start=0>; rel="first", <URL?start=50>; rel="last"', true],
  ['<URL?page=1>; rel="first", <URL?page=1>; rel="last"', false],
  ['<URL?page=1&per_page=100>; rel="last"', false],
  ['<URL?start=0&page%5Bsize%5D=100>; rel="last"', false],
])("a file without pages, and a Link header of the last page alone: %s", async (header, isRefused) => {
  const link = header.replaceAll("URL", "https://x.example/rows");
  const read = await pulledBy(undefined, () => Response.json(TWO, { headers: { link } }));
  if (isRefused)
    expect(read).toBe(
      "rows.json: GET rows: the response names a last page in its Link header, but the file has no pages",
    );
  else expect(read).toEqual([1, 2]);
});

test("a remark that rows are missing ends the pull", async () => {
  const read = async (warnings: string[]) =>
    await pulledBy(undefined, () => Response.json({ ...TWO, warnings }));
  expect(await read(["some days are not shown"])).toEqual([1, 2]);
  for (const warning of ["Truncated to 10000 rows", "Results are limited to 100"])
    expect(await read([warning])).toContain(`: warnings is ["${warning}"]`);
});

test("rows that the API could not give end the pull", async () => {
  const read = async (more: object) => await pulledBy(undefined, () => Response.json({ ...TWO, ...more }));
  const wrong: object[] = [
    { warnings: ["Some records could not be loaded"] },
    { warning: "3 employees were skipped" },
    { notice: "You do not have permission to view all records" },
    { partialErrors: [{ id: 4 }] },
    { failures: [{ id: 4 }] },
    { failed: 2 },
    { error_count: "1" },
    { failedRecords: ["7"] },
    { unauthorizedCount: 4 },
    { skipped: 3 },
    { omitted: "3" },
    { hidden: 3 },
    { invalidRecords: 2 },
    { rejectedRecords: 2 },
    { records_skipped: 3 },
    { numberOfHiddenRows: 3 },
    { meta: { skippedCount: 3 } },
    { summary: { failed: 1 } },
    { _shards: { total: 5, successful: 4, skipped: 0, failed: 1 } },
    { partialSuccess: true },
    { timed_out: true },
  ];
  for (const more of wrong) expect(String(await read(more))).toContain("responded 200, but with an error: ");
  const right: object[] = [
    { warnings: ["This version ends in May"], failures: [], failed: 0, errorCount: 0 },
    { message: "2 employees were found", partialSuccess: false, timed_out: false },
    { skipped: 0, omitted: [], hidden: false, invalidRecords: null, summary: { failed: 0 } },
    { _shards: { total: 5, successful: 5, skipped: 4, failed: 0 } },
    { summary: { approved: 9, rejected: 5 }, totalRejected: 5 }, // statuses of leave
  ];
  for (const more of right) expect(await read(more)).toEqual([1, 2]);
});

test("rows that were skipped as the request asks are not lost", async () => {
  const rows = rowsOf(8);
  const read = async (pages: object, lost: number) => {
    const fake = await Fake.start(({ query }) => {
      const skipped = query.has("skip") ? Number(query.get("skip")) : (Number(query.get("page")) - 1) * 4;
      return json({ data: rows.slice(skipped, skipped + 4), skipped: skipped + (skipped > 0 ? lost : 0) });
    });
    open.push(fake);
    const file = { get: "rows", query: { limit: 4 }, rows: "data", pages };
    const { record, error } = await pullHere({
      base: fake.url,
      pace: { perMinute: 6000 },
      files: { "rows.json": file },
    });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  for (const pages of [{ offset: "skip" }, { page: "page", first: 1 }]) {
    expect(await read(pages, 0)).toBe(8);
    expect(await read(pages, 1)).toContain(", page 2: GET rows: responded 200, but with an error: skipped: ");
  }
});

test("a refused page after a short one is not the end if that page says that there are more", async () => {
  const read = async (more: object, refusal: string, pages: object = { page: "page", first: 1 }) => {
    const fake = await Fake.start(({ query }) => {
      const page = Number(query.get("page"));
      if (page > 2) return status(400, refusal);
      return json({ data: rowsOf(7).slice((page - 1) * 4, page * 4), ...more });
    });
    open.push(fake);
    const { record, error } = await pullHere({
      base: fake.url,
      pace: { perMinute: 6000 },
      files: { "rows.json": { get: "rows", query: { limit: 4 }, rows: "data", pages } },
    });
    return error?.message ?? record!.files["rows.json"]!.rows;
  };
  expect(await read({}, "page out of range")).toBe(7);
  expect(await read({ meta: { has_more: false } }, "")).toBe(7);
  const refused = "rows.json, page 3: GET rows: responded 400";
  expect(await read({ has_more: true }, "no")).toBe(
    `${refused}: no, but the page before says that there are more rows: has_more is true`,
  );
  expect(await read({ meta: { total_pages: 3 } }, "no")).toContain("meta.total_pages is 3");
  expect(await read({ more: true }, "no", { page: "page", first: 1, more: "more" })).toContain(refused);
});

// After a short page, 400 and 422 may be the end, or the refusal of something else.
test.each<[string, string | null]>([
  ['{"message":"Page 3 is out of range"}', null],
  ['{"errors":[{"field":"page","message":"must be at most 2"}]}', null],
  ['{"status":400,"error":"Bad Request","message":""}', null],
  ["No records found", null],
  ["pos must be less than 3", null],
  ["", null],
  ['{"errors":[{"field":"from","message":"must be a date"}]}', "must be a date"],
  ['{"title":"Session expired","instance":"/rows?page=3"}', "Session expired"],
  ["daily quota used", "daily quota used"],
  ["<html><head><title>400 Bad Request</title></head></html>", "an HTML document"],
])("a page that is refused with %j after a short one", async (message, why) => {
  for (const code of [400, 422]) {
    const fake = await Fake.start(({ query }) => {
      const at = (Number(query.get("page") ?? query.get("pos")) - 1) * 4;
      return at >= 7 ? status(code, message) : json({ data: rowsOf(7).slice(at, at + 4) });
    });
    open.push(fake);
    const pages = { page: message.startsWith("pos") ? "pos" : "page", first: 1 };
    const { record, error } = await pullHere({
      base: fake.url,
      pace: { perMinute: 6000 },
      files: { "rows.json": { get: "rows", query: { limit: 4 }, rows: "data", pages } },
    });
    if (why === null) expect(error?.message ?? record!.files["rows.json"]!.rows).toBe(7);
    else
      expect(error!.message).toBe(
        `rows.json, page 3: GET rows: responded ${code}: ${message.startsWith("<") ? why : message}, which may be no end of the pages: if it is one, name total or more in the pull file`,
      );
  }
});

test("a part of a response (206) is refused, and its rows are not quoted", async () => {
  const read = await pulledBy(undefined, () => Response.json([{ id: 1, name: "Ana" }], { status: 206 }));
  expect(read).toBe("rows.json: GET rows: responded 206, which is no whole list: only 200 is");
});

// Lark, Zoho People, ThinkPHP, Beisen and others respond 200, and a list without rows.
test.each<[object, string | null]>([
  [{ code: 99991663, msg: "Please log in" }, "Please log in"],
  [{ code: "100001", message: "Please log in" }, "Please log in"],
  [{ retCode: 1001, retMsg: "Please log in" }, "Please log in"],
  [{ errno: 110, errmsg: "Please log in" }, "Please log in"],
  [{ status: false, message: "Please log in" }, "Please log in"],
  [{ status: 1, message: "Error occurred" }, "Error occurred"],
  [{ message: "You do not have permission" }, "You do not have permission"],
  [{ message: "token过期" }, "token过期"],
  [{ code: 0, msg: "success" }, null],
  [{ code: 200, message: "OK" }, null],
  [{ code: 1, msg: "查询成功" }, null],
  [{ code: "0000", message: "All right" }, null],
  [{ code: 20000, message: "No records found" }, null],
  [{ code: 4711, description: "Acme" }, null],
  [{ message: "Nothing was found", count: 0 }, null],
])("no rows beside %j", async (beside, error) => {
  const read = await pulledBy(undefined, () => Response.json({ data: [], ...beside }));
  if (error === null) expect(read).toEqual([]);
  else expect(read).toBe(`rows.json: GET rows: responded 200, but with an error: ${error}`);
});

test.each<[string, (id: number) => object, string[] | undefined, string | null]>([
  ["renamed", (id) => (id > 10 ? { dept: "IT" } : { department: "IT" }), undefined, "department"],
  [
    "gone inside an object",
    (id) => ({ work: id > 10 ? {} : { title: "Clerk" } }),
    ["id", "work.title"],
    "work.title",
  ],
  ["not to be written", (id) => (id > 10 ? {} : { department: "IT" }), ["id"], null],
  ["null from there on", (id) => ({ department: id > 10 ? null : "IT" }), undefined, null],
  ["gone from the middle of a page on", (id) => (id > 8 ? {} : { left: "2025" }), undefined, null],
  ["back in one row", (id) => (id > 10 && id !== 17 ? {} : { left: "2025" }), undefined, null],
  ["gone from the last four rows", (id) => (id > 15 ? {} : { email: "a@example.com" }), undefined, null],
])("a field that is %s is told if it may be lost", async (_, fields, keep, lost) => {
  let isFirst = true;
  const fake = await Fake.start(({ query }) => {
    const page = Number(query.get("page"));
    const ids = page > 4 ? [] : Array.from({ length: page === 4 ? 4 : 5 }, (_, at) => page * 5 - 4 + at);
    // The first reading is done again, because a row moved: what it had is forgotten.
    const rows = ids.map((id) => ({ id, ...(isFirst ? { other: 1 } : fields(id)) }));
    if (page > 4) isFirst = false;
    return json({ data: rows });
  });
  open.push(fake);
  const { notes, record } = await pullHere({
    base: fake.url,
    pace: { perMinute: 6000 },
    files: {
      "rows.json": { get: "rows", rows: "data", pages: { page: "page", first: 1 }, ...(keep && { keep }) },
    },
  });
  expect(record!.files["rows.json"]).toMatchObject({ rows: 19 });
  expect(notes).toEqual(
    lost === null
      ? []
      : [`rows.json: the first 10 of 19 rows have ${lost}, and the others have not: was it renamed?`],
  );
});

test("a response with two equal keys, of which JSON keeps one, is refused", async () => {
  const refused = await pulledBy(
    undefined,
    () =>
      new Response('{"data":[{"id":1.10,"who":{"id":2,"id":3}}]}', {
        headers: { "content-type": "application/json" },
      }),
  );
  expect(refused).toBe(
    "rows.json: GET rows: the response has the key data.who.id twice, and JSON keeps only one",
  );
});

test("only what keep names is written, of lists inside, too, and every digit of it", async () => {
  const fake = await Fake.start(
    () =>
      new Response(
        '[{"id":9007199254740993,"pay":1.10,"jobs":[{"title":"Clerk","rate":"9"}],"home":{"city":"B","zip":1},"none":null}]',
      ),
  );
  open.push(fake);
  const file = {
    get: "rows",
    keep: ["id", "jobs.title", "home.city", "none.such", "gone"],
    add: { day: "{today}" },
  };
  const { folder } = await pullHere({ base: fake.url, files: { "rows.json": file } });
  expect(readFileSync(join(folder, "rows.json"), "utf8")).toBe(
    '[\n{"id":9007199254740993,"jobs":[{"title":"Clerk"}],"home":{"city":"B"},"none":null,"day":"2026-03-01"}\n]\n',
  );
});

test("a field that no row has is named with what gives the right to see it", async () => {
  let rows: object[] = [{ id: 1, name: "A", work: { end: null } }, { id: 2 }];
  const fake = await Fake.start(() => json(rows));
  open.push(fake);
  const file = {
    get: "rows",
    needs: { name: "grant Names", "work.end": "grant Work" },
    wants: { mail: "grant Mail" },
  };
  const content = { base: fake.url, files: { "rows.json": file } };
  const read = await pullHere(content);
  expect([read.error, read.notes]).toEqual([null, ["rows.json: no row has mail: grant Mail"]]);
  rows = [{ id: 1, name: "A" }];
  expect((await pullHere(content)).error!.message).toBe(
    "rows.json: no row has work.end: grant Work\nrows.json: no row has mail: grant Mail",
  );
  rows = [];
  expect((await pullHere(content)).error).toBeNull(); // nobody is there yet
});

test("a version that is retired is told by the first call", async () => {
  for (const code of [406, 410]) {
    const fake = await Fake.start(() => new Response('{"error":"no longer supported"}', { status: code }));
    open.push(fake);
    const { error } = await pullHere({
      base: fake.url,
      files: { "a.json": { get: "a" }, "b.json": { get: "b" } },
    });
    expect(error!.message).toBe(
      `a.json: GET a: responded ${code}: the API may have retired the requested version: {"error":"no longer supported"}`,
    );
    expect(fake.asked.length).toBe(1);
  }
});

test("bytes that are not what the response says they are", async () => {
  const answers: [string, Uint8Array | string, RegExp | string][] = [
    [
      "application/json",
      Uint8Array.of(0x5b, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe4, 0x22, 0x7d, 0x5d),
      /says that it is utf-8, but has other bytes/,
    ],
    [
      "application/json; charset=iso-8859-1",
      Uint8Array.of(0x5b, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe4, 0x22, 0x7d, 0x5d),
      '[\n{"a":"ä"}\n]\n',
    ],
    ["application/json;charset=ISO-8859-1", '[{"a":"ä"}]', '[\n{"a":"ä"}\n]\n'], // what old servers add to UTF-8
    ['application/json; charset="UTF-8"', '[{"a":"ä"}]', '[\n{"a":"ä"}\n]\n'],
    ["application/json; charset=klingon", "[]", /is in klingon, which is not supported/],
    ["application/json", Uint8Array.of(0x5b, 0x5d, 0xe2, 0x82), /says that it is utf-8, but has other bytes/], // cut in a character
  ];
  for (const [type, body, expected] of answers) {
    const server = Bun.serve({
      port: 0,
      fetch: () => new Response(body as BodyInit, { headers: { "content-type": type } }),
    });
    const { folder, error } = await pullHere({
      base: `http://127.0.0.1:${server.port}`,
      files: { "a.json": { get: "a" } },
    });
    server.stop(true);
    if (typeof expected === "string") expect(readFileSync(join(folder, "a.json"), "utf8")).toBe(expected);
    else expect(error!.message).toMatch(expected);
  }
});

test("a body that is longer or shorter than its Content-Length is given up or refused", async () => {
  const body = '[{"id":1},{"id":12}]';
  for (const [by, expected] of [
    [5, /no response within 0.2 s, in 8 tries|the connection failed: .*, in 8 tries/],
    [-1, /the response is not JSON/],
    [-12, /the response is not JSON/],
  ] as const) {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () =>
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length + by}\r\n\r\n${body}`,
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // it listens
    const base = `http://127.0.0.1:${port}`;
    const { error } = await pullHere({
      base,
      pace: { timeoutSeconds: 0.2 },
      files: { "a.json": { get: "a" } },
    });
    server.close();
    expect(error?.message).toMatch(expected);
  }
});

test("a body that trickles, headers that trickle, and headers without end are given up", async () => {
  const endings: Readonly<Record<string, (socket: Socket) => void>> = {
    body: (socket) => trickle(socket, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[", " "),
    headers: (socket) => trickle(socket, "HTTP/1.1 200 OK\r\n", "x-more: 1\r\n"),
    endless: (socket) => pour(socket, "HTTP/1.1 200 OK\r\n", "x-more: 1\r\n".repeat(10_000)),
  };
  for (const [name, answer] of Object.entries(endings)) {
    let sockets = 0;
    const server = createServer((socket) => {
      sockets++;
      socket.on("error", () => {});
      socket.once("data", () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // it listens
    const pace = { timeoutSeconds: 0.2 };
    const { error } = await pullHere({
      base: `http://127.0.0.1:${port}`,
      pace,
      files: { "a.json": { get: "a" } },
    });
    server.close();
    expect([name, error?.name, sockets]).toEqual([name, "UpstreamAway", 8]);
    expect(error!.message).toMatch(
      name === "endless" ? /the connection failed: Malformed/ : /no response within 0.2 s/,
    );
  }
});

function trickle(socket: Socket, begin: string, more: string): void {
  socket.write(begin);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(more)), 20);
}

/** Writes at most 20 MB. */
function pour(socket: Socket, begin: string, more: string): void {
  socket.write(begin);
  for (let bytes = 0; bytes < 20_000_000 && !socket.destroyed; bytes += more.length) socket.write(more);
}
