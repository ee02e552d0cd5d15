// A folder with a store of an imported company, and real processes of the command on it.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey } from "../../../src/cli/new-key.ts";
import { generateCompany } from "../../../src/generate/generate.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";

export const COMMAND = join(import.meta.dir, "../../../bin/rollcall");

export interface StoreFolder {
  readonly folder: string;
  readonly db: string;
  /** Import files of 60 workers, which the store holds. */
  readonly small: string;
  /** Import files of 500 workers: enough for the log to be written to the store on the way. */
  readonly big: string;
  readonly apiKey: string;
}

/** The company is "acme". The folder is removed afterwards. */
export async function withStoreFolder(work: (storeFolder: StoreFolder) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-faults-"));
  const storeFolder = {
    folder,
    db: join(folder, "rollcall.db"),
    small: join(folder, "small"),
    big: join(folder, "big"),
  };
  try {
    await generateCompany({ outDir: storeFolder.small, workers: 60, seed: 1, today: "2026-03-01" });
    await generateCompany({ outDir: storeFolder.big, workers: 500, seed: 2, today: "2026-03-01" });
    const store = openSqliteWriteStore(storeFolder.db, { create: true });
    await store.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
    const { apiKey, stored } = newKey({ companyId: "acme", name: "test" }, 0);
    await store.createKey(stored);
    await store.close();
    const done = await rollcall(["import", storeFolder.small, "--company", "acme", "--db", storeFolder.db]);
    if (done.exitCode !== 0) throw new Error(done.stderr);
    await work({ ...storeFolder, apiKey });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Root passes every permission: without these two rights it is bound by them like any owner. */
function boundByPermissions(command: readonly string[]): string[] {
  if (process.getuid?.() !== 0) return [...command];
  const rights = "-dac_override,-dac_read_search";
  return ["setpriv", `--bounding-set=${rights}`, `--inh-caps=${rights}`, ...command];
}

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `rollcall`, without root's rights. `shell` is put before it, such as a limit on the process. */
export function spawnRollcall(args: readonly string[], shell = "") {
  const command = ["/bin/sh", "-c", `${shell} exec "$@"`, "sh", COMMAND, ...args];
  return Bun.spawn(boundByPermissions(command), {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
    env: environment(),
  });
}

/** Runs `rollcall` to its end. */
export async function rollcall(args: readonly string[], shell = ""): Promise<Ended> {
  const child = spawnRollcall(args, shell);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

function environment(): Record<string, string> {
  const { PATH = "", TMPDIR = "" } = process.env;
  return { PATH, HOME: "/nonexistent", ...(TMPDIR === "" ? {} : { TMPDIR }) };
}

export interface Served {
  readonly address: string;
  readonly process: Bun.Subprocess;
  /** The status, and the body as JSON. */
  get(path: string): Promise<{ status: number; body: unknown }>;
}

/** Runs `work` against `rollcall serve`; the server is killed afterwards. */
export async function withServer(
  storeFolder: StoreFolder,
  work: (server: Served) => Promise<void>,
): Promise<void> {
  const args = ["serve", "--db", storeFolder.db, "--port", "0", "--rate-limit", "0", "--log", "none"];
  const child = Bun.spawn(boundByPermissions([COMMAND, ...args]), {
    stdout: "pipe",
    stderr: "inherit",
    env: environment(),
  });
  try {
    const address = await listening(child.stdout);
    const get = async (path: string) => {
      const response = await fetch(address + path, { headers: { "x-api-key": storeFolder.apiKey } });
      return { status: response.status, body: await response.json() };
    };
    await work({ address, process: child, get });
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk);
    const address = /at (https?:\/\/\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the server did not start: ${text}`);
}

/** Asks again until it is so; raises after five seconds. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 5000;
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`not within five seconds: ${what}`);
    await Bun.sleep(20);
  }
}

/** Every row of the store, read in a process of its own as `rollcall export` does. */
export async function exportedText(storeFolder: StoreFolder): Promise<string> {
  const out = join(storeFolder.folder, `out-${crypto.randomUUID()}`);
  const done = await rollcall(["export", "--company", "acme", "--db", storeFolder.db, "--out", out]);
  if (done.exitCode !== 0) throw new Error(done.stderr);
  const texts = readdirSync(out)
    .toSorted()
    .map((name) => Bun.file(join(out, name)).text());
  return (await Promise.all(texts)).join("\n");
}
