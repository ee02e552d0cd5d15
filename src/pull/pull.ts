// One pull: reads each file of a pull file in order, into a folder that is complete or absent.
import { formatDay } from "../time/day.ts";
import { PathDenied, PullRefused } from "./errors.ts";
import { onDisk, type PulledFolder, type RowFile } from "./folder.ts";
import { type PulledPage, readFirstPage } from "./page.ts";
import { type PageProof, type PageSink, PROOFS, type PulledPages, readPages } from "./pages.ts";
import type { LoadedPullFile } from "./pull-file.ts";
import type { PulledFile, PullRecord } from "./record.ts";
import { RowFields } from "./row-fields.ts";
import type { FileRequest } from "./schema.ts";
import { expand, expandAll, type PullValues, placeholdersIn, type RowValues } from "./template.ts";
import { type Clock, callOf, Upstream, valueAt } from "./upstream.ts";

export interface PullOptions {
  readonly pullFile: LoadedPullFile;
  readonly values: PullValues;
  readonly clock: Clock;
  /** Rollcall's version. */
  readonly version: string;
  readonly onProgress?: (file: string, rows: number) => void;
  readonly onNote: (note: string) => void;
}

/** In the westernmost zone, a day begins 12 hours after midnight UTC. One more hour is for a slow clock. */
const LATEST_MIDNIGHT_MS = 13 * 3_600_000;
/** After this many 403s and no success, the key may not read the path at all. */
const REFUSED_AT_FIRST = 3;

/** By file: the values of each row that later files use with `each`. */
type EachRows = Map<string, RowValues[]>;

/** Writes the files and their record. Raises PullRefused with file and page; then discard the folder. */
export async function pull(options: PullOptions, folder: PulledFolder): Promise<PullRecord> {
  const { pullFile, values, clock, version } = options;
  const startedAt = new Date(clock.now()).toISOString();
  const upstream = new Upstream(pullFile.content, values, clock, version);
  const files: Record<string, PulledFile> = {};
  const complete: Record<string, unknown> = {};
  const eachRows: EachRows = new Map();
  for (const [name, request] of Object.entries(pullFile.content.files)) {
    const paths = pathsFor(name, pullFile.content.files);
    const kept: RowValues[] = [];
    const pulled = await pullOne(options, upstream, folder, name, request, eachRows, {
      add: (row) => {
        if (paths.length > 0) kept.push(eachValues(name, row, kept.length + 1, paths));
      },
      restart: () => kept.splice(0),
    });
    if (pulled === null) continue;
    files[name] = pulled;
    eachRows.set(name, kept);
    Object.assign(complete, expandAll(request.complete ?? {}, values));
  }
  if (Object.keys(files).length === 0) throw new PullRefused("the API refused every file");
  const record: PullRecord = {
    pull: pullFile.name,
    version,
    startedAt,
    endedAt: new Date(clock.now()).toISOString(),
    today: formatDay(values.today),
    files,
    complete: complete as PullRecord["complete"], // checked: each kind comes once
  };
  folder.finish(record);
  return record;
}

/** Gets each row of a file, unchanged. */
interface RowSink {
  add(row: object): void;
  restart(): void;
}

/** Null for an optional file that the API refuses. */
async function pullOne(
  options: PullOptions,
  upstream: Upstream,
  folder: PulledFolder,
  name: string,
  request: FileRequest,
  eachRows: EachRows,
  sink: RowSink,
): Promise<PulledFile | null> {
  const { onNote } = options;
  const each = request.each === undefined ? null : eachRows.get(request.each);
  if (each === undefined) {
    onNote(`${name} was left out, because ${request.each} was`);
    return null;
  }
  requireOverlap(options, folder, name, request);
  const path = request.rows?.split(".").includes("*") ? undefined : request.rows; // `*` joins several lists into one
  const file = onDisk(name, () => folder.file(name, path));
  const filePull = new FilePull(options, upstream, name, request, file, sink);
  try {
    if (each === null) await filePull.readAll();
    else await filePull.readForEach(each);
    const before = folder.recordBefore?.files[name];
    filePull.requireFilled(before, folder.place);
    filePull.requireNext(before, folder.place);
    return filePull.end();
  } catch (error) {
    if (!isOptional(request, error) || filePull.pages > 0) throw error;
    if ((folder.recordBefore?.files[name]?.rows ?? 0) > 0)
      throw new PullRefused(
        `${error.reason}: the last pull had ${name}, and a sync without it would remove its rows: give the key the right again, or remove the folder ${folder.place} to go on without it`,
        error.said,
      );
    folder.remove(name);
    onNote(`left out: ${error.message}`);
    return null;
  } finally {
    file.close();
  }
}

/** Refuses `updatedSince` if changes between the last pull and that day may be lost. The API's time zone and clock may be behind. */
function requireOverlap(
  { values }: PullOptions,
  { recordBefore, place }: PulledFolder,
  name: string,
  { complete = {} }: FileRequest,
): void {
  if (recordBefore?.files[name] === undefined) return;
  for (const { updatedSince } of Object.values(complete)) {
    if (updatedSince === undefined) continue;
    const since = expand(updatedSince, values);
    if (Date.parse(recordBefore.startedAt) >= Date.parse(since) + LATEST_MIDNIGHT_MS) continue;
    throw new PullRefused(
      `${name}: has changes since ${since}, and the last pull began at ${recordBefore.startedAt}: changes between may be lost, also where the API's time zone or clock is behind. Ask for more days, or remove the folder ${place} if nothing changed`,
    );
  }
}

/** A file while it is pulled. */
class FilePull {
  /** Refusals of single rows of `each`. */
  readonly #refused: PathDenied[] = [];
  /** How many pages the API has sent. */
  pages = 0;
  /** The rows of the largest page, and of the largest page that may be cut. */
  readonly #sizes = { most: 0, ofCut: 0 };
  #total: number | null = null;
  #proof: PageProof | null = "one page";
  #fields: RowFields;

  constructor(
    private readonly options: PullOptions,
    private readonly upstream: Upstream,
    private readonly name: string,
    private readonly request: FileRequest,
    private readonly file: RowFile,
    private readonly sink: RowSink,
  ) {
    this.#fields = new RowFields(request);
  }

  /** Reads the pages of a file that has one request, and writes each at once. */
  async readAll(): Promise<void> {
    const { total, proof } = await this.#readPages(this.name, null, {
      add: (page) => this.#write(page, null),
      restart: () => {
        onDisk(this.name, () => this.file.restart());
        this.#fields = new RowFields(this.request);
        this.sink.restart();
      },
    });
    this.#total = total;
    this.#proof = proof;
  }

  /** Reads the pages of one request for each row of an earlier file. Writes them when all pages of that row have come. */
  async readForEach(rows: readonly RowValues[]): Promise<void> {
    for (const [index, row] of rows.entries()) {
      const place = `${this.name}, row ${index + 1} of ${this.request.each}`;
      const held: PulledPage[] = [];
      const pagesBefore = this.pages;
      try {
        const { proof } = await this.#readPages(place, row, {
          add: (page) => held.push(page),
          restart: () => held.splice(0),
        });
        for (const page of held) this.#write(page, row);
        this.#proof = weaker(this.#proof, proof);
      } catch (error) {
        if (!isOptional(this.request, error) || this.pages > pagesBefore) throw error;
        this.#refuseRow(error, rows.length);
      }
    }
    const [refusal] = this.#refused;
    if (refusal !== undefined)
      this.options.onNote(
        `${this.name}: the API refused ${this.#refused.length} of ${rows.length} rows of ${this.request.each}: ${refusal.reason}`,
      );
  }

  #readPages(place: string, row: RowValues | null, sink: PageSink): Promise<PulledPages> {
    const { values, onProgress } = this.options;
    const call = located(place, () => callOf(this.upstream, this.request, values, row, place));
    const counting: PageSink = {
      add: (page) => {
        this.pages++;
        const { rows, mayBeCut } = page;
        this.#sizes.most = Math.max(this.#sizes.most, rows.length);
        if (mayBeCut) this.#sizes.ofCut = rows.length;
        sink.add(page);
        onProgress?.(this.name, this.file.rows);
      },
      restart: () => sink.restart(),
    };
    return readPages(this.upstream, values, this.request, call, counting, this.file.rows === 0);
  }

  #write({ rows, kept }: PulledPage, eachRow: RowValues | null): void {
    const { add } = this.request;
    const added = expandAll(add ?? {}, this.options.values, eachRow) as object; // expanding an object gives an object
    this.#fields.addPage(rows);
    onDisk(this.name, () => {
      for (const row of kept) this.file.add(add === undefined ? row : { ...row, ...added });
    });
    for (const row of rows) this.sink.add(row);
  }

  /** Counts the refusal of a row. Throws it if the key seems to have no right to the path at all. */
  #refuseRow(refusal: PathDenied, rows: number): void {
    this.#refused.push(refusal);
    const { length } = this.#refused;
    const mayReadNone = refusal.status === 403 && length >= REFUSED_AT_FIRST;
    if (this.pages === 0 && (mayReadNone || length === rows)) throw refusal;
  }

  /** Refuses a field that had values in the last pull and has none now: some APIs send null to a key that lost a permission. */
  requireFilled(before: PulledFile | undefined, place: string): void {
    const { needs, wants } = this.request;
    const emptied = before === undefined ? [] : this.#fields.emptied(before);
    const texts = emptied.map(
      (path) =>
        `${this.name}: no row has a value at ${path}, and ${before!.filled![path]} rows of the last pull had one: ${{ ...needs, ...wants }[path]}; or remove the folder ${place} to go on without it`,
    );
    if (texts.length > 0) throw new PullRefused(texts.join("\n"));
  }

  /** Refuses a single full page without a next one, if the last pull had more rows: a proxy may have dropped the Link header. */
  requireNext(before: PulledFile | undefined, place: string): void {
    const { most, ofCut } = this.#sizes;
    const { pages, each } = this.request;
    const mayBeCut = pages !== undefined && each === undefined && most > 0 && most === ofCut;
    if (!mayBeCut || before === undefined || before.rows <= most) return;
    throw new PullRefused(
      `${this.name}: the first page is full and names no next one, and the last pull had ${before.rows} rows: let the API name the next page, or remove the folder ${place} if there are no more rows`,
    );
  }

  /** Ends the file, and notes missing fields and rows. */
  end(): PulledFile {
    const { name, request, file } = this;
    const { onNote } = this.options;
    if (file.rows > 0) noteMissing(name, request, this.#fields, onNote);
    for (const note of this.#fields.dropped()) onNote(`${name}: ${note}`);
    if (this.#proof === null)
      onNote(
        `${name}: its rows moved each time they were read, so some may be missing: the import prunes nothing by this file`,
      );
    const { most, ofCut } = this.#sizes;
    if (most > 0 && most === ofCut)
      onNote(
        `${name}: a response has exactly ${most} rows, none has more, and nothing says that these are all: if the API has pages, say in pages how to read them`,
      );
    const sha256 = onDisk(name, () => file.end());
    const pulled = {
      rows: file.rows,
      total: this.#total,
      proof: this.#proof,
      filled: this.#fields.filled,
      sha256,
    };
    return this.#refused.length === 0 ? pulled : { ...pulled, refused: this.#refused.length };
  }
}

/** Paths that no row has: raises PullRefused for those that the mapping requires, and notes the others. */
function noteMissing(
  name: string,
  { needs = {}, wants = {} }: FileRequest,
  fields: RowFields,
  onNote: (note: string) => void,
): void {
  const textOf = (from: Readonly<Record<string, string>>) =>
    Object.entries(from).flatMap(([path, remedy]) =>
      fields.has(path) ? [] : [`${name}: no row has ${path}: ${remedy}`],
    );
  const needed = textOf(needs);
  if (needed.length > 0) throw new PullRefused([...needed, ...textOf(wants)].join("\n"));
  for (const text of textOf(wants)) onNote(text);
}

/** The weaker of two proofs. A file's proof is the weakest of its requests. */
function weaker(proof: PageProof | null, other: PageProof | null): PageProof | null {
  if (proof === null || other === null) return null;
  return PROOFS.indexOf(proof) > PROOFS.indexOf(other) ? proof : other;
}

function isOptional(request: FileRequest, error: unknown): error is PathDenied {
  return request.optional === true && error instanceof PathDenied && error.status !== 401;
}

function located<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof PullRefused ? new PullRefused(`${place}: ${error.message}`) : error;
  }
}

/** The paths in this file's rows that later files use. */
function pathsFor(name: string, files: LoadedPullFile["content"]["files"]): readonly string[] {
  const users = Object.values(files).filter(({ each }) => each === name);
  return [
    ...new Set(
      placeholdersIn(users).flatMap((placeholder) => (placeholder.from === "row" ? [placeholder.path] : [])),
    ),
  ];
}

function eachValues(name: string, row: object, number: number, paths: readonly string[]): RowValues {
  return new Map(
    paths.map((path) => {
      const value = valueAt(row, path);
      if (value === undefined || value === null || value === "")
        throw new PullRefused(`${name}: row ${number} has nothing at ${path}, which a later file needs`);
      return [path, value];
    }),
  );
}

export interface Right {
  readonly file: string;
  readonly request: string;
  /** Null if the path was not requested, because its `each` file has no row. */
  readonly isGranted: boolean | null;
  readonly isOptional: boolean;
  /** The outcome, in words. */
  readonly outcome: string;
}

/** Requests each path once, and reports what the key may read. Raises UpstreamAway. */
export async function checkRights({
  pullFile,
  values,
  clock,
  version,
}: Omit<PullOptions, "onNote">): Promise<Right[]> {
  const upstream = new Upstream(pullFile.content, values, clock, version);
  const firstRows = new Map<string, RowValues>();
  const rights: Right[] = [];
  for (const [file, request] of Object.entries(pullFile.content.files)) {
    const row = request.each === undefined ? null : firstRows.get(request.each);
    const about = {
      file,
      request: (request.get ?? request.post!).split("?")[0]!,
      isOptional: request.optional === true,
    };
    if (row === undefined) {
      rights.push({
        ...about,
        isGranted: null,
        outcome: `not requested: there is no row of ${request.each}`,
      });
      continue;
    }
    try {
      const call = located(file, () => callOf(upstream, request, values, row, file));
      const { rows, total } = await readFirstPage(upstream, request, call);
      const paths = pathsFor(file, pullFile.content.files);
      if (rows[0] !== undefined) firstRows.set(file, eachValues(file, rows[0], 1, paths));
      rights.push({ ...about, isGranted: true, outcome: rowsText(rows.length, total) });
    } catch (error) {
      if (!(error instanceof PullRefused) || error.name === "UpstreamAway") throw error;
      rights.push({
        ...about,
        isGranted: false,
        outcome: error.message.slice(error.message.indexOf(": ") + 2),
      });
    }
  }
  return rights;
}

function rowsText(rows: number, total: number | null): string {
  return `${total === null ? rows : `${rows} of ${total}`} on the first page`;
}
