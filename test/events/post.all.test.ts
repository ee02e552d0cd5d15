// Where messages may go, and what ends an attempt: no private address however it is written or resolved, no redirect, no long wait.
import { expect, setDefaultTimeout, spyOn, test } from "bun:test";
import dns from "node:dns/promises";
import { type AddressInfo, BlockList, createServer } from "node:net";
import { hostname } from "node:os";
import { post, refusalOf } from "../../src/events/post.ts";
import { receiver } from "./receiver.ts";

setDefaultTimeout(120_000);

const never = new AbortController().signal;
const send = (url: string, allowPrivate = false, signal = never) =>
  post({ url, allowPrivate }, {}, "{}", signal);

/** Private, link-local, metadata, mapped, translated and odd spellings. */
const REFUSED = [
  "https://10.0.0.1/hook",
  "https://172.16.0.9/hook",
  "https://192.168.1.1/hook",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/hook",
  "https://0.0.0.0/hook",
  "https://255.255.255.255/hook",
  "https://224.0.0.1/hook",
  "https://240.0.0.1/hook",
  "https://[fd00::1]/hook",
  "https://[fe80::1]/hook",
  "https://[::]/hook",
  "https://[::ffff:10.0.0.1]/hook",
  "https://[::ffff:a9fe:a9fe]/hook",
  "https://[64:ff9b::a00:1]/hook",
  "https://[fd00:ec2::254]/hook",
  // Of IANA's registries of special purposes, and what is not given to the internet.
  "https://198.18.0.1/hook",
  "https://198.19.255.255/hook",
  "https://192.88.99.1/hook",
  "https://[::1.2.3.4]/hook",
  "http://[::ffff:127.0.0.1]/hook",
  "https://[::ffff:93.184.215.14]/hook",
  "https://[fec0::1]/hook",
  "https://[64:ff9b:1::1]/hook",
  "https://[100::1]/hook",
  "https://[3fff:fff::1]/hook",
  "https://[2001:db8::1]/hook",
  "https://[2001::1]/hook",
  "https://[2002:a00:1::1]/hook",
  "https://[5f00::1]/hook",
  "https://[ff02::1]/hook",
  // Lists would show them.
  "https://user:secret@example.com/hook",
  "https://user@example.com/hook",
  "http://:secret@localhost/hook",
  "https://0x0a000001/hook",
  "https://167772161/hook",
  "https://012.0.0.1/hook",
  "https://10.1/hook",
  "http://10.0.0.1/hook",
  "http://example.com/hook",
  "ftp://example.com/hook",
  "example.com/hook",
];

for (const url of REFUSED)
  test(`${url} is refused, before anything is sent`, async () => {
    expect(refusalOf(url, false)).not.toBeNull();
    expect(await send(url)).toStartWith("refused");
  });

test("addresses of the internet are not, private ones with --allow-private, and this machine as it is written", () => {
  for (const url of ["https://example.com/hook", "https://93.184.215.14/x", "https://[2606:2800::1]/x"])
    expect(refusalOf(url, false)).toBeNull();
  expect(refusalOf("https://10.0.0.1/hook", true)).toBeNull();
  expect(refusalOf("http://10.0.0.1/hook", true)).toContain("https");
  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    expect(refusalOf(`http://${host}:1/x`, false)).toBeNull();
});

test("a name that means this machine, or a private one, is refused when it is resolved", async () => {
  const url = `https://${hostname()}:9/hook`; // a name like any other, until it is resolved
  expect(refusalOf(url, false)).toBeNull();
  expect(await send(url)).toBe("refused: a private address");
  expect(await send(url, true)).toStartWith("no connection");
});

test("what a resolver gives that is no public address, or no address at all, is an outcome: the process goes on", async () => {
  const answers = [
    "::1.2.3.4",
    "fe80::1%eth0",
    "2606:2800::1%eth0",
    "64:ff9b:1::1",
    "0x7f.1",
    "",
    "nonsense",
    "1.2.3.4.5",
  ];
  const resolving = spyOn(dns, "lookup");
  try {
    for (const address of answers) {
      resolving.mockImplementation((async () => [{ address, family: 6 }]) as never); // with `all`, a list
      expect([address, await send("https://hook.example/")]).toEqual([address, "refused: a private address"]);
    }
    const mixed = ["93.184.215.14", "10.0.0.1"].map((address) => ({ address, family: 4 }));
    resolving.mockImplementation((async () => mixed) as never);
    expect(await send("https://hook.example/")).toBe("refused: a private address");
    resolving.mockImplementation((async () => undefined) as never);
    expect(await send("https://hook.example/")).toBe("no connection (TypeError)");
    resolving.mockImplementation((async () => {
      throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    }) as never);
    expect(await send("https://hook.example/")).toBe("no connection (ENOTFOUND)");
  } finally {
    resolving.mockRestore();
  }
});

test("a message goes to the address that was checked: its name is not resolved again", async () => {
  const connected = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    connected.resolve("connected");
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const resolving = spyOn(dns, "lookup");
  const checking = spyOn(BlockList.prototype, "check").mockReturnValue(false); // as if it were public
  try {
    resolving.mockImplementation((async () => [{ address: "127.0.0.1", family: 4 }]) as never);
    const sent = send(`https://hook.example:${port}/`);
    expect(await Promise.race([connected.promise, sent])).toBe("connected");
    expect(await sent).toStartWith("no connection");
    expect(resolving).toHaveBeenCalledTimes(1);
  } finally {
    checking.mockRestore();
    resolving.mockRestore();
    server.close();
  }
});

test("what a callback throws is of that message alone", async () => {
  const target = receiver();
  const odd = { "a header\n": "that cannot be sent" };
  await expect(post({ url: target.url, allowPrivate: false }, odd, "{}", never)).rejects.toThrow();
  expect(await send(target.url)).toBe("204");
  target.stop();
});

test("a redirect is not followed, and a long answer is not read", async () => {
  const there = receiver();
  const here = receiver(() => Response.redirect(`${there.url}/`, 307));
  expect(await send(here.url)).toBe("307");
  here.answer(() => new Response("x".repeat(1_000_000)));
  expect(await send(here.url)).toBe("200");
  let sentMiB = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sentMiB += 1;
      controller.enqueue(new Uint8Array(2 ** 20));
    },
  });
  here.answer(() => new Response(endless));
  expect(await send(here.url)).toBe("200");
  expect(sentMiB).toBeLessThan(50); // what buffers hold, and not what the time limit allows
  expect(there.received).toEqual([]);
  for (const one of [here, there]) one.stop();
});

test("an attempt ends with its connection: a receiver that never ends its answers has one at a time", async () => {
  let open = 0;
  const server = createServer((socket) => {
    open++;
    socket.on("close", () => open--);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx");
      setTimeout(() => socket.destroy(), 200);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  for (let sent = 0; sent < 3; sent++) {
    expect(await send(`http://127.0.0.1:${port}/`)).toBe("200");
    expect(open).toBe(0);
  }
  server.close();
});

test("a receiver that sends early hints without end is left", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // as above
  expect(await send(`http://127.0.0.1:${port}/`)).toBe("no connection (ECONNRESET)");
  server.close();
});

test("a receiver that hangs is left after 10 s, one that is gone at once, and a stop ends an attempt", async () => {
  const hanging = receiver(() => new Promise<Response>(() => {}));
  const endless = new Response(new ReadableStream({ start: (stream) => stream.enqueue("x") }));
  const answering = receiver(() => endless); // its status is known, and its answer does not end
  const startedAtMs = performance.now();
  const outcomes = await Promise.all([send(hanging.url), send(answering.url)]);
  expect(outcomes).toEqual(["no response in 10 s", "200"]);
  expect(performance.now() - startedAtMs).toBeGreaterThan(9000);
  answering.stop();
  const stopping = new AbortController();
  const sent = send(hanging.url, false, stopping.signal);
  await hanging.until(2);
  stopping.abort();
  expect(await sent.catch((error) => error.name)).toBe("AbortError");
  hanging.stop();
  expect(await send(hanging.url)).toStartWith("no connection");
});
