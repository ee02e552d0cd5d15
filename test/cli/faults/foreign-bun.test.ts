// How the npm package finds its Bun. One that was copied from another machine says so, instead of what a shell makes of a program it
// cannot start.
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder } from "../command.ts";

/** How `bin/rollcall` ends in a package whose files `make` completes. */
async function started(make: (folder: string) => void) {
  let ended = { exitCode: 0, stdout: "", stderr: "" };
  await inFolder(async (folder) => {
    const script = join(folder, "bin/rollcall");
    mkdirSync(join(script, ".."));
    copyFileSync(join(import.meta.dir, "../../../bin/rollcall"), script);
    make(folder);
    const { exitCode, stdout, stderr } = Bun.spawnSync([script, "--version"], {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin" }, // a Bun in the path would be taken instead
    });
    ended = { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
  });
  return ended;
}

/** A small file would be taken for the placeholder that npm leaves where it may not run install scripts. */
function putBun(path: string, program: Buffer): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, Buffer.concat([program, Buffer.alloc(1_100_000)]), { mode: 0o755 });
}

/** What `bin/rollcall` prints with such a file as its Bun. */
async function printedWith(program: Buffer): Promise<string> {
  const { exitCode, stderr } = await started((folder) =>
    putBun(join(folder, "node_modules/bun/bin/bun.exe"), program),
  );
  expect(exitCode).not.toBe(0);
  return stderr;
}

test("a Bun for another processor", async () => {
  const header = Buffer.alloc(64);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeUInt16LE(process.arch === "arm64" ? 0x3e : 0xb7, 18);
  expect(await printedWith(header)).toMatch(
    /^rollcall: \S+bun.exe is for another processor than this machine's \(\w+\). Install Rollcall with npm on this machine/,
  );
});

test("a Bun for another C library", async () => {
  const shell = readFileSync("/bin/sh");
  shell.write("/no-linux", shell.indexOf("/ld-linux"));
  expect(await printedWith(shell)).toMatch(
    /\nrollcall: \S+bun.exe cannot be started: it needs another C library/,
  );
});

test("the Bun of pnpm, which links packages and runs no install script of theirs", async () => {
  const ended = await started((folder) => {
    putBun(join(folder, "store/@oven/bun-linux-x64/bin/bun"), Buffer.from("#!/bin/sh\necho started\nexit\n"));
    for (const made of ["store/bun/bin", "node_modules"]) mkdirSync(join(folder, made), { recursive: true });
    writeFileSync(join(folder, "store/bun/bin/bun.exe"), "a placeholder", { mode: 0o755 });
    symlinkSync("../store/bun", join(folder, "node_modules/bun"));
  });
  expect(ended).toEqual({ exitCode: 0, stdout: "started\n", stderr: "" });
});

test("no Bun: what to do is another thing in a package than in a checkout", async () => {
  const inPackage = await started(() => {});
  expect(inPackage.exitCode).toBe(1);
  expect(inPackage.stderr).toContain("Install Rollcall again without --omit=optional");
  const inCheckout = await started((folder) => mkdirSync(join(folder, "src")));
  expect(inCheckout.exitCode).toBe(1);
  expect(inCheckout.stderr).toMatch(/Run `npm ci` in \S+ first\./);
});
