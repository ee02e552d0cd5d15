// npm run release [-- --draft] [-- --target=NAME,…] [-- --sign=KEY]: makes everything that is published for a version, and publishes
// nothing. dist/release/<version> gets the files, checksums, the SBOM, licence notices, the changelog's section as release text, each
// file's provenance and, with --sign, its minisign signature.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import manifest from "../package.json";
import { COMPLETION_SCRIPTS } from "../src/cli/commands/completions.ts";
import { buildExecutable, sha256, targetsNamed } from "./build.ts";
import { buildOf, ROOT } from "./bundle.ts";
import { buildDebianPackage } from "./debian/debian.ts";
import { buildImage, REPRODUCIBLE } from "./image/image.ts";
import { writeManPages } from "./man.ts";
import { notices } from "./notices.ts";
import { provenanceOf } from "./provenance.ts";
import { run, TARGETS, type Target } from "./runtimes.ts";
import { writeSbom } from "./sbom.ts";

/** The changelog's section of a version. Throws an Error if there is none. */
export function changelogSection(heading: string): string {
  const text = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const section = text.split(/^## /m).find((part) => part.split(/[\s\n]/)[0] === heading);
  if (section === undefined)
    throw new Error(`CHANGELOG.md has no section "## ${heading}": write it, or add -- --draft`);
  return `## ${section.trim()}\n`;
}

async function release(targets: readonly Target[], isDraft: boolean): Promise<string> {
  const text = changelogSection(isDraft ? "Unreleased" : manifest.version);
  if (!isDraft && buildOf("").commit.endsWith("+changes"))
    throw new Error("there are uncommitted changes: commit them, or add -- --draft");
  const folder = join(ROOT, "dist/release", manifest.version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "RELEASE.md"), text);
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices());
  writeSbom(join(folder, `rollcall-${manifest.version}.cdx.json`));
  run("npm", ["pack", "--silent", "--pack-destination", folder]);
  for (const name of ["client", "balances"])
    run("npm", ["pack", "--silent", "--pack-destination", folder], join(ROOT, "dist", name));
  for (const target of targets) {
    console.log(`${target.name} …`);
    await archiveExecutable(target, folder);
    if (!/^linux-(?:x64|arm64)$/.test(target.name)) continue;
    for (const path of [await buildImage(target), await buildDebianPackage(target)])
      renameSync(path, join(folder, basename(path)));
  }
  const sums = readdirSync(folder)
    .toSorted()
    .map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return folder;
}

/** Writes the provenance of each file beside it, and signs each with the minisign key in the file `key`; null for unsigned. */
export function attest(folder: string, key: string | null): void {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  for (const path of paths)
    writeFileSync(`${path}.provenance.json`, `${JSON.stringify(provenanceOf(path), null, 2)}\n`);
  if (key === null) return;
  const comment = `Rollcall ${manifest.version}`;
  for (const path of readdirSync(folder).map((name) => join(folder, name)))
    run("minisign", ["-S", "-s", key, "-t", comment, "-m", path]);
}

/** The executable with its notices, man pages and completions, in one archive. */
async function archiveExecutable(target: Target, folder: string): Promise<void> {
  const name = `rollcall-${manifest.version}-${target.name}`;
  const parent = mkdtempSync(join(ROOT, "dist", "archive-"));
  const content = join(parent, name);
  await buildExecutable(target, join(content, target.fileName));
  copyFileSync(join(ROOT, "LICENSE"), join(content, "LICENSE"));
  writeFileSync(join(content, "THIRD-PARTY-NOTICES.txt"), notices());
  await writeManPages(join(content, "man"));
  mkdirSync(join(content, "completions"));
  for (const [shell, script] of Object.entries(COMPLETION_SCRIPTS))
    writeFileSync(join(content, "completions", `rollcall.${shell}`), `${script}\n`);
  run("chmod", ["-R", "u=rwX,go=rX", parent]);
  chmodSync(join(content, target.fileName), 0o755);
  const tar = join(parent, "archive.tar");
  run("tar", [...REPRODUCIBLE, "--owner=0", "--group=0", "-cf", tar, "-C", parent, name]);
  writeFileSync(join(folder, `${name}.tar.gz`), gzipSync(readFileSync(tar), { level: 9 }));
  rmSync(parent, { recursive: true });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      draft: { type: "boolean", default: false },
      target: { type: "string" },
      sign: { type: "string" },
    },
  });
  try {
    if (!values.draft && values.sign === undefined)
      throw new Error("a release is signed: add -- --sign=FILE with the minisign key, or -- --draft");
    const targets = values.target === undefined ? TARGETS : targetsNamed(values.target);
    const folder = await release(targets, values.draft);
    attest(folder, values.sign ?? null);
    console.log(folder);
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
