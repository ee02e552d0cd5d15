// What docs/client.md shows runs as it stands, in Node, and says what it promises.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { addKey } from "../support/stores.ts";
import { type ClientServer, startServer, WORKERS } from "./server.ts";

const root = join(import.meta.dir, "../..");

setDefaultTimeout(120_000); // other runtimes start slowly on a busy machine

let server: ClientServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function blocks(): Promise<string[]> {
  const text = await Bun.file(join(root, "docs/client.md")).text();
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
}

async function runInNode(code: string, apiKey: string) {
  // The checkout has the client by its other name.
  const script = code
    .replace("http://127.0.0.1:4010", server.baseUrl)
    .replace('"@rollcall/client"', '"rollcall/client"');
  const node = Bun.spawn(["node", "--input-type=module", "-e", script], {
    cwd: root,
    env: { ...process.env, ROLLCALL_KEY: apiKey },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(node.stdout).text(),
    new Response(node.stderr).text(),
  ]);
  return { output, errors };
}

test("the first example lists everybody with what they have", async () => {
  const [first] = await blocks();
  const { output, errors } = await runInNode(first!, server.apiKey);
  expect(errors).toBe("");
  expect(output.trim().split("\n")).toHaveLength(WORKERS / 2);
  expect(output).toMatch(/^Ana Sol \d+/);
});

test("and tells what to do about a bad key", async () => {
  const [first] = await blocks();
  const revoked = await addKey(server.store.writer, "acme", { change: { revokedAtMs: 1 } });
  expect((await runInNode(first!, revoked)).errors).toMatch(/^Get a key from the operator \(request .{36}\)/);
});

test("the example of changes sends everything, not only a page", async () => {
  const [first, ...others] = await blocks();
  const changes = others.find((block) => block.includes("changes.pages("))!;
  const { output } = await runInNode(first!.slice(0, first!.indexOf("try {")) + changes, server.apiKey);
  expect(output.match(/^workers wrk_/gm)).toHaveLength(WORKERS);
  expect(output.trim()).toMatch(/store p1_[\w-]+$/);
});

test("the others run too", async () => {
  const [first, ...others] = await blocks();
  const setUp = first!.slice(0, first!.indexOf("try {"));
  expect(others.length).toBeGreaterThanOrEqual(3);
  const runs = await Promise.all(others.map((block) => runInNode(setUp + block, server.apiKey)));
  expect(runs.map(({ errors }) => errors)).toEqual(others.map(() => ""));
});
