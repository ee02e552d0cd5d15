// The settings of a server, parsed and checked before anything is opened.
import { isIP } from "node:net";
import type { TokenAuth } from "../../http/access-tokens.ts";
import { clientAddress, trustedPeer } from "../../http/client-address.ts";
import { isBasePath } from "../../http/request-context.ts";
import {
  ACCESSES,
  type GroupRule,
  isUserHeader,
  type ProxyAuth,
  parseGroupRule,
} from "../../http/sign-in.ts";
import type { SettingName } from "../../settings.ts";
import { UsageError } from "../failure.ts";
import { storeAt } from "../open.ts";
import { parseChoice, parseDate, parseWhole } from "../options.ts";
import { LOG_CHOICES } from "./log.ts";
import { readTls } from "./tls.ts";

type Needed = "db" | "host" | "port" | "rateLimit" | "cache" | "processes" | "log";
type Flag = "serverTiming" | "allowFeeds";
type Listed = "authGroup" | "replica";

/** As commander gives them: text, or undefined; a list from the option is one text from the environment. */
export type ServeOptions = { readonly [N in Needed]: string } & {
  readonly [N in Exclude<SettingName, Needed | Flag | Listed>]?: string;
} & { readonly [N in Flag]?: boolean } & { readonly [N in Listed]?: string | readonly string[] } & {
  /** False with `--no-events`. */
  readonly events?: boolean;
};

export type ServeSettings = ReturnType<typeof serveSettings>;

/** Raises UsageError for a wrong value and CliFailure for a file that cannot be used. Warns about serving without TLS. */
export function serveSettings(options: ServeOptions) {
  const { tlsCert, tlsKey } = options;
  const settings = {
    db: options.db,
    /** Without a password, to show in messages. */
    dbShown: storeAt(options.db).shownAddress,
    replicas: [options.replica ?? []].flat().flatMap((text) => text.split(/[\s,]+/)),
    host: options.host,
    port: parseWhole("--port", options.port, 0, 65_535),
    requestsPerSecond: parseWhole("--rate-limit", options.rateLimit, 0, 1_000_000),
    /** What the reader of a stream takes at least, in bytes a second; 0 for no such limit. */
    streamRateBytes: parseWhole("--stream-rate", options.streamRate ?? "64", 0, 1_000_000) * 1000, // the demo has no such option
    cacheBytes: parseWhole("--cache", options.cache, 0, 100_000) * 1024 * 1024,
    processes: parseWhole("--processes", options.processes, 1, 256),
    log: parseChoice("--log", options.log, LOG_CHOICES),
    /** Where a proxy serves all this, such as `/hr`; empty at the root. */
    basePath: options.basePath === undefined ? "" : parseBasePath(options.basePath),
    /** A fixed day, or null for the current UTC day. */
    today: options.today === undefined ? null : parseDate("--today", options.today),
    corsOrigin: options.cors === undefined ? null : parseOrigin(options.cors),
    serverTiming: options.serverTiming ?? false,
    tls: readTls(tlsCert, tlsKey, Date.now()),
    /** The files that `tls` was read from. */
    tlsFiles: tlsCert === undefined || tlsKey === undefined ? null : { cert: tlsCert, key: tlsKey },
    metricsHost: options.metricsHost ?? "127.0.0.1", // the demo has no such option
    ...parseTrusted(options.trustProxy),
    /** Whose access tokens `/mcp` accepts; null for nobody's. */
    tokenAuth: parseTokenAuth(options),
    /** How a trusted proxy says who is signed in; null if none does. */
    authProxy: parseAuthProxy(options),
    /** Whether who is signed in and sees everything may make calendar feeds. */
    allowsFeeds: options.allowFeeds ?? false,
    /** The folder with backups whose age the metrics tell; null for none. */
    backups: options.backups ?? null,
    /** The file in which it is noted who looked at people's data; null for none. */
    accessLog: options.accessLog ?? null,
    metricsPort:
      options.metricsPort === undefined ? null : parseWhole("--metrics-port", options.metricsPort, 1, 65_535),
    /** Whether this process sends to hooks. */
    sendsEvents: options.events ?? true,
    /** Whether the page may take the key from its address: for the demo only. */
    isDemo: false,
  };
  if (settings.allowsFeeds && settings.authProxy === null)
    throw new UsageError("--allow-feeds needs --auth-proxy: feeds are made by people who are signed in");
  if (settings.tls === null) warnIfExposed(settings.host);
  return settings;
}

function parseBasePath(text: string): string {
  const path = text.replace(/\/$/, "");
  if (path === "" || isBasePath(path)) return path;
  throw new UsageError(
    `--base-path: "${text}" is not a path: write a slash and a name, such as /hr, with letters, digits, "-", "_", "." and "~" alone`,
  );
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && url.origin === text) return text;
  throw new UsageError(
    `--cors: "${text}" is not an origin: write only scheme and host, such as https://intranet.example.com`,
  );
}

/** The address of a caller, and whether a connection comes from a trusted proxy, given its address. */
function parseTrusted(text: string | undefined) {
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

/** Addresses of the internet that nobody has (RFC 5737, RFC 3849). Who trusts them trusts everybody. */
const ANYBODY = ["192.0.2.1", "203.0.113.1", "2001:db8::1"];

function parseRules({ authGroup = [] }: ServeOptions): GroupRule[] {
  const texts = [authGroup].flat().flatMap((text) => text.split(";"));
  return texts.filter((text) => text.trim() !== "").map((text) => parseRule(text.trim()));
}

/** Raises UsageError for settings that would sign in nobody, or could be used to sign in as anybody. */
function parseAuthProxy(options: ServeOptions): ProxyAuth | null {
  const rules = parseRules(options);
  if (options.authProxy === undefined) {
    if (rules.length > 0 && options.mcpIssuer === undefined)
      throw new UsageError("--auth-group needs --auth-proxy or --mcp-issuer, which name people");
    return null;
  }
  if (rules.length === 0)
    throw new UsageError("--auth-proxy needs --auth-group: without a rule nobody gets in");
  const { isTrustedPeer } = parseTrusted(options.trustProxy);
  if (options.trustProxy === undefined)
    throw new UsageError("--auth-proxy needs --trust-proxy: the addresses that may name who is signed in");
  if (ANYBODY.some(isTrustedPeer)) {
    throw new UsageError(
      "--trust-proxy: covers addresses of the internet, where anybody could name anybody; with --auth-proxy, name only the proxy",
    );
  }
  const userHeader = parseUserHeader("--auth-proxy", options.authProxy);
  // A proxy that names people elsewhere does not replace X-Forwarded-Groups: then callers could name their own groups.
  const groupsOption =
    options.authGroupsHeader ?? (userHeader.startsWith("x-forwarded-") ? "X-Forwarded-Groups" : null);
  const groupsHeader = groupsOption === null ? null : parseUserHeader("--auth-groups-header", groupsOption);
  const ofGroup = rules.find(({ group }) => group !== "*" && !group.includes("@"));
  if (groupsHeader === null && ofGroup !== undefined && options.mcpIssuer === undefined) {
    throw new UsageError(
      `--auth-group: "${ofGroup.group}" is a group, and no header names groups: name the one that your proxy sets with --auth-groups-header, or write addresses and @domains`,
    );
  }
  return { userHeader, groupsHeader, rules, contact: options.authContact ?? null };
}

/** Raises UsageError for settings by which nobody could sign in. */
function parseTokenAuth(options: ServeOptions): TokenAuth | null {
  const { mcpIssuer, mcpAudience, authContact = null } = options;
  if (mcpIssuer === undefined && mcpAudience === undefined) return null;
  if (mcpIssuer === undefined || mcpAudience === undefined)
    throw new UsageError("--mcp-issuer and --mcp-audience need each other: give both");
  const rules = parseRules(options);
  if (rules.length === 0)
    throw new UsageError("--mcp-issuer needs --auth-group: without a rule nobody gets in");
  const issuer = parseSecureAddress("--mcp-issuer", mcpIssuer, "https://id.example.com");
  const audience = parseSecureAddress("--mcp-audience", mcpAudience, "https://rollcall.example.com/mcp");
  if (!audience.endsWith("/mcp"))
    throw new UsageError(`--mcp-audience: "${audience}" does not end with /mcp: write the whole address`);
  return { issuer, audience, rules, contact: authContact };
}

/** Whoever could change what is sent there could sign in as anybody: so it is HTTPS, except on this machine. */
const SECURE_ADDRESS =
  /^(?:https:\/\/[^\s"/?#@]+|http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?)(?:\/[^\s"?#]*)?$/;

/** The address as it is written: it is compared letter by letter. */
function parseSecureAddress(option: string, text: string, example: string): string {
  if (SECURE_ADDRESS.test(text) && URL.canParse(text)) return text;
  throw new UsageError(
    `${option}: "${text}" is not an address that begins with https:// (http:// on this machine alone), without query: write one such as ${example}`,
  );
}

function parseUserHeader(option: string, text: string): string {
  const name = text.toLowerCase();
  if (isUserHeader(name)) return name;
  throw new UsageError(
    `${option}: "${text}" cannot name who is signed in: write the header that the proxy sets, such as X-Forwarded-Email`,
  );
}

function parseRule(text: string): GroupRule {
  const rule = parseGroupRule(text);
  if (rule !== null) return rule;
  throw new UsageError(
    `--auth-group: "${text}" is not a rule: write group=company:access, where access is ${ACCESSES.join(", ")}`,
  );
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
