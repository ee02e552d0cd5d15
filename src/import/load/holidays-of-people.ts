// Finds holidays that are somebody's leave, by their names (docs/importing.md, Findings).
import sql from "sql-template-tag";
import { fold } from "../../fold.ts";
import type { Worker } from "../../resources/workers.ts";
import type { ImportSession } from "../../store/store.ts";
import { isNamedLikeLeave } from "../telling-names.ts";

const wordsOf = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
/** The same for `Ana Lind` and `Lind, Ana`. */
const nameOf = (words: readonly string[]) => words.toSorted().join(" ");

/** The names of holidays that have a word for leave, or the first and last name of a worker: `Ana Lind - Holiday`. */
export async function holidaysOfPeople(session: ImportSession): Promise<string[]> {
  const { companyId } = session;
  const holidays = await session.run<{ readonly name: string }>(
    sql`select distinct name as "name" from holidays where company_id = ${companyId} order by name`,
  );
  const found = new Set(holidays.map(({ name }) => name).filter(isNamedLikeLeave));
  const holidayOf = new Map<string, string>();
  for (const { name } of holidays) {
    const words = wordsOf(name);
    for (const first of words.keys())
      for (let count = 2; count <= MAX_WORDS && first + count <= words.length; count++)
        holidayOf.set(nameOf(words.slice(first, first + count)), name);
  }
  const workers = session.batches<{ readonly doc: string }>(
    sql`select doc as "doc" from workers where company_id = ${companyId} order by id`,
  );
  for await (const rows of workers)
    for (const { doc } of rows) {
      const { firstName, lastName } = JSON.parse(doc) as Worker; // what an import wrote
      const holiday = holidayOf.get(nameOf(wordsOf(`${firstName} ${lastName}`)));
      if (holiday !== undefined) found.add(holiday);
    }
  return [...found].sort();
}

/** Longer names of people are not looked for. */
const MAX_WORDS = 4;
