// The options of commands, from the settings. An error names the option, its value and what would be right.
import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import ms from "ms";
import { baseAddress } from "../client/transport.ts";
import { didYouMean } from "../resources/cells.ts";
import { RETAINED, retentionMonths } from "../resources/company.ts";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { addressUrl, isPostgresAddress } from "../store/engine.ts";
import type { Waiting } from "../store/store.ts";
import { DAY_MS, parseDay } from "../time/day.ts";
import { isTimeZone } from "../time/zone.ts";
import { CliFailure, UsageError } from "./failure.ts";
import { isInterrupted } from "./program.ts";

/** Options of nearly every command. */
export interface StoreOptions {
  readonly db: string;
  readonly json?: boolean;
}

/** A command whose options have environment variables. */
export class RollcallCommand extends Command {
  /** Commander calls it for each `option(flags, help)`. It does so for --help and --version, too, which have no variable. */
  override createOption(flags: string, help = ""): Option {
    return /--(?:help|version)$/.test(flags) ? new Option(flags, help) : ownOption(flags, help);
  }

  /** Ends the help with command lines. */
  examples(...lines: readonly string[]): this {
    const heading = lines.length === 1 ? "Example" : "Examples";
    return this.addHelpText("after", `\n${heading}:\n  ${lines.join("\n  ")}`);
  }
}

export class StoreCommand extends RollcallCommand {
  constructor(name: string) {
    super(name);
    this.addOption(option("db")).addOption(option("json"));
  }
}

/** A setting as commander's option, with its environment variable and default. */
export function option(name: SettingName): Option {
  const setting: Setting = SETTINGS[name];
  const made = ownOption(setting.flags, setting.help);
  return withChoices(setting.default === undefined ? made : made.default(setting.default), setting.choices);
}

/** An option that is not a setting. Its environment variable follows from its name: `--at` is `ROLLCALL_AT`. */
export function ownOption(flags: string, help: string): Option {
  const made = new Option(flags, help);
  return made.env(`ROLLCALL_${made.name().toUpperCase().replaceAll("-", "_")}`);
}

/** ` --db path` for a command in a piece of advice, if `--db` was given. Empty for an address, which may have a password. */
export function repeatedDb(db: string): string {
  const isKnown = db === (process.env.ROLLCALL_DB ?? SETTINGS.db.default);
  return isKnown || isPostgresAddress(db) ? "" : ` --db ${db}`;
}

/** Shows the choices in help and completions. The commands check them themselves, for better messages. */
export function withChoices(option: Option, choices: readonly string[] | undefined): Option {
  if (choices !== undefined) option.argChoices = [...choices];
  return option;
}

/** Checks the form of `--company`. Raises UsageError, so that nobody is advised to create a company with a mistyped id. */
export function requireCompanyId(command: Command): void {
  const company = command.getOptionValue("company") as string | undefined; // as commander stores it
  if (company !== undefined) parseCompanyId(company, "--company");
}

export const FLAG_VALUES: Readonly<Record<string, boolean>> = {
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

/** Reads boolean flags from their variables. Commander would take `ROLLCALL_PRUNE=0` as true. Raises UsageError. */
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

/** Looks like a URL: it begins with a scheme, colon and slash; or it has a colon before an `@`, and no beginning of a path. */
const MEANT_AS_ADDRESS = /^[a-z][a-z\d+.-]+:\/|^(?![a-z]:[\\/])[^./\\].*:.*@/is;

/** A URL that lost its scheme: `//` and then user, colon or `@`. */
const WITHOUT_SCHEME = /^\/\/[^/]*(?:@|:.*@)/s;

const STORE_OPTIONS = ["--db", "--from", "--to", "--replica"] as const;

/** The given values of an option that names stores. */
function storesOf(command: Command, long: (typeof STORE_OPTIONS)[number]): readonly string[] {
  const given: string | readonly string[] = command.getOptionValue(long.slice(2)) ?? []; // commander stores it so
  return [given].flat().flatMap((text) => (long === "--replica" ? text.split(/[\s,]+/) : [text]));
}

/** Raises UsageError for a mistyped address. Taken for a file name, it would be shown, and it may have a password. */
export function requireAddresses(command: Command): void {
  for (const long of STORE_OPTIONS) {
    const files = storesOf(command, long).filter((db) => !isPostgresAddress(db));
    const remedy = files.some((db) => WITHOUT_SCHEME.test(db))
      ? "its scheme is missing: write postgres: before the //, or for a file begin its path with one slash"
      : files.some((db) => MEANT_AS_ADDRESS.test(db))
        ? "write postgres:// or postgresql:// before it, or for a file give only its path"
        : null;
    if (remedy !== null) throw new UsageError(`${long} is not an address of PostgreSQL: ${remedy}`);
  }
}

/** Warns of a password in the arguments: other users of the machine can read them in the process list. */
export function warnOfPasswords(command: Command): void {
  for (const option of command.options) {
    const { long, envVar } = option;
    if (command.getOptionValueSource(option.attributeName()) !== "cli") continue;
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

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every environment variable that this command, or a command below it, reads: those of its options, and secrets. */
export function variablesOf(command: Command): ReadonlySet<string> {
  const all: Command[] = [command];
  for (const command of all) all.push(...command.commands); // `all` grows during the loop
  const ofOptions = all.flatMap((command) => command.options.flatMap(({ envVar }) => envVar ?? []));
  return new Set([...ofOptions, ...SECRET_VARIABLES.flatMap((name) => [name, fileVariable(name)])]);
}

/** Variables of Rollcall that are set and not `known`, with advice. A mistyped variable would silently have no effect. */
export function unreadVariables(environment: Environment, known: ReadonlySet<string>) {
  const unread = Object.keys(environment).filter((name) => name.startsWith("ROLLCALL_") && !known.has(name));
  return unread.toSorted().map((name) => {
    return {
      problem: `${name} is set, and no command reads it`,
      advice: `unset it${didYouMean(name, [...known])}`,
    };
  });
}

// Secrets in files, for containers. Each of these variables has a second one that names a file (docs/settings.md, Secrets in files).

/** The variables that hold a secret, or an address that may contain one. */
export const SECRET_VARIABLES = [
  "ROLLCALL_DB",
  "ROLLCALL_REPLICA",
  "ROLLCALL_FROM",
  "ROLLCALL_TO",
  "ROLLCALL_READER_PASSWORD",
  "ROLLCALL_KEY",
  "ROLLCALL_INTO",
] as const;

/** The variable that names the file of a secret. */
const fileVariable = (name: string) => `${name}_FILE`;

/** Sets each variable from its file. Raises UsageError if both are set, and CliFailure if the file cannot be read. */
export function readSecretFiles(environment: NodeJS.ProcessEnv): void {
  for (const name of SECRET_VARIABLES) {
    const variable = fileVariable(name);
    const path = environment[variable];
    if (path === undefined || path === "") continue;
    // An empty variable counts as unset: that is how systemd units reset a setting.
    if (environment[name]) throw new UsageError(`${name} and ${variable} are both set: set one of them`);
    environment[name] = readText(variable, path).replace(/\r?\n$/, "");
    delete environment[variable]; // a child process must not see both
  }
}

// The values of options.

export function parseWhole(flag: string, text: string, from: number, to: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`${flag}: "${text}" is not a whole number from ${from} to ${to}`);
}

/** A percentage such as `40%`, as a share. */
export function parseShare(flag: string, text: string): number {
  const percent = /^(\d{1,3}(?:\.\d+)?) ?%$/.exec(text);
  if (percent !== null && Number(percent[1]) <= 100) return Number(percent[1]) / 100;
  throw new UsageError(`${flag}: "${text}" is not a share from 0% to 100%: write for example 40%`);
}

/** A server's address without a slash at its end. An error does not show passwords. */
export function parseUrl(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new UsageError("--url or ROLLCALL_URL is missing: give the server's address");
  try {
    return baseAddress(text);
  } catch (error) {
    throw new UsageError((error as TypeError).message.replace("baseUrl", "--url")); // it raises no other error
  }
}

/** A day as `YYYY-MM-DD`. */
export function parseDate(flag: string, text: string): string {
  if (parseDay(text) !== null) return text;
  throw new UsageError(`${flag}: "${text}" is not a day: write YYYY-MM-DD`);
}

/** A name. Control characters are refused, because lists print names to a terminal. */
export function parseName(text: string): string {
  if (!/\p{Cc}/u.test(text)) return text;
  throw new UsageError(`--name: ${JSON.stringify(text)} has control characters: write a name on one line`);
}

/** Longer than any key needs, and within the range of a date. */
const DURATION_MAX_DAYS = 36_500;

/** A duration such as `24h` or `90d`, in milliseconds: at most a hundred years. */
export function parseSpan(flag: string, text: string, orElse = ""): number {
  const durationMs = /^\d+(\.\d+)?\s?[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined; // `ms` returns undefined for other texts
  if (durationMs !== undefined && durationMs > DURATION_MAX_DAYS * DAY_MS)
    throw new UsageError(`${flag}: "${text}" is more than ${DURATION_MAX_DAYS}d: give a shorter duration`);
  if (durationMs !== undefined && durationMs > 0) return durationMs;
  throw new UsageError(`${flag}: "${text}" is not a duration: write for example 24h or 90d${orElse}`);
}

export interface WaitOptions {
  readonly wait: string;
}

export function waitOption(): Option {
  return ownOption("--wait <duration>", "how long to wait for another command that writes").default("10m");
}

/** How a command waits for other commands, from `--wait`. While it waits, stderr says so. */
export function waitingOf({ wait }: WaitOptions): Waiting {
  return {
    waitMs: parseSpan("--wait", wait),
    onWait: (holder) => {
      if (isInterrupted()) return;
      const who = holder === null ? "" : `; ${holder}`;
      console.error(
        `rollcall: another command is writing to the store (an import, a restore, a migration or a deletion${who}): waiting for it to end`,
      );
    },
  };
}

/** The value of `--expires`: a duration from now, or the end of a day in UTC. Returns an instant in milliseconds. */
export function parseExpiry(text: string, nowMs: number): number {
  const day = parseDay(text);
  if (day === null) return nowMs + parseSpan("--expires", text, " or a day such as 2027-12-31");
  const endOfDayMs = (day + 1) * DAY_MS;
  if (endOfDayMs > nowMs) return endOfDayMs;
  throw new UsageError(`--expires: ${text} is over: give a later day`);
}

/** Splits texts at commas into words. Raises UsageError for no words: an empty list limits nothing, and a key would read everybody. */
export function wordsOf(flag: string, texts: readonly string[]): string[] {
  const words = texts
    .flatMap((text) => text.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (texts.length > 0 && words.length === 0)
    throw new UsageError(`${flag}: is empty: name at least one, or leave the option out`);
  return words;
}

export function parseChoice<T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((choice) => choice === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${flag}: "${text}" is not one of ${choices.join(", ")}${didYouMean(text, choices)}`);
}

/** Some of the choices, in their order. */
export function parseChoices<T extends string>(
  flag: string,
  texts: readonly string[],
  choices: readonly T[],
): T[] {
  const words = wordsOf(flag, texts).map((word) => parseChoice(flag, word, choices));
  return choices.filter((choice) => words.includes(choice));
}

/** A company's id: 1 to 64 of a–z 0–9 and -. */
export function parseCompanyId(text: string, flag?: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text;
  const prefix = flag === undefined ? "" : `${flag}: `;
  throw new UsageError(`${prefix}${JSON.stringify(text)} is not a company id: use 1 to 64 of a-z 0-9 -`);
}

/** A time zone of the IANA database. */
export function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  const meant = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  throw new UsageError(
    `--time-zone: ${JSON.stringify(text)} is not a time zone such as Europe/Lisbon${meant}`,
  );
}

/** The word that clears a setting. The action turns it into null, because Commander turns a parser's null into an empty text. */
const NONE = "none";

/** The value of an option that may be "none": then it is null. */
export function nullIfNone(value: string | undefined): string | null | undefined {
  return value === NONE ? null : value;
}

export function parseTimeZoneOrNone(text: string): string {
  return text === NONE ? NONE : parseTimeZone(text);
}

const HISTORY = /^(?:none|forever|[1-9]\d{0,3}mo)$/;

/** How long the history is kept: see `Company.history`. */
export function parseHistory(text: string): string {
  if (HISTORY.test(text)) return text;
  throw new UsageError(`--history: "${text}" is no duration: write months such as 25mo, none, or forever`);
}

/** How long old data is kept, or "none": see `Company.retention`. */
export function parseRetention(text: string): string {
  if (text === NONE) return NONE;
  if (retentionMonths(text) !== null) return text.replaceAll(/\s/g, "").replaceAll(",", ", ");
  throw new UsageError(
    `--retention: "${text}" is no such list: write some of ${RETAINED.map((name) => `${name}=3y`).join(", ")}, with years (y) or months (mo), or none`,
  );
}

/** The text of a file. `flag`: the option or variable that names it. Raises CliFailure if the file cannot be read. */
export function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliFailure(`${flag}: ${path} cannot be read: check the path and its permissions`, {
      cause: error,
    });
  }
}
