// Types of time off, which policies name: a policy that gives a type's name alone gets the id that the type has.
import type { Policy } from "../../resources/policies.ts";
import type { ImportTransaction } from "../../store/store.ts";
import type { Rows } from "../../store/tables.ts";
import { mintedId } from "./identity.ts";

interface NamesType {
  readonly timeOffTypeId: string | null;
  readonly timeOffTypeName: string;
}

export class TimeOffTypes {
  readonly #companyId: string;
  readonly #transaction: ImportTransaction;
  #stored: Promise<Map<string, string>> | null = null;

  constructor(companyId: string, transaction: ImportTransaction) {
    this.#companyId = companyId;
    this.#transaction = transaction;
  }

  /**
   * The type's id of each policy, in order. A type's id never changes (docs/api.md, Identifiers): where it is left out it is
   * that of the policy as stored, else of another policy of these or of those stored whose type has this name, else
   * minted from the name. Where several ids have one name, the first in byte order is taken, so that order is no matter.
   */
  async idsOf(facts: readonly NamesType[], stored: readonly (Rows["policies"] | null)[]): Promise<string[]> {
    this.#stored ??= this.#storedIds();
    const known = await this.#stored;
    const given = new Map<string, string>();
    for (const { timeOffTypeId, timeOffTypeName } of facts) {
      if (timeOffTypeId !== null) keepFirst(given, timeOffTypeName, timeOffTypeId);
    }
    return facts.map(({ timeOffTypeId, timeOffTypeName }, at) => {
      if (timeOffTypeId !== null) return timeOffTypeId;
      const own = typeOf(stored[at] ?? null);
      if (own?.timeOffTypeName === timeOffTypeName) return own.timeOffTypeId;
      return (
        given.get(timeOffTypeName) ??
        known.get(timeOffTypeName) ??
        mintedId(this.#companyId, "timeOffTypes", timeOffTypeName)
      );
    });
  }

  async #storedIds(): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for await (const rows of this.#transaction.scan("policies")) {
      for (const row of rows) {
        const { timeOffTypeId, timeOffTypeName } = typeOf(row)!;
        keepFirst(ids, timeOffTypeName, timeOffTypeId);
      }
    }
    return ids;
  }
}

function typeOf(row: Rows["policies"] | null): Policy | null {
  return row === null ? null : (JSON.parse(row.doc) as Policy); // what policyRow wrote
}

function keepFirst(ids: Map<string, string>, name: string, id: string): void {
  const before = ids.get(name);
  if (before === undefined || id < before) ids.set(name, id);
}
