// The reference: the OpenAPI document, its interactive page and the page of errors (docs/api.md, Beside the contract). None
// needs a key, and none reveals anything about a company. A page is read or made when it is first requested.
import { type OpenApiForm, openApiDocument } from "../../../resources/openapi/document.ts";
import { problemExample } from "../../../resources/openapi/responses.ts";
import { PROBLEMS, type ProblemCode } from "../../../resources/problems.ts";
import icon from "../../../web/icon.svg" with { type: "file" };
import fontsStyle from "../../../web/style/fonts.css" with { type: "file" };
import shellStyle from "../../../web/style/shell.css" with { type: "file" };
import tokensStyle from "../../../web/style/tokens.css" with { type: "file" };
import type { PublicResponse } from "../../request-context.ts";
import { type FileSource, fileResponses, readShippedFile } from "../files.ts";
import { docsPage } from "./docs.ts";
import { codeBlock, inline, pageHtml, prose } from "./html.ts";
import docsStyle from "./pages/docs.css" with { type: "file" };
import docsScript from "./pages/docs.js" with { type: "file" };
import errorsStyle from "./pages/errors.css" with { type: "file" };

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

function file(path: string, contentType: string): FileSource {
  return { contentType, content: () => readShippedFile(path) };
}

/** The pages and their files, by path. They are the same for every caller. */
export const PAGES: ReadonlyMap<string, FileSource> = new Map([
  ["/openapi.json", { contentType: "application/json", content: () => openApiText("json") }],
  ["/openapi-streams.json", { contentType: "application/json", content: () => openApiText("streams") }],
  ["/docs", { contentType: HTML, content: docsPage }],
  ["/docs/docs.css", file(docsStyle, STYLE)],
  ["/docs/docs.js", file(docsScript, SCRIPT)],
  // The reference shares the web page's styles, so that both look alike.
  ["/docs/fonts.css", file(fontsStyle, STYLE)],
  ["/docs/tokens.css", file(tokensStyle, STYLE)],
  ["/docs/shell.css", file(shellStyle, STYLE)],
  ["/docs/errors", { contentType: HTML, content: errorsPage }],
  ["/docs/errors.css", file(errorsStyle, STYLE)],
  ["/docs/icon.svg", file(icon, "image/svg+xml")],
]);

function openApiText(form: OpenApiForm): string {
  return `${JSON.stringify(openApiDocument(form), null, 2)}\n`;
}

const prepared = new Map([...PAGES].map(([path, page]) => [path, fileResponses(page)]));

/** The page at exactly this path, or null if the reference has none. */
export function reference(path: string, acceptsGzip = false): PublicResponse | null {
  return prepared.get(path)?.(acceptsGzip) ?? null;
}

// The page of errors, made from the table of problems. The `type` of every problem links to its section.

function section(code: ProblemCode): string {
  const { status, title, meaning } = PROBLEMS[code];
  return `<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p class="title">${inline(title)}</p>
<p>${inline(meaning)}</p>
${codeBlock(JSON.stringify(problemExample(code), null, 2), `${code}: example`)}
</section>`;
}

/** The whole page as HTML: one section per code, whose anchor is the code. */
function errorsPage(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]; // the keys of PROBLEMS are the codes
  const contents = codes.map(
    (code) =>
      `<li><a href="#${code}"><code>${code}</code></a> <span class="status">${PROBLEMS[code].status}</span></li>`,
  );
  return pageHtml({
    title: "Errors · Rollcall API",
    path: "/docs/errors",
    style: "/docs/errors.css",
    main: `<main id="main">
<h1>Errors</h1>
${prose(
  "Every error is `application/problem+json` (RFC 9457) and has the same shape. `code` never changes and is meant for programs. `detail` says what is wrong this time, and what would be right. The operator finds the request in the log by its `requestId`, which is also sent as `x-request-id`. Only an `invalid_parameter` has `errors`: one entry per bad parameter, up to 20 of them.",
)}
<ul class="contents">
${contents.join("\n")}
</ul>
${codes.map(section).join("\n")}
</main>`,
  });
}
