// The built script of passports. delivery/bundle.ts replaces this module by one that contains the script's text.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const PASSPORT_SCRIPT = join(import.meta.dir, "../../dist/passport/page.js");

/** Raises an Error if the script is not built. */
export function passportScript(): string {
  if (!existsSync(PASSPORT_SCRIPT))
    throw new Error(`${PASSPORT_SCRIPT} is not built: npm run prepare builds it`);
  return readFileSync(PASSPORT_SCRIPT, "utf8");
}
