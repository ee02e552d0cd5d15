// npm run sbom: lists everything that is shipped in a CycloneDX document: the bundled packages, and Bun with its parts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json";
import lock from "../package-lock.json";
import { buildOf, ROOT } from "./bundle.ts";
import { shippedPackages } from "./notices.ts";

interface Component {
  readonly type: "application" | "library";
  readonly "bom-ref"?: string;
  readonly name: string;
  readonly version?: string;
  readonly licenses: readonly object[];
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: "SHA-512"; readonly content: string }[];
  readonly externalReferences?: readonly { readonly type: "website"; readonly url: string }[];
  readonly components?: readonly Component[];
}

/** Writes `dist/rollcall-<version>.cdx.json` and returns its path. The same commit gives the same document. */
export function writeSbom(path = join(ROOT, `dist/rollcall-${manifest.version}.cdx.json`)): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(sbom(), null, 2)}\n`);
  return path;
}

/** See https://cyclonedx.org/docs/1.6/json/. */
export function sbom() {
  const { commit, date } = buildOf("sbom");
  const main = {
    ...npmComponent("rollcall", manifest.version, manifest.license),
    type: "application" as const,
  };
  const packages = shippedPackages().map(({ name, version, licence, path }) =>
    npmComponent(name, version, licence, integrityOf(path)),
  );
  const components = [bunComponent(), ...packages];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: `${date}T00:00:00Z`,
      component: { ...main, properties: [{ name: "rollcall:commit", value: commit }] },
    },
    components,
    dependencies: [
      { ref: main["bom-ref"], dependsOn: [...new Set(components.map((component) => component["bom-ref"]))] },
    ],
  };
}

function npmComponent(name: string, version: string, licence: string, integrity?: string) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library" as const,
    "bom-ref": purl,
    name,
    version,
    licenses: [/ |\(/.test(licence) ? { expression: licence } : { license: { id: licence } }],
    purl,
    ...(integrity === undefined
      ? {}
      : {
          hashes: [
            {
              alg: "SHA-512" as const,
              content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex"),
            },
          ],
        }),
  };
}

function integrityOf(path: string): string | undefined {
  const packages: Readonly<Record<string, { readonly integrity?: string }>> = lock.packages as never; // npm's format
  return packages[path]?.integrity;
}

/** Bun with the libraries of delivery/licences/bun.txt, each line with a name, licences and address. */
function bunComponent(): Component {
  const text = readFileSync(join(import.meta.dir, "licences/bun.txt"), "utf8");
  const listed = [...text.matchAll(/^ {2}(\S.*?) {2,}(\S.*?) {2,}(https:\S+)$/gm)].map(
    ([, name, licence, url]): Component => ({
      type: "library",
      name: name!,
      licenses: [{ license: { name: licence! } }],
      externalReferences: [{ type: "website", url: url! }],
    }),
  );
  const linked: readonly Component[] = [
    { type: "library", name: "JavaScriptCore", licenses: [{ license: { id: "LGPL-2.0-only" } }] },
    { type: "library", name: "TinyCC", licenses: [{ license: { id: "LGPL-2.1-only" } }] },
  ];
  const version = manifest.devDependencies.bun;
  return {
    ...npmComponent("bun", version, "MIT", integrityOf("node_modules/bun")),
    type: "application",
    components: [...linked, ...listed],
  };
}

if (import.meta.main) console.log(writeSbom());
