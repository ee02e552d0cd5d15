// A memory of look-ups that never grows beyond a limit.

/** Keeps at least the last `limit` / 2 entries that were set or read. */
export class BoundedMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(readonly limit: number) {}

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#insert(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.#insert(detached(key), value);
  }

  #insert(key: string, value: V): void {
    if (this.#young.size >= this.limit / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/** A copy of a text that does not keep the piece of file alive that it was cut from. */
export function detached(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
