// Random numbers from a seed, a stream and an index. Each worker has streams of their own, so one worker's draws never change another's.

/** The stream of each group of draws. Any distinct numbers would do. */
export const streams = { roster: 0, workers: 1, timeOff: 2, weeks: 3 } as const;

/** sfc32 (Chris Doty-Humphrey's Small Fast Counting generator, from PractRand). Not for secrets. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** The same three numbers give the same draws, on every machine. */
  constructor(seed: number, stream: number, index: number) {
    this.#a = mix(seed | 0) ^ mix(Math.floor(seed / 0x1_0000_0000) + 0x51ed);
    this.#b = mix(stream + 0x9e3779b9);
    this.#c = mix(index ^ 0x85ebca6b) ^ this.#a;
    for (let round = 0; round < 12; round++) this.#next32();
  }

  #next32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** In [0, 1). */
  fraction(): number {
    return this.#next32() / 0x1_0000_0000;
  }

  /** A whole number from low to high, both included; low if high is lower. */
  whole(low: number, high: number): number {
    return high <= low ? low : low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.fraction() * from.length)]!;
  }

  /** A whole number with the mean `mean`: `mean` rounded down, or up with the probability of its fraction. */
  count(mean: number): number {
    return Math.floor(mean) + (this.chance(mean % 1) ? 1 : 0);
  }

  /** A shuffled copy (Fisher–Yates). */
  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last--) {
      const other = this.whole(0, last);
      [copy[last], copy[other]] = [copy[other]!, copy[last]!];
    }
    return copy;
  }
}

/** A list for `pick` that has each item as many times as its weight. */
export function slots<T>(weighted: readonly (readonly [item: T, weight: number])[]): T[] {
  return weighted.flatMap(([item, weight]) => new Array<T>(weight).fill(item));
}

/** MurmurHash3's finalizer: neighbouring inputs give unrelated outputs. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
