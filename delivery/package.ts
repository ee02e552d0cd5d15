// npm run prepack: makes the npm package's bundle, man pages and licence notices.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, ROOT } from "./bundle.ts";
import { writeManPages } from "./man.ts";
import { notices } from "./notices.ts";

const DIST = join(ROOT, "dist");

export async function preparePackage(): Promise<void> {
  const command = join(DIST, "command");
  rmSync(command, { recursive: true, force: true });
  await bundle({ form: "npm package", to: { outdir: command } });
  await writeManPages(join(DIST, "man"));
  writeFileSync(join(DIST, "THIRD-PARTY-NOTICES.txt"), notices());
}

if (import.meta.main) await preparePackage();
