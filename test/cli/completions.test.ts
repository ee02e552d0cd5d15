// Completion scripts: bash runs its own here. The words that all shells offer are those of --help.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { rollcallCommand } from "../../src/cli/commands.ts";
import { ROLLCALL } from "../support/rollcall-path.ts";
import { inFolder, rollcallHere } from "./command.ts";

async function completions(...args: string[]): Promise<string> {
  const { exitCode, stdout } = await rollcallHere("/", ["completions", ...args]);
  expect(exitCode).toBe(0);
  return stdout;
}

/** What bash offers after `rollcall` and each line; the last word of a line is the one that is typed. */
function offered(folder: string, lines: readonly string[]): string[][] {
  const asked = lines.map((line) => {
    const words = [ROLLCALL, ...line.split(" ")].map((word) => `'${word}'`);
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
    writeFileSync(join(folder, "completions"), await completions("bash"));
    const [commands, options, choices, file, number] = offered(folder, [
      "",
      "keys create --e",
      "serve --port 4010 --log ",
      "import --map comp",
      "serve --port ",
    ]);
    expect(commands).toEqual(expect.arrayContaining(["demo", "serve", "import", "healthcheck", "--help"]));
    expect(options).toEqual(["--expires"]);
    expect(choices).toEqual(["requests", "problems", "none"]);
    expect(file).toEqual(["completions"]);
    expect(number).toEqual([]);
  }));

test("after each command, its options and commands are offered, as --help has them", async () => {
  const visit = async (command: Command, path: readonly string[]) => {
    const offered = (await completions("bash", ["rollcall", ...path].join(" "))).trimEnd().split("\n");
    const help = command.createHelp();
    const words = [...help.visibleCommands(command), ...help.visibleOptions(command)].map((one) =>
      "long" in one ? one.long : one.name(),
    );
    expect(offered).toEqual(expect.arrayContaining(words));
    for (const child of command.commands) await visit(child, [...path, child.name()]);
  };
  await visit(await rollcallCommand(), []);
});

test("each shell gets the words in its form, with their help", async () => {
  const after = (shell: string, ...typed: string[]) => completions(shell, ["rollcall", ...typed].join(" "));
  expect(await after("bash", "keys", "create", "--scope")).toBe("workers:read\ntime_off:read\n");
  expect(await after("zsh", "keys", "create", "--scope")).toBe("workers\\:read\ntime_off\\:read\n");
  expect(await after("zsh", "keys")).toContain("\nrevoke:Revoke a key.");
  expect(await after("fish", "keys")).toContain("\nrevoke\tRevoke a key.");
  expect(await after("fish", "import")).toEndWith("\n@files\n");
});

test("another shell is wrong usage, and the message has the choices", async () => {
  const { exitCode, stderr } = await rollcallHere("/", ["completions", "tcsh"]);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish");
  expect(exitCode).toBe(2);
});
