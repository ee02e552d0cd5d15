// npm run try:delivery [-- FORM…]: tries each form of delivery outside the checkout, in an empty folder with an empty environment, and
// reports what it could not try.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryCompose } from "./compose.ts";
import {
  arm64,
  containerImage,
  debianInstallation,
  debianPackage,
  executable,
  type Form,
  NotTried,
  npmPackage,
  podman,
} from "./forms.ts";
import { tryForm } from "./scenario.ts";
import { tryUnfit } from "./unfit.ts";

/** Other trials: compose.yaml in a container engine, and machines on which the forms cannot run. */
const OTHERS: Readonly<Record<string, (folder: string, says: (what: string) => void) => Promise<void>>> = {
  compose: tryCompose,
  unfit: tryUnfit,
};

const FORMS: Readonly<Record<string, (folder: string) => Promise<Form>>> = {
  executable,
  npm: npmPackage,
  image: containerImage,
  podman,
  debian: debianPackage,
  arm64,
};

/** Trials that no build machine can do. */
const NEVER_TRIED = [
  "the executables for macOS and Windows, and those for musl, were built only",
  "the systemd units were rated, and not started by systemd",
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => FORMS[name] === undefined && OTHERS[name] === undefined);
if (unknown.length > 0) {
  console.error(
    `try: there is no form ${unknown.join(", ")}: name some of ${[...Object.keys(FORMS), ...Object.keys(OTHERS)].join(", ")}`,
  );
  process.exit(2);
}
const notTried: string[] = [...NEVER_TRIED];
let failures = 0;
const folder = mkdtempSync(join(tmpdir(), "rollcall-delivery-"));
for (const name of [...Object.keys(FORMS), ...Object.keys(OTHERS)]) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const make = FORMS[name];
  const made = join(folder, name, "made");
  const empty = join(folder, name, "empty");
  for (const folder of [made, empty]) mkdirSync(folder, { recursive: true });
  console.log(`\n${name}`);
  const says = (what: string) => console.log(`  ok   ${what}`);
  try {
    if (make === undefined)
      await OTHERS[name]!(made, says); // a name that is not a form is in OTHERS
    else await tryForm(await make(made), empty, says);
    if (name === "debian")
      for (const what of debianInstallation(made, join(made, "rollcall.deb"))) says(what);
  } catch (error) {
    if (error instanceof NotTried) notTried.push(error.message);
    else failures++;
    console.log(
      `  ${error instanceof NotTried ? "not tried" : "FAIL"} ${error instanceof Error ? `${error.message} ${error.cause ?? ""}` : String(error)}`,
    );
  }
}
rmSync(folder, { recursive: true, force: true });
console.log(`\nNot tried:\n${notTried.map((what) => `  ${what}`).join("\n")}`);
process.exit(failures > 0 ? 1 : 0);
