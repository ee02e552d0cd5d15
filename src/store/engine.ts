// What a command can do with the store at an address, whatever its engine: open it, move its contents, examine it.
import {
  type Contents,
  type ReadStore,
  StoreRefusal,
  type StoreTransaction,
  type Waiting,
  type WriteStore,
} from "./store.ts";

/** The store is of a newer version. Nothing writes to it, not even a restore, because its keys would be lost. */
export class NewerStore extends StoreRefusal {
  constructor(shownAddress: string, format: number, known: number) {
    super(
      `${shownAddress} was written by a newer Rollcall (its format is ${format}, this one knows ${known})`,
      "upgrade Rollcall, or restore a backup from before the upgrade to a new store (docs/upgrading.md, How)",
    );
  }
}

/** The store is of a version before 1.0, or of a development version with other tables. This version cannot read it. */
export class OlderStore extends StoreRefusal {
  constructor(shownAddress: string, by = "a Rollcall before 1.0") {
    super(
      `${shownAddress} was written by ${by}, which this one does not read`,
      "bring it over: with the older version, rollcall export --company ID --out FOLDER for each company. Then with this one, in a new store, rollcall companies create ID, rollcall import FOLDER --company ID, and new keys with rollcall keys create --company ID",
    );
  }
}

const DIGEST_BITS = 24;

/** The version in a store or a backup: the format's number, and 24 bits of a digest, which tells development versions apart. */
export function formVersion(format: number, text: string): number {
  return (format << DIGEST_BITS) | (Bun.hash.crc32(text) & ((1 << DIGEST_BITS) - 1));
}

/** The number of the format in a `formVersion`. */
export function formatNumber(version: number): number {
  return version >> DIGEST_BITS;
}

/** In messages, the writer of a store or a backup whose format has this version's number but another digest. */
export const DEVELOPMENT_VERSION = "another development version of Rollcall, with other tables";

/** Raises StoreRefusal unless a store has the tables of this version. Both are `formVersion`. */
export function requireForm(shownAddress: string, stored: number, known: number): void {
  if (stored === known) return;
  const [format, knownFormat] = [formatNumber(stored), formatNumber(known)];
  if (format > knownFormat) throw new NewerStore(shownAddress, format, knownFormat);
  throw new OlderStore(shownAddress, format === 0 ? undefined : DEVELOPMENT_VERSION);
}

/** What an interrupted command does before it exits, such as cancelling a statement that a server would otherwise finish. */
export const whenInterrupted = new Set<() => Promise<void>>();

// Reading a `postgres://` address without the driver, which commands on an embedded store do not load.

export function isPostgresAddress(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address);
}

/** The address of a PostgreSQL store; null for any other text. An `@` after the host shows that the password has an unencoded `/`, `?` or `#`. */
export function addressUrl(db: string): URL | null {
  const url = URL.parse(db);
  if (url === null || /@/.test(url.pathname + url.hash) || /^\?[^=]*@/.test(url.search)) return null;
  return url;
}

/** A store at an address, not opened yet. Every call raises StoreRefusal or StoreUnavailable, with advice. */
export interface Store {
  /** The address without its password, to show in messages. */
  readonly shownAddress: string;
  /** Whether it is on a database server: then it may have replicas, and a role that only reads, which `migrate` makes. */
  readonly isOnServer: boolean;
  /** Whether there is a store, of any version. */
  exists(): Promise<boolean>;
  /** For serving. Refuses a store that is missing or of another version. */
  openReader(options: ReaderOptions): Promise<ReadStore>;
  openWriter(options: WriterOptions): Promise<WriteStore>;
  /** Makes an empty store unless there is one. Raises StoreRefusal for a store of another version. */
  migrate(role: ReaderRole): Promise<MigrateOutcome>;
  /** Frees the space of removed and replaced rows. Raises StoreRefusal if the role may not. Null on an engine that needs none. */
  readonly vacuum: (() => Promise<void>) | null;
  /** Calls `work` with a snapshot of the store, while others serve and import. */
  snapshot<T>(work: (contents: Contents) => Promise<T>): Promise<T>;
  /** Null on an engine with a server of its own. */
  readonly file: StoreInFile | null;
  /** Replaces the whole contents, in one transaction. Moves a damaged store aside. May call `work` twice. */
  replace(work: (transaction: StoreTransaction) => Promise<void>, waiting: Waiting): Promise<ReplaceOutcome>;
  /** Changes nothing. Calls `examineContents` only if the engine's own checks found that the store can be read. */
  examine(isFull: boolean, examineContents: (contents: Contents) => Promise<Finding[]>): Promise<Examination>;
}

export interface StoreInFile {
  /** A text that changes with each commit, except one that only notes a key's last use. Reads no facts. */
  mark(): Promise<string>;
  /** Writes a snapshot of the store, without its keys, to a file that is missing or empty. Others serve and import meanwhile. */
  vacuumInto(path: string): Promise<void>;
}

export interface ReaderOptions {
  /** Addresses of replicas. */
  readonly replicas?: readonly string[];
  /** Called with the reason when a replica is not used any more. */
  readonly onReplicaDown?: (error: unknown) => void;
}

export interface WriterOptions {
  /** Make the store if there is none. */
  readonly create?: boolean;
}

/** The role that servers connect with, on an engine that has roles. */
export interface ReaderRole {
  readonly name: string;
  /** The new password of the role, which may exist. A new role without one cannot log in with a password. */
  readonly password?: string | undefined;
  /** Whether it may add calendar feeds. If not, the right is revoked. */
  readonly addsFeeds?: boolean | undefined;
  /** The role that imports, which gets the rights that it needs; undefined if there is none. */
  readonly importer?: string | undefined;
}

export interface ReaderRoleOutcome {
  readonly name: string;
  readonly created: boolean;
  readonly hasNewPassword: boolean;
  /** The role that imports; null if there is none. */
  readonly importer: string | null;
}

/** Whether the schema was created, or existed. */
export type SchemaChange = "created" | "none";

export interface MigrateOutcome {
  readonly schema: SchemaChange;
  /** Null on an engine without roles. */
  readonly role: ReaderRoleOutcome | null;
}

export interface ReplaceOutcome {
  /** The path of the damaged store that was moved aside; null if there was none. */
  readonly quarantine: string | null;
  readonly added: AddedSecrets;
}

/** How many keys and calendar feeds the store did not have before. */
export interface AddedSecrets {
  readonly keys: number;
  readonly feeds: number;
}

/** Something wrong with a store or its settings, and what to do about it. */
export interface Finding {
  /** The check that found it, such as "permissions". */
  readonly check: string;
  readonly problem: string;
  /** What to do, in words or as a command. */
  readonly advice: string;
}

/** The rights of the role that examined the store, on an engine that has roles. */
export interface Grants {
  readonly role: string;
  /** What the role is for, by its rights. */
  readonly isOf: "administrator" | "owner" | "importer" | "reader";
  /** The privileges on each of Rollcall's tables, in lower case. */
  readonly tables: readonly { readonly table: string; readonly privileges: readonly string[] }[];
  /** Whether it may note the last use of keys and feeds. */
  readonly touchesKeys: boolean;
  /** Powers beyond tables: superuser, making roles, databases or tables, owning Rollcall's tables. */
  readonly powers: readonly string[];
}

export interface Examination {
  readonly findings: readonly Finding[];
  /** Null if the engine has no roles, or the role's rights could not be read. */
  readonly grants: Grants | null;
}
