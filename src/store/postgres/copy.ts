// Adds rows to a table by COPY in its text format (PostgreSQL's manual, COPY, Text Format).
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { mapClientError } from "./connection/database.ts";

/** Adds rows to a table. `columns` are in the order of each row's values; all columns of the table by default. */
export async function copyRows(
  client: pg.PoolClient,
  serverName: string,
  table: string,
  rows: readonly (readonly unknown[])[],
  columns: readonly string[] = [],
): Promise<void> {
  if (rows.length === 0) return;
  const list = columns.length === 0 ? "" : ` (${columns.join(", ")})`;
  const stream = client.query(copyFrom(`copy ${table}${list} from stdin`));
  stream.end(rows.map((values) => `${values.map(cell).join("\t")}\n`).join(""));
  await finished(stream).catch((error) => {
    throw mapClientError(client, error, serverName);
  });
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const HAS_ESCAPED = /[\\\t\n\r]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  const text = String(value);
  if (!HAS_ESCAPED.test(text)) return text; // nearly always
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!); // each of them has one
}
