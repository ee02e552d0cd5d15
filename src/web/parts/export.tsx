// The export button of a list. It is loaded after the data, so that a slow network shows the list first.
import { lazy, Suspense } from "react";
import type { Cell, ExportProps, Sheet } from "./export-menu.tsx";

export type { Cell, Sheet } from "./export-menu.tsx";

/** A sheet of these columns, by their names. */
export function sheetWith<T>(
  name: string,
  rows: readonly T[],
  columns: Readonly<Record<string, (row: T) => Cell>>,
): Sheet {
  const cells = Object.values(columns);
  return { name, header: Object.keys(columns), rows: rows.map((row) => cells.map((of) => of(row))) };
}

const ExportMenu = lazy(() => import("./export-menu.tsx"));

export function Export(props: ExportProps) {
  return (
    <Suspense fallback={null}>
      <ExportMenu {...props} />
    </Suspense>
  );
}
