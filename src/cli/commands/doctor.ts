// rollcall doctor
import { Command } from "commander";
import type { Grants } from "../../store/postgres/maintenance/grants.ts";
import { examineFiles, openExaminedSqlite, trouble } from "../../store/sqlite/examine.ts";
import { environmentFindings } from "../doctor/environment.ts";
import type { Finding } from "../doctor/finding.ts";
import { examinePostgres, grantLines, type PostgresFindings } from "../doctor/postgres.ts";
import { rowFindings } from "../doctor/rows.ts";
import { CliFailure } from "../failure.ts";
import { isPostgres, shownDb } from "../open.ts";
import { dbOption, option } from "../options.ts";
import { print } from "../output.ts";

interface DoctorOptions {
  readonly db: string;
  readonly full?: boolean;
  readonly json?: boolean;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("Check the store and the settings, and say what to do about each finding. Changes nothing.")
    .option("--full", "check every document and index instead of a sample; reads the whole store")
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      "\nExit code: 0 if nothing was found, 1 otherwise.\n\nExample:\n  rollcall doctor --full",
    )
    .action(async (options: DoctorOptions, command: Command) => {
      const { grants, findings: found } = await examine(options.db, options.full === true);
      const findings = [...environmentFindings(process.env, variablesOf(command)), ...found];
      print(
        options.json,
        { db: shownDb(options.db), sound: findings.length === 0, findings, ...(grants && { grants }) },
        report(shownDb(options.db), findings, grants),
      );
      if (findings.length > 0)
        throw new CliFailure(`${shownDb(options.db)} needs attention: ${findings.length} found`);
    });
}

async function examine(db: string, isFull: boolean): Promise<PostgresFindings> {
  return isPostgres(db)
    ? await examinePostgres(db, isFull)
    : { grants: null, findings: await sqliteFindings(db, isFull) };
}

async function sqliteFindings(db: string, isFull: boolean): Promise<Finding[]> {
  const troubles = examineFiles(db, isFull);
  // The rows of a store that is missing, damaged or of another version cannot be checked.
  if (troubles.some(({ check }) => check === "presence" || check === "schema" || check === "integrity"))
    return troubles;
  try {
    const store = openExaminedSqlite(db);
    try {
      return [...troubles, ...(await rowFindings(store, isFull))];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [...troubles, trouble(db, error)];
  }
}

/** Every environment variable that an option of some command reads. */
function variablesOf(command: Command): ReadonlySet<string> {
  const all: Command[] = [command.parent ?? command];
  for (const one of all) all.push(...one.commands); // grows during the loop
  return new Set(all.flatMap((one) => one.options.flatMap(({ envVar }) => envVar ?? [])));
}

function report(db: string, findings: readonly Finding[], grants: Grants | null): string {
  const lines = grants === null ? [] : grantLines(grants);
  for (const { check, problem, advice } of findings) lines.push(`${check}: ${problem}\n  do: ${advice}`);
  if (findings.length === 0) {
    const checked = grants === null ? "Files, schema, integrity" : "Schema, grants";
    lines.push(`${db}: nothing found. ${checked}, references, documents, settings are sound.`);
  }
  return lines.join("\n");
}
