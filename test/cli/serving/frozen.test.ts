// Which processes are restarted: one that freezes, since the kernel goes on sending it connections; none that gives up before any listened.
import { expect, test } from "bun:test";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { inFolderWithCompany, rollcall, whileServing } from "../command.ts";

test("a frozen process is restarted, and every connection is answered again", () =>
  inFolderWithCompany(async (folder) => {
    const args = ["serve", "--port", String(await freePort()), "--processes", "2", "--log", "none"];
    await whileServing(folder, args, async (address, _, child) => {
      const frozen = childrenOf(child.pid)[0]!;
      process.kill(frozen, "SIGSTOP");
      while (childrenOf(child.pid).includes(frozen) || childrenOf(child.pid).length < 2) await Bun.sleep(100);
      for (let call = 0; call < 20; call++) {
        const response = await fetch(`${address}/healthz`, { keepalive: false });
        expect(response.status).toBe(200);
      }
    });
  }));

test("processes that give up before one of them listened are not restarted: the command ends with their message", async () => {
  using database = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      // Later than a process ends that cannot start at all.
      open: (socket) => void setTimeout(() => socket.terminate(), 2500),
      data: () => {},
    },
  });
  const db = `postgres://nobody@127.0.0.1:${database.port}/rollcall`;
  const args = ["serve", "--db", db, "--port", String(await freePort()), "--processes", "2"];
  const { exitCode, stdout, stderr } = await rollcall("/", args);
  expect(stderr).toContain(`rollcall: PostgreSQL at 127.0.0.1:${database.port}/rollcall cannot be reached`);
  expect(stderr).not.toContain("started again");
  expect(stdout).toBe("");
  expect(exitCode).toBe(1);
});
