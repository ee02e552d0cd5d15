// Makes the documentation site, `dist/site`: the pages of docs/ and what they link to, and the reference. `npm run site` runs it.
// Pages are copied into site/pages with their links rewritten, so that docs/ stays plain Markdown.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { GUIDES } from "../src/http/public/reference/guides.ts";
import {
  LANGUAGES,
  type Operation,
  type ResponseField,
  referenceContents,
  type Samples,
  samplesOf,
} from "../src/http/public/reference/operations.ts";
import { PAGES } from "../src/http/public/reference/reference.ts";
import { problemExample } from "../src/resources/openapi/responses.ts";
import { PROBLEMS, type ProblemCode } from "../src/resources/problems.ts";

const ROOT = join(import.meta.dir, "..");
const PAGES_FOLDER = join(import.meta.dir, "pages");
const START = "docs/README.md";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const isFolder = (path: string) => statSync(join(ROOT, path)).isDirectory();

function write(page: string, text: string): void {
  const path = join(PAGES_FOLDER, page);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The page's place in the site for a file or folder of the repository. */
function pageOf(path: string): string {
  if (path === START) return "index.md";
  if (path === "README.md") return "tour.md";
  const place = path.startsWith("docs/") ? path.slice("docs/".length) : `files/${path}`;
  if (isFolder(path)) return `${place}/index.md`;
  return /\.(?:md|png)$/.test(path) ? place : `${place}.md`;
}

const CODE = /(^```.*?^```$)/ms;

/** The text of a page with its links, which are relative to `folder`, as links between pages. `visit` gets each target. */
function withPageLinks(text: string, folder: string, page: string, visit: (target: string) => void): string {
  return text
    .split(CODE)
    .map((part, index) => {
      if (index % 2 === 1) return part.replace(/^```caddy$/m, "```nginx"); // the highlighter does not know Caddy's files
      return part.replaceAll(/\]\(([^)#:\s]+)(#[^)]*)?\)/g, (_, link, anchor = "") => {
        const target = join(folder, link).replace(/\/$/, "");
        if (!existsSync(join(ROOT, target)))
          throw new Error(`${page} links to ${target}, which does not exist`);
        visit(target);
        return `](${relativeLink(page, pageOf(target))}${anchor})`;
      });
    })
    .join("");
}

function relativeLink(from: string, to: string): string {
  const link = relative(dirname(from), to);
  return link.startsWith(".") ? link : `./${link}`;
}

const LANGUAGE_OF: Readonly<Record<string, string>> = {
  ".gs": "js",
  ".mjs": "js",
  ".pq": "powerquery",
  ".py": "python",
  ".service": "ini",
  ".timer": "ini",
};

/** A file that is no document, as a page that shows it. The search leaves it out. */
function filePage(path: string): string {
  const extension = extname(path);
  const text = read(path).trimEnd();
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const language = LANGUAGE_OF[extension] ?? (extension.slice(1) || "txt");
  return `---\nsearch: false\n---\n\n# ${basename(path)}\n\n\`${path}\` in the repository.\n\n${fence}${language}\n${text}\n${fence}\n`;
}

const titleOf = (path: string) => (path.endsWith(".md") ? /^# (.*)$/m.exec(read(path))![1]! : basename(path));

function folderPage(path: string): string {
  const files = readdirSync(join(ROOT, path)).toSorted();
  const items = files.map((file) => `- [${titleOf(join(path, file))}](${file})`);
  return `# ${path}\n\n${items.join("\n")}\n`;
}

/** Writes the start page and every page and picture that can be reached from it. */
function writeDocuments(): void {
  const paths = new Set([START, ...new Bun.Glob("docs/**/*.md").scanSync(ROOT)]);
  for (const path of paths) {
    // it grows meanwhile
    const page = pageOf(path);
    if (path.endsWith(".png")) {
      cpSync(join(ROOT, path), join(PAGES_FOLDER, page));
      continue;
    }
    if (!isFolder(path) && !path.endsWith(".md")) {
      write(page, filePage(path));
      continue;
    }
    const text = isFolder(path) ? folderPage(path) : read(path);
    const folder = isFolder(path) ? path : dirname(path);
    write(
      page,
      withPageLinks(text, folder, page, (target) => paths.add(target)),
    );
  }
}

// The reference, from the definitions that make the server's own at /docs.

const { tags, operations, version } = referenceContents();
const pageOfTag = (tag: string) => tag.toLowerCase().replaceAll(" ", "-");

/** Markdown of the definitions' texts, whose links are those of a server. */
function words(text: string): string {
  const escaped = text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("");
  return escaped.replaceAll("](/docs/errors", "](./errors.md").replaceAll(/\]\(#(\w+)\)/g, (link, id) => {
    const operation = operations.find((operation) => operation.id === id);
    return operation === undefined ? link : `](./${pageOfTag(operation.tag)}.md#${id})`;
  });
}

const cell = (text: string) => words(text).replaceAll("|", "\\|").replaceAll("\n", " ");

const FENCE_OF = { curl: "sh", TypeScript: "ts", Python: "python" } as const;

function samplesText(samples: Partial<Samples>): string {
  const blocks = LANGUAGES.flatMap((language) => {
    const code = samples[language];
    return code === undefined ? [] : [`\`\`\`${FENCE_OF[language]} title="${language}"\n${code}\n\`\`\``];
  });
  return blocks.join("\n\n");
}

const responseText = (text: string, title = "Response") =>
  text === "" ? "" : `\`\`\`json title="${title}"\n${text}\n\`\`\``;

function table(heading: string, rows: readonly ResponseField[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(
    ({ name, type, description }) => `| \`${name}\` | ${cell(type)} | ${cell(description)} |`,
  );
  return `| ${heading} | type | |\n|---|---|---|\n${lines.join("\n")}`;
}

function operationText(operation: Operation): string {
  const { id, path, summary, description, parameters, fields, statuses, example } = operation;
  const choices = (values: readonly string[]) =>
    values.length === 0 ? "" : ` One of ${values.map((value) => `\`${value}\``).join(", ")}.`;
  return [
    `## ${summary} {#${id}}`,
    `\`GET ${path}\``,
    words(description),
    table(
      "query parameter",
      parameters.map((parameter) => ({
        ...parameter,
        description: parameter.description + choices(parameter.choices),
      })),
    ),
    samplesText(samplesOf(operation)),
    responseText(example),
    table(example.includes('"hasMore"') ? "key of each object in `data`" : "key", fields),
    `Other responses: ${statuses.map(([status, text]) => `${status} (${words(text).replace(/\.$/, "")})`).join(", ")}. [Every error](./errors.md)`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

interface SidebarItem {
  readonly text: string;
  readonly link: string;
}

/** Writes the pages of the reference and the OpenAPI documents, and returns the pages for the sidebar. */
function writeReference(): SidebarItem[] {
  const items = tags.map(({ name, description }) => {
    const page = pageOfTag(name);
    const texts = operations.filter(({ tag }) => tag === name).map(operationText);
    write(`reference/${page}.md`, `# ${name}\n\n${words(description)}\n\n${texts.join("\n\n")}\n`);
    return { text: name, link: `/reference/${page}` };
  });
  const guides = GUIDES.map(
    ({ title, text, samples, response = "" }) =>
      `## ${title}\n\n${words(text)}\n\n${samplesText(samples)}\n\n${responseText(response)}`,
  );
  const lists = items.map(({ text, link }) => `- [${text}](.${link.slice("/reference".length)}.md)`);
  const intro = `Of version ${version}. A server has it at \`/docs\`, where requests can be tried, and for programs at \`/openapi.json\`.`;
  write(
    "reference/index.md",
    `# The reference\n\n${intro}\n\n${lists.join("\n")}\n- [Errors](./errors.md)\n\n${guides.join("\n\n")}\n`,
  );
  const codes = Object.keys(PROBLEMS) as ProblemCode[]; // the keys of PROBLEMS are the codes
  const errors = codes.map((code) => {
    const { status, title, meaning } = PROBLEMS[code];
    const example = responseText(JSON.stringify(problemExample(code), null, 2), "Example");
    return `## ${code} {#${code}}\n\n${status}: ${words(title)}\n\n${words(meaning)}\n\n${example}`;
  });
  write("reference/errors.md", `# Every error\n\n${errors.join("\n\n")}\n`);
  for (const path of ["/openapi.json", "/openapi-streams.json"])
    write(`public${path}`, String(PAGES.get(path)!.content()));
  return [
    { text: "Guides", link: "/reference/" },
    ...items,
    { text: "Every error", link: "/reference/errors" },
  ];
}

/** The groups of "All pages" in the start page, then the reference and the decisions. */
function sidebar(reference: readonly SidebarItem[]): object[] {
  const linkOf = (path: string) => `/${pageOf(path).replace(/(?:index)?\.md$/, "")}`;
  const [, all = ""] = read(START).split("## All pages\n");
  const groups = all
    .split(/^### /m)
    .slice(1)
    .map((group) => ({
      text: group.split("\n", 1)[0]!,
      items: [...group.matchAll(/^- \[(.*)\]\((.*)\)$/gm)].map(([, text, link]) => ({
        text: text!,
        link: linkOf(join("docs", link!)),
      })),
    }));
  const decisions = readdirSync(join(ROOT, "docs/decisions"))
    .toSorted()
    .map((file) => `docs/decisions/${file}`);
  return [
    ...groups.slice(0, 4),
    { text: "Reference", items: reference },
    ...groups.slice(4),
    {
      text: "Decisions",
      collapsible: true,
      collapsed: true,
      items: decisions.map((path) => ({ text: titleOf(path), link: linkOf(path) })),
    },
  ];
}

/** Results of the search lead to `/api`, which not every host takes for the file `api.html`: here they name the file. */
function nameFilesInSearch(): void {
  const folder = join(ROOT, "dist/site/static");
  for (const file of readdirSync(folder).filter((name) => name.startsWith("search_index"))) {
    const index: { routePath: string }[] = JSON.parse(readFileSync(join(folder, file), "utf8"));
    for (const page of index) page.routePath = page.routePath.replace(/(?<=[^/])$/, ".html");
    writeFileSync(join(folder, file), JSON.stringify(index));
  }
}

/** The bundle of the search names the folder in which it was built. */
function leaveOutTheCheckout(): void {
  const folder = join(ROOT, "dist/site/static/js");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js")) continue;
    const script = readFileSync(join(folder, file), "utf8");
    if (script.includes(ROOT)) writeFileSync(join(folder, file), script.replaceAll(ROOT, "/"));
  }
}

for (const folder of [PAGES_FOLDER, join(ROOT, "dist/site")])
  rmSync(folder, { recursive: true, force: true });
writeDocuments();
write("public/icon.svg", read("src/web/icon.svg"));
write("sidebar.json", JSON.stringify(sidebar(writeReference())));
const { exitCode } = Bun.spawnSync(["node", "node_modules/@rspress/core/bin/rspress.js", "build"], {
  cwd: import.meta.dir,
  stdio: ["ignore", "inherit", "inherit"],
});
if (exitCode === 0) {
  nameFilesInSearch();
  leaveOutTheCheckout();
}
process.exit(exitCode);
