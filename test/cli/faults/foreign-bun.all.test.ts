// How the npm package finds its Bun. One that was copied from another machine says so, instead of what a shell makes of a program it
// cannot start.
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder } from "../command.ts";

/** How `bin/rollcall` ends in a package whose files `make` completes. */
async function started(make: (folder: string) => void) {
  let ended = { exitCode: 0, stdout: "", stderr: "" };
  await inFolder(async (outer) => {
    const folder = join(outer, "node_modules/rollcall");
    const script = join(folder, "bin/rollcall");
    mkdirSync(join(script, ".."), { recursive: true });
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

function putBun(path: string, program: Buffer): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, program, { mode: 0o755 });
}

/** What `bin/rollcall` prints with such a file as its Bun. */
async function printedWith(program: Buffer): Promise<string> {
  const { exitCode, stderr } = await started((folder) =>
    putBun(join(folder, "node_modules/@oven/bun-linux-x64/bin/bun"), program),
  );
  expect(exitCode).not.toBe(0);
  return stderr;
}

test("a Bun for another processor", async () => {
  const header = Buffer.alloc(64);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeUInt16LE(process.arch === "arm64" ? 0x3e : 0xb7, 18);
  expect(await printedWith(header)).toMatch(
    /^rollcall: \S+bun is for another processor than this machine's \(\w+\). Install Rollcall with npm on this machine/,
  );
});

test("a Bun for another C library", async () => {
  const shell = readFileSync("/bin/sh");
  shell.write("/no-linux", shell.indexOf("/ld-linux"));
  expect(await printedWith(shell)).toMatch(
    /\nrollcall: \S+bun cannot be started: it needs another C library/,
  );
});

test("the Bun of pnpm, which puts it beside the package", async () => {
  const ended = await started((folder) =>
    putBun(join(folder, "../@oven/bun-linux-x64/bin/bun"), Buffer.from("#!/bin/sh\necho started\n")),
  );
  expect(ended).toEqual({ exitCode: 0, stdout: "started\n", stderr: "" });
});

test("a package manager's Node starts it, hands signals on, and ends as it ends", async () => {
  const launcher = join(import.meta.dir, "../../../bin/rollcall.js");
  const version = Bun.spawnSync(["node", launcher, "--version"]);
  expect(version.stdout.toString()).toMatch(/^rollcall \d/);
  expect(Bun.spawnSync(["node", launcher, "no-such-command"]).exitCode).toBe(2);
  await inFolder(async (folder) => {
    const args = ["demo", "--db", join(folder, "demo.db"), "--port", "0", "--workers", "3"];
    const server = Bun.spawn(["node", launcher, ...args], { stdout: "pipe", stderr: "pipe" });
    for await (const chunk of server.stdout) if (Buffer.from(chunk).includes("http://")) break;
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  });
});

test("a stopped process group, and an npx or npm start that is gone, end what a package manager's Node started", async () => {
  const launcher = join(import.meta.dir, "../../../bin/rollcall.js");
  await inFolder(async (folder) => {
    const demo = ["demo", "--db", join(folder, "demo.db"), "--port", "0", "--workers", "3"];
    const group = spawn("node", [launcher, ...demo], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const chunk of group.stdout) if (String(chunk).includes("http://")) break;
    group.stdout.resume();
    process.kill(-group.pid!, "SIGTERM"); // as systemd does: launcher and Bun both get it
    expect(await new Promise((resolve) => group.once("exit", (code) => resolve(code)))).toBe(0);

    // A shell that stands for npx: it starts the launcher, and is killed without handing that on.
    const script = `node "$0" "$@" & wait`;
    await endsWith(["sh", "-c", script, launcher, ...demo], { npm_command: "exec" }, "SIGKILL");
    await endsWith(["npm", "start", "--", ...demo.slice(1)], {}, "SIGTERM");
  });
});

/** Starts a server through another process, ends that one, and waits until the server has ended. */
async function endsWith(command: string[], env: Record<string, string>, signal: NodeJS.Signals) {
  const parent = Bun.spawn(command, { stdout: "pipe", env: { ...process.env, ...env } });
  let address = "";
  const reader = parent.stdout.getReader();
  while (address === "") {
    const { value } = await reader.read();
    address = /http:\/\/127\.0\.0\.1:\d+/.exec(Buffer.from(value ?? []).toString())?.[0] ?? "";
  }
  parent.kill(signal);
  while (await fetch(`${address}/healthz`).catch(() => null)) await Bun.sleep(50);
  while (!(await reader.read()).done); // the last process that could print has ended
}

test("no Bun: what to do is another thing in a package than in a checkout", async () => {
  const inPackage = await started(() => {});
  expect(inPackage.exitCode).toBe(1);
  expect(inPackage.stderr).toContain("Install Rollcall again without --omit=optional");
  const inCheckout = await started((folder) => mkdirSync(join(folder, "src")));
  expect(inCheckout.exitCode).toBe(1);
  expect(inCheckout.stderr).toMatch(/Run `npm ci` in \S+ first\./);
});
