// The running program: its build, and how to start it again.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { whenInterrupted } from "../store/engine.ts";
import { type ShowProgress, showProgress } from "./output.ts";

export { version };

/** Build facts that `delivery/bundle.ts` writes into a bundle. */
export interface Build {
  readonly commit: string;
  /** The day of the commit. */
  readonly date: string;
  /** The form, such as "npm package" or "executable for linux-x64". */
  readonly form: string;
}

declare const ROLLCALL_BUILD: Build | undefined;

/** The `sourcesDigest` of the checkout that the bundle was made from. */
declare const ROLLCALL_SOURCES: string | undefined;

const CHECKOUT = join(import.meta.dir, "../..");
const UNKNOWN = "unknown";

/** The build of this program. In a checkout, git is asked for the commit. */
export function build(): Build & { readonly version: string; readonly bun: string } {
  const known = typeof ROLLCALL_BUILD === "undefined" ? buildOfCheckout() : ROLLCALL_BUILD;
  return { version, ...known, bun: Bun.version };
}

let checkout: Build | undefined;

/** Asks git once, because this process keeps running the commit with which it started. */
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

/** The sources of a checkout and the list of their libraries. */
const SOURCES = ["package*.json", "src/**/*"];
/** The libraries that npm installed. */
const INSTALLED = "node_modules/.package-lock.json";

/** SHA-256 of the files below `root` that match `patterns`. Undefined if a file changed after `before`, in milliseconds since 1970. */
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

/** Identifies the code of this program: equal names make equal rows. Undefined if the checkout changed after this process began. */
export function programName(): string | undefined {
  const sources =
    typeof ROLLCALL_SOURCES === "undefined"
      ? sourcesDigest(CHECKOUT, [...SOURCES, INSTALLED], performance.timeOrigin)
      : ROLLCALL_SOURCES;
  return sources === undefined ? undefined : `${sources} ${Bun.version}`;
}

/** The build in one line: `rollcall 1.2.3 (commit 0123456789ab of 2026-03-01, executable for linux-x64, Bun 1.4.5)`. */
export function buildText(): string {
  const { version, commit, date, form, bun } = build();
  const shortCommit = commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, "$1");
  return `rollcall ${version} (commit ${shortCommit} of ${date}, ${form}, Bun ${bun})`;
}

/** Whether this is the executable of `npm run build`. Its modules are not files. */
export const isExecutable = /^(?:\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main);

/** The command line that starts this command again, with Bun's options of `bin/rollcall`. */
export function sameCommand(): string[] {
  const { execPath, execArgv, argv } = process;
  return isExecutable ? [execPath, ...argv.slice(2)] : [execPath, ...execArgv, ...argv.slice(1)];
}

const NUMBER = "ROLLCALL_PROCESS";

/** This process's number among several on one port; null if no other Rollcall started it. */
export const childNumber: string | null = process.env[NUMBER] ?? null;

export function childEnvironment(number: number): Record<string, string | undefined> {
  return { ...process.env, [NUMBER]: String(number) };
}

/** The result of `awaited`, or undefined after `timeMs`. It clears its timer, which would keep the process running. */
export async function within<T>(timeMs: number, awaited: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeMs);
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** One signal may arrive twice: the process group gets it, and the npm launcher passes it on. */
const SAME_SIGNAL_MS = 500;

/** Calls `stop` at the first SIGINT or SIGTERM. A second one ends the process at once. Returns a function that removes the listeners. */
function onStop(stop: (exitCode: number) => void): () => void {
  let stoppedAtMs: number | null = null;
  const onSignal = (exitCode: number) => () => {
    if (stoppedAtMs === null) {
      stoppedAtMs = performance.now();
      stop(exitCode);
    } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(exitCode);
  };
  const [interrupt, terminate] = [onSignal(130), onSignal(143)];
  process.on("SIGINT", interrupt).on("SIGTERM", terminate);
  return () => void process.removeListener("SIGINT", interrupt).removeListener("SIGTERM", terminate);
}

/** Resolves at the first SIGINT or SIGTERM. A second, later signal ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => void onStop(() => resolve()));
}

/** How long an interrupted command waits for its database server to cancel statements. */
const LAST_WORDS_MS = 1000;

let isEnding = false;

/** Whether a signal is ending the command. It has printed its outcome then, and must print nothing else. */
export const isInterrupted = () => isEnding;

/** Runs `work`. On SIGINT or SIGTERM the process ends as in a shell, and prints `outcome` in one line. */
export async function endedWhenInterrupted<T>(outcome: () => string, work: () => Promise<T>): Promise<T> {
  const end = async (exitCode: number) => {
    isEnding = true;
    console.error(`rollcall: interrupted: ${outcome()}`);
    if (whenInterrupted.size > 0) {
      const ended = Promise.allSettled([...whenInterrupted].map((cancel) => cancel()));
      await Promise.race([ended, Bun.sleep(LAST_WORDS_MS)]);
    }
    process.exit(exitCode);
  };
  const ignoreSignals = onStop(end);
  try {
    return await work();
  } finally {
    if (isEnding) await new Promise<never>(() => {}); // hides the error of a connection that `end` closed
    ignoreSignals();
  }
}

/** The same, with a progress line that is removed before anything else is printed. */
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
