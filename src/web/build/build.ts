// Builds dist/client and dist/web. Run by prepare.mjs.
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const FONTS = [
  import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  import.meta.resolve("@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2"),
  import.meta.resolve("@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2"),
].map((url) => fileURLToPath(url));

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

/** The page: one script and one style sheet, named by their content so that browsers can cache them. */
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
    external: ["/web/*"], // the fonts, which the bundler would put into the style sheet: the page's policy forbids that
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
  for (const font of FONTS) await cp(font, join(outdir, basename(font)));
}

await Promise.all([buildClient(), buildPage()]);
