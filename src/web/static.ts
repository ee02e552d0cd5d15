// The script of a static demo (src/cli/static-demo.ts), which runs before the page's. A file server knows no queries, so each response is
// a file, and `fetch` is replaced by a function that finds it.

/** The content type of lists as JSON lines. */
const LINES = "application/x-ndjson";

/** A request's name in the index of responses. The order of parameters and ids does not matter, nor does the language of a passport. */
export function requestName({ pathname, searchParams }: URL, accept: string | null): string {
  const asked = [...searchParams].filter(([name]) => name !== "language");
  const parameters = asked.map(([name, value]) =>
    name.endsWith("Ids") ? `${name}=${value.split(",").sort().join(",")}` : `${name}=${value}`,
  );
  return `${pathname}?${parameters.sort().join("&")}${accept === LINES ? " lines" : ""}`;
}

/** The response for a request without a file, in the form of the API's errors. */
const ABSENT = JSON.stringify({
  code: "not_in_demo",
  detail: "The files of this demo hold only some days and filters. Run rollcall demo for all of them.",
});

/** Returns the path of the demo. The document has it relative to itself, such as `..`. */
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
