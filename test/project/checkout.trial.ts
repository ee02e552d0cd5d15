// A new checkout, as the README begins: `npm ci` prints no warning, it and the first `npx rollcall` leave `git status` clean, and
// the next import knows the records of the first. Needs git and the npm registry.
import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importAcme, knowsRecords } from "../support/known-records.ts";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "rollcall-checkout-"));

/** Runs a command in the checkout, and gives what it printed. Fails if it does. */
function run(...command: string[]): { readonly stdout: string; readonly stderr: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stdout}${stderr}`);
  return { stdout: stdout.toString(), stderr: stderr.toString() };
}

const rollcall = (...args: string[]) => run("npx", "rollcall", ...args).stdout;
const status = () => run("git", "status", "--porcelain").stdout;

test("a new checkout installs without a warning, stays clean, and knows what it imported", async () => {
  try {
    // The files as they are here, committed or not, in a repository of their own.
    const listed = Bun.spawnSync(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: ROOT,
    });
    const files = listed.stdout.toString().split("\0").filter(Boolean);
    for (const file of files) cpSync(join(ROOT, file), join(folder, file));
    run("git", "init", "--quiet");
    run("git", "add", "--all");
    run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "All");

    const { stdout, stderr } = run("npm", "ci");
    expect(`${stdout}${stderr}`).not.toMatch(/\bwarn/i);
    expect(status()).toBe("");

    rollcall("companies", "create", "acme");
    const again = async () => rollcall(...importAcme("examples"));
    await again();
    expect(status()).toBe("");
    expect(await knowsRecords(join(folder, "rollcall.db"), again)).toBe(true);

    rmSync(join(folder, ".git"), { recursive: true });
    expect(await knowsRecords(join(folder, "rollcall.db"), again)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
