// Bundles the command, for the npm package and for every executable.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Build, sourcesDigest } from "../src/cli/program.ts";

export const ROOT = join(import.meta.dir, "..");

const ENTRY = "src/cli/main.ts";

/** Optional packages of a dependency, which are not installed. */
const ABSENT = ["pg-native", "pg-cloudflare"];

export interface BundleOptions {
  /** See `Build.form`. */
  readonly form: string;
  /** Makes a bundle in a folder, or an executable from the Bun at the path `runtime`. */
  readonly to:
    | { readonly outdir: string }
    | { readonly executable: string; readonly runtime: string; readonly target: Bun.Build.CompileTarget };
}

/**
 * Bundles the command. If the checkout's root is the current folder, the same commit gives the same bytes wherever the checkout is. Throws
 * an Error with the reason of a failure.
 */
export async function bundle({ form, to }: BundleOptions): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, ENTRY)],
    root: ROOT,
    target: "bun",
    format: "esm",
    minify: { whitespace: true, syntax: true, identifiers: false },
    naming: { entry: "[name].[ext]", asset: "[name]-[hash].[ext]" },
    external: ABSENT,
    plugins: [embedPage, embedPassport, withoutFolderNames],
    define: {
      ROLLCALL_BUILD: JSON.stringify(buildOf(form)),
      ROLLCALL_SOURCES: JSON.stringify(sourcesDigest(ROOT)),
      "process.env.NODE_ENV": '"production"',
    },
    ...("outdir" in to
      ? { outdir: to.outdir, splitting: true } // a command loads only its own parts
      : {
          compile: {
            target: to.target,
            outfile: to.executable,
            executablePath: to.runtime,
            autoloadDotenv: false,
            autoloadBunfig: false,
            autoloadTsconfig: false,
            autoloadPackageJson: false,
          },
          bytecode: true,
        }),
  });
  if (!result.success) throw new Error(result.logs.map(String).join("\n"));
}

/** The commit that is built. Throws an Error outside a git checkout. */
export function buildOf(form: string): Build {
  const { stdout, status } = spawnSync("git", ["-C", ROOT, "log", "-1", "--format=%H %cs"], {
    encoding: "utf8",
  });
  const [commit, date] = stdout.trim().split(" ");
  if (status !== 0 || commit === undefined || date === undefined)
    throw new Error("git does not say which commit this is: build from a checkout with its history");
  const isChanged =
    spawnSync("git", ["-C", ROOT, "status", "--porcelain"], { encoding: "utf8" }).stdout !== "";
  return { commit: isChanged ? `${commit}+changes` : commit, date, form };
}

/** Embeds the built page. In the bundle, `pageFiles()` returns its embedded files. */
const embedPage: Bun.BunPlugin = {
  name: "embed-page",
  setup(build) {
    build.onLoad({ filter: /src[\\/]http[\\/]public[\\/]page-files\.ts$/ }, () => {
      const names = readdirSync(join(ROOT, "dist/web")).toSorted();
      const imports = names.map(
        (name, index) =>
          `import file${index} from ${JSON.stringify(join(ROOT, "dist/web", name))} with { type: "file" };`,
      );
      const entries = names.map((name, index) => `[${JSON.stringify(name)}, file${index}]`);
      const contents = `${imports.join("\n")}\nconst FILES = new Map([${entries.join(", ")}]);\nexport const pageFiles = () => FILES;\n`;
      return { contents, loader: "js" };
    });
  },
};

/** Puts the built script of passports into the bundle, as text. */
const embedPassport: Bun.BunPlugin = {
  name: "embed-passport",
  setup(build) {
    build.onLoad({ filter: /src[\\/]passport[\\/]script-file\.ts$/ }, () => {
      const path = JSON.stringify(join(ROOT, "dist/passport/page.js"));
      const contents = `import text from ${path} with { type: "text" };\nexport const passportScript = () => text;\n`;
      return { contents, loader: "js" };
    });
  },
};

/** Packages in CommonJS may use `__dirname`. The bundler would write the path of this checkout in its place. */
const withoutFolderNames: Bun.BunPlugin = {
  name: "without-folder-names",
  setup(build) {
    build.onLoad({ filter: /node_modules[\\/](?:pino|thread-stream)[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replaceAll(/\b__(?:dirname|filename)\b/g, '"."'),
      loader: "js",
    }));
  },
};
