// The errors of the forms on a machine on which they cannot run: with another processor, or without glibc.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../build.ts";
import { ROOT } from "../bundle.ts";
import { buildDebianPackage } from "../debian/debian.ts";
import { ownTarget, runtimeOf, TARGETS } from "../runtimes.ts";
import { has, NotTried } from "./forms.ts";

/** The errors for a missing loader, and for a program that the kernel refuses. */
const NO_LOADER = /not found|No such file or directory/;
const OTHER_PROCESSOR = /Exec format error|cannot execute binary file/;

/** Checks each refusal as in docs/forms.md, "If it does not start". Throws an Error if one differs. */
export async function tryUnfit(folder: string, says: (what: string) => void): Promise<void> {
  if (process.platform !== "linux") throw new NotTried("unfit machines are tried on Linux alone");
  const other = TARGETS.find(
    ({ name }) => name === (process.arch === "arm64" ? "linux-x64" : "linux-arm64"),
  )!; // of the table
  const foreign = await buildExecutable(other, join(folder, "foreign"));
  refuses(["sh", "-c", `${foreign} --version`], OTHER_PROCESSOR);
  says("the executable for another processor: the shell says so");

  const own = join(folder, "own");
  mkdirSync(own);
  const executable = await buildExecutable(ownTarget(), join(own, "rollcall"));
  if (process.getuid?.() !== 0) throw new NotTried("a machine without glibc needs root, for chroot");
  refuses(["chroot", own, "/rollcall", "--version"], NO_LOADER);
  says("the executable without glibc: the kernel finds no loader");

  const script = join(folder, "package/bin/rollcall");
  const bun = join(folder, "package/node_modules/@oven/bun-linux-x64/bin/bun");
  for (const path of [script, bun]) mkdirSync(join(path, ".."), { recursive: true });
  copyFileSync(join(ROOT, "bin/rollcall"), script);
  writeFileSync(bun, readFileSync(runtimeOf(other)), { mode: 0o755 });
  refuses([script, "--version"], /for another processor than this machine's .* Install Rollcall with npm/);
  writeFileSync(bun, withoutLoader(readFileSync(executable)), { mode: 0o755 });
  refuses([script, "--version"], /needs another C library \(glibc or musl\).* Install Rollcall with npm/);
  says("the npm package with a Bun for another processor, and for another C library");

  if (!has("dpkg")) throw new NotTried("dpkg is not installed");
  const debian = await buildDebianPackage(other);
  refuses(["dpkg", "--dry-run", "-i", debian], /architecture \(\w+\) does not match system/);
  says("the Debian package for another processor: dpkg says so");
}

/** The program with a loader that exists on no machine. */
function withoutLoader(program: Buffer): Buffer {
  const at = program.indexOf("/ld-linux");
  program.write("/no-linux", at);
  return program;
}

function refuses([program = "", ...args]: readonly string[], message: RegExp): void {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
  });
  if (status === 0 || !message.test(stdout + stderr))
    throw new Error(`${[program, ...args].join(" ")} ended with ${status} and said:\n${stdout}${stderr}`);
}
