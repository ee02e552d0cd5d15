// rollcall pull: saves the data of an HTTP API as files for an import.
import { Command } from "commander";
import { checkRights } from "../../../pull/pull.ts";
import { pullJsonSchema } from "../../../pull/schema.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { option, ownOption } from "../../options.ts";
import { print, table } from "../../output.ts";
import { endedWhenInterrupted, version } from "../../program.ts";
import {
  CLOCK,
  failureOf,
  type Prepared,
  type PullingOptions,
  prepare,
  pullInto,
  withPullingOptions,
} from "./pulling.ts";

interface Options extends PullingOptions {
  readonly into?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

export function pullCommand(): Command {
  return withPullingOptions(
    new Command("pull").description("Save the data of an HR system's API as files for an import."),
  )
    .addOption(ownOption("--into <folder>", "the folder to write; one that a pull wrote before is replaced"))
    .addOption(ownOption("--check", "write nothing: request each path once, and show what the key may read"))
    .addOption(option("json"))
    .addHelpText(
      "after",
      `
Examples:
  export BAMBOOHR_COMPANY=acme BAMBOOHR_KEY_FILE=/etc/rollcall/bamboohr.key
  rollcall pull bamboohr --check
  rollcall pull bamboohr --into ./hr
  rollcall pull ./hr.pull.json --into ./hr

Exit codes: 0 written, 1 refused (nothing changed), 2 wrong usage, 4 the API is away: try again later.
Pull files: docs/pull.md`,
    )
    .addCommand(schemaCommand())
    .action(async (file: string, options: Options) => {
      if (!options.check && options.into === undefined)
        throw new UsageError("--into is missing: name the folder to write, or add --check to write nothing");
      const prepared = await prepare(file, options);
      await endedWhenInterrupted(
        () => "nothing was written",
        () => (options.check ? check(prepared, options) : write(options.into!, prepared, options)),
      );
    });
}

async function write(into: string, prepared: Prepared, { json }: Options): Promise<void> {
  try {
    const { folder, record } = await pullInto(into, prepared);
    folder.replace();
    const rows = Object.entries(record.files).map(([name, file]) => [
      name,
      file.rows,
      file.total,
      file.proof,
    ]);
    print(json, record, `${table(["file", "rows", "total", "whole by"], rows)}\nWrote ${into}.`);
  } catch (error) {
    throw failureOf(error, "nothing was written");
  }
}

async function check({ pullFile, values }: Prepared, { json }: Options): Promise<void> {
  try {
    const rights = await checkRights({ pullFile, values, clock: CLOCK, version });
    const rows = rights.map(({ file, request, isGranted, isOptional, outcome }) => [
      file,
      request,
      isGranted === null ? "-" : isGranted ? "yes" : isOptional ? "no (optional)" : "no",
      outcome,
    ]);
    print(json, rights, table(["file", "path", "may be read", "rows"], rows));
    const missing = rights.filter(({ isGranted, isOptional }) => isGranted === false && !isOptional);
    if (missing.length > 0)
      throw new CliFailure(
        `a pull would fail at ${missing.map(({ file }) => file).join(", ")}: give the key the rights, or see docs/pull.md`,
      );
  } catch (error) {
    throw failureOf(error, "the check did not end");
  }
}

function schemaCommand(): Command {
  return new Command("schema")
    .description("Print the JSON Schema of pull files, for completion in editors.")
    .addHelpText("after", "\nExample:\n  rollcall pull schema > pull.schema.json")
    .action(() => console.log(JSON.stringify(pullJsonSchema(), null, 2)));
}
