// What doctor reports: each finding is one kind of problem, with what to do about it.

export interface Finding {
  /** The check that found it, such as "permissions". */
  readonly check: string;
  readonly problem: string;
  /** What to do, in words or as a command. */
  readonly advice: string;
}

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
