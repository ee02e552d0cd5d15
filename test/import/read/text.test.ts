// Property: however the pieces that a file is read in cut its characters, its text is that which was written.
import { expect, test } from "bun:test";
import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecordDigests } from "../../../src/import/convert/record-digests.ts";
import { openCsv } from "../../../src/import/read/csv.ts";
import { DEFAULT_OPTIONS } from "../../../src/import/read/records.ts";
import { textOf } from "../../../src/import/read/text.ts";
import { temporaryFolder } from "../../support/import-files.ts";

const path = join(temporaryFolder(tmpdir()), "text.csv");
/** Some pieces, of characters of one to four bytes; a mark that does not begin the file is text. */
const LONG = "aü€😀\ufeff\n".repeat(20_000);

async function joined(options = DEFAULT_OPTIONS): Promise<string> {
  let text = "";
  for await (const piece of textOf(path, options)) text += piece;
  return text;
}

test.each([0, 1, 2, 3])("characters that begin %d bytes later", async (shift) => {
  for (const mark of ["", "\ufeff"]) {
    const written = "x".repeat(shift) + LONG;
    writeFileSync(path, mark + written);
    expect((await joined()) === written).toBe(true);
  }
});

test("every encoding gives the same text", async () => {
  const written = `x${LONG}`;
  writeFileSync(path, Buffer.from(`\ufeff${written}`, "utf16le"));
  expect((await joined({ ...DEFAULT_OPTIONS, encoding: "utf-16le" })) === written).toBe(true);
});

/** Reads the file, and changes it after its first piece. */
async function readWhile(change: () => void): Promise<string> {
  let text = "";
  for await (const piece of textOf(path, DEFAULT_OPTIONS)) {
    if (text === "") change();
    text += piece;
  }
  return text;
}

test.each([
  ["cut at the end of a line", () => truncateSync(path, Buffer.byteLength(LONG) * 0.5)],
  ["still being written", () => appendFileSync(path, LONG)],
  ["written anew", () => writeFileSync(path, LONG)],
])("a file that is %s while it is read is refused", async (_name, change) => {
  writeFileSync(path, LONG);
  await expect(readWhile(change)).rejects.toThrow("was changed while it was read");
});

test("a file that cannot be read is refused, with the reason", async () => {
  const reading = (file: string) => Array.fromAsync(textOf(file, DEFAULT_OPTIONS));
  await expect(reading(join(temporaryFolder(tmpdir()), "gone.csv"))).rejects.toThrow(
    "was removed while the import ran: import again once all files are written",
  );
  // Linux refuses to read a process's memory at address 0, as it does for a broken disk: EIO.
  if (process.platform === "linux")
    await expect(reading("/proc/self/mem")).rejects.toThrow("cannot be read (EIO): check the disk");
});

test("a file that is replaced while it is read gives its old content", async () => {
  writeFileSync(path, LONG);
  const replace = () => {
    writeFileSync(`${path}.new`, "x");
    renameSync(`${path}.new`, path);
  };
  expect((await readWhile(replace)) === LONG).toBe(true);
});

test("different records have different digests", async () => {
  const long = "ü€😀".repeat(1000);
  const lines = ["1,a", "2,ü€😀", `3,${long}`, '4,"two\nlines"', "5,\ufeff", "6,a\r"];
  writeFileSync(path, ["id,name", ...lines].join("\n"));
  const { header, form = "", records } = await openCsv(path, DEFAULT_OPTIONS);
  const digests = new RecordDigests({ key: "secret", kind: "workers", mapping: null, form }, header);
  const known: bigint[] = [];
  for await (const batch of records()) {
    for (const record of batch) {
      known.push(digests.digestOf(record)!);
    }
  }
  expect(new Set(known).size).toBe(lines.length);
});
