// What the kinds of facts share.

/** A row of a file by field, as it is written. */
export type FileCells = Readonly<Record<string, string | number | boolean | null>>;

/** Which row a fact is. */
export interface NamedIdentity {
  readonly id: string;
  readonly legacyId: string | null;
}

/** RFC 3339 in UTC with milliseconds. */
export function dateTimeText(instantMs: number): string {
  return new Date(instantMs).toISOString();
}
