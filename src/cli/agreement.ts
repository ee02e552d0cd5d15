// Compares balances with those that another system reported (`reported` rows of an import).
import type { Option } from "commander";
import { readFacts } from "../balance-facts.ts";
import type { BalanceFacts } from "../balances/facts.ts";
import { eachBalance } from "../http/balance-pairs.ts";
import { endless } from "../http/computation.ts";
import { readAll } from "../http/read-all.ts";
import { median } from "../import/load/gate.ts";
import type { Rows } from "../resources/kinds.ts";
import type { Policy } from "../resources/policies.ts";
import type { CompanyReader, ReadStore } from "../store/store.ts";
import { chunks } from "../store/tables.ts";
import { type Day, formatDay } from "../time/day.ts";
import { balanceAt, tryHypotheses } from "./hypotheses.ts";
import { ownOption, parseWhole } from "./options.ts";

const TOLERANCE_MINUTES = 1;

export function toleranceOption(): Option {
  return ownOption("--tolerance <minutes>", "what may differ").default(String(TOLERANCE_MINUTES));
}

export function parseTolerance(text: string): number {
  return parseWhole("--tolerance", text, 0, 100_000);
}

/** A reported balance with the facts of ours; `facts` is null if we have no such balance. */
export interface Reported extends Pick<Rows["reported"], "workerId" | "policyId" | "day" | "minutes"> {
  readonly facts: BalanceFacts | null;
}

const BATCH = 100;
/** At most this many agreeing balances of a policy are tried with the causes of the others. */
const AGREEING_TRIED = 300;

/** The reported balances of a company, with their facts, in batches of workers. */
export async function* reportedFacts(company: CompanyReader): AsyncGenerator<Reported[]> {
  const byWorker = Map.groupBy(await company.reported(), ({ workerId }) => workerId);
  for (const workerIds of chunks([...byWorker.keys()], BATCH)) {
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

interface Difference extends Reported {
  /** Ours less theirs, in hundredths of a minute; null if we have no such balance. */
  readonly by: number | null;
}

export interface PolicyAgreement {
  readonly policyId: string;
  readonly name: string;
  readonly reported: number;
  readonly agree: number;
  /** Workers without a reported balance who have the policy on the last reported day. */
  readonly unreported: number;
  /** Ours less theirs, over all compared balances, in minutes. */
  readonly medianDifference: number;
  readonly groups: readonly {
    balances: number;
    cause: string;
    /** Causes that explain the same balances as well. */
    otherCauses: readonly string[];
    /** Other balances of the policy that the cause would make differ from the reported figure; at most 300 agreeing ones are tried. */
    contradictedBy: number;
    medianDifference: number | null;
    /** A worker's id, and the day of the balance. */
    example: string;
    exampleDate: string;
  }[];
}

/**
 * The agreement of each policy. Policies without a reported balance are included if they are limited and somebody has them. Empty if
 * nothing was reported at all. Balances that differ by more than the tolerance are grouped by cause.
 */
export async function agreementOf(
  company: CompanyReader,
  toleranceMinutes: number,
): Promise<PolicyAgreement[]> {
  const policies = await readAll<Policy>(company, "policies", {});
  const names = new Map(policies.map(({ id, name }) => [id, name]));
  const compared = await compare(company, toleranceMinutes);
  if (compared.size === 0) return [];
  const lastDay = Math.max(...[...compared.values()].map((policy) => policy.lastDay));
  for (const { id, isUnlimited } of policies)
    if (!isUnlimited && !compared.has(id)) compared.set(id, newCompared(lastDay));
  const unreported = await countUnreported(company, compared);
  return [...compared].flatMap(([policyId, { all, reported, differences, agreeing }]) =>
    reported === 0 && !unreported.has(policyId)
      ? []
      : {
          policyId,
          name: names.get(policyId) ?? policyId,
          reported,
          agree: reported - differences.length,
          unreported: unreported.get(policyId) ?? 0,
          medianDifference: median(all) / 100,
          groups: groupsOf(differences, agreeing, toleranceMinutes * 100),
        },
  );
}

/** How many balances were reported, and how many of them differ by more than the tolerance. */
export async function countDiffering(
  company: CompanyReader,
): Promise<{ readonly reported: number; readonly differ: number }> {
  let [all, differ] = [0, 0];
  for (const { reported, differences } of (await compare(company, TOLERANCE_MINUTES)).values()) {
    all += reported;
    differ += differences.length;
  }
  return { reported: all, differ };
}

/** By policy, how many workers lack a reported balance, so that a file of some workers does not look complete. */
async function countUnreported(
  company: CompanyReader,
  compared: ReadonlyMap<string, Compared>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const query = { policyIds: [...compared.keys()], from: undefined, isBackward: false };
  for await (const { workerId, policyId, facts } of eachBalance(company, query, endless())) {
    const { workers, lastDay } = compared.get(policyId)!; // only these were asked for
    if (!workers.has(workerId) && isHeldOn(facts, lastDay))
      counts.set(policyId, (counts.get(policyId) ?? 0) + 1);
  }
  return counts;
}

/** Whether the worker is employed and has the policy on the day. */
function isHeldOn({ assignment, worker, opening, movesOn }: BalanceFacts, day: Day): boolean {
  const first = Math.max(assignment.assignedOn, worker.startDate, opening?.day ?? -Infinity);
  const last = Math.min(assignment.endsOn ?? Infinity, worker.endDate ?? Infinity, (movesOn ?? Infinity) - 1);
  return first <= day && day <= last;
}

interface Compared {
  /** Ours less theirs of every balance that we have, in hundredths of a minute. */
  readonly all: number[];
  readonly workers: Set<string>;
  lastDay: Day;
  reported: number;
  readonly differences: Difference[];
  /** The first of the agreeing balances, at most `AGREEING_TRIED`. */
  readonly agreeing: Reported[];
}

const newCompared = (lastDay: Day): Compared => ({
  all: [],
  workers: new Set(),
  lastDay,
  reported: 0,
  differences: [],
  agreeing: [],
});

/** Compares all reported balances with ours, by policy. */
async function compare(company: CompanyReader, toleranceMinutes: number): Promise<Map<string, Compared>> {
  const byPolicy = new Map<string, Compared>();
  for await (const batch of reportedFacts(company))
    for (const reported of batch) {
      const of = byPolicy.get(reported.policyId) ?? newCompared(reported.day);
      byPolicy.set(reported.policyId, of);
      of.reported++;
      of.workers.add(reported.workerId);
      of.lastDay = Math.max(of.lastDay, reported.day);
      const ours = reported.facts && balanceAt(reported.facts, reported.day);
      const by = ours === null ? null : ours - Math.round(reported.minutes * 100);
      if (by !== null) of.all.push(by);
      if (by === null || Math.abs(by) > toleranceMinutes * 100) of.differences.push({ ...reported, by });
      else if (of.agreeing.length < AGREEING_TRIED) of.agreeing.push(reported);
    }
  return byPolicy;
}

/**
 * Groups differences by cause. The cause that explains the most differences comes first. Of equals, the one that the fewest other balances
 * contradict wins. Each difference is in one group.
 */
export function groupsOf(
  differences: readonly Difference[],
  agreeing: readonly Reported[],
  tolerance: number,
): PolicyAgreement["groups"] {
  const there = differences.filter(({ by }) => by !== null);
  const tried = tryHypotheses(there.map(reportedOtherwise), agreeing.map(reportedOtherwise), tolerance);
  const causes = new Map(there.map((difference, at) => [difference, tried.differing[at]!.explain]));
  const explains = (cause: string, difference: Difference) =>
    (causes.get(difference)?.has(cause) ?? false) || plainly(difference) === cause;
  const contradictions = countEach(
    [...tried.differing, ...tried.agreeing].flatMap(({ contradict }) => [...contradict]),
  );
  const groups: PolicyAgreement["groups"][number][] = [];
  for (let rest = differences; rest.length > 0; ) {
    const plain = countEach(rest.map(plainly));
    const counts = new Map([
      ...countEach(rest.flatMap((difference) => [...(causes.get(difference) ?? [])])),
      ...plain,
    ]);
    const most = Math.max(...counts.values());
    // "more here by …" explains nothing. It wins only if every equally frequent cause is contradicted more often than it explains.
    const doubts = (cause: string) => (plain.has(cause) ? most : (contradictions.get(cause) ?? 0));
    const [first, ...others] = [...counts.keys()].filter((each) => counts.get(each) === most);
    const cause = others.reduce((best, other) => (doubts(other) < doubts(best) ? other : best), first!);
    const own = rest.filter((difference) => explains(cause, difference));
    const otherCauses = [...(causes.get(own[0]!) ?? [])].filter(
      (other) => other !== cause && own.every((difference) => explains(other, difference)),
    );
    rest = rest.filter((difference) => !explains(cause, difference));
    const by = own.flatMap((difference) => difference.by ?? []);
    const medianDifference = by.length === 0 ? null : median(by) / 100;
    const { workerId: example, day } = own[0]!;
    const contradictedBy = contradictions.get(cause) ?? 0;
    const exampleDate = formatDay(day);
    groups.push({
      balances: own.length,
      cause,
      otherCauses,
      contradictedBy,
      medianDifference,
      example,
      exampleDate,
    });
  }
  return groups;
}

function countEach(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const reportedOtherwise = ({ facts, day, minutes }: Reported) => ({
  facts: facts!, // there is a balance
  day,
  theirs: Math.round(minutes * 100),
});

/** The difference as a text, for differences that no hypothesis explains. */
function plainly({ by }: Difference): string {
  if (by === null) return "there is no such balance here";
  return `${by > 0 ? "more" : "less"} here by ${Math.abs(by) / 100}`;
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
        .catch(() => {}) // /readyz reports an unavailable store
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
      const { reported, differ } = await store
        .company(id, version)
        .atOneVersion((company) => countDiffering(company));
      read.set(id, { version, differ: reported === 0 ? null : differ });
    }
    this.#known = read;
  }
}
