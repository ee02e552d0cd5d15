// Which module may import which: the table of docs/architecture.md is checked against the code, type imports included. And
// no two modules export a type of the same name.
// Biome finds import cycles (noImportCycles, decision 0015).
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const SRC = join(ROOT, "src");
const page = await Bun.file(join(ROOT, "docs/architecture.md")).text();

/** For each module of the table, the modules it may import; `module (types)` allows types alone. */
const mayImport = new Map<string, ReadonlySet<string> | "everything">();
for (const [, module, allowed] of page.matchAll(/^\| `src\/([^`]+)` \|[^|]*\|([^|]*)\|$/gm)) {
  const names = [...allowed!.matchAll(/`([^`]+)`( \(types\))?/g)].map(
    ([, name, types]) => `${types ? "type:" : ""}${name}`,
  );
  mayImport.set(
    module!.replace(/\.ts$/, ""),
    allowed!.trim() === "everything" ? "everything" : new Set(names),
  );
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

/** The longest entry of the table that the file lies in. */
function moduleOf(file: string): string {
  const parts = file.replace(/\.tsx?$/, "").split("/");
  for (let length = parts.length; length > 0; length--) {
    const module = parts.slice(0, length).join("/");
    if (mayImport.has(module)) return module;
  }
  throw new Error(`${file} is in no module of docs/architecture.md`);
}

async function imports(): Promise<Import[]> {
  const found: Import[] = [];
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(SRC)) {
    const text = await Bun.file(join(SRC, file)).text();
    for (const match of text.matchAll(
      /^(?:import|export)\s+(type\s)?[^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gms,
    )) {
      const target = match[2] ?? match[3]!;
      const to = relative(SRC, join(SRC, dirname(file), target));
      if (to.startsWith("../..") || !/\.tsx?$/.test(to)) continue;
      found.push({ from: file, to, isType: match[1] !== undefined });
    }
  }
  return found;
}

const all = await imports();

test("there are imports to look at", () => {
  expect(all.length).toBeGreaterThan(100);
});

test("the table has every folder and file of src", () => {
  const missing = readdirSync(SRC)
    .map((name) => name.replace(/\.ts$/, ""))
    .filter((name) => !mayImport.has(name));
  expect(missing).toEqual([]);
});

test("each module imports only the modules that it may", () => {
  const wrong = all.filter(({ from, to, isType }) => {
    const [module, other] = [moduleOf(from), moduleOf(to)];
    const allowed = mayImport.get(module)!;
    if (allowed === "everything" || module === other) return false;
    return !allowed.has(other) && !(isType && allowed.has(`type:${other}`));
  });
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

/** Paths are written from the root of the repository, or from `src`. */
test("every path that docs/architecture.md names exists", () => {
  const missing = [...page.matchAll(/`((?:src|test|docs|[a-z]+)\/[\w/.-]+)`/g)]
    .map(([, path]) => path!)
    .filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(SRC, path)));
  expect(missing).toEqual([]);
});

/** The page, the client and the made-up company are other programs, with types of their own. */
const OTHER_PROGRAMS = /^(web|client|generate)\//;

test("an exported type has one meaning: no two modules declare one of the same name", async () => {
  const files = new Map<string, string[]>();
  for await (const file of new Bun.Glob("**/*.ts").scan(SRC)) {
    if (OTHER_PROGRAMS.test(file)) continue;
    const text = await Bun.file(join(SRC, file)).text();
    for (const [, name] of text.matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm))
      files.set(name!, [...(files.get(name!) ?? []), file]);
  }
  expect(Object.fromEntries([...files].filter(([, declaring]) => declaring.length > 1))).toEqual({});
});
