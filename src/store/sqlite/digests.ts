// The digests of one company's rows in the embedded store. A digest has more bits than a number of JavaScript, so it is read in two halves.
import type { Sql } from "sql-template-tag";
import { DigestReads } from "../shared-reads.ts";
import type { RowDigest, RowDigests, RowKey } from "../store.ts";
import { DIGESTED_KINDS, type DigestedKind, TABLES } from "../tables.ts";
import type { Statements } from "./database.ts";
import { keyCondition, SCAN_BATCH_ROWS, scanColumns, selectionOf } from "./rows.ts";

const IN_HALVES = "digest >> 32 as high, digest & 4294967295 as low";

/** Both are null where a row has no digest. */
interface Halves {
  readonly high: number | null;
  readonly low: number | null;
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

  async *all(kind: DigestedKind): AsyncGenerator<Uint32Array> {
    const select = this.#statements.prepare(
      `select ${IN_HALVES} from ${kind} not indexed where company_id = ? and digest is not null`,
    );
    let halves = new Uint32Array(SCAN_BATCH_ROWS * 2);
    let at = 0;
    for (const { high, low } of select.iterate(this.companyId) as Iterable<Halves>) {
      halves[at++] = high!; // the condition
      halves[at++] = low!;
      if (at < halves.length) continue;
      yield halves;
      halves = new Uint32Array(SCAN_BATCH_ROWS * 2);
      at = 0;
    }
    yield halves.subarray(0, at);
  }

  async of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    const select = this.#statements.prepare(`select ${IN_HALVES} from ${kind} where ${keyCondition(kind)}`);
    return keys.map((key) => digestOf(select.get(this.companyId, ...key) as Halves | null)); // the selection
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
    const selected = `${selectionOf(kind, key)}, ${IN_HALVES}`;
    type Selected = Halves & Readonly<Record<string, string | number>>;
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

function digestOf(halves: Halves | null): RowDigest | null {
  if (halves === null || halves.high === null) return null;
  return (BigInt(halves.high) << 32n) | BigInt(halves.low!); // both, or neither
}
