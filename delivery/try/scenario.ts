// The trial of every form: the demo with its page in a browser, an import, two processes, PostgreSQL, doctor, a stop, and messages of
// errors.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { withBrowser } from "../../test/support/browser.ts";
import { importAcme, knowsRecords } from "../../test/support/known-records.ts";
import { freePort, sharedServer } from "../../test/support/postgres.ts";
import { ROOT } from "../bundle.ts";
import type { Form } from "./forms.ts";

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  /** Stdout and stderr. */
  readonly output: string;
}

async function runs(
  form: Form,
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const child = Bun.spawn([...form.command, ...args], {
    cwd: folder,
    env: { ...form.environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, output: stdout + stderr };
}

async function succeeds(
  form: Form,
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { exitCode, output } = await runs(form, folder, args, env);
  if (exitCode !== 0) throw new Error(`rollcall ${args.join(" ")} ended with ${exitCode}:\n${output}`);
  return output;
}

async function fails(
  form: Form,
  folder: string,
  args: readonly string[],
  message: RegExp,
  env: Record<string, string> = {},
): Promise<void> {
  const { exitCode, output } = await runs(form, folder, args, env);
  if (exitCode !== 1 || !message.test(output))
    throw new Error(`rollcall ${args.join(" ")} ended with ${exitCode} and said:\n${output}`);
}

/** Serves while `work` runs, then stops the server, which must exit with 0. */
async function serves(
  form: Form,
  folder: string,
  args: readonly string[],
  work: (address: string, printed: string) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const child = Bun.spawn([...form.command, ...args], {
    cwd: folder,
    env: { ...form.environment, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk);
      if (/https?:\/\/\S+:\d+[\s\S]*\n/.test(printed)) break;
    }
    const address = /https?:\/\/[^\s/]+:\d+/.exec(printed)?.[0];
    if (address === undefined) throw new Error(`rollcall ${args.join(" ")} does not listen: ${printed}`);
    await work(address, printed);
    child.kill("SIGTERM");
    if ((await child.exited) !== 0)
      throw new Error(`rollcall ${args.join(" ")} stopped with ${child.exitCode}`);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

async function responds(url: string, status = 200, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`${url} responded ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

/** Tries a form in an empty folder, and reports each thing that works. */
export async function tryForm(form: Form, folder: string, says: (what: string) => void): Promise<void> {
  const printed = await succeeds(form, folder, ["--version"]);
  if (!printed.includes(`rollcall ${version} (commit `)) throw new Error(`--version prints ${printed}`);
  says(printed.trim());
  const isImage = form.name.startsWith("container");
  if (!form.isWhole)
    return await serves(
      form,
      folder,
      ["demo", "--port", String(await freePort()), "--workers", "5"],
      async (address) => {
        await responds(`${address}/readyz`);
        says("starts and can answer");
      },
    );

  await serves(
    form,
    folder,
    ["demo", "--port", String(await freePort()), "--db", isImage ? "/data/demo.db" : "./demo.db"],
    async (address, text) => {
      const page = /\S+#key=\S+/.exec(text)![0];
      await responds(`${address}/docs`);
      await responds(`${address}/openapi.json`);
      await showsPage(page);
    },
  );
  says("demo, its page in a browser, the reference");

  cpSync(join(ROOT, "examples/acme"), join(folder, "acme"), { recursive: true });
  cpSync(join(ROOT, "examples/acme.map.json"), join(folder, "acme.map.json"));
  if (isImage) Bun.spawnSync(["chown", "-R", "10001:10001", folder]);
  const port = String(await freePort());
  const inForm = (name: string) => (isImage ? `/data/${name}` : name);
  const importing = importAcme(isImage ? "/data" : ".");
  await succeeds(form, folder, ["companies", "create", "acme"]);
  await succeeds(form, folder, importing);
  const again = async () => (await runs(form, folder, importing)).stdout;
  if (!(await knowsRecords(join(folder, "rollcall.db"), again)))
    throw new Error("the second import does not know the records of the first");
  const key = (await succeeds(form, folder, ["keys", "create", "--company", "acme", "--quiet"])).trim();
  await serves(
    form,
    folder,
    ["serve", "--port", port, "--processes", "2", "--log", "none"],
    async (address) => {
      const { count } = JSON.parse(await responds(`${address}/v1/workers`, 200, { "x-api-key": key })) as {
        count: number;
      };
      if (count === 0) throw new Error("nobody was imported");
      await succeeds(form, folder, ["healthcheck", "--port", port]);
      await asksAsAssistant(form, folder, { ROLLCALL_URL: address, ROLLCALL_KEY: key });
      await fails(
        form,
        folder,
        ["serve", "--port", port],
        /Port \d+ is in use .* choose another with --port/,
      );
    },
  );
  await fails(form, folder, ["healthcheck", "--port", port], /cannot be reached/);
  await succeeds(form, folder, ["generate", "--out", inForm("large"), "--workers", "1500"]);
  await succeeds(form, folder, ["companies", "create", "large"]);
  const importingLarge = ["import", inForm("large"), "--company", "large"];
  if (isImage) await fails(form, folder, importingLarge, /set SQLITE_TMPDIR/, { TMPDIR: "/usr" }); // read-only, like all folders of the image
  await succeeds(form, folder, importingLarge);
  await succeeds(form, folder, ["doctor"]);
  says(
    "import of examples/acme, of its records again, and of 1,500 workers, two processes, healthcheck, an assistant, a taken port, doctor, stop",
  );

  const postgres = await sharedServer();
  const ROLLCALL_DB = await postgres.createDatabase();
  await succeeds(form, folder, ["migrate"], { ROLLCALL_DB });
  await succeeds(form, folder, ["companies", "create", "acme"], { ROLLCALL_DB });
  await succeeds(form, folder, importing, { ROLLCALL_DB });
  await serves(
    form,
    folder,
    ["serve", "--port", port, "--log", "none"],
    async (address) => void (await responds(`${address}/readyz`)),
    { ROLLCALL_DB },
  );
  says("PostgreSQL");

  await refusesReadOnly(form, folder, port, says);

  const { Database } = await import("bun:sqlite");
  const store = new Database(join(folder, "rollcall.db"));
  store.run("pragma user_version = 99999999");
  store.close();
  await fails(form, folder, ["serve", "--port", port], /newer Rollcall.* upgrade Rollcall/);
  says("a store of a newer version is refused");
  await obeysNothingOf(form, folder);
  says("nothing of the folder is executed or obeyed");
}

/** Asks who is away through `rollcall mcp`, as an assistant does. */
async function asksAsAssistant(form: Form, folder: string, env: Record<string, string>): Promise<void> {
  const params = { name: "who_is_away", arguments: { from: "2026-11-30", to: "2026-12-06" } };
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const child = Bun.spawn([...form.command, "mcp"], {
    cwd: folder,
    env: { ...form.environment, ...env },
    stdin: new Blob([`${message}\n`]),
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if (!text.includes("Haru")) throw new Error(`rollcall mcp said: ${text}`);
}

/** Tries the folder as a read-only disk. It is a mount of its own, because nothing else stops root from writing. */
async function refusesReadOnly(
  form: Form,
  folder: string,
  port: string,
  says: (what: string) => void,
): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    says("(a read-only disk was not tried: it needs root on Linux)");
    return;
  }
  const script = 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && exec "$@"';
  const readOnly: Form = {
    ...form,
    command: ["unshare", "--mount", "sh", "-c", script, "sh", ...form.command],
    environment: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...form.environment },
  };
  const message = /cannot be opened: check .* that its disk is not read-only/;
  for (const args of [["companies", "create", "other"], ["serve", "--port", port], ["migrate"]])
    await fails(readOnly, folder, args, message);
  says("a read-only disk is refused with what to do");
}

async function showsPage(address: string): Promise<void> {
  await withBrowser(async (browser) => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.url()}: ${response.status()}`);
    });
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    if (problems.length > 0) throw new Error(`the page has problems: ${problems.join("; ")}`);
  });
}

async function obeysNothingOf(form: Form, parent: string): Promise<void> {
  const folder = join(parent, "planted");
  mkdirSync(folder);
  const proof = join(folder, "executed");
  await Bun.write(
    join(folder, "planted.ts"),
    `require("node:fs").writeFileSync(${JSON.stringify(proof)}, "");`,
  );
  await Bun.write(join(folder, "bunfig.toml"), 'preload = ["./planted.ts"]\n');
  await Bun.write(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { paths: { commander: ["./planted.ts"] } } }),
  );
  await Bun.write(join(folder, ".env"), "ROLLCALL_JSON=1\n");
  const text = await succeeds(form, folder, ["openapi"]);
  const made = await runs(form, folder, ["companies", "list"]);
  if ((await Bun.file(proof).exists()) || made.output.startsWith("[") || !text.startsWith("{"))
    throw new Error("a foreign folder was obeyed");
}
