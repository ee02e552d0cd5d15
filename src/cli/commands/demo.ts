// rollcall demo: serves a made-up company from a store of its own. A later start uses the same data and key.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Command, Option } from "commander";
import { secretDigest } from "../../http/middleware/auth.ts";
import { newKey } from "../../http/new-key.ts";
import { importCompany } from "../../import/import-company.ts";
import { findSources } from "../../import/read/sources.ts";
import { importRecord } from "../../import/report.ts";
import { isSecret } from "../../resources/ids.ts";
import type { WriteStore } from "../../store/store.ts";
import { utcDayOf } from "../../time/day.ts";
import { openReadStore, openWriteStore } from "../open.ts";
import { option, parseWhole } from "../options.ts";
import { version } from "../program.ts";
import { requireFreePort, runServer } from "../serving/run-server.ts";
import { type ServeOptions, serveSettings } from "../serving/settings.ts";
import { generated, seedOption, workersOption } from "./generate.ts";

const COMPANY_ID = "demo";

interface Options extends ServeOptions {
  readonly workers: string;
  readonly seed: string;
}

export function demoCommand(): Command {
  return new Command("demo")
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
    .addHelpText("after", "\nExample:\n  rollcall demo --workers 1000 --port 4011")
    .action(async (options: Options) => {
      const settings = serveSettings({ ...options, processes: "1" });
      const workers = parseWhole("--workers", options.workers, 1, 1_000_000);
      const seed = parseWhole("--seed", options.seed, 0, 2 ** 32 - 1);
      if (settings.port !== 0) requireFreePort(settings);
      const apiKey = await prepare(options.db, { workers, seed });
      await runServer({ ...settings, isDemo: true }, (address) =>
        console.log(welcome(reachable(address), apiKey)),
      );
    });
}

/** Makes what is missing and returns the demo's key. A start after an interrupted one completes it. */
async function prepare(db: string, size: { workers: number; seed: number }): Promise<string> {
  const store = await openWriteStore(db, { create: true, migrate: true });
  try {
    if (!(await store.companies()).some((company) => company.id === COMPANY_ID)) {
      await store.createCompany({ id: COMPANY_ID, name: "Demo company", createdAtMs: Date.now() });
    }
    if (await isWithoutWorkers(db)) await fill(db, store, size);
    return await savedKey(store, `${db}-api-key`);
  } finally {
    await store.close();
  }
}

async function isWithoutWorkers(db: string): Promise<boolean> {
  const reader = await openReadStore(db);
  try {
    return (await reader.company(COMPANY_ID).list("workers", { limit: 1 }, [])).docs.length === 0;
  } finally {
    await reader.close();
  }
}

async function fill(
  db: string,
  store: WriteStore,
  { workers, seed }: { workers: number; seed: number },
): Promise<void> {
  console.error(`Making a demo company of ${workers} workers …`);
  const folder = mkdtempSync(`${db}-files-`); // beside the store, where it can be written
  try {
    const today = new Date().toISOString().slice(0, 10);
    await generated({ outDir: folder, workers, seed, today, overwrite: true });
    const { sources } = await findSources([folder], null);
    await importCompany(store, COMPANY_ID, sources, {
      today: utcDayOf(Date.now()),
      nowMs: Date.now(),
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
  await store.createKey(made.stored);
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
