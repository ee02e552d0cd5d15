// rollcall serve
import { isIP } from "node:net";
import { Command } from "commander";
import { createApp } from "../http/app.ts";
import { answerCache } from "../http/cache.ts";
import { healthPage } from "../http/health.ts";
import { keyUses } from "../http/key-uses.ts";
import { failureLimit, rateLimit } from "../http/rate-limit.ts";
import { listen, type Server } from "../http/server.ts";
import type { Observe } from "../observe.ts";
import type { ReadStore } from "../store/store.ts";
import { CliFailure } from "./failure.ts";
import { logger, parseLogChoice } from "./log.ts";
import { dbOption, openReadStore, option } from "./open.ts";
import { parseDate, parseWhole } from "./parse.ts";

export interface ServeOptions {
  readonly db: string;
  readonly host: string;
  readonly port: string;
  readonly rateLimit: string;
  readonly cache: string;
  readonly log: string;
  readonly today?: string;
  readonly cors?: string;
}

export function serveCommand(): Command {
  return new Command("serve")
    .description("Serve the API.")
    .addOption(dbOption())
    .addOption(option("host"))
    .addOption(option("port"))
    .addOption(option("today"))
    .addOption(option("rateLimit"))
    .addOption(option("cache"))
    .addOption(option("cors"))
    .addOption(option("log"))
    .addHelpText(
      "after",
      "\nExamples:\n  rollcall serve\n  rollcall serve --db /var/lib/rollcall/rollcall.db --port 8080",
    )
    .action(async (options: ServeOptions) => {
      await serve(options, (address) => {
        console.log(`Rollcall serves ${options.db} at ${address} (reference: ${address}/docs)`);
      });
    });
}

/** Serves until a signal says stop. `onListening` is called with the address once calls are taken. */
export async function serve(options: ServeOptions, onListening: (address: string) => void): Promise<void> {
  const port = parseWhole("--port", options.port, 0, 65_535);
  const { observe, flush } = logger(parseLogChoice(options.log));
  warnIfExposed(options.host);
  const store = await openReadStore(options.db);
  const uses = keyUses(store, observe);
  let isStopping = false;
  const app = createApp({
    store,
    observe,
    used: uses.used,
    ...limits(options),
    today: today(options.today),
    openPages: (path) => healthPage(path, store, () => isStopping),
  });
  const server = tryListen(() => listen(app, { host: options.host, port }, observe), options);
  observe({ kind: "started", address: server.address });
  onListening(server.address);
  await stopSignal();
  isStopping = true;
  await server.stop();
  await uses.stop();
  await store.close();
  flush();
}

function limits(options: ServeOptions) {
  const requestsPerSecond = parseWhole("--rate-limit", options.rateLimit, 0, 1_000_000);
  const cacheBytes = parseWhole("--cache", options.cache, 0, 100_000) * 1024 * 1024;
  return {
    rateLimit: rateLimit(requestsPerSecond),
    failureLimit: failureLimit(requestsPerSecond),
    cache: answerCache(cacheBytes),
    corsOrigin: options.cors === undefined ? null : parseOrigin(options.cors),
  };
}

/** The day balances are computed for: a fixed one, or the current UTC day. */
function today(fixed: string | undefined): () => string {
  if (fixed !== undefined) {
    const day = parseDate("--today", fixed);
    return () => day;
  }
  return () => new Date().toISOString().slice(0, 10);
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && url.origin === text) return text;
  throw new CliFailure(
    `--cors: "${text}" is not an origin: write scheme and host alone, such as https://intranet.example.com`,
  );
}

function warnIfExposed(host: string): void {
  const isLoopback = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (isLoopback) return;
  console.error(
    [
      "",
      `  WARNING: listening on ${host} without TLS.`,
      "  Keys and people's data cross the network in clear text. Put a proxy that speaks TLS in front,",
      "  or listen on 127.0.0.1.",
      "",
    ].join("\n"),
  );
}

function tryListen(start: () => Server, options: ServeOptions): Server {
  try {
    return start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new CliFailure(
        `Port ${options.port} is in use on ${options.host}: stop what listens there, or choose another with --port`,
      );
    }
    if (code === "EACCES") {
      throw new CliFailure(
        `Port ${options.port} may not be listened on by this user: choose one above 1023 with --port`,
      );
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new CliFailure(`${options.host} is not an address of this machine: choose another with --host`);
    }
    throw error;
  }
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once("SIGINT", () => process.exit(130));
      process.once("SIGTERM", () => process.exit(143));
      resolve();
    };
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
}
