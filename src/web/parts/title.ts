import { useEffect } from "react";

/** The title of the window; what a screen reader says first about a view. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Rollcall`;
  }, [title]);
}
