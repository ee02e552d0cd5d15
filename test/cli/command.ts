// The command as a user runs it: a process of its own, in a folder of its own.
import { spyOn } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { format } from "node:util";
import { Mutex } from "async-mutex";
import { runCommand } from "../../src/cli/commands.ts";
import { fastFolder } from "../support/fast-folder.ts";
import { ROLLCALL } from "../support/rollcall-path.ts";

/** A search path on which there is a curl, the machine's own if it has one. */
export const PATH_WITH_CURL = `${process.env.PATH}:${join(import.meta.dir, "../support/stand-in")}`;

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `rollcall` in `folder` to its end. Of the environment it gets the path, and what is given. */
export async function rollcall(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
  program?: string,
): Promise<Ended> {
  const child = start(folder, args, env, program);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** There is one environment, current folder and console: whoever replaces any of them holds this. */
export const processMutex = new Mutex();

/**
 * The same in this process, which takes a fifth of the CPU time: where the process itself is not what is tested. Only for commands
 * that end by themselves.
 */
export function rollcallHere(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return processMutex.runExclusive(async () => {
    const before = { env: { ...process.env }, folder: process.cwd(), umask: process.umask(0o077) };
    const printed = { stdout: "", stderr: "" };
    const line = (to: keyof typeof printed) =>
      ((...values: unknown[]) => {
        printed[to] += `${format(...values)}\n`;
      }) as typeof console.log;
    const written = (to: keyof typeof printed) =>
      ((text: string | Uint8Array, done?: (error: null) => void) => {
        printed[to] += typeof text === "string" ? text : new TextDecoder().decode(text);
        done?.(null);
        return true;
      }) as typeof process.stdout.write; // commands hand over text alone
    const spies = [
      spyOn(console, "log").mockImplementation(line("stdout")),
      spyOn(console, "error").mockImplementation(line("stderr")),
      spyOn(console, "warn").mockImplementation(line("stderr")),
      spyOn(process.stdout, "write").mockImplementation(written("stdout")),
      spyOn(process.stderr, "write").mockImplementation(written("stderr")),
    ];
    setEnvironment({ PATH: before.env.PATH ?? "", ...env });
    try {
      process.chdir(folder);
      const exitCode = (await runCommand(args)) || Number(process.exitCode ?? 0);
      return { exitCode, ...printed };
    } finally {
      for (const spy of spies) spy.mockRestore();
      setEnvironment(before.env);
      process.exitCode = 0;
      process.umask(before.umask);
      process.chdir(before.folder);
    }
  });
}

function setEnvironment(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

const VARIABLES: Readonly<Record<string, string>> = {
  "--db": "ROLLCALL_DB",
  "--from": "ROLLCALL_FROM",
  "--to": "ROLLCALL_TO",
  "--reader-password": "ROLLCALL_READER_PASSWORD",
};

/** Runs `rollcall`, in this process, as `docs/postgresql.md` advises: stores and passwords are given by the environment. */
export async function rollcallByEnvironment(folder: string, args: readonly string[]): Promise<Ended> {
  const env: Record<string, string> = {};
  const others = args.filter((arg, at) => {
    const variable = VARIABLES[arg] ?? VARIABLES[args[at - 1] ?? ""];
    if (variable !== undefined && VARIABLES[arg] === undefined) env[variable] = arg;
    return variable === undefined;
  });
  return await rollcallHere(folder, others, env);
}

/** Starts `rollcall` in `folder`. */
export function start(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
  program = ROLLCALL,
) {
  return Bun.spawn([program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs `work` against a serving command; what it printed until it listened is handed over. It is killed afterwards. */
export async function whileServing(
  folder: string,
  args: readonly string[],
  work: (address: string, printed: string, child: Bun.Subprocess) => Promise<void>,
  { program, env = {} }: { readonly program?: string; readonly env?: Record<string, string> } = {},
): Promise<void> {
  const child = start(folder, args, env, program);
  try {
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk);
      if (/https?:\/\/\S+:\d+.*\n/.test(printed)) break;
    }
    const address = /https?:\/\/[^\s/]+:\d+/.exec(printed)?.[0];
    if (address === undefined)
      throw new Error(`it does not listen: ${printed}${await new Response(child.stderr).text()}`);
    await work(address, printed, child);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** Runs `work` with an empty folder, which is removed afterwards. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-cli-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Gives what runs `work` in a folder as `prepare` leaves it, and with what `prepare` returns. It is prepared once, and written
 * again for each use.
 */
export function prepared<T>(prepare: (folder: string) => Promise<T>) {
  let template: Promise<{ files: ReadonlyMap<string, Uint8Array>; made: T }> | null = null;
  const make = async () => {
    const files = new Map<string, Uint8Array>();
    let made: T;
    await inFolder(async (folder) => {
      made = await prepare(folder);
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile()) files.set(relative(folder, path), readFileSync(path));
      }
    });
    return { files, made: made! }; // `inFolder` has run to its end
  };
  return (work: (folder: string, made: T) => Promise<void>) =>
    inFolder(async (folder) => {
      template ??= make();
      const { files, made } = await template;
      for (const [name, bytes] of files) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), bytes, { mode: 0o600 });
      }
      await work(folder, made);
    });
}

/** Runs `rollcall` in `folder`, and returns what it printed. Raises an error where it did not end with 0. */
export async function done(folder: string, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await rollcallHere(folder, args);
  if (exitCode !== 0) throw new Error(`rollcall ${args.join(" ")}: ${exitCode}: ${stderr}`);
  return stdout.trim();
}

/** With a store in the folder that has the company "acme" alone. */
export const inFolderWithCompany = prepared((folder) => done(folder, "companies", "create", "acme"));

/** The same with a key of the company, which is handed over. */
export const inFolderWithKey = prepared(async (folder) => {
  await done(folder, "companies", "create", "acme");
  return done(folder, "keys", "create", "--company", "acme", "--quiet");
});
