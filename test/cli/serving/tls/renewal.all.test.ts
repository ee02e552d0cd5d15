// A renewed certificate is taken up on SIGHUP.
import { expect, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { freePort } from "../../../support/postgres.ts";
import { inFolderWithCompany, rollcall, start, whileServing } from "../../command.ts";

const FILES = join(import.meta.dir, "test-only");
const ORIGINAL = "Rollcall test only";
const RENEWED = "Rollcall test only, renewed";

/** Who the certificate of a new connection is for. */
function presented(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.O);
      socket.end();
    }).on("error", reject);
  });
}

/** A connection that is just being opened when the listeners change may be reset. */
async function untilPresented(port: number, name: string): Promise<void> {
  while ((await presented(port).catch(String)) !== name) await Bun.sleep(20);
}

test.each([1, 2])(
  "with %p process(es): new connections get the renewed one, also of a later renewal",
  (processes) =>
    inFolderWithCompany(async (folder) => {
      const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
      copyFileSync(join(FILES, "localhost.cert.pem"), cert);
      copyFileSync(join(FILES, "localhost.key.pem"), key);
      const port = await freePort();
      const args = ["serve", "--port", String(port), "--processes", String(processes), "--log", "problems"];
      await whileServing(
        folder,
        [...args, "--tls-cert", cert, "--tls-key", key],
        async (address, _, child) => {
          const ask = () => fetch(`${address}/readyz`, { tls: { rejectUnauthorized: false } });
          expect(await presented(port)).toBe(ORIGINAL);
          for (const [file, name] of [
            ["renewed.cert.pem", RENEWED],
            ["localhost.cert.pem", ORIGINAL],
          ] as const) {
            copyFileSync(join(FILES, file), cert);
            child.kill("SIGHUP");
            await untilPresented(port, name);
            // Each process renews by itself: all have, once so many connections in a row get it.
            for (let inRow = 0; inRow < 20; inRow++)
              if ((await presented(port).catch(String)) !== name) inRow = 0;
            expect((await ask()).status).toBe(200);
          }
          child.kill("SIGTERM");
          expect(await child.exited).toBe(0);
        },
      );
    }),
);

test("files that cannot be used change nothing, and the log says why; the next SIGHUP tries again", () =>
  inFolderWithCompany(async (folder) => {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    copyFileSync(join(FILES, "localhost.cert.pem"), cert);
    copyFileSync(join(FILES, "localhost.key.pem"), key);
    const port = await freePort();
    const child = start(folder, ["serve", "--port", String(port), "--tls-cert", cert, "--tls-key", key]);
    try {
      const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
      for await (const _ of child.stdout) break; // it listens
      writeFileSync(cert, "not a certificate\n");
      child.kill("SIGHUP");
      let log = "";
      while (!log.includes("not renewed")) log += (await lines.read()).value;
      expect(log).toContain("cert.pem holds no PEM CERTIFICATE");
      expect(await presented(port)).toBe(ORIGINAL);
      copyFileSync(join(FILES, "renewed.cert.pem"), cert);
      child.kill("SIGHUP");
      await untilPresented(port, RENEWED);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
  }));

test.each([1, 2])(
  "with %p process(es) and no certificate, SIGHUP is told in the log, and the server goes on",
  (processes) =>
    inFolderWithCompany(async (folder) => {
      const port = await freePort();
      const child = start(folder, ["serve", "--port", String(port), "--processes", String(processes)]);
      try {
        const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
        for await (const _ of child.stdout) break; // it listens
        child.kill("SIGHUP");
        let log = "";
        while (!log.includes("not renewed")) log += (await lines.read()).value;
        expect(log).toContain("it has no --tls-cert");
        expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      } finally {
        child.kill("SIGKILL");
        await child.exited;
      }
    }),
);

test("a port in use is refused, though the kernel would let a second listener of the same user on it", () =>
  inFolderWithCompany(async (folder) => {
    const tls = [
      "--tls-cert",
      join(FILES, "localhost.cert.pem"),
      "--tls-key",
      join(FILES, "localhost.key.pem"),
    ];
    const port = String(await freePort());
    await whileServing(folder, ["serve", "--port", port, ...tls], async () => {
      const second = await rollcall(folder, ["serve", "--port", port, ...tls]);
      expect(second.stderr).toContain(`Port ${port} is in use on 127.0.0.1`);
      expect(second.exitCode).toBe(1);
    });
  }));
