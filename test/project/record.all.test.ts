// The page for auditors, run as it stands: each command of docs/record.md gives what the page shows.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATH_WITH_CURL } from "../cli/command.ts";

const ROOT = join(import.meta.dir, "../..");
const MARK = "=== next command ===";

/** What an import says on a slow machine. */
const SAID_WHERE_SLOW = /^rollcall: [\d,]+ rows · .*\n| Writing took [\d.]+ s\.$/gm;

/** When it was closed, and the digest of that, differ from run to run. */
const asInAll = (text: string) =>
  text
    .replaceAll(SAID_WHERE_SLOW, "")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "MOMENT")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "DIGEST");

test("every command of the page gives what the page shows", async () => {
  const page = await Bun.file(join(ROOT, "docs/record.md")).text();
  const steps = [...page.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((step) => step.trimEnd().split("\n")),
  );
  expect(steps.length).toBeGreaterThan(8);
  const folder = mkdtempSync(join(tmpdir(), "rollcall-record-"));
  symlinkSync(join(ROOT, "examples"), join(folder, "examples"));
  const script = steps.map(
    ([command]) =>
      `${command!.replaceAll("npx rollcall", join(ROOT, "bin/rollcall"))}\nprintf '\\n${MARK}\\n'`,
  );
  try {
    const run = Bun.spawnSync(["bash", "-c", `exec 2>&1\n${script.join("\n")}`], {
      cwd: folder,
      env: { ...process.env, PATH: PATH_WITH_CURL, ROLLCALL_DB: join(folder, "rollcall.db") },
      timeout: 110_000,
    });
    const outputs = run.stdout.toString().split(`\n${MARK}\n`);
    for (const [place, [command, ...output]] of steps.entries())
      expect(`$ ${command}\n${asInAll(outputs[place]!.trim())}`).toBe(
        `$ ${command}\n${asInAll(output.join("\n"))}`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
