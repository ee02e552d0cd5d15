// TLS as an operator sets it up: responses over https that a caller can verify, and clear words where the files are wrong.
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { send } from "../../../http/socket.ts";
import { inFolderWithCompany, inFolderWithKey, rollcall, whileServing } from "../../command.ts";

const FILES = join(import.meta.dir, "test-only");
const CERT = join(FILES, "localhost.cert.pem");
const KEY = join(FILES, "localhost.key.pem");
const ca = readFileSync(CERT, "utf8");

const serve = (...more: string[]) => ["serve", "--port", "0", "--log", "none", ...more];
const TLS = ["--tls-cert", CERT, "--tls-key", KEY];

test("responses over https, and a caller can verify that they are the server's", () =>
  inFolderWithKey(async (folder, key) => {
    await whileServing(folder, serve(...TLS), async (address) => {
      expect(address).toStartWith("https://127.0.0.1:");
      const headers = { "x-api-key": key };
      for (const origin of [address, address.replace("127.0.0.1", "localhost")]) {
        const response = await fetch(`${origin}/v1/workers`, { headers, tls: { ca } });
        expect(await response.json()).toEqual({ count: 0, data: [], hasMore: false });
      }
      await expect(fetch(`${address}/v1/workers`, { headers })).rejects.toThrow(/self.signed/i);
      const presented = await new Promise<unknown>((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port), ca }, () => {
          resolve(socket.getPeerCertificate().subject.O);
          socket.end();
        }).on("error", reject);
      });
      expect(presented).toBe("Rollcall test only");
    });
  }));

test("plain http gets no response on that port", () =>
  inFolderWithKey(async (folder, key) => {
    await whileServing(folder, serve(...TLS), async (address) => {
      const plain = address.replace("https:", "http:");
      await expect(fetch(`${plain}/v1/workers`, { headers: { "x-api-key": key } })).rejects.toThrow();
      const port = Number(new URL(address).port);
      const { responses, rest } = await send(
        port,
        `GET /v1/workers HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`,
      );
      expect(responses).toEqual([]);
      expect(rest.toString("latin1")).not.toContain("HTTP/");
      const still = await fetch(`${address}/v1/workers`, { headers: { "x-api-key": key }, tls: { ca } });
      expect(still.status).toBe(200);
    });
  }));

test("several processes share the certificate too", () =>
  inFolderWithKey(async (folder, key) => {
    const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const port = String(probe.port);
    probe.stop(true);
    const args = ["serve", "--port", port, "--processes", "2", "--log", "none", ...TLS];
    await whileServing(folder, args, async (address, _printed, child) => {
      const call = () =>
        fetch(`${address}/v1/workers`, { headers: { "x-api-key": key }, tls: { ca }, keepalive: false });
      expect((await call()).status).toBe(200);
      child.kill("SIGTERM");
      await child.exited;
    });
  }));

const file = (name: string) => join(FILES, name);

const WRONG: readonly (readonly [string, string, string, string])[] = [
  [
    "an expired certificate",
    file("expired.cert.pem"),
    KEY,
    `${file("expired.cert.pem")} expired on 2020-02-01: renew it`,
  ],
  [
    "a certificate that is not valid yet",
    file("future.cert.pem"),
    KEY,
    `${file("future.cert.pem")} is valid from 2120-01-01`,
  ],
  ["the key of another", CERT, file("other.key.pem"), "is not the key of the first certificate"],
  ["an encrypted key", CERT, file("encrypted.key.pem"), "is encrypted: remove its passphrase"],
  ["the two the wrong way round", KEY, CERT, "--tls-cert: "],
  ["a certificate that is cut off", "cut.pem", KEY, "cut.pem is not a readable certificate"],
  ["a key that is cut off", CERT, "cut-key.pem", "cut-key.pem is not a readable private key"],
  ["a folder", ".", KEY, ". cannot be read: check the path and its permissions"],
];

test.each(WRONG)("%s: nothing listens, and the message says what to do", (_, cert, key, message) =>
  inFolderWithCompany(async (folder) => {
    writeFileSync(join(folder, "cut.pem"), `${ca.slice(0, 300)}\n-----END CERTIFICATE-----\n`);
    writeFileSync(
      join(folder, "cut-key.pem"),
      `${readFileSync(KEY, "utf8").slice(0, 160)}\n-----END PRIVATE KEY-----\n`,
    );
    const { exitCode, stdout, stderr } = await rollcall(folder, serve("--tls-cert", cert, "--tls-key", key));
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("fault of Rollcall");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  }),
);

test("a chain is served whole, the server's own certificate first", () =>
  inFolderWithKey(async (folder, key) => {
    writeFileSync(join(folder, "chain.pem"), `${ca}${readFileSync(file("expired.cert.pem"), "utf8")}`);
    copyFileSync(KEY, join(folder, "key.pem"));
    await whileServing(folder, serve("--tls-cert", "chain.pem", "--tls-key", "key.pem"), async (address) => {
      const response = await fetch(`${address}/v1/workers`, { headers: { "x-api-key": key }, tls: { ca } });
      expect(response.status).toBe(200);
    });
  }));

/** Every address that others may reach this machine at, and all of them at once. */
const HOSTS = [
  "0.0.0.0",
  ...Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address),
];

test.each(HOSTS)("listening on %s without TLS is warned of loudly, with it there is no warning", (host) =>
  inFolderWithCompany(async (folder) => {
    const said = async (...more: string[]) => {
      let stderr = "";
      await whileServing(folder, serve("--host", host, ...more), async (_address, _printed, child) => {
        child.kill("SIGTERM");
        stderr = await new Response(child.stderr as ReadableStream).text();
      });
      return stderr;
    };
    expect(await said()).toContain(`WARNING: listening on ${host} without TLS.\n`);
    expect(await said(...TLS)).not.toContain("WARNING");
  }),
);

test.each(["127.0.0.1", "localhost"])("listening on %s is not warned of", (host) =>
  inFolderWithCompany(async (folder) => {
    await whileServing(folder, serve("--host", host), async (_address, _printed, child) => {
      child.kill("SIGTERM");
      expect(await new Response(child.stderr as ReadableStream).text()).toBe("");
    });
  }),
);
