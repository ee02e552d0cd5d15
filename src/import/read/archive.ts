// The parts of a workbook: a zip archive of XML files, read as streams.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import { BOMB, isBomb, MAX_RECORD_CHARACTERS, UnreadableFile } from "./records.ts";
import { bytesOf, isGzipName, openFile } from "./text.ts";

/** More files than any workbook consists of. */
const MAX_ENTRIES = 10_000;
/** The longest entry of the archive's directory: a file's name, size and position. */
const MAX_ENTRY_BYTES = 4096;
/** The most tags of a part that is read whole, such as the styles. */
const MAX_PART_TAGS = 500_000;
/** The most levels of nested elements; a workbook has about ten. */
const MAX_DEPTH = 100;

/** The files of a zip archive by name. */
export class Archive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** Raises UnreadableFile if the file does not begin like a workbook. */
  static async open(path: string, within: string | null, onBytes: (bytes: number) => void): Promise<Archive> {
    const file = isGzipName(path) ? await unpacked(path, within, onBytes) : openFile(path, within);
    try {
      refuseOtherFormats(file);
      const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true };
      const zip = await fromFdPromise(file, options);
      return new Archive(zip, await entriesOf(zip));
    } catch (error) {
      closeSync(file);
      throw damaged(error);
    }
  }

  get names(): readonly string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** The text of a file in pieces. `onBytes` gets how many bytes of the archive each piece took. */
  async *text(name: string, onBytes: (bytes: number) => void = () => {}): AsyncGenerator<string> {
    const entry = this.entries.get(name);
    if (entry === undefined) throw damaged(new Error(`${name} is missing`));
    if (isBomb(entry.compressedSize, entry.uncompressedSize))
      throw new UnreadableFile(null, `is a workbook whose ${name} ${BOMB}: ${SAVE_AS_CSV}`);
    const decoder = new TextDecoder();
    const share = entry.compressedSize / Math.max(1, entry.uncompressedSize);
    try {
      const stream: AsyncIterable<Buffer> = await this.zip.openReadStreamPromise(entry); // ended with the loop
      for await (const piece of stream) {
        onBytes(piece.length * share);
        yield decoder.decode(piece, { stream: true });
      }
    } catch (error) {
      throw damaged(error);
    }
  }

  /** Reads a small file whole; `onTag` gets each tag. */
  async tags(name: string, onTag: (tag: Tag) => void): Promise<void> {
    let tags = 0;
    const open = (tag: Tag) => {
      if (++tags > MAX_PART_TAGS)
        throw new UnreadableFile(
          null,
          `is a workbook whose ${name} has more than 500,000 tags: ${SAVE_AS_CSV}`,
        );
      onTag(tag);
    };
    await parsed(this.text(name), { open });
  }

  close(): void {
    this.zip.close();
  }
}

async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= MAX_ENTRIES) throw new Error("too many files");
    const { fileNameLength, extraFieldLength, fileCommentLength } = entry;
    if (fileNameLength + extraFieldLength + fileCommentLength > MAX_ENTRY_BYTES)
      throw new Error("a file's name is too long");
    entries.set(entry.fileName.replace(/^\//, ""), entry);
  }
  return entries;
}

/** Advice for a workbook that is too large. */
export const SAVE_AS_CSV = "if it is right, save the sheet alone as CSV UTF-8 and import that";

/** Refuses a file that is no zip archive. */
function refuseOtherFormats(file: number): void {
  const beginning = Buffer.alloc(8);
  const bytes = readSync(file, beginning, 0, 8, 0);
  if (bytes === 0) throw new UnreadableFile(null, "is empty: it should be an Excel workbook");
  if (beginning.toString("latin1", 0, 2) !== "PK")
    throw new UnreadableFile(
      null,
      "is no .xlsx workbook, or has a password: save it as .xlsx without a password; rename a text file to .csv or its real format",
    );
}

/** Unpacks a compressed workbook to an unlinked temporary file, because an archive is read from its end. */
async function unpacked(
  path: string,
  within: string | null,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-workbook-"));
  const file = openSync(join(folder, "workbook"), "wx+", 0o600);
  rmSync(folder, { recursive: true });
  try {
    for await (const piece of bytesOf(path, within, onBytes))
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

export interface Tag {
  /** Without its prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Handlers {
  open?(tag: Tag): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** What the libraries throw, as an UnreadableFile. */
function damaged(error: unknown): unknown {
  if (error instanceof UnreadableFile || !(error instanceof Error)) return error;
  return new UnreadableFile(
    null,
    `is a damaged workbook, or a zip archive of something else (${error.message})`,
  );
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/**
 * Parses XML. Refuses what could fill the memory: entities that XML does not define itself, deeply nested elements, and a text, tag or
 * comment longer than 1 MB.
 */
export function parserFor(handlers: Handlers): Pick<SaxesParser, "write" | "close"> {
  const parser = new SaxesParser();
  let depth = 0;
  let charactersSinceTag = 0;
  parser.on("error", (error) => {
    throw damaged(error);
  });
  parser.on("opentag", (tag: SaxesTagPlain) => {
    charactersSinceTag = 0;
    if (++depth > MAX_DEPTH)
      throw new UnreadableFile(
        null,
        `is a workbook with more than ${MAX_DEPTH} nested elements, which no program writes: ${SAVE_AS_CSV}`,
      );
    const attributes: Record<string, string> = {};
    for (const [name, value] of Object.entries(tag.attributes)) attributes[localName(name)] = value;
    handlers.open?.({ name: localName(tag.name), attributes });
  });
  if (handlers.text !== undefined) parser.on("text", (text) => handlers.text!(text));
  parser.on("closetag", (tag) => {
    charactersSinceTag = 0;
    depth--;
    handlers.close?.(localName(tag.name));
  });
  return {
    write(piece: string) {
      charactersSinceTag += piece.length;
      parser.write(piece);
      if (charactersSinceTag > MAX_RECORD_CHARACTERS)
        throw new UnreadableFile(
          null,
          `is a workbook with more than 1 MB between two tags, such as one text or comment: ${SAVE_AS_CSV}`,
        );
      return parser;
    },
    close: () => parser.close(),
  };
}

export async function parsed(pieces: AsyncIterable<string>, handlers: Handlers): Promise<void> {
  const parser = parserFor(handlers);
  for await (const piece of pieces) parser.write(piece);
  parser.close();
}
