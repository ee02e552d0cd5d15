// Several processes on one port stop in step: a caller is refused once they have stopped, but no connection is reset.
import { expect, test } from "bun:test";
import { freePort } from "../../support/postgres.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { stopTogether } from "./stop-together.ts";

/** After which a process that takes no step is killed. */
const STOP_STEP_TIMEOUT_MS = 5000;

test.each([
  ["the parent alone", false],
  ["all of them, as a service manager does", true],
])("SIGTERM to %s", async (_, isSentToAll) => {
  await stopTogether(1, isSentToAll);
});

test("SIGTERM while they wait for a database that does not answer: none has to be killed", async () => {
  let waiting = 0;
  using silent = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: () => {
        waiting++;
      },
      data: () => {},
    },
  });
  const db = `postgres://nobody@127.0.0.1:${silent.port}/rollcall`;
  const args = ["serve", "--db", db, "--port", String(await freePort()), "--processes", "2"];
  const child = Bun.spawn([ROLLCALL, ...args], { stdout: "ignore", stderr: "ignore" });
  while (waiting < 2) await Bun.sleep(20);
  const startedAtMs = performance.now();
  child.kill();
  expect(await child.exited).toBe(0);
  expect(performance.now() - startedAtMs).toBeLessThan(STOP_STEP_TIMEOUT_MS);
});
