// Runs a command while there is an executable of Rollcall for all the test files that it runs: bun with-executable.ts COMMAND…
// It starts in a third of the CPU time that the sources take. Without it, tests start the sources.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../delivery/bundle.ts";
import { EXECUTABLE } from "./support/rollcall-path.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-executable-"));
const executable = join(folder, "rollcall");
try {
  const target = `bun-${process.platform}-${process.arch}` as Bun.Build.CompileTarget; // it is the one that runs this
  await bundle({ form: "test", to: { executable, runtime: process.execPath, target } });
  const command = Bun.spawn(process.argv.slice(2), {
    env: { ...process.env, [EXECUTABLE]: executable },
    stdio: ["inherit", "inherit", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => command.kill(signal));
  process.exitCode = await command.exited;
} finally {
  rmSync(folder, { recursive: true });
}
