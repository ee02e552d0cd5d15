// Ids of bench rows: the same on every machine, and spread over the key space like minted ones.

/** Twenty hexadecimal characters. */
export function bareId(companyId: string, kind: string, index: number): string {
  return Bun.CryptoHasher.hash("sha1", `${companyId} ${kind} ${index}`, "hex").slice(0, 20);
}

/** Like `bareId`, but ascending with the index, so that rows are inserted in the order of keys. */
export function risingId(companyId: string, kind: string, index: number, total: number): string {
  const place = Math.floor((index / total) * 0x1_0000_0000);
  return place.toString(16).padStart(8, "0") + bareId(companyId, kind, index).slice(8);
}
