// The digests that are stored of a kind, in memory: 8 to 16 bytes for each row, and a bit for whether a record of this import was
// found to be it.
import { collectGarbage } from "../../store/garbage.ts";
import type { ImportTransaction, RowDigest } from "../../store/store.ts";
import type { DigestedKind } from "../../store/tables.ts";

/** A record, or its row, comes a second time: everything has to be looked at to say where the first one is. */
export class RepeatedRecord extends Error {
  override readonly name = "RepeatedRecord";
}

/** Batches of rows between two collections of garbage: see `COLLECT_AFTER_ROWS` in ../apply.ts. */
const COLLECT_AFTER_BATCHES = 25;

/** Places in use, at most, of each hundred. */
const FILL_PERCENT = 75;

export class KnownDigests {
  /** Two numbers a place, the halves of a digest; none has both at 0. A digest is at the place of its lower half or after it. */
  readonly #halves: Uint32Array;
  readonly #taken: Uint8Array;
  readonly #mask: number;

  private constructor(count: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(16, (count * 100) / FILL_PERCENT)));
    this.#halves = new Uint32Array(places * 2);
    this.#taken = new Uint8Array(places / 8);
    this.#mask = places - 1;
  }

  static async of(transaction: ImportTransaction, kind: DigestedKind): Promise<KnownDigests> {
    const known = new KnownDigests(await transaction.count(kind));
    let batches = 0;
    for await (const halves of transaction.digests.all(kind)) {
      for (let at = 0; at < halves.length; at += 2) known.#add(halves[at]!, halves[at + 1]!);
      if (++batches % COLLECT_AFTER_BATCHES === 0) collectGarbage();
    }
    return known;
  }

  #add(high: number, low: number): void {
    const place = this.#placeOf(high, low);
    this.#halves[place * 2] = high;
    this.#halves[place * 2 + 1] = low;
  }

  /** Where the digest is, or the free place where it would be. */
  #placeOf(high: number, low: number): number {
    const halves = this.#halves;
    let place = low & this.#mask;
    for (;;) {
      const storedHigh = halves[place * 2]!;
      const storedLow = halves[place * 2 + 1]!;
      if ((storedHigh === high && storedLow === low) || (storedHigh === 0 && storedLow === 0)) return place;
      place = (place + 1) & this.#mask;
    }
  }

  /** Whether a row with this digest is stored. Raises RepeatedRecord if it was taken before. */
  take(high: number, low: number): boolean {
    const place = this.#placeOf(high, low);
    if (this.#halves[place * 2] === 0 && this.#halves[place * 2 + 1] === 0) return false;
    const bit = 1 << (place & 7);
    if (this.#taken[place >> 3]! & bit) throw new RepeatedRecord();
    this.#taken[place >> 3]! |= bit;
    return true;
  }

  isTaken(high: number, low: number): boolean {
    const place = this.#placeOf(high, low);
    return (this.#taken[place >> 3]! & (1 << (place & 7))) !== 0;
  }
}

/** The halves of a digest, as they are read. */
export function halvesOf(digest: RowDigest): readonly [high: number, low: number] {
  return [Number(BigInt.asUintN(32, digest >> 32n)), Number(BigInt.asUintN(32, digest))];
}
