// Metrics of several processes: the parent, which has the port for them, asks each child what it counted.
import type { Counts } from "./metrics.ts";

/** A child that does not tell its counts within this time is left out of the answer. */
const ANSWER_TIMEOUT_MS = 1000;

/** `children` are those that run now, each under its place. `ask` sends one of them the question. */
export function scrapes<Child>(children: ReadonlyMap<number, Child>, ask: (child: Child) => void) {
  const waiting = new Map<number, ((counts: Counts) => void)[]>();
  const countsOf = (place: number, child: Child): Promise<Counts> => {
    const told = new Promise<Counts>((resolve) => {
      waiting.set(place, [...(waiting.get(place) ?? []), resolve]);
    });
    ask(child);
    return Promise.race([told, Bun.sleep(ANSWER_TIMEOUT_MS).then(() => [])]);
  };
  return {
    /** What all of them counted. */
    counts: () => Promise.all([...children].map(([place, child]) => countsOf(place, child))),
    /** Called with what a child tells. */
    told(place: number, counts: Counts): void {
      for (const resolve of waiting.get(place) ?? []) resolve(counts);
      waiting.delete(place);
    },
  };
}
