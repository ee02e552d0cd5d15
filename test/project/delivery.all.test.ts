// What is delivered: its man pages, its SBOM, its notices and its package, from the same definitions as everything else.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { IMAGE_NAMES } from "../../delivery/image/image.ts";
import { manPage } from "../../delivery/man.ts";
import { shippedPackages } from "../../delivery/notices.ts";
import { attest } from "../../delivery/release.ts";
import { TARGETS } from "../../delivery/runtimes.ts";
import { sbom } from "../../delivery/sbom.ts";
import manifest from "../../package.json";
import lock from "../../package-lock.json";
import { rollcallCommand } from "../../src/cli/commands.ts";

const ROOT = join(import.meta.dir, "../..");

test("every command has a man page with its options and their variables, which npm installs", async () => {
  const pages: string[] = [];
  const visit = (command: Command, path: readonly string[]) => {
    pages.push(`dist/man/${path.join("-")}.1`);
    const page = manPage(command, path, "2026-03-01");
    expect(page).toStartWith(
      `.TH ${path.join("-").toUpperCase()} 1 2026-03-01 "Rollcall ${manifest.version}"`,
    );
    for (const { long, envVar, hidden } of command.options) {
      if (hidden) continue;
      expect(page).toContain(long!.replaceAll("-", "\\-"));
      if (envVar !== undefined) expect(page).toContain(`Environment: ${envVar}.`);
    }
    for (const child of command.commands) visit(child, [...path, child.name()]);
  };
  visit(await rollcallCommand(), ["rollcall"]);
  expect(manifest.man.toSorted()).toEqual(pages.toSorted());
});

test("the SBOM names every bundled package with its digest, and Bun with what it is made of", () => {
  const { components, specVersion } = sbom();
  expect(specVersion).toBe("1.6");
  const names = components.map(({ name }) => name);
  expect(names).toEqual(["bun", ...shippedPackages().map(({ name }) => name)]);
  const [bun, ...packages] = components;
  expect(bun).toMatchObject({
    version: manifest.devDependencies.bun,
    purl: `pkg:npm/bun@${manifest.devDependencies.bun}`,
  });
  const linked = (bun as { components: readonly { name: string }[] }).components.map(({ name }) => name); // Bun's own
  expect(linked).toEqual(expect.arrayContaining(["JavaScriptCore", "BoringSSL", "SQLite", "zstd"]));
  for (const one of packages) expect(one.hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
});

test("the lock file has the Bun of every target, with its digest", () => {
  const packages: Readonly<Record<string, { readonly integrity?: string }>> = lock.packages as never; // as npm writes it
  for (const { runtime } of TARGETS)
    expect(packages[`node_modules/${runtime}`]?.integrity).toStartWith("sha512-");
});

test("the npm package has no sources, no tests and no keys", () => {
  const packed = Bun.spawnSync(["npm", "pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: ROOT });
  const [{ files }] = JSON.parse(packed.stdout.toString()) as [{ files: { path: string }[] }]; // npm's report
  const others = files.filter(
    ({ path }) => !/^(bin\/|dist\/|package\.json$|README\.md$|LICENSE$)/.test(path),
  );
  expect(others).toEqual([]);
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(["bin/rollcall", "bin/rollcall.js"]));
});

test("the image that was loaded has the name under which the documents start it", async () => {
  const document = await Bun.file(join(ROOT, "docs/forms.md")).text();
  const name = `rollcall:${manifest.version}`;
  expect(IMAGE_NAMES["io.containerd.image.name"]).toBe(`docker.io/library/${name}`);
  const started = document.match(/^podman run .*$/gm);
  expect(started).toHaveLength(4);
  for (const line of started!) expect(line).toMatch(new RegExp(`-v rollcall:/data ${name}( |$)`));
});

test("each file of a release can be checked: its digest is in its provenance", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-release-"));
  try {
    writeFileSync(join(folder, "one.tar.gz"), "bytes");
    attest(folder, null);
    const statement = await Bun.file(join(folder, "one.tar.gz.provenance.json")).json();
    const sha256 = new Bun.CryptoHasher("sha256").update("bytes").digest("hex");
    expect(statement.subject).toEqual([{ name: "one.tar.gz", digest: { sha256 } }]);
    expect(statement.predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit).toMatch(
      /^[0-9a-f]{40}/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the registry of MCP servers is told of this version, and of a command that exists", async () => {
  const { name, version, packages } = await Bun.file(join(ROOT, "server.json")).json();
  expect(manifest.mcpName).toBe(name); // by which the registry of MCP knows whose package it is
  expect(version).toBe(manifest.version);
  expect(packages[0]).toMatchObject({
    identifier: manifest.name,
    version: manifest.version,
    packageArguments: [{ value: "mcp" }],
  });
});
