// What a command can do with the store at an address, whatever its engine: open it, move its contents, examine it.
import {
  type Contents,
  type ReadStore,
  StoreRefusal,
  type StoreTransaction,
  type Waiting,
  type WriteStore,
} from "./store.ts";

/** The store is of a newer version. It is never written to, also not by a restore: its keys could not be kept. */
export class NewerStore extends StoreRefusal {
  constructor(shownAddress: string, format: number, known: number) {
    super(
      `${shownAddress} was written by a newer Rollcall (its format is ${format}, this one knows ${known})`,
      "upgrade Rollcall, or go back by restoring a backup from before the upgrade to a new store (docs/upgrading.md, How)",
    );
  }
}

/** The store is of a version before 1.0, or of a development version with other tables. This one does not read them. */
export class OlderStore extends StoreRefusal {
  constructor(shownAddress: string, by = "a Rollcall before 1.0") {
    super(
      `${shownAddress} was written by ${by}, which this one does not read`,
      "bring it over: with the older version, rollcall export --company ID --out FOLDER for each company. Then with this one, in a new store, rollcall companies create ID, rollcall import FOLDER --company ID, and new keys with rollcall keys create --company ID",
    );
  }
}

const DIGEST_BITS = 24;

/**
 * What a store or a backup says of its form: the number of the format, and behind it 24 bits of a digest of the text that describes
 * it. Released versions raise the number. A development version that only changes the text is told from others, too.
 */
export function formVersion(format: number, text: string): number {
  return (format << DIGEST_BITS) | (Bun.hash.crc32(text) & ((1 << DIGEST_BITS) - 1));
}

/** The number of the format in a `formVersion`. */
export function formatNumber(version: number): number {
  return version >> DIGEST_BITS;
}

/** What wrote a store or a backup whose format has the same number and another text. */
export const DEVELOPMENT_VERSION = "another development version of Rollcall, with other tables";

/** Raises StoreRefusal unless a store has the tables of this version. Both are `formVersion`. */
export function requireForm(shownAddress: string, stored: number, known: number): void {
  if (stored === known) return;
  const [format, knownFormat] = [formatNumber(stored), formatNumber(known)];
  if (format > knownFormat) throw new NewerStore(shownAddress, format, knownFormat);
  throw new OlderStore(shownAddress, format === 0 ? undefined : DEVELOPMENT_VERSION);
}

/** What is to be done before a command that is interrupted ends: a server may go on with its statement. */
export const whenInterrupted = new Set<() => Promise<void>>();

// What can be said of a `postgres://` address without the driver: commands on an embedded store do not load it.

export function isPostgresAddress(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address);
}

/** The address of a PostgreSQL store. Null if it is not an address, or if an `@` after the host shows that the password contains an unencoded `@`. */
export function addressUrl(db: string): URL | null {
  const url = URL.parse(db);
  if (url === null || /@/.test(url.pathname + url.hash) || /^\?[^=]*@/.test(url.search)) return null;
  return url;
}

/** A store at an address, not opened yet. Every call raises StoreRefusal or StoreUnavailable with what to do. */
export interface Store {
  /** The address without its password, to show in messages. */
  readonly shownAddress: string;
  /** Whether servers may read replicas of it. */
  readonly hasReplicas: boolean;
  /** Whether servers connect with their own role. `migrate` makes it, and grants it rights on new tables. */
  readonly hasReaderRole: boolean;
  /** Whether there is a store, of any version. */
  exists(): Promise<boolean>;
  /** For serving. Refuses a store that is missing or of another version. */
  openReader(options: ReaderOptions): Promise<ReadStore>;
  openWriter(options: WriterOptions): Promise<WriteStore>;
  /** Makes an empty store where there is none. Raises StoreRefusal for a store of another version. */
  migrate(role: ReaderRole): Promise<MigrateOutcome>;
  /** Frees what removed and replaced rows take. Raises StoreRefusal where the role may not. Null on an engine that needs none. */
  readonly vacuum: (() => Promise<void>) | null;
  /** Gives `work` all that the store holds at one moment, while others serve and import. */
  snapshot<T>(work: (contents: Contents) => Promise<T>): Promise<T>;
  /** Null on an engine whose own tools restore to any moment. */
  readonly commits: Commits | null;
  /** Replaces what the store holds, in one transaction. A damaged store is moved aside. `work` may be called twice. */
  replace(work: (transaction: StoreTransaction) => Promise<void>, waiting: Waiting): Promise<ReplaceOutcome>;
  /** Changes nothing. `examineContents` is called only if the engine's own checks found that the store can be read. */
  examine(isFull: boolean, examineContents: (contents: Contents) => Promise<Finding[]>): Promise<Examination>;
}

/** Noticing that something was committed, by whichever process, and reading what the store then is. */
export interface Commits {
  /** A text that differs from an earlier one if something was committed between, other than a key's last use. Reads no facts. */
  mark(): Promise<string>;
  /** Like `Store.snapshot`. `versions` has the version of each company: the same version has the same facts. */
  snapshot<T>(work: (contents: Contents, versions: ReadonlyMap<string, string>) => Promise<T>): Promise<T>;
}

export interface ReaderOptions {
  /** Addresses of replicas. */
  readonly replicas?: readonly string[];
}

export interface WriterOptions {
  /** Make the store where there is none. */
  readonly create?: boolean;
  /** Bring an older store to this version. */
  readonly migrate?: boolean;
}

/** The role that servers connect with, on an engine that has roles. */
export interface ReaderRole {
  readonly name: string;
  /** Set for the role, new or not; a new role without one cannot log in with a password. */
  readonly password?: string | undefined;
  /** Whether it may add calendar feeds; a role that could before no longer can. */
  readonly addsFeeds?: boolean | undefined;
  /** The role that imports, which is granted what it needs if there is one. */
  readonly importer?: string | undefined;
}

export interface ReaderRoleOutcome {
  readonly name: string;
  readonly created: boolean;
  readonly hasNewPassword: boolean;
  /** The role that imports; null where there is none. */
  readonly importer: string | null;
}

/** Whether the schema was made, or was there. */
export type SchemaChange = "created" | "none";

export interface MigrateOutcome {
  readonly schema: SchemaChange;
  /** Null on an engine without roles. */
  readonly role: ReaderRoleOutcome | null;
}

export interface ReplaceOutcome {
  /** Where the files of a damaged store were moved; null where none was. */
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
  /** What was looked at, such as "permissions". */
  readonly check: string;
  readonly problem: string;
  /** What to do, in words or as a command. */
  readonly advice: string;
}

/** What the role that examined the store may do, on an engine that has roles. */
export interface Grants {
  readonly role: string;
  /** Whose it is, by what it may do. */
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
  /** Null where the engine has no roles, or the role could not be asked for. */
  readonly grants: Grants | null;
}
