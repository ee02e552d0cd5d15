// Several processes on one port that are told to stop while callers press them.
import { expect } from "bun:test";
import { connect } from "node:net";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { inFolderWithCompany, rollcall, whileServing } from "../command.ts";

const CALLERS = 16;

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

/**
 * SIGTERM, to the parent alone or to all processes, as a service manager does. They stop in step: a caller is refused once
 * they have stopped, but no connection is reset. Returns the number of responses.
 */
export async function stopTogether(rounds: number, isSentToAll: boolean): Promise<number> {
  let responses = 0;
  await inFolderWithCompany(async (folder) => {
    const key = (await rollcall(folder, ["keys", "create", "--company", "acme", "--quiet"])).stdout.trim();
    for (let round = 0; round < rounds; round++) {
      const port = await freePort();
      const listening = ["--port", String(port), "--processes", "2"];
      const args = ["serve", ...listening, "--rate-limit", "0", "--log", "none"];
      await whileServing(folder, args, async (_address, _printed, child) => {
        const outcomes = { response: 0, refused: 0, reset: 0 };
        const callers = Array.from({ length: CALLERS }, async () => {
          for (;;) {
            const outcome = await call(port, key);
            outcomes[outcome]++;
            if (outcome === "refused") return;
          }
        });
        // In the midst of the load, at another moment of it each time.
        while (outcomes.response < CALLERS * (4 + round)) await Bun.sleep(5);
        const pids = [child.pid, ...(isSentToAll ? childrenOf(child.pid) : [])];
        for (const pid of pids) process.kill(pid, "SIGTERM");
        expect(await child.exited).toBe(0);
        await Promise.all(callers);
        expect(outcomes).toMatchObject({ refused: CALLERS, reset: 0 });
        responses += outcomes.response;
      });
    }
  });
  return responses;
}
