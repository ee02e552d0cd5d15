// What belongs to a company, and how all of it goes.
import sql, { raw } from "sql-template-tag";
import { FACT_KINDS } from "../tables.ts";
import type { Execute } from "./contents.ts";

/** The tables that hold rows of companies. */
export const COMPANY_TABLES = [...FACT_KINDS, "keys", "companies"] as const;

/** Removes a company within a transaction; false where it is unknown. A key that is being made for it is waited for. */
export async function removeCompany(execute: Execute, id: string): Promise<boolean> {
  const known = await execute(sql`select id from companies where id = ${id} for update`);
  for (const table of [...FACT_KINDS, "keys"]) {
    await execute(sql`delete from ${raw(table)} where company_id = ${id}`);
  }
  await execute(sql`delete from companies where id = ${id}`);
  return known.length > 0;
}

export function newVersion(): string {
  return crypto.randomUUID();
}
