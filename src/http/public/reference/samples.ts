// How to call each endpoint: curl, TypeScript and Python, each complete, so that it can be pasted and run.
import type { Operation, QueryParameter } from "./operations.ts";

export const LANGUAGES = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];
export type Samples = Readonly<Record<Language, string>>;

/** The address in all samples; the page puts its own in place of it. */
export const SAMPLE_ADDRESS = "http://127.0.0.1:4010";

/** The parameters that show best what a list is for; for any other endpoint, the first two that have examples. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  listWorkers: ["statuses"],
  listPolicies: [],
  listRequests: ["statuses", "startsOnOrAfter"],
  listBalances: ["workerIds", "endDate"],
  retrieveBalance: ["endDate"],
  listAssignments: ["workerIds"],
};

/** The client's call of an endpoint, by operation. An endpoint that the client does not have is called with `fetch`. */
const CLIENT_CALLS: Readonly<Record<string, readonly [call: string, item: string]>> = {
  listWorkers: ["workers.list", "worker"],
  retrieveWorker: ["workers.retrieve", "worker"],
  listPolicies: ["policies.list", "policy"],
  retrievePolicy: ["policies.retrieve", "policy"],
  listRequests: ["requests.list", "request"],
  retrieveCompany: ["company", "company"],
  retrieveRequest: ["requests.retrieve", "request"],
  listBalances: ["balances.list", "balance"],
  retrieveBalance: ["balances.retrieve", "balance"],
  listAssignments: ["assignments.list", "assignment"],
};

function shownParameters({ id, parameters }: Operation): readonly QueryParameter[] {
  const names = SHOWN[id];
  if (names !== undefined) return parameters.filter(({ name }) => names.includes(name));
  const own = parameters.filter(
    ({ name, isRequired, example }) =>
      isRequired || (example !== "" && !["limit", "afterId", "beforeId"].includes(name)),
  );
  return own.slice(0, 2);
}

function queryText(parameters: readonly QueryParameter[]): string {
  const pairs = parameters.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** The value of a parameter as the client takes it. */
function literal({ example, isList }: QueryParameter): string {
  return isList
    ? `[${example
        .split(",")
        .map((value) => JSON.stringify(value))
        .join(", ")}]`
    : JSON.stringify(example);
}

function typescript(operation: Operation, url: string, shown: readonly QueryParameter[]): string {
  const client = CLIENT_CALLS[operation.id];
  if (client === undefined) {
    return `const response = await fetch("${url}", {
  headers: { "x-api-key": process.env.ROLLCALL_KEY ?? "" },
});
console.log(await response.text());`;
  }
  const [call, item] = client;
  const setUp = `import { Rollcall } from "rollcall/client";

const rollcall = new Rollcall({
  baseUrl: "${SAMPLE_ADDRESS}",
  apiKey: process.env.ROLLCALL_KEY ?? "",
});
`;
  const filters = shown.map((parameter) => `  ${parameter.name}: ${literal(parameter)},\n`).join("");
  if (!call.endsWith(".list")) {
    const id = operation.exampleId === null ? [] : [`"${operation.exampleId}"`];
    const given = filters === "" ? id : [...id, `{\n${filters}}`];
    return `${setUp}
const ${item} = await rollcall.${call}(${given.join(", ")});
console.log(${item});`;
  }
  return `${setUp}
const list = rollcall.${call}(${filters === "" ? "" : `{\n${filters}}`});
for await (const ${item} of list) {
  console.log(${item});
}`;
}

function python(url: string): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"x-api-key": os.environ["ROLLCALL_KEY"]},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

/** The samples of an endpoint. Each reads the key from the environment variable `ROLLCALL_KEY`. */
export function samplesOf(operation: Operation): Samples {
  const shown = shownParameters(operation);
  const path = operation.path.replace(/\{\w+\}/, operation.exampleId ?? "");
  const url = `${SAMPLE_ADDRESS}${path}${queryText(shown)}`;
  return {
    curl: `curl "${url}" \\\n  -H "x-api-key: $ROLLCALL_KEY"`,
    TypeScript: typescript(operation, url, shown),
    Python: python(url),
  };
}
