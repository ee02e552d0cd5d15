// JSON whose numbers keep every digit: an id of twenty digits, or 1.10, is written as it came.

/** Of the proposal "JSON.parse source text access", which the types do not have yet. */
interface SourceTextAccess {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const json = JSON as unknown as SourceTextAccess;

/** Raises SyntaxError, or RangeError for JSON that is nested too deeply. */
export function parseJson(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  );
}
