// What can be set, called or got back is written down.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { rollcallCommand } from "../../src/cli/commands.ts";
import { option } from "../../src/cli/options.ts";
import { TOOLS } from "../../src/mcp/endpoint.ts";
import { WIRE_OBJECTS } from "../../src/resources/endpoints.ts";
import { EVENT_TYPES } from "../../src/resources/events.ts";
import { PROBLEMS, problemSchema } from "../../src/resources/problems.ts";
import { SETTINGS, type SettingName } from "../../src/settings.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(ROOT, path)).text();

const flagOf = (flags: string) => /--[a-z-]+/.exec(flags)![0];

test.each(Object.keys(SETTINGS) as SettingName[])("docs/settings.md tells of %s", async (name) => {
  const { flags, envVar } = option(name);
  const text = await read("docs/settings.md");
  expect(text).toContain(`\`${flagOf(flags)}`);
  expect(text).toContain(`\`${envVar}\``);
});

test.each(Object.keys(PROBLEMS))("docs/errors.md tells of %s", async (code) => {
  expect(await read("docs/errors.md")).toContain(code);
});

test.each(TOOLS)("docs/assistants.md tells of $name and its arguments", async ({ name, input }) => {
  const row = (await read("docs/assistants.md")).split("\n").find((line) => line.startsWith(`| \`${name}\``));
  for (const argument of Object.keys(input.shape)) expect(row).toContain(`\`${argument}\``);
  expect(row).toBeDefined();
});

test("every command is in docs/commands.md", async () => {
  const text = await read("docs/commands.md");
  const help = Bun.spawnSync([join(ROOT, "bin/rollcall"), "--help"]).stdout.toString();
  const listed = help.slice(help.indexOf("Try and serve:"), help.indexOf("Examples:"));
  const commands = [...listed.matchAll(/^ {2}([a-z]+)(?= )/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== "help");
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) expect(text).toContain(`\`rollcall ${command}`);
});

const PAGES = ["*.md", "docs/**/*.md", "bench/*.md"].flatMap((glob) => [
  ...new Bun.Glob(glob).scanSync({ cwd: ROOT, dot: false }),
]);

/** As GitHub makes anchors of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("links between the documents lead to files and sections that exist", async () => {
  const missing: string[] = [];
  for (const page of PAGES) {
    for (const [, path, anchor] of (await read(page)).matchAll(/\]\(([^)#:\s]*)(?:#([^)]*))?\)/g)) {
      const target = path === "" ? page : join(dirname(page), path!);
      if (!existsSync(join(ROOT, target))) missing.push(`${page}: ${path}`);
      else if (anchor !== undefined && target.endsWith(".md") && !anchorsOf(await read(target)).has(anchor))
        missing.push(`${page}: ${path}#${anchor}`);
    }
  }
  expect(missing).toEqual([]);
  expect(PAGES.length).toBeGreaterThan(20);
});

test("docs/README.md lists every document, so that the site has it in its sidebar", async () => {
  const [, list = ""] = (await read("docs/README.md")).split("## All pages\n");
  const missing = [...new Bun.Glob("**/*.md").scanSync(join(ROOT, "docs"))].filter(
    (page) => page !== "README.md" && !page.startsWith("decisions/") && !list.includes(`](${page})`),
  );
  expect(missing).toEqual([]);
});

/** The command that the words begin with, and the words after it. */
function named(command: Command, words: readonly string[]): { command: Command; words: readonly string[] } {
  const next = command.commands.find((one) => one.name() === words[0]);
  return next === undefined ? { command, words } : named(next, words.slice(1));
}

test("the commands that documents write exist, and so do their options", async () => {
  const program = await rollcallCommand();
  const wrong: string[] = [];
  let checked = 0;
  for (const page of PAGES) {
    const text = (await read(page)).replaceAll(/\\\n\s*/g, "");
    for (const [, line] of text.matchAll(/(?:^|`|…|npx|\$) ?\(?rollcall ([a-z][^\n`|;#)]*)/gm)) {
      const { command, words } = named(program, line!.trim().split(" "));
      const options = command.options.map(({ long }) => long);
      const isUnknown = (word: string) => word.startsWith("--") && !options.includes(word.split("=")[0]!);
      if ((command.commands.length > 0 && words.length > 0) || words.some(isUnknown))
        wrong.push(`${page}: rollcall ${line}`);
      checked++;
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(150);
});

const REGROUPED =
  "entries of Added stand under a part such as #### Imports; if a merge brought old lines back, take the file of main and add yours again";

test("the published interface in docs/api.md: what is as there is defined, what is left out is not", async () => {
  const text = await read("docs/api.md");
  const section = text.slice(
    text.indexOf("## The published interface"),
    text.indexOf("## Beside the contract"),
  );
  const rows = section.split("\n").flatMap((line) => {
    const [, there, here] = /^\| (.+) \| (.+) \|$/.exec(line) ?? [];
    return there === undefined || here === undefined ? [] : [{ there, here }];
  });
  const keysOf = (schemaName: string) =>
    Object.keys(WIRE_OBJECTS.find((one) => one.schemaName === schemaName)!.fields);
  const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  const at = (start: string) => rows.find(({ there }) => there.startsWith(start))!;
  for (const [start, schemaName] of [
    ["worker,", "Worker"],
    ["department:", "Department"],
    ["workplace:", "Workplace"],
    ["request:", "Request"],
  ] as const) {
    expect(at(start).here).toBe("as there");
    expect(keysOf(schemaName)).toEqual(expect.arrayContaining(named(at(start).there)));
  }
  expect(Object.keys(problemSchema.shape)).toEqual(expect.arrayContaining(named(at("errors:").there)));
  const events: readonly string[] = EVENT_TYPES;
  expect(events).toEqual(expect.arrayContaining(named(at("webhooks:").there)));
  const absent = at("compensation").there.split(", ");
  const keys = new Set(
    WIRE_OBJECTS.flatMap(({ fields }) => Object.keys(fields).map((key) => key.toLowerCase())),
  );
  for (const name of absent) expect(keys).not.toContain(name.replaceAll(" ", ""));
  expect(absent.length).toBeGreaterThan(8);
});

test("a release in the changelog has each heading and entry once, and its additions by part", async () => {
  const [, ...releases] = (await read("CHANGELOG.md")).split(/^## /m);
  for (const release of releases) {
    const headings: string[] = release.match(/^#{3,4} .*/gm) ?? [];
    expect(headings, REGROUPED).toEqual([...new Set(headings)]);
    const entries: string[] = release.match(/^- .*/gm) ?? [];
    expect(entries.length).toBeGreaterThan(0);
    expect(entries, REGROUPED).toEqual([...new Set(entries)]);
    expect(release, REGROUPED).not.toMatch(/^### Added\n\n- /m);
  }
});
