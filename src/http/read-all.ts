// Reads whole lists, page by page, and objects by their ids.
import { LISTS, type ListKind } from "../resources/kinds.ts";
import { conditionsOf } from "../store/plan.ts";
import type { CompanyReader, Condition, DocPage } from "../store/store.ts";

/** Rows of a page; other requests are served between two pages. */
const PAGE_ROWS = 500;

/** All objects of a list that match these filters. */
export function readAll<T extends { readonly id: string }>(
  company: CompanyReader,
  kind: ListKind,
  values: Readonly<Record<string, unknown>>,
): Promise<T[]> {
  return readRows(company, kind, conditionsOf(LISTS[kind].api.filters, values));
}

/** All objects of a list that meet these conditions. */
export async function readRows<T extends { readonly id: string }>(
  company: CompanyReader,
  kind: ListKind,
  conditions: readonly Condition[],
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const page: DocPage = await company.list(kind, { limit: PAGE_ROWS, after: all.at(-1)?.id }, conditions);
    for (const doc of page.docs) all.push(parsed<T>(doc));
    if (!page.hasMore) return all;
    await new Promise(setImmediate);
  }
}

/** The objects with these ids, by id. */
export async function byId<T extends { readonly id: string }>(
  reader: CompanyReader,
  kind: ListKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const objects = new Map<string, T>();
  const all = [...new Set(ids)].toSorted();
  for (let at = 0; at < all.length; at += PAGE_ROWS) {
    const values = all.slice(at, at + PAGE_ROWS);
    const { docs } = await reader.list(kind, { limit: PAGE_ROWS }, [{ column: "id", is: "in", values }]);
    for (const object of docs.map((doc) => parsed<T>(doc))) objects.set(object.id, object);
  }
  return objects;
}

/** Parses an object of the store; `T` is the type of its list. */
export function parsed<T>(doc: string): T {
  return JSON.parse(doc) as T; // the store wrote it as a T
}
