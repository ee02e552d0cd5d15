// Property: a text that is no position of this company and these resources gets its error (400 or 410), never a page. Also:
// what is wrong with the other parameters, and the scopes.
import { describe, expect, test } from "bun:test";
import { LIST_KINDS, LISTS } from "../../../../src/resources/kinds.ts";
import { randomOf } from "../../../support/random-rows.ts";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey, change, putFacts } from "../../../support/stores.ts";
import { foreignPosition, madeUpPosition, partsOfPosition } from "../../positions.ts";
import { problemOf, startService } from "../../service.ts";
import { changesOf, PATH } from "./changes.ts";

const service = await startService();
for (const id of ["acme", "other", "again"]) await addCompany(service.writer, id, sampleFacts());
const key = await addKey(service.writer, "acme");
const otherKey = await addKey(service.writer, "other");

const call = (query: string, as = key) => service.call(`${PATH}?${query}`, { key: as });
const positionOf = async (query = "", as = key) => changesOf(await call(query, as)).position;
const refusal = async (after: string, query = "") => {
  const response = await call(`after=${encodeURIComponent(after)}${query}`);
  return [response.status, response.status === 200 ? null : problemOf(response).code];
};

const INVALID = [400, "invalid_parameter"];
const GONE = [410, "position_gone"];

describe("parameters", () => {
  test.each([
    "limit=0",
    "limit=1001",
    "limit=x",
    "resources=people",
    "resources=",
    "afterId=wrk_a",
    "after=now&after=now",
  ])("%s", async (query) => {
    const response = await call(query);
    expect(response.status).toBe(400);
    expect(problemOf(response).errors).toMatchObject([{ parameter: query.split("=")[0] }]);
  });
});

test("a malformed position is reported with all other errors", async () => {
  const { errors } = problemOf(await call("after=p1_x&limit=0&resources=people"));
  expect(errors?.map(({ parameter }) => parameter).toSorted()).toEqual(["after", "limit", "resources"]);
});

describe("positions", () => {
  test.each([
    "",
    "p1_",
    "NOW",
    "0",
    "p2_MQ",
    "p1_MQ",
    "wrk_ana",
    "p1_====",
    "p1_\u0000",
    "p1_é",
    "p".repeat(9000),
  ])("%p is malformed", async (after) => expect(await refusal(after)).toEqual(INVALID));

  test.each([
    ".t.1.0123456789abcdef.end.", // no resources
    "all+.t.1.0123456789abcdef.end.",
    "people.t.1.0123456789abcdef.end.", // unknown ones
    "all.x.1.0123456789abcdef.end.", // of no kind
    "all.t.01.0123456789abcdef.end.", // spelled otherwise
    "all.t.-1.0123456789abcdef.end.",
    "all.t.1.0123456789ABCDEF.end.",
    "all.t.1.0123456789abcdef.begin.", // of no step
    "all.t.1.0123456789abcdef.end.wrk_a", // after everything, and after an object
    "all.t.1.0123456789abcdef.workers.tor_1", // an id of another kind
    "all.t.0.0123456789abcdef.workers.wrk_a", // in an import before the first
    "all.s.0.0123456789abcdef.workers.",
    "all.s.1.0123456789abcdef.gone-balances.",
    "all.s.1.0123456789abcdef.end.",
    "all.t.1.0123456789abcdef.workers.wrk_a' or 1=1 --",
    `all.t.${"9".repeat(400)}.0123456789abcdef.end.`,
  ])("%s is malformed, also with the checksum that fits", async (parts) =>
    expect(await refusal(madeUpPosition(parts))).toEqual(INVALID),
  );

  test("of other resources", async () => {
    const position = await positionOf("resources=workers");
    expect(await refusal(position)).toEqual(INVALID);
    expect(await refusal(position, "&resources=workers,policies")).toEqual(INVALID);
    expect(await refusal(position, "&resources=workers,workers")).toEqual([200, null]);
    // Who names every resource of today holds a position of these, also once there are more; and today all are the same.
    const resources = [...LIST_KINDS, "balances"];
    const everything = `&resources=${resources.join(",")}`;
    const named = await positionOf(everything.slice(1));
    expect(partsOfPosition(named)).toStartWith(`${resources.join("+")}.`);
    expect(await refusal(named, everything)).toEqual([200, null]);
    expect(await refusal(named)).toEqual([200, null]);
    expect(await refusal(await positionOf(), everything)).toEqual([200, null]);
  });

  test("of another company, of another store, or of the future", async () => {
    expect(await refusal(await positionOf("", otherKey))).toEqual(GONE);
    expect(await refusal(foreignPosition())).toEqual(GONE);
    const parts = partsOfPosition(await positionOf());
    expect(await refusal(madeUpPosition(parts))).toEqual([200, null]);
    for (const seq of ["0", "2", "999999999999999"]) {
      expect(await refusal(madeUpPosition(parts.replace(/^all\.t\.1\./, `all.t.${seq}.`)))).toEqual(GONE);
    }
  });

  test("older than the removals that are kept", async () => {
    const position = await positionOf("after=now");
    await service.writer.change("acme", async (transaction) => {
      await transaction.remove("requests", [["tor_2"]]);
      return { result: null, changed: true, commit: true, keepRemovalsMs: 0 };
    });
    expect(await refusal(position)).toEqual(GONE);
    expect(await refusal(await positionOf("after=now"))).toEqual([200, null]);
  });

  test("of a company that was deleted and made again", async () => {
    const again = await addKey(service.writer, "again");
    const position = await positionOf("", again);
    await service.writer.deleteCompany("again");
    await addCompany(service.writer, "again", sampleFacts());
    const response = await call(`after=${position}`, await addKey(service.writer, "again"));
    expect([response.status, problemOf(response).code]).toEqual(GONE);
  });

  test("random changes of a position are never taken for one", async () => {
    await putFacts(service.writer, "acme", sampleFacts(" again"));
    await change(service.writer, "acme", (transaction) => transaction.remove("requests", [["tor_1"]]));
    const positions = [
      await positionOf("limit=2"),
      await positionOf("after=now"),
      await positionOf("limit=7"),
    ];
    const random = randomOf(7);
    for (let time = 0; time < 600; time++) {
      const position = positions[random(positions.length)]!;
      const at = random(position.length);
      const character = String.fromCharCode(
        [random(128), random(0x3000), 48 + random(10), 97 + random(26)][random(4)]!,
      );
      const cut = random(3);
      const edited =
        cut === 0
          ? position.slice(0, at) + character + position.slice(at + 1)
          : cut === 1
            ? position.slice(0, at) + position.slice(at + 1 + random(4))
            : position.slice(0, at) + character + position.slice(at);
      if (positions.includes(edited)) continue;
      expect([edited, ...(await refusal(edited))]).toEqual([edited, ...INVALID]);
    }
  });

  test("random parts with the checksum that fits are refused or followed, and never an error of the server", async () => {
    const parts = partsOfPosition(await positionOf("limit=2"));
    const random = randomOf(8);
    for (let time = 0; time < 400; time++) {
      const fields = parts.split(".");
      const at = random(fields.length);
      fields[at] = [
        "0",
        "1",
        "7",
        "10",
        "31",
        "s",
        "b",
        "t",
        "",
        "wrk_zz",
        "tor_1",
        "9".repeat(15),
        "\u0000",
        "%",
      ][random(14)]!;
      const [status] = await refusal(madeUpPosition(fields.join(".")));
      expect([fields, [200, 400, 410].includes(Number(status))]).toEqual([fields, true]);
    }
  });
});

describe("scopes", () => {
  test.each([
    ["workers:read", "resources=workers", 200],
    ["workers:read", "resources=workers,balances", 403],
    ["workers:read", "", 403],
    ["time_off:read", "resources=policies,requests,assignments,balances", 200],
    ["time_off:read", "resources=requests,workers", 403],
    ["time_off:read", "", 403],
  ] as const)("%s: %s is %i, also if another key's response is cached", async (scope, query, status) => {
    for (let time = 0; time < 3; time++) expect((await call(query)).status).toBe(200);
    const response = await call(query, await addKey(service.writer, "acme", { scopes: [scope] }));
    expect(response.status).toBe(status);
    if (status === 403) expect(problemOf(response).code).toBe("missing_scope");
  });

  test("a key that may read none of the resources is not told to ask for nothing", async () => {
    const away = await addKey(service.writer, "acme", {
      access: { level: "away", workers: [], departments: [], managers: [] },
    });
    expect(problemOf(await call("resources=workers", away)).detail).toBe(
      "This API key lacks the scope workers:read, which workers require.",
    );
    const bare = await addKey(service.writer, "acme", { scopes: ["workers:read"] });
    const allowed = LIST_KINDS.filter((kind) => LISTS[kind].api.scope === "workers:read");
    expect(problemOf(await call("resources=requests", bare)).detail).toBe(
      `This API key lacks the scope time_off:read, which requests require. It may ask for resources=${allowed}.`,
    );
  });
});
