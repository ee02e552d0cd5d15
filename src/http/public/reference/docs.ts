// The reference page: a request to paste and its response, then the guides, then every endpoint (docs/api.md, Endpoints). It can be read
// without scripts; the script adds tabs, copying, and a form that tries an endpoint with a key.
import changelog from "../../../../CHANGELOG.md" with { type: "text" };
import { problemExample } from "../../../resources/openapi/responses.ts";
import { GUIDES, type Guide } from "./guides.ts";
import { codeBlock, escapeHtml, inline, pageHtml, prose } from "./html.ts";
import {
  LANGUAGES,
  type Operation,
  type QueryParameter,
  type ResponseField,
  referenceContents,
  type Samples,
  samplesOf,
} from "./operations.ts";

/** Samples in several languages, one below the other; the script turns them into tabs. */
function samplesHtml(id: string, title: string, samples: Partial<Samples>): string {
  const figures = LANGUAGES.flatMap((language) => {
    const code = samples[language];
    if (code === undefined) return [];
    return `<figure class="sample" id="${id}-${language.toLowerCase()}" data-language="${language}">
<figcaption>${language}</figcaption>
${codeBlock(code, `${title}: ${language}`)}
</figure>`;
  });
  return `<div class="samples">${figures.join("\n")}</div>`;
}

function responseHtml(title: string, example: string): string {
  if (example === "") return "";
  return `<figure class="sample"><figcaption>Response</figcaption>${codeBlock(example, `${title}: response`)}</figure>`;
}

/** A section of the page: heading and text on the left, code on the right. */
function entryHtml(id: string, heading: "h1" | "h2" | "h3", title: string, words: string, code = ""): string {
  return `<section id="${id}" class="entry" aria-labelledby="${id}-title">
<div class="words">
<${heading} id="${id}-title"><a href="#${id}">${escapeHtml(title)}</a></${heading}>
${words}
</div>
${code === "" ? "" : `<div class="code">\n${code}\n</div>`}
</section>`;
}

function guideHtml({ id, title, text, samples, response = "" }: Guide): string {
  const code = `${samplesHtml(id, title, samples)}\n${responseHtml(title, response)}`;
  return entryHtml(id, "h3", title, prose(text), code);
}

function definitions(list: readonly ResponseField[]): string {
  const items = list.map(
    ({ name, type, description }) =>
      `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span></dt><dd>${inline(description)}</dd></div>`,
  );
  return `<dl>${items.join("\n")}</dl>`;
}

function parameterText({ name, type, description, choices, isRequired }: QueryParameter): ResponseField {
  const values =
    choices.length === 0 ? "" : ` One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`;
  return { name, type, description: `${description}${isRequired ? " Required." : ""}${values}` };
}

/** The form that sends a request of the endpoint. It stays hidden until the script makes it work. */
function tryHtml({ id, path, summary, parameters, exampleId }: Operation): string {
  const inPath =
    exampleId === null ? [] : [{ name: "id", example: exampleId, isRequired: true, takesCommas: false }];
  const fields = [...inPath, ...parameters].map(({ name, example, isRequired, takesCommas }) => {
    const hint = example === "" ? "" : ` placeholder="${escapeHtml(example)}"`;
    return `<label>${escapeHtml(name)}<input name="${escapeHtml(name)}"${hint}${isRequired ? " required" : ""}${takesCommas ? " data-list" : ""} autocomplete="off" spellcheck="false"></label>`;
  });
  return `<details class="try" hidden>
<summary>Try it</summary>
<form data-path="${escapeHtml(path)}" aria-label="Try it: ${escapeHtml(summary)}">
<div class="fields">${fields.join("\n")}</div>
<button type="submit">Send request</button>
</form>
<div class="result" id="${id}-result" aria-live="polite"></div>
</details>`;
}

function operationHtml(operation: Operation): string {
  const { id, path, summary, description, parameters, fields, statuses, example } = operation;
  const parts = [
    `<p class="address"><span class="method">GET</span> <code>${escapeHtml(path)}</code></p>`,
    prose(description),
  ];
  if (parameters.length > 0)
    parts.push(`<h4>Query parameters</h4>${definitions(parameters.map(parameterText))}`);
  if (fields.length > 0) {
    const title = example.includes('"hasMore"') ? "Each object of <code>data</code>" : "The object";
    parts.push(
      `<details class="fields-of" open><summary>${title}: ${fields.length} keys</summary>${definitions(fields)}</details>`,
    );
  }
  const rows = statuses.map(
    ([status, text]) => `<li><span class="status">${escapeHtml(status)}</span> ${inline(text)}</li>`,
  );
  parts.push(
    `<details class="fields-of"><summary>Other responses</summary><ul class="statuses">${rows.join("\n")}</ul><p><a href="/docs/errors">Every error is explained here.</a></p></details>`,
    tryHtml(operation),
  );
  const code = `${samplesHtml(id, summary, samplesOf(operation))}\n${responseHtml(summary, example)}`;
  return entryHtml(id, "h3", summary, parts.join("\n"), code);
}

function startHtml(first: Operation): string {
  const words = `${prose(
    "Read-only access to a company's workers and their time off. Set your key, paste the request, and compare the response.",
  )}
${codeBlock("export ROLLCALL_KEY=rk_…", "Set your key")}`;
  const code = `${samplesHtml("start", "First request", samplesOf(first))}\n${responseHtml("First request", first.example)}`;
  return entryHtml("start", "h1", "Rollcall API", words, code);
}

/** The section on keys, with a field for the key that the page's forms send. */
function authenticationHtml(): string {
  const refused = JSON.stringify(problemExample("missing_api_key"), null, 2);
  const words = `${prose(
    `Every request under \`/v1\` needs a key in the header \`x-api-key\`. A key reads the data of one company only. Its scopes, \`workers:read\` and \`time_off:read\`, say what it may read. You get a key from the operator: \`rollcall keys create\`.

The only methods are GET and HEAD. Dates are \`YYYY-MM-DD\`. Date-times are in UTC. Durations are in minutes. Every key of an object is always present. [The OpenAPI document](/openapi.json) says all of this for programs.`,
  )}
<form class="key" id="key-form" hidden>
<label for="key">API key, to try endpoints on this page</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" placeholder="rk_…" aria-describedby="key-note">
<label class="keep"><input name="keep" type="checkbox"> Keep it for this tab</label>
<p id="key-note" class="note">Reloading the page forgets it, unless it is kept until you close the tab. The samples then name your company's ids.</p>
</form>`;
  return entryHtml("authentication", "h2", "Authentication", words, responseHtml("Without a key", refused));
}

/** The lists by the prefix of their ids. Closes have names instead of ids, and no pages. */
function listsByPrefix(operations: readonly Operation[]): Readonly<Record<string, string>> {
  const hasPages = (list: string) =>
    operations.some(
      ({ path, parameters }) => path === list && parameters.some(({ name }) => name === "limit"),
    );
  const objects = operations
    .filter(({ path }) => path.endsWith("/{id}"))
    .map(({ path, exampleId }) => [exampleId!.split("_")[0]!, path.replace("/{id}", "")] as const);
  return Object.fromEntries(objects.filter(([, list]) => hasPages(list)));
}

/** The changelog's API section of the newest release. */
function changesHtml(): string {
  const [, release = ""] = changelog.split(/^## /m);
  const [, ofApi = ""] = release.split(/^#### The API\n/m);
  const entries = ofApi
    .split(/^###/m)[0]!
    .replaceAll(/\n {2}/g, " ")
    .replaceAll(/ ?\[docs\/[^\]]*\]\([^)]*\)/g, "");
  return prose(entries.trim());
}

function versionHtml(version: string): string {
  const words = `${prose(
    "The paths begin with `/v1`. New keys, parameters, resources and error codes may come with any version: ignore what you do not know. Nothing that is there changes its meaning or goes away within `/v1`. `/openapi.json` names the version.",
  )}
<details class="fields-of"><summary>What this version has</summary>
${changesHtml()}
</details>`;
  return entryHtml("version", "h2", `Version ${version}`, words);
}

export function docsPage(): string {
  const { tags, operations, version } = referenceContents();
  const first = operations.find(({ id }) => id === "listWorkers");
  if (first === undefined) throw new Error("the OpenAPI document has no operation listWorkers");
  const ofTag = (tag: string) => operations.filter((operation) => operation.tag === tag);
  const link = (id: string, text: string) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`;
  const groups = tags.filter(({ name }) => ofTag(name).length > 0);
  const contents = [
    `<ul>${link("start", "Start")}${link("authentication", "Authentication")}${link("version", "Version")}</ul>`,
    `<h2>Guides</h2><ul>${GUIDES.map(({ id, title }) => link(id, title)).join("")}</ul>`,
    ...groups.map(
      ({ name }) =>
        `<h2>${escapeHtml(name)}</h2><ul>${ofTag(name)
          .map(({ id, summary }) => link(id, summary))
          .join("")}</ul>`,
    ),
  ];
  const endpoints = groups.map(
    ({ name, description }) =>
      `<h2>${escapeHtml(name)}</h2>\n${prose(description)}\n${ofTag(name).map(operationHtml).join("\n")}`,
  );
  return pageHtml({
    title: "Rollcall API reference",
    path: "/docs",
    style: "/docs/docs.css",
    script: "/docs/docs.js",
    main: `<div class="columns">
<details class="contents" open><summary>Contents</summary>
<search hidden><input id="search" type="search" placeholder="Search" aria-label="Search the reference" autocomplete="off"> <span id="found" class="note" role="status"></span></search>
<nav aria-label="Contents">${contents.join("\n")}</nav></details>
<main id="main" data-lists="${escapeHtml(JSON.stringify(listsByPrefix(operations)))}">
${startHtml(first)}
${authenticationHtml()}
${versionHtml(version)}
<h2>Guides</h2>
${GUIDES.map(guideHtml).join("\n")}
${endpoints.join("\n")}
</main>
</div>`,
  });
}
