// Failures of commands. A message says what to do.
import { CommanderError } from "commander";
import { connectionCause } from "../client/errors.ts";
import { PullRefused } from "../pull/errors.ts";
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

/** The failure for a server that cannot be reached: its address, the cause, and advice. */
export function unreachable(address: string, error: unknown, timeoutMs: number): CliFailure {
  const isLate = error instanceof Error && error.name === "TimeoutError";
  const cause = isLate ? `no response within ${timeoutMs / 1000} seconds` : connectionCause(error);
  // The cause of a certificate error already says what to do.
  const advice = cause?.includes("certificate") ? "" : ". Check the address, and that the server runs";
  return new CliFailure(`${address} cannot be reached: ${cause ?? String(error)}${advice}`);
}

/** Prints a failure to stderr. Returns the exit code: 0 if help was asked for, else 1 or 2. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CliFailure) {
    console.error(`rollcall: ${error.message}`);
    return error.exitCode;
  }
  if (error instanceof StoreRefusal || error instanceof StoreUnavailable || error instanceof PullRefused) {
    console.error(`rollcall: ${error.message}`);
    return 1;
  }
  console.error("rollcall: this is a fault of Rollcall, please report it:");
  console.error(error);
  return 1;
}
