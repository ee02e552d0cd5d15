// What holds for every response (docs/api.md, Resources, Errors and Headers). Every call of a test is checked here, so
// every 200 matches the schema that the OpenAPI document is made from, and every status is in it.
import { expect } from "bun:test";
import { openApiDocument } from "../../src/resources/openapi/document.ts";
import { PROBLEMS, problemSchema, problemType } from "../../src/resources/problems.ts";
import { ENDPOINTS, OF_CLOSES } from "./endpoints.ts";

export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const { paths } = openApiDocument() as {
  paths: Record<string, { get: { responses: Record<string, unknown> } }>;
}; // as the reference's own test holds it

const bySpecificity = [...ENDPOINTS, ...OF_CLOSES].map(({ contract }) => ({
  schema: contract.response,
  statuses: Object.keys(paths[contract.path]!.get.responses),
  pattern: new RegExp(`^${contract.path.replace("{id}", "[^/]+")}$`),
}));

/** Other methods than GET and HEAD are not in the document. */
const OF_OTHER_METHODS = [204, 405];

export function checkResponse(path: string, response: CheckedResponse): void {
  expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const endpoint = bySpecificity.find(({ pattern }) => pattern.test(path.split("?")[0]!));
  if (endpoint !== undefined && !OF_OTHER_METHODS.includes(response.status))
    expect(endpoint.statuses).toContain(String(response.status));
  if (response.status === 200) checkContent(path.split("?")[0]!, response);
  else if (response.status === 304) expect(response.text).toBe("");
  else if (response.status !== 204) checkProblem(response);
  if (response.status === 200 || response.status === 304) checkCaching(response);
}

/** The schemas are strict and keep their own order of keys, so comparing the text checks order, presence and nulls. */
function checkContent(path: string, { headers, text }: CheckedResponse): void {
  expect(headers.get("content-type")).toBe("application/json");
  const schema = bySpecificity.find(({ pattern }) => pattern.test(path))?.schema;
  if (schema === undefined) throw new Error(`${path} is not an endpoint of the contract`);
  const sent: unknown = JSON.parse(text);
  expect(JSON.stringify(schema.parse(sent))).toBe(text);
}

function checkCaching({ headers }: CheckedResponse): void {
  expect(headers.get("etag")).toMatch(/^W\/"[\x21\x23-\x7e]+"$/);
  expect(headers.get("cache-control")).toBe("private, no-cache");
  const vary = headers.get("vary")!.toLowerCase().split(/ *, */);
  expect(vary).toEqual(expect.arrayContaining(["x-api-key", "accept-encoding"]));
}

const REQUIRED_HEADERS: Partial<Record<number, string>> = {
  401: "www-authenticate",
  405: "allow",
  429: "retry-after",
  503: "retry-after",
};

function checkProblem({ status, headers, text }: CheckedResponse): void {
  expect(headers.get("content-type")).toBe("application/problem+json");
  const problem = problemSchema.parse(JSON.parse(text));
  expect(JSON.stringify(problem)).toBe(text);
  expect(problem.status).toBe(status);
  expect(PROBLEMS).toHaveProperty(problem.code);
  const code = problem.code as keyof typeof PROBLEMS; // the line above
  expect(problem.title).toBe(PROBLEMS[code].title);
  expect(status).toBe(PROBLEMS[code].status);
  expect(problem.type).toBe(problemType(code));
  expect(problem.detail).not.toBe("");
  expect(problem.requestId).toBe(headers.get("x-request-id")!);
  const named = problem.errors?.map((error) => error.parameter);
  expect(named !== undefined).toBe(status === 400);
  expect(new Set(named).size).toBe(named?.length ?? 0);
  const required = REQUIRED_HEADERS[status];
  if (required !== undefined) expect(headers.has(required)).toBe(true);
}
