// The Bun of each target's executable. It comes from a package in `package-lock.json`, and is checked by the digest there.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import lock from "../package-lock.json";
import { ROOT } from "./bundle.ts";

export interface Target {
  /** The name in `npm run build -- --target=linux-x64`. */
  readonly name: string;
  /** The npm package that contains the target's Bun. */
  readonly runtime: string;
  /** The target's name for `Bun.build`. */
  readonly compileTarget: Bun.Build.CompileTarget;
  readonly fileName: string;
}

function target(name: string, runtime: string, compileTarget: Bun.Build.CompileTarget): Target {
  return {
    name,
    runtime: `@oven/bun-${runtime}`,
    compileTarget,
    fileName: name.startsWith("windows") ? "rollcall.exe" : "rollcall",
  };
}

export const TARGETS: readonly Target[] = [
  target("linux-x64", "linux-x64", "bun-linux-x64"),
  target("linux-arm64", "linux-aarch64", "bun-linux-arm64"),
  target("linux-x64-musl", "linux-x64-musl", "bun-linux-x64-musl"),
  target("linux-arm64-musl", "linux-aarch64-musl", "bun-linux-arm64-musl"),
  target("macos-x64", "darwin-x64", "bun-darwin-x64"),
  target("macos-arm64", "darwin-aarch64", "bun-darwin-arm64"),
  target("windows-x64", "windows-x64", "bun-windows-x64"),
  target("windows-arm64", "windows-aarch64", "bun-windows-arm64" as Bun.Build.CompileTarget), // Bun's types lack this target
];

/** The target of this machine. Throws an Error if there is none. */
export function ownTarget(): Target {
  const system =
    { linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string] ?? process.platform;
  const isMusl =
    process.platform === "linux" &&
    existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`);
  const name = `${system}-${process.arch}${isMusl && !existsSync("/lib64/ld-linux-x86-64.so.2") ? "-musl" : ""}`;
  const own = TARGETS.find((target) => target.name === name);
  if (own === undefined)
    throw new Error(
      `there is no target for this machine (${name}): name one of ${TARGETS.map((target) => target.name).join(", ")}`,
    );
  return own;
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

/**
 * The path of a target's Bun. npm downloads it the first time, into `node_modules/.cache`. Throws an Error if it cannot be downloaded or
 * does not match the lock file.
 */
export function runtimeOf({ runtime, fileName }: Target): string {
  const packages: Readonly<Record<string, unknown>> = lock.packages;
  const { version, integrity } = packages[`node_modules/${runtime}`] as Locked; // every runtime is in the lock file
  const folder = join(ROOT, "node_modules/.cache/rollcall", `${runtime.replace("/", "-")}-${version}`);
  const binary = join(folder, "package/bin", fileName.endsWith(".exe") ? "bun.exe" : "bun");
  if (existsSync(binary)) return binary;
  mkdirSync(join(folder, ".."), { recursive: true });
  const download = mkdtempSync(`${folder}-`);
  try {
    const packed = run("npm", ["pack", "--silent", `${runtime}@${version}`], download).trim();
    const archive = join(download, packed);
    const digest = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (digest !== integrity)
      throw new Error(`${runtime}@${version} is not the package that package-lock.json names`);
    run("tar", ["-xzf", packed], download);
    rmSync(archive);
    renameSync(download, folder);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
  return binary;
}

/** Runs a program and returns its stdout. Throws an Error with its output if it fails. */
export function run(program: string, args: readonly string[], cwd: string = ROOT, env = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stderr}${stdout}`);
  return stdout;
}
