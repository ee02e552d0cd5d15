// The receivers of docs/events.md, as they stand there, take what we sign and nothing else. That in Node uses the published library.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { headersOf, messageOf, newSecret, shownSecret } from "../../src/events/message.ts";
import { post } from "../../src/events/post.ts";
import { fastFolder } from "../support/fast-folder.ts";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../..");
const page = await Bun.file(join(ROOT, "docs/events.md")).text();
const codeIn = (language: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].filter(([, one]) => one === language).at(-1)![2]!;

const secret = newSecret();
const former = newSecret();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(fastFolder(), "rollcall-hooks-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

/** Posts a message that is signed so and then changed so; returns the status. */
function send(
  port: number,
  change: { secret?: string; formerSecret?: string; atMs?: number; body?: string },
) {
  const message = messageOf("worker.created", [crypto.randomUUID()], Date.now(), { workerId: "wrk_ana" });
  const signing = {
    secret: change.secret ?? secret,
    formerSecret: change.formerSecret ?? null,
    formerUntilMs: Number.POSITIVE_INFINITY,
  };
  const headers = headersOf(message, signing, change.atMs ?? Date.now());
  const body = change.body ?? message.body;
  headers["content-length"] = String(Buffer.byteLength(body));
  const hook = { url: `http://127.0.0.1:${port}/`, allowPrivate: false };
  return post(hook, headers, body, new AbortController().signal);
}

async function check(port: number): Promise<void> {
  for (let tries = 0; (await send(port, {})) !== "204"; tries++) {
    if (tries > 100) throw new Error("the receiver does not listen");
    await Bun.sleep(100);
  }
  expect(await send(port, { secret: newSecret(), formerSecret: secret })).toBe("204"); // during a rotation
  expect(await send(port, { secret: former })).toBe("400");
  expect(await send(port, { body: `{"id":"evt_x","type":"worker.deleted","data":{}}` })).toBe("400");
  expect(await send(port, { atMs: Date.now() - 3_600_000 })).toBe("400");
}

async function withProgram(name: string, code: string, command: string[]): Promise<void> {
  writeFileSync(join(folder, name), code);
  const port = await freePort();
  const env = { ...process.env, HOOK_SECRET: shownSecret(secret), PORT: String(port) };
  const child = Bun.spawn(command, { cwd: folder, env, stdio: ["ignore", "ignore", "ignore"] });
  try {
    await check(port);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

test("in Node, with the library", () => withProgram("receiver.mjs", codeIn("js"), ["node", "receiver.mjs"]));

test("in Python", () => withProgram("receiver.py", codeIn("python"), ["python3", "receiver.py"]));

test("in a shell, run for each connection", async () => {
  const path = join(folder, "receive.sh");
  writeFileSync(path, codeIn("sh"));
  chmodSync(path, 0o755);
  const env = { ...process.env, HOOK_SECRET: shownSecret(secret) };
  const server = createServer((socket) => {
    const child = Bun.spawn([path], { env, stdio: ["pipe", "pipe", "ignore"] });
    socket.on("data", (bytes) => {
      child.stdin.write(bytes);
      child.stdin.flush();
    });
    void new Response(child.stdout).text().then((text) => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number }; // it listens on TCP
  await check(port);
  server.close();
});
