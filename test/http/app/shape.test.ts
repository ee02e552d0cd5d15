// All routes have one envelope and one shape of errors, for every error code.
import { describe, expect, test } from "bun:test";
import type { AppParts } from "../../../src/http/app.ts";
import { rateLimit } from "../../../src/http/middleware/rate-limit.ts";
import { listChanges } from "../../../src/resources/changes.ts";
import { openApiDocument } from "../../../src/resources/openapi/document.ts";
import {
  NOT_FOUND_CODES,
  PROBLEM_TAGS,
  PROBLEMS,
  type ProblemCode,
} from "../../../src/resources/problems.ts";
import { StoreUnavailable } from "../../../src/store/store.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS, LISTS } from "../endpoints.ts";
import { foreignPosition } from "../positions.ts";
import { type Call, type Service, startService } from "../service.ts";

/** What only messages to `/mcp` get: test/http/mcp has them. */
const OF_MESSAGES = ["origin_not_allowed", "invalid_token", "body_too_large"] as const;
/** `before_opening` needs a balance with an opening, and `close_not_found` a path of closes: the tests of their routes have them. */
type ApiCode = Exclude<ProblemCode, (typeof OF_MESSAGES)[number] | "before_opening" | "close_not_found">;

/** A request for each error, and what is wrong with the server, if anything. */
const WAYS: Record<
  ApiCode,
  { path?: string; call?: Call; parts?: Partial<AppParts>; broken?: Error; times?: number }
> = {
  invalid_parameter: { path: "?nonsense=1" },
  not_known: { path: "?knownOn=2020-01-01" },
  missing_api_key: { call: { key: null } },
  invalid_api_key: { call: { key: "nonsense" } },
  missing_scope: { call: { key: "scopeless" } },
  unknown_path: { path: "/a/b" },
  ...(Object.fromEntries(NOT_FOUND_CODES.map((code) => [code, {}])) as Record<
    (typeof NOT_FOUND_CODES)[number],
    object
  >), // one for each
  balance_not_found: {},
  feed_not_found: {},
  not_acceptable: { call: { headers: { accept: "image/png" } } },
  method_not_allowed: { call: { method: "DELETE" } },
  position_gone: { path: `?after=${foreignPosition()}` },
  rate_limited: { parts: { rateLimit: rateLimit(1) }, times: 2 },
  internal_error: { broken: new TypeError("x is undefined") },
  unavailable: { broken: new StoreUnavailable("gone") },
  timed_out: { parts: { longestMs: -1e9 } },
  overloaded: { parts: { admission: { acquire: async () => null } } },
};

const OF_RETRIEVALS: readonly string[] = [...NOT_FOUND_CODES, "balance_not_found"];

const document = openApiDocument() as {
  paths: Record<
    string,
    {
      get: {
        responses: Record<string, unknown>;
        parameters: readonly { in?: string; required?: boolean }[];
      };
    }
  >;
}; // as the reference's own test holds it

const CODES = Object.keys(WAYS) as ApiCode[]; // its keys are the codes

const services = new Map<ApiCode, Service>();
for (const code of CODES) {
  const { parts, broken } = WAYS[code];
  const service = await startService(parts);
  await addCompany(service.writer, "acme", sampleFacts());
  if (broken !== undefined) service.reader.version = () => Promise.reject(broken);
  services.set(code, service);
}

/** A path with a query, or with more segments in place of its own query. */
function withPath(path: string, more: string): string {
  if (more.startsWith("/")) return path.split("?")[0] + more;
  return path.includes("?") ? path + more.replace("?", "&") : path + more;
}

async function responseOf(code: ApiCode, path: string) {
  const { call = {}, broken, times = 1 } = WAYS[code];
  const service = services.get(code)!;
  const scopes = call.key === "scopeless" ? [] : undefined;
  const own = await addKey(service.writer, "acme", scopes === undefined ? {} : { scopes });
  const key = call.key === undefined || scopes !== undefined ? own : call.key;
  let response = await service.call(path, { ...call, key });
  for (let time = 1; time < times; time++) response = await service.call(path, { ...call, key });
  if (code === "internal_error")
    expect(service.faults.splice(0)).toMatchObject([{ message: broken!.message }]);
  return response;
}

describe.each(CODES)("%s", (code) => {
  const atFeed = code === "feed_not_found";
  const cases = OF_RETRIEVALS.includes(code)
    ? ENDPOINTS.filter(({ contract }) => "notFound" in contract && contract.notFound === code)
    : ENDPOINTS.filter(
        ({ contract }) =>
          (code !== "missing_scope" || contract.scope !== null || contract.scopeNote !== undefined) &&
          (code !== "not_acceptable" || "item" in contract) &&
          (code !== "not_known" || contract !== listChanges) &&
          (code !== "position_gone" || contract === listChanges) &&
          (!atFeed || contract === ENDPOINTS[0]!.contract),
      );

  test.each(cases)("$name", async ({ path, contract }) => {
    const asked = OF_RETRIEVALS.includes(code)
      ? path.replace(
          /_[a-z0-9_]+(?=$|\/schedule$)/,
          code === "balance_not_found" ? "_06absentannual" : "_absent",
        )
      : withPath(atFeed ? "/calendar/unknown.ics" : path, WAYS[code].path ?? "");
    const { status, text, headers } = await responseOf(code, asked);
    expect(status).toBe(PROBLEMS[code].status);
    const problem = JSON.parse(text) as Record<string, unknown>;
    const tag = PROBLEM_TAGS[code];
    expect(Object.keys(problem)).toEqual([
      ...["type", "title", "status", "detail", "code", "requestId", "message"],
      ...(tag === undefined ? [] : ["_tag"]),
      ...(["invalid_parameter", "not_known"].includes(code) ? ["errors"] : []),
    ]);
    expect([problem.message, problem._tag]).toEqual([problem.detail, tag]);
    expect(problem).toMatchObject({
      type: `/docs/errors#${code}`,
      title: PROBLEMS[code].title,
      status,
      code,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    // The OpenAPI document lists the statuses that a GET of this path can have.
    if (!["unknown_path", "feed_not_found", "method_not_allowed"].includes(code)) {
      expect(Object.keys(document.paths[contract.path]!.get.responses)).toContain(String(status));
    }
  });
});

test("a request without parameters is refused where the document requires one, and nowhere else", async () => {
  const service = await startService();
  await addCompany(service.writer, "acme");
  const key = await addKey(service.writer, "acme");
  for (const [path, { get }] of Object.entries(document.paths)) {
    const isRequired = get.parameters.some(({ in: place, required }) => place === "query" && required);
    const { status } = await service.call(path.replace("{id}", "unknown"), { key });
    expect([path, status === 400]).toEqual([path, isRequired]);
  }
});

// Nothing of the sample will be lost.
test.each(LISTS.filter(({ name }) => name !== "expirations"))("$name: the envelope", async ({ path }) => {
  const service = await startService();
  await addCompany(service.writer, "acme", sampleFacts());
  const { text } = await service.call(path, { key: await addKey(service.writer, "acme") });
  const body = JSON.parse(text) as { count: number; data: unknown[]; hasMore: boolean }; // held to the schema already
  expect(Object.keys(body)).toEqual(["count", "data", "hasMore"]);
  expect(body.count).toBe(body.data.length);
  expect(text).toStartWith(`{"count":${body.count},"data":[{"id":"`);
  expect(text).toEndWith(`],"hasMore":${body.hasMore}}`);
});
