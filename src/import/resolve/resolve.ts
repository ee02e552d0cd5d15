// From facts to rows: which row each fact is, and what its references name. One function a kind, each for a batch.
import { policyTerms } from "../../resources/policies.ts";
import { type Facts, rowOf } from "../../resources/registry.ts";
import { requestDays } from "../../resources/requests.ts";
import { displayName } from "../../resources/workers.ts";
import type { ImportTransaction, NamedKind } from "../../store/store.ts";
import type { FactKind, Rows } from "../../store/tables.ts";
import { shown } from "../row-errors.ts";
import { keyText, type Scratch } from "../scratch.ts";
import { type Identified, mintedId, NamedRows } from "./identity.ts";
import { timedRequest } from "./local-times.ts";
import { badReference, type Reference, type References } from "./references.ts";
import { TimeOffTypes } from "./time-off-types.ts";

/** A row with what is stored under its key; or why there is none. No problems: it refers to a row that is bad itself. */
export type Resolved<K extends FactKind> =
  | { readonly row: Rows[K]; readonly stored: Rows[K] | null }
  | { readonly row: null; readonly problems: readonly string[] };

/** Resolves the facts of a batch, in order. The rows of earlier batches have been written. */
export type Resolver<K extends FactKind> = (facts: readonly Facts[K][]) => Promise<Resolved<K>[]>;

export interface ResolverContext {
  readonly companyId: string;
  readonly transaction: ImportTransaction;
  readonly scratch: Scratch;
  readonly references: References;
  /** Whether nothing of the kind was stored before this import. */
  readonly isFresh: boolean;
}

export const RESOLVERS: { readonly [K in FactKind]: (context: ResolverContext) => Resolver<K> } = {
  workers: (context) => {
    const named = namedRows("workers", context);
    return async (facts) => {
      const rows = await named.identify(facts);
      return facts.map((fact, at) =>
        built(rows[at]!, (identity) =>
          rowOf("workers", { ...fact, ...identity, displayName: displayName(fact) }, {}),
        ),
      );
    };
  },

  policies: (context) => {
    const named = namedRows("policies", context);
    const types = new TimeOffTypes(context.companyId, context.transaction);
    return async (facts) => {
      const rows = await named.identify(facts);
      const typeIds = await types.idsOf(
        facts,
        rows.map((row) => (row.problem === undefined ? row.stored : null)),
      );
      return facts.map((fact, at) =>
        built(rows[at]!, (identity) => {
          const terms = policyTerms(fact);
          return rowOf(
            "policies",
            { ...fact, ...identity, isUnlimited: terms.isUnlimited, timeOffTypeId: typeIds[at]! },
            { terms: JSON.stringify(terms) },
          );
        }),
      );
    };
  },

  assignments: (context) => async (facts) => {
    const { companyId, transaction, scratch, isFresh } = context;
    const parents = await parentsOf(context, facts, "policyId", (fact) => fact.policyId);
    const pairs = parents.map(({ workerId, policyId }) => [workerId ?? "", policyId ?? ""]);
    const stored = isFresh ? [] : await transaction.stored("assignments", pairs);
    const ids = facts.map(
      (fact, at) => fact.id ?? stored[at]?.id ?? mintedId(companyId, "assignments", ...pairs[at]!),
    );
    // Only an id that is new to its pair can be taken by another pair.
    const newIds = isFresh ? [] : ids.filter((id, at) => stored[at]?.id !== id);
    const owners = newIds.length === 0 ? [] : await transaction.assignmentsById(newIds);
    const ownerOf = new Map(owners.flatMap((owner) => (owner === null ? [] : [[owner.id, owner]])));
    return facts.map((fact, at) => {
      const { workerId, policyId, problems, isRefused } = parents[at]!;
      if (isRefused) return { row: null, problems };
      const id = ids[at]!;
      const before = stored[at] ?? null;
      if (before !== null && before.id !== id) {
        return {
          row: null,
          problems: [
            `id: ${shown(id)} is not the id of this worker's assignment to this policy: it has ${before.id}, and ids never change`,
          ],
        };
      }
      const pair = keyText([workerId, policyId]);
      const owner = ownerOf.get(id) ?? null;
      scratch.noteLegacyId("assignments", id, pair);
      const isTaken =
        scratch.idOfLegacyId("assignments", id) !== pair ||
        (owner !== null && (owner.workerId !== workerId || owner.policyId !== policyId));
      if (isTaken)
        return {
          row: null,
          problems: [`id: ${shown(id)} is the id of another worker's or policy's assignment`],
        };
      return { row: rowOf("assignments", { ...fact, id, workerId, policyId }, {}), stored: before };
    });
  },

  requests: (context) => {
    const named = namedRows("requests", context);
    return async (facts) => {
      const parents = await parentsOf(context, facts, "timeOffPolicyId", (fact) => fact.timeOffPolicyId);
      const rows = await named.identify(facts);
      const zoneless = parents.flatMap(({ workerId }, at) =>
        facts[at]!.timeZone === null && workerId !== null ? [workerId] : [],
      );
      const zones = zoneless.length === 0 ? [] : await context.references.timeZones(zoneless);
      let nextZone = 0;
      return facts.map((fact, at) => {
        const { workerId, policyId, problems, isRefused } = parents[at]!;
        const workerTimeZone = fact.timeZone === null && workerId !== null ? zones[nextZone++]! : null;
        if (isRefused) return { row: null, problems };
        const timed = timedRequest(fact, workerTimeZone);
        if (Array.isArray(timed)) return { row: null, problems: timed };
        return built(rows[at]!, (identity) =>
          rowOf(
            "requests",
            { ...timed, ...identity, workerId, timeOffPolicyId: policyId },
            requestDays(timed, workerTimeZone),
          ),
        );
      });
    };
  },

  adjustments: (context) => {
    const named = namedRows("adjustments", context);
    return async (facts) => {
      const parents = await parentsOf(context, facts, "policyId", (fact) => fact.policyId);
      const rows = await named.identify(facts);
      return facts.map((fact, at) => {
        const { workerId, policyId, problems, isRefused } = parents[at]!;
        if (isRefused) return { row: null, problems };
        return built(rows[at]!, (identity) =>
          rowOf("adjustments", { ...fact, ...identity, workerId, policyId }, {}),
        );
      });
    };
  },

  work_hours:
    ({ references, transaction, isFresh }) =>
    async (facts) => {
      const workers = await references.resolve(
        "workers",
        facts.map((fact) => fact.workerId),
      );
      const keys = facts.map((fact, at) => [workers[at]!.id ?? "", fact.date]);
      const stored = isFresh ? [] : await transaction.stored("work_hours", keys);
      return facts.map((fact, at) => {
        const worker = workers[at]!;
        if (worker.id === null)
          return { row: null, problems: referenceProblems("workerId", fact.workerId, worker) };
        return { row: rowOf("work_hours", { ...fact, workerId: worker.id }, {}), stored: stored[at] ?? null };
      });
    },
};

function namedRows<K extends NamedKind>(kind: K, context: ResolverContext) {
  return new NamedRows(kind, context.companyId, context.transaction, context.scratch, context.isFresh);
}

function built<K extends NamedKind>(
  found: Identified<K>,
  build: (identity: { id: string; legacyId: string | null }) => Rows[K],
): Resolved<K> {
  if (found.problem !== undefined) return { row: null, problems: [found.problem] };
  return { row: build(found.identity), stored: found.stored };
}

type Parents =
  | {
      readonly workerId: string;
      readonly policyId: string;
      readonly problems: readonly string[];
      readonly isRefused: false;
    }
  | {
      readonly workerId: string | null;
      readonly policyId: string | null;
      readonly problems: readonly string[];
      readonly isRefused: true;
    };

/** The worker and the policy that each fact refers to. */
async function parentsOf<F extends { readonly workerId: string }>(
  { references }: ResolverContext,
  facts: readonly F[],
  policyField: string,
  policyName: (fact: F) => string,
): Promise<Parents[]> {
  const workers = await references.resolve(
    "workers",
    facts.map((fact) => fact.workerId),
  );
  const policies = await references.resolve("policies", facts.map(policyName));
  return facts.map((fact, at): Parents => {
    const worker = workers[at]!;
    const policy = policies[at]!;
    if (worker.id !== null && policy.id !== null) {
      return { workerId: worker.id, policyId: policy.id, problems: [], isRefused: false };
    }
    const problems = [
      ...referenceProblems("workerId", fact.workerId, worker),
      ...referenceProblems(policyField, policyName(fact), policy),
    ];
    return { workerId: worker.id, policyId: policy.id, problems, isRefused: true };
  });
}

/** What is wrong with a reference; nothing where it names a row that is bad itself, which is told already. */
function referenceProblems(field: string, name: string, reference: Reference): string[] {
  return reference.id === null && !reference.isKnownBad ? [badReference(field, name, reference)] : [];
}
