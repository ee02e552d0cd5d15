// Who may import whom: the table of docs/architecture.md, held.
import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";

const SRC = join(import.meta.dir, "../../src");

/** For each module, the modules it may import; `type:` allows types alone. Packages are not restricted here. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  time: [],
  resources: ["time"],
  balances: ["type:resources", "time"],
  store: ["resources", "time"],
  "store/sqlite": ["resources", "time", "store"],
  "store/postgres": ["resources", "time", "store"],
  generate: ["time", "csv-file"],
  import: ["resources", "time", "balances", "store", "csv-file"],
  "csv-file": [],
  http: ["resources", "time", "balances", "observe", "store"],
  client: ["type:resources"],
  web: ["client", "time"],
  settings: ["resources"],
  observe: ["resources"],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

/** The module of a file: its folder, a file of its own at the top, or an engine's folder. */
function moduleOf(file: string): string {
  const parts = file.split("/");
  if (parts[0] === "store" && (parts[1] === "sqlite" || parts[1] === "postgres")) return `store/${parts[1]}`;
  return parts[0]!.replace(/\.tsx?$/, "");
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

test("each module imports only the modules that it may", () => {
  const wrong = all.filter(({ from, to, isType }) => {
    const [module, other] = [moduleOf(from), moduleOf(to)];
    if (module === "cli" || module === other) return false;
    const allowed = MAY_IMPORT[module] ?? [];
    return !allowed.includes(other) && !(isType && allowed.includes(`type:${other}`));
  });
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test("no imports go round in a circle", () => {
  const next = new Map<string, string[]>();
  for (const { from, to, isType } of all) if (!isType) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (done.has(file) || path.includes(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  expect(circles).toEqual([]);
});
