// A file's bytes as text: strict about the encoding, flat in memory, and clear about files that are no text at all.
import { type FileHandle, open } from "node:fs/promises";
import { UnreadableFile } from "./records.ts";

const CHUNK_BYTES = 1 << 16;

const SAVE_AS_UTF8 = "open it in a spreadsheet and save it as “CSV UTF-8”";

/** What a file of another kind begins with, and what to do about it. */
const SIGNATURES: readonly { readonly bytes: readonly number[]; readonly message: string }[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    message: `is an Excel workbook (or another zip archive) by its content: ${SAVE_AS_UTF8}`,
  },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    message: `is an Excel 97–2003 workbook by its content: ${SAVE_AS_UTF8}`,
  },
  { bytes: [0x1f, 0x8b], message: "is compressed (gzip): unpack it first" },
];

const UTF_16_MARKS: readonly (readonly number[])[] = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/**
 * The text of a file in pieces, without its byte-order mark. `encoding` is a label of the Encoding Standard, UTF-8
 * where it is null. Raises UnreadableFile for bytes that are not of the encoding, naming the line, and for NUL
 * characters and files that are no text. `onBytes` is told of every piece read.
 */
export async function* textOf(
  path: string,
  encoding: string | null,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const handle = await open(path, "r");
  try {
    const decoder = new TextDecoder(encoding ?? "utf-8", { fatal: true });
    const isUtf8 = decoder.encoding === "utf-8";
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
      const bytes = buffer.subarray(0, bytesRead);
      if (position === 0) refuseOtherFormats(bytes, isUtf8);
      let text: string;
      try {
        text = decoder.decode(bytes, { stream: bytesRead > 0 });
      } catch {
        const line = await lineOfBadByte(handle, position, decoder.encoding);
        throw new UnreadableFile(
          line,
          `is not ${isUtf8 ? "UTF-8" : decoder.encoding} text here: ${SAVE_AS_UTF8}, or name the file's encoding in a mapping`,
        );
      }
      if (text.includes("\0")) {
        throw new UnreadableFile(
          null,
          `contains NUL characters, so it is no text, or not ${isUtf8 ? "UTF-8" : decoder.encoding}: ${SAVE_AS_UTF8}`,
        );
      }
      onBytes(bytesRead);
      if (text.length > 0) yield text;
      if (bytesRead === 0) return;
      position += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}

function refuseOtherFormats(bytes: Uint8Array, isUtf8: boolean): void {
  const found = SIGNATURES.find((signature) => startsWith(bytes, signature.bytes));
  if (found !== undefined) throw new UnreadableFile(null, found.message);
  if (isUtf8 && UTF_16_MARKS.some((mark) => startsWith(bytes, mark))) {
    throw new UnreadableFile(
      null,
      `is UTF-16 text: ${SAVE_AS_UTF8}, or name the encoding in a mapping ("encoding": "utf-16le")`,
    );
  }
}

/**
 * The line that holds the first bad byte, known to lie at or shortly after `position`: everything before is read
 * again, since this happens at most once per import. Narrowed by halves, as only decoding tells a bad byte.
 */
async function lineOfBadByte(handle: FileHandle, position: number, encoding: string): Promise<number> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const from = Math.max(0, position - 4);
  const buffer = Buffer.alloc(CHUNK_BYTES + 4);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
  // A character may have begun before the piece: in UTF-8 its later bytes are told by their two highest bits.
  let start = 0;
  while (start < 4 && from > 0 && (buffer[start]! & 0xc0) === 0x80) start++;
  const isGood = (end: number) => {
    try {
      new TextDecoder(decoder.encoding, { fatal: true }).decode(buffer.subarray(start, end), {
        stream: true,
      });
      return true;
    } catch {
      return false;
    }
  };
  let [good, bad] = [start, bytesRead];
  while (good + 1 < bad) {
    const middle = (good + bad) >> 1;
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return (await newlinesBefore(handle, from)) + countNewlines(buffer.subarray(0, good)) + 1;
}

async function newlinesBefore(handle: FileHandle, end: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let count = 0;
  for (let position = 0; position < end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, end - position), position);
    if (bytesRead === 0) break;
    count += countNewlines(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return count;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
