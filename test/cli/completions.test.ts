// Completion scripts: bash runs its own; those of zsh and fish have the same words, from the same definitions.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { rollcallCommand } from "../../src/cli/commands.ts";
import { inFolder, rollcallHere } from "./command.ts";

async function script(shell: string): Promise<string> {
  const { exitCode, stdout } = await rollcallHere("/", ["completions", shell]);
  expect(exitCode).toBe(0);
  return stdout;
}

/** What bash would offer after each line; the last word of a line is the one that is typed. */
function offered(folder: string, lines: readonly string[]): string[][] {
  const asked = lines.map((line) => {
    const words = line.split(" ").map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _rollcall; echo "\${COMPREPLY[*]}"`;
  });
  const run = Bun.spawnSync(["bash", "-c", `source ./completions\n${asked.join("\n")}`], { cwd: folder });
  expect(run.stderr.toString()).toBe("");
  return run.stdout
    .toString()
    .split("\n")
    .slice(0, lines.length)
    .map((line) => line.split(" ").filter(Boolean));
}

test("bash offers commands, options, choices and files", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "completions"), await script("bash"));
    const [commands, keys, options, choices, file, number, shells] = offered(folder, [
      "rollcall ",
      "rollcall keys ",
      "rollcall keys create --e",
      "rollcall serve --port 4010 --log ",
      "rollcall import --map comp",
      "rollcall serve --port ",
      "rollcall completions ",
    ]);
    expect(commands).toEqual(expect.arrayContaining(["demo", "serve", "import", "healthcheck", "--help"]));
    expect(keys).toEqual(expect.arrayContaining(["create", "list", "revoke", "rotate"]));
    expect(options).toEqual(["--expires"]);
    expect(choices).toEqual(["requests", "problems", "none"]);
    expect(file).toEqual(["completions"]);
    expect(number).toEqual([]);
    expect(shells).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  }));

test.each(["bash", "zsh", "fish"])("the script for %s has every command and option", async (shell) => {
  const text = await script(shell);
  const visit = (command: Command) => {
    for (const { long, hidden } of command.options) {
      if (!hidden) expect(text).toContain(shell === "fish" ? `-l ${long!.slice(2)}` : long!);
    }
    for (const child of command.commands) {
      expect(text).toContain(child.name());
      visit(child);
    }
  };
  visit(await rollcallCommand());
});

test("another shell is wrong usage, and the message has the choices", async () => {
  const { exitCode, stderr } = await rollcallHere("/", ["completions", "tcsh"]);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish");
  expect(exitCode).toBe(2);
});
