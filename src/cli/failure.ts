// How a command ends when it cannot do its work. The message says what to do.

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
