// A server whose parent was killed: nobody has the other end of its stdout and stderr any more, and it still ends at SIGTERM.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { inFolderWithCompany } from "../command.ts";

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(20);
}

test.each([
  [1, "requests", 0],
  [1, "requests", 200],
  [1, "problems", 20],
  [1, "none", 20],
  [2, "requests", 0],
  [2, "requests", 200],
])("%p process(es), --log %s, after %p requests", (processes, log, requests) =>
  inFolderWithCompany(async (folder) => {
    const port = await freePort();
    const options = ["--port", String(port), "--processes", String(processes), "--log", log];
    const shell = Bun.spawn(
      ["sh", "-c", '"$0" "$@" 2>&1 | cat >said', ROLLCALL, "serve", "--rate-limit", "0", ...options],
      { cwd: folder, stdio: ["ignore", "inherit", "inherit"] },
    );
    const said = join(folder, "said");
    await until(() => existsSync(said) && readFileSync(said, "utf8").includes(`:${port}`));
    const isCat = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "cat";
    const [cat, server] = childrenOf(shell.pid).toSorted((a, b) => Number(isCat(b)) - Number(isCat(a)));
    if (cat === undefined || server === undefined) throw new Error("the shell has no two children");
    const all = [server, ...childrenOf(server)];
    try {
      for (const pid of [shell.pid, cat]) process.kill(pid, "SIGKILL");
      await until(() => !isAlive(cat));
      for (let call = 0; call < requests; call++) {
        const response = await fetch(`http://127.0.0.1:${port}/v1/workers`, { keepalive: false });
        expect(response.status).toBe(401);
      }
      if (requests > 0) await Bun.sleep(1500); // the log is written once a second, and finds no reader
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      process.kill(server, "SIGTERM");
      await until(() => !all.some(isAlive));
    } finally {
      for (const pid of all.filter(isAlive)) process.kill(pid, "SIGKILL");
    }
  }),
);
