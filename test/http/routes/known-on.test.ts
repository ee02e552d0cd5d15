// `knownOn`: which moments it takes, whom it shows to whom, and that links, tags and the cache keep it.
import { expect, setSystemTime, spyOn, test } from "bun:test";
import { ResponseCache } from "../../../src/http/middleware/cache.ts";
import { openApiDocument } from "../../../src/resources/openapi/document.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change, createCompany } from "../../support/stores.ts";
import { problemOf, type Service, startService } from "../service.ts";

const TODAY = new Date().toISOString().slice(0, 10);
const service = await startService({ today: () => TODAY, cache: new ResponseCache(1e6) });
const ids = ["wrk_ana", "wrk_bob", "wrk_cy"];
await addCompany(service.writer, "acme", {
  workers: ids.map((id) => workerRow(id, { position: `first of ${id}`, department: "Sales" })),
  policies: [policyRow("top_a")],
  assignments: ids.map((id) => assignmentRow(`toa_${id}`, id, "top_a")),
  requests: ids.map((id) => requestRow(`tor_${id}`, id, "top_a", { reason: `first reason of ${id}` })),
});
await Bun.sleep(5);
const then = new Date().toISOString();
await Bun.sleep(5);
await change(service.writer, "acme", async (one) => {
  await one.put(
    "workers",
    ids.map((id) => workerRow(id, { position: `second of ${id}`, department: "Sales" })),
  );
  await one.put(
    "requests",
    ids.map((id) => requestRow(`tor_${id}`, id, "top_a", { reason: `second reason of ${id}` })),
  );
});
const key = await addKey(service.writer, "acme");

const get = (path: string, own = key) => service.call(path, { key: own });

test("every path takes a moment but the change feed and those of closes", () => {
  const { paths } = openApiDocument() as {
    readonly paths: Record<string, { readonly get: { readonly parameters: readonly { name?: string }[] } }>;
  }; // all paths are read
  const without = Object.entries(paths).flatMap(([path, { get }]) =>
    get.parameters.some(({ name }) => name === "knownOn") ? [] : [path],
  );
  const closes = ["", "/{id}", "/{id}/differences"].map((end) => `/v1/time_off/closes${end}`);
  expect(without).toEqual([...closes, "/v1/changes"]);
});

test("an unknown, future or malformed moment is refused; the error says what would be right", async () => {
  const detailOf = async (path: string, own = key) => {
    const response = await get(path, own);
    expect(response.status).toBe(400);
    return [problemOf(response).code, problemOf(response).detail];
  };
  const [code, detail] = await detailOf("/v1/workers?knownOn=2020-01-01");
  expect(code).toBe("not_known");
  const { knownSince } = JSON.parse((await get("/v1/company")).text);
  expect(detail).toBe(`knownOn: nothing is known of that moment: ask for ${knownSince} or later.`);
  expect((await get(`/v1/workers?knownOn=${knownSince}`)).status).toBe(200);
  expect(await detailOf("/v1/workers?knownOn=2100-01-01")).toEqual([
    "not_known",
    "knownOn: 2100-01-01 is still to come: ask for a day until today.",
  ]);
  const tomorrow = new Date(Date.parse(TODAY) + 86_400_000).toISOString();
  const soon = new Date(Date.now() + 60_000).toISOString(); // what is known then may be another body
  for (const text of [soon, tomorrow, tomorrow.slice(0, 10)])
    expect((await detailOf(`/v1/workers?knownOn=${text}`))[1]).toContain("is still to come");
  for (const text of ["yesterday", "2026-02-30", "2026-03-01T09:00:00", ""])
    expect((await detailOf(`/v1/workers/wrk_ana?knownOn=${text}`))[0]).toBe("invalid_parameter");
  expect((await detailOf(`/v1/workers?knownOn=${then}&knownOn=${then}`))[0]).toBe("invalid_parameter");
  expect((await detailOf(`/v1/changes?knownOn=${then}`))[0]).toBe("invalid_parameter");
  await createCompany(service.writer, "new");
  const ofNew = await addKey(service.writer, "new");
  expect(JSON.parse((await get("/v1/company", ofNew)).text).knownSince).toBeNull();
  const [, nothing] = await detailOf(`/v1/workers?knownOn=${TODAY}`, ofNew);
  expect(nothing).toBe("knownOn: nothing was imported yet: leave it out.");
});

test("a day of the company's zone is to come until it begins there, also if it begins on today's UTC day", async () => {
  const inEast = await startService({ today: () => "2026-03-01" });
  setSystemTime(Date.parse("2026-03-01T09:00:00Z"));
  try {
    await inEast.writer.createCompany({
      id: "acme",
      name: "Acme",
      timeZone: "Pacific/Kiritimati",
      createdAtMs: 1,
    });
    await change(inEast.writer, "acme", (one) => one.put("workers", [workerRow("wrk_ana")]));
    const own = await addKey(inEast.writer, "acme");
    const tomorrow = async () => (await inEast.call("/v1/workers?knownOn=2026-03-02", { key: own })).status;
    expect(await tomorrow()).toBe(400); // 23:00 there
    setSystemTime(Date.parse("2026-03-01T10:00:00Z"));
    expect(await tomorrow()).toBe(200);
  } finally {
    setSystemTime();
  }
});

/** Returns a function that changes a worker's position at a moment. */
function positionsIn({ writer }: Service) {
  return (at: string, position: string) => {
    setSystemTime(Date.parse(at));
    return change(writer, "acme", (one) => one.put("workers", [workerRow("wrk_ana", { position })]));
  };
}

test("a moment between two milliseconds knows no more than the earlier one, and is of its day", async () => {
  const own = await startService({ today: () => "2026-03-03" });
  const positionAt = positionsIn(own);
  try {
    setSystemTime(Date.parse("2026-03-01T12:00:00Z"));
    await addCompany(own.writer, "acme", { workers: [workerRow("wrk_ana", { position: "Baker" })] });
    await positionAt("2026-03-02T00:00:00Z", "Cook");
    setSystemTime(Date.parse("2026-03-03T12:00:00Z"));
    const call = await addKey(own.writer, "acme");
    const knownOn = (moment: string) => own.call(`/v1/workers?knownOn=${moment}`, { key: call });
    expect((await knownOn("2026-03-01T23:59:59.9999Z")).text).toContain("Baker");
    expect((await knownOn("2026-03-02T00:00:00.0009Z")).text).toContain("Cook");
    expect((await knownOn("2026-03-01T11:59:59.9995Z")).status).toBe(400); // nothing was known yet
    const days = "/v1/time_off/days?from=2026-03-01T23:59:59.9999Z&to=2026-03-01";
    expect((await own.call(days, { key: call })).status).toBe(200); // not from the next day on
  } finally {
    setSystemTime();
  }
});

test("after a clock that was a year ahead, a moment that may be before or after that change is refused", async () => {
  const own = await startService({ today: () => "2026-03-05" });
  const positionAt = positionsIn(own);
  try {
    setSystemTime(Date.parse("2026-03-01T12:00:00Z"));
    await addCompany(own.writer, "acme", { workers: [workerRow("wrk_ana", { position: "Baker" })] });
    await positionAt("2026-03-01T18:00:00Z", "Clerk");
    await positionAt("2027-03-02T12:00:00Z", "Cook"); // in truth on 2 March 2026
    await positionAt("2026-03-03T12:00:00Z", "Driver");
    setSystemTime(Date.parse("2026-03-05T12:00:00Z"));
    const call = await addKey(own.writer, "acme");
    const knownOn = (moment: string) => own.call(`/v1/workers?knownOn=${moment}`, { key: call });
    expect((await knownOn("2026-03-01T17:00:00Z")).text).toContain("Baker");
    expect((await knownOn("2026-03-01T18:00:00Z")).text).toContain("Clerk");
    for (const moment of ["2026-03-01", "2026-03-02T09:00:00Z", "2026-03-03", "2026-03-05"])
      expect(problemOf(await knownOn(moment))).toMatchObject({
        code: "not_known",
        detail:
          "knownOn: a clock was ahead: the first change after 2026-03-01T18:00:00.000Z is dated 2027-03-02T12:00:00.000Z, and may have been known then or not: ask for 2026-03-01T18:00:00.000Z or earlier, or leave it out.",
      });
    // The moments of the changes, which closes have.
    expect((await knownOn("2027-03-02T12:00:00.000Z")).text).toContain("Cook");
    expect((await knownOn("2027-03-02T12:00:00.001Z")).text).toContain("Driver");
    expect((await knownOn("2027-03-02T12:00:00.002Z")).text).toContain("is still to come");
  } finally {
    setSystemTime();
  }
});

test("another zone of the company moves no day that was over, and the days from then on end in it", async () => {
  const own = await startService({ today: () => "2026-03-09" });
  const positionAt = positionsIn(own);
  try {
    setSystemTime(Date.parse("2026-03-01T12:00:00Z"));
    await addCompany(own.writer, "acme", { workers: [workerRow("wrk_ana", { position: "Baker" })] });
    await positionAt("2026-03-02T20:30:00Z", "Cook");
    setSystemTime(Date.parse("2026-03-04T00:00:00Z"));
    const call = await addKey(own.writer, "acme");
    const known = async (day: string) =>
      JSON.parse((await own.call(`/v1/workers/wrk_ana?knownOn=${day}`, { key: call })).text).position;
    expect(await known("2026-03-02")).toBe("Cook");
    await change(own.writer, "acme", (one) => one.updateCompany({ timeZone: "Pacific/Kiritimati" }));
    await positionAt("2026-03-05T20:30:00Z", "Driver"); // on the 6th there
    setSystemTime(Date.parse("2026-03-09T12:00:00Z"));
    expect([await known("2026-03-02"), await known("2026-03-05"), await known("2026-03-06")]).toEqual([
      ...["Cook", "Cook", "Driver"],
    ]);
  } finally {
    setSystemTime();
  }
});

test("links and pages keep knownOn, and each moment has its own body and tag, also from the cache", async () => {
  const path = `/v1/workers?limit=1&knownOn=${then}`;
  const first = await get(path);
  expect(first.text).toContain("first of wrk_ana");
  const next = /<([^>]*)>; rel="next"/.exec(first.headers.get("link")!)![1]!;
  expect(new URLSearchParams(next.split("?")[1]).get("knownOn")).toBe(then);
  expect((await get(next)).text).toContain("first of wrk_bob");
  const now = await get("/v1/workers?limit=1");
  expect(now.text).toContain("second of wrk_ana");
  expect(now.headers.get("etag")).not.toBe(first.headers.get("etag"));
  const again = await get(path);
  expect([again.text, again.headers.get("etag")]).toEqual([first.text, first.headers.get("etag")]);
  expect((await get(`/v1/workers?limit=1&knownOn=${TODAY}`)).text).toBe(now.text); // the day is not over
});

test("a key sees of the past only what it may see now, in every format", async () => {
  const access = { workers: ["wrk_ana"], departments: [], managers: [] };
  const some = await addKey(service.writer, "acme", { access: { ...access, level: "everything" } });
  const noReasons = await addKey(service.writer, "acme", { access: { ...access, level: "no-reasons" } });
  for (const path of [
    ...["/v1/workers", "/v1/workers/wrk_ana", "/v1/time_off/requests", "/v1/time_off/requests/tor_wrk_ana"],
    ...["/v1/time_off/balances", "/v1/time_off/assignments", "/v1/time_off/movements?groupBy=worker"],
  ])
    for (const accept of ["application/json", "text/csv", "application/x-ndjson"])
      for (const own of [some, noReasons]) {
        const { status, body } = await service.raw(
          `${path}${path.includes("?") ? "&" : "?"}knownOn=${then}`,
          {
            key: own,
            headers: { accept },
          },
        );
        const text = new TextDecoder().decode(body);
        expect([path, status]).toEqual([path, 200]);
        expect(text).toContain("ana");
        expect(text).not.toMatch(/wrk_bob|wrk_cy|second/);
        if (own === noReasons) expect(text).not.toContain("reason of");
      }
  expect((await get(`/v1/workers/wrk_bob?knownOn=${then}`, some)).status).toBe(404);
});

test("what an import forgets while it is read is refused, and never what is known now", async () => {
  const { reader, writer } = service;
  for (const accept of ["application/json", "text/csv"]) {
    const id = `forgets-${accept.slice(-3)}`;
    await addCompany(writer, id, { workers: [workerRow("wrk_ana", { position: "first" })] });
    const own = await addKey(writer, id);
    await Bun.sleep(5);
    const moment = new Date().toISOString();
    await Bun.sleep(5);
    const knownAt = reader.knownAt.bind(reader);
    const spy = spyOn(reader, "knownAt").mockImplementationOnce(async (...asked) => {
      const known = await knownAt(...asked);
      await change(writer, id, async (one) => {
        await one.updateCompany({ history: "none" });
        await one.put("workers", [workerRow("wrk_ana", { position: "second" })]);
      });
      return known;
    });
    const path = `/v1/workers?knownOn=${moment}`;
    const { status, body } = await service.raw(path, { key: own, headers: { accept } });
    spy.mockRestore();
    expect([accept, status, new TextDecoder().decode(body)]).toEqual([
      ...[accept, 400],
      expect.stringContaining("nothing is known of that moment: ask for "),
    ]);
  }
});

test("a day that ended east of UTC is not moved by the next zone, nor is the day of a first import west of it", async () => {
  const own = await startService({ today: () => "2026-03-09" });
  const at = (text: string) => setSystemTime(Date.parse(text));
  try {
    const zones = { east: "Asia/Tokyo", west: "America/Los_Angeles" };
    at("2026-03-02T05:00:00Z"); // still the 1st in Los Angeles
    for (const [id, timeZone] of Object.entries(zones)) {
      await createCompany(own.writer, id);
      await change(own.writer, id, async (one) => {
        await one.updateCompany({ timeZone });
        await one.put("workers", [workerRow("wrk_ana", { position: "Baker" })]);
      });
    }
    at("2026-03-05T18:00:00Z"); // 3 o'clock on the 6th in Tokyo
    for (const id of Object.keys(zones))
      await change(own.writer, id, (one) => one.put("workers", [workerRow("wrk_ana", { position: "Cook" })]));
    at("2026-03-05T20:00:00Z");
    const keys = [await addKey(own.writer, "east"), await addKey(own.writer, "west")];
    const days = ["2026-03-01", "2026-03-02", "2026-03-05"];
    const known = () =>
      Promise.all(
        keys.flatMap((call) =>
          days.map(async (day) => {
            const { text } = await own.call(`/v1/workers/wrk_ana?knownOn=${day}`, { key: call });
            return JSON.parse(text).position ?? JSON.parse(text).code;
          }),
        ),
      );
    const all = [...["not_known", "Baker", "Baker"], ...["Baker", "Baker", "Cook"]];
    expect(await known()).toEqual(all);
    await change(own.writer, "east", (one) => one.updateCompany({ timeZone: "Europe/Berlin" }));
    await change(own.writer, "west", (one) => one.updateCompany({ timeZone: "Asia/Tokyo" }));
    at("2026-03-09T12:00:00Z");
    expect(await known()).toEqual(all);
  } finally {
    setSystemTime();
  }
});

test("what an import forgets is not sent from the cache either, though the import changes nothing", async () => {
  const { writer } = service;
  const nothing = () => writer.change("kept", async () => ({ result: null, changed: false, commit: true }));
  await addCompany(writer, "kept", { workers: [workerRow("wrk_ana", { position: "first" })] });
  const own = await addKey(writer, "kept");
  await Bun.sleep(5);
  const moment = new Date().toISOString();
  await Bun.sleep(5);
  await change(writer, "kept", (one) => one.put("workers", [workerRow("wrk_ana", { position: "second" })]));
  const version = () => service.reader.version("kept");
  const before = await version();
  await nothing();
  expect(await version()).toBe(before);
  await writer.change("kept", async (one) => {
    await one.updateCompany({ history: "none" });
    return { result: null, changed: true, commit: true, times: { dataAsOfMs: 1, changedAtMs: 1 } };
  });
  const status = async () => (await get(`/v1/workers?knownOn=${moment}`, own)).status;
  expect([await status(), await status()]).toEqual([200, 200]);
  await nothing();
  expect(await status()).toBe(400);
});

test("nothing of another company is known", async () => {
  await addCompany(service.writer, "other", { workers: [workerRow("wrk_ana", { position: "of other" })] });
  const other = await addKey(service.writer, "other");
  expect((await get(`/v1/workers?knownOn=${then}`, other)).status).toBe(400);
  expect((await get(`/v1/workers?knownOn=${new Date().toISOString()}`, other)).text).not.toContain("of wrk_");
});
