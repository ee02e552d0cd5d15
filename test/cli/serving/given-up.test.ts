// Which processes are not restarted: those that give up before any listened.
import { expect, test } from "bun:test";
import { freePort } from "../../support/postgres.ts";
import { rollcall } from "../command.ts";

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
