// Nothing of the folder that the command is run in is executed or obeyed, whoever wrote what is in it.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHECKOUT } from "../support/rollcall-path.ts";
import { inFolder, rollcall, whileServing } from "./command.ts";

const PROOF = "executed";
const PACKAGES = ["commander", "ms", "pg", "pg-native", "pino", "prom-client", "zod"];

/** Each file that Bun would execute or obey by itself, and modules under the names of packages that the command uses. */
function plant(folder: string): string {
  const proof = join(folder, PROOF);
  const script = `require("node:fs").writeFileSync(${JSON.stringify(proof)}, "");`;
  const paths = Object.fromEntries(PACKAGES.map((name) => [name, ["./planted.ts"]]));
  const files = {
    "planted.ts": script,
    "bunfig.toml": 'preload = ["./planted.ts"]\n[run]\nbun = true\n',
    "tsconfig.json": JSON.stringify({ compilerOptions: { paths } }),
    "jsconfig.json": JSON.stringify({ compilerOptions: { paths } }),
    "package.json": JSON.stringify({
      name: "planted",
      type: "commonjs",
      scripts: { rollcall: "./planted.ts" },
    }),
    ".env": "ROLLCALL_DB=planted.db\nROLLCALL_JSON=1\nBUN_OPTIONS=--preload=./planted.ts\n",
    ".env.local": "ROLLCALL_DB=planted.db\n",
    ".env.production": "ROLLCALL_DB=planted.db\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const name of PACKAGES) {
    const at = join(folder, "node_modules", name, "index.js");
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, script);
  }
  return proof;
}

test("commands, a server and its child processes execute and obey nothing of a foreign folder", async () => {
  await inFolder(async (folder) => {
    const proof = plant(folder);
    const created = await rollcall(folder, ["companies", "create", "acme"], {}, CHECKOUT);
    expect(created).toMatchObject({ exitCode: 0, stderr: "" });
    expect(created.stdout).toStartWith("Created company acme.");
    expect([existsSync(join(folder, "rollcall.db")), existsSync(join(folder, "planted.db"))]).toEqual([
      true,
      false,
    ]);
    const serve = ["serve", "--port", String(20_000 + (process.pid % 20_000)), "--processes", "2"];
    const isReady = async (address: string) => expect((await fetch(`${address}/readyz`)).status).toBe(200);
    await whileServing(folder, serve, isReady, { program: CHECKOUT });
    expect(existsSync(proof)).toBe(false);
  });
});

test("a link to the command in such a folder, and CDPATH, change nothing", async () => {
  await inFolder(async (folder) => {
    const proof = plant(folder);
    symlinkSync(join(import.meta.dir, "../../bin"), join(folder, "bin"));
    const child = Bun.spawn(["sh", "bin/rollcall", "--help"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", CDPATH: "/" },
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).text()).toContain("Usage: rollcall");
    expect(await child.exited).toBe(0);
    expect(existsSync(proof)).toBe(false);
  });
});
