// Finds the stored rows that the files of an import do not contain.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Kind } from "../../resources/kinds.ts";
import type { FromDay, ImportSession } from "../../store/store.ts";
import { columnName, isDigested, TABLES } from "../../store/tables.ts";
import type { BadRows } from "../bad-rows.ts";
import type { FileCounts } from "../report.ts";
import { staged } from "../staging.ts";
import type { StoredDigests } from "./digests.ts";
import { joinedNames, keyOfStaged } from "./references.ts";

/** To be used once every row of the files is stored. */
export class AbsentRows {
  readonly #prepared = new Set<Kind>();

  constructor(
    private readonly session: ImportSession,
    private readonly bad: BadRows,
    private readonly digests: StoredDigests,
    private readonly counts: readonly FileCounts[],
  ) {}

  /** Selects the keys of stored rows, on or after these days, that the files do not contain: columns of `r`, in key order. */
  async query(kind: Kind, from: readonly FromDay[] = []): Promise<Sql> {
    await this.#prepare(kind);
    const key = TABLES[kind].key.map(columnName);
    const isSeen = key.map((column) => `seen.${column} = r.${column}`).join(" and ");
    const isKnown = this.digests.known(kind) !== null;
    // A row whose digest a record has is in the files.
    const ofDigest = isKnown
      ? sql` and (r.digest is null or r.digest in (select digest from ${raw(`unclaimed_${kind}`)}))`
      : empty;
    const days = from.map(({ column, day }) => {
      const value = raw(`r.${columnName(column)}`);
      return sql` and (${value} >= ${day} or ${value} is null)`;
    });
    return sql`
      select ${raw(key.map((column) => `r.${column}`).join(", "))}
      from ${raw(kind)} r
      where r.company_id = ${this.session.companyId}
        and not exists (select 1 from ${raw(`seen_${kind}`)} seen where ${raw(isSeen)})${ofDigest}${
          days.length === 0 ? empty : join(days, "")
        }`;
  }

  async count(kind: Kind, from: readonly FromDay[]): Promise<number> {
    if (await this.#isAllThere(kind)) return 0;
    const [row] = await this.session.run<{ count: number }>(
      sql`select count(*) as "count" from (${await this.query(kind, from)}) as absent`,
    );
    return Number(row!.count);
  }

  /** Whether no row is absent, because as many rows are stored as the files have. */
  async #isAllThere(kind: Kind): Promise<boolean> {
    if (this.bad.present.has(kind)) return false;
    const files = this.counts.filter((counts) => counts.kind === kind);
    const loaded = files.reduce((sum, { added, changed, unchanged }) => sum + added + changed + unchanged, 0);
    return (await this.session.count(kind)) === loaded;
  }

  async #prepare(kind: Kind): Promise<void> {
    if (this.#prepared.has(kind)) return;
    this.#prepared.add(kind);
    const { session } = this;
    const { key, types } = TABLES[kind];
    const table = `seen_${kind}`;
    await session.makeTable(table, Object.fromEntries(key.map((name) => [name, types.get(name)!])));
    const columns = keyOfStaged(kind);
    await session.run(sql`
      insert into ${raw(table)}
      select distinct ${raw(columns.join(", "))}
      from ${staged(kind)} s
      ${joinedNames(kind)}
      where ${raw(columns.map((column) => `${column} is not null`).join(" and "))}`);
    await session.fill(table, this.bad.present.get(kind) ?? []);
    const index = key.map(columnName).join(", ");
    await session.run(sql`create index ${raw(`${table}_key`)} on ${raw(table)} (${raw(index)})`);
    const known = this.digests.known(kind);
    if (known === null || !isDigested(kind)) return;
    await session.makeTable(`unclaimed_${kind}`, { digest: "bigint" });
    for (const digests of known.unclaimed())
      await session.fill(
        `unclaimed_${kind}`,
        digests.map((digest) => [digest]),
      );
    await session.run(
      sql`create index ${raw(`unclaimed_${kind}_digest`)} on ${raw(`unclaimed_${kind}`)} (digest)`,
    );
  }
}
