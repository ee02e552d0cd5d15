// The digests of one company's rows in the embedded store. A digest has more bits than a number of JavaScript, so it is read as text.
import type { Sql } from "sql-template-tag";
import { DigestReads } from "../shared-reads.ts";
import type { RowDigest, RowDigests, RowKey } from "../store.ts";
import { DIGESTED_KINDS, type DigestedKind, TABLES } from "../tables.ts";
import type { Statements } from "./database.ts";
import { keyCondition, scanColumns, selectionOf } from "./rows.ts";

const AS_TEXT = "cast(digest as text) as digest";

interface DigestRow {
  readonly digest: string | null;
}

export class SqliteDigests extends DigestReads implements RowDigests {
  readonly #statements: Statements;

  constructor(statements: Statements, companyId: string) {
    super(companyId);
    this.#statements = statements;
  }

  protected async run<R>(query: Sql): Promise<R[]> {
    return this.#statements.all(query);
  }

  async of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    const select = this.#statements.prepare(`select ${AS_TEXT} from ${kind} where ${keyCondition(kind)}`);
    return keys.map((key) => digestOf(select.get(this.companyId, ...key) as DigestRow | null)); // the selection
  }

  async set(
    kind: DigestedKind,
    rows: readonly (readonly [key: RowKey, digest: RowDigest | null])[],
  ): Promise<void> {
    const update = this.#statements.prepare(`update ${kind} set digest = ? where ${keyCondition(kind)}`);
    for (const [key, digest] of rows) update.run(digest, this.companyId, ...key);
  }

  async *keys(kind: DigestedKind) {
    const { key } = TABLES[kind];
    const selected = `${selectionOf(kind, key)}, ${AS_TEXT}`;
    type Selected = DigestRow & Readonly<Record<string, string | number>>;
    for (const rows of scanColumns<Selected>(this.#statements, this.companyId, kind, selected))
      yield rows.map((row) => [key.map((field) => row[field]!) as RowKey, digestOf(row)] as const); // keys are texts and days
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    for (const kind of DIGESTED_KINDS) {
      const forget = this.#statements.prepare(
        `update ${kind} set digest = null where company_id = ? and worker_id = ? and digest is not null`,
      );
      for (const id of workerIds) forget.run(this.companyId, id);
    }
  }
}

function digestOf(row: DigestRow | null): RowDigest | null {
  return row?.digest == null ? null : BigInt(row.digest);
}
