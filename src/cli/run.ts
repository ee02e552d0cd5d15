// Runs one subcommand from its arguments to its exit code: 0 (done), 1 (the work failed) or 2 (wrong usage).
import type { Command } from "commander";
import { didYouMean } from "../resources/cells.ts";
import { HELP_HINT, rollcallCommand } from "./commands.ts";
import { reportFailure, UsageError } from "./failure.ts";
import { readBooleanFlags, requireAddresses, warnOfPasswords } from "./options.ts";
import { buildText, childNumber } from "./program.ts";

/** `before` is called with a command that is about to do its work. Prints why, where it fails. Never throws. */
export async function runCommand(
  args: readonly string[],
  before: (command: Command) => void = () => {},
): Promise<number> {
  try {
    const program = (await rollcallCommand(args))
      .hook("preAction", (_program, command) => {
        readBooleanFlags(command);
        requireAddresses(command);
        if (childNumber === null) warnOfPasswords(command);
        before(command);
      })
      .on("option:version", () => {
        console.log(buildText());
        process.exit(0);
      });
    overrideExit(program);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

/** Makes every command throw instead of exiting, so that one place chooses the exit code. */
function overrideExit(command: Command): void {
  command.exitOverride();
  if (command.commands.length > 0)
    command.hook("preSubcommand", ({ args }, child) => {
      if (child.commands.length === 0) requireKnownOptions(child, args.slice(1));
    });
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    overrideExit(child);
  }
}

/**
 * Commander would first report what is missing, which may be what the mistyped option was meant to give, and take an option for the
 * value of the one before.
 */
function requireKnownOptions(command: Command, args: readonly string[]): void {
  for (let index = 0; index < args.length && args[index] !== "--"; index++) {
    const [flag] = args[index]!.split("=") as [string, ...string[]]; // split returns one part or more
    if (!flag.startsWith("--")) continue;
    if (flag === "--help") return;
    const known = command.options.find(({ long }) => long === flag);
    if (known === undefined) throw unknownOption(command, flag);
    if (!known.required || flag !== args[index]) continue;
    const value = args[++index];
    if (value?.startsWith("--"))
      throw new UsageError(`option ${flag} has no value before ${value}\n${HELP_HINT}`);
  }
}

function unknownOption({ options }: Command, flag: string): UsageError {
  const flags = options.flatMap(({ long }) => long ?? []);
  return new UsageError(`unknown option ${flag}${didYouMean(flag, flags)}\n${HELP_HINT}`);
}
