// HTML of the reference pages: escaping, the little Markdown that descriptions use, and the frame of every page.

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** One paragraph: `code`, **bold** and [links](/docs). */
export function inline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');
}

/** Paragraphs, lists and pictures. A block whose lines begin with `- ` is a list; a block between ``` is a picture in text. */
export function prose(markdown: string): string {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      if (block.startsWith("```")) return codeBlock(block.replace(/^```\n|\n```$/g, ""), "Picture");
      if (!block.startsWith("- ")) return `<p>${inline(block)}</p>`;
      const items = block.split(/\n- /).map((item) => `<li>${inline(item.replace(/^- /, ""))}</li>`);
      return `<ul>${items.join("")}</ul>`;
    })
    .join("\n");
}

/** Code in a box that can scroll, so the keyboard can reach it. Strings are highlighted. */
export function codeBlock(code: string, label: string): string {
  const marked = code
    .split(/("(?:[^"\\\n]|\\.)*")/)
    .map((part, index) =>
      index % 2 === 1 ? `<span class="string">${escapeHtml(part)}</span>` : escapeHtml(part),
    )
    .join("");
  return `<pre tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${marked}</code></pre>`;
}

interface PageParts {
  readonly title: string;
  /** The page's own path, which the header marks. */
  readonly path: "/docs" | "/docs/errors";
  readonly style: string;
  readonly script?: string;
  readonly main: string;
}

const LINKS = [
  ["/docs", "API"],
  ["/docs/errors", "Errors"],
  ["/openapi.json", "OpenAPI"],
] as const;

/** A whole page. Its styles and scripts are files, because the content security policy allows no others. */
export function pageHtml({ title, path, style, script, main }: PageParts): string {
  const links = LINKS.map(
    ([href, name]) => `<a href="${href}"${href === path ? ' aria-current="page"' : ""}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/fonts.css">
<link rel="stylesheet" href="/docs/tokens.css">
<link rel="stylesheet" href="/docs/shell.css">
<link rel="stylesheet" href="${style}">
${script === undefined ? "" : `<script src="${script}" defer></script>\n`}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="wordmark" href="/"><img src="/docs/icon.svg" width="24" height="24" alt="">Rollcall</a>
<nav aria-label="Reference">
${links.join("\n")}
</nav>
<div class="bar-end"><a href="/">Who is away</a></div>
</header>
${main}
</body>
</html>
`;
}
