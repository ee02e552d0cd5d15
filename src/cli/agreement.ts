// Compares balances with those that another system reported (`reported` rows of an import).
import type { Option } from "commander";
import { readFacts } from "../balance-facts.ts";
import { balance, explain } from "../balances/balance.ts";
import type { BalanceFacts } from "../balances/facts.ts";
import { readAll } from "../http/read-all.ts";
import type { Rows } from "../resources/kinds.ts";
import type { Policy } from "../resources/policies.ts";
import type { CompanyReader, ReadStore } from "../store/store.ts";
import { formatDay } from "../time/day.ts";
import { ownOption, parseWhole } from "./options.ts";

export const TOLERANCE_MINUTES = 1;

export function toleranceOption(): Option {
  return ownOption("--tolerance <minutes>", "what may differ").default(String(TOLERANCE_MINUTES));
}

export function parseTolerance(text: string): number {
  return parseWhole("--tolerance", text, 0, 100_000);
}

/** A reported balance with our facts; `facts` is null if we have no such balance. */
export interface Reported extends Pick<Rows["reported"], "workerId" | "policyId" | "day" | "minutes"> {
  readonly facts: BalanceFacts | null;
}

const BATCH = 100;

/** The reported balances of a company, with their facts, in batches of workers. */
export async function* reportedFacts(company: CompanyReader): AsyncGenerator<Reported[]> {
  const byWorker = Map.groupBy(await company.reported(), ({ workerId }) => workerId);
  const ids = [...byWorker.keys()];
  for (let at = 0; at < ids.length; at += BATCH) {
    const workerIds = ids.slice(at, at + BATCH);
    const { assignments } = await readFacts(company, { workerIds, limit: 1_000_000, withIds: true });
    const facts = new Map(
      assignments.map((assignment) => [`${assignment.workerId} ${assignment.policyId}`, assignment.facts]),
    );
    yield workerIds.flatMap((id) =>
      byWorker
        .get(id)!
        .map((reported) => ({ ...reported, facts: facts.get(`${id} ${reported.policyId}`) ?? null })),
    );
  }
}

/** What is accrued and unlocked less what is used, at the end of a day, in hundredths of a minute; null before the opening. */
export function balanceAt(facts: BalanceFacts, day: number): number | null {
  if (facts.opening !== null && facts.opening.day > day) return null;
  const { accruedUnlocked, used } = balance(facts, { today: day, endDate: day });
  return Math.round(accruedUnlocked * 100) - Math.round(used * 100);
}

/** A balance that differs, with possible causes, likeliest first. */
interface Difference {
  readonly workerId: string;
  /** Ours less theirs, in hundredths of a minute; null if we have no such balance. */
  readonly by: number | null;
  readonly causes: readonly string[];
}

export interface PolicyAgreement {
  readonly policyId: string;
  readonly name: string;
  readonly reported: number;
  readonly agree: number;
  /** Over all compared balances, in minutes. */
  readonly medianDifference: number;
  readonly groups: readonly {
    workers: number;
    cause: string;
    medianDifference: number | null;
    example: string;
  }[];
}

/** The agreement of each policy. Balances that differ by more than the tolerance are grouped by the cause that explains most of them. */
export async function agreementOf(
  company: CompanyReader,
  toleranceMinutes: number,
): Promise<PolicyAgreement[]> {
  const names = new Map((await readAll<Policy>(company, "policies", {})).map(({ id, name }) => [id, name]));
  const byPolicy = new Map<string, { all: number[]; reported: number; differences: Difference[] }>();
  for await (const batch of reportedFacts(company))
    for (const reported of batch) {
      const of = byPolicy.get(reported.policyId) ?? { all: [], reported: 0, differences: [] };
      byPolicy.set(reported.policyId, of);
      of.reported++;
      const ours = reported.facts && balanceAt(reported.facts, reported.day);
      const by = ours === null ? null : ours - Math.round(reported.minutes * 100);
      if (by !== null) of.all.push(by);
      if (by === null)
        of.differences.push({ workerId: reported.workerId, by, causes: ["there is no such balance here"] });
      else if (Math.abs(by) > toleranceMinutes * 100)
        of.differences.push({
          workerId: reported.workerId,
          by,
          causes: causesOf(reported.facts!, reported.day, by),
        });
    }
  return [...byPolicy].map(([policyId, { all, reported, differences }]) => ({
    policyId,
    name: names.get(policyId) ?? policyId,
    reported,
    agree: reported - differences.length,
    medianDifference: median(all) / 100,
    groups: groupsOf(differences),
  }));
}

/** The number of balances that differ. */
export function differing(policies: readonly PolicyAgreement[]): number {
  return policies.reduce((sum, { reported, agree }) => sum + reported - agree, 0);
}

/** Entries, holds or limits that account for the whole difference. */
function causesOf(facts: BalanceFacts, day: number, by: number): string[] {
  const entries = explain(facts, { today: day, endDate: day });
  const causes = entries
    .filter(({ minutes, kind }) => kind !== "hold" && Math.abs(minutes * 100 - by) < 100)
    .map(({ kind, date }) => `without our ${kind === "used" ? "leave" : kind} of ${formatDay(date)}?`);
  const holds = entries.reduce((sum, { kind, minutes }) => sum - (kind === "hold" ? minutes : 0), 0);
  if (by > 0 && Math.abs(holds * 100 - by) < 100) causes.unshift("pending leave is taken off there?");
  const lastYear = entries.findLast(({ date }) => formatDay(date).slice(0, 4) < formatDay(day).slice(0, 4));
  const limit = lastYear === undefined ? -1 : Math.round(lastYear.balance - by / 100);
  if (by > 0 && limit >= 0)
    causes.push(`a carry-over limit of ${limit} on ${formatDay(day).slice(0, 4)}-01-01?`);
  return [...causes, `${by > 0 ? "more" : "less"} here by ${Math.abs(by) / 100}`];
}

/** Groups differences by cause. The cause that explains most comes first, and each difference is in one group. */
function groupsOf(differences: readonly Difference[]): PolicyAgreement["groups"] {
  const groups: { workers: number; cause: string; medianDifference: number | null; example: string }[] = [];
  for (let rest = differences; rest.length > 0; ) {
    const counts = new Map<string, number>();
    for (const { causes } of rest)
      for (const cause of new Set(causes)) counts.set(cause, (counts.get(cause) ?? 0) + 1);
    const [cause] = [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best));
    const own = rest.filter(({ causes }) => causes.includes(cause));
    rest = rest.filter(({ causes }) => !causes.includes(cause));
    const by = own.flatMap((difference) => difference.by ?? []);
    const medianDifference = by.length === 0 ? null : median(by) / 100;
    groups.push({ workers: own.length, cause, medianDifference, example: own[0]!.workerId });
  }
  return groups;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** How many balances of each company differ from the reported ones; for metrics. */
export class ReportedDifferences {
  /** By company; `differ` is null if nothing was reported. */
  #known: ReadonlyMap<string, { readonly version: string; readonly differ: number | null }> = new Map();
  #isReading = false;

  /** The last known counts. A company that changed since is compared again in the background, so that no scrape waits. */
  counts(store: ReadStore, companyIds: readonly string[]): ReadonlyMap<string, number> {
    if (!this.#isReading) {
      this.#isReading = true;
      this.#read(store, companyIds)
        .catch(() => {}) // /readyz says that the store is unavailable
        .finally(() => {
          this.#isReading = false;
        });
    }
    return new Map([...this.#known].flatMap(([id, { differ }]) => (differ === null ? [] : [[id, differ]])));
  }

  async #read(store: ReadStore, companyIds: readonly string[]): Promise<void> {
    const read = new Map<string, { version: string; differ: number | null }>();
    for (const id of companyIds) {
      const version = await store.version(id);
      if (version === null) continue;
      const known = this.#known.get(id);
      if (known?.version === version) {
        read.set(id, known);
        continue;
      }
      const policies = await store
        .company(id, version)
        .atOneVersion((company) => agreementOf(company, TOLERANCE_MINUTES));
      read.set(id, { version, differ: policies.length === 0 ? null : differing(policies) });
    }
    this.#known = read;
  }
}
