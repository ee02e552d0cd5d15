// Parameters that take several values, on every list that has one.
import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { LISTS } from "../../endpoints.ts";
import { problemOf, startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

interface Values {
  readonly good: string;
  readonly bad: readonly string[];
}

/** A value that is right, and values that are not. */
const VALUES: Record<string, Values> = {
  workerIds: {
    good: "wrk_ana",
    bad: [
      "ana",
      "wrk_",
      "wrk",
      "WRK_ana",
      "top_annual",
      "wrk_a%20b",
      "wrk_%C3%A9",
      "wrk_a%00",
      "wrk_ana%0A",
      `wrk_${"x".repeat(65)}`,
      "*",
      "null",
    ],
  },
  policyIds: {
    good: "top_annual",
    bad: ["annual", "top_", "Top_annual", "wrk_ana", "tot_vacation", "top_a.b", `top_${"x".repeat(65)}`],
  },
  departmentIds: { good: "dpt_hr", bad: ["hr", "dpt_", "wkp_hr", "Payroll", "null"] },
  workplaceIds: { good: "wkp_bonn", bad: ["bonn", "wkp_", "dpt_bonn", "Lisbon", "null"] },
  calendarIds: { good: "hca_de", bad: ["de", "hca_", "hol_de", "*", "null"] },
  statuses: { good: "", bad: ["aproved", "Active", "all", "none", "%20pending", "toString", "__proto__"] },
  managerIds: { good: "wrk_ana", bad: ["ana", "wrk_", "top_annual", "*", "null"] },
  groupBy: { good: "worker", bad: ["workers", "Policy", "all", "toString"] },
  types: { good: "employee", bad: ["Employee", "worker", "contractors"] },
};

function valuesOf(parameter: string): Values {
  const values = VALUES[parameter];
  if (values === undefined)
    throw new Error(`VALUES has no values of ${parameter}: add them in ${import.meta.path}`);
  return values;
}

const texts = LISTS.flatMap(({ path, contract }) =>
  Object.entries(contract.parameters)
    .filter(([, { isSplit }]) => isSplit === false)
    .map(([parameter]) => ({ path, parameter })),
);

// PostgreSQL cannot take the character at all.
test.each(texts)("NUL in $parameter of $path", async ({ path, parameter }) => {
  const [error, ...others] = await errorsAt(`${path}?${parameter}=a&${parameter}=b%00`);
  expect([error!.parameter, others]).toEqual([parameter, []]);
  expect(error!.detail).toContain("contains the character NUL");
});

// RFC 3986, section 2.5: UTF-8. A Latin-1 ö, an overlong slash and half a surrogate pair would otherwise be read as U+FFFD, and match
// nothing, or another row whose id was decoded as badly.
test.each(texts)("bytes that are not UTF-8 in $parameter of $path", async ({ path, parameter }) => {
  for (const bytes of ["J%F6rg", "%C0%AF", "%ED%A0%80"])
    expect(await errorsAt(`${path}?${parameter}=a&${parameter}=${bytes}`)).toMatchObject([
      { parameter, detail: expect.stringContaining("is not UTF-8: percent-encode its UTF-8 bytes") },
    ]);
});

const cases = LISTS.flatMap(({ name, path, contract }) =>
  Object.entries(contract.parameters)
    .filter(([, { kind, isSplit }]) => kind === "list" && isSplit !== false)
    .map(([parameter]) => ({
      name,
      path,
      parameter,
      bad: valuesOf(parameter).bad,
      good: goodOf(name, parameter),
    })),
);

function goodOf(list: string, parameter: string): string {
  if (parameter !== "statuses") return valuesOf(parameter).good;
  return list === "workers" ? "active" : "pending";
}

async function errorsAt(path: string) {
  const response = await service.call(path, { key });
  expect(response.status).toBe(400);
  return problemOf(response).errors!;
}

describe.each(cases)("$name $parameter", ({ path, parameter, bad, good }) => {
  test.each(bad)("%s", async (value) => {
    for (const query of [
      `${parameter}=${value}`,
      `${parameter}=${good},${value}`,
      `${parameter}[]=${good}&${parameter}[7]=${value}`,
    ]) {
      const [error, ...others] = await errorsAt(`${path}?${query}`);
      expect(others).toEqual([]);
      expect(error!.parameter).toBe(parameter);
      // The message shows the value that is wrong, not its neighbour.
      expect(error!.detail).toStartWith(JSON.stringify(decodeURIComponent(value)).slice(0, 20));
    }
  });

  test.each(["", ",", `${good},`, `,${good}`, `${good},,${good}`])("an empty element: %s", async (value) => {
    for (const name of [parameter, `${parameter}[]`, `${parameter}[0]`]) {
      const errors = await errorsAt(`${path}?${name}=${value}`);
      expect(errors).toEqual([{ parameter, detail: "has an empty element: leave it out" }]);
    }
  });

  test("no value and no equals sign", async () => {
    expect(await errorsAt(`${path}?${parameter}`)).toHaveLength(1);
    expect(await errorsAt(`${path}?${parameter}=${good}&${parameter}`)).toHaveLength(1);
  });

  test("200 values are accepted and 201 refused, however they are written", async () => {
    const ways = [
      (count: number) => `${parameter}=${Array(count).fill(good).join(",")}`,
      (count: number) => Array(count).fill(`${parameter}=${good}`).join("&"),
      (count: number) => Array.from({ length: count }, (_, i) => `${parameter}[${i}]=${good}`).join("&"),
      (count: number) =>
        `${parameter}[]=${good}&${parameter}=${Array(count - 1)
          .fill(good)
          .join(",")}`,
    ];
    for (const way of ways) {
      expect((await service.call(`${path}?${way(200)}`, { key })).status).toBe(200);
      const [error, ...others] = await errorsAt(`${path}?${way(201)}`);
      expect(others).toEqual([]);
      expect(error).toEqual({ parameter, detail: "has more than 200 values: ask in several requests" });
    }
  });

  test.each(["[a]", "[-1]", "[0][0]", "[", "]", "[]x", "[ 0]"])(
    "%s is no way to write a list",
    async (suffix) => {
      const errors = await errorsAt(`${path}?${parameter}${suffix}=${good}`);
      expect(errors).toEqual([
        { parameter: parameter + suffix, detail: `is not known here: did you mean \`${parameter}\`?` },
      ]);
    },
  );

  test("a name in the singular or in another case is unknown; the error suggests the right one", async () => {
    for (const sent of [
      parameter.slice(0, -1),
      parameter.toUpperCase(),
      `${parameter[0]!.toUpperCase()}${parameter.slice(1)}[]`,
    ]) {
      const errors = await errorsAt(`${path}?${sent}=${good}`);
      expect(errors).toEqual([
        { parameter: sent, detail: `is not known here: did you mean \`${parameter}\`?` },
      ]);
    }
  });
});

test("parameters of one list are unknown on another", async () => {
  for (const query of ["workerIds=wrk_ana", "startsBefore=2026-01-01", "startDate=2026-01-01"]) {
    await errorsAt(`/v1/workers?${query}`);
    await errorsAt(`/v1/time_off/policies?${query}`);
  }
  await errorsAt("/v1/time_off/balances?statuses=pending");
  await errorsAt("/v1/time_off/assignments?startDate=2026-01-01");
  await errorsAt("/v1/time_off/requests?endDate=2026-01-01");
  await errorsAt("/v1/workers/wrk_ana?limit=1");
  await errorsAt("/v1/time_off/policies/top_annual?x");
});
