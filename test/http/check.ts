// What every answer must be, whatever was asked (docs/api.md, Resources, Errors and Headers). Each call of a test goes
// through here, so that each 200 is held to the schema that the interface document is made from.
import { expect } from "bun:test";
import { PROBLEMS, problemSchema, problemType } from "../../src/resources/problems.ts";
import { ENDPOINTS } from "./endpoints.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const bySpecificity = ENDPOINTS.map(({ contract }) => ({
  schema: contract.response,
  pattern: new RegExp(`^${contract.path.replace("{id}", "[^/]+")}$`),
}));

export function checkAnswer(path: string, answer: Answer): void {
  expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (answer.status === 200) checkContent(path, answer);
  else if (answer.status === 304) expect(answer.text).toBe("");
  else if (answer.status !== 204) checkProblem(answer);
  if (answer.status === 200 || answer.status === 304) checkCaching(answer);
}

/** The schemas are strict and give keys in their own order, so one comparison of text tells order, presence and nulls. */
function checkContent(path: string, { headers, text }: Answer): void {
  expect(headers.get("content-type")).toBe("application/json");
  const schema = bySpecificity.find(({ pattern }) => pattern.test(path))?.schema;
  if (schema === undefined) throw new Error(`${path} is no endpoint of the contract`);
  const sent: unknown = JSON.parse(text);
  expect(JSON.stringify(schema.parse(sent))).toBe(text);
}

function checkCaching({ headers }: Answer): void {
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

function checkProblem({ status, headers, text }: Answer): void {
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
