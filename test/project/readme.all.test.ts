// The README's tour and its client, run as they stand: each command gives what the README shows, as in a terminal.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PATH_WITH_CURL } from "../cli/command.ts";
import { consoleSteps } from "../support/console-blocks.ts";
import { freePort } from "../support/postgres.ts";

const ROOT = join(import.meta.dir, "../..");
const MARK = "=== next command ===";

const README = await Bun.file(join(ROOT, "README.md")).text();

/** What an import says on a slow machine. */
const SAID_WHERE_SLOW = /^rollcall: [\d,]+ rows · .*\n| Writing took [\d.]+ s\.$/gm;

/** When the import of the tour runs, in the README. */
const UPDATED_AT = "2026-11-24T09:00:00.000Z";

test("every command of the tour gives what the README shows", async () => {
  const steps = consoleSteps(README);
  expect(steps.length).toBeGreaterThan(8);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "rollcall-tour-"));
  const client = `dist/${basename(folder)}.mjs`; // in the checkout, and not of git
  const asRun = (text: string) =>
    text
      .replaceAll("4010", String(port))
      .replaceAll("npx rollcall", "bin/rollcall")
      .replaceAll("away.mjs", client);
  writeFileSync(join(ROOT, client), asRun(README.match(/^```js\n(.*?)^```$/ms)![1]!));
  const script = steps.map(
    ({ command }) =>
      // A command that is left running is given the time to say its address.
      `${asRun(command)}${command.endsWith("&") ? `\nwhile ! curl -s http://127.0.0.1:${port}/healthz >/dev/null; do sleep 0.05; done` : ""}\nprintf '\\n${MARK}\\n'`,
  );
  try {
    const run = Bun.spawnSync(["bash", "-c", `exec 2>&1\n${script.join("\n")}\nkill %1; wait`], {
      cwd: ROOT,
      env: {
        ...process.env,
        PATH: PATH_WITH_CURL,
        ROLLCALL_DB: join(folder, "rollcall.db"),
        ROLLCALL_PORT: String(port),
      },
      timeout: 110_000,
    });
    const outputs = run.stdout.toString().split(`\n${MARK}\n`);
    for (const [place, step] of steps.entries()) {
      const shown = outputs[place]!.trim()
        .replaceAll(SAID_WHERE_SLOW, "")
        .replaceAll(join(folder, "rollcall.db"), "./rollcall.db")
        .replaceAll(/(?<="updatedAt":")[^"]*/g, UPDATED_AT);
      expect(`$ ${step.command}\n${shown}`).toBe(`$ ${step.command}\n${asRun(step.output)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(ROOT, client));
  }
}, 120_000);
