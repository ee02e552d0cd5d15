// A view's settings are in its address, so that every view has a link.
import { useMemo, useSyncExternalStore } from "react";
import { useSearchParams } from "wouter";
import type { Worker } from "../../client/index.ts";
import { type Directory, type PeopleFilter, STATUSES, TYPES } from "./directory.ts";
import { chooseUnit, onUnitChange, type Unit, wantsHours } from "./unit.ts";

/** `isStep`: the change is a step of the browser's history, which Back undoes. */
export type ChangeSettings = (settings: Settings, isStep?: boolean) => void;

type Settings = Readonly<Record<string, string | readonly string[] | null>>;

// The values of a list may contain commas themselves.
const escaped = (value: string) => value.replaceAll("%", "%25").replaceAll(",", "%2C");
const unescaped = (text: string) => text.replaceAll("%2C", ",").replaceAll("%25", "%");

/** How many leave years after the current one the address asks for; it may hold anything. */
export const yearsAfter = (search: URLSearchParams) => Number.parseInt(search.get("year") ?? "", 10) || 0;

/** The query string with these parameters; null removes one. */
export function inAddress(settings: Settings, current?: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(current);
  for (const [name, value] of Object.entries(settings)) {
    const text = value === null || typeof value === "string" ? value : value.map(escaped).join(",");
    if (text === null || text === "") next.delete(name);
    else next.set(name, text);
  }
  return next;
}

/** The path of the API that lists the same people as the filter; null if the list lacks one of its filters. */
export function listPath(list: string, filter: PeopleFilter, { byId }: Directory, own: Settings = {}) {
  const { name, statuses, types, departments, locations, managers } = filter;
  const isOfWorkers = list === "/v1/workers";
  if (name !== "" || (!isOfWorkers && statuses.length + types.length + locations.length > 0)) return null;
  const idsOf = (names: readonly string[], placeOf: (worker: Worker) => Worker["department"]) =>
    names.flatMap((wanted) => {
      const places = [...byId.values()].map(placeOf).filter((place) => place?.name === wanted);
      return places.length === 0 ? wanted : [...new Set(places.map((place) => place!.id))]; // the API refuses an unknown name
    });
  const query = inAddress({
    ...own,
    departmentIds: idsOf(departments, ({ department }) => department),
    managerIds: managers,
    ...(isOfWorkers && {
      statuses,
      types,
      workplaceIds: idsOf(locations, ({ primaryWorkplace }) => primaryWorkplace),
    }),
  });
  return query.size === 0 ? list : `${list}?${query.toString().replaceAll("%2C", ",")}`;
}

/** Reads the query string. `change` sets parameters, or removes them with null, without leaving the page. */
export function useSettings() {
  const [search, setSearch] = useSearchParams();
  const change: ChangeSettings = (settings, isStep = false) =>
    setSearch((current) => inAddress(settings, current), { replace: !isStep });
  return { search, change };
}

/** The values of a list parameter; the same array while its text stays the same. Values not in `known` are left out. */
export function useListed<T extends string>(text: string | null, known?: readonly T[]): readonly T[] {
  return useMemo(() => {
    const values = (text ?? "")
      .split(",")
      .filter((value) => value !== "")
      .map(unescaped);
    return (known === undefined ? values : values.filter((value) => known.includes(value as T))) as T[]; // checked
  }, [text, known]);
}

/** The filter of people in the address; the same object while it stays the same. */
export function usePeopleFilter(search: URLSearchParams): PeopleFilter {
  const name = search.get("name") ?? "";
  const statuses = useListed(search.get("status"), STATUSES);
  const types = useListed(search.get("type"), TYPES);
  const departments = useListed(search.get("department"));
  const locations = useListed(search.get("location"));
  const managers = useListed(search.get("manager"));
  return useMemo(
    () => ({ name, statuses, types, departments, locations, managers }),
    [name, statuses, types, departments, locations, managers],
  );
}

/** The viewer's unit, by default `day`, and a function that changes it for all views. */
export function useUnit(): [Unit, (unit: Unit) => void] {
  return [useSyncExternalStore(onUnitChange, wantsHours) ? "hour" : "day", chooseUnit];
}
