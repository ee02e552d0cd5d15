// What a stream knows of its connection, on a real socket: how much its reader has not taken, and an end that is an error.
import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Connection } from "../../../src/http/request-context.ts";
import { listen } from "../../../src/http/server.ts";

const CHUNK = new Uint8Array(64 * 1024);
let seen: Connection | null = null;

const server = listen(
  (request, _address, _target, _isTrusted, connectionOf) => {
    seen = connectionOf!(request);
    return new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(CHUNK) }, { highWaterMark: 0 }),
    );
  },
  {
    host: "127.0.0.1",
    port: 0,
    reusePort: false,
    tls: null,
    addressOf: (_request, peer) => peer,
    isTrustedPeer: () => false,
  },
  () => {},
);
afterAll(() => server.stop());

/** A reader that takes nothing of an endless stream until the kernel holds all that it can for it. */
async function stalledReader() {
  seen = null;
  const socket = connect(Number(new URL(server.address).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: rollcall.test\r\n\r\n");
  await new Promise((resolve) => socket.once("readable", resolve));
  const connection = seen as Connection | null; // set by the handler since
  if (connection === null) throw new Error("the request had no connection");
  let before = -1;
  for (let untaken = 0; untaken === 0 || untaken > before; untaken = connection.untakenBytes()!) {
    before = untaken;
    await Bun.sleep(100);
  }
  return { socket, connection };
}

test("what the kernel holds becomes less as the reader takes it", async () => {
  const { socket, connection } = await stalledReader();
  const before = connection.untakenBytes()!;
  expect(before).toBeGreaterThan(10_000);
  let taken = 0;
  let least = before;
  while (taken < 20 * before) {
    taken += socket.read()?.length ?? 0;
    least = Math.min(least, connection.untakenBytes()!);
    await Bun.sleep(1);
  }
  expect(least).toBeLessThan(before);
  socket.destroy();
});

test("a reader is told from one of another address with the same port", async () => {
  const { socket, connection } = await stalledReader();
  const other = connect({
    port: Number(new URL(server.address).port),
    host: "127.0.0.1",
    localAddress: "127.0.0.2",
    localPort: socket.localPort!,
  });
  await new Promise((resolve) => other.once("connect", resolve));
  expect(connection.untakenBytes()).toBeGreaterThan(10_000);
  other.destroy();
  socket.destroy();
});

test("a stream that fails prints nothing beside the log", async () => {
  const script = `
    import { listen } from ${JSON.stringify(import.meta.resolve("../../../src/http/server.ts"))};
    let pages = 0;
    const pull = async (controller) => {
      await Bun.sleep(1);
      if (++pages < 3) controller.enqueue(new Uint8Array(1000));
      else controller.error(new Error("lost, with what a caller sent"));
    };
    const app = () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    const options = { host: "127.0.0.1", port: 0, reusePort: false, together: null, tls: null };
    const own = { addressOf: (_, peer) => peer, isTrustedPeer: () => false };
    const server = listen(app, { ...options, ...own }, () => {});
    await fetch(server.address).then((response) => response.text()).catch(() => console.log("reset"));
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  expect(await Promise.all(texts)).toEqual(["reset\n", ""]);
});

test("a reader that is reset gets an error, even if it has not taken megabytes", async () => {
  const { socket, connection } = await stalledReader();
  const end = new Promise((resolve) => {
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code)).on("end", () => resolve("end"));
  });
  connection.reset();
  await Bun.sleep(100);
  socket.resume();
  expect(await end).toBe("ECONNRESET");
});
