// A folder with a store of an imported company, and real processes of the command on it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { generateCompany } from "../../../src/generate/generate.ts";
import { newKey } from "../../../src/http/new-key.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { RowsDigest } from "../../../src/store/transfer/row-texts.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { rollcallHere } from "../command.ts";

export interface StoreFolder {
  readonly folder: string;
  readonly db: string;
  /** Import files of 60 workers, unless another number is asked for. The store holds them. */
  readonly small: string;
  /** Import files of 250 workers, unless another number is asked for: enough for the log to be written to the store on the way. */
  readonly big: string;
  readonly apiKey: string;
}

/** How many workers there are in the import files. */
export interface StoreFolderSizes {
  readonly small: number;
  readonly big: number;
}

/** What is in a folder that was made, by name: each is made once for its sizes, and written again for each use. */
interface Template {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly apiKey: string;
}

const templates = new Map<string, Promise<Template>>();

/** The company is "acme". The folder is removed afterwards. */
export async function withStoreFolder(
  work: (storeFolder: StoreFolder) => Promise<void>,
  sizes: StoreFolderSizes = { small: 60, big: 250 },
): Promise<void> {
  const { files, apiKey } = await templates.getOrInsertComputed(JSON.stringify(sizes), () => make(sizes));
  await withFolder(async (folder) => {
    for (const [name, bytes] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes, { mode: 0o600 });
    }
    await work({ ...pathsIn(folder), apiKey });
  });
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-faults-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pathsIn(folder: string): Omit<StoreFolder, "apiKey"> {
  return { folder, db: join(folder, "rollcall.db"), small: join(folder, "small"), big: join(folder, "big") };
}

function make(sizes: StoreFolderSizes): Promise<Template> {
  return withFolder(async (folder) => {
    const { db, small, big } = pathsIn(folder);
    await generateCompany({ outDir: small, workers: sizes.small, seed: 1, today: "2026-03-01" });
    await generateCompany({ outDir: big, workers: sizes.big, seed: 2, today: "2026-03-01" });
    const store = openSqliteWriteStore(db, { create: true });
    await store.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
    const { apiKey, stored } = newKey({ companyId: "acme", name: "test" }, 0);
    await store.createSecret(stored);
    await store.close();
    const done = await rollcallHere(folder, ["import", small, "--company", "acme", "--db", db]);
    if (done.exitCode !== 0) throw new Error(done.stderr);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    return { files: new Map(paths.map((path) => [relative(folder, path), readFileSync(path)])), apiKey };
  });
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
export function spawnRollcall(args: readonly string[], shell = "", program = ROLLCALL) {
  const command = ["/bin/sh", "-c", `${shell} exec "$@"`, "sh", program, ...args];
  return Bun.spawn(boundByPermissions(command), {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
    env: environment(),
  });
}

/** Runs `rollcall` to its end. */
export async function rollcall(args: readonly string[], shell?: string, program?: string): Promise<Ended> {
  const child = spawnRollcall(args, shell, program);
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
  const child = Bun.spawn(boundByPermissions([ROLLCALL, ...args]), {
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

/** Asks again until it is so; raises after a minute. Long commands run at low priority: on a busy machine they start late. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`not within a minute: ${what}`);
    await Bun.sleep(20);
  }
}

/** Without when an import made or last changed what: the same files imported at two times give the same rows but for that. */
export function undated<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === "updatedAt" || key === "createdAt" ? null : inner)),
  );
}

/** SHA-256 over every row of the company "acme", undated. */
export async function factsDigest({ db }: StoreFolder): Promise<string> {
  const facts = new RowsDigest();
  await sqliteStore(db).snapshot((contents) =>
    contents.export("acme", async (kind, rows) =>
      facts.add(
        kind,
        rows.map((row) =>
          "doc" in row ? { ...row, doc: JSON.stringify(undated(JSON.parse(row.doc as string))) } : row,
        ),
      ),
    ),
  );
  return facts.hex();
}
