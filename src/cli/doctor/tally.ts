// Counting what doctor finds.
import type { Finding } from "../../store/engine.ts";

/** Counts problems of one kind and keeps the first as an example, so that a damaged store does not print a million lines. */
export class Tally {
  readonly #found = new Map<string, { count: number; readonly example: string }>();

  add(problem: string, example: string): void {
    const found = this.#found.get(problem);
    if (found === undefined) this.#found.set(problem, { count: 1, example });
    else found.count++;
  }

  findings(check: string, advice: string): Finding[] {
    return [...this.#found].map(([problem, { count, example }]) => ({
      check,
      problem: `${problem}: ${count === 1 ? example : `${count} rows, the first is ${example}`}`,
      advice,
    }));
  }
}
