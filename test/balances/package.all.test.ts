// The package @rollcall/balances as users have it: in Node, as an ES module and with require, with its types, and as its page says.
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { factsOf as engineFacts, DEFAULT_RULES as OWN_DEFAULTS } from "../../src/balances/index.ts";
import type { PolicyRules } from "../../src/balances/rules.ts";
import { DEFAULT_RULES, type Rules } from "../../src/resources/policies.ts";
import { temporaryFolder } from "../support/import-files.ts";

const ROOT = join(import.meta.dir, "../..");
const page = readFileSync(join(ROOT, "docs/balances-package.md"), "utf8");
const [sample] = /(?<=```ts\n).*?(?=```)/s.exec(page)!;

/** A folder in which the package is installed. */
function project(): string {
  const folder = temporaryFolder();
  const installed = join(folder, "node_modules/@rollcall/balances");
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, "dist/balances"), installed, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  return folder;
}

function ran(folder: string, ...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  return stdout.toString();
}

const PRINTED = `console.log(balance(facts, window).available);
for (const { date, kind, minutes } of explain(facts, window)) console.log(\`\${formatDay(date)} \${kind} \${minutes}\`);
`;
const GIVEN =
  "12000\n2025-01-01 accrual 9600\n2025-06-02 used -2400\n2026-01-01 forfeit -4800\n2026-01-01 accrual 9600\n";

test("the examples of the page give the results that it shows, as an ES module and with require", () => {
  const folder = project();
  writeFileSync(join(folder, "sample.mjs"), sample + PRINTED);
  expect(ran(folder, "node", "sample.mjs")).toBe(GIVEN);
  const required = sample.replace(/^import (\{.*?\}) from (".*?");/m, "const $1 = require($2);");
  writeFileSync(join(folder, "sample.cjs"), required + PRINTED);
  expect(ran(folder, "node", "sample.cjs")).toBe(GIVEN);
  for (const [, comment] of sample.matchAll(/; \/\/ (\d+)/g)) expect(GIVEN).toStartWith(`${comment}\n`);
});

test("the package has every function of the page, with fitting types", () => {
  const folder = project();
  const names = [...page.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(6);
  const wrong = `// @ts-expect-error: a rule that there is not
factsOf({ policy: { schedule: "yearly", rules: { carryOver: 1 } }, assignment: { assignedOn: 0 } });
`;
  writeFileSync(
    join(folder, "sample.ts"),
    `${sample}\nimport { ${names.filter((name) => !["balance", "explain", "factsOf"].includes(name)).join(", ")} } from "@rollcall/balances";
export const all = [${names.join(", ")}];\n${wrong}`,
  );
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])
    ran(
      folder,
      "node",
      join(ROOT, "node_modules/typescript/bin/tsc"),
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      module!,
      "--moduleResolution",
      resolution!,
      "sample.ts",
    );
});

test("rules and their defaults are those of policies", () => {
  const same: Same<Readonly<Rules>, PolicyRules> = true;
  expect(same).toBe(true);
  expect(OWN_DEFAULTS).toEqual(DEFAULT_RULES);
  expect(
    engineFacts({ policy: { schedule: "unlimited" }, assignment: { assignedOn: 0 } }).policy.isUnlimited,
  ).toBe(true);
});

type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Same<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? Mutual<A, B> : false;

test("the package says what it is, and brings nothing else", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "dist/balances/package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "@rollcall/balances", sideEffects: false });
  expect(manifest.dependencies).toBeUndefined();
  expect(readFileSync(join(ROOT, "dist/balances/index.js"), "utf8")).not.toMatch(/^import /m);
});
