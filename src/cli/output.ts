// How results look: aligned columns for people, JSON for scripts.

/** Rows under their headings, aligned; what is null or missing is a dash. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => (cell === null ? "-" : String(cell))))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + " ".repeat(widths[column]! - Bun.stringWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Prints a result: as one JSON document with `--json`, else as text. */
export function print(asJson: boolean | undefined, value: unknown, text: string): void {
  console.log(asJson ? JSON.stringify(value, null, 2) : text);
}

/** An instant as people and scripts read it; null stays null. */
export function instantText(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}
