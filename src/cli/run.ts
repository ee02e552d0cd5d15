// Runs one subcommand from its arguments to its exit code: 0 (done), 1 (the work failed) or 2 (wrong usage).
import type { Command } from "commander";
import { rollcallCommand } from "./commands.ts";
import { reportFailure } from "./failure.ts";
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
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    overrideExit(child);
  }
}
