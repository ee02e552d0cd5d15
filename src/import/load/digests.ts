// Stored digests (decision 41). When a row's worker or policy changes, its digest is forgotten here; for the company, the store does it.
import sql, { raw } from "sql-template-tag";
import { type Kind, PARENT_COLUMNS, type ParentKind } from "../../resources/kinds.ts";
import type { ImportSession } from "../../store/store.ts";
import { columnName, DIGESTED_KINDS, type DigestedKind, isDigested, TABLES } from "../../store/tables.ts";
import type { BadRows } from "../bad-rows.ts";
import type { KnownDigests } from "../convert/record-digests.ts";
import { ROW_STATE, staged } from "../staging.ts";
import { hasKeyOfStaged, joinedNames } from "./references.ts";

const GOOD = ROW_STATE.good;

/** What a record with a digest may refer to, besides workers. */
const OTHER_PARENTS: ReadonlySet<Kind> = new Set(
  PARENT_COLUMNS.flatMap(({ kind, parent }) => (isDigested(kind) && parent !== "workers" ? [parent] : [])),
);

const SECRET_CHARACTERS = 32;
const BATCH_DIGESTS = 10_000;

/** The digests of one import: which are stored, which the files have, and which rows get new ones. */
export class StoredDigests {
  /** The company's secret; null where rows get no digests. */
  #key: string | null = null;
  /** Whether the stored digests were made with this key. */
  #isOfStored = false;
  #hasForgotten = false;
  #usesNone = false;
  readonly #known = new Map<DigestedKind, SortedDigests>();
  /** The kinds that have a table `unclaimed_KIND`. Their other digests are of rows that the files have. */
  readonly unclaimed = new Set<Kind>();

  constructor(
    private readonly session: ImportSession,
    private readonly bad: BadRows,
  ) {}

  /** `program`: this build. Digests of another build mean nothing. Null for an import without digests. */
  async open(program: string | null): Promise<void> {
    if (program === null) return;
    const { companyId } = this.session;
    const [stored] = await this.session.run<{ key: string | null }>(sql`
      select digest_key as "key" from companies where id = ${companyId}`);
    this.#isOfStored = stored?.key?.slice(SECRET_CHARACTERS) === ` ${program}`;
    this.#key = this.#isOfStored ? stored!.key : newKey(program);
    await this.session.makeTable("forgotten_workers", { id: "text" });
  }

  /** The key for digests of a kind; null if its rows get none. */
  keyFor(kind: Kind): string | null {
    return isDigested(kind) && !this.#usesNone ? this.#key : null;
  }

  #knownOf(kind: Kind): SortedDigests | null {
    return isDigested(kind) ? (this.#known.get(kind) ?? null) : null;
  }

  /** Forgets the digests of rows of workers whose legacy id or time zone changes or whose row is bad. Called once workers are staged. */
  async forgetWorkers(): Promise<void> {
    if (this.#key === null) return;
    const { companyId } = this.session;
    await this.session.run(sql`
      insert into forgotten_workers
      select s.id
      from ${staged("workers")} s
      join workers r on r.company_id = ${companyId} and r.id = s.id
      where s.state <> ${GOOD}
         or (s.legacy_id is not null and s.legacy_id is distinct from r.legacy_id)
         or s.time_zone is distinct from r.time_zone`);
    const bad = this.bad.refused.ids("workers");
    await this.session.fill(
      "forgotten_workers",
      bad.map((id) => [id]),
    );
    await this.#forgetAmbiguous("workers");
  }

  /** The same for other parents. `isOther`: whether a stored parent means something else now. */
  async forgetOthers(kind: ParentKind, isOther: boolean): Promise<void> {
    if (this.#key === null || !OTHER_PARENTS.has(kind)) return;
    if (isOther) this.#forgetAll();
    // Records may refer to a row that is bad now, so this import uses no digests.
    if (this.bad.refused.ids(kind).length > 0) this.#usesNone = true;
    await this.#forgetAmbiguous(kind);
  }

  /** Forgets all digests if a name is the id of one row and the legacy id of another: then it refers to nothing. */
  async #forgetAmbiguous(kind: ParentKind): Promise<void> {
    const { companyId } = this.session;
    const rows = staged(kind);
    const stored = sql`(select id, legacy_id from ${raw(kind)} where company_id = ${companyId})`;
    const [ambiguous] = await this.session.run(sql`
      select 1
      from ${rows} s
      left join ${raw(kind)} r on r.company_id = ${companyId} and r.id = s.id
      where s.state = ${GOOD}
        and s.legacy_id is distinct from r.legacy_id
        and (exists (select 1 from ${rows} o where o.id = s.legacy_id and o.id <> s.id)
          or exists (select 1 from ${stored} o where o.id = s.legacy_id and o.id <> s.id)
          or exists (select 1 from ${rows} o where o.legacy_id = s.id and o.id <> s.id)
          or exists (select 1 from ${stored} o where o.legacy_id = s.id and o.id <> s.id))
      limit 1`);
    if (ambiguous !== undefined) this.#forgetAll();
  }

  #forgetAll(): void {
    if (this.#key === null || this.#hasForgotten) return;
    this.#hasForgotten = true;
    this.#isOfStored = false;
    this.#key = newKey(this.#key.slice(SECRET_CHARACTERS + 1));
  }

  /** Reads the stored digests of a kind, before its files are read. `size`: the number of stored rows. */
  async read(kind: Kind, size: number): Promise<KnownDigests | null> {
    if (this.keyFor(kind) === null || !isDigested(kind) || !this.#isOfStored) return null;
    const digests = new SortedDigests(size);
    const stored = sql`
      select
        cast(r.digest >> 32 as integer) as "high",
        cast(r.digest & 4294967295 as double precision) as "low"
      from ${raw(kind)} r
      where r.company_id = ${this.session.companyId}
        and r.digest is not null
        and not exists (select 1 from forgotten_workers f where f.id = r.worker_id)`;
    for await (const rows of this.session.batches<DigestHalves>(stored))
      for (const halves of rows) digests.add(halves);
    digests.sort();
    this.#known.set(kind, digests);
    return digests;
  }

  /** Ignores the stored digests of a kind, so that each of its records is read. */
  ignore(kind: Kind): void {
    if (isDigested(kind)) this.#known.delete(kind);
  }

  /** Keeps only the digests that no record has, in the table `unclaimed_KIND`. Called once the files of a kind are read. */
  async keepUnclaimed(kind: Kind): Promise<void> {
    const known = this.#knownOf(kind);
    if (known === null) return;
    const table = `unclaimed_${kind}`;
    await this.session.makeTable(table, { digest: "bigint" });
    for (const digests of known.unclaimed())
      await this.session.fill(
        table,
        digests.map((digest) => [digest]),
      );
    await this.session.run(sql`create index ${raw(`${table}_digest`)} on ${raw(table)} (digest)`);
    this.ignore(kind);
    this.unclaimed.add(kind);
  }

  /** Whether a staged row has the key of a stored row whose digest a record claimed: then the files have it as it was, and changed. */
  async hasRepeated(kind: Kind): Promise<boolean> {
    const known = this.#knownOf(kind);
    if (known === null) return false;
    const rows = await this.session.run<{ digest: string }>(sql`
      select cast(r.digest as text) as "digest"
      from ${staged(kind)} s
      ${joinedNames(kind)}
      join ${raw(kind)} r on ${hasKeyOfStaged(kind, this.session.companyId)}
      where r.digest is not null`);
    return rows.some(({ digest }) => known.isClaimed(BigInt(digest)));
  }

  /** Removes forgotten digests, and makes the tables of `set`. Called in the writing transaction, before rows are written. */
  async forget(): Promise<void> {
    const { companyId } = this.session;
    if (this.#key === null) {
      // Without digests it is unknown what changed, so the next import with digests starts without stored ones.
      await this.session.run(sql`update companies set digest_key = null where id = ${companyId}`);
      return;
    }
    const [isAny] = await this.session.run(sql`select 1 from forgotten_workers limit 1`);
    for (const kind of isAny === undefined ? [] : DIGESTED_KINDS)
      await this.session.run(sql`
        update ${raw(kind)}
        set digest = null
        where company_id = ${companyId}
          and worker_id in (select id from forgotten_workers)
          and digest is not null`);
    await this.session.run(sql`update companies set digest_key = ${this.#key} where id = ${companyId}`);
    for (const kind of DIGESTED_KINDS) {
      const { key, types } = TABLES[kind];
      const columns = Object.fromEntries(key.map((name) => [name, types.get(name)!]));
      await this.session.makeTable(tableOf(kind), { ...columns, digest: "bigint" });
    }
  }

  /** Gives unchanged rows the digests of their new records. */
  async set(kind: Kind, rows: readonly (readonly [key: readonly (string | number)[], digest: string])[]) {
    if (rows.length === 0) return;
    const key = TABLES[kind].key.map(columnName);
    const table = tableOf(kind);
    await this.session.run(sql`delete from ${raw(table)}`);
    await this.session.fill(
      table,
      rows.map(([values, digest]) => [...values, digest]),
    );
    const isSame = key.map((column) => `${kind}.${column} = given.${column}`).join(" and ");
    await this.session.run(sql`
      update ${raw(kind)}
      set digest = given.digest
      from ${raw(table)} as given
      where ${raw(kind)}.company_id = ${this.session.companyId} and ${raw(isSame)}`);
  }
}

const tableOf = (kind: Kind) => `digests_${kind}`;

/** A new key: 128 random bits in hexadecimal, and the build. */
function newKey(program: string): string {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_CHARACTERS / 2));
  return `${Buffer.from(secret).toString("hex")} ${program}`;
}

/** A digest as two numbers of 32 bits, of which the high one has the sign. Millions of bigints would take 100 MB until they are collected. */
export interface DigestHalves {
  readonly high: number;
  readonly low: number;
}

/** The sorted stored digests of a kind, and which of them records of this import have. Takes 11 bytes for each row. */
export class SortedDigests implements KnownDigests {
  #digests: BigInt64Array;
  /** The same memory: the low and the high half of each digest. */
  readonly #halves: Int32Array;
  #claimed = new Uint8Array(0);
  #count = 0;
  /** The index of the first digest with these leading bits. Few digests share them. */
  #first = new Uint32Array(0);
  #bits = 1;
  hasRepeated = false;

  constructor(size: number) {
    this.#digests = new BigInt64Array(size);
    this.#halves = new Int32Array(this.#digests.buffer);
  }

  /** More than `size` come if another import commits in between. Then this one begins again. */
  add({ high, low }: DigestHalves): void {
    if (this.#count >= this.#digests.length) return;
    this.#halves[2 * this.#count] = low;
    this.#halves[2 * this.#count + 1] = high;
    this.#count++;
  }

  sort(): void {
    this.#digests = this.#digests.subarray(0, this.#count).sort();
    this.#claimed = new Uint8Array(this.#count);
    this.#bits = Math.max(1, 30 - Math.clz32(this.#count)); // two to four digests for each
    this.#first = new Uint32Array(2 ** this.#bits + 1).fill(this.#count);
    for (let at = this.#count - 1; at >= 0; at--) this.#first[this.#partOf(this.#halves[2 * at + 1]!)] = at;
    for (let part = this.#first.length - 2; part >= 0; part--)
      this.#first[part] = Math.min(this.#first[part]!, this.#first[part + 1]!);
  }

  #partOf(high: number): number {
    return (high >> (32 - this.#bits)) + 2 ** (this.#bits - 1);
  }

  /** The index of a digest; -1 if it is not stored. */
  #indexOf(digest: bigint): number {
    const part = this.#partOf(Number(digest >> 32n));
    const end = this.#first[part + 1]!;
    for (let at = this.#first[part]!; at < end; at++) if (this.#digests[at] === digest) return at;
    return -1;
  }

  claim(digest: bigint): boolean {
    const index = this.#indexOf(digest);
    if (index === -1) return false;
    if (this.#claimed[index] === 1) this.hasRepeated = true;
    this.#claimed[index] = 1;
    return true;
  }

  isClaimed(digest: bigint): boolean {
    return this.#claimed[this.#indexOf(digest)] === 1;
  }

  /** Digests that no record has, in batches. */
  *unclaimed(): Generator<bigint[]> {
    let batch: bigint[] = [];
    for (let at = 0; at < this.#count; at++) {
      if (this.#claimed[at] === 1) continue;
      batch.push(this.#digests[at]!);
      if (batch.length < BATCH_DIGESTS) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}
