// The pages for auditors and for payroll, run as they stand: each command gives what the page shows.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATH_WITH_CURL } from "../cli/command.ts";
import { consoleSteps } from "../support/console-blocks.ts";
import { freePort } from "../support/postgres.ts";

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

test.each(["docs/record.md", "docs/recipes/payroll.md"])(
  "every command of %s gives what the page shows",
  async (page) => {
    const steps = consoleSteps(await Bun.file(join(ROOT, page)).text());
    expect(steps.length).toBeGreaterThan(8);
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "rollcall-record-"));
    symlinkSync(join(ROOT, "examples"), join(folder, "examples"));
    const script = steps.map(({ command }) => {
      const asRun = command
        .replaceAll("npx rollcall", `"${join(ROOT, "bin/rollcall")}"`)
        .replaceAll("4010", String(port));
      // A command that is left running is given the time to say its address.
      const wait = `while ! curl -s http://127.0.0.1:${port}/healthz >/dev/null; do sleep 0.05; done`;
      return `${asRun}\n${command.endsWith("&") ? wait : ""}\nprintf '\\n${MARK}\\n'`;
    });
    try {
      const run = Bun.spawnSync(["bash", "-c", `exec 2>&1\n${script.join("\n")}\nkill %1; wait`], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: PATH_WITH_CURL,
          ROLLCALL_DB: join(folder, "rollcall.db"),
          ROLLCALL_PORT: String(port),
        },
        timeout: 110_000,
      });
      const outputs = run.stdout
        .toString()
        .replaceAll(join(folder, "rollcall.db"), "./rollcall.db")
        .replaceAll(`127.0.0.1:${port}`, "127.0.0.1:4010")
        .split(`\n${MARK}\n`);
      for (const [place, { command, output }] of steps.entries())
        expect(`$ ${command}\n${asInAll(outputs[place]!.trim())}`).toBe(`$ ${command}\n${asInAll(output)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
