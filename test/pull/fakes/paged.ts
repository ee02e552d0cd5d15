// An API of people and their leave, with each way of paging.
import { type Asked, Fake, json, status } from "./fake.ts";

export const STYLES = ["page", "offset", "cursor", "next", "link", "after"] as const;
export type Style = (typeof STYLES)[number];

export function people(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    id: `P${at}`,
    name: `Person ${at}`,
    number: 9007199254740993n + BigInt(at),
  }));
}

/** The numbers have more digits than a double. */
function text(value: unknown): Response {
  const body = JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? `#${one}#` : one)).replaceAll(
    /"#(\d+)#"/g,
    "$1",
  );
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** `GET /people` in pages of `size`, and `GET /people/P1/leave`. */
export async function paged(paging: Style, rows: readonly { id: string }[], size: number): Promise<Fake> {
  const fake: Fake = await Fake.start((asked) => {
    if (asked.path !== "/people")
      return json({ data: [{ leave: `of ${asked.path.split("/")[2]}`, days: 1 }] });
    const start = startOf(paging, asked, rows, size);
    if (start === null) return status(400, "no such page");
    const page = rows.slice(start, start + size);
    const end = start + page.length;
    const hasMore = end < rows.length;
    const next = `${fake.url}/people?at=${end}`;
    const headers =
      paging === "link" && hasMore ? { link: `<${fake.url}/>; rel="first", <${next}>; rel="next"` } : {};
    const response = text({
      data: page,
      meta: { total: rows.length, hasMore, cursor: hasMore ? `c${end}` : null },
      ...(paging === "next" && { links: { next: hasMore ? next : null } }),
    });
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  });
  return fake;
}

function startOf(
  paging: Style,
  { query }: Asked,
  rows: readonly { id: string }[],
  size: number,
): number | null {
  switch (paging) {
    case "page":
      return (Number(query.get("page")) - 1) * size;
    case "offset":
      return Number(query.get("offset"));
    case "cursor":
      return Number(query.get("cursor")?.slice(1) ?? 0);
    case "after":
      return query.has("after") ? rows.findIndex(({ id }) => id === query.get("after")) + 1 : 0;
    default:
      return Number(query.get("at") ?? 0);
  }
}

const PAGES: Readonly<Record<Style, object>> = {
  page: { page: "page" },
  offset: { offset: "offset" },
  cursor: { cursor: "meta.cursor", param: "cursor" },
  next: { next: "links.next" },
  link: { link: true },
  after: { after: { after: "{id}" }, more: "meta.hasMore" },
};

/** What pulls the people, with or without `total`, and then the leave of each. */
export function pullFileOf(fake: Fake, paging: Style, size: number, hasTotal = true) {
  return {
    base: fake.url,
    auth: { bearer: "{secret.KEY}" },
    pace: { perMinute: 6000, timeoutSeconds: 0.3 },
    files: {
      "people.json": {
        get: "people",
        query: { limit: size },
        rows: "data",
        pages: PAGES[paging],
        ...(hasTotal && { total: "meta.total" }),
      },
      "leave.json": {
        each: "people.json",
        get: "people/{id}/leave",
        rows: "data",
        add: { person: "{id}", number: "{number}" },
      },
    },
  };
}
