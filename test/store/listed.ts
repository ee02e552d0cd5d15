// A page of a list under the values of its filters, as a route asks the store for it.
import { LISTS, type ListKind } from "../../src/resources/kinds.ts";
import { conditionsOf } from "../../src/store/plan.ts";
import type { CompanyReader, Condition, DocPage, PageQuery } from "../../src/store/store.ts";

type Lists = typeof LISTS;

/** The values of each list's filters. Days count from 1970-01-01, instants are UTC milliseconds. */
export type Filters = {
  readonly [K in ListKind]: {
    readonly [F in keyof Lists[K]["api"]["filters"]]?: string | number | readonly string[] | undefined;
  };
};

export function conditions<K extends ListKind>(kind: K, filter: Filters[K]): Condition[] {
  return conditionsOf(LISTS[kind].api.filters, filter);
}

export async function listed<K extends ListKind>(
  company: CompanyReader,
  kind: K,
  page: PageQuery,
  filter: Filters[K],
): Promise<DocPage> {
  return company.list(kind, page, conditions(kind, filter));
}

/** The id of a wire object. */
export function idOf(doc: string): string {
  return (JSON.parse(doc) as { id: string }).id;
}
