#!/usr/bin/env node
// What npm, pnpm and Yarn start as `rollcall`: some of them run it with Node, whatever its first line says. It starts the script
// `rollcall` beside it, hands signals on, and ends as that ends.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the Bun that was installed with this package: where Yarn keeps packages, only Node finds it. */
function bunFolder() {
  const require = createRequire(import.meta.url);
  for (const name of Object.keys(require("../package.json").optionalDependencies)) {
    try {
      return join(dirname(require.resolve(`${name}/package.json`)), "bin");
    } catch {
      // It is for another kind of machine, so it was not installed.
    }
  }
  return null;
}

const found = bunFolder();
const child = spawn(
  "/bin/sh",
  [join(dirname(fileURLToPath(import.meta.url)), "rollcall"), ...process.argv.slice(2)],
  {
    stdio: "inherit",
    env:
      found === null
        ? process.env
        : { ...process.env, PATH: `${found}${delimiter}${process.env.PATH ?? ""}` },
  },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to both processes.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
// npx, and the `npm start` of a checkout, do not hand signals on: what they started ends with them. Anything else may outlive the shell
// that started it.
const { npm_command, npm_package_name } = process.env;
if (npm_command === "exec" || (npm_command === "start" && npm_package_name === "rollcall")) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 500).unref();
}
child.on("error", (error) => {
  console.error(`rollcall: ${error.message}`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
