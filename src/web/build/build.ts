// Builds dist/client. Run by prepare.mjs.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "../../..");

/** One module for every runtime, and declarations beside it where the compiler is installed (a dev dependency). */
async function buildClient() {
  const outdir = join(root, "dist/client");
  await rm(outdir, { recursive: true, force: true });
  await Bun.build({
    entrypoints: [join(root, "src/client/index.ts")],
    outdir,
    target: "browser",
    format: "esm",
  });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return;
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", "src/client"], { cwd: root });
  if (exitCode !== 0) throw new Error(stdout.toString());
}

await buildClient();
