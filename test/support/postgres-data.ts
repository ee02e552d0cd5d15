// The data folder of a new PostgreSQL server. `initdb` takes most of a second of CPU time, and dozens of test files start a
// server: it runs once after an installation, and what it made is unpacked from then on.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFolder, programsFolder, unprivilegedUser, type Version } from "./postgres-binaries.ts";

export const USER = "postgres";
export const PASSWORD = "password";

const FLAGS = [
  `--username=${USER}`,
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  // A collation whose order is not the bytes' order: only the store's own `collate "C"` can put ids right.
  "--locale-provider=icu",
  "--icu-locale=en-US",
  "--locale=C",
  "--no-sync",
];

/** Beside the packages: gone when another PostgreSQL is installed in a new `node_modules`. */
const CACHE = join(import.meta.dir, "../../node_modules/.cache/rollcall");

/** Makes a data folder at a path where nothing is yet. Its folder is there, and open to the user that runs PostgreSQL. */
export function makeDataFolder(folder: string, version: Version = 18): void {
  const user = unprivilegedUser();
  const made = createHash("sha256").update([packageFolder(version), ...FLAGS, process.getuid?.()].join());
  const archive = join(CACHE, `postgres-${made.digest("hex").slice(0, 16)}.tar`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ("uid" in user) chownSync(folder, user.uid, user.gid);
  if (existsSync(archive)) {
    run("tar", ["-xpf", archive, "-C", folder]);
    return;
  }
  initialise(folder, version);
  // Test files run at the same time: each writes a file of its own, and the last one stays.
  const written = `${archive}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  run("tar", ["-cf", written, "-C", folder, "."]);
  renameSync(written, archive);
}

function initialise(folder: string, version: Version): void {
  const user = unprivilegedUser();
  const passwordFile = `${folder}-password`;
  writeFileSync(passwordFile, PASSWORD);
  if ("uid" in user) chownSync(passwordFile, user.uid, user.gid);
  const program = join(programsFolder(dirname(folder), version), "initdb");
  run(program, [`--pgdata=${folder}`, `--pwfile=${passwordFile}`, ...FLAGS], { ...user, cwd: folder });
  rmSync(passwordFile);
}

function run(program: string, args: readonly string[], options = {}): void {
  const { status, error, stdout, stderr } = spawnSync(program, args, { ...options, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? ""}\n${stdout}${stderr}`);
}
