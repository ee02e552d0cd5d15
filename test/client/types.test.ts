// The client's hand-written types are exactly the contract's: the compiler checks it, `npm run types` runs it.
import { expect, test } from "bun:test";
import { join } from "node:path";
import type * as client from "../../src/client/index.ts";
import type { Balance, BalanceExplanation } from "../../src/resources/balances.ts";
import type { Capacity } from "../../src/resources/capacity.ts";
import type { Close, CloseDifference } from "../../src/resources/closes.ts";
import type { CompanyObject } from "../../src/resources/company.ts";
import type { DayOfLeave } from "../../src/resources/days.ts";
import type { LISTS, ListKind, OwnedKind } from "../../src/resources/kinds.ts";
import type { Expiration, Movement } from "../../src/resources/movements.ts";
import type { LeavePreview } from "../../src/resources/preview.ts";
import type { ProblemCode } from "../../src/resources/problems.ts";
import type { known, ParameterError } from "../../src/resources/query.ts";
import type { Wire } from "../../src/resources/resource.ts";
import type { WorkSchedule } from "../../src/resources/schedules.ts";
import type { WORKER_FILTERS } from "../../src/resources/worker-filters.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The property of the client that reads a list: `cost_centers` would be read by `costCenters`. */
type Call<K extends ListKind> = CamelCase<K> & keyof client.Rollcall;

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
type SameObjects = { [K in ListKind]: Same<client.Listed[K], Wire<(typeof LISTS)[K]["fields"]>> };

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
    Same<client.ProblemCode, ProblemCode>,
    Same<keyof client.Listed, ListKind>,
    CamelCase<ListKind> extends keyof client.Rollcall ? true : false,
    Same<SameObjects[ListKind], true>,
    Same<SameFilters[ListKind], true>,
    Same<client.ParameterError, ParameterError>,
  ] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];
  expect(same).not.toContain(false);
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
