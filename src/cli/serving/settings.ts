// The settings of a server, parsed and checked before anything is opened.
import { isIP } from "node:net";
import { type AddressOf, clientAddress, type Tls, trustedPeer } from "../../http/server.ts";
import { UsageError } from "../failure.ts";
import { storeAt } from "../open.ts";
import { parseDate, parseWhole } from "../parse.ts";
import { type LogChoice, parseLogChoice } from "./log.ts";
import { readTls } from "./tls.ts";

/** As commander gives them: text, or undefined. */
export interface ServeOptions {
  readonly db: string;
  readonly host: string;
  readonly port: string;
  readonly rateLimit: string;
  readonly cache: string;
  readonly processes: string;
  readonly log: string;
  readonly serverTiming?: boolean;
  readonly today?: string;
  readonly cors?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly trustProxy?: string;
  readonly metricsHost?: string;
  readonly metricsPort?: string;
  /** A list from the option, one text from the environment. */
  readonly replica?: string | readonly string[];
}

export interface ServeSettings {
  readonly db: string;
  /** Without a password, to show in messages. */
  readonly dbShown: string;
  readonly replicas: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly requestsPerSecond: number;
  readonly cacheBytes: number;
  readonly processes: number;
  readonly log: LogChoice;
  /** A fixed day, or null for the current UTC day. */
  readonly today: string | null;
  readonly corsOrigin: string | null;
  readonly serverTiming: boolean;
  readonly tls: Tls | null;
  /** The files that `tls` was read from. */
  readonly tlsFiles: { readonly cert: string; readonly key: string } | null;
  readonly addressOf: AddressOf;
  readonly isTrustedPeer: (peer: string) => boolean;
  readonly metricsHost: string;
  readonly metricsPort: number | null;
  /** Whether the page may take the key from its address: for the demo only. */
  readonly isDemo: boolean;
}

/** Raises UsageError for a wrong value and CliFailure for a file that cannot be used. Warns about serving without TLS. */
export function serveSettings(options: ServeOptions): ServeSettings {
  const settings: ServeSettings = {
    db: options.db,
    dbShown: storeAt(options.db).shownAddress,
    replicas: [options.replica ?? []].flat().flatMap((text) => text.split(/[\s,]+/)),
    host: options.host,
    port: parseWhole("--port", options.port, 0, 65_535),
    requestsPerSecond: parseWhole("--rate-limit", options.rateLimit, 0, 1_000_000),
    cacheBytes: parseWhole("--cache", options.cache, 0, 100_000) * 1024 * 1024,
    processes: parseWhole("--processes", options.processes, 1, 256),
    log: parseLogChoice(options.log),
    today: options.today === undefined ? null : parseDate("--today", options.today),
    corsOrigin: options.cors === undefined ? null : parseOrigin(options.cors),
    serverTiming: options.serverTiming ?? false,
    tls: readTls(options.tlsCert, options.tlsKey, Date.now()),
    tlsFiles:
      options.tlsCert === undefined || options.tlsKey === undefined
        ? null
        : { cert: options.tlsCert, key: options.tlsKey },
    ...parseTrusted(options.trustProxy),
    metricsHost: options.metricsHost ?? "127.0.0.1", // the demo has no such option
    metricsPort:
      options.metricsPort === undefined ? null : parseWhole("--metrics-port", options.metricsPort, 1, 65_535),
    isDemo: false,
  };
  if (settings.tls === null) warnIfExposed(settings.host);
  return settings;
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && url.origin === text) return text;
  throw new UsageError(
    `--cors: "${text}" is not an origin: write only scheme and host, such as https://intranet.example.com`,
  );
}

function parseTrusted(text: string | undefined): Pick<ServeSettings, "addressOf" | "isTrustedPeer"> {
  const trusted = text === undefined ? [] : text.split(",").map((address) => address.trim());
  try {
    return { addressOf: clientAddress(trusted), isTrustedPeer: trustedPeer(trusted) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(
      `--trust-proxy: "${text}" has an entry that is neither an address nor a range such as 10.0.0.0/8`,
    );
  }
}

function warnIfExposed(host: string): void {
  const isLoopback = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (isLoopback) return;
  console.error(
    [
      "",
      `  WARNING: listening on ${host} without TLS.`,
      "  Keys and people's data cross the network in clear text. Give --tls-cert and --tls-key,",
      "  put a proxy that speaks TLS in front, or listen on 127.0.0.1.",
      "",
    ].join("\n"),
  );
}
