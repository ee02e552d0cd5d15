// An import that a signal ends says what became of it, and the exit code tells which signal.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, inFolderWithCompany, start } from "../command.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "an import that %s ends has changed nothing, says so, and ends with %d",
  async (signal, exitCode) => {
    await inFolderWithCompany(async (folder) => {
      writeFileSync(
        join(folder, "policies.csv"),
        "legacyId,name,paid,unit,schedule,timeOffTypeName\nP,P,yes,day,unlimited,P\n",
      );
      const holder = new Database(join(folder, "rollcall.db"));
      holder.run("begin immediate");
      const child = start(folder, ["import", "policies.csv", "--company", "acme"]);
      let said = "";
      for await (const chunk of child.stderr) {
        said += new TextDecoder().decode(chunk);
        if (said.includes("waiting for it to end")) child.kill(signal);
      }
      holder.run("rollback");
      holder.close();
      expect(await child.exited).toBe(exitCode);
      expect(said).toBe(
        "rollcall: another command is writing to the store (an import, a restore, a migration or a deletion): waiting for it to end\n" +
          "rollcall: interrupted: nothing was imported\n",
      );
      expect(JSON.parse(await done(folder, "companies", "show", "acme", "--json"))).toMatchObject({
        lastImportedAt: null,
      });
    });
  },
);
