// What `npm ci` runs at its end: builds the client and the page into dist/, with the Bun that npm has just brought.
// Plain JavaScript for Node, because the `bun` command is a placeholder until its install script has run.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

function findBun() {
  for (const modules of [join(root, "node_modules"), join(root, "..")]) {
    const scope = join(modules, "@oven");
    const platforms = existsSync(scope) ? readdirSync(scope).filter((name) => name.startsWith("bun-")) : [];
    const places = [
      ...platforms.map((name) => join(scope, name, "bin/bun")),
      join(modules, "bun/bin/bun.exe"),
    ];
    const bun = places.find((place) => existsSync(place));
    if (bun !== undefined) return bun;
  }
  return spawnSync("bun", ["--version"]).status === 0 ? "bun" : null;
}

const bun = findBun();
if (bun === null) {
  console.warn(
    "rollcall: Bun is not installed, so the page and the client are not built. `npm run prepare` builds them.",
  );
} else {
  process.exitCode =
    spawnSync(bun, [join(root, "src/web/build/build.ts")], { cwd: root, stdio: "inherit" }).status ?? 1;
}
