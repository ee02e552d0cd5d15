// rollcall mcp: the bridge from stdin and stdout to a server, used by the SDK's own client.
import { describe, expect, test } from "bun:test";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { TOOLS } from "../../src/mcp/endpoint.ts";
import { connected, SPECIFICATIONS } from "../http/mcp/assistant.ts";
import { serveStore } from "../http/process.ts";
import { ROLLCALL } from "../support/rollcall-path.ts";
import { sampleFacts } from "../support/rows.ts";
import { addCompany, addKey } from "../support/stores.ts";
import { inFolder, rollcall } from "./command.ts";

const served = await serveStore();
await addCompany(served.writer, "acme", sampleFacts());
const key = await addKey(served.writer, "acme");

describe.each(SPECIFICATIONS)("%s", (specification) => {
  test("an assistant lists the tools and calls one", async () => {
    const transport = new StdioClientTransport({
      command: ROLLCALL,
      args: ["mcp"],
      env: { ROLLCALL_URL: served.address, ROLLCALL_KEY: key },
    });
    const { client, call } = await connected(transport, specification);
    expect((await client.listTools()).tools.length).toBe(TOOLS.length);
    expect((await call("who_is_away")).text).toStartWith("In UTC, today is Sunday 2026-03-01.");
    expect((await call("find_people", { nam: "x" })).text).toContain("did you mean `name`?");
    await client.close();
  });
});

/** Gives lines to the bridge, and returns what it writes. */
async function bridged(lines: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([ROLLCALL, "mcp"], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: new Blob([lines.map((line) => `${line}\n`).join("")]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { stdout, stderr, exitCode: await child.exited };
}

const rpc = (id: number, method: string, params = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

test("stdout has messages of the protocol and nothing else, whatever goes wrong", async () => {
  const lines = [
    "this is not JSON",
    rpc(1, "tools/list"),
    "",
    rpc(2, "no/such/method"),
    rpc(3, "tools/call", { name: "find_people", arguments: { limit: 1 } }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    rpc(4, "tools/call", {
      name: "find_péople",
      arguments: {},
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    }),
    JSON.stringify([JSON.parse(rpc(5, "tools/list"))]),
    rpc(6, "tools/call", { name: "find_people", arguments: { name: "x".repeat(70_000) } }),
  ];
  const { stdout, exitCode } = await bridged(lines, { ROLLCALL_URL: served.address, ROLLCALL_KEY: key });
  const written = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: number | null; error?: { message: string } });
  expect(written.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  const ids = written.map(({ id }) => id ?? 0).toSorted((a, b) => a - b);
  expect(ids).toEqual([0, 0, 1, 2, 3, 4, 6]);
  const messageOf = (id: number) => written.find((message) => message.id === id)!.error?.message;
  expect([messageOf(1), messageOf(3)]).toEqual([undefined, undefined]);
  expect(messageOf(4)).toContain("did you mean `find_people`?");
  expect(messageOf(6)).toBe("A message may have 64 KiB.");
  expect(exitCode).toBe(0);
});

test("errors of the key and of the server are responses that say what is wrong", async () => {
  const typo = await bridged([rpc(1, "tools/list")], { ROLLCALL_URL: served.address, ROLLCALL_KEY: "rk_x" });
  expect(JSON.parse(typo.stdout)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("This is not an API key") },
  });
  const nobody = await bridged([rpc(1, "tools/list")], {
    ROLLCALL_URL: "http://127.0.0.1:9",
    ROLLCALL_KEY: key,
  });
  expect(JSON.parse(nobody.stdout).error.message).toMatch(
    /^http:\/\/127\.0\.0\.1:9 cannot be reached: \w+\. Check the address, and that the server runs$/,
  );
  expect(nobody.stdout + nobody.stderr + typo.stdout + typo.stderr).not.toContain(key);
});

test("a redirect is not followed: it would take the key elsewhere", async () => {
  const keys: (string | null)[] = [];
  const elsewhere = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ headers }) {
      keys.push(headers.get("x-api-key"));
      return Response.json({ jsonrpc: "2.0", id: 1, result: {} });
    },
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.redirect(`http://127.0.0.1:${elsewhere.port}/mcp`, 307),
  });
  const ROLLCALL_URL = `http://127.0.0.1:${server.port}`;
  const { stdout } = await bridged([rpc(1, "tools/list")], { ROLLCALL_URL, ROLLCALL_KEY: key });
  expect(JSON.parse(stdout).error.message).toBe(
    `${ROLLCALL_URL}/mcp is not a Rollcall server: it responded with 307.`,
  );
  expect(keys).toEqual([]);
  await Promise.all([server.stop(true), elsewhere.stop(true)]);
});

test("a cancelled request is given up, and has no response", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise<Response>(() => {}) });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  const env = { ROLLCALL_URL: `http://127.0.0.1:${server.port}`, ROLLCALL_KEY: key };
  const ended = await bridged([rpc(1, "tools/list"), JSON.stringify(cancelled)], env);
  expect(ended).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  await server.stop(true);
}, 20_000); // less than the bridge waits for a server

test.each([
  ["no address", { ROLLCALL_KEY: "rk_x" }, /ROLLCALL_URL is missing/],
  ["no key", { ROLLCALL_URL: "http://127.0.0.1:9" }, /ROLLCALL_KEY is missing/],
  [
    "an address that is none",
    { ROLLCALL_URL: "rollcall", ROLLCALL_KEY: "rk_x" },
    /--url must begin .*: write "http:\/\/rollcall"/,
  ],
])("%s is wrong usage", async (_, env, message) => {
  await inFolder(async (folder) => {
    const { exitCode, stdout, stderr } = await rollcall(folder, ["mcp"], env as Record<string, string>); // of texts
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});
