// Whether days lie beyond the edges of a timeline that is too narrow for all of them.
import { type RefObject, useLayoutEffect, useState } from "react";

export type MoreDays = "none" | "before" | "after" | "both";

/** Kept up to date while the element scrolls, is resized, or shows another number of days. */
export function useMoreDays(scroller: RefObject<HTMLElement | null>, days: number): MoreDays {
  const [more, setMore] = useState<MoreDays>("none");
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || days === 0) return;
    const look = () => setMore(moreOf(element));
    look();
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroller, days]);
  return more;
}

function moreOf({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): MoreDays {
  const before = scrollLeft > 1; // positions may be parts of a pixel
  const after = scrollLeft + clientWidth < scrollWidth - 1;
  if (before) return after ? "both" : "before";
  return after ? "after" : "none";
}
