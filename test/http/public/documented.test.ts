// docs/api.md has every endpoint with its parameters and scope, and every key of its objects; docs/client.md has every list.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WIRE_OBJECTS } from "../../../src/resources/endpoints.ts";
import { ID_PREFIX } from "../../../src/resources/ids.ts";
import { LIST_KINDS } from "../../../src/resources/kinds.ts";
import { wireNames } from "../../../src/resources/resource.ts";
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
  expect(row, `${path} needs a row in docs/api.md, Endpoints`).toBeDefined();
  const names = Object.keys(contract.parameters).filter((name) => !CURSORS.has(name));
  const missing = names.filter((name) => !row!.parameters.includes(name));
  expect(missing, `parameters that are missing in the row of ${path} in docs/api.md, Endpoints`).toEqual([]);
  if (contract.scope !== null && contract.scopeNote === undefined)
    expect(row!.scope).toContain(contract.scope);
});

test("every described endpoint exists", () => {
  const paths = ALL.map(({ contract }) => contract.path as string);
  expect([...rows.keys()].filter((path) => !paths.includes(path))).toEqual([]);
});

const resources = (pageOf("api.md").split("\n## Resources\n")[1] ?? "").split("\n## ")[0]!;

/** Objects that are described in the section of another. */
const SECTIONS: Readonly<Record<string, string>> = {
  BalanceExplanation: "Balance",
  WorkSchedule: "Schedule",
  CloseDifference: "Close",
};

test.each(WIRE_OBJECTS.map(({ schemaName, fields }) => [schemaName, wireNames(fields)] as const))(
  "docs/api.md, Resources, has every key of %s",
  (schemaName, keys) => {
    const words = schemaName.replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const heading = SECTIONS[schemaName] ?? words;
    const section = resources.split(`\n### ${heading}\n`)[1]?.split("\n### ")[0] ?? "";
    const named = heading === words ? section.replaceAll(/^(?!\|).*$/gm, "") : section; // else prose names them
    expect(
      keys.filter((key) => !quoted(named).includes(key)),
      `keys that are missing in docs/api.md, Resources, ${heading}`,
    ).toEqual([]);
  },
);

test("docs/api.md, Lists of values, names each list that is not split at commas", () => {
  const section = pageOf("api.md").split("\n### Lists of values\n")[1]!.split("\n### ")[0]!;
  const texts = ALL.flatMap(({ contract }) =>
    Object.entries(contract.parameters).flatMap(([name, { isSplit }]) => (isSplit === false ? [name] : [])),
  );
  expect(texts.filter((name) => !quoted(section).includes(name))).toEqual([]);
});

test("docs/api.md, Changes, and docs/recipes/dlt.md name each resource of the feed", async () => {
  const row = pageOf("api.md")
    .split("\n")
    .find((line) => line.startsWith("| `resources` |"))!;
  const named = { "api.md": row, "recipes/dlt.md": pageOf("recipes/dlt.md") };
  for (const [file, text] of Object.entries(named))
    expect(
      LIST_KINDS.filter((kind) => !text.includes(`\`${kind}\``)),
      `lists that are missing in docs/${file}`,
    ).toEqual([]);
  const recipe = await Bun.file(join(import.meta.dir, "../../../examples/recipes/rollcall_dlt.py")).text();
  const lists = /^LISTS = (\[[^\]]*\])$/m.exec(recipe)![1]!;
  expect((JSON.parse(lists) as string[]).sort(), "LISTS of examples/recipes/rollcall_dlt.py").toEqual(
    [...LIST_KINDS].sort(),
  );
});

test("docs/api.md, Identifiers, has the prefix of each kind of id", () => {
  const section = pageOf("api.md").split("\n## Identifiers\n")[1]!.split("\n## ")[0]!;
  expect(Object.values(ID_PREFIX).filter((prefix) => !quoted(section).includes(prefix))).toEqual([]);
});

test("every list is in docs/client.md, as the client's property", () => {
  const client = pageOf("client.md");
  const calls = LIST_KINDS.map((kind) => kind.replaceAll(/_./g, ([, letter]) => letter!.toUpperCase()));
  const missing = calls.filter((call) => !client.includes(`\`${call}\``));
  expect(missing, "lists that are missing in docs/client.md").toEqual([]);
});
