// Openings that were probably read in another unit: hours as days, or days as hours (docs/importing.md, Findings).
import sql from "sql-template-tag";
import type { AssignmentTerms, PolicyFacts } from "../../balances/facts.ts";
import { type Policy, policyOf, storedTerms } from "../../resources/policies.ts";
import type { ImportSession } from "../../store/store.ts";
import type { Day } from "../../time/day.ts";

const MAX_EXAMPLES = 3;
const HOURS_OF_A_DAY = 8;
/** Among them are those that are 1.25, 1.75 or 2.25 days of eight hours: what a month may grant. */
const DAY_LENGTHS = [6, 7, 7.5, HOURS_OF_A_DAY, 9, 10];
const YEAR_DAYS = 365;

interface StoredOpening {
  readonly name: string;
  readonly policyId: string;
  readonly day: Day;
  readonly minutes: number;
  readonly startDay: Day;
  /** JSON of the assignment's own terms; null for none. */
  readonly terms: string | null;
}

/** What the openings under one policy are like. Those of 0 do not count. */
class OpeningsOfPolicy {
  #openings = 0;
  /** How many are more than the policy can have granted since the worker's first day. */
  #large = 0;
  /** How many are at most a fifth of a year's grant. */
  #small = 0;
  /** For each length of a day, how many of the small ones are no half days of it, but would be half days if their hours were days. */
  readonly #halfDays = DAY_LENGTHS.map(() => 0);
  readonly #largeNames: string[] = [];
  readonly #names: string[] = [];
  readonly #grantsPerYear: number;
  readonly #mostPerGrant: number;

  constructor(
    policy: PolicyFacts,
    private readonly unit: Policy["unit"],
  ) {
    this.#grantsPerYear = { yearly: 1, monthly: 12, per_hour_worked: 0, unlimited: 0 }[policy.schedule];
    this.#mostPerGrant = Math.max(
      ...[policy, ...policy.changes].flatMap(({ minutesPerPeriod, rules }) => [
        minutesPerPeriod ?? 0,
        ...(rules.tiers ?? []).map(({ minutes }) => minutes),
      ]),
    );
  }

  add({ name, day, minutes, startDay, terms }: StoredOpening): void {
    const own = JSON.parse(terms ?? "{}") as Partial<AssignmentTerms>; // what the import wrote
    const mostPercent = Math.max(100, ...(own.rates ?? []).map(({ percent }) => percent));
    const mostPerGrant = (Math.max(this.#mostPerGrant, own.minutesPerPeriod ?? 0) * mostPercent) / 100;
    const yearMinutes = this.#grantsPerYear * mostPerGrant;
    if (minutes === 0 || yearMinutes === 0) return;
    const example = `opening of ${name} (${minutes} minutes)`;
    this.#openings++;
    if (this.#names.length < MAX_EXAMPLES) this.#names.push(example);
    const years = Math.ceil((day - startDay) / YEAR_DAYS) + 1;
    if (minutes > yearMinutes * years) {
      this.#large++;
      if (this.#largeNames.length < MAX_EXAMPLES) this.#largeNames.push(example);
    }
    if (Math.abs(minutes) > yearMinutes / 5) return;
    this.#small++;
    if (minutes < 0 || !isHalfDays(minutes * HOURS_OF_A_DAY, HOURS_OF_A_DAY)) return;
    for (const [at, hours] of DAY_LENGTHS.entries()) if (!isHalfDays(minutes, hours)) this.#halfDays[at]!++;
  }

  /** The large ones, if they are three or more, and a tenth: a few people may have brought theirs from elsewhere. */
  large(): Found {
    const areMany = this.#large >= 3 && this.#large * 10 >= this.#openings;
    return areMany ? { count: this.#large, names: this.#largeNames } : NONE;
  }

  /** All openings, if there are five or more, nearly all are small, and most would be half days, but are none of any usual length. */
  small(): Found {
    const areSmall = this.#openings >= 5 && this.#small * 10 >= this.#openings * 9;
    const areDays = this.unit === "day" && this.#halfDays.every((count) => count * 2 >= this.#openings);
    return areSmall && areDays ? { count: this.#openings, names: this.#names } : NONE;
  }
}

function isHalfDays(minutes: number, hours: number): boolean {
  return minutes % (hours * 30) === 0;
}

interface Found {
  readonly count: number;
  readonly names: readonly string[];
}

const NONE: Found = { count: 0, names: [] };

async function openingsByPolicy(session: ImportSession): Promise<readonly OpeningsOfPolicy[]> {
  const { companyId } = session;
  const policies = await session.run<{ readonly id: string; readonly terms: string; readonly doc: string }>(
    sql`select id as "id", terms as "terms", doc as "doc" from policies where company_id = ${companyId}`,
  );
  const byPolicy = new Map(
    policies.map((row) => {
      const { unit } = JSON.parse(row.doc) as Policy; // as it is stored
      return [row.id, new OpeningsOfPolicy(policyOf(storedTerms(row)), unit)];
    }),
  );
  const openings = session.batches<StoredOpening>(sql`
    select
      coalesce(w.legacy_id, w.id) as "name", o.policy_id as "policyId", o.day as "day",
      o.minutes as "minutes", w.start_day as "startDay", a.terms as "terms"
    from openings o
    join workers w on w.company_id = o.company_id and w.id = o.worker_id
    left join assignments a
      on a.company_id = o.company_id and a.worker_id = o.worker_id and a.policy_id = o.policy_id
    where o.company_id = ${companyId}
    order by o.worker_id, o.policy_id`);
  for await (const rows of openings) for (const opening of rows) byPolicy.get(opening.policyId)!.add(opening); // an opening has a policy
  return [...byPolicy.values()];
}

function together(found: readonly Found[]): Found {
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    names: found.flatMap(({ names }) => names).slice(0, MAX_EXAMPLES),
  };
}

/** Openings of more than their policies can have granted since the workers' first days. */
export async function largeOpenings(session: ImportSession): Promise<Found> {
  return together((await openingsByPolicy(session)).map((openings) => openings.large()));
}

/** Openings of a few hours, under policies in days where most would be half or whole days if they were read as days. */
export async function smallOpenings(session: ImportSession): Promise<Found> {
  return together((await openingsByPolicy(session)).map((openings) => openings.small()));
}
