// JSON whose numbers keep every digit: an id of twenty digits, or 1.10, stays as it was written.

/** The proposal "JSON.parse source text access", which is not in the types yet. */
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
