// Property: the consumer of docs/syncing.md has what the server has, whatever is imported, restored or made again, and
// whenever it is killed. It is run as the page shows it.
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Rollcall } from "../../src/client/index.ts";
import { LIST_KINDS } from "../../src/resources/kinds.ts";
import { rollcall as command } from "../cli/command.ts";
import { serveStore } from "../http/process.ts";
import { fastFolder } from "../support/fast-folder.ts";
import { requestRow, sampleFacts, workerRow } from "../support/rows.ts";
import { addCompany, addKey, change, importGenerated, putFacts } from "../support/stores.ts";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../..");
const CODE_LINES_MAX = 61;
const CAUGHT_UP_MS = 20_000;

const page = await Bun.file(join(ROOT, "docs/syncing.md")).text();
const [, code] = /```ts\n([\s\S]*?)```/.exec(page)!;

const server = await serveStore();
await addCompany(server.writer, "acme");
await importGenerated(server.writer, "acme", { workers: 20, today: "2026-03-01" });
await putFacts(server.writer, "acme", sampleFacts());
let key = await addKey(server.writer, "acme");

const folder = mkdtempSync(join(fastFolder(), "rollcall-syncing-"));
const COPY = join(folder, "copy.db");
let consumer = started();
afterAll(async () => {
  consumer.kill("SIGKILL");
  await consumer.exited;
  rmSync(folder, { recursive: true });
});

function started(address: string = server.address) {
  const env = { PATH: process.env.PATH ?? "", ROLLCALL_URL: address, ROLLCALL_KEY: key, COPY };
  return Bun.spawn([process.execPath, "-e", code!], { cwd: ROOT, env, stdin: "ignore", stderr: "pipe" });
}

async function restart(): Promise<void> {
  consumer.kill("SIGKILL");
  await consumer.exited;
  consumer = started();
}

/** What the server has, by kind and id, as JSON. */
async function wanted(): Promise<Map<string, string>> {
  const rollcall = new Rollcall({ baseUrl: server.address, apiKey: key, retries: 0 });
  const found = new Map<string, string>();
  for (const kind of [...LIST_KINDS, "balances"] as const) {
    const call = kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as "workers"; // or another list
    for (const object of await rollcall[call].list().toArray())
      found.set(`${kind} ${object.id}`, JSON.stringify(object));
  }
  return found;
}

function copied(): Map<string, string> {
  const copy = new Database(COPY, { readonly: true });
  try {
    const rows = copy
      .query(
        "select resource || ' ' || id, json from objects union all select 'balances ' || id, json from balances",
      )
      .values() as [string, string][];
    return new Map(rows);
  } finally {
    copy.close();
  }
}

/** Waits until the copy is what the server has. Raises what differs when that takes too long. */
async function catchesUp(): Promise<void> {
  const server = await wanted();
  const until = performance.now() + CAUGHT_UP_MS;
  for (;;) {
    if (consumer.exitCode !== null)
      throw new Error(`it ended: ${await new Response(consumer.stderr).text()}`);
    const copy = await Bun.file(COPY)
      .exists()
      .then((is) => (is ? copied() : null))
      .catch(() => null); // not made yet
    if (copy !== null && Bun.deepEquals(copy, server)) return;
    if (performance.now() > until) expect(copy).toEqual(server);
    await Bun.sleep(20);
  }
}

test("the consumer is short", () => {
  expect(code!.trimEnd().split("\n").length).toBeLessThanOrEqual(CODE_LINES_MAX);
});

test("imports: what is added, changed and removed arrives, and its balances", async () => {
  await catchesUp();
  await putFacts(server.writer, "acme", {
    workers: [workerRow("wrk_bo", { status: "inactive" }), workerRow("wrk_new")],
    requests: [requestRow("tor_new", "wrk_bo", "top_annual")],
  });
  await catchesUp();
  await change(server.writer, "acme", async (transaction) => {
    await transaction.remove("requests", [["tor_new"]]);
    await transaction.remove("workers", [["wrk_new"]]);
  });
  await catchesUp();
});

test("killed at random moments while imports go on, it catches up each time", async () => {
  for (let round = 0; round < 6; round++) {
    const imports = (async () => {
      for (let number = 0; number < 5; number++)
        await putFacts(server.writer, "acme", {
          requests: [requestRow(`tor_${round}${number}`, "wrk_ana", "top_annual")],
          workers: [workerRow(`wrk_k${number}`, { department: `Round ${round}` })],
        });
    })();
    await Bun.sleep(Math.random() * 300);
    await restart();
    await imports;
  }
  await catchesUp();
});

/** The consumer with a copy of its own, on a clock that is as late as `clock` says at first and one day later after `/balances`. */
async function dayOfCopy(clock: string): Promise<string | null> {
  const own = join(folder, `day-${clock.replaceAll(":", "")}.db`);
  const prelude = `
    const RealDate = Date, realFetch = fetch, start = RealDate.now(), at = RealDate.parse("${clock}");
    let laterMs = 0;
    const now = () => at + laterMs + RealDate.now() - start;
    globalThis.Date = class extends RealDate {
      constructor(...given) { super(...(given.length > 0 ? given : [now()])); }
      static now() { return now(); }
    };
    globalThis.fetch = async (url, init) => {
      const response = await realFetch(url, init);
      if (String(url).includes("/balances")) laterMs = 86_400_000;
      return response;
    };
  `;
  const env = { PATH: process.env.PATH ?? "", ROLLCALL_URL: server.address, ROLLCALL_KEY: key, COPY: own };
  const running = Bun.spawn([process.execPath, "-e", prelude + code!], { cwd: ROOT, env, stdin: "ignore" });
  try {
    for (;;) {
      const day = await Bun.file(own)
        .exists()
        .then((is) => (is ? dayIn(own) : null))
        .catch(() => null); // not made yet
      if (day !== null) return day;
      await Bun.sleep(20);
    }
  } finally {
    running.kill("SIGKILL");
    await running.exited;
  }
}

function dayIn(path: string): string | null {
  const copy = new Database(path, { readonly: true });
  try {
    return copy.query<{ day: string | null }, []>("select day from state").get()?.day ?? null;
  } finally {
    copy.close();
  }
}

test("balances that were read before midnight do not count as the new day's", async () => {
  expect(await dayOfCopy("2026-03-01T23:59:00Z")).toBe("2026-03-01");
});

test("nor do those of a server whose clock is minutes behind", async () => {
  expect(await dayOfCopy("2026-03-02T00:05:00Z")).toBe("2026-03-01");
});

test("it outlives a server that is away, and catches up", async () => {
  const forward = (port: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      idleTimeout: 60,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        return fetch(server.address + pathname + search, { headers: request.headers, decompress: false });
      },
    });
  let between = forward(0);
  const { port } = between;
  consumer.kill("SIGKILL");
  await consumer.exited;
  consumer = started(`http://127.0.0.1:${port}`);
  await catchesUp();
  await between.stop(true);
  await putFacts(server.writer, "acme", { workers: [workerRow("wrk_meanwhile")] });
  await Bun.sleep(4_000); // the client's own attempts end before
  expect(consumer.exitCode).toBeNull();
  between = forward(port!);
  await catchesUp();
  await restart();
  await between.stop(true);
});

test("after a restore it drops what the backup does not have", async () => {
  const backup = join(folder, "backup");
  const run = async (...args: string[]) => expect(await command(folder, args)).toMatchObject({ exitCode: 0 });
  await run("backup", "--db", server.path, "--out", backup);
  await putFacts(server.writer, "acme", { workers: [workerRow("wrk_after_backup")] });
  await catchesUp();
  expect(copied().has("workers wrk_after_backup")).toBeTrue();
  await run("restore", backup, "--db", server.path, "--yes");
  await catchesUp();
  expect(copied().has("workers wrk_after_backup")).toBeFalse();
});

test("a company that is made again replaces the copy", async () => {
  consumer.kill("SIGKILL");
  await consumer.exited;
  await command(folder, ["companies", "delete", "acme", "--db", server.path, "--yes"]);
  const created = await command(folder, ["companies", "create", "acme", "--db", server.path]);
  expect(created).toMatchObject({ exitCode: 0 });
  const made = await command(folder, ["keys", "create", "--company", "acme", "--db", server.path, "--quiet"]);
  key = made.stdout.trim();
  const out = join(folder, "made");
  await command(folder, ["generate", "--out", out, "--workers", "5", "--seed", "7"]);
  expect(await command(folder, ["import", out, "--company", "acme", "--db", server.path])).toMatchObject({
    exitCode: 0,
  });
  consumer = started();
  await catchesUp();
});
