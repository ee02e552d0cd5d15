// A static demo (src/cli/static-demo.ts): a host of files knows no queries, so each response is a file, and the page's `fetch` finds it.
// This script runs before the page's.

/** The content type of lists as JSON lines. */
const LINES = "application/x-ndjson";

/** The name of a request in the index of responses. The order of parameters and of ids makes no difference; leave passports are in English alone. */
export function requestName({ pathname, searchParams }: URL, accept: string | null): string {
  const asked = [...searchParams].filter(([name]) => name !== "language");
  const parameters = asked.map(([name, value]) =>
    name.endsWith("Ids") ? `${name}=${value.split(",").sort().join(",")}` : `${name}=${value}`,
  );
  return `${pathname}?${parameters.sort().join("&")}${accept === LINES ? " lines" : ""}`;
}

/** What a request gets that has no file: an error as the API's. */
const ABSENT = JSON.stringify({
  code: "not_in_demo",
  detail: "The files of this demo hold only some days and filters. Run rollcall demo for all of them.",
});

/** The document names the way up from itself, such as `..`. Returns the path of the demo. */
function takePlace(): string {
  const { dataset } = document.documentElement;
  const path = new URL(dataset.basePath ?? ".", location.href).pathname.replace(/\/$/, "");
  dataset.basePath = path;
  dataset.isStatic = "";
  return path;
}

function answerFromFiles(basePath: string): void {
  const load = globalThis.fetch.bind(globalThis);
  let index: Promise<Readonly<Record<string, string>>> | undefined;
  const loadIndex = async () => (await load(`${basePath}/data/index.json`)).json();
  const answer = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    index ??= loadIndex();
    const names = await index.catch((error) => {
      index = undefined; // the next request tries again
      throw error;
    });
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    url.pathname = url.pathname.slice(basePath.length);
    const accept = new Headers(init.headers).get("accept");
    const file = (init.method ?? "GET") === "GET" ? names[requestName(url, accept)] : undefined;
    if (file === undefined) return new Response(ABSENT, { status: 404 });
    const { body, status } = await load(`${basePath}/data/${file}`, { signal: init.signal ?? null });
    return new Response(body, { status, headers: { "content-type": accept ?? "application/json" } });
  };
  globalThis.fetch = Object.assign(answer, { preconnect: () => {} });
}

if (globalThis.document !== undefined) answerFromFiles(takePlace());
