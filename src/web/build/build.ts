// Builds dist/client and dist/web. Run by prepare.mjs.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "../../..");

/** One module for every runtime, and declarations beside it where the compiler is installed (a dev dependency). */
async function buildClient() {
  const outdir = join(root, "dist/client");
  await rm(outdir, { recursive: true, force: true });
  await Bun.build({ entrypoints: [join(root, "src/client/index.ts")], outdir, target: "browser", format: "esm" });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return;
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", "src/client"], { cwd: root });
  if (exitCode !== 0) throw new Error(stdout.toString());
}

/** The page: one script and one style sheet, named by their content so that browsers can keep them. */
async function buildPage() {
  const outdir = join(root, "dist/web");
  await rm(outdir, { recursive: true, force: true });
  await Bun.build({
    entrypoints: [join(root, "src/web/index.html")],
    outdir,
    publicPath: "/web/",
    target: "browser",
    format: "esm",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
}

await Promise.all([buildClient(), buildPage()]);
