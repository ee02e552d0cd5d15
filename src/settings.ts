// Every setting: its flag, default and help. `--base-path` has the environment variable `ROLLCALL_BASE_PATH`.

export interface Setting {
  /** In commander's syntax. */
  readonly flags: string;
  readonly help: string;
  readonly default?: string;
  /** The allowed values. */
  readonly choices?: readonly string[];
}

/** The settings of a server, in the order of its help. */
const SERVE_SETTINGS = {
  host: {
    flags: "--host <address>",
    default: "127.0.0.1",
    help: "the address to listen on",
  },
  port: { flags: "--port <number>", default: "4010", help: "the port to listen on" },
  basePath: {
    flags: "--base-path <path>",
    help: "the path at which a proxy serves Rollcall, such as /hr; the proxy may strip it",
  },
  today: {
    flags: "--today <date>",
    help: "the day that balances are computed for, YYYY-MM-DD (default: the current UTC day)",
  },
  rateLimit: {
    flags: "--rate-limit <number>",
    default: "100",
    help: "requests per second for each key; 0 for no limit",
  },
  streamRate: {
    flags: "--stream-rate <kilobytes>",
    default: "64",
    help: "the slowest that a client may read a stream, in kB per second; 0 for no limit",
  },
  cache: {
    flags: "--cache <megabytes>",
    default: "64",
    help: "memory for cached responses; 0 for none",
  },
  cors: {
    flags: "--cors <origin>",
    help: "an origin whose pages may call the API, such as https://intranet.example.com",
  },
  replica: {
    flags: "--replica <addresses...>",
    help: "postgres:// addresses of replicas to read from",
  },
  processes: {
    flags: "--processes <number>",
    default: "1",
    help: "number of processes that share the port",
  },
  tlsCert: {
    flags: "--tls-cert <file>",
    help: "serve HTTPS with this certificate chain (PEM); with --tls-key",
  },
  tlsKey: { flags: "--tls-key <file>", help: "the certificate's private key (PEM)" },
  trustProxy: {
    flags: "--trust-proxy <addresses>",
    help: "proxies whose X-Forwarded-For is trusted: addresses or ranges, separated by commas",
  },
  authProxy: {
    flags: "--auth-proxy <header>",
    help: "the header in which a trusted proxy names the signed-in person, such as X-Forwarded-Email; with --auth-group",
  },
  authGroup: {
    flags: "--auth-group <rules...>",
    help: "who may see what: group=company:access, where access is everything, no-reasons, away, self, self+away, reports or reports+away; the first match decides",
  },
  authGroupsHeader: {
    flags: "--auth-groups-header <header>",
    help: "the header in which the proxy names the person's groups, separated by commas (default: X-Forwarded-Groups beside an X-Forwarded header of --auth-proxy, else none)",
  },
  authAddressClaim: {
    flags: "--auth-address-claim <claim>",
    help: "the claim in which the provider of --sign-in or --mcp-issuer sends the work address, such as upn; only email needs email_verified (default: email)",
  },
  authGroupsClaim: {
    flags: "--auth-groups-claim <claim>",
    help: "the claim in which the provider of --sign-in or --mcp-issuer sends the groups (default: groups)",
  },
  authContact: {
    flags: "--auth-contact <text>",
    help: "whom signed-in people without access may ask, such as hr@acme.example (default: the operator)",
  },
  authSignOut: {
    flags: "--auth-sign-out <path>",
    help: "where the proxy of --auth-proxy signs people out, such as /oauth2/sign_out: the page leads there",
  },
  signIn: {
    flags: "--sign-in <address>",
    help: "the identity provider (OpenID Connect) at which people sign in without a proxy, as its metadata spells it; with --client-id, --public-address and --auth-group",
  },
  clientId: { flags: "--client-id <id>", help: "what the provider of --sign-in calls this server" },
  clientSecretFile: {
    flags: "--client-secret-file <file>",
    help: "the file with the secret that the provider of --sign-in gave this server (default: none, a public client)",
  },
  publicAddress: {
    flags: "--public-address <origin>",
    help: "where people open the page, without --base-path, such as https://rollcall.example.com",
  },
  sessionKeyFile: {
    flags: "--session-key-file <file>",
    help: "the file with at least 32 random bytes that seals sessions of --sign-in, the same for all servers (default: a new key each start)",
  },
  sessionTime: {
    flags: "--session-time <duration>",
    help: "how long somebody stays signed in by --sign-in (default: 10h)",
  },
  allowFeeds: {
    flags: "--allow-feeds",
    help: "let signed-in people make calendar feeds on the page, of people whom they see; on PostgreSQL also give it to migrate, so that the servers' role may add them",
  },
  mcpIssuer: {
    flags: "--mcp-issuer <address>",
    help: "the identity provider (OpenID Connect) whose access tokens /mcp accepts, as its metadata spells it; with --mcp-audience and --auth-group",
  },
  mcpAudience: {
    flags: "--mcp-audience <address>",
    help: "the address of /mcp as assistants use it, such as https://rollcall.example.com/mcp: only access tokens for it are accepted",
  },
  metricsHost: {
    flags: "--metrics-host <address>",
    default: "127.0.0.1",
    help: "the address to serve metrics on",
  },
  metricsPort: {
    flags: "--metrics-port <number>",
    help: "serve Prometheus metrics at /metrics on this port (default: none)",
  },
  backups: {
    flags: "--backups <folder>",
    help: "the folder of backups: the metrics show the age of the newest",
  },
  noEvents: {
    flags: "--no-events",
    help: "send nothing to hooks, because another process of this store does",
  },
  accessLog: {
    flags: "--access-log <file>",
    help: "append a line of JSON to this file for each read of people's data: when, who, which company and endpoint, how many (default: none)",
  },
  log: {
    flags: "--log <what>",
    default: "requests",
    choices: ["requests", "problems", "none"],
    help: "what to log to stderr as JSON lines: every request, only problems, or nothing",
  },
  serverTiming: {
    flags: "--server-timing",
    help: "add the duration of each phase to responses (Server-Timing)",
  },
} as const satisfies Record<string, Setting>;

export const SETTINGS = {
  db: {
    flags: "--db <store>",
    default: "./rollcall.db",
    help: "the store: a file path for the embedded one, or a postgres:// address",
  },
  json: { flags: "--json", help: "write one JSON document to stdout, for scripts" },
  company: { flags: "--company <id>", help: "the company" },
  yes: { flags: "--yes", help: "do not ask for confirmation" },
  ...SERVE_SETTINGS,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

export const SERVE_NAMES = Object.keys(SERVE_SETTINGS) as (keyof typeof SERVE_SETTINGS)[]; // its keys
