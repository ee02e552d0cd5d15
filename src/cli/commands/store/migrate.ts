// rollcall migrate
import type { Command } from "commander";
import type { ReaderRoleOutcome, SchemaChange } from "../../../store/engine.ts";
import { storeAt } from "../../open.ts";
import { option, RollcallCommand, type StoreOptions } from "../../options.ts";
import { print } from "../../output.ts";
import { endedWhenInterrupted } from "../../program.ts";

const READER_ROLE_DEFAULT = "rollcall_reader";
const IMPORTER_ROLE_DEFAULT = "rollcall_importer";

interface Options extends StoreOptions {
  readonly readerRole: string;
  readonly importerRole: string;
  readonly readerPassword?: string;
  readonly allowFeeds?: boolean;
}

export function migrateCommand(): Command {
  return new RollcallCommand("migrate")
    .description(
      "Create an empty store, or bring one to this version's schema. On PostgreSQL, also grant the roles that serve and import what they need.",
    )
    .addOption(option("db"))
    .option("--reader-role <name>", "PostgreSQL: the role that may only read", READER_ROLE_DEFAULT)
    .option(
      "--importer-role <name>",
      "PostgreSQL: the role that imports, which an administrator makes",
      IMPORTER_ROLE_DEFAULT,
    )
    .option(
      "--reader-password <password>",
      "PostgreSQL: its password; prefer the environment variable, which other users cannot see",
    )
    .addOption(option("allowFeeds"))
    .addOption(option("json"))
    .examples(
      "rollcall migrate --db ./rollcall.db",
      "ROLLCALL_READER_PASSWORD=… rollcall migrate --db postgres://owner@db.example.com/rollcall",
    )
    .action(async ({ db, readerRole, importerRole, readerPassword, allowFeeds, json }: Options) => {
      const { schema, role } = await endedWhenInterrupted(
        () => "unfinished steps were rolled back: run rollcall migrate again",
        () =>
          storeAt(db).migrate({
            name: readerRole,
            password: readerPassword,
            addsFeeds: allowFeeds,
            importer: importerRole,
          }),
      );
      const text = `${SCHEMA_TEXTS[schema]}${role === null ? "" : ` ${roleText(role)}`}`;
      print(json, { migrated: true, schema, role }, text);
    });
}

const SCHEMA_TEXTS: Readonly<Record<SchemaChange, string>> = {
  created: "Made an empty store with this version's schema.",
  none: "The store has this version's schema already.",
};

function roleText(role: ReaderRoleOutcome): string {
  if (role.created && !role.hasNewPassword) {
    return `Created the role ${role.name} without a password: set one with ROLLCALL_READER_PASSWORD and run this again, so that servers can connect with it. It may read, and record when keys are used.`;
  }
  const made = role.created ? `Created the role ${role.name}` : `The role ${role.name} exists`;
  const password = role.hasNewPassword ? " with the given password" : "";
  const imports =
    role.importer === null ? "" : ` The role ${role.importer} may change rows: let imports connect with it.`;
  return `${made}${password}; it may read, and record when keys are used: let servers connect with it.${imports}`;
}
