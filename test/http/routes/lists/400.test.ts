// The rules that every list shares.
import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { LISTS } from "../../endpoints.ts";
import { problemOf, startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

async function errorsAt(path: string) {
  const response = await service.call(path, { key });
  expect(response.status).toBe(400);
  const problem = problemOf(response);
  expect(problem.code).toBe("invalid_parameter");
  return problem.errors!;
}

const LIMITS = [
  "0",
  "00",
  "101",
  "1000",
  "99999999999999999999",
  "-1",
  "abc",
  "٣",
  "１",
  "1.0",
  "1e1",
  "0x1",
  "+5",
  "%2B5",
  "5%20",
  "1,2",
  "1%00",
  "5%0A",
  "NaN",
];

describe.each(LISTS)("$name", ({ path, absentId, wrongKindIds }) => {
  test.each(LIMITS)("limit=%s", async (limit) => {
    const [error, ...others] = await errorsAt(`${path}?limit=${limit}`);
    expect(others).toEqual([]);
    expect(error).toMatchObject({ parameter: "limit", detail: expect.stringMatching(/1 (to|and) 100/) });
  });

  test("both cursors", async () => {
    const response = await service.call(`${path}?afterId=${absentId}&beforeId=${absentId}`, { key });
    const { errors, detail } = problemOf(response);
    expect(errors).toEqual([
      { parameter: "afterId", detail: "cannot be used with beforeId: give one of the two" },
      { parameter: "beforeId", detail: "cannot be used with afterId: give one of the two" },
    ]);
    expect(detail).toBe(errors!.map((error) => `${error.parameter}: ${error.detail}`).join("; "));
  });

  const malformed = [
    "",
    "%20",
    "a%20b",
    "a.b",
    "%00",
    `${absentId}%00`,
    "é",
    "x".repeat(141),
    `${absentId},${absentId}`,
  ];

  describe.each(["afterId", "beforeId"])("%s", (cursor) => {
    test.each([...wrongKindIds, ...malformed])("%s is not an id of this list", async (id) => {
      const [error, ...others] = await errorsAt(`${path}?${cursor}=${id}`);
      expect(others).toEqual([]);
      expect(error!.parameter).toBe(cursor);
      expect(error!.detail).toContain(" id");
      expect(error!.detail.length).toBeLessThan(400);
    });
  });

  const singles = ["limit=5", `afterId=${absentId}`, `beforeId=${absentId}`];

  test.each(singles)("%s twice", async (pair) => {
    const name = pair.split("=")[0]!;
    for (const query of [`${pair}&${pair}`, `${pair}&${pair}&${pair}`, `${pair}&${name}=`]) {
      const errors = await errorsAt(`${path}?${query}`);
      expect(errors).toEqual([{ parameter: name, detail: "is given more than once: give it once" }]);
    }
  });

  test.each([
    ["limits", "limit"],
    ["Limit", "limit"],
    ["limit[]", "limit"],
    ["limit[0]", "limit"],
    ["limt", "limit"],
    ["after_id", "afterId"],
    ["afterID", "afterId"],
    ["beforId", "beforeId"],
    ["beforeID[x]", "beforeId"],
  ])("%s is unknown: did you mean %s?", async (sent, meant) => {
    const errors = await errorsAt(`${path}?${sent}=1`);
    expect(errors).toEqual([{ parameter: sent, detail: `is not known here: did you mean \`${meant}\`?` }]);
  });

  test.each([
    "q",
    "page",
    "offset",
    "constructor",
    "__proto__",
    "hasOwnProperty",
    "toString[]",
    "[]",
    "[0]",
    "%00",
    "🙂",
    "x".repeat(9000),
  ])("%s is unknown and like nothing", async (sent) => {
    const [error, ...others] = await errorsAt(`${path}?${sent}=1`);
    expect(others).toEqual([]);
    const name = decodeURIComponent(sent);
    expect(error!.parameter).toBe(name.length > 100 ? `${name.slice(0, 100)}…` : name);
    expect(error!.detail).toStartWith("is not known here: ");
  });

  test("a pair without a name", async () => {
    expect((await errorsAt(`${path}?=1`)).map(({ parameter }) => parameter)).toEqual([""]);
  });

  test("every bad parameter is reported once, and the detail names all of them", async () => {
    const query = `limit=0&afterId=!&wrong=1&wrong=2&beforeId=${absentId}&beforeId=${absentId}&Wrong[0]=`;
    const response = await service.call(`${path}?${query}`, { key });
    const { errors, detail } = problemOf(response);
    expect(errors!.map(({ parameter }) => parameter).sort()).toEqual([
      "Wrong[0]",
      "afterId",
      "beforeId",
      "limit",
      "wrong",
    ]);
    for (const error of errors!) expect(detail).toContain(error.parameter);
  });

  test("of many bad parameters, the first 20 are reported, and how many more there are", async () => {
    const names = Array.from({ length: 1500 }, (_, number) => `n${number.toString(36)}`);
    const response = await service.call(`${path}?${names.join("&")}`, { key });
    const { errors, detail } = problemOf(response);
    expect(errors!.map(({ parameter }) => parameter)).toEqual(names.slice(0, 20));
    expect(detail).toEndWith("; and 1480 more bad parameters");
    expect(response.text.length).toBeLessThan(13_000);
  });

  test("a query of absurdly many parameters is one error", async () => {
    const query = Array.from({ length: 2001 }, (_, number) => `n${number.toString(36)}`).join("&");
    const response = await service.call(`${path}?${query}`, { key });
    expect(problemOf(response).errors).toEqual([
      { parameter: "(query)", detail: "has 2001 parameters: send at most 2000" },
    ]);
  });

  test("an absurdly long name or value is not repeated as a whole", async () => {
    for (const query of ["x".repeat(15_000), `limit=${"9".repeat(15_000)}x`, `afterId=${"é".repeat(2000)}`]) {
      const response = await service.call(`${path}?${query}`, { key });
      expect(response.status).toBe(400);
      expect(response.text.length).toBeLessThan(2000);
    }
  });

  test("a refusal is repeated and never cached", async () => {
    const first = await service.call(`${path}?limit=0`, { key });
    const second = await service.call(`${path}?limit=0`, { key });
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(problemOf(first).requestId).not.toBe(problemOf(second).requestId);
    expect(first.headers.get("cache-control")).toBe("no-store");
    expect(first.headers.has("etag")).toBe(false);
  });
});
