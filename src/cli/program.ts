// The running program itself: which build it is, and how to start it again.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { whenInterrupted } from "../store/engine.ts";
import { type ShowProgress, showProgress } from "./output.ts";

export { version };

/** What `delivery/bundle.ts` writes into a bundle. */
export interface Build {
  readonly commit: string;
  /** The day of the commit. */
  readonly date: string;
  /** The form, such as "npm package" or "executable for linux-x64". */
  readonly form: string;
}

declare const ROLLCALL_BUILD: Build | undefined;

/** `sourcesDigest` of the checkout that the bundle was made in. */
declare const ROLLCALL_SOURCES: string | undefined;

const CHECKOUT = join(import.meta.dir, "../..");
const UNKNOWN = "unknown";

/** The build of this program. In a checkout, git is asked for the commit. */
export function build(): Build & { readonly version: string; readonly bun: string } {
  const known = typeof ROLLCALL_BUILD === "undefined" ? buildOfCheckout() : ROLLCALL_BUILD;
  return { version, ...known, bun: Bun.version };
}

let checkout: Build | undefined;

/** Asks git once: a process is the program that it was when it began. */
function buildOfCheckout(): Build {
  if (checkout !== undefined) return checkout;
  const git = (...args: string[]) =>
    spawnSync("git", ["-C", CHECKOUT, ...args], { encoding: "utf8" }).stdout?.trim() ?? "";
  const [commit = "", date = ""] = git("log", "-1", "--format=%H %cs").split(" ");
  const isChanged = commit !== "" && git("status", "--porcelain") !== "";
  checkout = {
    commit: `${commit || UNKNOWN}${isChanged ? "+changes" : ""}`,
    date: date || UNKNOWN,
    form: "checkout",
  };
  return checkout;
}

/** In a checkout: the sources, and the libraries that they ask for. */
const SOURCES = ["package*.json", "src/**/*"];
/** Which libraries npm installed. */
const INSTALLED = "node_modules/.package-lock.json";

/**
 * SHA-256 of the files in `root` that decide which rows an import makes of records. `before`, in milliseconds since 1970: undefined
 * if a file changed later.
 */
export function sourcesDigest(root: string, patterns = SOURCES, before = Infinity): string | undefined {
  const hash = new Bun.CryptoHasher("sha256");
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  for (const file of files.toSorted()) {
    const path = join(root, file);
    if (statSync(path).ctimeMs > before) return undefined;
    const content = readFileSync(path);
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/**
 * One text for each program that may make other rows of the same records. Undefined for a checkout that changed after this process
 * began: which of its sources run is not known.
 */
export function programName(): string | undefined {
  const sources =
    typeof ROLLCALL_SOURCES === "undefined"
      ? sourcesDigest(CHECKOUT, [...SOURCES, INSTALLED], performance.timeOrigin)
      : ROLLCALL_SOURCES;
  return sources === undefined ? undefined : `${sources} ${Bun.version}`;
}

/** In one line: `rollcall 1.2.3 (commit 0123456789ab of 2026-03-01, executable for linux-x64, Bun 1.4.5)`. */
export function buildText(): string {
  const { version, commit, date, form, bun } = build();
  const shortCommit = commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, "$1");
  return `rollcall ${version} (commit ${shortCommit} of ${date}, ${form}, Bun ${bun})`;
}

/** Whether this is the one executable that `npm run build` makes. Its modules have no place on the disk. */
export const isExecutable = /^(?:\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main);

/** Starts this command again with the same arguments, and with Bun's options of `bin/rollcall`. */
export function sameCommand(): string[] {
  const { execPath, execArgv, argv } = process;
  return isExecutable ? [execPath, ...argv.slice(2)] : [execPath, ...execArgv, ...argv.slice(1)];
}

const NUMBER = "ROLLCALL_PROCESS";

/** The number of this process among several on one port; null for a process that no other Rollcall started. */
export const childNumber: string | null = process.env[NUMBER] ?? null;

/** The environment of a child process with this number. */
export function childEnvironment(number: number): Record<string, string | undefined> {
  return { ...process.env, [NUMBER]: String(number) };
}

/** What `awaited` gives, or undefined after this time. Leaves no timer, which would keep a process that has ended its work. */
export async function within<T>(timeMs: number, awaited: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeMs);
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whoever stops a process group reaches the launcher of the npm package, too, which hands the signal on: it then comes twice. */
const SAME_SIGNAL_MS = 500;

/** Resolves at the first SIGINT or SIGTERM. A second signal, sent later, ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAtMs: number | null = null;
    const onSignal = (exitCode: number) => () => {
      if (stoppedAtMs === null) {
        stoppedAtMs = performance.now();
        resolve();
      } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(exitCode);
    };
    process.on("SIGINT", onSignal(130));
    process.on("SIGTERM", onSignal(143));
  });
}

/** How long a command that is interrupted waits for its server. */
const LAST_WORDS_MS = 1000;

/** While `work` goes on, SIGINT and SIGTERM end the process, as in a shell, with one line: what became of it. */
export async function endedWhenInterrupted<T>(outcome: () => string, work: () => Promise<T>): Promise<T> {
  let isEnding = false;
  const end = async (signal: "SIGINT" | "SIGTERM") => {
    isEnding = true;
    console.error(`rollcall: interrupted: ${outcome()}`);
    if (whenInterrupted.size > 0) {
      const ended = Promise.allSettled([...whenInterrupted].map((cancel) => cancel()));
      await Promise.race([ended, Bun.sleep(LAST_WORDS_MS)]);
    }
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    return await work();
  } finally {
    if (isEnding) await new Promise<never>(() => {}); // what the server ended is no news
    process.removeListener("SIGINT", end).removeListener("SIGTERM", end);
  }
}

/** The same, with a line of progress that is gone when anything else is printed. */
export async function withProgress<T>(
  outcome: () => string,
  work: (show: ShowProgress, clear: () => void) => Promise<T>,
): Promise<T> {
  const { show, clear } = showProgress();
  const interrupted = () => {
    clear();
    return outcome();
  };
  return endedWhenInterrupted(interrupted, () => work(show, clear).finally(clear));
}
