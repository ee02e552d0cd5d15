// Policies and their types of time off.
import sql from "sql-template-tag";
import type { Rows } from "../../../resources/kinds.ts";
import {
  isOwed,
  type OwnTerms,
  type Policy,
  policyTerms,
  type StoredChange,
  type StoredPolicyTerms,
  storedTerms,
} from "../../../resources/policies.ts";
import { changeTo, withChanges } from "../../../resources/policy-changes.ts";
import type { ImportSession } from "../../../store/store.ts";
import { type Day, formatDay } from "../../../time/day.ts";
import { shown } from "../../row-errors.ts";
import { mintedId } from "../../staging.ts";
import { type LoadedRow, loadedRows } from "../stored-rows.ts";
import type { Hints } from "./hints.ts";
import { type KindRules, plainRow } from "./kind.ts";

export const policyRules: KindRules<"policies"> = {
  hintsOf: ({ row }): Hints | null => ((row.isAbsence ?? "") === "" ? { isAbsenceEmpty: true } : null),
  build: (row, { policies }) => ({ row: policies.rowOf(row) }),
};

/** The day from which changes of a source apply; null: always. `isNext`: or the last change's day, if that is later. */
export type CountsFrom = (source: number) => { readonly day: Day; readonly isNext: boolean } | null;

/** All policies, as they are after the import. A company has few. */
export class Policies {
  readonly #terms = new Map<string, StoredPolicyTerms>();
  /** The ids of types of time off by their names: in stored policies, and in rows of these files. */
  readonly #storedTypes = new Map<string, string>();
  readonly #givenTypes = new Map<string, string>();
  /** Whether the legacy id or the terms of a stored policy changed. */
  isAnyOther = false;
  /** The dated change to store, by policy id; null if the policy's changes are to be removed. */
  readonly dated = new Map<string, StoredChange | null>();
  /** Why changes cannot apply from the given day. */
  readonly problems = new Set<string>();

  constructor(
    readonly companyId: string,
    /** A policy's object has the terms that are in force on this day. */
    readonly today: Day,
    /** Null if files have policy_changes: then policies have the terms before all changes. */
    readonly countsFrom: CountsFrom | null,
  ) {}

  static async read(session: ImportSession, today: Day, countsFrom: CountsFrom | null): Promise<Policies> {
    const policies = new Policies(session.companyId, today, countsFrom);
    const stored = await session.run<Pick<Rows["policies"], "id" | "terms" | "doc">>(sql`
      select id as "id", terms as "terms", doc as "doc"
      from policies
      where company_id = ${session.companyId}
      order by id`);
    for (const row of stored) {
      policies.#terms.set(row.id, storedTerms(row));
      const { timeOffTypeId, timeOffTypeName } = JSON.parse(row.doc) as Policy; // what an import wrote
      keepFirst(policies.#storedTypes, timeOffTypeName, timeOffTypeId);
    }
    const rows: LoadedRow<"policies">[] = [];
    for await (const some of loadedRows(session, "policies", { isFresh: stored.length === 0 }))
      rows.push(...some);
    for (const { fields } of rows)
      if (fields.timeOffTypeId !== null)
        keepFirst(policies.#givenTypes, fields.timeOffTypeName, fields.timeOffTypeId);
    for (const loaded of rows) {
      const row = policies.rowOf(loaded);
      const { stored: before } = loaded;
      policies.#terms.set(row.id, storedTerms(row));
      if (before !== null && (before.legacyId !== row.legacyId || before.terms !== row.terms))
        policies.isAnyOther = true;
    }
    return policies;
  }

  termsOf(id: string): StoredPolicyTerms | undefined {
    return this.#terms.get(id);
  }

  rowOf(loaded: LoadedRow<"policies">): Rows["policies"] {
    const terms = policyTerms(loaded.fields);
    const more = {
      isUnlimited: terms.isUnlimited,
      timeOffTypeId: this.#typeIdOf(loaded),
      isPaidOut: isOwed(loaded.fields),
    };
    const stored = this.#storedAs(loaded, terms);
    const row = plainRow("policies", loaded, more, { terms: JSON.stringify(stored) });
    const { changes = [] } = stored;
    return changes.length === 0 ? row : withChanges(row, changes, this.today);
  }

  /** The terms to store for a policy with the terms `given` in a file (docs/balances.md, Changes to the past). */
  #storedAs({ stored, staged, fields }: LoadedRow<"policies">, given: OwnTerms): StoredPolicyTerms {
    if (stored === null) return given;
    const before = storedTerms(stored);
    const { changes = [], given: said, ...own } = before;
    const always = changes.length === 0 ? given : { ...given, changes };
    if (this.countsFrom === null) return always;
    if (JSON.stringify(given) === JSON.stringify(said ?? own)) return before;
    const from = this.countsFrom(staged.source);
    const last = changes.at(-1)?.from ?? Number.NEGATIVE_INFINITY;
    if (from !== null && from.day < last && !from.isNext) {
      const days = [from.day, last].map(formatDay);
      this.problems.add(
        `--rules-from ${days[0]}: ${shown(fields.name)} already changes on ${days[1]}: give that day or a later one`,
      );
    }
    const change = from === null ? null : changeTo(before, given, Math.max(from.day, last));
    if (change === null) {
      if (said === undefined) return always;
      this.dated.set(stored.id, null);
      return given;
    }
    this.dated.set(stored.id, change);
    const earlier = changes.filter(({ from }) => from < change.from);
    return { ...own, given, changes: [...earlier, change] };
  }

  /** The id of a policy's type of time off: the given one, else the stored policy's, else that of the name (docs/api.md, Identifiers). */
  #typeIdOf({ fields, stored }: LoadedRow<"policies">): string {
    const { timeOffTypeId, timeOffTypeName: name } = fields;
    if (timeOffTypeId !== null) return timeOffTypeId;
    const own = stored === null ? null : (JSON.parse(stored.doc) as Policy); // what an import wrote
    if (own?.timeOffTypeName === name) return own.timeOffTypeId;
    return (
      this.#givenTypes.get(name) ??
      this.#storedTypes.get(name) ??
      mintedId(this.companyId, "timeOffTypes", name)
    );
  }
}

/** Of several ids with one name the first in byte order counts, so that the order of rows does not matter. */
function keepFirst(ids: Map<string, string>, name: string, id: string): void {
  const before = ids.get(name);
  if (before === undefined || id < before) ids.set(name, id);
}
