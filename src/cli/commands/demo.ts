// rollcall demo: serves a made-up company. Its store stays for the next demo. With --out, it writes the page and its data as files.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import { secretDigest } from "../../http/middleware/auth.ts";
import { newKey } from "../../http/new-key.ts";
import { importCompany } from "../../import/import-company.ts";
import { findSources } from "../../import/read/sources.ts";
import { importRecord } from "../../import/report.ts";
import { isSecret } from "../../resources/ids.ts";
import { NewerStore, OlderStore } from "../../store/engine.ts";
import type { WriteStore } from "../../store/store.ts";
import { dayOfText, formatDay, utcDayOf } from "../../time/day.ts";
import { CliFailure } from "../failure.ts";
import { withReadStore, withWriteStore } from "../open.ts";
import { option, parseWhole, RollcallCommand } from "../options.ts";
import { version } from "../program.ts";
import { requireFreePort, runServer } from "../serving/run-server.ts";
import { type ServeOptions, serveSettings } from "../serving/settings.ts";
import type { DemoFiles } from "../static-demo.ts";
import { generated, seedOption, workersOption } from "./generate.ts";

const COMPANY_ID = "demo";

/** The time of day at which the data of a fixed day was imported. */
const NOON_MS = 12 * 3_600_000;

interface Options extends ServeOptions {
  readonly workers: string;
  readonly seed: string;
  readonly out?: string;
}

export function demoCommand(): Command {
  return new RollcallCommand("demo")
    .description("Serve a made-up company to try Rollcall with. A later start uses the same data and key.")
    .addOption(workersOption())
    .addOption(seedOption())
    .addOption(
      new Option("--db <file>", "the demo's own store").env("ROLLCALL_DEMO_DB").default("./rollcall-demo.db"),
    )
    .addOption(option("host"))
    .addOption(option("port"))
    .addOption(option("today"))
    .addOption(option("rateLimit"))
    .addOption(option("cache"))
    .addOption(option("log").default("problems"))
    .option(
      "--out <folder>",
      "write the page and its data as files for any static host, and do not serve; 40 workers unless given",
    )
    .examples(
      "rollcall demo --workers 1000 --port 4011",
      "rollcall demo --out ./demo        then: python3 -m http.server -d ./demo",
    )
    .action(async (options: Options, command: Command) => {
      const seed = parseWhole("--seed", options.seed, 0, 2 ** 32 - 1);
      if (options.out !== undefined) {
        const isGiven = command.getOptionValueSource("workers") !== "default";
        const workers = isGiven ? parseWhole("--workers", options.workers, 1, 1000) : 40;
        return writeDemo(options.out, { workers, seed }, options);
      }
      const settings = serveSettings({ ...options, processes: "1" });
      const workers = parseWhole("--workers", options.workers, 1, 1_000_000);
      if (settings.port !== 0) requireFreePort(settings);
      const apiKey = await prepare(options.db, { workers, seed, today: settings.today });
      await runServer({ ...settings, isDemo: true }, (address) =>
        console.log(welcome(reachable(address), apiKey)),
      );
    });
}

interface Size {
  readonly workers: number;
  readonly seed: number;
  /** `YYYY-MM-DD`; null for the current UTC day. */
  readonly today: string | null;
}

/** Serves a company on loopback, and writes every response that the page needs into a file. */
async function writeDemo(out: string, size: Omit<Size, "today">, options: Options): Promise<void> {
  requireEmpty(out);
  const folder = mkdtempSync(join(tmpdir(), "rollcall-demo-"));
  try {
    const db = join(folder, "demo.db");
    const own = { db, host: "127.0.0.1", port: "0", rateLimit: "0", processes: "1" };
    const settings = serveSettings({ ...options, ...own });
    const today = settings.today ?? formatDay(utcDayOf(Date.now()));
    const apiKey = await prepare(db, { ...size, today });
    const { staticDemo } = await import("../static-demo.ts");
    let files: DemoFiles | undefined;
    await runServer({ ...settings, today, isDemo: true, sendsEvents: false }, async (address) => {
      files = await staticDemo(address, apiKey, dayOfText(today));
    });
    if (files === undefined) throw new CliFailure("interrupted: nothing was written");
    process.umask(0o022); // a web server must read the files, and all data is made up
    let bytes = 0;
    for (const [name, content] of files) {
      const path = join(out, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      bytes += content.length;
    }
    console.log(
      `Wrote ${files.size} files (${(bytes / 1e6).toFixed(1)} MB) to ${out}: a demo of ${size.workers} workers as of ${today}, for any static host.`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireEmpty(out: string): void {
  if (!existsSync(out)) return;
  const isFolder = statSync(out).isDirectory();
  if (isFolder && readdirSync(out).length === 0) return;
  throw new CliFailure(
    `${out} ${isFolder ? "is not empty" : "is a file"}: name a folder that is empty or does not exist`,
  );
}

/** Makes the store, the company and the key, as far as they are missing. Returns the key. Completes an interrupted start. */
async function prepare(db: string, size: Size): Promise<string> {
  const keyPath = `${db}-api-key`;
  const prepareIn = async (store: WriteStore) => {
    if (!(await store.companies()).some((company) => company.id === COMPANY_ID))
      await store.createCompany({ id: COMPANY_ID, name: "Demo company", createdAtMs: Date.now() });
    const { docs } = await withReadStore(db, (reader) =>
      reader.company(COMPANY_ID).list("workers", { limit: 1 }, []),
    );
    if (docs.length === 0) await fill(db, store, size);
    return savedKey(store, keyPath);
  };
  return withWriteStore(db, prepareIn, { create: true }).catch((error) => {
    const isOfOther = error instanceof OlderStore || error instanceof NewerStore;
    if (!isOfOther || !existsSync(keyPath)) throw error; // without a demo's key it may have data that somebody needs
    throw new CliFailure(
      `${db} is the demo of another version of Rollcall: remove it and the files whose names begin with its name, and start again`,
    );
  });
}

async function fill(db: string, store: WriteStore, { workers, seed, today: fixed }: Size): Promise<void> {
  console.error(`Making a demo company of ${workers} workers …`);
  const folder = mkdtempSync(`${db}-files-`); // beside the store, because that folder is writable
  try {
    const nowMs = fixed === null ? Date.now() : Date.parse(fixed) + NOON_MS;
    const today = formatDay(utcDayOf(nowMs));
    await generated({ outDir: folder, workers, seed, today, overwrite: true });
    const { sources } = await findSources([folder], null);
    await importCompany(store, COMPANY_ID, sources, {
      today: utcDayOf(nowMs),
      nowMs,
      record: (done) =>
        JSON.stringify(importRecord({ command: "rollcall demo", mapping: null, version }, done, Date.now())),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The key saved beside the store; a new one if it is missing or no longer valid. */
async function savedKey(store: WriteStore, path: string): Promise<string> {
  if (existsSync(path)) {
    const saved = readFileSync(path, "utf8").trim();
    const stored = (await store.keys(COMPANY_ID)).find((key) => key.digest === secretDigest(saved));
    if (isSecret("rk_", saved) && stored !== undefined && stored.revokedAtMs === null) return saved;
  }
  const made = newKey({ companyId: COMPANY_ID, name: "demo" }, Date.now());
  await store.createSecret(made.stored);
  writeFileSync(path, `${made.apiKey}\n`, { mode: 0o600 });
  return made.apiKey;
}

/** An address that a browser on this machine can open, even if the server listens on all addresses. */
function reachable(address: string): string {
  return address.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, "//127.0.0.1:");
}

function welcome(address: string, apiKey: string): string {
  return `
Rollcall serves a demo company at ${address}

  page       ${address}/#key=${apiKey}
  reference  ${address}/docs
  key        ${apiKey}

Try it:

  curl -H "x-api-key: ${apiKey}" "${address}/v1/workers?limit=3"

Stop with Ctrl-C. The next start uses the same data and key.`;
}
