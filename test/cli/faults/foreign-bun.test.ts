// The npm package that was copied from another machine says so, instead of what a shell makes of a program it cannot start.
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder } from "../command.ts";

/** What `bin/rollcall` prints with such a file as its Bun. */
async function printedWith(program: Buffer): Promise<string> {
  let printed = "";
  await inFolder(async (folder) => {
    const script = join(folder, "bin/rollcall");
    const bun = join(folder, "node_modules/bun/bin/bun.exe");
    for (const path of [script, bun]) mkdirSync(join(path, ".."), { recursive: true });
    copyFileSync(join(import.meta.dir, "../../../bin/rollcall"), script);
    // A small file would be taken for the placeholder that npm leaves where it may not run install scripts.
    writeFileSync(bun, Buffer.concat([program, Buffer.alloc(1_100_000)]), { mode: 0o755 });
    const { exitCode, stderr } = Bun.spawnSync([script, "--version"], {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin" }, // a Bun in the path would be taken instead
    });
    expect(exitCode).not.toBe(0);
    printed = stderr.toString();
  });
  return printed;
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
