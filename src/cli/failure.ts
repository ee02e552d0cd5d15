// How a command ends when it cannot do its work. Its message says what to do.
import { CommanderError } from "commander";
import { StoreRefusal, StoreUnavailable } from "../store/store.ts";

/** The work failed: exit code 1. */
export class CliFailure extends Error {
  override readonly name: string = "CliFailure";
  readonly exitCode: number = 1;
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends CliFailure {
  override readonly name = "UsageError";
  override readonly exitCode = 2;
}

/** Prints what went wrong to stderr, and returns the exit code: 0 (help was asked for), 1 or 2. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CliFailure) {
    console.error(`rollcall: ${error.message}`);
    return error.exitCode;
  }
  if (error instanceof StoreRefusal || error instanceof StoreUnavailable) {
    console.error(`rollcall: ${error.message}`);
    return 1;
  }
  console.error("rollcall: this is a fault of Rollcall, please report it:");
  console.error(error);
  return 1;
}
