// A view's settings are in its address, so that every view has a link.
import { useMemo } from "react";
import { useSearchParams } from "wouter";

export type ChangeSettings = (settings: Readonly<Record<string, string | readonly string[] | null>>) => void;

/** Reads the query string; `change` sets parameters, or removes them with null, without leaving the page. */
export function useSettings() {
  const [search, setSearch] = useSearchParams();
  const change: ChangeSettings = (settings) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(settings)) {
          const text = value === null || typeof value === "string" ? value : value.join(",");
          if (text === null || text === "") next.delete(name);
          else next.set(name, text);
        }
        return next;
      },
      { replace: true },
    );
  return { search, change };
}

/** The values of a list parameter, the same array as long as its text is; what is not one of `known` is left out. */
export function useListed<T extends string>(text: string | null, known?: readonly T[]): readonly T[] {
  return useMemo(() => {
    const values = (text ?? "").split(",").filter((value) => value !== "");
    return (known === undefined ? values : values.filter((value) => known.includes(value as T))) as T[]; // checked
  }, [text, known]);
}
