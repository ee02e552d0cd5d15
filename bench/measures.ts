// The measures on the company of 200,000 people. `peers.ts` compares Rollcall with other programs.
import type { PathsName } from "./data/paths.ts";

export interface Measure {
  readonly id: string;
  readonly label: string;
  /** `cached`: Rollcall with its default cache. `uncached`: with one megabyte, which is too small to help. */
  readonly server: "cached" | "uncached";
  readonly paths: PathsName;
  /** The measure that this one is compared with. */
  readonly against?: "cold";
  /** The most CPU time allowed, in multiples of the other measure's. */
  readonly cpuAtMost?: number;
}

export const MEASURES: readonly Measure[] = [
  { id: "hot", label: "hot page", server: "cached", paths: "hot" },
  { id: "cold", label: "cold page", server: "uncached", paths: "cold" },
  { id: "worker", label: "one worker by id", server: "uncached", paths: "worker", against: "cold" },
  {
    id: "requestsOfWorker",
    label: "requests of 1 worker",
    server: "uncached",
    paths: "requestsOfWorker",
    against: "cold",
    cpuAtMost: 1.3,
  },
  {
    id: "policyStatusMonth",
    label: "requests by policy, status and month",
    server: "uncached",
    paths: "policyStatusMonth",
    against: "cold",
    cpuAtMost: 2.8,
  },
  {
    id: "balances",
    label: "25 balances, computed",
    server: "uncached",
    paths: "balances",
    against: "cold",
    cpuAtMost: 4.5,
  },
  {
    id: "away",
    label: "who is away, a week",
    server: "uncached",
    paths: "away",
    against: "cold",
    cpuAtMost: 2.1,
  },
];
