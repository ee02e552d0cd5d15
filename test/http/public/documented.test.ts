// docs/api.md has every endpoint with its parameters and scope, and docs/client.md every list.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LIST_KINDS } from "../../../src/resources/kinds.ts";
import { ENDPOINTS, OF_CLOSES } from "../endpoints.ts";

const pageOf = (name: string) => readFileSync(join(import.meta.dir, "../../../docs", name), "utf8");
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);

/** The cells beside each path. */
const rows = new Map(
  (pageOf("api.md").split("\n## Endpoints\n")[1] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `/v1/"))
    .flatMap((line) => {
      const [, paths = "", parameters = "", scope = ""] = line.split("|");
      return quoted(paths).map((path) => [path, { parameters: quoted(parameters), scope }] as const);
    }),
);

// The heading of the column says that all take these.
const CURSORS = new Set(["limit", "afterId", "beforeId", "knownOn"]);

const ALL = [...ENDPOINTS, ...OF_CLOSES];

test.each(ALL.map(({ contract }) => [contract.path as string, contract] as const))("%s", (path, contract) => {
  const row = rows.get(path);
  expect(row).toBeDefined();
  const names = Object.keys(contract.parameters).filter((name) => !CURSORS.has(name));
  expect(names.filter((name) => !row!.parameters.includes(name))).toEqual([]);
  if (contract.scope !== null && contract.scopeNote === undefined)
    expect(row!.scope).toContain(contract.scope);
});

test("every described endpoint exists", () => {
  const paths = ALL.map(({ contract }) => contract.path as string);
  expect([...rows.keys()].filter((path) => !paths.includes(path))).toEqual([]);
});

test("every list is in docs/client.md", () => {
  const client = pageOf("client.md");
  expect(LIST_KINDS.filter((kind) => !client.includes(kind))).toEqual([]);
});
