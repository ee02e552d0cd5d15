// Long commands give way to a server on the same machine; a server gives way to nothing.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { join } from "node:path";
import { inFolderWithCompany, start, whileServing } from "./command.ts";

test("an import and a generator run at low priority, a server at the priority it was started with", async () => {
  await inFolderWithCompany(async (folder) => {
    writeFileSync(join(folder, "policies.csv"), "legacyId,name\n");
    await whileServing(folder, ["serve", "--port", "0"], async (_address, _printed, server) => {
      expect(getPriority(server.pid)).toBe(getPriority());
      const holder = new Database(join(folder, "rollcall.db"));
      holder.run("begin immediate"); // the import waits for its end
      for (const args of [
        ["generate", "--out", "files", "--workers", "1000000"],
        ["import", "policies.csv", "--company", "acme"],
      ]) {
        const child = start(folder, args);
        while (child.exitCode === null && getPriority(child.pid) !== constants.priority.PRIORITY_LOW)
          await Bun.sleep(5);
        expect(child.exitCode).toBeNull();
        child.kill("SIGKILL");
        await child.exited;
      }
      holder.close();
    });
  });
}, 120_000);
