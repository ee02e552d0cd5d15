// The model: a company in memory and the pages of its lists, written so that it is obviously correct; and its imports.

import { parseBalanceId } from "../../../src/resources/ids.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import type { Filter } from "./filters.ts";
import type { Doc, World } from "./worlds.ts";

/** Slot to variant; a slot that is not there is absent. */
export type State = ReadonlyMap<number, number>;

/** To a variant, or away. */
export type Change = readonly [slot: number, variant: number | null];

export function changed(state: State, changes: readonly Change[]): State {
  const next = new Map(state);
  for (const [slot, variant] of changes) {
    if (variant === null) next.delete(slot);
    else next.set(slot, variant);
  }
  return next;
}

export function importChanges(
  writer: WriteStore,
  companyId: string,
  world: World,
  changes: readonly Change[],
): Promise<void> {
  return writer.change(companyId, async (transaction) => {
    for (const [slot, variant] of changes) {
      if (variant === null) await transaction.remove(world.kind, [world.key(slot)]);
      else await transaction.put(world.kind, [world.row(slot, variant)]);
    }
    return { result: undefined, changed: true, commit: true };
  });
}

/** Everything that matches, in list order. */
export function matching(world: World, state: State, filter: Filter): Doc[] {
  return [...state]
    .map(([slot, variant]) => world.doc(slot, variant))
    .filter(filter.matches)
    .sort(world.compare);
}

export interface Cursor {
  readonly name: "afterId" | "beforeId";
  readonly id: string;
}

/** Whether the object lies beyond the cursor, in its direction. A worker id stands before all of that worker's balances, and after them. */
function isBeyond(world: World, doc: Doc, { name, id }: Cursor): boolean {
  const named = parseBalanceId(id);
  const at: Doc = { id, workerId: named?.workerId ?? id, policyId: named?.policyId ?? doc.policyId };
  const side = world.compare(doc, at);
  return name === "afterId" ? side > 0 : side < 0;
}

export interface PageModel {
  readonly docs: readonly Doc[];
  readonly hasMore: boolean;
}

export function pageOf(all: readonly Doc[], world: World, limit: number, cursor: Cursor | null): PageModel {
  const beyond = cursor === null ? all : all.filter((doc) => isBeyond(world, doc, cursor));
  const docs = cursor?.name === "beforeId" ? beyond.slice(-limit) : beyond.slice(0, limit);
  return { docs, hasMore: beyond.length > limit };
}
