// `rollcall migrate` while another process writes to the store, as when a package is upgraded during an import.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { spawnRollcall, withStoreFolder } from "../../cli/faults/store-folder.ts";

test("a migration waits for whoever writes, says so once, and is done afterwards", () =>
  withStoreFolder(
    async ({ db }) => {
      const writer = new Database(db);
      writer.run("begin immediate");
      const child = spawnRollcall(["migrate", "--db", db]);
      let said = "";
      for await (const chunk of child.stderr) {
        said += new TextDecoder().decode(chunk);
        writer.close();
      }
      expect(said).toBe(
        "rollcall: another command is writing to the store (an import, a restore, a migration or a deletion): waiting for it to end\n",
      );
      expect(await child.exited).toBe(0);
      expect(await new Response(child.stdout).text()).toContain("has this version's schema already");
    },
    { small: 10, big: 10 },
  ));
