// The page of errors, made from the table of problems: `type` of every problem leads to its section here.
import { problemExample } from "../../../resources/openapi/problems.ts";
import { PROBLEMS, type ProblemCode } from "../../../resources/problems.ts";

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text whose `backticks` mark what is literal. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function section(code: ProblemCode): string {
  const { status, title, meaning } = PROBLEMS[code];
  return `<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p class="title">${prose(title)}</p>
<p>${prose(meaning)}</p>
<pre>${escapeHtml(JSON.stringify(problemExample(code), null, 2))}</pre>
</section>`;
}

/** The whole page as HTML: one section per code, whose anchor is the code. */
export function errorsPage(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]; // the keys of PROBLEMS are the codes
  const contents = codes.map(
    (code) =>
      `<li><a href="#${code}"><code>${code}</code></a> <span class="status">${PROBLEMS[code].status}</span></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Rollcall API</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/fonts.css">
<link rel="stylesheet" href="/docs/tokens.css">
<link rel="stylesheet" href="/docs/shell.css">
<link rel="stylesheet" href="/docs/errors.css">
</head>
<body>
<header class="bar">
<a class="wordmark" href="/"><img src="/docs/icon.svg" width="24" height="24" alt="">Rollcall</a>
<nav aria-label="Reference">
<a href="/docs">API</a>
<a href="/docs/errors" aria-current="page">Errors</a>
<a href="/openapi.json">OpenAPI</a>
</nav>
<div class="bar-end"><a href="/">Who is away</a></div>
</header>
<main>
<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457) and has the same shape. <code>code</code> is stable and meant for
programs; <code>detail</code> says what is wrong this time and what would be right; <code>requestId</code>, also sent as
<code>x-request-id</code>, is what the operator needs to find the request in the log. Only an <code>invalid_parameter</code> has
<code>errors</code>: one entry per bad parameter, up to 20 of them.</p>
<ul class="contents">
${contents.join("\n")}
</ul>
${codes.map(section).join("\n")}
</main>
</body>
</html>
`;
}
