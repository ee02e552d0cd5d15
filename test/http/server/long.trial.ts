// A response that takes longer than a connection may be idle arrives, and afterwards an idle connection is closed as before.
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { createApp } from "../../../src/http/app.ts";
import { listen } from "../../../src/http/server.ts";
import { addCompany, addKey, openTestStore } from "../../support/stores.ts";
import { bareParts } from "../bare-parts.ts";

test("for 40 s and then 30 s", async () => {
  const store = await openTestStore();
  await addCompany(store.writer, "acme");
  const key = await addKey(store.writer, "acme");
  const { version } = store.reader;
  store.reader.version = async (companyId) => {
    await Bun.sleep(40_000);
    return version.call(store.reader, companyId);
  };
  const server = listen(
    createApp(bareParts(store.reader, { today: () => "2026-03-01" })),
    {
      host: "127.0.0.1",
      port: 0,
      reusePort: false,
      tls: null,
      addressOf: (_request, peer) => peer,
      isTrustedPeer: () => false,
      basePath: "",
    },
    () => {},
  );
  const socket = connect(Number(new URL(server.address).port), "127.0.0.1");
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes;
  });
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(`GET /v1/workers HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`);
  await Bun.sleep(45_000);
  expect(received).toStartWith("HTTP/1.1 200");
  const sinceMs = performance.now();
  await closed;
  expect(performance.now() - sinceMs).toBeLessThan(40_000);
  await server.stop();
  await store.dispose();
});
