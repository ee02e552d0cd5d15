// PostgreSQL's errors, recognised by SQLSTATE (appendix A of its manual), never by a message.
import pg from "pg";
import { StoreRefusal, StoreUnavailable } from "../../store.ts";

/** The SQLSTATE of an error that the server sent; null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

const UNDEFINED_TABLE = "42P01";
export const DUPLICATE_TABLE = "42P07";
export const LOCK_NOT_AVAILABLE = "55P03";
const INSUFFICIENT_PRIVILEGE = "42501";
const UNIQUE_VIOLATION = "23505";
const INVALID_STATEMENT_NAME = "26000";
const DUPLICATE_STATEMENT = "42P05";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";

/** Whether an error, PostgreSQL's or ours, says that the role lacks a permission. */
export function lacksRight(error: unknown): boolean {
  return sqlState(error instanceof StoreRefusal ? error.cause : error) === INSUFFICIENT_PRIVILEGE;
}

/** Whether two sessions made the same table at the same time: the second may try again. */
export function isCreationRace(error: unknown): boolean {
  return sqlState(error) === UNIQUE_VIOLATION || sqlState(error) === DUPLICATE_TABLE;
}

/** Whether a transaction pooler gave us a session that does not know (or already knows) our prepared statement. */
export function isStatementMixUp(error: unknown): boolean {
  return sqlState(error) === INVALID_STATEMENT_NAME || sqlState(error) === DUPLICATE_STATEMENT;
}

/** Whether a short transaction conflicted with another: it may simply run again. */
export function isConflict(error: unknown): boolean {
  return sqlState(error) === SERIALIZATION_FAILURE || sqlState(error) === DEADLOCK;
}

const IDLE_SESSION_TIMEOUT = "57P05";

/** States after which the session is gone, or the server is stopping or starting. */
const CLOSING = ["57P01", "57P02", "57P03", "57P04", IDLE_SESSION_TIMEOUT];

/** Whether the server ended an idle session. A statement that was sent just then did not run. */
export function isIdleTimeout(error: unknown): boolean {
  return sqlState(error) === IDLE_SESSION_TIMEOUT;
}

/** Whether the connection that raised the error is unusable. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state === null) return !(error instanceof TypeError) && !(error instanceof RangeError);
  return state.startsWith("08") || CLOSING.includes(state);
}

/** Maps an error to one that says what to do; our own bugs stay as they are. `serverName` is for messages. */
export function mapError(error: unknown, serverName: string): unknown {
  if (error instanceof StoreRefusal || error instanceof StoreUnavailable) return error;
  const state = sqlState(error);
  if (state === null) return isConnectionLost(error) ? unreachable(error, serverName) : error;
  return forState(state, { cause: error }, serverName) ?? error;
}

/** The codes of OpenSSL and Node.js for an untrusted certificate: its chain, its validity period, or its names. */
const CERTIFICATE_CODE = /CERT|^UNABLE_TO_(GET|VERIFY)|^HOSTNAME_MISMATCH$/;

/** The driver's message if the server requires a password and none is given. The error has no code. */
const NO_PASSWORD = /^SASL: .*\bclient password must be\b/;

/** The driver's messages if an open connection was closed, during a statement or before it. The errors have no code. */
const CLOSED = [
  "Connection terminated unexpectedly",
  "Client has encountered a connection error and is not queryable",
];

function unreachable(cause: unknown, serverName: string): StoreUnavailable | StoreRefusal {
  const { code, path, syscall } = cause as { code?: unknown; path?: unknown; syscall?: unknown }; // any error may have them
  if (typeof code === "string" && CERTIFICATE_CODE.test(code)) {
    return new StoreUnavailable(
      `${serverName} shows a certificate that is not trusted (${code})`,
      "check sslrootcert and the host's name in --db",
      { cause },
    );
  }
  if (syscall === "open") {
    return new StoreUnavailable(
      `${path}, which --db names, cannot be read (${code})`,
      "check the path and its permissions",
      {
        cause,
      },
    );
  }
  const reason = typeof code === "string" ? code : String((cause as Error).message);
  if (NO_PASSWORD.test(reason)) {
    return new StoreRefusal(
      `${serverName} requires a password, and none is given`,
      "write it in the address, or give it by PGPASSWORD or in a password file (~/.pgpass, or PGPASSFILE names it)",
      { cause },
    );
  }
  if (CLOSED.includes(reason)) return ended(cause, serverName);
  return new StoreUnavailable(
    `${serverName} cannot be reached (${withoutCredentials(reason)})`,
    "check the address, and that the server runs",
    { cause },
  );
}

/** For a connection that the server closed, perhaps without an error, such as when the disk of its log is full. */
function ended(cause: unknown, serverName: string): StoreUnavailable {
  return new StoreUnavailable(
    `${serverName} ended the connection`,
    "it stops or starts, or somebody ended the session: its log says why",
    { cause },
  );
}

/** Removes everything before an `@`: in an address, that is the user and the password. */
function withoutCredentials(text: string): string {
  return text.replace(/\S*@/g, "…@");
}

/** Whether a retry may help, the problem (# is the server's name, % its message), and what to do. */
type Meaning = readonly ["unavailable" | "refused", problem: string, advice: string | null];

const BUSY: Meaning = ["unavailable", "# is busy", "try again"];

const MEANINGS: Readonly<Record<string, Meaning>> = {
  "57014": [
    "unavailable",
    "# took too long",
    "if it happens often, raise timeout= in the address, and the role's statement_timeout",
  ],
  "25P03": ["unavailable", "# ended a transaction that was idle for too long", "run it again"],
  "25P04": [
    "unavailable",
    "# ended a transaction that took too long",
    "raise transaction_timeout for the database or the role",
  ],
  "28000": [
    "refused",
    "# does not let this role in from here",
    "see that pg_hba.conf has a line for the role, the database and this machine, that the address has sslmode if that line is hostssl (docs/postgresql.md, TLS to the database), and that the role exists and may log in",
  ],
  "28P01": [
    "refused",
    "# does not let this role in",
    "check the name and the password in --db, or PGPASSWORD if --db has none",
  ],
  [IDLE_SESSION_TIMEOUT]: [
    "unavailable",
    "# ended a session that was idle for too long",
    "raise idle_session_timeout for the database or the role",
  ],
  "3D000": ["refused", "# does not exist", "create the database, or name another at the end of the address"],
  [INSUFFICIENT_PRIVILEGE]: [
    "refused",
    "This role may not do that on # (%)",
    "to change something, use the role that imports, or the owner; to read, run rollcall migrate as that owner to grant it",
  ],
  "25006": [
    "refused",
    "# takes no changes: it is a standby, or default_transaction_read_only is on",
    "name the primary with --db, or reset the setting for the database and the role",
  ],
  "53100": ["refused", "A disk of # is full (%). Nothing was changed", "free some space and try again"],
  "53400": [
    "refused",
    "# allows too little room for temporary files (temp_file_limit). Nothing was changed",
    "raise temp_file_limit for the database or the role",
  ],
  "53300": [
    "unavailable",
    "# has no connection left (%)",
    "raise the limit of the server (max_connections), the database or the role, or lower pool= in --db",
  ],
  [UNDEFINED_TABLE]: [
    "refused",
    "There is no store at #",
    "make one with rollcall migrate, as the owner of the database, or name another store. If there is one, this role may not use its schema, or the search_path of the role or the database leads to another",
  ],
  [SERIALIZATION_FAILURE]: BUSY,
  [DEADLOCK]: BUSY,
  [LOCK_NOT_AVAILABLE]: [
    "unavailable",
    "Another session held a lock that this needs on # for longer than lock_timeout allows",
    "find that session, and end it (docs/postgresql.md, A writer that hangs)",
  ],
  // PgBouncer sends it when it refuses a login, a setting or a transaction, when a wait is too long, or when a database is missing.
  "08P01": [
    "unavailable",
    "# is a pooler that refuses this (%)",
    "its database is away, it has no connection left, or it does not know the role or its password. Or it takes no session settings: then add pooler=transaction to the address. Or it takes no transactions: then let commands connect directly",
  ],
};

function forState(state: string, cause: { cause: unknown }, serverName: string): Error | null {
  const meaning = MEANINGS[state];
  if (meaning !== undefined) {
    const [kind, problem, advice] = meaning;
    const said = withoutCredentials(String((cause.cause as Error).message)); // an error of the driver
    const text = problem.replace(/[#%]/g, (mark) => (mark === "#" ? serverName : said));
    return kind === "refused"
      ? new StoreRefusal(text, advice, cause)
      : new StoreUnavailable(text, advice, cause);
  }
  if (CLOSING.includes(state) || state.startsWith("08")) return ended(cause.cause, serverName);
  // Lack of resources, an error of the kernel, an internal fault.
  if (["53", "58", "XX"].includes(state.slice(0, 2)))
    return new StoreUnavailable(`${serverName} failed (${state})`, null, cause);
  return null;
}
