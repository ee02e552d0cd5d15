// Printing: paper gets all rows of a list; the screen has only the visible ones.
import { useMemo, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

let isPrinted = false;

function onPrint(listener: () => void): () => void {
  const set = ({ type }: Event) => {
    isPrinted = type === "beforeprint";
    flushSync(listener); // Firefox copies the document before microtasks run
  };
  window.addEventListener("beforeprint", set);
  window.addEventListener("afterprint", set);
  return () => {
    window.removeEventListener("beforeprint", set);
    window.removeEventListener("afterprint", set);
  };
}

/** The positions of all rows while the page is printed; else null. */
export function useWhole(rows: number): readonly number[] | null {
  const isWhole = useSyncExternalStore(onPrint, () => isPrinted);
  return useMemo(() => (isWhole ? Array.from({ length: rows }, (_, index) => index) : null), [isWhole, rows]);
}
