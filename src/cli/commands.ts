// Every command with its options, and how a command runs. Help, completions and man pages are made from these definitions.
import type { Command } from "commander";
import { didYouMean } from "../resources/cells.ts";
import { reportFailure, UsageError } from "./failure.ts";
import {
  RollcallCommand,
  readBooleanFlags,
  readSecretFiles,
  requireAddresses,
  requireCompanyId,
  unreadVariables,
  variablesOf,
  warnOfPasswords,
} from "./options.ts";
import { buildText, childNumber } from "./program.ts";

type Make = () => Promise<Command>;

/** Commands by heading, in the order of --help. Only the modules of the running command are loaded, so that it starts sooner. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Make>>>> = {
  "Try and serve:": {
    demo: async () => (await import("./commands/demo.ts")).demoCommand(),
    serve: async () => (await import("./commands/serve.ts")).serveCommand(),
    mcp: async () => (await import("./commands/remote/mcp.ts")).mcpCommand(),
  },
  "Companies and access:": {
    companies: async () => (await import("./commands/companies.ts")).companiesCommand(),
    keys: async () => (await import("./commands/access/keys.ts")).keysCommand(),
    feeds: async () => (await import("./commands/access/feeds.ts")).feedsCommand(),
    hooks: async () => (await import("./commands/access/hooks.ts")).hooksCommand(),
  },
  "Look:": {
    workers: async () => (await import("./commands/list-objects.ts")).workersCommand(),
    balances: async () => (await import("./commands/list-objects.ts")).balancesCommand(),
    movements: async () => (await import("./commands/movements.ts")).movementsCommand(),
    expirations: async () => (await import("./commands/movements.ts")).expirationsCommand(),
    capacity: async () => (await import("./commands/capacity.ts")).capacityCommand(),
    closes: async () => (await import("./commands/closes.ts")).closesCommand(),
    preview: async () => (await import("./commands/preview.ts")).previewCommand(),
    simulate: async () => (await import("./commands/simulate.ts")).simulateCommand(),
    reconcile: async () => (await import("./commands/reconcile.ts")).reconcileCommand(),
  },
  "Bring data in and out:": {
    import: async () => (await import("./commands/import.ts")).importCommand(),
    imports: async () => (await import("./commands/imports.ts")).importsCommand(),
    pull: async () => (await import("./commands/pull/pull.ts")).pullCommand(),
    sync: async () => (await import("./commands/pull/sync.ts")).syncCommand(),
    map: async () => (await import("./commands/map.ts")).mapCommand(),
    export: async () => (await import("./commands/export.ts")).exportCommand(),
    follow: async () => (await import("./commands/remote/follow.ts")).followCommand(),
    generate: async () => (await import("./commands/generate.ts")).generateCommand(),
  },
  "Look after the store:": {
    migrate: async () => (await import("./commands/store/migrate.ts")).migrateCommand(),
    vacuum: async () => (await import("./commands/store/vacuum.ts")).vacuumCommand(),
    backup: async () => (await import("./commands/store/backup.ts")).backupCommand(),
    restore: async () => (await import("./commands/store/restore.ts")).restoreCommand(),
    copy: async () => (await import("./commands/store/copy.ts")).copyCommand(),
    doctor: async () => (await import("./commands/store/doctor.ts")).doctorCommand(),
    healthcheck: async () => (await import("./commands/remote/healthcheck.ts")).healthcheckCommand(),
  },
  "Tools:": {
    openapi: async () => openapiCommand(),
    completions: async () => (await import("./commands/completions.ts")).completionsCommand(rollcallCommand),
  },
};

/** Prints the OpenAPI document that `src/resources` makes. */
function openapiCommand(): Command {
  return new RollcallCommand("openapi")
    .description("Print the API's OpenAPI 3.1 document.")
    .option("--streams", "the document of the lists as CSV and JSON lines instead")
    .examples("rollcall openapi > openapi.json")
    .action(async ({ streams = false }: { streams?: boolean }) => {
      const { openApiDocument } = await import("../resources/openapi/document.ts");
      console.log(JSON.stringify(openApiDocument(streams ? "streams" : "json"), null, 2));
    });
}

const HELP_HINT = "(add --help for the options and examples)";

/** `rollcall` with all its subcommands, or only with the one that `args` names first. */
export async function rollcallCommand(args: readonly string[] = []): Promise<Command> {
  const program = new RollcallCommand("rollcall")
    .description("Open, self-hosted, read-only access to a company's workers and their time off.")
    .option("-V, --version", "print version, commit and build")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "rollcall: ")) })
    .showHelpAfterError(HELP_HINT)
    .examples(
      "rollcall demo                                   try it on a made-up company",
      'rollcall companies create acme --name "Acme"    then: rollcall keys create --company acme',
      "rollcall import ./export --company acme         load a folder of files",
      "rollcall serve                                  serve ./rollcall.db at http://127.0.0.1:4010",
    );
  for (const [heading, commands] of Object.entries(GROUPS)) {
    const wanted = Object.entries(commands).filter(([name]) => isWanted(name, args[0]));
    for (const command of await Promise.all(wanted.map(([, make]) => make())))
      program.addCommand(command.helpGroup(heading));
  }
  return program;
}

/** Whether a command must be loaded. All are loaded if none is named, and for doctor, which checks the variables of all. */
function isWanted(name: string, named: string | undefined): boolean {
  const isCommand = Object.values(GROUPS).some((commands) => named !== undefined && named in commands);
  return !isCommand || named === "doctor" || name === named;
}

// Runs one subcommand from its arguments to its exit code: 0 (done), 1 (the work failed) or 2 (wrong usage).

/** Commands that run unattended, where nobody would notice that a mistyped variable has no effect. */
const UNATTENDED = new Set(["serve", "import", "sync", "backup", "follow"]);

async function warnOfUnreadVariables(command: Command): Promise<void> {
  if (!UNATTENDED.has(command.name()) || unreadVariables(process.env, variablesOf(command)).length === 0)
    return;
  // No warning of a variable that another command reads.
  for (const { problem, advice } of unreadVariables(process.env, variablesOf(await rollcallCommand())))
    console.error(`rollcall: warning: ${problem}: ${advice}`);
}

/** Names the variable instead of the option where the value came from the environment. */
function nameVariables(error: unknown, command: Command | null): unknown {
  if (!(error instanceof UsageError) || command === null) return error;
  error.message = error.message.replace(/(?<=^|; )--[a-z-]+(?=: )/g, (flag) => {
    const option = command.options.find(({ long }) => long === flag);
    const source = option && command.getOptionValueSource(option.attributeName());
    return source === "env" ? option!.envVar! : flag; // such an option has a variable
  });
  return error;
}

/** Runs a command and returns its exit code. `before` is called with the command just before its action. Prints failures, never throws. */
export async function runCommand(
  args: readonly string[],
  before: (command: Command) => void = () => {},
): Promise<number> {
  let running: Command | null = null;
  try {
    readSecretFiles(process.env);
    const program = (await rollcallCommand(args))
      .hook("preAction", async (_program, command) => {
        running = command;
        readBooleanFlags(command);
        requireAddresses(command);
        requireCompanyId(command);
        if (childNumber === null) {
          warnOfPasswords(command);
          await warnOfUnreadVariables(command);
        }
        before(command);
      })
      .on("option:version", () => {
        console.log(buildText());
        process.exit(0);
      });
    overrideExit(program);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return reportFailure(nameVariables(error, running));
  }
}

/** Makes every command throw instead of exit, so that one place chooses the exit code. */
function overrideExit(command: Command): void {
  command.exitOverride();
  if (command.commands.length > 0)
    command.hook("preSubcommand", ({ args }, child) => {
      if (child.commands.length === 0) requireKnownOptions(child, args.slice(1));
    });
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    overrideExit(child);
  }
}

/** Reports unknown options first. Commander would report a missing argument, or take an option for the previous option's value. */
function requireKnownOptions(command: Command, args: readonly string[]): void {
  for (let index = 0; index < args.length && args[index] !== "--"; index++) {
    const [flag] = args[index]!.split("=") as [string, ...string[]]; // split returns at least one part
    if (!flag.startsWith("--")) continue;
    if (flag === "--help") return;
    const known = command.options.find(({ long }) => long === flag);
    if (known === undefined) throw unknownOption(command, flag);
    if (!known.required || flag !== args[index]) continue;
    const value = args[++index];
    if (value?.startsWith("--"))
      throw new UsageError(`option ${flag} has no value before ${value}\n${HELP_HINT}`);
  }
}

function unknownOption(command: Command, flag: string): UsageError {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  // `companies show acme` takes the company as an argument; other commands take it as an option.
  const names = [command.parent?.parent?.name(), command.parent?.name(), command.name()].filter(Boolean);
  const usage =
    command.registeredArguments.length === 0 ? "" : `: write ${names.join(" ")} ${command.usage()}`;
  return new UsageError(`unknown option ${flag}${didYouMean(flag, flags) || usage}\n${HELP_HINT}`);
}
