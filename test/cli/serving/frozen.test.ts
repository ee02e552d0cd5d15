// One of several processes freezes: the kernel goes on sending it connections, so it is killed and restarted.
import { expect, test } from "bun:test";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { inFolderWithCompany, whileServing } from "../command.ts";

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
