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
  /** The path of the package's declarations. If it imports another folder of src, each folder has its own below. */
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

/** Builds a package: ES and CommonJS modules, and declarations if the compiler is installed. */
async function buildPackage(pkg: Package) {
  const outdir = join(root, "dist", pkg.name);
  const source = join(root, "src", pkg.name);
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
    Bun.write(join(outdir, "package.json"), JSON.stringify(await manifestOf(pkg), null, 2)),
    Bun.write(join(commonJs, "package.json"), JSON.stringify({ type: "commonjs" })),
    cp(join(source, "README.md"), join(outdir, "README.md")),
    cp(join(root, "LICENSE"), join(outdir, "LICENSE")),
  ]);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return;
  const project = pkg.name === "client" ? await standalone(source) : source;
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", project], { cwd: root });
  if (project !== source) await rm(project, { recursive: true });
  if (exitCode !== 0) throw new Error(stdout.toString());
  for await (const name of new Bun.Glob("**/*.d.ts").scan(outdir)) {
    const declarations = await Bun.file(join(outdir, name)).text();
    // TypeScript finds a declaration by the name of the JavaScript file.
    const published = declarations.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"');
    await Promise.all([outdir, commonJs].map((folder) => Bun.write(join(folder, name), published)));
  }
}

/** Copies the client's source, with the types of API objects written out. Returns the copy's path. */
async function standalone(source: string): Promise<string> {
  const copy = join(root, "dist/client-source");
  await cp(source, copy, { recursive: true });
  await Bun.write(join(copy, "objects.ts"), clientTypes());
  return copy;
}

/** The package.json of a package, with the version and licence of the server. */
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

/** A plugin that replaces the contents of a package's file. */
const instead = (name: string, file: RegExp, contents: string): BunPlugin => ({
  name,
  setup: (build) => void build.onLoad({ filter: file }, () => ({ contents, loader: "js" })),
});

/** Leaves out the parser of messages (5 kB gzip): the build parses them. */
const WITHOUT_PARSER = instead(
  "without parser",
  /icu-messageformat-parser[\\/]index\.js$/,
  'export * from "./no-parser.js";',
);

/** Leaves out the shim of `useSyncExternalStore`, which React itself has. */
const WITHOUT_SHIM = instead(
  "without shim",
  /use-sync-external-store[\\/]shim[\\/]index\.js$/,
  'export { useSyncExternalStore } from "react";',
);

/** Compresses workbooks without web workers (1 kB gzip). Those would run a `blob:` script, which the page's security policy forbids. */
const WITHOUT_WORKERS = instead(
  "without workers",
  /write-excel-file[\\/]modules[\\/]zip[\\/]zipToArrayBuffer\.js$/,
  'import zip from "./zipToArrayBufferSync.js"; export default async (files) => zip(files);',
);

/** Writes workbooks without images and conditional formats (2 kB gzip), which no sheet of the page has. */
const WITHOUT_IMAGES = instead(
  "without images",
  /write-excel-file[\\/]modules[\\/]xlsx[\\/]getFeatures\.js$/,
  'import sticky from "./features/stickyRowsOrColumns.js"; export default () => [sticky];',
);

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
    plugins: [
      WITHOUT_PARSER,
      WITHOUT_SHIM,
      WITHOUT_WORKERS,
      WITHOUT_IMAGES,
      withTexts((key) => !key.startsWith("file.")),
    ],
    splitting: true, // rarely used parts are loaded when needed
    external: ["/web/*"], // fonts must not be inlined, because the page's security policy forbids it
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
  // Scripts import each other by relative paths, so that a proxy may serve them at any path. The document needs absolute paths, because it
  // is served at many paths.
  const document = Bun.file(join(outdir, "index.html"));
  await Bun.write(document, (await document.text()).replaceAll('="./', '="/web/'));
  for (const font of FONTS) await cp(font, join(outdir, basename(font)));
}

/** The script of passports, in one file: the balance engine and its view. */
async function buildPassport() {
  await Bun.build({
    entrypoints: [join(root, "src/passport/page.ts")],
    outdir: join(root, "dist/passport"),
    target: "browser",
    format: "iife",
    minify: true,
    plugins: [WITHOUT_PARSER, withTexts(() => false)], // a passport has its texts beside its script
  });
}

await Promise.all([...PACKAGES.map(buildPackage), buildPage(), buildPassport()]);
