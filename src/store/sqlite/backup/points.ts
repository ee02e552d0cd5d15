// What a store was at a moment, in a folder of backups: recording it, and reading it.
//
// Rows are cut into pieces where the digest of a key says so, not by number: a row that is added or removed changes the
// pieces around it, and all others are those that are there already.
import { COMPANY_COLUMNS } from "../../../resources/company.ts";
import {
  type Company,
  type Contents,
  type StoredFeed,
  type StoredKey,
  type StoredSecret,
  StoreRefusal,
  unknownCompany,
} from "../../store.ts";
import { FACT_KINDS, type FactKind, type Rows } from "../../tables.ts";
import {
  ContentsDigest,
  FactsDigest,
  firstColumns,
  type RowCounts,
  rowOf,
  rowText,
} from "../../transfer/contents.ts";
import { keyOf } from "../../transfer/stale-rows.ts";
import { type BackupFolder, DamagedFile, type Digest, sha256, type WritableBackupFolder } from "./folder.ts";

const FORMAT = 1;

/** Rows in a piece: about so many, and at most. Small pieces store less again after a change, and make more files. */
const USUAL_ROWS = 128;
const MOST_ROWS = 1024;

interface CompanyEntry {
  readonly company: Company;
  /** The store's version of the company: the same version has the same facts. */
  readonly version: string;
  /** `FactsDigest`. */
  readonly facts: Digest;
  /** The piece that lists the pieces of the facts. */
  readonly list: Digest;
  readonly rows: Readonly<Record<FactKind, number>>;
}

export interface Point {
  readonly format: typeof FORMAT;
  readonly madeAtMs: number;
  /** `ContentsDigest`: that of a backup in one file that was made at the same moment. */
  readonly digest: Digest;
  readonly rows: RowCounts;
  /** `firstColumns` of each kind, by which rows are read. */
  readonly columns: Readonly<Record<FactKind, readonly string[]>>;
  readonly companies: readonly CompanyEntry[];
  /** The piece with all keys and feeds. */
  readonly keys: Digest;
  /** Over the keys and feeds without their last use, which alone makes no new point. */
  readonly keysMark: Digest;
}

/** One piece of a company's facts. */
interface ListedPiece {
  readonly kind: FactKind;
  readonly digest: Digest;
}

const COLUMNS = Object.fromEntries(FACT_KINDS.map((kind) => [kind, firstColumns(kind)])) as Point["columns"]; // every kind

const sealOf = (point: Point): Digest => sha256(JSON.stringify(point));

// Recording ----------------------------------------------------------------------------------------------------------

export interface Recorded {
  readonly point: Point;
  /** Companies whose facts were read. */
  readonly changed: number;
  readonly writtenBytes: number;
}

/** Records what the store is, unless it is what the last point says: then null. `versions` are those of its companies. */
export async function recordPoint(
  folder: WritableBackupFolder,
  contents: Contents,
  versions: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<Recorded | null> {
  const lastMs = folder.points().at(-1);
  const last = lastMs === undefined ? null : readableOrNull(() => readPoint(folder, lastMs));
  const before = new Map(last?.companies.map((entry) => [entry.company.id, entry]));
  const companies: CompanyEntry[] = [];
  let [changed, writtenBytes] = [0, 0];
  const onWritten = (bytes: number) => {
    writtenBytes += bytes;
  };
  for (const company of await contents.companies()) {
    const { id } = company;
    const version = versions.get(id) ?? "";
    let facts: FactsEntry | undefined = before.get(id);
    if (facts?.version !== version || !isWhole(folder, facts.list)) {
      facts = { version, ...(await putFacts(folder, contents, id, onWritten)) };
      changed++;
    }
    const { list, rows, facts: digest } = facts;
    companies.push({ company: storedCompany(company), version, facts: digest, list, rows });
  }
  const ids = new Set(companies.map(({ company }) => company.id));
  const secrets: Secrets = {
    keys: (await contents.keys()).filter(({ companyId }) => ids.has(companyId)),
    feeds: (await contents.feeds()).filter(({ companyId }) => ids.has(companyId)),
  };
  const unused = [...secrets.keys, ...secrets.feeds].map((secret) => ({ ...secret, lastUsedAtMs: null }));
  const keysMark = sha256(JSON.stringify(unused));
  const isSame = last?.keysMark === keysMark && JSON.stringify(last.companies) === JSON.stringify(companies);
  if (isSame && folder.hasPiece(last.keys)) return null;
  const keysPiece = folder.putPiece(JSON.stringify(secrets));
  const point: Point = {
    format: FORMAT,
    madeAtMs: Math.max(nowMs, (lastMs ?? 0) + 1), // also if the clock was set back
    digest: digestOf(companies, secrets),
    rows: rowsOf(companies, secrets),
    columns: COLUMNS,
    companies,
    keys: keysPiece.digest,
    keysMark,
  };
  writtenBytes += keysPiece.writtenBytes;
  writtenBytes += folder.putPoint(point.madeAtMs, JSON.stringify({ ...point, seal: sealOf(point) }));
  return { point, changed, writtenBytes };
}

function storedCompany(company: Company): Company {
  const columns = COMPANY_COLUMNS.map((column) => [column, company[column]]);
  return Object.fromEntries(columns) as unknown as Company; // all of its columns
}

type FactsEntry = Pick<CompanyEntry, "version" | "facts" | "list" | "rows">;

/** Whether all pieces are there: somebody may have removed damaged ones. */
function isWhole(folder: WritableBackupFolder, list: Digest): boolean {
  const pieces = folder.hasPiece(list) ? readableOrNull(() => listedPieces(folder, list)) : null;
  return pieces?.every(({ digest }) => folder.hasPiece(digest)) ?? false;
}

function readableOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedFile) return null;
    throw error;
  }
}

async function putFacts(
  folder: WritableBackupFolder,
  contents: Contents,
  companyId: string,
  onWritten: (bytes: number) => void,
): Promise<Omit<FactsEntry, "version">> {
  const facts = new FactsDigest();
  const rows = Object.fromEntries(FACT_KINDS.map((kind) => [kind, 0])) as Record<FactKind, number>; // every kind
  const list: string[] = [];
  const open = { kind: FACT_KINDS[0]!, lines: "", rows: 0 };
  const put = (text: string): Digest => {
    const { digest, writtenBytes } = folder.putPiece(text);
    onWritten(writtenBytes);
    return digest;
  };
  const close = () => {
    if (open.rows === 0) return;
    facts.addLines(open.kind, open.lines);
    list.push(`${open.kind} ${put(open.lines)}`);
    open.lines = "";
    open.rows = 0;
  };
  await contents.export(companyId, async (kind, batch) => {
    for (const row of batch) {
      if (open.kind !== kind) close();
      open.kind = kind;
      open.lines += `${rowText(kind, row)}\n`;
      open.rows++;
      rows[kind]++;
      if (open.rows === MOST_ROWS || endsPiece(kind, row)) close();
    }
  });
  close();
  return { facts: facts.hex(), list: put(list.join("\n")), rows };
}

function endsPiece<K extends FactKind>(kind: K, row: Rows[K]): boolean {
  return Bun.hash.crc32(keyOf(kind, row).join(" ")) % USUAL_ROWS === 0;
}

/** What the point has beside companies. */
interface Secrets {
  readonly keys: readonly StoredKey[];
  readonly feeds: readonly StoredFeed[];
}

function digestOf(companies: readonly CompanyEntry[], { keys, feeds }: Secrets): Digest {
  const digest = new ContentsDigest();
  for (const { company, facts } of companies) digest.company(company, facts);
  for (const key of keys) digest.key(key);
  for (const feed of feeds) digest.feed(feed);
  return digest.hex();
}

function rowsOf(companies: readonly CompanyEntry[], { keys, feeds }: Secrets): RowCounts {
  const sums = FACT_KINDS.map((kind) => [
    kind,
    companies.reduce((sum, { rows }) => sum + (rows[kind] ?? 0), 0),
  ]);
  return {
    ...Object.fromEntries(sums), // every kind
    companies: companies.length,
    keys: keys.length,
    feeds: feeds.length,
  };
}

// Reading ------------------------------------------------------------------------------------------------------------

/** Raises DamagedFile, and StoreRefusal for a point of a newer version. */
export function readPoint(folder: BackupFolder, atMs: number): Point {
  const text = folder.point(atMs);
  try {
    const { seal, ...point } = JSON.parse(text) as Point & { seal: string }; // believed only with its seal
    if (seal === sealOf(point)) {
      if (point.format === FORMAT) return point;
      throw new StoreRefusal(
        `${folder.pointPath(atMs)} was made by a newer Rollcall. Nothing was changed`,
        "upgrade Rollcall first",
      );
    }
  } catch (error) {
    if (error instanceof StoreRefusal) throw error;
  }
  throw new DamagedFile(folder.pointPath(atMs), "is damaged");
}

/** The last point that is not later than `atMs`. Raises StoreRefusal if there is none, or it is damaged. */
export function pointAt(folder: BackupFolder, atMs = Number.POSITIVE_INFINITY): Point {
  const moments = folder.points();
  const [first] = moments;
  if (first === undefined) throw new StoreRefusal(`${folder.path} holds no backup yet`, "check the path");
  const found = moments.findLast((moment) => moment <= atMs);
  if (found !== undefined) return readPoint(folder, found);
  throw new StoreRefusal(
    `The first backup in ${folder.path} is of ${new Date(first).toISOString()}, after that moment. Nothing was changed`,
    "give a later one with --at",
  );
}

export function listedPieces(folder: BackupFolder, list: Digest): ListedPiece[] {
  const text = folder.piece(list);
  return text === ""
    ? []
    : text.split("\n").map((line) => {
        const [kind, digest] = line.split(" ");
        return { kind: kind as FactKind, digest: digest! }; // as it was written: the piece's digest is right
      });
}

/** Reads all pieces of the point. Raises DamagedFile if one is missing or damaged, or they do not make what was recorded. */
export async function verifyPoint(folder: BackupFolder, point: Point): Promise<void> {
  for (const { list, facts: expected } of point.companies) {
    const facts = new FactsDigest();
    for (const { kind, digest } of listedPieces(folder, list)) {
      facts.addLines(kind, folder.piece(digest));
      await new Promise(setImmediate); // lets signals through
    }
    if (facts.hex() !== expected) throw new DamagedFile(folder.piecePath(list), "is damaged");
  }
  if (digestOf(point.companies, secretsOf(folder, point)) !== point.digest)
    throw new DamagedFile(folder.piecePath(point.keys), "is damaged");
}

function secretsOf(folder: BackupFolder, point: Point): Secrets {
  return JSON.parse(folder.piece(point.keys)); // as it was written: the piece's digest is right
}

function isOf(companyId: string | undefined) {
  return (secret: StoredSecret) => companyId === undefined || secret.companyId === companyId;
}

/** What the point holds. Reading raises DamagedFile. */
export function contentsOfPoint(folder: BackupFolder, point: Point): Contents {
  return {
    companies: async () => point.companies.map(({ company }) => company),
    keys: async (companyId) => secretsOf(folder, point).keys.filter(isOf(companyId)),
    feeds: async (companyId) => secretsOf(folder, point).feeds.filter(isOf(companyId)),
    async export(companyId, visit) {
      const entry = point.companies.find(({ company }) => company.id === companyId);
      if (entry === undefined) throw unknownCompany(companyId);
      for (const { kind, digest } of listedPieces(folder, entry.list)) {
        const lines = folder.piece(digest).trimEnd().split("\n");
        await visit(
          kind,
          lines.map((line) => rowOf(kind, line, point.columns[kind])),
        );
        await new Promise(setImmediate); // lets signals through
      }
    },
  };
}
