// Serves a page of workers, or one worker: a statement, joined texts and a tag, without keys or checks. bun plain.ts STORE COMPANY PORT.
import { Database } from "bun:sqlite";

const [store, company, port] = process.argv.slice(2);
const database = new Database(store!, { readonly: true });
const page = database.query<{ doc: string }, [string, string, number]>(
  "select doc from workers where company_id = ? and id > ? order by id limit ?",
);
const workerById = database.query<{ doc: string }, [string, string]>(
  "select doc from workers where company_id = ? and id = ?",
);

function bodyOf({ pathname, searchParams }: URL): string | null {
  if (pathname !== "/v1/workers")
    return workerById.get(company!, pathname.slice("/v1/workers/".length))?.doc ?? null;
  const limit = Number(searchParams.get("limit") ?? 25);
  const docs = page.all(company!, searchParams.get("afterId") ?? "", limit + 1).map(({ doc }) => doc);
  const shown = docs.slice(0, limit);
  return `{"count":${shown.length},"data":[${shown.join(",")}],"hasMore":${docs.length > limit}}`;
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  fetch({ url }) {
    const body = bodyOf(new URL(url));
    if (body === null) return new Response(null, { status: 404 });
    const etag = `"${Bun.hash(body).toString(36)}"`;
    return new Response(body, { headers: { "content-type": "application/json", etag } });
  },
});
