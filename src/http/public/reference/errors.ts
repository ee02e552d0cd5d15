// The page of errors, made from the table of problems: `type` of every problem leads to its section here.
import { problemExample } from "../../../resources/openapi/problems.ts";
import { PROBLEMS, type ProblemCode } from "../../../resources/problems.ts";
import { codeBlock, inline, pageHtml, prose } from "./html.ts";

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
export function errorsPage(): string {
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
