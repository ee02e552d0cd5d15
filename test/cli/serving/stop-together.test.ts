// Several processes on one port stop in step: a caller is refused once they have stopped, but no connection is reset.
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { inFolder, rollcall, whileServing } from "../command.ts";

const CALLERS = 16;
const ROUNDS = 4;

type Outcome = "response" | "refused" | "reset";

/** Sends one request on a connection of its own. */
function call(port: number, key: string): Promise<Outcome> {
  return new Promise((resolve) => {
    let received = "";
    const request = `GET /v1/workers HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nConnection: close\r\n\r\n`;
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("error", (error) =>
      resolve("code" in error && error.code === "ECONNREFUSED" ? "refused" : "reset"),
    );
    socket.on("close", () => resolve(received.startsWith("HTTP/1.1 200 ") ? "response" : "reset"));
  });
}

test.each([
  ["the parent alone", false],
  ["all of them, as a service manager does", true],
])("SIGTERM to %s", (_, isSentToAll) =>
  inFolder(async (folder) => {
    await rollcall(folder, ["companies", "create", "acme"]);
    const key = (await rollcall(folder, ["keys", "create", "--company", "acme", "--quiet"])).stdout.trim();
    for (let round = 0; round < ROUNDS; round++) {
      const port = await freePort();
      const args = [
        "serve",
        "--port",
        String(port),
        "--processes",
        "2",
        "--rate-limit",
        "0",
        "--log",
        "none",
      ];
      await whileServing(folder, args, async (_address, _printed, child) => {
        const outcomes = { response: 0, refused: 0, reset: 0 };
        const callers = Array.from({ length: CALLERS }, async () => {
          for (;;) {
            const outcome = await call(port, key);
            outcomes[outcome]++;
            if (outcome === "refused") return;
          }
        });
        await Bun.sleep(200 + round * 50);
        const pids = [child.pid, ...(isSentToAll ? childrenOf(child.pid) : [])];
        for (const pid of pids) process.kill(pid, "SIGTERM");
        expect(await child.exited).toBe(0);
        await Promise.all(callers);
        expect(outcomes).toMatchObject({ refused: CALLERS, reset: 0 });
        expect(outcomes.response).toBeGreaterThan(CALLERS);
      });
    }
  }),
);
