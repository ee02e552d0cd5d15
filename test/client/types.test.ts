// The client's hand-written types are exactly the contract's: the compiler checks it, `npm run types` runs it. Its queries
// are written as the contract reads them.
import { expect, test } from "bun:test";
import { join } from "node:path";
import type * as client from "../../src/client/index.ts";
import { queryString } from "../../src/client/list.ts";
import type { Balance, BalanceExplanation } from "../../src/resources/balances.ts";
import type { Capacity } from "../../src/resources/capacity.ts";
import type { Close, CloseDifference } from "../../src/resources/closes.ts";
import type { CompanyObject } from "../../src/resources/company.ts";
import type { DayOfLeave } from "../../src/resources/days.ts";
import { LISTS, type ListKind, type OwnedKind } from "../../src/resources/kinds.ts";
import type { Expiration, Movement } from "../../src/resources/movements.ts";
import type { LeavePreview } from "../../src/resources/preview.ts";
import type { ProblemCode } from "../../src/resources/problems.ts";
import type { known, ParameterError } from "../../src/resources/query.ts";
import type { Filter, Wire } from "../../src/resources/resource.ts";
import type { WorkSchedule } from "../../src/resources/schedules.ts";
import type { WORKER_FILTERS } from "../../src/resources/worker-filters.ts";

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

/** An interface that extends another, as one object type. */
type Flat<T> = { [K in keyof T]: T[K] };

test("every wire type is the contract's", () => {
  const same: [
    Same<client.Balance, Balance>,
    Same<Flat<client.BalanceExplanation>, BalanceExplanation>,
    Same<client.DayOfLeave, DayOfLeave>,
    Same<client.WorkSchedule, WorkSchedule>,
    Same<client.Movement, Movement>,
    Same<client.Expiration, Expiration>,
    Same<client.Capacity, Capacity>,
    Same<Flat<client.LeavePreview>, Flat<LeavePreview>>,
    Same<client.Company, CompanyObject>,
    Same<client.Close, Close>,
    Same<Flat<client.CloseDifference>, Flat<CloseDifference>>,
    Same<client.ParameterError, ParameterError>,
  ] = [true, true, true, true, true, true, true, true, true, true, true, true];
  expect(same).not.toContain(false);
  const differing: never[] = [
    ...([] as Unequal<client.ProblemCode, ProblemCode, "src/client/types.ts, Retrieved: the error code">[]),
    ...([] as Unequal<keyof client.Listed, ListKind, "src/client/types.ts, Listed: the key">[]),
    ...([] as `src/client/resources.ts: Resources has no ${Exclude<CamelCase<ListKind>, keyof client.Rollcall>}`[]),
    ...([] as Differing<SameObjects, "src/client/types.ts, Listed: the keys">[]),
    ...([] as Differing<SameFilters, "src/client/resources.ts: the filters">[]),
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

test("the published declarations stand alone", async () => {
  const folder = join(import.meta.dir, "../../dist/client");
  const files = [...new Bun.Glob("*.d.ts").scanSync(folder)];
  expect(files).toContain("index.d.ts");
  for (const file of files) {
    const text = await Bun.file(join(folder, file)).text();
    for (const [, from] of text.matchAll(/from "([^"]+)"/g)) expect(from).toStartWith("./");
  }
});
