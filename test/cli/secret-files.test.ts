// Variables that hold secrets can be read from files, as containers and systemd hand them out.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET_VARIABLES } from "../../src/cli/options.ts";
import { inFolder, rollcallHere } from "./command.ts";

test("the store's address comes from a file", async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "address"), `${join(folder, "named.db")}\n`);
    const environment = { ROLLCALL_DB_FILE: join(folder, "address") };
    expect((await rollcallHere(folder, ["companies", "create", "acme"], environment)).exitCode).toBe(0);
    expect(await Bun.file(join(folder, "named.db")).exists()).toBe(true);
  });
});

test.each([...SECRET_VARIABLES])(
  "%s and its twin together are an error, and so is a missing file",
  async (name) => {
    await inFolder(async (folder) => {
      const both = await rollcallHere(folder, ["companies", "list"], { [name]: "x", [`${name}_FILE`]: "y" });
      expect(both).toMatchObject({
        exitCode: 2,
        stderr: `rollcall: ${name} and ${name}_FILE are both set: set one of them\n`,
      });
      const taken = await rollcallHere(folder, ["companies", "list"], {
        [name]: "",
        [`${name}_FILE`]: "missing",
      });
      expect(taken.stderr).toBe(
        `rollcall: ${name}_FILE: missing cannot be read: check the path and its permissions\n`,
      );
      const missing = await rollcallHere(folder, ["companies", "list"], { [`${name}_FILE`]: "missing" });
      expect(missing.exitCode).toBe(1);
      expect(missing.stderr).toBe(
        `rollcall: ${name}_FILE: missing cannot be read: check the path and its permissions\n`,
      );
    });
  },
);
