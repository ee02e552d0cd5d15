// The reference as answers: the interface document, its interactive page and the page of errors (docs/api.md, Beside the
// contract). None needs a key, and none tells anything of a company.
import { type FileResponse, fileAnswers } from "../files.ts";
import { PAGES } from "./pages.ts";

const prepared = new Map([...PAGES].map(([path, page]) => [path, fileAnswers(page)]));

/** The page at exactly this path, or null where the reference has none. */
export function reference(path: string, acceptsGzip = false): FileResponse | null {
  return prepared.get(path)?.(acceptsGzip) ?? null;
}
