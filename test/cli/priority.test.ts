// Long commands give way to a server on the same machine; a server gives way to nothing.
import { expect, test } from "bun:test";
import { constants, getPriority } from "node:os";
import { inFolderWithCompany, start, whileServing } from "./command.ts";

test("an import and a generator run at low priority, a server at the priority it was started with", async () => {
  await inFolderWithCompany(async (folder) => {
    await whileServing(folder, ["serve", "--port", "0"], async (_address, _printed, server) => {
      expect(getPriority(server.pid)).toBe(getPriority());
      for (const args of [
        ["generate", "--out", "files", "--workers", "2000"],
        ["import", "files", "--company", "acme"],
      ]) {
        const child = start(folder, args);
        const seen = new Set<number>();
        while (child.exitCode === null) {
          seen.add(priorityOf(child.pid));
          await Bun.sleep(5);
        }
        expect(await child.exited).toBe(0);
        expect(seen).toContain(constants.priority.PRIORITY_LOW);
      }
    });
  });
}, 120_000);

/** Of a process that may have just ended: then the own one. */
function priorityOf(pid: number): number {
  try {
    return getPriority(pid);
  } catch {
    return getPriority();
  }
}
