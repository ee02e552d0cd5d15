// Reading a mapping file: every mistake in it is told in words, with its path, before any row is read.
import { readFile, stat } from "node:fs/promises";
import type { z } from "zod";
import { FACT_KINDS } from "../../store/tables.ts";
import { ImportRefused, shown } from "../row-errors.ts";
import { didYouMean } from "../suggest.ts";
import { fieldMistakes } from "./mistakes.ts";
import { kindMappingSchema, type Mapping, mappingSchema } from "./schema.ts";

/** No mapping that a person wrote is near it. */
const MAX_BYTES = 1_048_576;

/** Reads a mapping. Raises ImportRefused with every mistake, each with its path in the file. `label` names the file. */
export async function readMapping(path: string, label: string): Promise<Mapping> {
  const file = await stat(path);
  if (!file.isFile()) throw new ImportRefused([`${label}: is not a file`]);
  if (file.size > MAX_BYTES)
    throw new ImportRefused([`${label}: is larger than 1 MB: a mapping is a page of JSON. Is it the data?`]);
  let content: unknown;
  try {
    content = JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    throw new ImportRefused([`${label}: is not valid JSON: ${error.message}`]);
  }
  const parsed = mappingSchema.safeParse(content, { reportInput: true });
  if (!parsed.success)
    throw new ImportRefused(parsed.error.issues.flatMap((issue) => issueText(label, issue)));
  const mapping = Object.fromEntries(
    Object.entries(parsed.data).filter(([, value]) => value !== undefined),
  ) as Mapping; // as parsed
  const mistakes = FACT_KINDS.flatMap((kind) => {
    const kindMapping = mapping[kind];
    return kindMapping === undefined
      ? []
      : fieldMistakes(kind, kindMapping).map((text) => `${label}: ${kind}.${text}`);
  });
  if (Object.keys(mapping).length === 0)
    mistakes.push(`${label}: maps nothing: name at least one of ${FACT_KINDS.join(", ")}`);
  if (mistakes.length > 0) throw new ImportRefused(mistakes);
  return mapping;
}

function issueText(label: string, issue: z.core.$ZodIssue): string[] {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const known: readonly string[] =
      issue.path.length === 0 ? FACT_KINDS : Object.keys(kindMappingSchema.shape);
    const where = path === "" ? "" : `${path}: `;
    return issue.keys.map(
      (key) => `${label}: ${where}${shown(key)} is not one of ${known.join(", ")}${didYouMean(key, known)}`,
    );
  }
  const isMissing = issue.code !== "custom" && issue.input === undefined;
  const value = typeof issue.input === "object" || isMissing ? "" : `${shown(issue.input)} `;
  const message = isMissing ? "is missing" : issue.code === "invalid_type" ? notOfType(issue) : issue.message;
  return [`${label}: ${path === "" ? "" : `${path}: `}${value}${message}`];
}

/** What an object of the mapping looks like, by the key that holds it. */
const EXAMPLES: Readonly<Record<string, string>> = {
  columns: '{"Surname": "lastName"}',
  values: '{"type": "employee"}',
  translate: '{"status": {"A": "active"}}',
  units: '{"requestedMinutes": "hours"}',
  skip: '{"Status": ["Cancelled"]}',
};

function notOfType({ path, expected }: z.core.$ZodIssueInvalidType): string {
  if (expected === "string") return "is not text";
  if (expected !== "object" && expected !== "record") return `is not of type ${expected}`;
  const [kind, key, ...rest] = path.map(String);
  const example =
    kind === undefined
      ? '{"workers": {"from": "people.csv"}}'
      : key === undefined
        ? '{"from": "people.csv"}'
        : rest.length > 0
          ? '{"A": "active"}'
          : EXAMPLES[key];
  return `is not an object such as ${example ?? "{ }"}`;
}
