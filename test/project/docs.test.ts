// What can be set, called or got back is written down.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROBLEMS } from "../../src/resources/problems.ts";
import { SETTINGS } from "../../src/settings.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(ROOT, path)).text();

const flagOf = (flags: string) => /--[a-z-]+/.exec(flags)![0];

test.each(Object.values(SETTINGS))("docs/settings.md tells of $flags", async ({ flags, env }) => {
  const text = await read("docs/settings.md");
  expect(text).toContain(`\`${flagOf(flags)}`);
  expect(text).toContain(`\`${env}\``);
});

test.each(Object.keys(PROBLEMS))("docs/errors.md tells of %s", async (code) => {
  expect(await read("docs/errors.md")).toContain(code);
});

test("every command is in docs/commands.md", async () => {
  const text = await read("docs/commands.md");
  const help = Bun.spawnSync([join(ROOT, "bin/rollcall"), "--help"]).stdout.toString();
  const listed = help.slice(help.indexOf("Commands:"), help.indexOf("Examples:"));
  const commands = [...listed.matchAll(/^ {2}([a-z]+)(?= )/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== "help");
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) expect(text).toContain(`\`rollcall ${command}`);
});

test("links between the documents lead somewhere", async () => {
  const missing: string[] = [];
  for await (const file of new Bun.Glob("{*.md,docs/**/*.md,bench/*.md}").scan(ROOT)) {
    for (const match of (await read(file)).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
      if (!existsSync(join(ROOT, dirname(file), match[1]!))) missing.push(`${file}: ${match[1]}`);
    }
  }
  expect(missing).toEqual([]);
});
