// Positions of the change feed, for tests: what they are made of, apart from the code that makes them.

/** A position with these parts, and the checksum that fits them. */
export function madeUpPosition(parts: string): string {
  const text = `${parts}.${Bun.hash.xxHash32(parts).toString(36)}`;
  return `p1_${Buffer.from(text).toString("base64url")}`;
}

/** The parts of a position, without the checksum. */
export function partsOfPosition(position: string): string {
  return Buffer.from(position.slice(3), "base64url")
    .toString()
    .replace(/\.[^.]*$/, "");
}

/** A position that another store might have made, for all resources. */
export function foreignPosition(): string {
  return madeUpPosition(`all.t.1.${"0".repeat(16)}.end.`);
}
