// Secrets from files, as containers get them: each of these variables has a twin that names a file (docs/settings.md, Secrets in files).
import { readFileSync } from "node:fs";
import { CliFailure, UsageError } from "./failure.ts";

/** The variables that hold a secret, or an address that may have one. */
export const SECRET_VARIABLES = [
  "ROLLCALL_DB",
  "ROLLCALL_REPLICA",
  "ROLLCALL_FROM",
  "ROLLCALL_TO",
  "ROLLCALL_READER_PASSWORD",
  "ROLLCALL_KEY",
  "ROLLCALL_INTO",
] as const;

/** Gives each variable the content of its file. Raises UsageError if both are set, CliFailure if it cannot be read. */
export function readSecretFiles(environment: NodeJS.ProcessEnv): void {
  for (const name of SECRET_VARIABLES) {
    const twin = `${name}_FILE`;
    const path = environment[twin];
    if (path === undefined || path === "") continue;
    // An empty one is how a unit's own setting is taken back.
    if (environment[name]) throw new UsageError(`${name} and ${twin} are both set: set one of them`);
    try {
      environment[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      throw new CliFailure(`${twin}: ${(error as NodeJS.ErrnoException).message}`); // readFileSync throws no other
    }
    delete environment[twin]; // a child process would find both
  }
}
