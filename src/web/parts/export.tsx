// The button beside a list that takes its data elsewhere. It is loaded after the data: on a slow network, the list comes first.
import { lazy, Suspense } from "react";
import type { ExportProps } from "./export-menu.tsx";

export type { Cell, Sheet } from "./export-menu.tsx";

const ExportMenu = lazy(() => import("./export-menu.tsx"));

export function Export(props: ExportProps) {
  return (
    <Suspense fallback={null}>
      <ExportMenu {...props} />
    </Suspense>
  );
}
