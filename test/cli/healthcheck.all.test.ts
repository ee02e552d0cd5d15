// `rollcall healthcheck`: 0 if the server can answer, 1 if it cannot, 2 for wrong usage.
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { inFolderWithCompany, rollcall, rollcallHere, whileServing } from "./command.ts";

const TLS_FILES = join(import.meta.dir, "serving/tls/test-only");

test("a server that can answer: 0; one whose store is gone, or that is not there: 1", () =>
  inFolderWithCompany(async (folder) => {
    let port = "";
    await whileServing(folder, ["serve", "--port", "0", "--log", "none"], async (address) => {
      port = new URL(address).port;
      // A proxy of the environment has no part in it, and a server on every address is asked on loopback.
      const env = { ROLLCALL_PORT: port, ROLLCALL_HOST: "0.0.0.0", HTTP_PROXY: "http://127.0.0.1:9" };
      expect(await rollcall("/", ["healthcheck"], env)).toMatchObject({
        exitCode: 0,
        stdout: `http://127.0.0.1:${port} can answer.\n`,
        stderr: "",
      });
      expect(await rollcallHere("/", ["healthcheck", "--url", address])).toMatchObject({ exitCode: 0 });
      renameSync(join(folder, "rollcall.db"), join(folder, "elsewhere.db"));
      const gone = await rollcallHere("/", ["healthcheck", "--port", port]);
      expect(gone.stderr).toContain("is not ready (status 503): see the server's log");
      expect(gone.exitCode).toBe(1);
    });
    const none = await rollcallHere("/", ["healthcheck", "--port", port]);
    expect(none.stderr).toMatch(
      /^rollcall: http:\/\/127.0.0.1:\d+ cannot be reached: \w+\. Check the address, and that the server runs\n$/,
    );
    expect(none.exitCode).toBe(1);
  }));

test("a server with a certificate for another name is asked over TLS; another machine's certificate must be right", () =>
  inFolderWithCompany(async (folder) => {
    const tls = [
      "--tls-cert",
      join(TLS_FILES, "localhost.cert.pem"),
      "--tls-key",
      join(TLS_FILES, "localhost.key.pem"),
    ];
    await whileServing(folder, ["serve", "--port", "0", "--log", "none", ...tls], async (address) => {
      const env = { ROLLCALL_PORT: new URL(address).port, ROLLCALL_TLS_CERT: tls[1]! };
      expect(await rollcall("/", ["healthcheck"], env)).toMatchObject({ exitCode: 0, stderr: "" });
      const unknown = await rollcall("/", ["healthcheck", "--url", address]);
      expect(unknown).toMatchObject({ exitCode: 1, stdout: "" });
      expect(unknown.stderr).toContain("from an unknown authority: put the path of");
      expect(unknown.stderr).toContain("NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)");
      const known = { NODE_EXTRA_CA_CERTS: tls[1]! };
      const named = address.replace("127.0.0.1", "localhost");
      expect(await rollcall("/", ["healthcheck", "--url", named], known)).toMatchObject({ exitCode: 0 });
    });
  }));

test("a server behind a proxy under a path is asked there", async () => {
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response("", { status: new URL(url).pathname === "/hr/readyz" ? 200 : 404 }),
  });
  try {
    const at = (path: string) =>
      rollcallHere("/", ["healthcheck", "--url", `http://127.0.0.1:${proxy.port}${path}`]);
    expect(await at("/hr/")).toMatchObject({
      exitCode: 0,
      stdout: `http://127.0.0.1:${proxy.port}/hr can answer.\n`,
    });
    expect(await at("")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/is not Rollcall's address: nothing is at http:.*\/readyz$/m),
    });
  } finally {
    proxy.stop(true);
  }
});

test("a server that accepts a connection and says nothing: 1, and why", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    const { exitCode, stderr } = await rollcallHere("/", ["healthcheck", "--port", String(silent.port)]);
    expect(stderr).toContain("cannot be reached: no response within 10 seconds. Check the address");
    expect(exitCode).toBe(1);
  } finally {
    silent.stop(true);
  }
});

test.each([
  ["--url nowhere", /--url must begin with http:\/\/ or https:\/\/: write "http:\/\/nowhere"/],
  ["--url file:///etc/passwd", /--url must begin with http:\/\/ or https:\/\/: write "http:\/\/127/],
  ["--port 0", /--port: "0" is not a whole number from 1 to 65535/],
  ["--prot 1", /unknown option --prot/],
])("healthcheck %s: 2", async (line, message) => {
  const { exitCode, stdout, stderr } = await rollcallHere("/", ["healthcheck", ...line.split(" ")]);
  expect(stderr).toMatch(message);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
});
