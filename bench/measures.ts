// What is measured under load, against what, and what it must reach.
import type { PathsName } from "./data/paths.ts";

export interface Measure {
  readonly id: string;
  readonly label: string;
  /** `cached`: Rollcall with its default cache. `uncached`: with one of a megabyte, too small to help. */
  readonly server: "nginx" | "cached" | "uncached";
  readonly company: "big" | "small";
  readonly paths: PathsName;
  /** Whether each request carries the tag of what its caller has, so that the response is a 304. */
  readonly revalidates?: boolean | undefined;
  /** Another measure, and how many times as fast as it this one must be. */
  readonly against?: { readonly id: string; readonly reach: number } | undefined;
  /** Measured with `--quick` too. */
  readonly quick: boolean;
}

function measure(
  id: string,
  label: string,
  paths: PathsName,
  against: Measure["against"] | null,
  rest: Partial<Omit<Measure, "against">> = {},
): Measure {
  return {
    id,
    label,
    server: "uncached",
    company: "big",
    paths,
    quick: true,
    ...(against === null ? {} : { against }),
    ...rest,
  };
}

const cold = (reach: number) => ({ id: "cold", reach });

export const MEASURES: readonly Measure[] = [
  measure("nginx", "nginx, the same bytes as static files", "hot", null, { server: "nginx" }),
  measure("hot", "hot page", "hot", { id: "nginx", reach: 0.5 }, { server: "cached" }),
  measure("cold", "cold page", "cold", { id: "nginx", reach: 0.15 }),
  measure(
    "revalidate",
    "revalidation (304)",
    "hot",
    { id: "hot", reach: 1.2 },
    { server: "cached", revalidates: true },
  ),
  measure("worker", "one worker by id", "worker", cold(2)),
  measure("requestsOfWorker", "requests of 1 worker", "requestsOfWorker", cold(0.9)),
  measure("policyStatusMonth", "requests by policy, status and month", "policyStatusMonth", cold(0.4)),
  measure("balances", "25 balances, computed", "balances", cold(0.4)),
  measure("away", "who is away, a week", "away", cold(0.5)),
  measure("awayAfter", "who is away, from a cursor on", "awayAfter", cold(0.5), { quick: false }),
  measure("awayNothing", "who is away, nothing to find", "awayNothing", cold(0.8)),
  measure("pageFirst", "page 1 and on", "pageFirst", null, { quick: false }),
  measure("pageDeep", "page 7,000 and on", "pageDeep", { id: "pageFirst", reach: 1 / 1.2 }, { quick: false }),
  measure("smallCompany", "page of a company of 200", "smallCompany", null, {
    quick: false,
    company: "small",
  }),
  measure(
    "coldAgain",
    "page of the company of 200,000",
    "cold",
    { id: "smallCompany", reach: 1 / 1.5 },
    { quick: false },
  ),
];
