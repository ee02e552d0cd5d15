// Finds people who come under another key than before: their balances and history would stay behind, or be somebody else's.
import sql, { type Sql } from "sql-template-tag";
import { fold } from "../../fold.ts";
import type { Rows } from "../../resources/kinds.ts";
import type { Worker } from "../../resources/workers.ts";
import type { ImportSession } from "../../store/store.ts";
import { shown } from "../row-errors.ts";

const workerOf = ({ doc }: { readonly doc: string }) => JSON.parse(doc) as Worker; // what an import wrote
const namesOf = ({ firstName, lastName }: Worker) => new Set([fold(firstName), fold(lastName)]);
/** Two people with one name seldom start on one day. */
const identityOf = (worker: Worker) => JSON.stringify([...[...namesOf(worker)].sort(), worker.startDate]);

/** Workers whose stored rows an import changed. */
export class ChangedPeople {
  readonly #before = new Set<string>();
  readonly #changed: { readonly key: string; readonly identity: string; readonly isOther: boolean }[] = [];

  note(now: Rows["workers"], before: Rows["workers"]): void {
    const [worker, workerBefore] = [workerOf(now), workerOf(before)];
    const identity = identityOf(worker);
    const identityBefore = identityOf(workerBefore);
    if (identity === identityBefore) return;
    this.#before.add(identityBefore);
    const isOther = isOtherPerson(worker, workerBefore);
    this.#changed.push({ key: now.legacyId ?? now.id, identity, isOther });
  }

  /** The keys whose worker is somebody else now, in order: somebody new, or the worker of another changed row. */
  others(): string[] {
    const others = this.#changed.filter(({ isOther, identity }) => isOther || this.#before.has(identity));
    return others.map(({ key }) => key).sort();
  }
}

/** Whether all names have changed, and the email or the first day, too. */
function isOtherPerson(now: Worker, before: Worker): boolean {
  const hasOtherFacts = fold(now.email) !== fold(before.email) || now.startDate !== before.startDate;
  return hasOtherFacts && namesOf(now).isDisjointFrom(namesOf(before));
}

/**
 * New workers who seem to be stored ones that the files no longer have: what to add to the mapping for each. `added`: the ids of workers
 * that were not stored; `absent`: selects the ids of those that the files lack.
 */
export async function renamedWorkers(
  session: ImportSession,
  added: readonly string[],
  absent: Sql,
): Promise<string[]> {
  if (added.length === 0) return [];
  const { companyId } = session;
  const docs = (ids: Sql) => sql`
    select w.doc as "doc" from workers w where w.company_id = ${companyId} and w.id in (${ids}) order by w.id`;
  const byName = new Map<string, Worker[]>();
  const keysOf = (worker: Worker) => [...namesOf(worker)].map((name) => `${name} ${worker.startDate}`);
  await session.makeTable("added_workers", { id: "text" });
  await session.fill(
    "added_workers",
    added.map((id) => [id]),
  );
  for await (const rows of session.batches<{ doc: string }>(docs(sql`select id from added_workers`)))
    for (const worker of rows.map(workerOf))
      for (const key of keysOf(worker)) byName.set(key, [...(byName.get(key) ?? []), worker]);
  const texts: string[] = [];
  for await (const rows of session.batches<{ doc: string }>(docs(absent)))
    for (const before of rows.map(workerOf)) {
      const alike = keysOf(before).flatMap((key) => byName.get(key) ?? []);
      const now = alike.find((worker) => isSamePerson(worker, before));
      if (now !== undefined)
        texts.push(`"was": {${shown(now.legacyId ?? now.id)}: ${shown(before.legacyId ?? before.id)}}`);
    }
  return texts;
}

/** Whether workers with a common name and one first day have another common fact. */
function isSamePerson(now: Worker, before: Worker): boolean {
  const placeOf = ({ position, department, primaryWorkplace, manager }: Worker) =>
    JSON.stringify([position, department?.id, primaryWorkplace?.id, manager?.id]);
  const nowhere = JSON.stringify([null, null, null, null]);
  return (
    identityOf(now) === identityOf(before) ||
    fold(now.email) === fold(before.email) ||
    (now.workEmail !== null && now.workEmail === before.workEmail) ||
    (placeOf(now) === placeOf(before) && placeOf(now) !== nowhere)
  );
}
