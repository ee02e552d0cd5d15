// What the page learns from its server before it has a key: `/web/config.json`.
import { type Day, parseDay } from "./time/days.ts";

export interface PageConfig {
  /** The server holds invented data only: a link may carry its key. */
  readonly demo: boolean;
  /** The day the server computes for, where it was given one. */
  readonly today: Day | null;
}

export async function loadConfig(): Promise<PageConfig> {
  try {
    const answer = await fetch("/web/config.json", { cache: "no-store" });
    const { demo, today } = (await answer.json()) as { demo?: unknown; today?: unknown };
    return { demo: demo === true, today: parseDay(typeof today === "string" ? today : null) };
  } catch {
    return { demo: false, today: null };
  }
}
