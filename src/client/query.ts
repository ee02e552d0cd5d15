// Parameters as callers write them to the query string of the contract.

export type Value = string | number | readonly string[] | undefined;

/** Parameters that were left out are left out; an empty list is not the same as none (see `matchesNothing`). */
export function queryString(parameters: Readonly<Record<string, Value>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const values = typeof value === "object" ? value : [String(value)];
    if (values.length > 0) parts.push(`${name}=${values.map(encodeURIComponent).join(",")}`);
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Whether a filter lists no values: nobody is in an empty team, and it must not be read as everybody. */
export function matchesNothing(parameters: Readonly<Record<string, Value>>): boolean {
  return Object.values(parameters).some((value) => typeof value === "object" && value.length === 0);
}

/** An instant: a Date as RFC 3339 in UTC; a string as it is. */
export function instant(value: Date | string | undefined): string | undefined {
  return value instanceof Date ? value.toISOString() : value;
}

/** A day: a Date's UTC day; a string as it is. */
export function day(value: Date | string | undefined): string | undefined {
  return value instanceof Date ? value.toISOString().slice(0, 10) : value;
}
