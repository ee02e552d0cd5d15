// What a workbook that was written holds, as the import reads workbooks.
import { DEFAULT_OPTIONS } from "../../src/import/read/records.ts";
import { openWorkbook } from "../../src/import/read/xlsx.ts";

/** The rows of a workbook, as texts by the name of their column. */
export async function workbookRows(path: string): Promise<Record<string, string>[]> {
  const { header, records, close } = await openWorkbook(path, DEFAULT_OPTIONS);
  const rows: Record<string, string>[] = [];
  for await (const batch of records())
    for (const { cells } of batch)
      rows.push(Object.fromEntries(header.map((name, at) => [name, String(cells[at] ?? "")])));
  await close();
  return rows;
}
