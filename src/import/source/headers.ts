// The header of each file, checked before anything is imported.
import { stat } from "node:fs/promises";
import { KINDS } from "../facts/facts.ts";
import { Columns } from "../resolve/columns.ts";
import type { RowErrors } from "../row-errors.ts";
import { normalised } from "../suggest.ts";
import { openCsv } from "./csv-reader.ts";
import { UnreadableFile } from "./records.ts";
import { isJsonl, noteUnreadable, openSourceFile, type SourceFile } from "./source-file.ts";

/** Reads the header alone and gives the size of the file in bytes; notes what is wrong as bad rows. */
export async function checkHeader(sourceFile: SourceFile, bad: RowErrors): Promise<number> {
  try {
    const reader = await openSourceFile(sourceFile);
    await reader.close();
    if (reader.isHeaderFixed) {
      const columns = new Columns(sourceFile.kind, sourceFile.mapping);
      const wrong = [...columns.extend(reader.header), ...columns.missing()];
      if (wrong.length > 0) {
        const other = reader.header.length === 1 ? await otherDelimiter(sourceFile) : null;
        bad.add(
          { file: sourceFile.label, line: 1 },
          other === null ? wrong : [delimiterText(sourceFile, other)],
        );
      }
    }
  } catch (error) {
    // A header with quotes is no CSV at all under the wrong delimiter.
    const isHeaderBad = error instanceof UnreadableFile && error.line === 1;
    const other = isHeaderBad && !isJsonl(sourceFile) ? await otherDelimiter(sourceFile) : null;
    if (other === null) noteUnreadable(sourceFile, error, bad);
    else bad.add({ file: sourceFile.label, line: 1 }, [delimiterText(sourceFile, other)]);
  }
  return (await stat(sourceFile.path)).size;
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The delimiter under which the header names two columns or more that are known; null where there is none. */
async function otherDelimiter(sourceFile: SourceFile): Promise<string | null> {
  const { columns, encoding = null } = sourceFile.mapping?.mapping ?? {};
  const known = new Set(
    (columns === undefined ? KINDS[sourceFile.kind].fields : Object.keys(columns)).map(normalised),
  );
  for (const delimiter of DELIMITERS) {
    const header = await headerUnder(sourceFile.path, delimiter, encoding);
    if (header.filter((name) => known.has(normalised(name))).length >= 2) return delimiter;
  }
  return null;
}

async function headerUnder(
  path: string,
  delimiter: string,
  encoding: string | null,
): Promise<readonly string[]> {
  try {
    const reader = await openCsv(path, { delimiter, encoding });
    await reader.close();
    return reader.header;
  } catch (error) {
    if (error instanceof UnreadableFile) return [];
    throw error;
  }
}

/** One message for the whole file, instead of one for every column that seems to be missing. */
function delimiterText({ kind, label, mapping }: SourceFile, delimiter: string): string {
  const entry = `"delimiter": ${JSON.stringify(delimiter)}`;
  const advice =
    mapping === null
      ? `load it through a mapping (--map) such as {"${kind}": {"from": ${JSON.stringify(label)}, ${entry}}}, or save it with commas`
      : `say ${entry} for ${kind} in ${mapping.label}`;
  const name = delimiter === "\t" ? "tabs" : JSON.stringify(delimiter);
  return `the columns are separated by ${name}: ${advice}`;
}
