// Filters as values: how each is written in a query, and which wire objects it matches, computed without the store.
import fc from "fast-check";
import { type Doc, EMAIL_GROUPS, ownerOf, POLICY_IDS, WORKER_IDS } from "./worlds.ts";

export interface Filter {
  /** As name and value pairs, not yet escaped. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly matches: (doc: Doc) => boolean;
}

type FilterArbitrary = (parameter: string, statuses: readonly string[]) => fc.Arbitrary<Filter>;

/** The four ways to write a list, mixed. */
function written(parameter: string, values: readonly string[]): fc.Arbitrary<(readonly [string, string])[]> {
  const names = fc.constantFrom(parameter, `${parameter}[]`, `${parameter}[0]`, `${parameter}[17]`);
  return fc
    .array(fc.tuple(names, fc.boolean()), { minLength: values.length, maxLength: values.length })
    .map((ways) => {
      const pairs: [string, string][] = [];
      ways.forEach(([name, isJoined], index) => {
        const last = pairs[pairs.length - 1];
        if (isJoined && last !== undefined) last[1] += `,${values[index]}`;
        else pairs.push([name, values[index]!]);
      });
      return pairs;
    });
}

const listOf =
  (choices: readonly string[], fieldOf: (doc: Doc) => unknown): FilterArbitrary =>
  (parameter) =>
    fc.array(fc.constantFrom(...choices), { minLength: 1, maxLength: 5 }).chain((values) =>
      written(parameter, values).map((pairs) => ({
        pairs,
        matches: (doc: Doc) => values.includes(String(fieldOf(doc))),
      })),
    );

/** Texts may contain commas, so they are never joined by them. */
const textsOf =
  (choices: readonly string[], fieldOf: (doc: Doc) => unknown): FilterArbitrary =>
  (parameter) =>
    fc
      .array(
        fc.tuple(
          fc.constantFrom(parameter, `${parameter}[]`, `${parameter}[3]`),
          fc.constantFrom(...choices),
        ),
        {
          minLength: 1,
          maxLength: 5,
        },
      )
      .map((pairs) => ({ pairs, matches: (doc: Doc) => pairs.some(([, value]) => value === fieldOf(doc)) }));

/** Instants around those of the requests, in several spellings; the number is what each means. */
const instants: fc.Arbitrary<readonly [string, number]> = fc
  .tuple(fc.integer({ min: -2, max: 14 }), fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: 4 }))
  .map(([halfDays, offByMs, spelling]) => {
    const ms = Date.parse("2026-03-01T00:00:00Z") + halfDays * 43_200_000 + offByMs;
    const iso = new Date(ms).toISOString();
    if (iso.endsWith("T00:00:00.000Z") && spelling === 0) return [iso.slice(0, 10), ms];
    if (spelling === 1) return [new Date(ms + 19_800_000).toISOString().replace("Z", "+05:30"), ms];
    if (spelling === 2) return [new Date(ms - 36_000_000).toISOString().replace("Z", "-10:00"), ms];
    return [spelling === 3 ? iso.toLowerCase() : iso, ms];
  });

const instant =
  (field: "startAt" | "endAt", holds: (at: number, bound: number) => boolean): FilterArbitrary =>
  (parameter) =>
    instants.map(([text, bound]) => ({
      pairs: [[parameter, text]],
      matches: (doc) => holds(Date.parse(String(doc[field])), bound),
    }));

const before = (at: number, bound: number) => at < bound;
const onOrAfter = (at: number, bound: number) => at >= bound;

const workEmail: FilterArbitrary = (parameter) =>
  fc.constantFrom(...EMAIL_GROUPS).chain((group) =>
    fc.constantFrom(...group).map((spelling) => ({
      pairs: [[parameter, spelling]],
      matches: (doc) => group.includes(String(doc.workEmail)),
    })),
  );

const idWithin = (object: unknown) => (object as { readonly id: string } | null)?.id; // as the contract says

/** The worker itself, or the one that it belongs to. */
const workerOf = (doc: Doc) => (doc.workerId === undefined ? doc : ownerOf(doc.workerId));

const FILTERS: Record<string, FilterArbitrary> = {
  statuses: (parameter, statuses) => listOf(statuses, (doc) => doc.status)(parameter, statuses),
  types: listOf(["employee", "contractor"], (doc) => doc.type),
  workerIds: listOf([...WORKER_IDS, "wrk_absent"], (doc) => doc.workerId),
  policyIds: listOf([...POLICY_IDS, "top_absent"], (doc) => doc.timeOffPolicyId ?? doc.policyId),
  startsBefore: instant("startAt", before),
  startsOnOrAfter: instant("startAt", onOrAfter),
  endsBefore: instant("endAt", before),
  endsOnOrAfter: instant("endAt", onOrAfter),
  workEmail,
  legacyIds: textsOf(["E1", "E2", "E3, new", "E4", "R1", "R2", "R5", "nobody"], (doc) => doc.legacyId),
  departmentIds: listOf(["dpt_Sales__EU", "dpt_R_D", "dpt_Sales"], (doc) =>
    idWithin(workerOf(doc).department),
  ),
  workplaceIds: listOf(["wkp_Lisbon", "wkp_Z_rich", "wkp_lisbon"], (doc) => idWithin(doc.primaryWorkplace)),
  managerIds: listOf([...WORKER_IDS, "wrk_absent"], (doc) => workerOf(doc).managerId),
};

const STATUSES: Record<string, readonly string[]> = {
  workers: ["active", "inactive", "onboarding", "offboarding", "draft", "invited"],
  requests: ["pending", "approved", "denied"],
};

/** Any combination of a list's filters. */
export function filtersOf(list: string, parameters: readonly string[]): fc.Arbitrary<Filter> {
  const each = parameters.map((parameter) => {
    const filter = FILTERS[parameter];
    if (filter === undefined)
      throw new Error(`FILTERS in test/http/properties/filters.ts has no values for ${parameter}: add them`);
    return fc.option(filter(parameter, STATUSES[list] ?? []), { nil: null, freq: 2 });
  });
  return fc.tuple(...each).map((wanted) => {
    const given = wanted.filter((one) => one !== null);
    return {
      pairs: given.flatMap(({ pairs }) => pairs),
      matches: (doc) => given.every(({ matches }) => matches(doc)),
    };
  });
}

export function queryOf(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}
