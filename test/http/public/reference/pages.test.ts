// The reference's pages: which path serves what, with which headers; and every error has its section.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { PAGES, reference } from "../../../../src/http/public/reference/reference.ts";
import { problemExample } from "../../../../src/resources/openapi/responses.ts";
import {
  NOT_FOUND_CODES,
  PROBLEMS,
  type ProblemCode,
  problemType,
} from "../../../../src/resources/problems.ts";

const text = (path: string) => Buffer.from(reference(path)?.body ?? "").toString();
const codes = Object.keys(PROBLEMS) as ProblemCode[]; // the keys of PROBLEMS are the codes

test("every page has a type, is not sniffed or framed, sends no referrer and runs nothing inline", () => {
  for (const path of PAGES.keys()) {
    const headers = reference(path)?.headers ?? {};
    expect(headers["content-type"]).toMatch(
      /^(text\/(html|css|javascript); charset=utf-8|application\/json|image\/svg\+xml)$/,
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cache-control"]).toBe("no-cache");
    expect(headers["content-security-policy"]).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self';",
    );
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
  }
});

test("gzip carries the same page under the same weak tag", () => {
  for (const path of PAGES.keys()) {
    const [plain, gzipped] = [reference(path)!, reference(path, true)!];
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(gzipped.headers).toEqual({ ...plain.headers, "content-encoding": "gzip" });
    expect(Bun.gunzipSync(Buffer.from(gzipped.body))).toEqual(new Uint8Array(Buffer.from(plain.body)));
    expect(plain.headers.etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(plain.headers.vary).toBe("accept-encoding");
  }
});

test("only exact paths are pages", () => {
  for (const path of [
    "/",
    "/docs/",
    "/docs/errors/",
    "/docs/../package.json",
    "/openapi",
    "/v1/workers",
    "__proto__",
  ]) {
    expect(reference(path)).toBeNull();
  }
});

test("the pages refer to no other server", () => {
  for (const path of ["/docs", "/docs/errors"]) {
    const places = [...text(path).matchAll(/(?:src|href)="([^"#]+)[^"]*"/g)].map((match) => match[1]!);
    expect(places.length).toBeGreaterThan(3);
    // The name in the header leads to the web page, which the same server has.
    for (const place of places) expect(place === "/" || PAGES.has(place)).toBe(true);
    expect(text(path)).not.toMatch(/<style|style="|\son\w+="|<script>/);
  }
});

test("both pages have the same header, which marks the current page", () => {
  const header = (path: string) =>
    text(path)
      .match(/<header[\s\S]*<\/header>/)?.[0]
      .replace(/\s+/g, " ");
  const unmarked = (path: string) => header(path)?.replace(' aria-current="page"', "").replace(/> </g, "><");
  for (const path of ["/docs", "/docs/errors"])
    expect(header(path)).toContain(`<a href="${path}" aria-current="page">`);
  expect(unmarked("/docs")).toBe(unmarked("/docs/errors")!);
});

test("the OpenAPI document is served as it is generated", () => {
  expect(JSON.parse(text("/openapi.json"))).toMatchObject({ openapi: "3.1.0", info: { title: "Rollcall" } });
});

test("every error code has a section on the page, where the type of its problem leads", () => {
  const page = text("/docs/errors");
  for (const code of codes) {
    const [path, anchor] = problemType(code).split("#");
    expect(path).toBe("/docs/errors");
    const section = page.split(`<section id="${anchor}"`)[1]?.split("</section>")[0];
    expect(section).toContain(`<span class="status">${PROBLEMS[code].status}</span>`);
    expect(section).toContain(PROBLEMS[code].title);
    expect(section).toContain("&#34;code&#34;");
  }
  expect(page).toContain('href="/docs"');
});

test("every error code is explained in docs/errors.md, in the same words", () => {
  const page = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");
  const notFound = new Set<string>(NOT_FOUND_CODES);
  for (const code of codes) {
    if (notFound.has(code)) expect(page).toContain(`\`${code}\``);
    else expect(page).toContain(`| \`${code}\` | ${PROBLEMS[code].status} | ${PROBLEMS[code].meaning} |`);
  }
  expect(page).toContain(JSON.stringify(problemExample("invalid_parameter")));
});

test("every link within a page leads to a section of it", () => {
  for (const path of ["/docs", "/docs/errors"]) {
    const page = text(path);
    const ids = new Set([...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id));
    const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.length).toBeGreaterThan(10);
    for (const anchor of anchors) expect(ids).toContain(anchor!);
  }
});
