// The reference: the OpenAPI document, its interactive page and the page of errors (docs/api.md, Beside the contract). None
// needs a key, and none reveals anything about a company. A page is read or made when it is first requested.
import { openApiDocument } from "../../../resources/openapi/document.ts";
import icon from "../../../web/icon.svg" with { type: "file" };
import fontsStyle from "../../../web/style/fonts.css" with { type: "file" };
import shellStyle from "../../../web/style/shell.css" with { type: "file" };
import tokensStyle from "../../../web/style/tokens.css" with { type: "file" };
import { type FileResponse, fileResponses, readShippedFile } from "../files.ts";
import { docsPage } from "./docs.ts";
import { errorsPage } from "./errors.ts";
import docsStyle from "./pages/docs.css" with { type: "file" };
import docsScript from "./pages/docs.js" with { type: "file" };
import errorsStyle from "./pages/errors.css" with { type: "file" };

export interface ReferencePage {
  readonly contentType: string;
  readonly content: () => Uint8Array;
}

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

function file(path: string, contentType: string): ReferencePage {
  return { contentType, content: () => readShippedFile(path) };
}

function made(make: () => string, contentType: string): ReferencePage {
  return { contentType, content: () => new TextEncoder().encode(make()) };
}

/** The pages and their files, by path. They are the same for every caller. */
export const PAGES: ReadonlyMap<string, ReferencePage> = new Map([
  ["/openapi.json", made(() => `${JSON.stringify(openApiDocument(), null, 2)}\n`, "application/json")],
  ["/docs", made(docsPage, HTML)],
  ["/docs/docs.css", file(docsStyle, STYLE)],
  ["/docs/docs.js", file(docsScript, SCRIPT)],
  // The reference shares the web page's styles, so that both look alike.
  ["/docs/fonts.css", file(fontsStyle, STYLE)],
  ["/docs/tokens.css", file(tokensStyle, STYLE)],
  ["/docs/shell.css", file(shellStyle, STYLE)],
  ["/docs/errors", made(errorsPage, HTML)],
  ["/docs/errors.css", file(errorsStyle, STYLE)],
  ["/docs/icon.svg", file(icon, "image/svg+xml")],
]);

const prepared = new Map([...PAGES].map(([path, page]) => [path, fileResponses(page)]));

/** The page at exactly this path, or null if the reference has none. */
export function reference(path: string, acceptsGzip = false): FileResponse | null {
  return prepared.get(path)?.(acceptsGzip) ?? null;
}
