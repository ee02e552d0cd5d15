// The paging parameters of a call: which page, and how many rows.
import { lettersOf } from "../envelope.ts";
import type { FileRequest } from "./schema.ts";
import { textOf } from "./template.ts";
import type { Call } from "./upstream.ts";

export function placeOf({ place }: Call, number: number, isPaged: boolean): string {
  return isPaged ? place.replace(/: /, `, page ${number}: `) : place;
}

export function signature({ address, json, form }: Call): string {
  return JSON.stringify([address.href, json, form]);
}

/** Names of page-size parameters, reduced to their letters. */
const LIMITS =
  /limit(?!start)|size$|perpage$|^(?:per|take|top|count|first|rows|num|n|length|amount|fetch|paging|range)$|^max(?:imum)?$|^(?:max(?:imum)?|num|page)(?:results|rows|items|records|entries|length)$/;

const OFFSETS = /^(?:skip|offset|start(?:at|index|row)?|from)$/;

/** How many rows a request skips, one number for each parameter that says so: `skip=50`, or `page=2` with `limit=50`. */
export function rowsBefore(call: Call, { pages }: FileRequest): number[] {
  const [page, offset] = [pages?.page, pages?.offset].map((path) => path?.split(".").at(-1)); // a parameter in the body may be a path
  return parametersOf(call).flatMap(([name, value]) => {
    if (name === page) return [(Number(value) - (pages?.first ?? 1)) * (limitOf(call) ?? 0)];
    return name === offset || OFFSETS.test(lettersOf(name)) ? [Number(value)] : [];
  });
}

/** The values of a request's query and body, with their names. */
function parametersOf({ address, json, form }: Call): [name: string, value: unknown][] {
  return [...address.searchParams, ...valuesIn({ ...json, ...form })];
}

/** The page size that the request asks for: `limit=50`, `paging=0,50`, `range=0-49`. */
export function limitOf(call: Call): number | null {
  for (const [name, value] of parametersOf(call)) {
    if (!LIMITS.test(lettersOf(name))) continue;
    const [, from = "0", between, number] = /^(?:(\d+)([,-]))?(\d+)$/.exec(String(value)) ?? [];
    const limit = between === "-" ? Number(number) - Number(from) + 1 : Number(number);
    if (limit > 0) return limit;
  }
  return null;
}

/** The values of a body, with their names. */
function valuesIn(body: object): [name: string, value: unknown][] {
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? valuesIn(value) : [[name, value]],
  );
}

/** Whether we compute the next page from the rows so far. Otherwise a response names it. */
export function isCounted({ pages }: FileRequest): boolean {
  return (pages?.page ?? pages?.offset ?? pages?.after) !== undefined;
}

export function beginning({ pages }: FileRequest, call: Call): Call {
  if (pages?.page !== undefined) return withParameter(call, pages.page, pages.first ?? 1);
  if (pages?.offset === undefined || pages.after !== undefined) return call;
  return withParameter(call, pages.offset, pages.first ?? 0);
}

/** A copy of the body with the value at a path. Where the body has no object for the next key, the rest of the path is one key. */
function withMember(
  body: Readonly<Record<string, unknown>>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [key, ...rest] = path.split(".");
  const inner = body[key!];
  if (rest.length === 0 || typeof inner !== "object" || inner === null || Array.isArray(inner))
    return { ...body, [path]: value };
  return { ...body, [key!]: withMember(inner as Record<string, unknown>, rest.join("."), value) }; // an object
}

/** Sets a parameter: in the query if it is there already or there is no body, else in the body. */
export function withParameter(call: Call, name: string, value: unknown): Call {
  const address = new URL(call.address);
  if (!address.searchParams.has(name)) {
    if (call.json !== undefined) return { ...call, json: withMember(call.json, name, value) };
    if (call.form !== undefined) return { ...call, form: { ...call.form, [name]: textOf(value) } };
  }
  address.searchParams.set(name, textOf(value));
  return { ...call, address };
}
