// Switches from the environment. Commander takes a switch as on whenever its variable exists; `ROLLCALL_PRUNE=0` means no.
import type { Command } from "commander";
import { UsageError } from "./failure.ts";

const MEANING: Readonly<Record<string, boolean>> = {
  "1": true,
  true: true,
  yes: true,
  on: true,
  "": false,
  "0": false,
  false: false,
  no: false,
  off: false,
};

/** Gives every switch of a command that came from the environment the value that its variable says. Raises UsageError. */
export function readSwitches(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (!option.isBoolean() || option.envVar === undefined) continue;
    if (command.getOptionValueSource(name) !== "env") continue;
    const text = process.env[option.envVar] ?? "";
    const isOn = MEANING[text.trim().toLowerCase()];
    if (isOn === undefined)
      throw new UsageError(
        `${option.envVar}: "${text}" is neither yes nor no: write 1 or 0, or use ${option.flags}`,
      );
    command.setOptionValueWithSource(name, isOn, "env");
  }
}
