// npm run build [-- --target=NAME,… | --target=all]: the one executable, for this machine or for others.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle, ROOT } from "./bundle.ts";
import { ownTarget, runtimeOf, TARGETS, type Target } from "./runtimes.ts";

/** Makes the executable for a target and returns its path. */
export async function buildExecutable(target: Target, path: string, form = "executable"): Promise<string> {
  mkdirSync(join(path, ".."), { recursive: true });
  await bundle({
    form: `${form} for ${target.name}`,
    to: { executable: path, runtime: runtimeOf(target), target: target.compileTarget },
  });
  chmodSync(path, 0o755);
  return path;
}

/** Raises an Error that names the known targets. */
export function targetsNamed(text: string): readonly Target[] {
  if (text === "all") return TARGETS;
  return text.split(",").map((name) => {
    const target = TARGETS.find((known) => known.name === name);
    if (target === undefined)
      throw new Error(
        `--target: "${name}" is not one of ${TARGETS.map((target) => target.name).join(", ")}, all`,
      );
    return target;
  });
}

export function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: "string" } } });
  try {
    const targets = values.target === undefined ? null : targetsNamed(values.target);
    for (const target of targets ?? [ownTarget()]) {
      const folder = targets === null ? "dist" : `dist/${target.name}`;
      const path = await buildExecutable(target, join(ROOT, folder, target.fileName));
      console.log(`${sha256(path)}  ${folder}/${target.fileName}`);
    }
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
