// Builds dist/client, dist/balances, dist/web and dist/passport. Run by prepare.mjs.
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { parsed } from "../texts/texts.ts";
import { clientTypes } from "./client-types.ts";

const FONTS = [
  import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  import.meta.resolve("@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2"),
  import.meta.resolve("@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2"),
].map((url) => fileURLToPath(url));

const root = join(import.meta.dir, "../../..");

interface Package {
  /** A folder of src, and of dist. */
  readonly name: "client" | "balances";
  readonly description: string;
  /** Where declarations lie, below dist: a package that imports another folder of src has theirs, too. */
  readonly types: string;
}

const PACKAGES: readonly Package[] = [
  {
    name: "client",
    description: "Typed client of Rollcall: a company's workers and their time off",
    types: "./index.d.ts",
  },
  {
    name: "balances",
    description: "The balance engine of Rollcall: accruals and balances of time off, from facts and days",
    types: "./balances/index.d.ts",
  },
];

/** A package of its own: ES and CommonJS modules, with declarations where the compiler is installed. */
async function buildPackage(one: Package) {
  const outdir = join(root, "dist", one.name);
  const source = join(root, "src", one.name);
  const commonJs = join(outdir, "cjs");
  await rm(outdir, { recursive: true, force: true });
  const build = (format: "esm" | "cjs", to: string) =>
    Bun.build({
      entrypoints: [join(source, "index.ts")],
      outdir: to,
      target: format === "esm" ? "browser" : "node",
      format,
    });
  await Promise.all([build("esm", outdir), build("cjs", commonJs)]);
  await Promise.all([
    Bun.write(join(outdir, "package.json"), JSON.stringify(await manifestOf(one), null, 2)),
    Bun.write(join(commonJs, "package.json"), JSON.stringify({ type: "commonjs" })),
    cp(join(source, "README.md"), join(outdir, "README.md")),
    cp(join(root, "LICENSE"), join(outdir, "LICENSE")),
  ]);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return;
  const project = one.name === "client" ? await standalone(source) : source;
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", project], { cwd: root });
  if (project !== source) await rm(project, { recursive: true });
  if (exitCode !== 0) throw new Error(stdout.toString());
  for await (const name of new Bun.Glob("**/*.d.ts").scan(outdir)) {
    const declarations = await Bun.file(join(outdir, name)).text();
    // A caller's compiler looks for a declaration by the name of its JavaScript.
    const published = declarations.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"');
    await Promise.all([outdir, commonJs].map((folder) => Bun.write(join(folder, name), published)));
  }
}

/** A copy of the client in which the API's objects are written out. */
async function standalone(source: string): Promise<string> {
  const copy = join(root, "dist/client-source");
  await cp(source, copy, { recursive: true });
  await Bun.write(join(copy, "objects.ts"), clientTypes());
  return copy;
}

/** What npm reads of a package: its version and licence are those of the server's. */
async function manifestOf({ name, description, types }: Package) {
  const { version, license } = await Bun.file(join(root, "package.json")).json();
  return {
    name: `@rollcall/${name}`,
    version,
    description,
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    main: "./cjs/index.js",
    module: "./index.js",
    types,
    exports: {
      ".": {
        import: { types, default: "./index.js" },
        require: { types: types.replace("./", "./cjs/"), default: "./cjs/index.js" },
      },
    },
  };
}

/** Leaves out the parser of messages (5 kB gzip): they are parsed ahead. */
const WITHOUT_PARSER: BunPlugin = {
  name: "without parser",
  setup: (build) => {
    const contents = 'export * from "./no-parser.js";';
    build.onLoad({ filter: /icu-messageformat-parser[\\/]index\.js$/ }, () => ({ contents, loader: "js" }));
  },
};

/** Leaves out what gives `useSyncExternalStore` to versions of React that lack it. */
const WITHOUT_SHIM: BunPlugin = {
  name: "without shim",
  setup: (build) => {
    const contents = 'export { useSyncExternalStore } from "react";';
    build.onLoad({ filter: /use-sync-external-store[\\/]shim[\\/]index\.js$/ }, () => ({
      contents,
      loader: "js",
    }));
  },
};

/** Parses the texts that a script needs. */
const withTexts = (isNeeded: (key: string) => boolean): BunPlugin => ({
  name: "with texts",
  setup: (build) =>
    void build.onLoad({ filter: /web[\\/]texts[\\/]\w+\.json$/ }, async ({ path }) => {
      const texts = Object.entries<string>(await Bun.file(path).json()).filter(([key]) => isNeeded(key));
      return { contents: JSON.stringify(parsed(Object.fromEntries(texts))), loader: "json" };
    }),
});

/** The page: one script and one style sheet, named by their content so that browsers can cache them. */
async function buildPage() {
  const outdir = join(root, "dist/web");
  await rm(outdir, { recursive: true, force: true });
  await Bun.build({
    entrypoints: [join(root, "src/web/index.html"), join(root, "src/web/static.ts")],
    outdir,
    target: "browser",
    format: "esm",
    minify: true,
    plugins: [WITHOUT_PARSER, WITHOUT_SHIM, withTexts((key) => !key.startsWith("file."))],
    splitting: true, // rarely used parts are loaded when needed
    external: ["/web/*"], // the fonts, which the bundler would put into the style sheet: the page's policy forbids that
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
  // Scripts name each other relatively, so that they are found below a proxy's path. The document is at every view's path.
  const document = Bun.file(join(outdir, "index.html"));
  await Bun.write(document, (await document.text()).replaceAll('="./', '="/web/'));
  for (const font of FONTS) await cp(font, join(outdir, basename(font)));
}

/** The script of passports: the balance engine and what shows it, in one file. */
async function buildPassport() {
  await Bun.build({
    entrypoints: [join(root, "src/passport/page.ts")],
    outdir: join(root, "dist/passport"),
    target: "browser",
    format: "iife",
    minify: true,
    plugins: [WITHOUT_PARSER, withTexts(() => false)], // a passport has its texts beside its script,
  });
}

await Promise.all([...PACKAGES.map(buildPackage), buildPage(), buildPassport()]);
