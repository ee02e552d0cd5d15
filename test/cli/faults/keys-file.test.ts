// The file of keys beside a sound store is not what it should be: commands say so and what to do, and nothing is done by halves.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, inFolderWithKey, rollcallHere } from "../command.ts";

const ADVICE = "put it back, or move it away. Then rollcall restore brings back those of a backup";

test("a file of keys that is text, of another program, or empty is refused with what to do", () =>
  inFolderWithKey(async (folder) => {
    const keys = join(folder, "rollcall.db-keys");
    const foreign = join(folder, "foreign.db");
    new Database(foreign).run("create table other (column)");
    await done(folder, "backup", "--out", "whole.backup");
    await done(folder, "companies", "create", "later");
    const text = Buffer.from("some text\n".repeat(100));
    for (const [content, problem, isEmpty] of [
      [text, `${keys} is not a Rollcall store`, false],
      [readFileSync(foreign), `${keys} is a database of another program`, false],
      [Buffer.alloc(0), `${keys} is empty`, true],
    ] as const) {
      writeFileSync(keys, content);
      for (const args of [
        ["keys", "list"],
        ["feeds", "list"],
        ["keys", "revoke", "key_0000000000000"],
        ["migrate"],
        ["backup", "--out", "other.backup"],
        // These put a new file in the place of an empty one, whose making was interrupted.
        ...(isEmpty
          ? []
          : [
              ["keys", "create", "--company", "acme"],
              ["companies", "create", "third"],
              ["companies", "delete", "acme", "--yes"],
              ["restore", "whole.backup", "--yes"],
            ]),
      ]) {
        const { exitCode, stderr } = await rollcallHere(folder, args, {
          ROLLCALL_DB: join(folder, "rollcall.db"),
        });
        expect(stderr).toContain(problem);
        expect(stderr).toContain(ADVICE);
        expect(exitCode).toBe(1);
        expect(readFileSync(keys)).toEqual(content);
      }
      expect(JSON.parse(await done(folder, "companies", "list", "--json"))).toMatchObject([
        { id: "acme" },
        { id: "later" },
      ]);
    }
    copyFileSync(keys, join(folder, "away"));
    rmSync(keys);
    expect(await done(folder, "restore", "whole.backup", "--yes")).toContain("From the backup came 1 key");
    expect(await done(folder, "companies", "list")).not.toContain("later");
  }));

test("a deletion that was killed after the data and before the keys is finished by the next one", () =>
  inFolderWithKey(async (folder) => {
    const keys = join(folder, "rollcall.db-keys");
    await done(folder, "feeds", "create", "--company", "acme");
    copyFileSync(keys, join(folder, "before"));
    await done(folder, "companies", "delete", "acme", "--yes");
    copyFileSync(join(folder, "before"), keys); // as if it had not come so far
    expect(await done(folder, "keys", "list")).toContain("acme");
    expect(await done(folder, "companies", "delete", "acme", "--yes")).toContain("Deleted company acme");
    for (const list of ["keys", "feeds"]) expect(await done(folder, list, "list")).not.toContain("acme");
    await done(folder, "companies", "create", "hooked");
    await done(folder, "hooks", "create", "--company", "hooked", "--url", "https://example.com/hook");
    copyFileSync(keys, join(folder, "before"));
    await done(folder, "companies", "delete", "hooked", "--yes");
    copyFileSync(join(folder, "before"), keys);
    expect(await done(folder, "companies", "delete", "hooked", "--yes")).toContain("Deleted company hooked");
    expect(await done(folder, "hooks", "list")).not.toContain("hooked");
    const again = await rollcallHere(folder, ["companies", "delete", "acme", "--yes"]);
    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toContain("acme");
  }));
