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
interface OpeningsOfPolicy {
  readonly unit: Policy["unit"];
  readonly grantsPerYear: number;
  readonly mostPerGrant: number;
  /** How many there are, and the first, as messages call them. */
  count: number;
  readonly first: string[];
  /** Those that are more than the policy can have granted since the worker's first day. */
  readonly large: string[];
  /** How many are at most a fifth of a year's grant. */
  small: number;
  /** For each length of a day, how many of the small ones are no half days of it, but would be half days if their hours were days. */
  readonly halfDays: number[];
}

function openingsOf(
  { schedule, minutesPerPeriod, rules, changes }: PolicyFacts,
  unit: Policy["unit"],
): OpeningsOfPolicy {
  const amounts = [{ minutesPerPeriod, rules }, ...changes].flatMap(({ minutesPerPeriod, rules }) => [
    minutesPerPeriod ?? 0,
    ...(rules.tiers ?? []).map(({ minutes }) => minutes),
  ]);
  return {
    unit,
    grantsPerYear: { yearly: 1, monthly: 12, per_hour_worked: 0, unlimited: 0 }[schedule],
    mostPerGrant: Math.max(...amounts),
    count: 0,
    first: [],
    large: [],
    small: 0,
    halfDays: DAY_LENGTHS.map(() => 0),
  };
}

function add(openings: OpeningsOfPolicy, { name, day, minutes, startDay, terms }: StoredOpening): void {
  const own = JSON.parse(terms ?? "{}") as Partial<AssignmentTerms>; // what the import wrote
  const mostPercent = Math.max(100, ...(own.rates ?? []).map(({ percent }) => percent));
  const mostPerGrant = (Math.max(openings.mostPerGrant, own.minutesPerPeriod ?? 0) * mostPercent) / 100;
  const yearMinutes = openings.grantsPerYear * mostPerGrant;
  if (minutes === 0 || yearMinutes === 0) return;
  const text = `opening of ${name} (${minutes} minutes)`;
  if (openings.count++ < MAX_EXAMPLES) openings.first.push(text);
  const years = Math.ceil((day - startDay) / YEAR_DAYS) + 1;
  if (minutes > yearMinutes * years) openings.large.push(text);
  if (Math.abs(minutes) > yearMinutes / 5) return;
  openings.small++;
  if (minutes < 0 || !isHalfDays(minutes * HOURS_OF_A_DAY, HOURS_OF_A_DAY)) return;
  for (const [at, hours] of DAY_LENGTHS.entries()) if (!isHalfDays(minutes, hours)) openings.halfDays[at]!++;
}

function isHalfDays(minutes: number, hours: number): boolean {
  return minutes % (hours * 30) === 0;
}

async function openingsByPolicy(session: ImportSession): Promise<readonly OpeningsOfPolicy[]> {
  const { companyId } = session;
  const policies = await session.run<{ readonly id: string; readonly terms: string; readonly doc: string }>(
    sql`select id as "id", terms as "terms", doc as "doc" from policies where company_id = ${companyId}`,
  );
  const byPolicy = new Map(
    policies.map((row) => {
      const { unit } = JSON.parse(row.doc) as Policy; // as it is stored
      return [row.id, openingsOf(policyOf(storedTerms(row)), unit)];
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
  for await (const rows of openings)
    for (const opening of rows) add(byPolicy.get(opening.policyId)!, opening); // an opening has a policy
  return [...byPolicy.values()];
}

/** Openings of more than their policies can have granted, if a policy has three, and a tenth: a few people may have brought theirs from elsewhere. */
export async function largeOpenings(session: ImportSession): Promise<string[]> {
  return (await openingsByPolicy(session)).flatMap(({ count, large }) =>
    large.length >= 3 && large.length * 10 >= count ? large : [],
  );
}

/** Openings of policies in days, if five or more, nearly all small, and most would be half days, but are none of any usual length. */
export async function smallOpenings(session: ImportSession) {
  const found = (await openingsByPolicy(session)).filter(({ unit, count, small, halfDays }) => {
    const areSmall = count >= 5 && small * 10 >= count * 9;
    return unit === "day" && areSmall && halfDays.every((ofDays) => ofDays * 2 >= count);
  });
  const count = found.reduce((sum, openings) => sum + openings.count, 0);
  return { count, names: found.flatMap(({ first }) => first).slice(0, MAX_EXAMPLES) };
}
