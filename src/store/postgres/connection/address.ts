// From a `postgres://` address to the settings of its connections (docs/postgresql.md, The address).
import pg from "pg";
import { StoreRefusal } from "../../store.ts";
import { addressUrl } from "./url.ts";

const POOL_DEFAULT = 10;
const TIMEOUT_DEFAULT_MS = 4000;

export interface Address {
  /** The server's name in messages, without a password. */
  readonly serverName: string;
  readonly connection: pg.ClientConfig;
  /** How many connections one process opens at most for reading. */
  readonly pool: number;
  /** How long one read may take on the server. */
  readonly timeoutMs: number;
  /** False behind a transaction pooler that cannot keep prepared statements or session settings. */
  readonly session: boolean;
}

/** Raises StoreRefusal for an address that cannot be understood; the message shows nothing of it. */
export function parseAddress(db: string): Address {
  const url = addressUrl(db);
  if (url === null) {
    if (/@[^/?]*,/.test(db)) throw severalHosts();
    throw new StoreRefusal(
      "The address of the store is malformed",
      "write postgres://user:password@host:5432/database, with every # / ? @ : % of the password percent-encoded (%23 %2F %3F %40 %3A %25), or without the password and give it by PGPASSWORD",
    );
  }
  if (url.host.includes(",") || url.searchParams.has("target_session_attrs")) throw severalHosts();
  const take = (name: string): string | null => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const pool = wholeNumber("pool", take("pool"), POOL_DEFAULT);
  const timeoutMs = wholeNumber("timeout", take("timeout"), TIMEOUT_DEFAULT_MS);
  const pooler = take("pooler");
  if (pooler !== null && pooler !== "transaction") {
    throw new StoreRefusal(`pooler=${pooler} in the address of the store`, `only "transaction" is known`);
  }
  const host = url.hostname === "" ? (url.searchParams.get("host") ?? "localhost") : url.hostname;
  const serverName = `PostgreSQL at ${host}:${url.port || 5432}${url.pathname}`;
  const connection = { connectionString: url.href, keepAlive: true, types: { getTypeParser } };
  return { serverName, connection, pool, timeoutMs, session: pooler === null };
}

/** The driver would ask the first host, or whichever the name leads to, and take no look at what it is. */
function severalHosts(): StoreRefusal {
  return new StoreRefusal(
    "The address of the store names several hosts, or asks for one by target_session_attrs, which is not supported",
    "name one address that leads to the primary, and standbys with --replica",
  );
}

function wholeNumber(name: string, text: string | null, otherwise: number): number {
  if (text === null) return otherwise;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new StoreRefusal(`${name}=${text} in the address of the store`, "write a whole number above 0");
}

/** Counts and instants are below 2^53, so `bigint` columns come as numbers. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 && format !== "binary"
    ? Number
    : pg.types.getTypeParser(oid, format as "text"); // the format is passed on as it came
