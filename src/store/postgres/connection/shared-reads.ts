// Many requests want the same small fact at the same moment: one statement asks for all of them.

interface Waiting<V> {
  readonly promise: Promise<V>;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins reads. Whoever comes while a read is under way waits for the next one, so an answer always comes from a read
 * that began after it was asked for: that is what makes a version proof of freshness (docs/architecture.md, Freshness).
 */
export class SharedReads<K, V> {
  readonly #readAll: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>;
  readonly #absent: V;
  #next = new Map<K, Waiting<V>>();
  #underWay = false;

  constructor(readAll: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>, absent: V) {
    this.#readAll = readAll;
    this.#absent = absent;
  }

  read(key: K): Promise<V> {
    let waiting = this.#next.get(key);
    if (waiting === undefined) {
      waiting = Promise.withResolvers<V>();
      this.#next.set(key, waiting);
      if (!this.#underWay) {
        this.#underWay = true;
        // After what else arrived in this turn has been asked for, too.
        queueMicrotask(() => void this.#run());
      }
    }
    return waiting.promise;
  }

  async #run(): Promise<void> {
    while (this.#next.size > 0) {
      const batch = this.#next;
      this.#next = new Map();
      try {
        const found = await this.#readAll([...batch.keys()]);
        for (const [key, { resolve }] of batch) resolve(found.has(key) ? found.get(key)! : this.#absent);
      } catch (error) {
        for (const { reject } of batch.values()) reject(error);
      }
    }
    this.#underWay = false;
  }
}
