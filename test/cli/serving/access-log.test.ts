// `serve --access-log`: a line for each read of people's data, by a key, a person, a stream, a tool or a feed, and of nothing else.
import { expect, test } from "bun:test";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Look } from "../../../src/http/looks.ts";
import { CONTRACTS } from "../../../src/resources/endpoints.ts";
import { secretOf } from "../../../src/resources/ids.ts";
import { LISTS } from "../../../src/resources/kinds.ts";
import { dayOfText } from "../../../src/time/day.ts";
import { connectTo } from "../../http/mcp/assistant.ts";
import { startService, TODAY } from "../../http/service.ts";
import { assignmentRow, departmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, closePeriod, makeFeed, putFacts } from "../../support/stores.ts";
import { done, inFolderWithCompany, rollcallHere, whileServing } from "../command.ts";

const looks: Look[] = [];
const service = await startService({
  looked: (look) => looks.push(look),
  proxyAuth: {
    userHeader: "x-user",
    groupsHeader: null,
    rules: [{ group: "*", companyId: "acme", access: "self+away" }],
  },
});
await addCompany(service.writer, "acme", {
  departments: [departmentRow("dpt_1")],
  workers: ["ana", "bob"].map((name) =>
    workerRow(`wrk_${name}`, { workEmail: `${name}@acme.example`, displayName: name }),
  ),
  policies: [policyRow("top_1")],
  assignments: [assignmentRow("asg_1", "wrk_ana", "top_1")],
  requests: [requestRow("tor_1", "wrk_ana", "top_1", { reason: "a secret" })],
});
await closePeriod(service, "acme", "2025-01", {
  firstDay: dayOfText("2025-01-01"),
  lastDay: dayOfText("2025-01-31"),
});
await putFacts(service.writer, "acme", {
  assignments: [assignmentRow("asg_2", "wrk_bob", "top_1", "2025-01-01T00:00:00.000Z")],
});
const key = await addKey(service.writer, "acme");
const keyId = (await service.writer.keys("acme"))[0]!.id;

async function looksOf(path: string, call: Parameters<typeof service.call>[1]) {
  looks.length = 0;
  const { status } = await service.raw(path, call);
  return { status, looks: looks.map(({ requestId, companyId, ...look }) => look) };
}

test("each endpoint of people's data is noted once a read, cached or not, with how many objects or which one", async () => {
  const OF_COMPANY = [
    "/v1/company",
    ...Object.values(LISTS).flatMap(({ isOfCompany, api }) => (isOfCompany ? [String(api.path)] : [])),
    "/v1/time_off/closes",
  ];
  const ids: Readonly<Record<string, string>> = {
    "/v1/workers/{id}": "wrk_ana",
    "/v1/workers/{id}/schedule": "wrk_ana",
    "/v1/time_off/requests/{id}": "tor_1",
    "/v1/time_off/balances/{id}": "tob_03ana1",
    "/v1/departments/{id}": "dpt_1",
    "/v1/time_off/policies/{id}": "top_1",
    "/v1/time_off/closes/{id}": "2025-01",
    "/v1/time_off/closes/{id}/differences": "2025-01",
  };
  for (const { path } of CONTRACTS)
    for (const isAgain of [false, true]) {
      const id = path.includes("{id}") ? (ids[path] ?? "none") : undefined;
      const query = path.endsWith("preview") ? "?workerId=wrk_ana&policyId=top_1&startAt=2026-08-03" : "";
      const { status, looks } = await looksOf(path.replace("{id}", id ?? "") + query, { key });
      const isOfPeople = !OF_COMPANY.includes(path.replace(/\/\{id\}$/, ""));
      if (path.endsWith("expirations")) continue; // nothing will be lost
      expect([path, status, isAgain]).toEqual([path, id === "none" ? 404 : 200, isAgain]);
      expect([path, looks.length]).toEqual([path, isOfPeople ? 1 : 0]);
      const single = query === "" ? id : "wrk_ana";
      if (isOfPeople)
        expect(looks[0]).toMatchObject({
          by: keyId,
          endpoint: path,
          ...(single ? { id: single, count: 1 } : {}),
        });
    }
  // The same read as a stream.
  const headers = { accept: "text/csv" };
  const [streamed] = (await looksOf("/v1/time_off/closes/2025-01/differences", { key, headers })).looks;
  expect(streamed).toMatchObject({ endpoint: "/v1/time_off/closes/{id}/differences", count: 1 });
  expect((await looksOf("/v1/workers", { key })).looks).toEqual([
    { by: keyId, endpoint: "/v1/workers", count: 2 } as never, // a pattern is a text
  ]);
});

test("a passport is noted with whose it is", async () => {
  for (const name of ["ana", "bob"])
    expect((await looksOf(`/web/passport.json?workerId=wrk_${name}`, { key })).looks).toEqual([
      { by: keyId, endpoint: "/web/passport.json", id: `wrk_${name}`, count: 1 } as never, // a pattern is a text
    ]);
  expect((await looksOf("/web/passport.json?workerId=wrk_none", { key })).looks).toEqual([]);
});

test("what is refused or finds nothing is not noted; a 304 is", async () => {
  for (const path of ["/v1/workers?limit=x", "/v1/workers/wrk_none", "/v1/workers?legacyIds=none", "/docs"])
    expect((await looksOf(path, { key })).looks).toEqual([]);
  expect((await looksOf("/v1/workers", {})).looks).toEqual([]);
  const again = await looksOf("/v1/workers", { key, headers: { "if-none-match": "*" } });
  expect([again.status, again.looks.length]).toEqual([304, 1]);
});

test("people are named, and streams, tools and feeds are noted", async () => {
  const ana = { isFromProxy: true, headers: { "x-user": "ana@acme.example" } };
  expect((await looksOf("/v1/workers", ana)).looks).toMatchObject([{ by: "ana@acme.example", count: 1 }]);
  expect((await looksOf(`/web/away.json?from=${TODAY}&to=2026-03-14`, ana)).looks).toMatchObject([
    { by: "ana@acme.example", endpoint: "/web/away.json", count: 2 },
  ]);
  expect((await looksOf("/v1/workers", { key, headers: { accept: "text/csv" } })).looks).toMatchObject([
    { by: keyId, endpoint: "/v1/workers", count: 2 },
  ]);
  looks.length = 0;
  await (await connectTo(service.app, key)).call("find_people", {});
  expect(looks[0]).toMatchObject({ by: keyId, tool: "find_people", endpoint: "/v1/workers", count: 2 });
  const secret = secretOf(
    "rc_",
    Array.from({ length: 32 }, (_, at) => at),
  );
  const digest = Bun.CryptoHasher.hash("sha256", secret, "hex");
  await service.writer.createSecret(makeFeed("feed_1", "acme", { digest }));
  expect((await looksOf(`/calendar/${secret}.ics`, {})).looks).toMatchObject([{ by: "feed_1", count: 1 }]);
});

test("a server appends lines to a file of its owner, opens it anew at SIGHUP, and does not start without it", () =>
  inFolderWithCompany(async (folder) => {
    const head = "id,firstName,lastName,email,startDate,status,type,isBusiness\n";
    writeFileSync(
      join(folder, "workers.csv"),
      `${head}wrk_ana,Ana,Sol,a@b.example,2024-01-01,active,employee,no\n`,
    );
    await done(folder, "import", "workers.csv", "--company", "acme");
    const own = (await done(folder, "keys", "create", "--company", "acme", "--quiet")).trim();
    const path = join(folder, "access.log");
    const lines = (file: string) =>
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const until = async (isSo: () => boolean) => {
      const giveUpAtMs = performance.now() + 30_000;
      while (!isSo() && performance.now() < giveUpAtMs) await Bun.sleep(50);
      expect(isSo()).toBe(true);
    };
    const args = ["serve", "--port", "0", "--log", "none", "--access-log", path];
    await whileServing(folder, args, async (address, _printed, server) => {
      const read = () => fetch(`${address}/v1/workers/wrk_ana`, { headers: { "x-api-key": own } });
      expect((await read()).status).toBe(200);
      await until(() => lines(path).length === 1);
      expect(statSync(path).mode & 0o077).toBe(0);
      renameSync(path, `${path}.1`);
      server.kill("SIGHUP");
      await Bun.sleep(500);
      await read();
      await until(() => lines(path).length === 1);
    });
    const [line] = lines(`${path}.1`);
    expect(line).toMatchObject({ companyId: "acme", endpoint: "/v1/workers/{id}", id: "wrk_ana", count: 1 });
    expect(line.by).toMatch(/^key_/);
    expect(Object.keys(line)).toEqual(["time", "requestId", "companyId", "by", "endpoint", "id", "count"]);
    const refused = await rollcallHere(folder, [
      "serve",
      "--port",
      "0",
      "--access-log",
      join(folder, "no/x.log"),
    ]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--access-log") });
  }));
