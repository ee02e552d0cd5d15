// The format of backups, that of 1.0, whatever engine the store is on.
//
// A backup is a point and its pieces. A *piece* is a text, named by its SHA-256. A *point* is JSON that says what the store was at a
// moment, and names the pieces:
//
//   rows      for each row a line, a JSON object of its columns: those of `tables.ts` without nulls, sorted by name. Each piece has
//             rows of one kind of one company, in key order; or of a table with what was known of them
//   lists     of each company a piece that lists its pieces of rows: for each a line, the kind and the piece's name
//   imports   of each company a piece with what is remembered of its imports, and what its own row was: `Remembered` as JSON
//   secrets   one piece, `Secrets` as JSON: all keys and calendar feeds, with the digests of what opens them
//
// So a backup is whole if the point fits its seal and each piece fits its name. Rows are cut into pieces where the digest of a key
// says so, not by number: a row that is added or removed changes the pieces around it, and all others are those that are there
// already. docs/decisions/0031-backups-of-every-moment.md
import { COMPANY_COLUMNS } from "../../../resources/company.ts";
import { DEVELOPMENT_VERSION, formatNumber, formVersion } from "../../engine.ts";
import { RECORD_TABLES } from "../../history.ts";
import {
  type Company,
  type Contents,
  type StoredCalendar,
  type StoredImport,
  type StoredKey,
  type StoredRecord,
  type StoredSecret,
  StoreRefusal,
  unknownCompany,
} from "../../store.ts";
import { KINDS, type Kind, keyOf, type Rows, TABLES } from "../../tables.ts";
import { recordText, rowOf, rowText } from "../../transfer/row-texts.ts";

/** The number of the format. A released version that changes it raises it. */
export const FORMAT = 1;

/** What a point says of the form of its rows. */
const FORM = formVersion(
  FORMAT,
  JSON.stringify([
    COMPANY_COLUMNS,
    KINDS.map((kind) => [kind, TABLES[kind].columns.toSorted()]),
    RECORD_TABLES.map(({ name, columns }) => [name, columns.toSorted()]),
  ]),
);

/** Rows in a piece: about so many, and at most. Small pieces store less again after a change, and make more files. */
const USUAL_ROWS = 128;
const MOST_ROWS = 1024;

/** SHA-256 in hexadecimal. */
export type Digest = string;

export function sha256(bytes: string | Uint8Array): Digest {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Where pieces are. */
export interface Pieces {
  /** Raises DamagedFile if the piece is missing, or not what its name says. */
  piece(digest: Digest): string;
  /** Stores the text, unless it is there already. */
  putPiece(text: string): Digest;
}

/** A piece or a point is missing or not as it was written. */
export class DamagedFile extends StoreRefusal {}

/** What is counted: companies, what is opened by a secret, and rows of companies. */
export const COUNTED = ["companies", "keys", "feeds", ...KINDS] as const;

/** What a backup says of itself. */
export interface BackupDescription {
  readonly madeAtMs: number;
  /** Over everything that the store held: the same for the same contents, on every engine. */
  readonly digest: Digest;
  /** How many rows there are of each kind. */
  readonly rows: Readonly<Record<(typeof COUNTED)[number], number>>;
}

export interface Point extends BackupDescription {
  /** `FORM`. */
  readonly rollcallBackup: number;
  readonly companies: readonly CompanyEntry[];
  readonly secrets: Digest;
}

interface CompanyEntry {
  readonly company: Company;
  /** The store's version of the company: the same version has the same rows. Null where it was not asked for. */
  readonly version: string | null;
  readonly list: Digest;
  readonly imports: Digest;
  readonly rows: Readonly<Record<Kind, number>>;
}

interface Remembered {
  readonly imports: readonly StoredImport[];
  readonly states: readonly StoredRecord[];
}

interface Secrets {
  readonly keys: readonly StoredKey[];
  readonly feeds: readonly StoredCalendar[];
}

// Texts --------------------------------------------------------------------------------------------------------------

/** The point as it is stored, with its seal. */
export function pointText(point: Point): string {
  return JSON.stringify({ ...point, seal: sha256(JSON.stringify(point)) });
}

/** The point that is stored as `text` at `path`. Null if it is not as it was written. Raises StoreRefusal for that of another version. */
export function parsePoint(text: string, path: string): Point | null {
  const { seal, ...point } = parsed(text);
  if (seal !== sha256(JSON.stringify(point))) return null;
  const { rollcallBackup } = point;
  if (rollcallBackup !== FORM) {
    const number = typeof rollcallBackup === "number" ? formatNumber(rollcallBackup) : 0;
    if (number > FORMAT) throw newerBackup(path);
    throw olderBackup(path, number === FORMAT ? DEVELOPMENT_VERSION : undefined);
  }
  return point as unknown as Point; // its seal is right
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

export function olderBackup(path: string, by = "a Rollcall before 1.0"): StoreRefusal {
  return new StoreRefusal(
    `${path} was made by ${by}, which this one does not read. Nothing was changed`,
    `bring it over: with the older version, rollcall restore ${path} --db older.db, and rollcall export --db older.db --company ID --out FOLDER for each company. Then with this one, rollcall companies create ID, rollcall import FOLDER --company ID, and new keys with rollcall keys create --company ID`,
  );
}

export function newerBackup(path: string): StoreRefusal {
  return new StoreRefusal(
    `${path} was made by a newer Rollcall. Nothing was changed`,
    "upgrade Rollcall first",
  );
}

export function compressed(text: string): Uint8Array {
  return Bun.zstdCompressSync(text);
}

/** Null if it was not compressed so. */
export function decompressed(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder().decode(Bun.zstdDecompressSync(bytes));
  } catch {
    return null;
  }
}

// Making -------------------------------------------------------------------------------------------------------------

export interface PointOptions {
  readonly nowMs: number;
  /** The version of each company. */
  readonly versions?: ReadonlyMap<string, string>;
  /** The point before, whose pieces are in the same place: companies with the same version are not read again. */
  readonly last?: Point | null;
  /** Gets how many rows were read so far. */
  readonly onRows?: (rows: number) => void;
}

export interface MadePoint {
  readonly point: Point;
  /** Companies whose rows were read. */
  readonly changed: number;
}

/** Stores the pieces of what the store is. Null if it is what the last point says: a key's last use alone makes no new one. */
export async function makePoint(
  pieces: Pieces,
  contents: Contents,
  { nowMs, versions, last = null, onRows = () => {} }: PointOptions,
): Promise<MadePoint | null> {
  const before = new Map(last?.companies.map((entry) => [entry.company.id, entry]));
  const companies: CompanyEntry[] = [];
  let [changed, read] = [0, 0];
  for (const company of await contents.companies()) {
    const version = versions?.get(company.id) ?? null;
    let stored: StoredRows | undefined = before.get(company.id);
    if (stored?.version !== version) {
      stored = {
        version,
        ...(await putRows(pieces, contents, company.id, (rows) => {
          read += rows;
          onRows(read);
        })),
      };
      changed++;
    }
    const { list, rows } = stored;
    const remembered: Remembered = {
      imports: await contents.imports(company.id),
      states: (await contents.states(company.id)).map((state) => JSON.parse(recordText(state))),
    };
    const imports = pieces.putPiece(JSON.stringify(remembered));
    companies.push({ company: storedCompany(company), version, list, imports, rows });
  }
  const secrets = await secretsIn(contents, companies);
  if (last !== null && JSON.stringify(last.companies) === JSON.stringify(companies)) {
    const lastSecrets = readableOrNull(() => secretsOf(pieces, last));
    if (lastSecrets !== null && unusedText(lastSecrets) === unusedText(secrets)) return null;
  }
  const secretsPiece = pieces.putPiece(JSON.stringify(secrets));
  const lists = companies.map(({ company, list }) => [company, list]);
  const point: Point = {
    rollcallBackup: FORM,
    madeAtMs: nowMs,
    digest: sha256(JSON.stringify([lists, secretsPiece])),
    rows: countsOf(companies, secrets),
    companies,
    secrets: secretsPiece,
  };
  return { point, changed };
}

function storedCompany(company: Company): Company {
  const columns = COMPANY_COLUMNS.map((column) => [column, company[column]]);
  return Object.fromEntries(columns) as unknown as Company; // all of its columns
}

type StoredRows = Pick<CompanyEntry, "version" | "list" | "rows">;

export function readableOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedFile) return null;
    throw error;
  }
}

async function putRows(
  pieces: Pieces,
  contents: Contents,
  companyId: string,
  onRows: (rows: number) => void,
): Promise<Pick<CompanyEntry, "list" | "rows">> {
  const rows = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>; // every kind
  let list = "";
  let piece: { kind: string; lines: string; rows: number } = { kind: KINDS[0]!, lines: "", rows: 0 };
  const next = (kind: string) => {
    if (piece.rows > 0) list += `${piece.kind} ${pieces.putPiece(piece.lines)}\n`;
    piece = { kind, lines: "", rows: 0 };
  };
  await contents.export(companyId, async (kind, batch) => {
    if (kind !== piece.kind) next(kind);
    for (const row of batch) {
      piece.lines += `${rowText(kind, row)}\n`;
      piece.rows++;
      if (piece.rows === MOST_ROWS || endsPiece(kind, row)) next(kind);
    }
    rows[kind] += batch.length;
    onRows(batch.length);
  });
  await contents.records(companyId, async (table, batch) => {
    if (table !== piece.kind) next(table);
    for (const record of batch) {
      const line = recordText(record);
      piece.lines += `${line}\n`;
      piece.rows++;
      if (piece.rows === MOST_ROWS || endsPieceOf(line)) next(table);
    }
  });
  next(piece.kind);
  return { list: pieces.putPiece(list), rows };
}

function endsPiece<K extends Kind>(kind: K, row: Rows[K]): boolean {
  return endsPieceOf(keyOf(kind, row).join(" "));
}

function endsPieceOf(text: string): boolean {
  return Bun.hash.crc32(text) % USUAL_ROWS === 0;
}

/** Without those of companies that do not exist. */
async function secretsIn(contents: Contents, companies: readonly CompanyEntry[]): Promise<Secrets> {
  const ids = new Set(companies.map(({ company }) => company.id));
  const isOfThem = ({ companyId }: StoredSecret) => ids.has(companyId);
  return {
    keys: (await contents.keys()).filter(isOfThem),
    feeds: (await contents.feeds()).filter(isOfThem),
  };
}

function unusedText({ keys, feeds }: Secrets): string {
  return JSON.stringify([...keys, ...feeds].map((secret) => ({ ...secret, lastUsedAtMs: null })));
}

function countsOf(companies: readonly CompanyEntry[], { keys, feeds }: Secrets): Point["rows"] {
  const sums = KINDS.map((kind) => [kind, companies.reduce((sum, { rows }) => sum + rows[kind], 0)]);
  return {
    ...(Object.fromEntries(sums) as Record<Kind, number>), // every kind
    companies: companies.length,
    keys: keys.length,
    feeds: feeds.length,
  };
}

// Reading ------------------------------------------------------------------------------------------------------------

/** One piece of a company's rows. */
interface ListedPiece {
  /** A kind, or one of `RECORD_TABLES`. */
  readonly kind: string;
  readonly digest: Digest;
}

export function listedPieces(pieces: Pieces, list: Digest): ListedPiece[] {
  return linesOf(pieces.piece(list)).map((line) => {
    const [kind, digest] = line.split(" ");
    return { kind: kind!, digest: digest! }; // as it was written: the list's digest is right
  });
}

const isKind = (name: string): name is Kind => KINDS.some((kind) => kind === name);

/** Each line ends with a break. */
function linesOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** Reads all pieces of the point, except those of `whole`, and notes them there. Raises DamagedFile if one is missing or damaged. */
export async function verifyPoint(
  pieces: Pieces,
  { companies, secrets }: Point,
  whole = new Set<Digest>(),
): Promise<void> {
  const verify = (digest: Digest) => {
    if (!whole.has(digest)) pieces.piece(digest);
    whole.add(digest);
  };
  verify(secrets);
  for (const { list, imports } of companies) {
    verify(imports);
    if (whole.has(list)) continue;
    for (const { digest } of listedPieces(pieces, list)) {
      verify(digest);
      await new Promise(setImmediate); // lets signals through
    }
    whole.add(list);
  }
}

function secretsOf(pieces: Pieces, point: Point): Secrets {
  return JSON.parse(pieces.piece(point.secrets)); // as it was written: the piece's digest is right
}

function rememberedOf(pieces: Pieces, { imports }: CompanyEntry): Remembered {
  return JSON.parse(pieces.piece(imports)); // as it was written: the piece's digest is right
}

/** What the point holds. Reading raises DamagedFile. */
export function contentsOfPoint(pieces: Pieces, point: Point): Contents {
  const entryOf = (companyId: string) => {
    const entry = point.companies.find(({ company }) => company.id === companyId);
    if (entry === undefined) throw unknownCompany(companyId);
    return entry;
  };
  const isOf = (companyId?: string) => (secret: StoredSecret) =>
    companyId === undefined || secret.companyId === companyId;
  return {
    companies: async () => point.companies.map(({ company }) => company),
    imports: async (companyId) => [...rememberedOf(pieces, entryOf(companyId)).imports],
    states: async (companyId) => [...rememberedOf(pieces, entryOf(companyId)).states],
    keys: async (companyId) => secretsOf(pieces, point).keys.filter(isOf(companyId)),
    feeds: async (companyId) => secretsOf(pieces, point).feeds.filter(isOf(companyId)),
    async export(companyId, visit) {
      for (const { kind, digest } of listedPieces(pieces, entryOf(companyId).list)) {
        if (!isKind(kind)) continue;
        await visit(
          kind,
          linesOf(pieces.piece(digest)).map((line) => rowOf(kind, line)),
        );
        await new Promise(setImmediate); // lets signals through
      }
    },
    async records(companyId, visit) {
      for (const { kind, digest } of listedPieces(pieces, entryOf(companyId).list)) {
        if (isKind(kind)) continue;
        await visit(
          kind,
          linesOf(pieces.piece(digest)).map((line) => JSON.parse(line)),
        );
        await new Promise(setImmediate); // lets signals through
      }
    },
  };
}
