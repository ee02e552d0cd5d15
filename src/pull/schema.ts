// The schema of pull files (docs/pull.md): an HTTP API, and the files to make from its responses. Editors get it as a JSON Schema.
import { z } from "zod";
import { KINDS } from "../resources/kinds.ts";
import { parseTemplate, placeholdersIn } from "./template.ts";

const filled = z.string({ error: "is not text" }).min(1, { error: "is empty" });

const template = filled.superRefine((text, context) => {
  const parsed = parseTemplate(text);
  if ("problem" in parsed) context.addIssue({ code: "custom", message: parsed.problem });
});

/** The path of a value in a response or a row: `data`, `metadata.total`, `items.0.id`. */
const path = filled.refine((text) => text.split(".").every((key) => key !== ""), {
  error: "is not a path such as data.items",
});

const parameter = z.union([template, z.number(), z.boolean()], {
  error: "is not a text, a number, true or false",
});

const parameters = z.record(z.string(), parameter);

/** Any JSON whose texts are templates. */
const body: z.ZodType<Body> = z.lazy(() =>
  z.union([template, z.number(), z.boolean(), z.null(), z.array(body), z.record(z.string(), body)]),
);
type Body = string | number | boolean | null | readonly Body[] | { readonly [key: string]: Body };

const jsonBody = z.record(z.string(), body);

/** The keys of every request. */
const request = {
  query: z
    .record(
      z.string(),
      z.union([parameter, z.array(parameter)], { error: "is neither a value nor a list of values" }),
    )
    .optional(),
  json: jsonBody.optional(),
  form: parameters.optional(),
};

const basic = z
  .tuple([template, template], { error: "is not a list of two texts, name and password" })
  .optional();

const auth = z
  .strictObject({
    basic,
    bearer: template.optional(),
    header: z.record(z.string(), template).optional(),
    token: z
      .strictObject({
        post: template,
        basic,
        ...request,
        at: path,
        scheme: z
          .string()
          .regex(/^[\w-]+$/, "is not one word, such as Bearer")
          .optional(),
        renew: z.record(filled, path).optional(),
      })
      .optional(),
  })
  .refine((value) => Object.keys(value).length === 1, {
    error: "needs exactly one of basic, bearer, header and token",
  });

/** How the next page is found. */
const pages = z
  .strictObject({
    page: filled.optional(),
    first: z.int({ error: "is not a whole number" }).min(0).optional(),
    offset: filled.optional(),
    cursor: path.optional(),
    param: filled.optional(),
    next: path.optional(),
    link: z.literal(true, { error: "is not true" }).optional(),
    after: jsonBody.optional(),
    more: path.optional(),
  })
  .superRefine((request, context) => {
    // `offset` may stand beside `after`: it is used if the API ignores `after`.
    const ways = PAGE_WAYS.filter(
      (way) => request[way] !== undefined && !(way === "offset" && request.after !== undefined),
    );
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (ways.length !== 1) return refuse(`needs exactly one of ${PAGE_WAYS.join(", ")}`);
    for (const [key, goesWith] of Object.entries(KEYS_OF_WAYS))
      if (request[key as keyof typeof request] !== undefined && !goesWith.includes(ways[0]!))
        refuse(`has ${key}, which goes with ${goesWith.join(" or ")}`);
    if (request.cursor !== undefined && request.param === undefined)
      refuse("has cursor without param, the parameter that takes it");
    if (request.after !== undefined && !placeholdersIn(request.after).some(({ from }) => from === "row"))
      refuse("has an after that uses no value of the last row, such as {id}");
  });

const PAGE_WAYS = ["page", "offset", "cursor", "next", "link", "after"] as const;
const KEYS_OF_WAYS: Readonly<Record<string, readonly (typeof PAGE_WAYS)[number][]>> = {
  first: ["page", "offset"],
  param: ["cursor"],
};

/** A day, or one relative to today. */
const conditionDay = template.refine(
  (text) => /^(?:\d{4}-\d{2}-\d{2}|\{today(?:[+-]\d{1,5}d)?\})$/.test(text),
  { error: "is not a day such as {today-730d} or 2025-01-01" },
);

const condition = z
  .strictObject({
    endsOnOrAfter: conditionDay.optional(),
    startsOnOrAfter: conditionDay.optional(),
    updatedSince: conditionDay.optional(),
  })
  .refine((value) => Object.keys(value).length > 0, {
    error: "is empty: name endsOnOrAfter, startsOnOrAfter or updatedSince",
  });

export const fileSchema = z
  .strictObject({
    get: template.optional(),
    post: template.optional(),
    ...request,
    rows: path.optional(),
    row: z.literal(true, { error: "is not true" }).optional(),
    pages: pages.optional(),
    total: z.union([path, z.literal(false)], { error: "is neither a path nor false" }).optional(),
    hint: filled.optional(),
    needs: z.record(path, filled).optional(),
    wants: z.record(path, filled).optional(),
    keep: z.array(path).min(1, { error: "is empty: name what is to be written" }).optional(),
    each: filled.optional(),
    add: z.record(z.string(), parameter).optional(),
    complete: z.partialRecord(z.enum(KINDS), condition).optional(),
    optional: z.boolean({ error: "is neither true nor false" }).optional(),
  })
  .superRefine((file, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if ((file.get === undefined) === (file.post === undefined)) refuse("needs exactly one of get and post");
    if (file.row !== undefined && file.pages !== undefined)
      refuse("has pages, which go with a list, not with row");
    if (file.json !== undefined && file.form !== undefined)
      refuse("has both json and form: a request has one body");
    if (file.get !== undefined && (file.json ?? file.form) !== undefined)
      refuse("has a body, which goes with post, not with get");
  });

const shape = {
  $schema: z.string().optional(),
  base: template,
  headers: z.record(z.string(), template).optional(),
  auth: auth.optional(),
  pace: z
    .strictObject({
      perMinute: z.int({ error: "is not a whole number from 1 to 6000" }).min(1).max(6000).optional(),
      timeoutSeconds: z
        .number({ error: "is not a number of seconds from 0.1 to 600" })
        .min(0.1)
        .max(600)
        .optional(),
    })
    .optional(),
};

/** The whole pull file. Its files are checked separately, so that a mistake in one does not hide mistakes in another. */
export const pullFileSchema = z.strictObject({
  ...shape,
  files: z
    .record(z.string(), z.unknown())
    .refine((files) => Object.keys(files).length > 0, { error: "is empty: name a file to write" }),
});

export type FileRequest = z.output<typeof fileSchema>;
export type PullFile = Omit<z.output<typeof pullFileSchema>, "files"> & {
  readonly files: Readonly<Record<string, FileRequest>>;
};

/** JSON Schema, draft 2020-12. */
export function pullJsonSchema(): Record<string, unknown> {
  const whole = z.strictObject({ ...shape, files: z.record(z.string(), fileSchema) });
  return {
    ...z.toJSONSchema(whole, { io: "input", unrepresentable: "any", reused: "inline" }),
    title: "Rollcall pull file",
    description: "An HTTP API, and the files that are made of its responses: docs/pull.md",
  };
}
