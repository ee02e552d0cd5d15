// Reading all that one file holds of companies, keys and facts: a backup, which has them together.
import sql, { empty } from "sql-template-tag";
import { type KeyRow, SELECT_KEYS, toKey } from "../key-rows.ts";
import { type Company, type Contents, unknownCompany } from "../store.ts";
import { FACT_KINDS } from "../tables.ts";
import type { Statements } from "./database.ts";
import { scanRows } from "./transaction.ts";

export function contentsOf(statements: Statements): Contents {
  return {
    companies: async () =>
      statements.all<Company>(
        sql`select id as "id", name as "name", created_at_ms as "createdAtMs" from companies order by id`,
      ),
    async keys(companyId) {
      const where = companyId === undefined ? empty : sql` where company_id = ${companyId}`;
      return statements.all<KeyRow>(sql`${SELECT_KEYS}${where} order by created_at_ms, id`).map(toKey);
    },
    async export(companyId, visit) {
      const company = statements.all(sql`select id from companies where id = ${companyId}`);
      if (company.length === 0) throw unknownCompany(companyId);
      for (const kind of FACT_KINDS) {
        for (const rows of scanRows(statements, companyId, kind)) await visit(kind, rows);
      }
    },
  };
}
