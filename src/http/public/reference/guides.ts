// The guides: what a caller should know about all endpoints, each with something to paste.
import { LIMIT_DEFAULT, LIMIT_MAX, LIST_MAX_VALUES } from "../../../resources/query.ts";
import { SAMPLE_ADDRESS, type Samples } from "./operations.ts";

export interface Guide {
  /** The anchor of its section. */
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** Code in every language, or in one form. */
  readonly samples: Partial<Samples>;
  readonly response?: string;
}

const SET_UP = `import { Rollcall } from "@rollcall/client";

const rollcall = new Rollcall({
  baseUrl: "${SAMPLE_ADDRESS}",
  apiKey: process.env.ROLLCALL_KEY ?? "",
});
`;

const PYTHON_GET = `import json
import os
import urllib.parse
import urllib.request

def get(path, **query):
    url = "${SAMPLE_ADDRESS}" + path + "?" + urllib.parse.urlencode(query)
    headers = {"x-api-key": os.environ["ROLLCALL_KEY"]}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
        return json.load(response)
`;

export const GUIDES: readonly Guide[] = [
  {
    id: "paging",
    title: "Paging",
    text: `A list comes in pages of \`limit\` objects: 1 to ${LIMIT_MAX}, ${LIMIT_DEFAULT} if you leave it out. Objects are ordered by id.

While \`hasMore\` is true, ask for the next page with \`afterId\` set to the last id of this page. To go backward, set \`beforeId\` to the first id. Or follow the links in the \`Link\` header.

A cursor is a position, not an object: it works even if that object was removed. You get every object that matched the whole time exactly once, even while imports run.`,
    samples: {
      curl: `curl "${SAMPLE_ADDRESS}/v1/workers?limit=100&afterId=wrk_3f9k2m7q8r5t1v4w6x0z" \\
  -H "x-api-key: $ROLLCALL_KEY"`,
      TypeScript: `${SET_UP}
// Reads page after page, as you need them.
for await (const worker of rollcall.workers.list()) {
  console.log(worker.displayName);
}`,
      Python: `${PYTHON_GET}
query = {"limit": 100}
while True:
    page = get("/v1/workers", **query)
    for worker in page["data"]:
        print(worker["displayName"])
    if not page["hasMore"]:
        break
    query["afterId"] = page["data"][-1]["id"]`,
    },
  },
  {
    id: "filters",
    title: "Filters",
    text: `Different filters combine with AND. The values of one filter combine with OR. A list takes up to ${LIST_MAX_VALUES} values: \`statuses=pending,approved\`, or \`statuses=pending&statuses=approved\`.

Who is away in a period? Requests that start before its end, and end on or after its start. An instant is a day (midnight UTC) or a date-time with an offset. In a URL, write \`+\` as \`%2B\`.

An unknown filter is an error, never ignored. So a typing error cannot return everybody.`,
    samples: {
      curl: `curl "${SAMPLE_ADDRESS}/v1/time_off/requests?statuses=approved&startsBefore=2026-03-09&endsOnOrAfter=2026-03-02" \\
  -H "x-api-key: $ROLLCALL_KEY"`,
      TypeScript: `${SET_UP}
const away = rollcall.requests.list({
  statuses: ["approved"],
  startsBefore: "2026-03-09",
  endsOnOrAfter: "2026-03-02",
});
for await (const request of away) {
  console.log(request.workerId, request.reason);
}`,
      Python: `${PYTHON_GET}
page = get(
    "/v1/time_off/requests",
    statuses="approved",
    startsBefore="2026-03-09",
    endsOnOrAfter="2026-03-02",
)
for request in page["data"]:
    print(request["workerId"], request["reason"])`,
    },
  },
  {
    id: "errors",
    title: "Errors",
    text: `Every error is \`application/problem+json\` (RFC 9457). Programs read \`code\`, which never changes. People read \`detail\`, which says what is wrong and what would be right. A 400 lists every bad parameter in \`errors\`.

Try again after a 429 or a 503: \`Retry-After\` says how many seconds to wait. The client does this by itself. Other errors stay the same until you change the request.

If you ask the operator for help, give them the \`requestId\`. [Every code is explained here](/docs/errors).`,
    samples: {
      curl: `curl "${SAMPLE_ADDRESS}/v1/time_off/balances?workerId=wrk_3f9k2m7q8r5t1v4w6x0z" \\
  -H "x-api-key: $ROLLCALL_KEY"`,
      TypeScript: `import { isRollcallError, Rollcall } from "@rollcall/client";

const rollcall = new Rollcall({
  baseUrl: "${SAMPLE_ADDRESS}",
  apiKey: process.env.ROLLCALL_KEY ?? "",
});

try {
  await rollcall.workers.retrieve("wrk_unknown");
} catch (error) {
  if (!isRollcallError(error, "worker_not_found")) throw error;
  console.log(error.code, error.requestId);
}`,
      Python: `import json
import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "${SAMPLE_ADDRESS}/v1/workers/wrk_unknown",
    headers={"x-api-key": os.environ["ROLLCALL_KEY"]},
)
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    problem = json.load(error)
    print(problem["code"], problem["requestId"])`,
    },
    response: `{
  "type": "/docs/errors#invalid_parameter",
  "title": "A parameter is not valid",
  "status": 400,
  "detail": "workerId: is not known here: did you mean \`workerIds\`?",
  "code": "invalid_parameter",
  "requestId": "0f8b6c1e-4d2a-47c9-9a35-1f6e0c7b2d84",
  "errors": [
    { "parameter": "workerId", "detail": "is not known here: did you mean \`workerIds\`?" }
  ]
}`,
  },
  {
    id: "limits",
    title: "Limits",
    text: `A key has a limit: 100 requests a second, unless the operator set another. \`RateLimit-Policy\` on every response says which, and \`RateLimit\` what is left. One more is a 429 with \`Retry-After\`. A key without a limit gets neither header.

A request costs one point, and so does one that [waits for a change](#syncing). A list as a stream (\`Accept: text/csv\` or \`application/x-ndjson\`) costs one for each 100 rows, and is never cut: two streams of a key run at once. A 304 costs one point, too, but the server almost nothing.`,
    samples: {
      curl: `curl -sS -D - -o /dev/null "${SAMPLE_ADDRESS}/v1/company" \\
  -H "x-api-key: $ROLLCALL_KEY"`,
      TypeScript: `const response = await fetch("${SAMPLE_ADDRESS}/v1/company", {
  headers: { "x-api-key": process.env.ROLLCALL_KEY ?? "" },
});
console.log(response.headers.get("ratelimit-policy"), response.headers.get("ratelimit"));`,
      Python: `import os
import urllib.request

request = urllib.request.Request(
    "${SAMPLE_ADDRESS}/v1/company",
    headers={"x-api-key": os.environ["ROLLCALL_KEY"]},
)
with urllib.request.urlopen(request) as response:
    print(response.headers["ratelimit-policy"], response.headers["ratelimit"])`,
    },
    response: `HTTP/1.1 200 OK
ratelimit-policy: "key";q=100;w=1
ratelimit: "key";r=99;t=1`,
  },
  {
    id: "syncing",
    title: "Syncing",
    text: `To keep a copy, follow [the changes](#listChanges). They send everything once, and then exactly what changed, removals included. Apply the entries of a page, then store its \`position\`, and ask with it the next time.

\`\`\`
imports     1 ───────── 2 ───────── 3 ───────── 4 ─────────▶ time
                        │                       │
without after:  everything as of import 2       │
                        ▼                       ▼
position           p1_MzEu…                p1_MzEuc…
                        └─ what 3 and 4 changed ┘  after=p1_MzEu…
\`\`\`

- While \`hasMore\` is true, ask on. At false, the copy is complete.
- If you are stopped before you stored a position, you get the same entries again, or newer ones. Applying them twice does no harm.
- A \`balances\` entry has no object. It names a worker or a policy: fetch their balances again. No entry says that a new day changes balances.
- With \`wait=25\` the response comes as soon as there is something to send. Asking in a loop then costs almost nothing.
- With webhooks, the server tells your address instead (\`rollcall hooks\`): for programs that must not be late and can be reached. Whoever keeps a copy follows the changes besides: a hook says that something happened, the changes say everything, in order.
- A 410 says that the position cannot be followed any more: start again without \`after\`, and drop what was not sent.

To keep a copy of one list without the changes, read it page by page and store each object under its id. Remove from your copy what a complete reading did not return. Every response has an \`ETag\`. Send it back as \`If-None-Match\`. While nothing has changed, you get an empty 304, which costs the server almost nothing. So asking often is cheap. The client does this by itself.

[The company](#retrieveCompany) says when its data was loaded last, and when it last changed.`,
    samples: {
      curl: `curl "${SAMPLE_ADDRESS}/v1/changes?after=now" \\
  -H "x-api-key: $ROLLCALL_KEY"`,
      TypeScript: `const headers = { "x-api-key": process.env.ROLLCALL_KEY ?? "" };
const copy = new Map();
for (let query = ""; ; ) {
  const response = await fetch("${SAMPLE_ADDRESS}/v1/changes" + query, { headers });
  const page = await response.json();
  for (const { resource, id, removed, object } of page.data) {
    if (removed) copy.delete(resource + id);
    else if (object !== null) copy.set(resource + id, object);
  }
  query = "?after=" + page.position; // store it with the copy
  if (!page.hasMore) break;
}
console.log(copy.size);`,
      Python: `${PYTHON_GET}
copy, query = {}, {}
while True:
    page = get("/v1/changes", **query)
    for change in page["data"]:
        name = (change["resource"], change["id"])
        if change["removed"]:
            copy.pop(name, None)
        elif change["object"] is not None:
            copy[name] = change["object"]
    query["after"] = page["position"]  # store it with the copy
    if not page["hasMore"]:
        break
print(len(copy))`,
    },
  },
  {
    id: "balances",
    title: "Balances",
    text: `A balance says what a worker has under one policy, in minutes. It is computed when you ask, for the day that you ask about.

- Without \`endDate\` you get today's balance. Leave that is booked for later is already subtracted.
- With \`endDate\` you get the balance at the end of that day, past or future, up to ten years ahead. A day in the future is a projection: what there will be is \`available + accruedLocked\`.
- With \`startDate\` you get what moved from that day on: a window, not a balance.

\`available\` is \`accruedUnlocked − used − holds\`. \`holds\` are pending requests. An unlimited policy accrues nothing, so its \`available\` is 0.

Why is it so much? Ask for one balance by its id. It comes with \`entries\`: every accrual, adjustment, forfeit and request, which add up to its numbers.`,
    samples: {
      curl: `curl "${SAMPLE_ADDRESS}/v1/time_off/balances?workerIds=wrk_3f9k2m7q8r5t1v4w6x0z&endDate=2026-12-31" \\
  -H "x-api-key: $ROLLCALL_KEY"`,
      TypeScript: `${SET_UP}
const list = rollcall.balances.list({
  workerIds: ["wrk_3f9k2m7q8r5t1v4w6x0z"],
  endDate: "2026-12-31",
});
for await (const { policyId, available, accruedLocked } of list) {
  console.log(policyId, available + accruedLocked);
}`,
      Python: `${PYTHON_GET}
page = get(
    "/v1/time_off/balances",
    workerIds="wrk_3f9k2m7q8r5t1v4w6x0z",
    endDate="2026-12-31",
)
for balance in page["data"]:
    print(balance["policyId"], balance["available"] + balance["accruedLocked"])`,
    },
  },
];
