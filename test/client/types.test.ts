// The client's lists and filters, and the published declarations of its objects, are exactly the contract's. Its queries are written as
// the contract reads them.
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type * as client from "../../src/client/index.ts";
import { queryString } from "../../src/client/list.ts";
import { LISTS, type ListKind, type OwnedKind } from "../../src/resources/kinds.ts";
import type { ProblemCode } from "../../src/resources/problems.ts";
import type { known } from "../../src/resources/query.ts";
import type { Filter, Wire } from "../../src/resources/resource.ts";
import type { WORKER_FILTERS } from "../../src/resources/worker-filters.ts";
import { clientTypes } from "../../src/web/build/client-types.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The property of the client that reads a list: `cost_centers` would be read by `costCenters`. */
type Call<K extends ListKind> = CamelCase<K> & keyof client.Rollcall;

/** Lists whose part in the client is not the contract's: the compiler's error shows this text. */
type Differing<T, Where extends string> = {
  [K in keyof T & string]: T[K] extends true
    ? never
    : `${Where} of ${K} differ from its definition in src/resources`;
}[keyof T & string];

/** Names that the client or the contract lacks: the compiler's error shows this text. */
type Unequal<Client extends string, Contract extends string, Where extends string> =
  | `${Where} ${Exclude<Contract, Client>} is missing`
  | `${Where} ${Exclude<Client, Contract>} is not in src/resources`;

/** Whether the filters of the client's lists are those of the contract, by list. */
type SameFilters = {
  [K in ListKind]: Same<
    keyof NonNullable<Parameters<client.Rollcall[Call<K>]["list"]>[0]>,
    | keyof (typeof LISTS)[K]["api"]["filters"]
    | keyof typeof known
    | (K extends OwnedKind ? (typeof WORKER_FILTERS)[number] : never)
  >;
};

/** Whether the objects of the client's lists are those of the contract, by list. */
type SameObjects = {
  [K in ListKind]: K extends keyof client.Listed
    ? Same<client.Listed[K], Wire<(typeof LISTS)[K]["fields"]>>
    : false;
};

/** Whether the client retrieves single objects of the lists of which the contract does. */
type SameRetrievals = {
  [K in ListKind]: Same<
    "retrieve" extends keyof client.Rollcall[Call<K>] ? true : false,
    (typeof LISTS)[K]["api"]["isRetrieved"]
  >;
};

test("the client has every list, filter, retrieval and error of the contract", () => {
  const differing: never[] = [
    ...([] as Unequal<client.ProblemCode, ProblemCode, "src/client/types.ts, Retrieved: the error code">[]),
    ...([] as Unequal<keyof client.Listed, ListKind, "src/client/types.ts, Listed: the key">[]),
    ...([] as `src/client/resources.ts: Resources has no ${Exclude<CamelCase<ListKind>, keyof client.Rollcall>}`[]),
    ...([] as Differing<SameObjects, "src/client/types.ts, Listed: the keys">[]),
    ...([] as Differing<SameFilters, "src/client/resources.ts: the filters">[]),
    ...([] as Differing<SameRetrievals, "src/client/resources.ts: the retrievals">[]),
  ];
  expect(differing).toEqual([]);
});

test("the client repeats the name of each list of texts, which the server does not split at commas", () => {
  for (const { api } of Object.values(LISTS))
    for (const [name, { parameter }] of Object.entries<Filter>(api.filters)) {
      if (parameter.kind !== "list") continue;
      const expected = parameter.isSplit === false ? `?${name}=a&${name}=b` : `?${name}=a,b`;
      expect(queryString({ [name]: ["a", "b"] }), `${name}: see UNSPLIT in src/client/list.ts`).toBe(
        expected,
      );
    }
});

test("what the published package says of each object is the contract's", async () => {
  const root = join(import.meta.dir, "../..");
  const folder = await mkdtemp(join(root, "dist/client-types-"));
  try {
    const text = clientTypes();
    const listed = await Bun.file(join(root, "src/client/objects.ts")).text();
    const names = [...listed.matchAll(/export type \{(.*)\}/g)].flatMap(([, all]) => all!.split(","));
    const objects = names.map((name) => name.trim().split(" ").at(-1)!);
    expect(objects.filter((name) => !text.includes(`interface ${name} `))).toEqual([]);
    await Bun.write(join(folder, "published.ts"), text);
    await Bun.write(
      join(folder, "compared.ts"),
      [
        'import type * as published from "./published.ts";',
        'import type * as contract from "../../src/client/objects.ts";',
        "type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;",
        "type Flat<T> = { [K in keyof T]: T[K] };",
        ...objects.map(
          (name) => `export const same${name}: Same<Flat<published.${name}>, Flat<contract.${name}>> = true;`,
        ),
      ].join("\n"),
    );
    await Bun.write(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", include: ["compared.ts"] }),
    );
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const compiled = Bun.spawnSync([process.execPath, compiler, "-p", folder]);
    expect(compiled.stdout.toString()).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the published declarations stand alone", async () => {
  const folder = join(import.meta.dir, "../../dist/client");
  const files = [...new Bun.Glob("*.d.ts").scanSync(folder)];
  expect(files).toContain("index.d.ts");
  for (const file of files) {
    const text = await Bun.file(join(folder, file)).text();
    for (const [, from] of text.matchAll(/from "([^"]+)"/g)) expect(from).toStartWith("./");
  }
});
