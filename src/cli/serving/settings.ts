// The settings of a server, parsed and checked before anything is opened.
import { createHash, randomBytes } from "node:crypto";
import type { TokenAuth } from "../../http/access-tokens.ts";
import { clientAddress, trustedPeer } from "../../http/client-address.ts";
import type { ProviderAuth } from "../../http/provider-sign-in.ts";
import { isBasePath } from "../../http/request-context.ts";
import {
  ACCESSES,
  type ClaimNames,
  type GroupRule,
  isUserHeader,
  type ProxyAuth,
  parseGroupRule,
  USUAL_CLAIMS,
} from "../../http/sign-in.ts";
import { isLoopback } from "../../loopback.ts";
import type { SettingName } from "../../settings.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { storeAt } from "../open.ts";
import { parseChoice, parseDate, parseSpan, parseWhole, readText } from "../options.ts";
import { LOG_CHOICES } from "./log.ts";
import { readTls } from "./tls.ts";

type Needed = "db" | "host" | "port" | "rateLimit" | "cache" | "processes" | "log";
type Flag = "serverTiming" | "allowFeeds";
type Listed = "authGroup" | "replica";

/** The options from commander, as texts; undefined if not given. The environment gives a list as one text. */
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
  const claims = parseClaims(options);
  const settings = {
    db: options.db,
    /** The store's address without a password, for messages. */
    dbShown: storeAt(options.db).shownAddress,
    replicas: [options.replica ?? []].flat().flatMap((text) => text.split(/[\s,]+/)),
    host: options.host,
    port: parseWhole("--port", options.port, 0, 65_535),
    requestsPerSecond: parseWhole("--rate-limit", options.rateLimit, 0, 1_000_000),
    /** The least rate at which a reader must take a stream, in bytes a second; 0 for no limit. */
    streamRateBytes: parseWhole("--stream-rate", options.streamRate ?? "64", 0, 1_000_000) * 1000, // the demo has no such option
    cacheBytes: parseWhole("--cache", options.cache, 0, 100_000) * 1024 * 1024,
    processes: parseWhole("--processes", options.processes, 1, 256),
    log: parseChoice("--log", options.log, LOG_CHOICES),
    /** The base path at a proxy, such as `/hr`; empty for the root. */
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
    /** The issuer whose access tokens `/mcp` accepts; null for none. */
    tokenAuth: parseTokenAuth(options, claims),
    /** Sign-in at an identity provider, without a proxy; null if off. */
    providerAuth: parseProviderAuth(options, claims),
    /** Sign-in through a trusted proxy, which names the person; null if off. */
    authProxy: parseAuthProxy(options),
    /** The address at which that proxy signs people out; null if not given. */
    proxySignOut: options.authSignOut ?? null,
    /** Whether signed-in people may make calendar feeds of the people they can see. */
    allowsFeeds: options.allowFeeds ?? false,
    /** The folder of backups whose age the metrics show; null for none. */
    backups: options.backups ?? null,
    /** The file that records who read personal data; null for none. */
    accessLog: options.accessLog ?? null,
    metricsPort:
      options.metricsPort === undefined ? null : parseWhole("--metrics-port", options.metricsPort, 1, 65_535),
    sendsEvents: options.events ?? true,
    /** Whether the page may take the key from its address. Only the demo does. */
    isDemo: false,
  };
  requireOneSignIn(settings);
  if (settings.tls === null) warnIfExposed(settings.host);
  return settings;
}

/** Raises UsageError for settings of a sign-in that contradict each other. */
function requireOneSignIn({ authProxy, providerAuth, proxySignOut, allowsFeeds }: ServeSettings): void {
  if (proxySignOut !== null && (authProxy === null || !/^\/(?![/\\])[!-~]*$/.test(proxySignOut)))
    throw new UsageError(
      `--auth-sign-out: "${proxySignOut}" must be a path of the proxy of --auth-proxy, such as /oauth2/sign_out`,
    );
  if (authProxy !== null && providerAuth !== null)
    throw new UsageError("--sign-in and --auth-proxy are two ways to sign in: give one of them");
  if (allowsFeeds && authProxy === null && providerAuth === null)
    throw new UsageError(
      "--allow-feeds needs --auth-proxy or --sign-in: feeds are made by people who are signed in",
    );
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

/** Functions that return a caller's address, and whether a connection comes from a trusted proxy. */
function parseTrusted(text: string | undefined) {
  const trusted = text === undefined ? [] : text.split(",").map((address) => address.trim());
  try {
    return { addressOf: clientAddress(trusted), isTrustedPeer: trustedPeer(trusted) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(
      `--trust-proxy: "${text}" has an entry that is neither an address nor a range such as 10.0.0.0/8 (/0 is everybody)`,
    );
  }
}

/** Reserved addresses (RFC 791, RFC 5737, RFC 3849). A range that includes one of them is far too large. */
const ANYBODY = ["0.0.0.1", "192.0.2.1", "203.0.113.1", "2001:db8::1"];

function parseRules({ authGroup = [] }: ServeOptions): GroupRule[] {
  const texts = [authGroup].flat().flatMap((text) => text.split(";"));
  return texts.filter((text) => text.trim() !== "").map((text) => parseRule(text.trim()));
}

/** Raises UsageError for settings under which nobody could sign in, or people could pose as others. */
function parseAuthProxy(options: ServeOptions): ProxyAuth | null {
  const rules = parseRules(options);
  if (options.authProxy === undefined) {
    if (rules.length > 0 && options.mcpIssuer === undefined && options.signIn === undefined)
      throw new UsageError("--auth-group needs --auth-proxy, --sign-in or --mcp-issuer, which name people");
    return null;
  }
  if (rules.length === 0)
    throw new UsageError("--auth-proxy needs --auth-group: without a rule nobody gets in");
  const { isTrustedPeer } = parseTrusted(options.trustProxy);
  if (options.trustProxy === undefined)
    throw new UsageError("--auth-proxy needs --trust-proxy: the addresses that may name who is signed in");
  if (ANYBODY.some(isTrustedPeer)) {
    throw new UsageError(
      "--trust-proxy: covers internet addresses, from which anybody could sign in as anybody; with --auth-proxy, name only the proxy",
    );
  }
  const userHeader = parseUserHeader("--auth-proxy", options.authProxy);
  // A proxy with another header for people does not replace X-Forwarded-Groups. Callers could then name their own groups.
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

/** The options that mean nothing without `--sign-in`. */
const OF_SIGN_IN = {
  clientId: "--client-id",
  clientSecretFile: "--client-secret-file",
  publicAddress: "--public-address",
  sessionKeyFile: "--session-key-file",
  sessionTime: "--session-time",
} as const satisfies Partial<Record<SettingName, string>>;

/** A shorter key could be guessed. */
const SESSION_KEY_MIN_BYTES = 32;

/** Raises UsageError for settings by which nobody could sign in, and CliFailure for a file that cannot be used. */
function parseProviderAuth(options: ServeOptions, claims: ClaimNames): ProviderAuth | null {
  const { signIn, clientId, publicAddress, clientSecretFile: secretFile, sessionKeyFile } = options;
  if (signIn === undefined) {
    const names = Object.entries(OF_SIGN_IN) as [keyof typeof OF_SIGN_IN, string][];
    const [, alone] = names.find(([name]) => options[name] !== undefined) ?? [];
    if (alone === undefined) return null;
    throw new UsageError(`${alone} needs --sign-in: the address of the identity provider`);
  }
  if (clientId === undefined)
    throw new UsageError("--sign-in needs --client-id: what the provider calls this server");
  if (publicAddress === undefined)
    throw new UsageError(
      "--sign-in needs --public-address: where people open the page, such as https://rollcall.example.com",
    );
  const rules = parseRules(options);
  if (rules.length === 0) throw new UsageError("--sign-in needs --auth-group: without a rule nobody gets in");
  const origin = parseSecureAddress("--public-address", publicAddress, "https://rollcall.example.com");
  if (new URL(origin).origin !== origin)
    throw new UsageError(
      `--public-address: "${origin}" is more than scheme, host and port: write ${new URL(origin).origin}; --base-path says what follows`,
    );
  if (sessionKeyFile === undefined && parseWhole("--processes", options.processes, 1, 256) > 1)
    throw new UsageError(
      "--sign-in with --processes needs --session-key-file, which all of them share: make it with openssl rand -base64 48",
    );
  const clientSecret = secretFile === undefined ? null : readText("--client-secret-file", secretFile).trim();
  if (clientSecret === "")
    throw new CliFailure(`--client-secret-file: ${secretFile} is empty: write the client's secret into it`);
  return {
    issuer: parseSecureAddress("--sign-in", signIn, "https://login.acme.example"),
    clientId,
    clientSecret,
    origin,
    sessionKey: sessionKeyFile === undefined ? randomBytes(32) : readSessionKey(sessionKeyFile),
    sessionMs: parseSpan("--session-time", options.sessionTime ?? "10h"),
    rules,
    claims,
    contact: options.authContact ?? null,
  };
}

/** Raises UsageError for names of claims without a provider that sends them. */
function parseClaims({
  signIn,
  mcpIssuer,
  authAddressClaim: address,
  authGroupsClaim: groups,
}: ServeOptions) {
  const given = address !== undefined ? "--auth-address-claim" : "--auth-groups-claim";
  if ((address ?? groups) !== undefined && signIn === undefined && mcpIssuer === undefined)
    throw new UsageError(`${given} needs --sign-in or --mcp-issuer: the provider that sends the claim`);
  return { address: address ?? USUAL_CLAIMS.address, groups: groups ?? USUAL_CLAIMS.groups };
}

/** SHA-256 of the file, whose text may have any form. */
function readSessionKey(path: string): Uint8Array {
  const text = readText("--session-key-file", path).trim();
  if (Buffer.byteLength(text) >= SESSION_KEY_MIN_BYTES) return createHash("sha256").update(text).digest();
  throw new CliFailure(
    `--session-key-file: ${path} has less than ${SESSION_KEY_MIN_BYTES} bytes: write random ones into it, with openssl rand -base64 48`,
  );
}

/** Raises UsageError for settings by which nobody could sign in. */
function parseTokenAuth(options: ServeOptions, claims: ClaimNames): TokenAuth | null {
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
  return { issuer, audience, rules, claims, contact: authContact };
}

/** An HTTPS address, or HTTP on this machine. Whoever can change traffic to it could sign in as anybody. */
const SECURE_ADDRESS =
  /^(?:https:\/\/[^\s"/?#@]+|http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?)(?:\/[^\s"?#]*)?$/;

/** Returns the address unchanged, because it is compared as text. */
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
  if (isLoopback(host)) return;
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
