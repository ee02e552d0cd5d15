// Placeholders of a pull file, in braces: environment variables, secrets, today, and values of a row.
import { readFileSync } from "node:fs";
import { type Day, formatDay } from "../time/day.ts";

/** A text with placeholders: `env`, `secret`, `today` or a path in a row. */
type Template = readonly (string | Placeholder)[];

export type Placeholder =
  | { readonly from: "env" | "secret"; readonly name: string }
  | { readonly from: "today"; readonly days: number }
  | { readonly from: "row"; readonly path: string };

/** The parts of a text, or its mistake. `{{` stands for a brace. */
export function parseTemplate(text: string): Template | { readonly problem: string } {
  const parts: (string | Placeholder)[] = [];
  let at = 0;
  for (const match of text.matchAll(/\{\{|\{([^{}]*)\}|\{/g)) {
    parts.push(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[0] === "{{") parts.push("{");
    else if (match[1] === undefined)
      return { problem: "has a brace that does not close: write {{ for a brace" };
    else {
      const placeholder = parsePlaceholder(match[1]);
      if (placeholder === null)
        return {
          problem: `has ${match[0]}, which is not one of {env.NAME}, {secret.NAME}, {today}, {today-30d} or a value of each such as {id}`,
        };
      parts.push(placeholder);
    }
  }
  return [...parts, text.slice(at)].filter((part) => part !== "");
}

function parsePlaceholder(text: string): Placeholder | null {
  const variable = /^(env|secret)\.([A-Za-z_]\w*)$/.exec(text);
  if (variable !== null) return { from: variable[1] === "env" ? "env" : "secret", name: variable[2]! };
  const day = /^today(?:([+-]\d{1,5})d)?$/.exec(text);
  if (day !== null) return { from: "today", days: Number(day[1] ?? 0) };
  const isPath = /^[^\s.]+(?:\.[^\s.]+)*$/.test(text) && !/^(?:env|secret|today)\b/.test(text);
  return isPath ? { from: "row", path: text } : null;
}

/** All placeholders in a value of a pull file. Its texts must be valid templates. */
export function placeholdersIn(value: unknown): readonly Placeholder[] {
  if (typeof value === "string") {
    const template = parseTemplate(value);
    return "problem" in template ? [] : template.filter((part) => typeof part !== "string");
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(placeholdersIn) : [];
}

/** The values of placeholders in one pull. */
export interface PullValues {
  readonly variables: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
  /** The files that secrets were read from. */
  readonly secretFiles: ReadonlyMap<string, string>;
  readonly today: Day;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables that a pull file names, and reports problems. A secret X is the variable X, or the content of the file X_FILE. */
export function readVariables(value: unknown, environment: Environment, today: Day) {
  const variables = new Map<string, string>();
  const secrets = new Map<string, string>();
  const secretFiles = new Map<string, string>();
  const problems = new Set<string>();
  for (const placeholder of placeholdersIn(value)) {
    if (placeholder.from === "env") {
      const text = environment[placeholder.name];
      if (text) variables.set(placeholder.name, text);
      else problems.add(`the variable ${placeholder.name} is not set`);
    } else if (placeholder.from === "secret") {
      const { name } = placeholder;
      const file = environment[`${name}_FILE`];
      try {
        const text = environment[name] || (file ? readFileSync(file, "utf8").trim() : "");
        if (!environment[name] && file) secretFiles.set(name, file);
        if (text) secrets.set(name, text);
        else
          problems.add(
            `the secret ${name} is not there: set ${name}, or ${name}_FILE to the path of a file that has it`,
          );
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException; // only reading a file can fail here
        problems.add(`${name}_FILE: ${file} cannot be read (${code})`);
      }
    }
  }
  const values: PullValues = { variables, secrets, secretFiles, today };
  return { values, problems: [...problems] };
}

/** The values of the row that a request is made for; null for requests without `each`. */
export type RowValues = ReadonlyMap<string, unknown> | null;

/** Fills in a template. `encode` is applied to values of a row. */
export function expand(
  text: string,
  values: PullValues,
  row: RowValues = null,
  encode: (text: string) => string = (text) => text,
): string {
  const template = parseTemplate(text);
  if ("problem" in template) return text; // the pull file was checked
  return template
    .map((part) => (typeof part === "string" ? part : replacement(part, values, row, encode)))
    .join("");
}

function replacement(
  part: Placeholder,
  { variables, secrets, today }: PullValues,
  row: RowValues,
  encode: (text: string) => string,
): string {
  switch (part.from) {
    case "env":
      return variables.get(part.name) ?? "";
    case "secret":
      return secrets.get(part.name) ?? "";
    case "today":
      return formatDay(today + part.days);
    case "row":
      return encode(textOf(row?.get(part.path)));
  }
}

/** Fills in any JSON. A text that is just one placeholder of a row becomes the row's value: a number stays a number. */
export function expandAll(value: unknown, values: PullValues, row: RowValues = null): unknown {
  if (typeof value === "string") {
    const template = parseTemplate(value);
    const [only] = "problem" in template ? [] : template;
    const isOneValue = typeof only === "object" && only.from === "row" && value === `{${only.path}}`;
    return isOneValue ? row?.get(only.path) : expand(value, values, row);
  }
  if (Array.isArray(value)) return value.map((item) => expandAll(item, values, row));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expandAll(item, values, row)]),
    );
  return value;
}

/** A value of JSON as text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
