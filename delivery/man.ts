// Man pages, made from the same definitions as --help: rollcall(1), and one page for each command.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import manifest from "../package.json";
import { rollcallCommand } from "../src/cli/commands.ts";
import { buildOf } from "./bundle.ts";

/** Empties the folder, writes every page into it, and returns their names. */
export async function writeManPages(folder: string): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { date } = buildOf("man page");
  const names: string[] = [];
  const visit = (command: Command, path: readonly string[]) => {
    const name = `${path.join("-")}.1`;
    writeFileSync(join(folder, name), manPage(command, path, date));
    names.push(name);
    for (const child of command.commands) visit(child, [...path, child.name()]);
  };
  visit(await rollcallCommand(), ["rollcall"]);
  return names;
}

/** One page in the `man` macros of roff. */
export function manPage(command: Command, path: readonly string[], date: string): string {
  const help = command.createHelp();
  const title = path.join("-").toUpperCase();
  const options = help
    .visibleOptions(command)
    .map(
      (option) =>
        `.TP\n${escaped(option.flags, "\\fB", "\\fR")}\n${escaped(`${option.description}.`)}${
          option.argChoices === undefined ? "" : `\nOne of ${escaped(option.argChoices.join(", "))}.`
        }${option.defaultValue === undefined ? "" : `\nDefault: ${escaped(String(option.defaultValue))}.`}${
          option.envVar === undefined ? "" : `\nEnvironment: ${escaped(option.envVar)}.`
        }`,
    );
  const commands = help
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .map(
      (child) =>
        `.TP\n\\fB${escaped([...path, child.name()].join("-"))}\\fR(1)\n${escaped(child.description())}`,
    );
  const args = help
    .visibleArguments(command)
    .map((argument) => `.TP\n${escaped(argument.name())}\n${escaped(argument.description)}`);
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`.SH ${name}`, ...lines];
  return `${[
    `.TH ${title} 1 ${date} "Rollcall ${manifest.version}" "Rollcall"`,
    ".SH NAME",
    `${escaped(path.join("-"))} \\- ${escaped(command.description().replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    `\\fB${escaped(path.join(" "))}\\fR ${escaped(command.usage())}`,
    ...section("ARGUMENTS", args),
    ...section("COMMANDS", commands),
    ...section("OPTIONS", options),
    ...section("NOTES", notesOf(command)),
    ".SH EXIT STATUS",
    `0: done. 1: the work failed; the message says what to do. 2: wrong usage.${path.at(-1) === "import" ? " 3: imported, except for rows in quarantine." : ""}`,
    ...(path.length === 1 ? [] : [".SH SEE ALSO", "\\fBrollcall\\fR(1)"]),
  ].join("\n")}\n`;
}

/** The notes and examples that --help prints after the options. */
function notesOf(command: Command): string[] {
  let printed = "";
  command.configureOutput({ writeOut: (text) => (printed += text) });
  command.outputHelp();
  const notes = printed.slice(command.helpInformation().length).trim();
  return notes === "" ? [] : [".nf", ...notes.split("\n").map((line) => escaped(line)), ".fi"];
}

/** Text that roff prints unchanged; a line must not begin with a control character. */
function escaped(text: string, before = "", after = ""): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("\n", " ");
  return `${before}${/^[.']/.test(plain) ? `\\&${plain}` : plain}${after}`;
}
