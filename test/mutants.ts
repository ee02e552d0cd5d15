// What the tests of a module do not see: `npm run mutants -- src/balances [--faults 20] [--seed 1] [--tests test/balances]`. Each time, one
// fault is put into a copy of the last commit, and the tests of the module run on it, the slow ones last. Faults that no test notices are printed: some change
// nothing, each other one is a promise without a test.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseSync, Visitor } from "oxc-parser";

interface Fault {
  readonly file: string;
  /** Where in the file's text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" },
  ...{ "+": "-", "-": "+", "*": "+", "/": "*", "&&": "||", "||": "&&", "??": "&&" },
};

/** Every single fault that can be put into a file. */
function faultsOf(file: string, text: string): Fault[] {
  const faults: Fault[] = [];
  const add = (start: number, end: number, replaced: string) =>
    faults.push({ file, start, end, text: replaced });
  interface Node {
    readonly start: number;
    readonly end: number;
  }
  const operator = (node: { readonly left: Node; readonly right: Node; readonly operator: string }) => {
    const other = OTHER_OPERATOR[node.operator];
    const start = text.indexOf(node.operator, node.left.end);
    if (other !== undefined && start < node.right.start) add(start, start + node.operator.length, other);
  };
  new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    UnaryExpression({ operator: sign, start, argument }) {
      if (sign === "!" || sign === "-") add(start, argument.start, "");
    },
    ConditionalExpression({ test }) {
      add(test.start, test.end, "true");
      add(test.start, test.end, "false");
    },
    IfStatement({ test }) {
      add(test.start, test.end, "true");
      add(test.start, test.end, "false");
    },
    Literal({ value, start, end }) {
      if (typeof value === "number") add(start, end, String(value + 1));
      if (typeof value === "boolean") add(start, end, String(!value));
    },
    ExpressionStatement({ start, end, expression }) {
      if (expression.type !== "Literal") add(start, end, ";");
    },
    ReturnStatement({ argument }) {
      if (argument !== null) add(argument.start, argument.end, "undefined as never");
    },
  }).visit(parseSync(file, text).program);
  return faults;
}

/** Numbers below one that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    faults: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", multiple: true },
  },
});
const [module] = positionals;
if (module === undefined) throw new Error("name a module or a file: npm run mutants -- src/balances");
const tests = options.tests ?? [module.replace(/^src\//, "test/").replace(/\.tsx?$/, ".test.ts")];
for (const path of [module, ...tests])
  if (!existsSync(path)) throw new Error(`${path} is not there: name the tests with --tests`);

const copy = mkdtempSync(join(tmpdir(), "rollcall-mutants-"));
const git = (...args: string[]) => Bun.spawnSync(["git", ...args]).stdout.toString();
git("worktree", "add", "--detach", join(copy, "rollcall"));
const root = join(copy, "rollcall");
symlinkSync(join(process.cwd(), "node_modules"), join(root, "node_modules"));

function removeCopy(): void {
  git("worktree", "remove", "--force", root);
  rmSync(copy, { recursive: true, force: true });
}

/** The leader of the group of the tests that run, to which the servers that they start belong. */
let testsPid: number | null = null;

/** Ends what the tests started and did not end. */
function endTests(): void {
  if (testsPid === null) return;
  try {
    process.kill(-testsPid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // nothing is left
  }
  testsPid = null;
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    endTests();
    removeCopy();
    process.exit(1);
  });

/** What the page and the packages are built of. */
const IS_BUILT = /^src\/(web|client|balances|passport|resources|time)(\/|$)|^src\/[^/]*\.ts$/;

/** Builds the page and the packages, which tests use as they are built. Whether it could. */
const build = () =>
  Bun.spawnSync(["bun", "src/web/build/build.ts"], { cwd: root, stdout: "ignore", stderr: "ignore" }).success;

/** Whether the quick or the slow tests pass. Those that take longer than `timeoutMs` do not. */
async function pass(which: "quick" | "slow", timeoutMs?: number): Promise<boolean> {
  const args = [
    "bun",
    "test",
    "--bail",
    "--timeout",
    "120000",
    "--pass-with-no-tests",
    `--path-ignore-patterns=${which === "quick" ? "**/*.all.test.ts" : "**/!(*.all).test.ts"}`,
  ];
  const running = Bun.spawn([...args, ...tests.map((path) => `./${path}`)], {
    cwd: root,
    stdout: "ignore",
    stderr: "ignore",
    detached: true, // in a group of their own
  });
  testsPid = running.pid;
  const timer = timeoutMs === undefined ? undefined : setTimeout(endTests, timeoutMs);
  const exitCode = await running.exited;
  clearTimeout(timer);
  endTests();
  return exitCode === 0;
}

try {
  /** Five times as long as the tests take without a fault. */
  const limitsMs = { quick: 0, slow: 0 };
  if (!build()) throw new Error("the page cannot be built");
  for (const which of ["quick", "slow"] as const) {
    const startedAtMs = performance.now();
    if (!(await pass(which))) throw new Error(`${tests.join(", ")} fail without a fault`);
    limitsMs[which] = 5 * (performance.now() - startedAtMs);
  }
  const files = git("ls-files", module)
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file));
  const all = files.flatMap((file) => faultsOf(file, readFileSync(join(root, file), "utf8")));
  const isBuilt = files.some((file) => IS_BUILT.test(file));
  const random = randomOf(Number(options.seed));
  const count = Math.min(Number(options.faults), all.length);
  let unnoticed = 0;
  for (let tried = 0; tried < count; tried++) {
    const [{ file, start, end, text }] = all.splice(Math.floor(random() * all.length), 1) as [Fault];
    const path = join(root, file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.slice(0, start) + text + before.slice(end));
    if (
      (!isBuilt || build()) &&
      (await pass("quick", limitsMs.quick)) &&
      (await pass("slow", limitsMs.slow))
    ) {
      unnoticed++;
      const line = before.slice(0, start).split("\n").length;
      console.log(`${file}:${line}: ${JSON.stringify(before.slice(start, end))} → ${JSON.stringify(text)}`);
      console.log(`  ${before.split("\n")[line - 1]!.trim()}`);
    }
    writeFileSync(path, before);
  }
  console.log(`${count - unnoticed} of ${count} faults were noticed (${all.length + count} are possible)`);
} finally {
  removeCopy();
}
