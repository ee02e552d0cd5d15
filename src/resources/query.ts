// From a query string to values: normalised first, then validated, every bad parameter reported at once
// (docs/api.md, Endpoints and Errors).
import { closest, distance } from "fastest-levenshtein";
import type { Parameter, Parameters, Values } from "./lists.ts";
import type { ParameterError } from "./problems.ts";

export type QueryResult<P extends Parameters> =
  | { readonly ok: true; readonly values: Values<P> }
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

const CURSORS = [
  ["afterId", "beforeId"],
  ["beforeId", "afterId"],
] as const;

const BRACKETS = /^(.*?)\[\d{0,9}\]$/;

/**
 * Validates the pairs of a query string. An unknown parameter is an error: a mistyped filter must never return everything.
 * `crossFieldErrors` is shown the values that are right each on its own, and says what is wrong with them together.
 */
export function parseQuery<P extends Parameters>(
  parameters: P,
  query: URLSearchParams,
  crossFieldErrors: (values: Values<P>) => readonly ParameterError[] = () => [],
): QueryResult<P> {
  const errors: ParameterError[] = [];
  const raw = collect(parameters, query, errors);
  const values: Record<string, unknown> = {};
  for (const [name, texts] of raw) {
    const parameter = parameters[name]!;
    const input = parameter.kind === "single" ? texts[0] : texts;
    const parsed = parameter.schema.safeParse(input);
    if (parsed.success) {
      values[name] = parsed.data;
      continue;
    }
    const issue = parsed.error.issues[0]!;
    const at = issue.path[0];
    const value = typeof at === "number" ? texts[at]! : texts[0]!;
    // What is wrong with a list as a whole is nothing that one value shows.
    const shown = issue.code === "too_big" && texts.length > 1 ? "" : `${show(value)} `;
    const hint = isRightWithPlus(parameter, value) ? PLUS_HINT : "";
    errors.push({ parameter: name, detail: `${shown}${issue.message}${hint}` });
  }
  if ("afterId" in parameters && query.has("afterId") && query.has("beforeId")) {
    for (const [parameter, other] of CURSORS) {
      if (errors.some((error) => error.parameter === parameter)) continue;
      errors.push({ parameter, detail: `cannot stand beside ${other}: give one of the two` });
    }
  }
  const valid = values as Values<P>; // each value came out of its parameter's schema
  errors.push(...crossFieldErrors(valid));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, values: valid };
}

/** The values of each parameter in order, with brackets, commas and repeats undone. */
function collect(
  parameters: Parameters,
  query: URLSearchParams,
  errors: ParameterError[],
): Map<string, string[]> {
  const raw = new Map<string, string[]>();
  const refused = new Set<string>();
  const refuse = (parameter: string, detail: string) => {
    if (!refused.has(parameter)) errors.push({ parameter, detail });
    refused.add(parameter);
    raw.delete(parameter);
  };
  for (const [key, value] of query) {
    const bare = BRACKETS.exec(key)?.[1] ?? key;
    const isList = Object.hasOwn(parameters, bare) && parameters[bare]!.kind === "list";
    if (!isList && !Object.hasOwn(parameters, key)) {
      refuse(key, unknown(key, Object.keys(parameters)));
    } else if (isList && !refused.has(bare)) {
      const elements = value.split(",");
      if (elements.includes("")) refuse(bare, "has an empty element: leave it out");
      else raw.set(bare, [...(raw.get(bare) ?? []), ...elements]);
    } else if (!isList && raw.has(key)) {
      refuse(key, "is given more than once: give it once");
    } else if (!isList && !refused.has(key)) {
      raw.set(key, [value]);
    }
  }
  return raw;
}

/** A longer name is no slip of the pen, and comparing it would cost the server more than the caller. */
const COMPARED_MAX_CHARACTERS = 64;

function unknown(name: string, known: readonly string[]): string {
  if (known.length === 0) return "is not known here: this path takes no query parameters";
  const meant = name.length > COMPARED_MAX_CHARACTERS ? [] : meantBy(name, known);
  if (meant.length === 0) return `is not known here: known are ${known.join(", ")}`;
  const quoted = meant.map((one) => `\`${one}\``);
  const last = quoted.pop()!;
  return `is not known here: did you mean ${quoted.length > 0 ? `${quoted.join(", ")} or ` : ""}${last}?`;
}

/** A shorter name is a part of others by chance, a shorter word a word of them. */
const PART_MIN_CHARACTERS = 4;
const WORD_MIN_CHARACTERS = 3;

/** The known names that have the name in them; else the one that it nearly is; else those that share its first word. */
function meantBy(name: string, known: readonly string[]): readonly string[] {
  const bare = name.replaceAll(/\[[^[\]]*\]/g, "");
  const compared = bare.toLowerCase();
  if (compared.length >= PART_MIN_CHARACTERS) {
    const holders = known.filter((one) => one.toLowerCase().includes(compared));
    if (holders.length > 0) return holders;
  }
  const lower = known.map((one) => one.toLowerCase());
  const nearest = closest(compared, lower);
  if (distance(compared, nearest) <= Math.max(2, nearest.length / 4)) return [known[lower.indexOf(nearest)]!];
  const [first = ""] = wordsOf(bare);
  return first.length < WORD_MIN_CHARACTERS ? [] : known.filter((one) => wordsOf(one).includes(first));
}

/** Without an s at the end: `startsBefore` and `start_before` are of "start" and "before". */
function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ""));
}

/** A value as an error may repeat it: quoted and short. */
function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

const PLUS_HINT = " (a + in a query string is a space: write it as %2B)";

/** Whether the value is only wrong because a `+` was sent unescaped, as in an address or an offset. */
function isRightWithPlus({ kind, schema }: Parameter, value: string): boolean {
  if (!value.includes(" ")) return false;
  const meant = value.replaceAll(" ", "+");
  return schema.safeParse(kind === "single" ? meant : [meant]).success;
}
