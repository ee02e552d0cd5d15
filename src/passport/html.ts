// A leave passport as one HTML file that needs no network: stored data, and the engine that computes balances from it (docs/passport.md).
import { createHash } from "node:crypto";
import { directionOf, ENGLISH, type Tongue, textsOf } from "../web/texts/languages.ts";
import { parsed } from "../web/texts/texts.ts";
import type { Passport } from "./passport.ts";
import { passportScript } from "./script-file.ts";

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; width: 100%; font-size: .9rem; }
th, td { text-align: start; padding: .25rem 0; padding-inline-end: .6rem; border-bottom: 1px solid #8884; vertical-align: top; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.same { color: #17803d; } .other { color: #c02626; font-weight: 600; }
.stored { overflow-x: auto; } .stored :is(th, td) { white-space: nowrap; }
pre { overflow: auto; font-size: .8rem; } summary { cursor: pointer; }
@media (prefers-color-scheme: dark) { .same { color: #5fd38d; } .other { color: #ff8a8a; } }
@media print {
  h1, h2, h3 { break-after: avoid; }
  th, td { overflow-wrap: break-word; }
  .stored thead, .stored td:empty { display: none; } .stored :is(table, tbody, tr) { display: block; }
  .stored tr { padding: .3rem 0; border-bottom: 1px solid #8884; break-inside: avoid; }
  .stored td { display: inline; padding: 0; border: 0; white-space: normal; }
  .stored td::before { content: attr(data-name) ": "; color: #666; } .stored td:not(:last-child)::after { content: "; "; }
}
`;

/** The HTML of the file. `<` is escaped in the data, so no text can end its element. The security policy allows no other script. */
export async function passportHtml(
  passport: Passport,
  { language, locale }: Tongue = ENGLISH,
): Promise<string> {
  const texts = await textsOf(language);
  const script = passportScript().replaceAll(/<(?=\/script|!--|script)/gi, "\\x3c");
  const json = (value: unknown) => JSON.stringify(value).replaceAll("<", "\\u003c");
  const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${texts["file.name"]}</title>
<style>${STYLE}</style>
</head>
<body>
<noscript>${texts["file.noScript"]}</noscript>
<main id="page"></main>
<script type="application/json" id="passport">${json(passport)}</script>
<script type="application/json" id="texts">${json(parsed(texts))}</script>
<script>${script}</script>
</body>
</html>
`;
}
