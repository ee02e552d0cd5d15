// Reads everything that a store holds, on one connection.
import sql from "sql-template-tag";
import { readRecords, states } from "../history.ts";
import * as queries from "../queries.ts";
import { type Company, type Contents, unknownCompany } from "../store.ts";
import type { Execute } from "../tables.ts";
import { KINDS } from "../tables.ts";
import { PostgresDatabase, run } from "./connection/database.ts";
import { requireCurrentSchema } from "./maintenance/migrate.ts";
import { scanRows } from "./transaction.ts";

/** The contents as read through `execute`: of one moment if that runs in a transaction with one snapshot. */
export function contentsOf(execute: Execute): Contents {
  return {
    companies: () => execute<Company>(queries.companies()),
    imports: async (companyId) => queries.importsOf(await execute(queries.imports(companyId))),
    keys: async (companyId) =>
      (await execute<queries.KeyRow>(queries.listedSecrets("keys", companyId))).map(queries.toKey),
    feeds: async (companyId) =>
      (await execute<queries.CalendarRow>(queries.listedSecrets("feeds", companyId))).map(queries.toCalendar),
    async export(companyId, visit) {
      const company = await execute(sql`select id from companies where id = ${companyId}`);
      if (company.length === 0) throw unknownCompany(companyId);
      for (const kind of KINDS)
        for await (const rows of scanRows(execute, companyId, kind)) await visit(kind, rows);
    },
    states: (companyId) => execute(states(companyId)),
    records: (companyId, visit) => readRecords(execute, companyId, visit),
  };
}

/** Begins a read-only transaction in which all reads see the same moment. */
export const BEGIN_SNAPSHOT = sql`begin isolation level repeatable read read only`;

/** Gives `work` all that the store holds at one moment, while others serve and import. */
export async function withSnapshot<T>(db: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase(db, { max: 1 });
  try {
    await requireCurrentSchema(database);
    return await database.hold(async (client) => {
      const execute: Execute = (query) => run(client, database.serverName, query);
      await execute(BEGIN_SNAPSHOT);
      const result = await work(contentsOf(execute));
      await execute(sql`commit`);
      return result;
    });
  } finally {
    await database.close();
  }
}
