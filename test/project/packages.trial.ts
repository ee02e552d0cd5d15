// Both packages from their tarballs, installed in empty folders by each package manager: the command runs, and the client loads as
// an ES module and with `require`, with its types. Needs the npm registry, which brings the package managers, too.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json";

const ROOT = join(import.meta.dir, "../..");
const MANAGERS = { pnpm: "12.21.0", "@yarnpkg/cli-dist": "4.18.1", "@arethetypeswrong/cli": "0.18.5" };

const folder = mkdtempSync(join(tmpdir(), "rollcall-packages-"));
const registry = run(["npm", "config", "get", "registry"], folder).trim();
const server = join(folder, `rollcall-${manifest.version}.tgz`);
const client = join(folder, `rollcall-client-${manifest.version}.tgz`);

beforeAll(() => {
  run(["npm", "pack", "--silent", "--pack-destination", folder], ROOT);
  run(["npm", "pack", "--silent", "--pack-destination", folder], join(ROOT, "dist/client"));
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  run(["npm", "install", "--silent", ...Object.entries(MANAGERS).map((one) => one.join("@"))], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command prints. Fails if it does. */
function run(command: readonly string[], cwd: string, environment: Record<string, string> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stdout}${stderr}`);
  return stdout.toString();
}

function tool(name: string): string {
  return join(folder, "node_modules/.bin", name);
}

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), JSON.stringify({ name, private: true }));
  writeFileSync(
    join(path, "client.mjs"),
    'import { Rollcall } from "@rollcall/client";\nconsole.log(typeof Rollcall);\n',
  );
  writeFileSync(join(path, "client.cjs"), 'console.log(typeof require("@rollcall/client").Rollcall);\n');
  writeFileSync(
    join(path, "alias.mjs"),
    'import { Rollcall } from "rollcall/client";\nconsole.log(typeof Rollcall);\n',
  );
  return path;
}

/** Runs the command and the scripts; `prefix` is how the package manager runs a program. */
function works(prefix: readonly string[], path: string, environment: Record<string, string> = {}): void {
  expect(run([...prefix, "rollcall", "--version"], path, environment)).toContain(
    `rollcall ${manifest.version}`,
  );
  for (const script of ["client.mjs", "client.cjs", "alias.mjs"])
    expect(run([...prefix, "node", script], path, environment)).toContain("function");
}

test("npm", () => {
  const path = emptyFolder("npm");
  run(["npm", "install", "--silent", server, client], path);
  run(["npm", "ci", "--silent"], path);
  works(["npm", "exec", "--"], path);
});

test("pnpm, also as CI runs it", () => {
  const path = emptyFolder("pnpm");
  const environment = { NPM_CONFIG_REGISTRY: registry };
  run([tool("pnpm"), "add", server, client], path, environment);
  run([tool("pnpm"), "install", "--frozen-lockfile"], path, { ...environment, CI: "1" });
  works([tool("pnpm"), "exec"], path, environment);
});

test.each(["node-modules", "pnp"])("Yarn with %s", (linker) => {
  const path = emptyFolder(`yarn-${linker}`);
  const environment = { YARN_NPM_REGISTRY_SERVER: registry, YARN_NODE_LINKER: linker };
  writeFileSync(join(path, "yarn.lock"), "");
  run([tool("yarn"), "add", server, client], path, environment);
  run([tool("yarn"), "install", "--immutable"], path, { ...environment, CI: "1" });
  works([tool("yarn")], path, environment);
});

test("Bun", () => {
  const path = emptyFolder("bun");
  run([process.execPath, "add", server, client], path, { NPM_CONFIG_REGISTRY: registry });
  works([], path, {
    PATH: `${join(path, "node_modules/.bin")}:${process.env.PATH}`,
  });
});

test("the client's types, in every way in which a compiler resolves a module", () => {
  expect(run([tool("attw"), client, "--format", "ascii"], folder)).toContain("No problems found");
});

test("the client brings no Bun", () => {
  const path = emptyFolder("client-alone");
  run(["npm", "install", "--silent", client], path);
  expect(run(["du", "-sk", "node_modules"], path)).toMatch(/^\d{1,3}\t/);
});
