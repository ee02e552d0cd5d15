// A page of a list under the values of its filters, as a route asks the store for it.
import { LISTS, type ListKind } from "../../src/resources/kinds.ts";
import { conditionsOf } from "../../src/store/plan.ts";
import type { CompanyReader, Condition, DocPage, PageQuery } from "../../src/store/store.ts";

export interface AssignmentFilter {
  readonly policyIds?: readonly string[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
}

export interface WorkerFilter {
  /** As `foldEmail` gives it. */
  readonly workEmail?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly legacyIds?: readonly string[] | undefined;
  readonly departmentIds?: readonly string[] | undefined;
  readonly workplaceIds?: readonly string[] | undefined;
  readonly managerIds?: readonly string[] | undefined;
}

export interface PolicyFilter {
  readonly legacyIds?: readonly string[] | undefined;
}

/** Instants are UTC milliseconds. */
export interface RequestFilter extends AssignmentFilter {
  readonly statuses?: readonly string[] | undefined;
  readonly legacyIds?: readonly string[] | undefined;
  readonly startsBefore?: number | undefined;
  readonly startsOnOrAfter?: number | undefined;
  readonly endsBefore?: number | undefined;
  readonly endsOnOrAfter?: number | undefined;
}

/** Days since 1970-01-01. */
export interface HolidayFilter {
  readonly calendarIds?: readonly string[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

interface OwnFilters {
  holidays: HolidayFilter;
  workers: WorkerFilter;
  requests: RequestFilter;
  assignments: AssignmentFilter;
}

/** The values of each list's filters. */
export type Filters = { [K in ListKind]: K extends keyof OwnFilters ? OwnFilters[K] : PolicyFilter };

export function conditions<K extends ListKind>(kind: K, filter: Filters[K]): Condition[] {
  return conditionsOf(LISTS[kind].api.filters, filter as Readonly<Record<string, unknown>>);
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
