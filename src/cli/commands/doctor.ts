// rollcall doctor
import { Command } from "commander";
import type { Finding, Grants } from "../../store/engine.ts";
import type { Company } from "../../store/store.ts";
import { ageLines, ageNotes } from "../doctor/age.ts";
import { environmentFindings } from "../doctor/environment.ts";
import { rowFindings } from "../doctor/rows.ts";
import { CliFailure } from "../failure.ts";
import { storeAt } from "../open.ts";
import { dbOption, option, ownOption } from "../options.ts";
import { instantText, print } from "../output.ts";
import { build, buildText } from "../program.ts";

interface DoctorOptions {
  readonly db: string;
  readonly quick?: boolean;
  readonly json?: boolean;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("Check the store and the settings, and say what to do about each finding. Changes nothing.")
    .addOption(
      ownOption(
        "--quick",
        "check a sample of the documents, and no index against its table; faster, and misses most damage",
      ),
    )
    .addOption(ownOption("--full", "check every document and index (the default)"))
    .addOption(dbOption())
    .addOption(option("json"))
    .addHelpText(
      "after",
      "\nExit code: 0 if nothing was found, 1 otherwise. Notes, such as old data, do not change it.\n\nExample:\n  rollcall doctor",
    )
    .action(async (options: DoctorOptions, command: Command) => {
      const store = storeAt(options.db);
      const db = store.shownAddress;
      const isFull = options.quick !== true;
      let companies: readonly Company[] = [];
      const notes: Finding[] = [];
      const { grants, findings: found } = await store.examine(isFull, async (contents) => {
        companies = await contents.companies();
        return rowFindings(contents, isFull, (note) => notes.push(note));
      });
      notes.unshift(...ageNotes(companies, Date.now()));
      const findings = [...environmentFindings(process.env, variablesOf(command)), ...found];
      print(
        options.json,
        {
          rollcall: build(),
          db,
          sound: findings.length === 0,
          findings,
          notes,
          companies: companies.map(({ id, dataAsOfMs }) => ({ id, lastImportedAt: instantText(dataAsOfMs) })),
          ...(grants && { grants }),
        },
        [buildText(), ...ageLines(companies), ...report(db, findings, notes, grants)].join("\n"),
      );
      if (findings.length > 0) throw new CliFailure(`${db} needs attention: ${findings.length} found`);
    });
}

/** Every environment variable that an option of some command reads. */
function variablesOf(command: Command): ReadonlySet<string> {
  const all: Command[] = [command.parent ?? command];
  for (const one of all) all.push(...one.commands); // grows during the loop
  return new Set(all.flatMap((one) => one.options.flatMap(({ envVar }) => envVar ?? [])));
}

function report(
  db: string,
  findings: readonly Finding[],
  notes: readonly Finding[],
  grants: Grants | null,
): string[] {
  const lines = grants === null ? [] : grantLines(grants);
  for (const { problem, advice } of notes) lines.push(`note: ${problem}\n  do: ${advice}`);
  for (const { check, problem, advice } of findings) lines.push(`${check}: ${problem}\n  do: ${advice}`);
  if (findings.length === 0) {
    const checked = grants === null ? "Files, schema, integrity" : "Schema, grants";
    lines.push(`${db}: nothing found. ${checked}, references, documents, settings are sound.`);
  }
  return lines;
}

function grantLines({ role, tables, touchesKeys, powers }: Grants): string[] {
  return [
    `role ${role}${powers.length > 0 ? ` (${powers.join(", ")})` : ""}:`,
    ...tables.map(({ table, privileges }) => `  ${table}: ${privileges.join(", ") || "nothing"}`),
    `  last use of keys and feeds: ${touchesKeys ? "may be noted" : "may not be noted"}`,
  ];
}
