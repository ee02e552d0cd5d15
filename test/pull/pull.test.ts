// What a pull promises, against a real server: whole or absent, short answers refused, nothing else spoken to, patience, no secret told.
import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readRecord } from "../../src/pull/record.ts";
import { Upstream } from "../../src/pull/upstream.ts";
import { temporaryFolder } from "../support/import-files.ts";
import { Fake, type Fault, json, status } from "./fakes/fake.ts";
import { paged, people, pullFileOf, STYLES, type Style } from "./fakes/paged.ts";
import { pullHere } from "./pulled.ts";

const KEY = "s3cret-of-nobody";
const ENV = { KEY };

const open: Fake[] = [];
afterAll(() => Promise.all(open.map((fake) => fake.stop())));
function opened(fake: Fake): Fake {
  open.push(fake);
  return fake;
}

type Respond = Parameters<typeof Fake.start>[0];
const serve = async (respond: Respond) => opened(await Fake.start(respond));

function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** All of a folder, or null where there is none. */
function contents(folder: string): Record<string, string> | null {
  if (!existsSync(folder)) return null;
  return Object.fromEntries(readdirSync(folder).map((name) => [name, textOf(folder, name)]));
}

test.each(STYLES)("pages by %s: every row in its order, with every digit", async (paging) => {
  for (const [count, size] of [
    [0, 3],
    [5, 3],
    [6, 3],
    [7, 100],
  ] as const)
    for (const hasTotal of [true, false]) {
      const fake = opened(await paged(paging, people(count), size));
      const { folder, record, error } = await pullHere(pullFileOf(fake, paging, size, hasTotal), ENV);
      expect(error).toBeNull();
      const list = people(count).map(
        ({ id, name, number }) => `{"id":"${id}","name":"${name}","number":${number}}`,
      );
      expect(textOf(folder, "people.json")).toBe(
        `{"data":[${count === 0 ? "" : "\n"}${list.join(",\n")}\n]}\n`,
      );
      const leave = people(count).map(
        ({ id, number }) => `{"leave":"of ${id}","days":1,"person":"${id}","number":${number}}`,
      );
      expect(textOf(folder, "leave.json")).toBe(
        `{"data":[${count === 0 ? "" : "\n"}${leave.join(",\n")}\n]}\n`,
      );
      expect(record!.files["people.json"]).toMatchObject({ rows: count, total: hasTotal ? count : null });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(contents(`${folder}.new`)).toBeNull();
    }
});

test("any page size, any fault at any request: the folder is whole, or as it was before", async () => {
  const listed = (value: unknown) => (path: string) => (path === "/people" ? json(value) : status(500));
  const faults: Record<string, (path: string) => Fault> = {
    401: () => status(401, "no"),
    429: () => status(429, "later", { "retry-after": "1" }),
    500: () => status(500),
    503: () => status(503),
    redirect: () => Response.redirect("http://127.0.0.1:1/", 302),
    cut: () => "cut",
    silent: () => "silent",
    "not json": () => new Response('{"data":['),
    "another page": (path) =>
      path === "/people"
        ? new Response(
            '{"data":[{"id":"P0","name":"Person 0","number":9007199254740993}],"meta":{"total":4,"hasMore":true,"cursor":"c1"}}',
          )
        : status(500),
    "an empty page": listed({ data: [], meta: { total: 9, hasMore: false, cursor: null } }),
    "a list": listed([{ id: "P0" }]),
  };
  /** What a record says of each file but why it is whole: a page of one row, and then the others, is all rows, too. */
  const filesIn = (record: string) =>
    Object.entries<{ proof: string }>(JSON.parse(record).files).map(([name, { proof, ...file }]) => ({
      name,
      ...file,
    }));
  const outcomes = { whole: 0, asBefore: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...STYLES),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(...Object.keys(faults)),
      fc.integer({ min: 0, max: 10 }),
      fc.boolean(),
      async (paging: Style, size, name, at, isLasting) => {
        const fake = await paged(paging, people(4), size);
        try {
          const content = pullFileOf(fake, paging, size);
          const first = await pullHere(content, ENV);
          const before = contents(first.folder)!;
          const asked = fake.asked.length;
          const patient = name === "silent" ? false : isLasting; // eight times no response would take a second
          fake.fault = (number, path) =>
            number === asked + at || (patient && number > asked + at) ? faults[name]!(path) : null;
          const second = await pullHere(content, ENV, first.folder);
          const after = contents(first.folder)!;
          const { "pull.json": recordBefore, ...filesBefore } = before;
          const { "pull.json": recordAfter, ...filesAfter } = after;
          expect(filesAfter).toEqual(filesBefore);
          if (second.error !== null) expect(recordAfter).toBe(recordBefore!);
          else expect(filesIn(recordAfter!)).toEqual(filesIn(recordBefore!));
          if (second.error !== null)
            expect(second.error.name).toMatch(/^(PullRefused|UpstreamAway|PathDenied)$/);
          outcomes[second.error === null ? "whole" : "asBefore"]++;
          expect(readdirSync(join(first.folder, ".."))).toEqual(["hr"]);
        } finally {
          await fake.stop();
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(outcomes.whole).toBeGreaterThan(5);
  expect(outcomes.asBefore).toBeGreaterThan(5);
}, 120_000);

/** What a pull of one file says, whose responses `respond` makes. */
async function refusal(file: object, respond: Respond, fault: Fault = null) {
  const fake = await serve(respond);
  if (fault !== null) fake.fault = () => fault;
  const content = {
    base: fake.url,

    files: { "people.json": { get: "people", ...file } },
  };
  const { error, folder, waitedMs } = await pullHere(content, ENV);
  expect(contents(folder)).toBeNull();
  expect(contents(`${folder}.new`)).toBeNull();
  return { name: error?.name, message: error?.message.replaceAll(fake.url, "BASE") ?? "", fake, waitedMs };
}

const rows = (...ids: number[]) => ids.map((id) => ({ id }));
const PAGED = { rows: "data", pages: { offset: "offset" }, query: { limit: 2 } };

test("refuses short answers, and says where", async () => {
  const total = (data: object[], of: unknown) => () => json({ data, meta: { total: of } });
  const cases: [object, Respond, RegExp][] = [
    // Offsets that are pages: the second page is the third, or none.
    [
      { ...PAGED, total: "meta.total" },
      ({ query }) => json({ data: query.get("offset") === "0" ? rows(1, 2) : [], meta: { total: 5 } }),
      /people.json, page 2: GET people: is the last page, after 2 rows, but meta.total is 5/,
    ],
    [
      { ...PAGED, total: "meta.total" },
      total(rows(1, 2, 3), 2),
      /page 1: .*came to 3 rows, but meta.total is 2/,
    ],
    [
      { rows: "data", total: "meta.total" },
      total(rows(1), 2),
      /GET people: is the last page, after 1 rows, but meta.total is 2/,
    ],
    [
      { rows: "data" },
      () => json({ data: rows(1), meta: { next_cursor: "c2" } }),
      /has not all rows, but the file has no pages/,
    ],
    [{ rows: "data", total: "meta.count" }, total(rows(1), 2), /has no number of rows at meta.count/],
    ...["", "2 rows", 1.5, -1, null].map((count): [object, () => Response, RegExp] => [
      { rows: "data", total: "count" },
      () => json({ data: rows(1), count }),
      /has no number of rows at count/,
    ]),
    [PAGED, () => json({ data: rows(1, 2) }), /page 2: .*repeats rows of earlier pages/],
    [
      { ...PAGED, total: "meta.total" },
      ({ query }) =>
        json({
          data: rows(Number(query.get("offset")), 9),
          meta: { total: 4 + Number(query.get("offset")) },
        }),
      /page 2: GET people: meta.total is 5, and was 4: rows moved while they were read, 5 times/,
    ],
    [
      { rows: "data" },
      () => json([{ id: 1 }]),
      /the response is a list, where an object with data was expected/,
    ],
    [
      {},
      () => json({ data: [] }),
      /the response is an object, not a list: name the path of the list in rows/,
    ],
    [{ rows: "data" }, () => json({ items: [] }), /the response has nothing at data, not a list/],
    [{}, () => json([1]), /row 1 is not an object/],
    [{}, () => new Response("<html>Sign in</html>"), /the response is text, not JSON: correct base/],
    [
      {},
      () => new Response("{", { headers: { "content-type": "application/json" } }),
      /it may have been cut$/,
    ],
    [{}, () => new Response(`["${"x".repeat(9_000_000)}"]`), /more than 8 MB: ask for fewer rows a page/],
    [
      { ...PAGED, pages: { after: { after: "{id}" }, more: "more" } },
      () => json({ data: rows(1) }),
      /neither true nor false at more/,
    ],
  ];
  for (const [file, respond, message] of cases)
    expect((await refusal(file, respond)).message).toMatch(message);
});

test("speaks to one origin alone, and not by http to other machines", async () => {
  const other = await serve(() => json([]));
  const next = await refusal({ rows: "data", pages: { next: "next" } }, () =>
    json({ data: rows(1), next: `${other.url}/people` }),
  );
  expect(next.message).toMatch(
    /page 1: GET people: the next page leads to http:\/\/127.0.0.1:\d+: only BASE is contacted/,
  );
  const redirect = await refusal({}, () => Response.redirect(`${other.url}/people?key=x`, 307));
  expect(redirect.message).toMatch(/responded 307, a redirect to http:\/\/127.0.0.1:\d+: none is followed/);
  const path = await refusal({ get: `${other.url}/people` }, () => json([]));
  expect(path.message).toMatch(/only BASE is contacted/);
  expect(other.asked).toEqual([]);
  for (const [base, message] of [
    ["http://hr.example.com", /is not https: only this machine may use http/],
    ["http://127.0.0.1.example.com", /is not https/],
    ["https://user:word@hr.example.com", /has a name, a password or a query/],
    ["hr.example.com", /is not an address/],
  ] as const)
    expect((await pullHere({ base, files: { "a.json": { get: "a" } } })).error?.message).toMatch(message);
});

test("values of each cannot leave their place in a path", async () => {
  const asked: string[] = [];
  for (const id of ["../admin", "a/b?c=d#e", ".."]) {
    const fake = await serve(({ path }) => json(path === "/people" ? [{ id }] : []));
    const files = {
      "people.json": { get: "people" },
      "leave.json": { each: "people.json", get: "people/{id}/leave" },
    };
    const { error } = await pullHere({ base: fake.url, files });
    asked.push(error?.message ?? fake.asked[1]!);
  }
  expect(asked).toEqual([
    "GET /people/..%2Fadmin/leave",
    "GET /people/a%2Fb%3Fc%3Dd%23e/leave",
    "leave.json, row 1 of people.json: a value for a path is empty, or dots alone",
  ]);
});

test("waits for an API that is busy, eight times, and then says that it is away", async () => {
  let count = 0;
  const busy = await serve(() => (count++ < 3 ? status(503, "", { "retry-after": "7" }) : json([])));
  const { error, waitedMs } = await pullHere({ base: busy.url, files: { "a.json": { get: "a" } } });
  expect([error, waitedMs]).toEqual([null, 21_000]);
  // Decimals, and a date three seconds after the clock's.
  for (const [after, expected] of [
    ["2.5", 2500],
    ["Sun, 01 Mar 2026 08:00:03 GMT", 3000],
  ] as const) {
    let asked = 0;
    const once = await serve(() => (asked++ === 0 ? status(429, "", { "retry-after": after }) : json([])));
    expect((await pullHere({ base: once.url, files: { "a.json": { get: "a" } } })).waitedMs).toBe(expected);
  }
  for (const respond of [() => status(429), () => status(502), () => status(504), null]) {
    const { name, message, fake, waitedMs } = await refusal(
      {},
      respond ?? (() => json([])),

      respond === null ? "cut" : null,
    );
    expect([name, fake.asked.length]).toEqual(["UpstreamAway", 8]);
    expect(message).toMatch(/people.json: GET people: .*, in 8 tries$/);
    expect(waitedMs).toBeGreaterThan(60_000);
  }
  const long = await refusal({}, () => status(429, "", { "retry-after": "86400" }));
  expect([long.name, long.fake.asked.length]).toEqual(["UpstreamAway", 1]);
  const gone = await serve(() => json([]));
  const { url } = gone;
  await gone.stop();
  const away = await pullHere({ base: url, files: { "a.json": { get: "a" } } });
  expect(away.error?.name).toBe("UpstreamAway");
  expect(away.error?.message).toMatch(/a.json: GET a: the connection failed: \w+, in 8 tries/);
});

// RFC 9110, section 15.6.1: with 500, the server met an unexpected condition. Another try may not meet it, or always.
test.each([500, 520, 408])("a request that fails with %d is tried three times", async (code) => {
  let count = 0;
  const once = await serve(() => (count++ === 0 ? status(code) : json([])));
  expect((await pullHere({ base: once.url, files: { "a.json": { get: "a" } } })).error).toBeNull();
  const { name, message, fake } = await refusal({}, () => status(code, "boom"));
  expect([name, message, fake.asked.length]).toEqual([
    "UpstreamAway",
    `people.json: GET people: responded ${code}, in 3 tries: boom`,
    3,
  ]);
});

test("an object may be a row: details of each row, or one of a whole response", async () => {
  const fake = await serve(({ path }) =>
    path === "/people"
      ? json([{ id: 1 }, { id: 2 }])
      : path === "/lists/1"
        ? json([])
        : json({ id: path, ...(path.startsWith("/people/") ? { status: "pending", total: 7 } : {}) }),
  );
  const files = (file: object) => ({
    ...{ "people.json": { get: "people" }, "details.json": { each: "people.json", ...file } },
  });
  const read = (file: object) => pullHere({ base: fake.url, files: files(file) });
  const { folder, error } = await read({ get: "people/{id}", row: true });
  expect(error).toBeNull();
  expect(JSON.parse(textOf(folder, "details.json"))).toEqual([
    { id: "/people/1", status: "pending", total: 7 },
    { id: "/people/2", status: "pending", total: 7 },
  ]);
  expect((await read({ get: "jobs/{id}" })).error?.message).toEndWith(
    'the response is an object, not a list: name the path of the list in rows (or add "row": true, if that object is the row; or write *, if its values are)',
  );
  expect((await read({ get: "lists/{id}", row: true })).error?.message).toEndWith(
    "the response has no object, as row says",
  );
});

// RFC 6749, section 2.3.1: a server must support HTTP Basic for clients that have a password. Zoho's APIs have a scheme of their own.
test.each([undefined, "Zoho-oauthtoken"])(
  "a token may be asked for with Basic, and sent as %p",
  async (scheme) => {
    const fake = await serve(({ path, headers }) => {
      const given = headers.get("authorization");
      if (path === "/token")
        return given === `Basic ${btoa(`me:${KEY}`)}` ? json({ at: "tok" }) : status(401);
      return given === `${scheme ?? "Bearer"} tok` ? json([{ id: 1 }]) : status(401);
    });
    const token = {
      ...(scheme === undefined ? {} : { scheme }),
      ...{ post: "token", basic: ["me", "{secret.KEY}"], form: { grant_type: "client_credentials" } },
      at: "at",
    };
    const content = { base: fake.url, auth: { token }, files: { "people.json": { get: "people" } } };
    const { record, error } = await pullHere(content, ENV);
    expect(error).toBeNull();
    expect(record!.files["people.json"]!.rows).toBe(1);
  },
);

// RFC 9110, section 11.1: a scheme is a token.
test.each(["", "a b", "Bearer\n", "日"])("a scheme such as %j is refused", async (scheme) => {
  const token = { post: "token", at: "at", scheme };
  const content = { base: "http://127.0.0.1:9", auth: { token }, files: { "a.json": { get: "a" } } };
  expect((await pullHere(content)).error?.message).toMatch(
    /auth\.token\.scheme.*is not one word, such as Bearer/,
  );
});

test("an API that refuses a token with 200 is quoted, and nothing else of its response", async () => {
  const read = async (response: object) => {
    const fake = await serve(() => json(response));
    const token = { post: "token", json: {}, at: "access_token" };
    return (await pullHere({ base: fake.url, auth: { token }, files: { "a.json": { get: "a" } } })).error
      ?.message;
  };
  const nothing = "auth.token: the response has no text at access_token";
  expect(await read({ error: "invalid_code" })).toBe(`${nothing}: invalid_code`);
  expect(await read({ accessToken: "tok-of-nobody" })).toBe(nothing);
});

test("keeps the pace: when a request arrives, no more than perMinute have in the minute that ends then", async () => {
  let now = () => 0;
  const arrivedMs: number[] = [];
  const fake = await serve(({ path }) => {
    arrivedMs.push(now());
    return json(path === "/people" ? Array.from({ length: 13 }, (_, id) => ({ id })) : []);
  });
  const files = {
    "people.json": { get: "people" },
    "leave.json": { each: "people.json", get: "leave/{id}" },
  };
  const onClock = (read: () => number) => (now = read);
  await pullHere({ base: fake.url, pace: { perMinute: 4 }, files }, ENV, undefined, onClock);
  const inMinute = arrivedMs.map(
    (at) => arrivedMs.filter((other) => other <= at && other > at - 60_000).length,
  );
  expect(Math.max(...inMinute)).toBe(4);
  expect(arrivedMs.at(-1)! - arrivedMs[0]!).toBe(180_000);
});

test("a key without rights ends it at once; an optional file is left out with a note", async () => {
  for (const code of [401, 403, 404]) {
    const { name, message, fake } = await refusal({}, () => status(code, '{"error":"not for you"}'));
    expect([name, fake.asked.length]).toEqual(["PathDenied", 1]);
    expect(message).toBe(`people.json: GET people: responded ${code}: {"error":"not for you"}`);
  }
  const fake = await serve(({ path }) => (path === "/people" ? json([{ id: 1 }]) : status(403)));
  const files = {
    "people.json": { get: "people" },
    "balances.json": { get: "balances", optional: true },
    "days.json": { get: "days/{id}", each: "balances.json", optional: true },
  };
  const { folder, notes, record } = await pullHere({ base: fake.url, files });
  expect(readdirSync(folder).sort()).toEqual(["people.json", "pull.json"]);
  expect(Object.keys(record!.files)).toEqual(["people.json"]);
  expect(notes).toEqual([
    "left out: balances.json: GET balances: responded 403",
    "days.json was left out, because balances.json was",
  ]);
});

test("an optional file that the last pull had, and that the API refuses now, is not left out: a sync would remove its rows", async () => {
  let code = 200;
  let rows: object[] = [{ id: 1 }];
  const fake = await serve(({ path }) =>
    path === "/people" ? json([{ id: 1 }]) : code === 200 ? json(rows) : status(code),
  );
  const files = { "people.json": { get: "people" }, "hours.json": { get: "hours", optional: true } };
  const place = join(temporaryFolder(), "hr");
  const pulled = async () => await pullHere({ base: fake.url, files }, {}, place);
  expect((await pulled()).error).toBeNull();
  for (code of [403, 404]) {
    const { error } = await pulled();
    expect([error!.name, error!.message]).toEqual([
      "PullRefused",
      `hours.json: GET hours: responded ${code}: the last pull had hours.json, and a sync without it would remove its rows: give the key the right again, or remove the folder ${place} to go on without it`,
    ]);
    expect(readdirSync(place).sort()).toEqual(["hours.json", "people.json", "pull.json"]);
  }
  code = 200;
  rows = [];
  expect((await pulled()).error).toBeNull();
  code = 403;
  expect((await pulled()).notes).toEqual(["left out: hours.json: GET hours: responded 403"]);
});

// The last days of all leavers were null for a key without the right to them, and their time off went on.
test("a wanted field that is empty in all rows, and was not in five or more, is refused", async () => {
  let rows: object[] = [];
  const fake = await serve(() => json(rows));
  const file = { get: "people", needs: { id: "grant Ids" }, wants: {} };
  file.wants = { "work.end": "grant Work" };
  const place = join(temporaryFolder(), "hr");
  const pulled = async (people: number, leavers: number, end: unknown = null) => {
    rows = Array.from({ length: people }, (_, id) => ({
      id,
      work: { end: id < leavers ? "2026-01-31" : end },
    }));
    return (await pullHere({ base: fake.url, files: { "people.json": file } }, {}, place)).error?.message;
  };
  expect(await pulled(20, 5)).toBeUndefined();
  for (const nothing of [null, undefined, ""])
    expect(await pulled(20, 0, nothing)).toBe(
      `people.json: no row has a value at work.end, and 5 rows of the last pull had one: grant Work; or remove the folder ${place} to go on without it`,
    );
  expect(await pulled(20, 1)).toBeUndefined();
  expect(await pulled(20, 0)).toBeUndefined(); // somebody came back
  expect(await pulled(20, 6)).toBeUndefined();
  expect(await pulled(60, 20)).toBeUndefined();
  expect(await pulled(40, 0)).toBeUndefined(); // all leavers were deleted
  expect(await pulled(14, 8)).toBeUndefined();
  expect(await pulled(11, 0)).toContain("8 rows of the last pull had one"); // three were deleted
  expect(await pulled(10, 10)).toBeUndefined();
  file.wants = {};
  expect(await pulled(10, 0)).toBeUndefined(); // another version of the file does not ask for it
});

test("of an optional file, people whom the API refuses are left out, and no others; nobody is asked for in vain", async () => {
  const people = Array.from({ length: 8 }, (_, at) => ({ id: at + 1 }));
  const files = {
    "people.json": { get: "people" },
    "balances.json": { get: "balances/{id}", each: "people.json", add: { person: "{id}" }, optional: true },
  };
  const pulled = async (of: (id: number) => number) => {
    const fake = await serve(({ path }) => {
      const code = path === "/people" ? 200 : of(Number(path.split("/")[2]));
      return code !== 200 ? status(code) : json(path === "/people" ? people : [{ days: 3 }]);
    });
    return { asked: fake.asked.length, ...(await pullHere({ base: fake.url, files })) };
  };
  const some = await pulled((id) => (id <= 3 ? 404 : id === 6 ? 403 : 200));
  const rows = JSON.parse(readFileSync(join(some.folder, "balances.json"), "utf8")) as { person: number }[];
  expect(rows.map(({ person }) => person)).toEqual([4, 5, 7, 8]);
  expect(some.record!.files["balances.json"]).toMatchObject({ rows: 4, refused: 4 });
  expect(some.notes).toEqual([
    "balances.json: the API refused 4 of 8 rows of people.json: balances.json, row 1 of people.json: GET balances/{id}: responded 404",
  ]);
  const none = await pulled(() => 403);
  expect(Object.keys(none.record!.files)).toEqual(["people.json"]);
  expect(none.notes[0]).toStartWith("left out: balances.json, row 3");
  expect((await pulled(() => 401)).error?.name).toBe("PathDenied");
});

test("a 403 of too many requests or of an expired token leaves nobody out", async () => {
  const people = Array.from({ length: 5 }, (_, at) => ({ id: at + 1 }));
  const pulled = async (refusal: Response, auth: object) => {
    let made = 0;
    let isRefused = false;
    const fake = await serve(({ path, headers }) => {
      if (path === "/auth") return json({ token: `token-${++made}` });
      if (path === "/people") return json(people);
      isRefused ||= path === "/balances/3";
      const isOld = () => ("token" in auth ? headers.get("authorization") === "Bearer token-1" : --left > 0);
      return isRefused && isOld() ? refusal.clone() : json([{ days: 3 }]);
    });
    let left = 3;
    const files = {
      "people.json": { get: "people" },
      "balances.json": { get: "balances/{id}", each: "people.json", optional: true },
    };
    const { error, record, waitedMs } = await pullHere({ base: fake.url, auth, files }, ENV);
    return [error?.message ?? record!.files["balances.json"]!, waitedMs];
  };
  const whole = {
    rows: 5,
    total: null,
    proof: "one page" as const,
    filled: {},
    sha256: expect.any(String) as string,
  };
  const key = { bearer: "{secret.KEY}" };
  const token = { token: { post: "auth", json: {}, at: "token" } };
  expect(await pulled(status(403, "", { "retry-after": "7" }), key)).toEqual([whole, 14_000]);
  for (const text of ["API rate limit exceeded", '{"code":"rate_limited"}', "Too many requests"])
    expect((await pulled(status(403, text), key))[0]).toEqual(whole);
  const expired = '{"message":"The incoming token has expired"}';
  expect(await pulled(status(403, expired), token)).toEqual([whole, 0]);
  expect((await pulled(status(403, expired), key))[0]).toBe(
    `balances.json, row 3 of people.json: GET balances/{id}: responded 403: ${expired}`,
  );
});

test("an optional file of which the API sent a page is not left out", async () => {
  const fake = await serve(({ path, query }) => {
    if (path === "/people") return json([{ id: 1 }, { id: 2 }]);
    return query.get("page") === "1" ? json(rows(1, 2)) : status(403);
  });
  const file = { pages: { page: "page", first: 1 }, optional: true };
  for (const [request, place] of [
    [{ get: "leave" }, "leave.json, page 2: GET leave"],
    [{ get: "leave/{id}", each: "people.json" }, "leave.json, row 1 of people.json, page 2: GET leave/{id}"],
  ] as const) {
    const files = { "people.json": { get: "people" }, "leave.json": { ...request, ...file } };
    const { error } = await pullHere({ base: fake.url, files });
    expect(error?.message).toBe(`${place}: responded 403`);
  }
});

test("a token is asked for, and once again when it has expired", async () => {
  let made = 0;
  let uses = 0;
  const fake = await serve(({ path, headers, text }) => {
    if (path === "/auth")
      return text === "id=me&secret=s3cret-of-nobody"
        ? json({ data: { token: `token-${++made}` } })
        : status(403);
    if (headers.get("authorization") !== `Bearer token-${made}` || ++uses === 3) {
      made += uses === 3 ? 0 : 1;
      return status(401, `expired: ${headers.get("authorization")}`);
    }
    return json({ data: uses > 5 ? [] : rows(uses) });
  });
  const auth = { token: { post: "auth", form: { id: "me", secret: "{secret.KEY}" }, at: "data.token" } };
  const files = { "people.json": { get: "people", rows: "data", pages: { page: "page", first: 1 } } };
  const pulled = await pullHere({ base: fake.url, auth, files }, ENV);
  expect(pulled.error).toBeNull();
  expect(fake.asked.filter((one) => one === "POST /auth").length).toBe(2);
  made = 100; // no token is right from now on
  const denied = await serve(({ path }) =>
    path === "/auth" ? json({ data: { token: "tok-of-nobody" } }) : status(401, "bad tok-of-nobody"),
  );
  const refused = await pullHere({ base: denied.url, auth, files }, ENV);
  expect(refused.error?.message).toBe("people.json, page 1: GET people: responded 401: bad ***");
  expect(denied.asked.length).toBe(2);
});

test("a refresh token that is used once is replaced in its file before the access token is used", async () => {
  const file = join(temporaryFolder(), "refresh");
  writeFileSync(file, "refresh-0\n");
  let [issued, used] = [0, 0];
  const fake = await serve(({ path, headers, json: { refresh } }) => {
    if (path === "/auth")
      return Number(String(refresh).slice(8)) < used
        ? status(400, "used")
        : json({ token: `access-${++issued}`, refresh: `refresh-${issued}` });
    if (headers.get("authorization") !== `Bearer access-${issued}`) return status(401);
    expect(readFileSync(file, "utf8")).toBe(`refresh-${issued}\n`);
    used = issued;
    return fake.asked.length === 3 ? status(401, "expired") : json(rows(2));
  });
  const token = {
    ...{ post: "auth", json: { refresh: "{secret.REFRESH}" }, at: "token" },
    renew: { REFRESH: "refresh" },
  };
  const content = {
    base: fake.url,
    auth: { token },
    files: { "a.json": { get: "a" }, "b.json": { get: "b" } },
  };
  for (const night of [1, 2]) {
    expect((await pullHere(content, { REFRESH_FILE: file })).error).toBeNull();
    expect(readFileSync(file, "utf8")).toBe(`refresh-${night + 1}\n`);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const asked = fake.asked.length;
  expect((await pullHere(content, { REFRESH: "refresh-3" })).error?.message).toBe(
    "auth.token: each REFRESH is used once, and the next is written into its file: set REFRESH_FILE to the path of a file that has it, and not REFRESH",
  );
  expect(fake.asked.length).toBe(asked);
  const broken = { ...content, auth: { token: { ...token, renew: { REFRESH: "refresh_token" } } } };
  expect((await pullHere(broken, { REFRESH_FILE: file })).error?.message).toBe(
    "auth.token: the response has no text at refresh_token",
  );
});

test("tells no secret: not in messages, nor in the folder", async () => {
  const file = join(temporaryFolder(), "key");
  writeFileSync(file, `${KEY}\n`);
  const echo = await serve(({ headers, path, query }) =>
    path === "/ok"
      ? json([{ id: 1 }])
      : status(
          400,
          JSON.stringify({ got: Object.fromEntries(headers), key: query.get("key"), long: "x".repeat(500) }),
        ),
  );
  for (const auth of [
    { bearer: "{secret.KEY}" },
    { basic: ["{secret.KEY}", "x"] },
    { header: { "x-key": "a {secret.KEY}" } },
  ]) {
    const content = {
      base: echo.url,
      auth,
      files: { "a.json": { get: "a/{secret.KEY}", query: { key: "{secret.KEY}" } } },
    };
    const { error } = await pullHere(content, { KEY_FILE: file });
    expect(error?.message).toMatch(/a.json: GET a\/\{secret.KEY\}: responded 400: .{200}…$/);
    expect(error?.message).not.toContain(KEY);
    expect(error?.message).not.toContain(btoa(`${KEY}:x`));
    const ok = await pullHere(
      { ...content, files: { "a.json": { get: "ok", query: { key: "{secret.KEY}" } } } },
      { KEY_FILE: file },
    );
    expect(JSON.stringify(contents(ok.folder))).not.toContain(KEY);
  }
  const missing = await pullHere({
    base: echo.url,
    auth: { bearer: "{secret.NONE}" },
    headers: { a: "{env.NOT}" },
    files: { "a.json": { get: "a" } },
  });
  expect(missing.error?.message).toBe(
    "the secret NONE is not there: set NONE, or NONE_FILE to the path of a file that has it\nthe variable NOT is not set",
  );
});

test.each([
  ["as it is escaped in an address", (sent: string) => `bad ${encodeURIComponent(sent)}`],
  ["behind other letters", (sent: string) => `bad /users/${sent.replace("Basic ", "")}`],
])("tells no name and password that an API repeats %s", async (_, repeated) => {
  const echo = await serve(({ headers }) => status(400, repeated(headers.get("authorization")!)));
  const content = {
    base: echo.url,
    auth: { basic: ["a", "{secret.KEY}"] },
    files: { "a.json": { get: "a" } },
  };
  const { error } = await pullHere(content, { KEY });
  expect(error?.message).toContain("***");
  expect(error?.message).not.toContain(btoa(`a:${KEY}`).slice(0, -4));
});

test("tells no secret that an API repeats as a query, a path or a form has it", async () => {
  const secret = "k!e'y* (ü)/&+%~";
  const upstream = new Upstream(
    { base: "https://api.example", files: {} },
    { variables: new Map(), secrets: new Map([["KEY", secret]]), secretFiles: new Map(), today: 0 },
    { now: () => 0, sleep: async () => {}, random: () => 0 },
    "0",
  );
  const [query, path] = [new URL(`https://api.example/?key=${secret}`), new URL("https://api.example/")];
  path.pathname = secret;
  for (const text of [query.href, path.href, `5% off, key=${new URLSearchParams({ a: secret })}`]) {
    const masked = upstream.masked(text);
    expect(masked).toContain("***");
    expect(masked).not.toMatch(/k(?:!|%21)e/i);
  }
  for (const encoding of ["base64", "base64url"] as const) {
    const pair = Buffer.from(`ana:${secret}`).toString(encoding);
    expect(upstream.masked(`bad ${pair}.`)).toBe("bad ***.");
  }
  expect(upstream.masked("100% of a+b%20c")).toBe("100% of a+b%20c");
});

test("changes since a day are refused if that day may begin after the last pull, in the API's own zone", async () => {
  const fake = await serve(() => json([{ id: 1 }]));
  // Today is 1 March 2026.
  const content = (days: string) => ({
    base: fake.url,
    files: {
      "a.json": {
        get: "a",
        query: { updated_since: `{today${days}}` },
        complete: { requests: { updatedSince: `{today${days}}` } },
      },
    },
  });
  const { folder, error } = await pullHere(content("-1d"));
  expect(error).toBeNull(); // there is no pull before
  const message = async (days: string, startedAt: string) => {
    const record = JSON.parse(textOf(folder, "pull.json"));
    writeFileSync(join(folder, "pull.json"), JSON.stringify({ ...record, startedAt }));
    return (await pullHere(content(days), {}, folder)).error?.message ?? null;
  };
  // In Honolulu, 28 February begins at 10:00 in UTC.
  expect(await message("-1d", "2026-02-28T08:00:00.000Z")).toBe(
    `a.json: has changes since 2026-02-28, and the last pull began at 2026-02-28T08:00:00.000Z: changes between may be lost, also where the API's time zone or clock is behind. Ask for more days, or remove the folder ${folder} if nothing changed`,
  );
  expect(await message("-7d", "2026-02-20T08:00:00.000Z")).toStartWith(
    "a.json: has changes since 2026-02-22",
  );
  expect(await message("-2d", "2026-02-28T08:00:00.000Z")).toBeNull();
  expect(await message("-1d", "2026-03-01T07:00:00.000Z")).toBeNull(); // an hour ago
});

test("replaces a folder that a pull wrote, and no other", async () => {
  const fake = await serve(() => json([{ id: 1 }]));
  const content = { base: fake.url, files: { "a.json": { get: "a" } } };
  const place = join(temporaryFolder(), "hr");
  mkdirSync(place);
  writeFileSync(join(place, "mine.txt"), "mine");
  const refused = await pullHere(content, {}, place);
  expect(refused.error?.message).toMatch(
    /exists, but no pull wrote it \(it has no pull.json\): name another folder/,
  );
  expect(contents(place)).toEqual({ "mine.txt": "mine" });
  // What a pull left that was killed: while it wrote, and between its two renames.
  const { folder } = await pullHere(content);
  mkdirSync(`${folder}.new`);
  writeFileSync(join(`${folder}.new`, "pull.json"), "{}");
  expect((await pullHere(content, {}, folder)).error).toBeNull();
  renameSync(folder, `${folder}.before`);
  fake.fault = () => status(500);
  expect((await pullHere(content, {}, folder)).error).not.toBeNull();
  expect(Object.keys(contents(folder)!).sort()).toEqual(["a.json", "pull.json"]);
  expect(readdirSync(join(folder, ".."))).toEqual(["hr"]);
});

test("a record that cannot be read is refused: without it, an import would prune older rows", () => {
  const folder = temporaryFolder();
  expect(readRecord(folder)).toBeNull();
  mkdirSync(join(folder, "pull.json"));
  expect(() => readRecord(folder)).toThrow("pull.json cannot be read (EISDIR)");
});
