// rollcall completions
import { Argument, Command, type Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export function completionsCommand(): Command {
  return new Command("completions")
    .description("Print a script that completes commands, options and their values in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  rollcall completions bash > /etc/bash_completion.d/rollcall",
        `  rollcall completions zsh > "\${fpath[1]}/_rollcall"`,
        "  rollcall completions fish > ~/.config/fish/completions/rollcall.fish",
      ].join("\n"),
    )
    .action((shell: (typeof SHELLS)[number], _options, command: Command) => {
      console.log(completionScript(shell, command.parent ?? command));
    });
}

/** The script that completes the commands of `program` in a shell. */
export function completionScript(shell: (typeof SHELLS)[number], program: Command): string {
  return { bash, zsh, fish }[shell](wordsOf(program));
}

interface Word {
  readonly word: string;
  readonly help: string;
}

/** What an option takes: nothing, a file, any other text, or one of these. */
type Values = "none" | "file" | "text" | readonly string[];

/** What may follow at one position of the command line. */
interface Position {
  /** The commands typed so far, such as "keys create"; empty at the beginning. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly (Word & { readonly values: Values })[];
  /** Fixed values of its argument. */
  readonly choices: readonly string[];
}

/** Every position of the command line, from the definitions that --help is made from. */
function wordsOf(program: Command): Position[] {
  const positions: Position[] = [];
  const visit = (command: Command, path: readonly string[]) => {
    const help = command.createHelp();
    positions.push({
      path: path.join(" "),
      commands: help.visibleCommands(command).map((one) => ({ word: one.name(), help: one.description() })),
      options: help.visibleOptions(command).map((one) => ({
        word: one.long ?? one.short!, // an option has one of them
        help: one.description,
        values: valuesOf(one),
      })),
      choices: command.registeredArguments.flatMap((one) => one.argChoices ?? []),
    });
    for (const child of command.commands) visit(child, [...path, child.name()]);
  };
  visit(program, []);
  return positions;
}

function valuesOf({ argChoices, required, flags }: Option): Values {
  if (argChoices !== undefined) return argChoices;
  if (!required) return "none";
  return /<(?:file|folder|store)\b/.test(flags) ? "file" : "text";
}

/** The options of all commands by what they take. An option of one name takes the same everywhere. */
function optionsByValues(positions: readonly Position[]) {
  const choices = new Map<string, readonly string[]>();
  const files = new Set<string>();
  const texts = new Set<string>();
  for (const { word, values } of positions.flatMap(({ options }) => options)) {
    if (values === "file") files.add(word);
    else if (values === "text") texts.add(word);
    else if (values !== "none") choices.set(word, values);
  }
  return { choices: [...choices], files: [...files].join("|"), texts: [...texts].join("|") };
}

/** The words of commands, options and choices need no quoting: they have only letters, digits, `-`, `_` and `:`. */
function bash(positions: readonly Position[]): string {
  const { choices, files, texts } = optionsByValues(positions);
  const from = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W ${JSON.stringify(words.join(" "))} -- "$current"))`;
  return [
    "# bash completion of rollcall, made by `rollcall completions bash`.",
    "_rollcall() {",
    `  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= word`,
    "  COMPREPLY=()",
    '  case "$previous" in',
    ...choices.map(([word, values]) => `    ${word}) ${from(values)}; return ;;`),
    `    ${files}) COMPREPLY=($(compgen -f -- "$current")); return ;;`,
    `    ${texts}) return ;;`,
    "  esac",
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$at $word" in',
    ...moves(positions).map(
      ([typed, path]) => `      ${JSON.stringify(typed)}) at=${JSON.stringify(path)} ;;`,
    ),
    "    esac",
    "  done",
    '  case "$at" in',
    ...positions.map(({ path, commands, options, choices: values }) => {
      const words = [...commands, ...options].map(({ word }) => word).concat(values);
      return `    ${JSON.stringify(path)}) ${from(words)} ;;`;
    }),
    "  esac",
    `  [[ \${#COMPREPLY[@]} -gt 0 || $current == -* ]] || COMPREPLY=($(compgen -f -- "$current"))`,
    "}",
    "complete -o filenames -F _rollcall rollcall",
  ].join("\n");
}

/** For each command: what stands before it and its own word, as the scripts join them, and where that leads. */
function moves(positions: readonly Position[]): (readonly [typed: string, path: string])[] {
  return positions
    .filter(({ path }) => path !== "")
    .map(({ path }) => [path.includes(" ") ? path : ` ${path}`, path] as const);
}

function zsh(positions: readonly Position[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const described = ({ word, help }: Word) =>
    quoted(`${word.replaceAll(":", "\\:")}:${help.replaceAll(":", "\\:")}`);
  const { choices, files, texts } = optionsByValues(positions);
  return [
    "#compdef rollcall",
    "# zsh completion of rollcall, made by `rollcall completions zsh`.",
    "_rollcall() {",
    "  local -a here",
    "  local at='' word",
    `  case "\${words[CURRENT-1]}" in`,
    ...choices.map(([word, values]) => `    ${word}) compadd -- ${values.map(quoted).join(" ")}; return ;;`),
    `    ${files}) _files; return ;;`,
    `    ${texts}) return ;;`,
    "  esac",
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    case "$at $word" in',
    ...moves(positions).map(([typed, path]) => `      ${quoted(typed)}) at=${quoted(path)} ;;`),
    "    esac",
    "  done",
    '  case "$at" in',
    ...positions.map(({ path, commands, options, choices: values }) => {
      const words = [...commands, ...options].map(described).concat(values.map(quoted));
      return `    ${quoted(path)}) here=(${words.join(" ")}) ;;`;
    }),
    "  esac",
    "  _describe rollcall here || _files",
    "}",
    'if [ "$funcstack[1]" = "_rollcall" ]; then _rollcall "$@"; else compdef _rollcall rollcall; fi',
  ].join("\n");
}

function fish(positions: readonly Position[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = [
    "# fish completion of rollcall, made by `rollcall completions fish`.",
    "function __rollcall_at",
    "  set -l at ''",
    "  for word in (commandline -opc)[2..-1]",
    '    switch (string trim -- "$at $word")',
    ...moves(positions).map(
      ([, path]) => `      case ${quoted(path)}
        set at ${quoted(path)}`,
    ),
    "    end",
    "  end",
    '  test "$at" = "$argv[1]"',
    "end",
  ];
  for (const { path, commands, options, choices } of positions) {
    const here = `complete -c rollcall -n ${quoted(`__rollcall_at ${quoted(path)}`)}`;
    for (const { word, help } of commands) lines.push(`${here} -f -a ${quoted(word)} -d ${quoted(help)}`);
    if (choices.length > 0) lines.push(`${here} -f -a ${quoted(choices.join(" "))}`);
    for (const { word, help, values } of options) {
      const value = fishValue(values, quoted);
      lines.push(`${here} -l ${word.replace(/^--/, "")}${value} -d ${quoted(help)}`);
    }
  }
  return lines.join("\n");
}

function fishValue(values: Values, quoted: (text: string) => string): string {
  if (values === "none") return "";
  if (values === "file") return " -r -F";
  return values === "text" ? " -x" : ` -x -a ${quoted(values.join(" "))}`;
}
