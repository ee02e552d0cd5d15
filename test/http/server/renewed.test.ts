// A listener whose certificate was renewed, and renewed again, goes on with the requests that it has.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listen } from "../../../src/http/server.ts";
import type { Observation } from "../../../src/observe.ts";

const FILES = join(import.meta.dir, "..", "..", "cli", "serving", "tls", "test-only");
const read = (name: string) => readFileSync(join(FILES, name), "utf8");

test("a stop waits for a request that began before the certificate changed twice", async () => {
  const [original, renewed] = ["localhost.cert.pem", "renewed.cert.pem"].map((cert) => ({
    cert: read(cert),
    key: read("localhost.key.pem"),
  }));
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const observed: Observation[] = [];
  const server = listen(
    async () => {
      arrived.resolve();
      await released.promise;
      return new Response("whole");
    },
    {
      host: "127.0.0.1",
      port: 0,
      reusePort: false,
      tls: original!,
      addressOf: (_, peer) => peer,
      isTrustedPeer: () => false,
      basePath: "",
    },
    (observation) => observed.push(observation),
  );
  const response = fetch(`${server.address}/healthz`, { tls: { rejectUnauthorized: false } });
  await arrived.promise;
  server.renew(renewed!);
  server.renew(original!);
  const stopped = server.stop();
  expect(observed).toEqual([{ kind: "stopping", inFlight: 1 }]);
  released.resolve();
  expect(await (await response).text()).toBe("whole");
  await stopped;
});
