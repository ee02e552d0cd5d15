// The options of commands: made from the settings, read from argv or the environment, checked before a command runs.
import { Command, Option } from "commander";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { addressUrl, isPostgresAddress } from "../store/postgres/connection/url.ts";
import { UsageError } from "./failure.ts";
import { parseCompanyId } from "./parse.ts";

/** What nearly every command is given. */
export interface StoreOptions {
  readonly db: string;
  readonly json?: boolean;
}

/** A command that works on a store. */
export class StoreCommand extends Command {
  constructor(name: string) {
    super(name);
    this.addOption(option("db")).addOption(option("json"));
  }
}

/** The commander option of a setting, with its environment variable and default. */
export function option(name: SettingName): Option {
  const setting: Setting = SETTINGS[name];
  const made = ownOption(setting.flags, setting.help);
  return withChoices(setting.default === undefined ? made : made.default(setting.default), setting.choices);
}

/** An option of few commands, which is no setting. Every option has the environment variable of its name: `--at` is `ROLLCALL_AT`. */
export function ownOption(flags: string, help: string): Option {
  const made = new Option(flags, help);
  return made.env(`ROLLCALL_${made.name().toUpperCase().replaceAll("-", "_")}`);
}

/** Shows the choices in help and completions. Each command checks them itself, in its own words. */
export function withChoices(option: Option, choices: readonly string[] | undefined): Option {
  if (choices !== undefined) option.argChoices = [...choices];
  return option;
}

/** Checks the form of the id, so that a typing error does not get the advice to create such a company. */
export function companyOption(): Option {
  return option("company").argParser((text) => parseCompanyId(text, "--company"));
}

const FLAG_VALUES: Readonly<Record<string, boolean>> = {
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

/** Gives boolean flags the value of their variables: commander would take `ROLLCALL_PRUNE=0` as yes. Raises UsageError. */
export function readBooleanFlags(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (!option.isBoolean() || option.envVar === undefined) continue;
    if (command.getOptionValueSource(name) !== "env") continue;
    const text = process.env[option.envVar] ?? "";
    const isOn = FLAG_VALUES[text.trim().toLowerCase()];
    if (isOn === undefined)
      throw new UsageError(
        `${option.envVar}: "${text}" is neither yes nor no: write 1 or 0, or use ${option.flags}`,
      );
    command.setOptionValueWithSource(name, option.negate ? !isOn : isOn, "env");
  }
}

/** Looks like a URL: a scheme and a slash; or a colon and later an `@`, in what is not a path (`./…`, `/…`, `C:\\…`). */
const MEANT_AS_ADDRESS = /^[a-z][a-z\d+.-]+:\/|^(?![a-z]:[\\/])[^./\\].*:.*@/is;

/** A URL that lost its scheme: `//` and then user, colon or `@`. */
const WITHOUT_SCHEME = /^\/\/[^/]*(?:@|:.*@)/s;

/** Options that name a store. */
const STORE_OPTIONS = ["--db", "--from", "--to", "--replica"] as const;

/** What an option that names stores was given. */
function storesOf(command: Command, long: (typeof STORE_OPTIONS)[number]): readonly string[] {
  const given: string | readonly string[] = command.getOptionValue(long.slice(2)) ?? []; // as commander has it
  return [given].flat().flatMap((text) => (long === "--replica" ? text.split(/[\s,]+/) : [text]));
}

/** Raises UsageError for a mistyped address. It must not be taken for a file name and shown: it may hold a password. */
export function requireAddresses(command: Command): void {
  for (const long of STORE_OPTIONS) {
    const stores = storesOf(command, long);
    if (stores.some((db) => WITHOUT_SCHEME.test(db))) {
      throw new UsageError(
        `${long} is not an address of PostgreSQL: its scheme is missing, write postgres: before the //; if you mean a file, begin its path with one slash`,
      );
    }
    if (stores.some((db) => !isPostgresAddress(db) && MEANT_AS_ADDRESS.test(db))) {
      throw new UsageError(
        `${long} is not an address of PostgreSQL: it begins with postgres:// or postgresql://; if you mean a file, give its path alone`,
      );
    }
  }
}

/** Warns of a password in the arguments: other users of the machine can read them in the process list. */
export function warnOfPasswords(command: Command): void {
  for (const one of command.options) {
    const { long, envVar } = one;
    if (command.getOptionValueSource(one.attributeName()) !== "cli") continue;
    const isStore = STORE_OPTIONS.find((store) => store === long);
    const isShown =
      long === "--reader-password" ||
      (isStore !== undefined &&
        storesOf(command, isStore).some((db) => (addressUrl(db)?.password ?? "") !== ""));
    if (!isShown) continue;
    const instead =
      isStore === undefined ? `set ${envVar}` : `set ${envVar}, or leave the password out and set PGPASSWORD`;
    console.error(
      `rollcall: warning: ${long} contains a password, which other users of this machine can see in the process list: ${instead}`,
    );
  }
}
