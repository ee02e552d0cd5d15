// Property: from the commit of an import in another process to the response of those who wait for it are less than 500 ms, at the
// 99th percentile; and a thousand who wait add less than 1 % of a core to what the idle server takes. On the engine that
// ROLLCALL_TEST_ENGINE names.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { sampleFacts, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change } from "../../support/stores.ts";
import { serveStore } from "../process.ts";

const IMPORTS = 200;
const WAITING = 1000;
const OF_KEY = 8;
const SECONDS = 60;
/** Ticks of the kernel's clock in a second. */
const TICKS = 100;

const served = await serveStore();
await addCompany(served.writer, "acme", sampleFacts());
const key = await addKey(served.writer, "acme");

const ask = async (query: string) => {
  const response = await fetch(`${served.address}/v1/changes?${query}`, { headers: { "x-api-key": key } });
  return (await response.json()) as { count: number; position: string }; // a page
};

test("from commit to response", async () => {
  const times: number[] = [];
  let { position } = await ask("after=now");
  for (let number = 0; number < IMPORTS; number++) {
    const waiting = [1, 2, 3].map(async () => {
      const page = await ask(`after=${position}&wait=25`);
      return { ...page, atMs: performance.now() };
    });
    await Bun.sleep(100 + Math.random() * 200);
    await change(served.writer, "acme", (transaction) =>
      transaction.put("workers", [workerRow(`wrk_n${number}`)]),
    );
    const committedAtMs = performance.now();
    for (const { count, position: next, atMs } of await Promise.all(waiting)) {
      expect(count).toBe(1);
      times.push(atMs - committedAtMs);
      position = next;
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]!);
  console.log({ imports: IMPORTS, p50: at(0.5), p99: at(0.99), most: Math.round(times.at(-1)!) });
  expect(at(0.99)).toBeLessThan(500);
}, 600_000);

/** Seconds of CPU time that the server has spent. */
function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${served.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** What the server takes of a core during so many seconds. */
async function shareOfCore(seconds: number): Promise<number> {
  const before = cpuSeconds();
  await Bun.sleep(seconds * 1000);
  return (cpuSeconds() - before) / seconds;
}

test("a thousand who wait, each asking again when its time is over", async () => {
  const keys = await Promise.all(
    Array.from({ length: WAITING / OF_KEY }, () => addKey(served.writer, "acme")),
  );
  const { position } = await ask("after=now");
  const idle = await shareOfCore(SECONDS / 2);
  let responses = 0;
  const request = (apiKey: string) =>
    `GET /v1/changes?after=${position}&wait=25 HTTP/1.1\r\nHost: rollcall.test\r\nx-api-key: ${apiKey}\r\n\r\n`;
  const sockets = await Promise.all(
    keys.flatMap((apiKey) =>
      Array.from({ length: OF_KEY }, () =>
        Bun.connect({
          hostname: "127.0.0.1",
          port: served.port,
          socket: {
            data(socket, bytes) {
              if (!bytes.toString("latin1").startsWith("HTTP/")) return; // the rest of a response
              responses++;
              socket.write(request(apiKey));
            },
            open: (socket) => void socket.write(request(apiKey)),
          },
        }),
      ),
    ),
  );
  await Bun.sleep(5000);
  const share = await shareOfCore(SECONDS);
  const percent = (of: number) => Math.round(of * 10_000) / 100;
  console.log({ waiting: sockets.length, responses, percentOfACore: percent(share), idle: percent(idle) });
  for (const socket of sockets) socket.terminate();
  expect(responses).toBeGreaterThan(0);
  expect(share - idle).toBeLessThan(0.01);
}, 600_000);
