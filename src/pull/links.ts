// The Link header of a response (RFC 8288).

/** A link of a `Link` header: its target, and its parameters. */
const LINK = /<([^>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g;

const PARAMETER = /;\s*([\w*-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+)))?/g;

const LATER_PAGE =
  /[?&](?:p|page|page_?(?:index|no|number)|page(?:\[|%5B)number(?:\]|%5D))=(?:[2-9]|[1-9]\d)/i;

/** Whether the last page that a response names is another one than the first. */
export function hasLastPage(headers: Headers): boolean {
  const [first, last] = [linked(headers, "first"), linked(headers, "last")];
  return last !== undefined && last !== first && (first !== undefined || LATER_PAGE.test(last));
}

/** The target of the link with this relation (RFC 8288, 3). */
export function linked(headers: Headers, relation: string): string | undefined {
  for (const [, target, parameters] of (headers.get("link") ?? "").matchAll(LINK)) {
    const rel = [...parameters!.matchAll(PARAMETER)].find(([, name]) => name!.toLowerCase() === "rel");
    const relations = rel?.[2] ?? rel?.[3] ?? "";
    if (relations.toLowerCase().split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}
