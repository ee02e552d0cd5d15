// A switch given by the environment is what its variable says, on every command that has one.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inFolder, rollcallHere } from "./command.ts";

const OFF = ["0", "false", "No", "off", ""];

test.each(OFF)("ROLLCALL_JSON=%p is no JSON, ROLLCALL_YES=%p asks", async (off) => {
  await inFolder(async (folder) => {
    const env = { ROLLCALL_JSON: off, ROLLCALL_YES: off };
    const made = await rollcallHere(folder, ["companies", "create", "acme"], env);
    expect(made.exitCode).toBe(0);
    expect(made.stdout).not.toStartWith("{");
    const deleted = await rollcallHere(folder, ["companies", "delete", "acme"], env);
    expect(deleted).toMatchObject({ exitCode: 2, stdout: "" });
    expect(deleted.stderr).toContain("add --yes");
    const listed = await rollcallHere(folder, ["companies", "list"], { ...env, ROLLCALL_JSON: "yes" });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "acme" }]);
    expect((await rollcallHere(folder, ["companies", "delete", "acme", "--yes"], env)).exitCode).toBe(0);
  });
});

test.each(OFF)("ROLLCALL_OVERWRITE=%p keeps what is there", async (off) => {
  await inFolder(async (folder) => {
    const generate = ["generate", "--out", "made", "--workers", "3"];
    expect((await rollcallHere(folder, generate)).exitCode).toBe(0);
    const again = await rollcallHere(folder, generate, { ROLLCALL_OVERWRITE: off });
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain("--overwrite");
    expect((await rollcallHere(folder, generate, { ROLLCALL_OVERWRITE: "TRUE" })).exitCode).toBe(0);
  });
});

test("ROLLCALL_DRY_RUN, ROLLCALL_PRUNE and ROLLCALL_YES say what an import may do", async () => {
  await inFolder(async (folder) => {
    await rollcallHere(folder, ["generate", "--out", "made", "--workers", "3"]);
    await rollcallHere(folder, ["companies", "create", "acme"]);
    const run = (env: Record<string, string>) =>
      rollcallHere(folder, ["import", "made", "--company", "acme"], env);
    expect((await run({ ROLLCALL_DRY_RUN: "1" })).stdout).toContain("Dry run: nothing was changed");
    expect((await run({ ROLLCALL_DRY_RUN: "0", ROLLCALL_PRUNE: "off" })).stdout).toContain(
      "Imported into acme.",
    );
    await rollcallHere(folder, ["generate", "--out", "made", "--workers", "1", "--overwrite"]);
    const kept = await run({ ROLLCALL_PRUNE: "0", ROLLCALL_YES: "1" });
    expect(kept.stdout).toMatch(/Stored, but not in the files: .* of workers/);
    const refused = await run({ ROLLCALL_PRUNE: "1", ROLLCALL_YES: "0" });
    expect(refused.stderr).toContain("pruning would remove");
  });
});

test("what is neither yes nor no is wrong usage, and changes nothing", async () => {
  await inFolder(async (folder) => {
    const { exitCode, stderr } = await rollcallHere(folder, ["companies", "create", "acme"], {
      ROLLCALL_JSON: "maybe",
    });
    expect(stderr).toContain('ROLLCALL_JSON: "maybe" is neither yes nor no: write 1 or 0, or use --json');
    expect(exitCode).toBe(2);
    expect(existsSync(join(folder, "rollcall.db"))).toBe(false);
  });
});
