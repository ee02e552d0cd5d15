// rollcall completions: scripts for shells. At each Tab, a script asks this command for the words that may come next.

import { Argument, type Command, type Option } from "commander";
import { RollcallCommand } from "../options.ts";

/** A reply that tells the script to complete file names. */
const FILES = "@files";

/** Each script passes the line as far as the word to complete. */
export const COMPLETION_SCRIPTS = {
  bash: `# bash completion of rollcall, made by \`rollcall completions bash\`.
_rollcall() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]} words
  words=$("\${COMP_WORDS[0]}" completions bash "\${COMP_WORDS[*]:0:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "\${words//${FILES}/}" -- "$current"))
  [[ $words != *${FILES}* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _rollcall rollcall`,
  zsh: `#compdef rollcall
# zsh completion of rollcall, made by \`rollcall completions zsh\`.
_rollcall() {
  local -a here
  here=("\${(@f)$("\${words[1]}" completions zsh "\${(j: :)words[1,CURRENT-1]}" 2>/dev/null)}")
  local files=\${here[(r)${FILES}]}
  here=("\${(@)here:#${FILES}}")
  _describe rollcall here
  [[ -z $files ]] || _files
}
if [ "$funcstack[1]" = "_rollcall" ]; then _rollcall "$@"; else compdef _rollcall rollcall; fi`,
  fish: `# fish completion of rollcall, made by \`rollcall completions fish\`.
function __rollcall
  set -l typed (commandline -opc)
  for word in ($typed[1] completions fish "$typed" 2>/dev/null)
    if test "$word" = ${FILES}
      __fish_complete_path (commandline -ct)
    else
      echo $word
    end
  end
end
complete -c rollcall -f -a '(__rollcall)'`,
} as const;

type Shell = keyof typeof COMPLETION_SCRIPTS;

/** `load` makes the program with all its commands, or only with the one that `args` names. */
export function completionsCommand(load: (args: readonly string[]) => Promise<Command>): Command {
  return new RollcallCommand("completions")
    .description("Print a script that completes commands, options and their values in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(COMPLETION_SCRIPTS)))
    .argument("[line]", "what is typed before the word to complete: the script asks what may follow it")
    .examples(
      "rollcall completions bash > /etc/bash_completion.d/rollcall",
      `rollcall completions zsh > "\${fpath[1]}/_rollcall"`,
      "rollcall completions fish > ~/.config/fish/completions/rollcall.fish",
    )
    .action(async (shell: Shell, typed?: string) => {
      if (typed === undefined) {
        console.log(COMPLETION_SCRIPTS[shell]);
        return;
      }
      const [, ...words] = typed.split(/\s+/);
      const lines = wordsAfter(await load(words), words).map((word) => line(shell, word));
      console.log(lines.join("\n"));
    });
}

interface Word {
  readonly word: string;
  readonly help?: string;
}

/** A completion in the form that each shell reads. */
function line(shell: Shell, { word, help = "" }: Word): string {
  if (word === FILES) return word;
  if (shell === "fish") return `${word}\t${help}`;
  const escaped = word.replaceAll(":", "\\:");
  return shell === "bash" ? word : help === "" ? escaped : `${escaped}:${help}`;
}

/** The words that may come next, from the definitions that --help uses. */
function wordsAfter(program: Command, typed: readonly string[]): Word[] {
  let command = program;
  for (const word of typed)
    command = command.commands.find((subcommand) => subcommand.name() === word) ?? command;
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const before = options.find(({ long }) => long === typed.at(-1));
  if (before?.required || before?.argChoices !== undefined) return valuesOf(before);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [
    ...help
      .visibleCommands(command)
      .map((subcommand) => ({ word: subcommand.name(), help: subcommand.description() })),
    ...options.map(({ long, short, description }) => ({ word: (long ?? short)!, help: description })), // every option has a name
    ...choices.map((word) => ({ word })),
    ...(command.registeredArguments.length > choices.length ? [{ word: FILES }] : []),
  ];
}

/** The values of an option; empty if it takes any text. */
function valuesOf({ argChoices, flags }: Option): Word[] {
  if (argChoices !== undefined) return argChoices.map((word) => ({ word }));
  return /<(?:file|folder|store)\b/.test(flags) ? [{ word: FILES }] : [];
}
