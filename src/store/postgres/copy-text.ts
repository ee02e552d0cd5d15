// Rows in PostgreSQL's COPY text format (its manual, COPY, Text Format).

const SPECIAL = /[\\\t\n\r]/g;
const HAS_SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function field(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  const text = String(value);
  return HAS_SPECIAL.test(text) ? text.replace(SPECIAL, (character) => ESCAPES[character]!) : text;
}

/** The rows, each with the company before the given columns. */
export function copyText<R>(companyId: string, columns: readonly (keyof R)[], rows: readonly R[]): string {
  const company = field(companyId);
  let text = "";
  for (const row of rows) {
    text += company;
    for (const column of columns) text += `\t${field(row[column])}`;
    text += "\n";
  }
  return text;
}
