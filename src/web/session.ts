// What the page has before it asks the API: its server's configuration, and the key of this tab.
import type { Day } from "../time/day.ts";
import { storedDay } from "./data/days.ts";

export interface PageConfig {
  /** The server holds invented data only: a link may carry its key. */
  readonly demo: boolean;
  /** The day the server computes for, where it was given one. */
  readonly today: Day | null;
}

export async function loadConfig(): Promise<PageConfig> {
  try {
    const response = await fetch("/web/config.json", { cache: "no-store" });
    const { demo, today } = (await response.json()) as { demo?: unknown; today?: unknown };
    return { demo: demo === true, today: storedDay(typeof today === "string" ? today : null) };
  } catch {
    return { demo: false, today: null };
  }
}

/** The key is stored for this tab only. */
const STORED = "rollcall.key";
const CARRIED = /^#key=(rk_[A-Za-z0-9]+)$/;

export const storedKey = (): string | null => sessionStorage.getItem(STORED);

export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, key);
}

/** The key in the address's fragment, which is removed at once: it must not stay in the history or be copied on. */
export function takeKeyFromAddress(): string | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith("#key=")) return null;
  window.history.replaceState(window.history.state, "", pathname + search);
  return CARRIED.exec(hash)?.[1] ?? null;
}
