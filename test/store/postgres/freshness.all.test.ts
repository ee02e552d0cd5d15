// An import's effect is in every response that is asked for after it ended, on every process, or there is no response.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { freePort, sharedServer } from "../../support/postgres.ts";
import { startProxy, type TcpProxy } from "../../support/proxy.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change } from "../../support/stores.ts";

const PATH = "/v1/workers/wrk_one";

let proxy: TcpProxy;
let writer: WriteStore;
let apiKey: string;
let servers: { address: string; process: Bun.Subprocess }[] = [];

beforeAll(async () => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  writer = await openPostgresWriteStore(db, { create: true });
  await addCompany(writer, "acme", { workers: [workerRow("wrk_one")] });
  apiKey = await addKey(writer, "acme");
  proxy = await startProxy(server.port);
  const through = new URL(`${db}?timeout=1000`);
  through.port = String(proxy.port);
  servers = await Promise.all([serve(through.href), serve(through.href)]);
}, 120_000);

afterAll(async () => {
  for (const { process } of servers) process.kill();
  await Promise.all(servers.map(({ process }) => process.exited));
  await writer.close();
  await proxy.close();
});

async function serve(db: string) {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const options = ["--db", db, "--port", String(port), "--rate-limit", "0", "--log", "none"];
  const child = Bun.spawn([ROLLCALL, "serve", ...options], {
    stdout: "ignore",
    stderr: "inherit",
  });
  while (
    !(await fetch(`${address}/readyz`).then(
      (response) => response.ok,
      () => false,
    ))
  )
    await Bun.sleep(20);
  return { address, process: child };
}

async function get(
  address: string,
): Promise<{ status: number; position: unknown; retryAfter: string | null }> {
  const response = await fetch(address + PATH, { headers: { "x-api-key": apiKey } });
  const body = (await response.json()) as { position?: unknown }; // a worker or a problem
  return {
    status: response.status,
    position: body.position,
    retryAfter: response.headers.get("retry-after"),
  };
}

function put(position: string): Promise<void> {
  return change(writer, "acme", (transaction) =>
    transaction.put("workers", [workerRow("wrk_one", { position })]),
  );
}

test("two processes, cached responses, forty imports: the request after an import sees it", async () => {
  for (let round = 0; round < 40; round++) {
    await put(`round ${round}`);
    // Twice each: the second response comes out of the process's memory.
    for (const { address } of [...servers, ...servers]) {
      expect(await get(address)).toMatchObject({ status: 200, position: `round ${round}` });
    }
  }
}, 120_000);

test("requests under way while imports end: each response is at least as new as when it was asked for", async () => {
  let latest = 1000;
  let done = false;
  await put("1000");
  const importing = (async () => {
    while (latest < 1050) {
      await put(String(latest + 1));
      latest++;
    }
    done = true;
  })();
  const reading = servers
    .flatMap(({ address }) => [address, address, address])
    .map(async (address) => {
      while (!done) {
        const before = latest;
        const { status, position } = await get(address);
        expect(status).toBe(200);
        expect(Number(position)).toBeGreaterThanOrEqual(before);
      }
    });
  await Promise.all([importing, ...reading]);
}, 120_000);

test("frozen rather than closed: a 503 with Retry-After, never what is remembered; then what is new", async () => {
  await put("before");
  for (const { address } of servers) expect((await get(address)).position).toBe("before");
  proxy.freeze();
  await put("while frozen");
  const frozen = await Promise.all(servers.map(({ address }) => get(address)));
  for (const response of frozen) {
    expect(response.status).toBe(503);
    expect(Number(response.retryAfter)).toBeGreaterThan(0);
  }
  proxy.thaw();
  const startedAtMs = performance.now();
  for (const { address } of servers) {
    let response = await get(address);
    while (response.status === 503) {
      await Bun.sleep(20);
      response = await get(address);
    }
    expect(response).toMatchObject({ status: 200, position: "while frozen" });
  }
  expect(performance.now() - startedAtMs).toBeLessThan(5000);
}, 120_000);
