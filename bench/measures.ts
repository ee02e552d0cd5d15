// The measures under load: what each is compared with, and its floor.
import type { PathsName } from "./data/paths.ts";

export interface Measure {
  readonly id: string;
  readonly label: string;
  /** `cached`: Rollcall with its default cache. `uncached`: with one megabyte, which is too small to help. */
  readonly server: "nginx" | "cached" | "uncached";
  readonly paths: PathsName;
  /** Another measure, and the floor of the ratio to it. */
  readonly against?: { readonly id: string; readonly reach: number };
}

const cold = (reach: number) => ({ id: "cold", reach });

export const MEASURES: readonly Measure[] = [
  { id: "nginx", label: "nginx, the same bytes as static files", server: "nginx", paths: "hot" },
  { id: "hot", label: "hot page", server: "cached", paths: "hot", against: { id: "nginx", reach: 0.45 } },
  {
    id: "cold",
    label: "cold page",
    server: "uncached",
    paths: "cold",
    against: { id: "nginx", reach: 0.14 },
  },
  { id: "worker", label: "one worker by id", server: "uncached", paths: "worker", against: cold(1.8) },
  {
    id: "requestsOfWorker",
    label: "requests of 1 worker",
    server: "uncached",
    paths: "requestsOfWorker",
    against: cold(0.7),
  },
  {
    id: "policyStatusMonth",
    label: "requests by policy, status and month",
    server: "uncached",
    paths: "policyStatusMonth",
    against: cold(0.3),
  },
  {
    id: "balances",
    label: "25 balances, computed",
    server: "uncached",
    paths: "balances",
    against: cold(0.2),
  },
  { id: "away", label: "who is away, a week", server: "uncached", paths: "away", against: cold(0.5) },
];
