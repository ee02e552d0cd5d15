// Reads a file's bytes as text: strict about the encoding, flat in memory, and with clear errors for files that are not text.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readSync,
  realpathSync,
} from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import { BOMB, isBomb, type ReadOptions, UnreadableFile } from "./records.ts";

const CHUNK_BYTES = 1 << 16;

type Bytes = AsyncIterable<Buffer>;

const SAVE_AS_UTF8 = "open it in a spreadsheet and save it as “CSV UTF-8”";

const isUtf16 = (label: string) =>
  `is UTF-16 text: ${SAVE_AS_UTF8}, or name the encoding in a mapping ("encoding": "${label}")`;

/** How files of other formats begin, and what to do about them. With `isText`, a mapping may name the encoding. */
const SIGNATURES: readonly {
  readonly bytes: readonly number[];
  readonly message: string;
  readonly isText?: boolean;
}[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    message: `is an Excel workbook (or another zip archive) by its content: rename it to .xlsx, or ${SAVE_AS_UTF8}`,
  },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    message: `is an Excel 97–2003 workbook by its content, or one with a password: save it as .xlsx without a password, or ${SAVE_AS_UTF8}`,
  },
  { bytes: [0x1f, 0x8b], message: "is compressed (gzip) by its content: add .gz to its name" },
  { bytes: [0x25, 0x50, 0x44, 0x46], message: "is a PDF by its content: export it as CSV instead" },
  { bytes: [0xff, 0xfe], message: isUtf16("utf-16le"), isText: true },
  { bytes: [0xfe, 0xff], message: isUtf16("utf-16be"), isText: true },
];

const UTF_8 = "utf-8";

export function isGzipName(path: string): boolean {
  return /\.gz$/i.test(path);
}

/** A file's bytes in pieces; a `.gz` file is unpacked. `onBytes` gets the size of every piece read from the disk. */
export async function* bytesOf(
  path: string,
  within: string | null,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytesRead = 0;
  const pieces = rawBytesOf(path, within, (bytes) => {
    bytesRead += bytes;
    onBytes(bytes);
  });
  if (!isGzipName(path)) {
    yield* pieces;
    return;
  }
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(Readable.from(pieces), unpacked, () => {}); // errors are thrown below
  try {
    let bytes = 0;
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (isBomb(bytesRead, bytes))
        throw new UnreadableFile(
          null,
          `${BOMB}: if it is right, unpack it yourself (gunzip) and import that`,
        );
      yield piece;
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (error instanceof Error && error.message === "incorrect header check")
      throw new UnreadableFile(null, "is not compressed (gzip), although its name ends in .gz: rename it");
    if (code === "Z_BUF_ERROR")
      throw new UnreadableFile(null, "is compressed (gzip), but ends too early: it was not copied whole");
    if (typeof code === "string" && code.startsWith("Z_"))
      throw new UnreadableFile(null, "is compressed (gzip), but damaged: fetch it again");
    throw error;
  } finally {
    unpacked.destroy();
  }
}

async function* rawBytesOf(
  path: string,
  within: string | null,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const file = openFile(path, within);
  const opened = fstatSync(file, { bigint: true });
  try {
    for (let position = 0; ; ) {
      const piece = Buffer.allocUnsafe(CHUNK_BYTES);
      const { buffer, bytesRead } = await readAsync(file, piece, 0, CHUNK_BYTES, position).catch(cannotRead);
      if (bytesRead === 0) {
        requireUnchanged(opened, fstatSync(file, { bigint: true }));
        return;
      }
      position += bytesRead;
      onBytes(bytesRead);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    closeSync(file);
  }
}

const readAsync = promisify(read);

/** Raises UnreadableFile if the file was written meanwhile. Part of an export would look complete, and the other rows be pruned. */
function requireUnchanged(opened: BigIntStats, read: BigIntStats): void {
  if (opened.size === read.size && opened.mtimeNs === read.mtimeNs) return;
  throw new UnreadableFile(
    null,
    "was changed while it was read: import again once it is written, or write it under another name and then rename it",
  );
}

/**
 * Opens a file and checks what was opened, because somebody who may write to its folder could replace its path before it is opened.
 * Raises UnreadableFile if it is not a file, or lies outside the folder `within`.
 */
export function openFile(path: string, within: string | null): number {
  const file = openToRead(path);
  try {
    if (!fstatSync(file).isFile()) throw new UnreadableFile(null, "is not a file");
    if (within !== null && leadsOut(within, realPathOf(file, path)))
      throw new UnreadableFile(
        null,
        "is a link to a file outside its folder: copy the file into the folder, or name the file itself",
      );
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openToRead(path: string): number {
  try {
    // Non-blocking: a pipe without a writer would stop the import.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return cannotRead(error);
  }
}

/** Raises UnreadableFile for an error of the kernel, and any other error as it is. */
function cannotRead(error: unknown): never {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
  switch (error.code) {
    case "ENOENT":
    case "ESTALE": // on a share
      throw new UnreadableFile(
        null,
        "was removed while the import ran: import again once all files are written",
      );
    case "EACCES":
    case "EPERM":
      throw new UnreadableFile(null, "may not be read: check its permissions");
    default:
      throw new UnreadableFile(
        null,
        `cannot be read (${error.code}): check the disk or the share that holds it`,
      );
  }
}

/** Whether a real path is outside a folder, given by its real path. */
export function leadsOut(folder: string, path: string): boolean {
  const target = relative(folder, path);
  return isAbsolute(target) || target === ".." || target.startsWith(`..${sep}`);
}

/** The real path of an open file. */
function realPathOf(file: number, path: string): string {
  const real = realpathSync(path);
  const [opened, there] = [fstatSync(file), lstatSync(real)];
  if (opened.ino !== there.ino || opened.dev !== there.dev)
    throw new UnreadableFile(null, "was replaced while it was opened: import again");
  return real;
}

/** The first bytes of a file. */
export function firstBytes(path: string, within: string | null, bytes: number): Buffer {
  const file = openFile(path, within);
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * The text of a file in pieces, without its byte-order mark. `encoding` is a label of the Encoding Standard; null for UTF-8. Raises
 * UnreadableFile, naming the line, for bytes that are not of the encoding, for NUL characters and for files that are not text. `onBytes`
 * gets the size of every piece read. `prepared`: the bytes to decode.
 */
export async function* textOf(
  path: string,
  { encoding, within }: Pick<ReadOptions, "encoding" | "within">,
  onBytes: (bytes: number) => void = () => {},
  prepared: (bytes: Bytes) => Bytes = (bytes) => bytes,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding ?? UTF_8, { fatal: true });
  const decoded = async (piece?: Buffer) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      const bytes = prepared(bytesOf(path, within, () => {}));
      throw notEncoded(await lineOfBadByte(bytes, decoder.encoding), decoder.encoding);
    }
  };
  let isFirst = true;
  let lines = 0;
  for await (const piece of prepared(bytesOf(path, within, onBytes))) {
    if (isFirst) refuseOtherFormats(piece, decoder.encoding === UTF_8);
    isFirst = false;
    const text = await decoded(piece);
    const nul = text.indexOf("\0");
    if (nul !== -1) throw withNul(lines + newlinesIn(text.slice(0, nul)) + 1, decoder.encoding);
    lines += newlinesIn(text);
    if (text.length > 0) yield text;
  }
  await decoded();
}

/** The line with the first invalid byte, with a mark in place of such bytes. */
async function lineOfBadByte(bytes: Bytes, encoding: string): Promise<number> {
  const decoder = new TextDecoder(encoding);
  let line = 1;
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    const mark = text.indexOf("\ufffd");
    line += newlinesIn(mark === -1 ? text : text.slice(0, mark));
    if (mark !== -1) break;
  }
  return line;
}

function notEncoded(line: number, encoding: string): UnreadableFile {
  return new UnreadableFile(
    line,
    `is not ${encodingName(encoding)} text here: ${SAVE_AS_UTF8}, or name its encoding in a mapping, as in "encoding": "windows-1252"`,
  );
}

function withNul(line: number, encoding: string): UnreadableFile {
  return new UnreadableFile(
    line === 1 ? null : line, // a file of another format has one in its first line
    `contains NUL characters, so it is not text, or not ${encodingName(encoding)}: ${SAVE_AS_UTF8}`,
  );
}

function encodingName(encoding: string): string {
  return encoding === UTF_8 ? "UTF-8" : encoding;
}

function refuseOtherFormats(beginning: Uint8Array, isUtf8: boolean): void {
  const other = SIGNATURES.find(
    ({ bytes, isText = false }) => (isUtf8 || !isText) && bytes.every((byte, at) => beginning[at] === byte),
  );
  if (other !== undefined) throw new UnreadableFile(null, other.message);
}

/** The number of line ends in a text. */
export function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** The format that a text seems to have, if it is no table; for a file whose name is wrong. */
export function otherFormatOf(beginning: string): "HTML" | "XML" | "JSON" | null {
  const text = beginning.trimStart();
  if (/^(?:<!doctype html|<html|<table)/i.test(text)) return "HTML";
  if (/^<\?xml|^<[a-z]/i.test(text)) return "XML";
  if (/^\{\s*(?:"|\})|^\[\s*(?:[{["\]]|$)/.test(text)) return "JSON";
  return null;
}
